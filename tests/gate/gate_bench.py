"""A gate server with drives, inline and in virtual time, and judges of what it did."""

import dataclasses
import json

from drives.bank import BankEnd, BankFeedback, BankReport, DriveGoal, DriveState
from hil.config.file_search import configs_dir
from hil.ipc.ring import Ring
from hil.machines.rig.machine import cylinder_model, gate_limits, load_rig
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.gate.black_box import BlackBox
from hil.stations.platform.gate.command_slot import CommandSlot, Order
from hil.stations.platform.gate.server import GateServer
from hil.stations.platform.gate.spec import BankSpec, sim_settings
from hil.stations.platform.gate.status import STATUS_KIND, STATUS_SLOT_BYTES, decode
from hil.timing.clock import Tick
from safety.gate import Gate
from safety.modes import Mode, Request
from safety.verdict import Setpoint

PERIOD_S = 0.004
ZERO = (0.0,) * 6
START = (0.90, 0.91, 0.92, 0.93, 0.94, 0.95)
SPEED = (0.06, -0.05, 0.04, -0.03, 0.02, 0.01)
RIG = load_rig(configs_dir() / "rigs" / "paper.toml")
LIMITS = gate_limits(RIG, PERIOD_S)
CLOSED = (8, 8, 0, 0, 0, 0)


def sim_spec(**options):
    settings = sim_settings(cylinder_model(RIG, PERIOD_S), **options)
    return BankSpec("sim:", "paper", PERIOD_S, settings=settings)


class IdealBank:
    """Drives that do at once what they are told."""

    def __init__(self, length_m=START):
        self.length_m = length_m
        self.speed_m_s = ZERO
        self.goal = DriveGoal.DISABLED
        self.homed = False
        self.inputs = None
        self.sent = []
        self.closed = 0
        self.error = None

    def configure(self):
        return BankReport("ideal", "sim:", True, ("",) * 6)

    def request(self, goal):
        self.goal = goal
        self.homed = self.homed or goal is DriveGoal.HOMED

    def exchange(self, command):
        if self.error is not None:
            raise self.error
        self.sent.append(command)
        self.speed_m_s = ZERO
        if command is not None:
            steps = zip(self.length_m, command.length_m, strict=True)
            self.speed_m_s = tuple((b - a) / PERIOD_S for a, b in steps)
            self.length_m = command.length_m
        state = DriveState.ENABLED if self.goal is DriveGoal.ENABLED else DriveState.DISABLED
        return BankFeedback(
            self.length_m, self.speed_m_s, ZERO, (state,) * 6, (self.homed,) * 6, (0,) * 6,
            (True,) * 6, command, self.inputs,
        )  # fmt: skip

    def link_tally(self):
        return {"cycles": len(self.sent), "missing": (0, 0, 0, 0, 0, 0)}

    def close(self):
        self.closed += 1
        return BankEnd(self.link_tally())


class InlineGate:
    """A gate server, its slot and ring, and a clock that stands still unless told."""

    def __init__(self, limits=None, bank=None, led=False, **options):
        self.limits = limits or LIMITS
        self.bank = bank or IdealBank()
        self.slot = CommandSlot.local()
        self.ring = Ring.local(64, STATUS_SLOT_BYTES)
        self.now_s = 100.0
        self.connected = True
        self.box = BlackBox(PERIOD_S)
        gated = GatedBank(Gate(self.limits, led=led), self.bank, lambda: self.now_s)
        gated.open()
        self.server = GateServer(
            gated, self.slot, self.ring, self.limits, lambda: self.now_s,
            lambda: self.connected, black_box=self.box, **options,
        )  # fmt: skip
        self.index = 0
        self.history = []

    def order(self, setpoint=None, *requests, sequence=None, age_s=0.0, **fields):
        number = self.index if sequence is None else sequence
        if fields.get("reset"):
            fields.setdefault("act_s", self.now_s)  # a person presses it
        order = Order(number, self.now_s - age_s, setpoint, requests, **fields)
        self.slot.write(order)
        return order

    def cycle(self, late_s=0.0):
        """One cycle of the gate with whatever is in the slot."""
        self.server.cycle(Tick(self.index, self.index * PERIOD_S, PERIOD_S, late_s))
        self.now_s += PERIOD_S
        self.index += 1
        ((kind, record),) = self.ring.pop_all()
        assert kind == STATUS_KIND
        self.history.append(decode(record))
        return self.history[-1]

    def turn(self, setpoint=None, *requests, **fields):
        """Control writes, the gate runs."""
        self.order(setpoint, *requests, **fields)
        return self.cycle()

    def until(self, mode, *requests, cycles=300):
        for _ in range(cycles):
            if self.turn(None, *requests).verdict.mode is mode:
                return self.history[-1]
        raise AssertionError(f"never {mode}: {self.history[-1].verdict}")

    def ask(self, speed_m_s):
        """The next setpoint, at these speeds over the cycle."""
        allowed = self.history[-1].verdict.allowed.length_m
        length = tuple(x + v * PERIOD_S for x, v in zip(allowed, speed_m_s, strict=True))
        return Setpoint(self.index, length, tuple(speed_m_s))

    def engage(self):
        self.until(Mode.IDLE, Request.CONFIGURED)
        self.until(Mode.HOMING, Request.HOME)
        self.until(Mode.STANDBY)
        self.until(Mode.ENGAGING, Request.ENGAGE)
        return self

    def moving(self, cycles=20):
        self.engage()
        self.until(Mode.ENGAGED, Request.RISEN)
        for i in range(1, cycles + 1):
            status = self.turn(self.ask(tuple(v * i / cycles for v in SPEED)))
            assert status.verdict.action.name == "PASSED", status.verdict
        return self

    def run_alone(self, cycles=5000):
        """Only the gate runs, until it has ended."""
        for _ in range(cycles):
            if self.server.ended:
                return self
            self.cycle()
        raise AssertionError(f"never ended: {self.history[-1].verdict}")

    def lines(self):
        return [line_of(status) for status in self.history]


def line_of(status):
    """A status as the black box's file has it."""
    verdict = status.verdict
    return {
        "cycle": status.tick.index,
        "mode": verdict.mode.name,
        "action": verdict.action.name,
        "drives": verdict.drives.name,
        "heard": status.received,
        "allowed_length_m": verdict.allowed and list(verdict.allowed.length_m),
        "measured_speed_m_s": list(status.feedback.speed_m_s),
    }


def read_box(path):
    """Events and cycles of a black box's file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    events = [line for line in lines if "event" in line]
    return events, [line for line in lines if "event" not in line]


def judge_stop(cycles):
    """Was the last fresh setpoint followed within three cycles by a stop along the path?

    Returns the cycle of the last setpoint heard. Shares no code with the gate.
    """
    indices = [line["cycle"] for line in cycles]
    assert indices == list(range(indices[0], indices[0] + len(indices))), "no cycle is missing"
    last = max(i for i, line in enumerate(cycles) if line["heard"])
    before, fresh = cycles[last - 1]["allowed_length_m"], cycles[last]["allowed_length_m"]
    step = [b - a for a, b in zip(before, fresh, strict=True)]
    assert max(abs(x) for x in step) > 1e-5, "it was moving"
    stopping = [i for i in range(last + 1, len(cycles)) if cycles[i]["action"] == "STOPPING"]
    assert stopping, "there was no controlled stop"
    assert stopping[0] - last <= 3, f"first corrective setpoint after {stopping[0] - last} cycles"
    largest = max(range(6), key=lambda i: abs(step[i]))
    at, factor = fresh, 1.0
    for line in cycles[last + 1 :]:
        now = line["allowed_length_m"]
        if now is None:
            break
        move = [b - a for a, b in zip(at, now, strict=True)]
        share = move[largest] / step[largest]
        assert -1e-9 <= share <= factor + 1e-9, "a stop never speeds up or turns round"
        for leg in range(6):
            assert abs(move[leg] - share * step[leg]) < 1e-11, "six legs share one factor"
        at, factor = now, share
    assert abs(factor) < 1e-9, "at rest before the power goes"
    end = cycles[-1]
    assert end["drives"] == "OFF", "without power in the end"
    assert max(abs(v) for v in end["measured_speed_m_s"]) < 0.002, "the legs stand"
    assert "ENGAGED" not in {line["mode"] for line in cycles[stopping[0] :]}, "no re-engagement"
    return cycles[last]["cycle"]


def replaced(limits=LIMITS, **changes):
    return dataclasses.replace(limits, **changes)

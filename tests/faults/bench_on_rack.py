"""The bench on emulated drives, in one thread and on a virtual clock: gate, bank, bus, rack, rods.

Everything is what a rig would run, from the rig's file to the bytes on the wire; only time is
virtual. A test leads the bench through its modes into a motion, brings something about, runs on,
and judges what was kept of every cycle: what was asked, what the gate said, what went out on the
wire, what the drives answered, and where the rods truly were. `fault_judges` holds the judges.
"""

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path

from memory_bus import MemoryBus, PacedBank, VirtualTime

from drives.bank import BankFeedback, LegCommand
from drives.canopen_bank import CanopenBank
from drives.canopen_settings import from_json
from drives.frames import BusHealth, BusState
from hil.clock import Tick
from hil.commissioning import leg_test_motion
from hil.drives_setup import bank_spec
from hil.gated_bank import GatedBank
from hil.machine import gate_limits, load_rig
from hil.rack_setup import rack_settings
from hil.scenario import plan_from_table
from hil.shipped import configs_dir
from safety.gate import Gate
from safety.modes import Mode, Request
from safety.verdict import Action, Setpoint, Verdict
from sim.devices.can_rack import CanRack
from sim.devices.faults import Injection

PERIOD_S = 0.004
RATE_HZ = 250.0
RIG_FILE = configs_dir() / "rigs" / "paper.toml"
RIG = load_rig(RIG_FILE)
LIMITS = gate_limits(RIG, PERIOD_S)
SEED = 11
URL = "socketcan:can0"
TPDO1 = 0x180

WAYS_M = (0.100, 0.085, 0.070, 0.090, 0.030, 0.080)
"""How far each leg goes out in the motion [m]."""
TURNS_RAD_S = (2.00, 2.20, 2.40, 1.90, 2.10, 2.30)
"""How fast each leg swings [rad/s]: no two legs keep step, so the path is curved."""
FADE_S = 0.6
FAST_LEG, SLOW_LEG = 1, 5
"""Legs that move at about 0.1 m/s and at about 0.03 m/s when the tests strike."""
STRIKE = 200
"""Cycles of motion before the tests strike: 0.8 s, all legs well under way."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """What is kept of one cycle.

    Args:
        index: number of the cycle.
        at_s: when it began [s].
        asked_m: lengths that control asked for [m], 6; None if it asked for none.
        verdict: the gate's.
        feedback: the drives'.
        true_m: where the rods were at its end, as lengths of the legs [m], 6.
        true_m_s: how fast they were [m/s], 6.
        heard: legs whose actual position came in on the wire, 1 to 6.
    """

    index: int
    at_s: float
    asked_m: tuple[float, ...] | None
    verdict: Verdict
    feedback: BankFeedback
    true_m: tuple[float, ...]
    true_m_s: tuple[float, ...]
    heard: frozenset[int]

    @property
    def sent(self) -> LegCommand | None:
        """Setpoints that went out on the wire."""
        return self.feedback.accepted


@dataclass(frozen=True, slots=True)
class Sample:
    """What is seen of the rack from outside.

    Args:
        at_s: when [s].
        true_m_s: how fast the rods are [m/s], 6.
        states: states of CiA 402 of the drives, by name, 6.
    """

    at_s: float
    true_m_s: tuple[float, ...]
    states: tuple[str, ...]


class WireBus(MemoryBus):
    """A bus in memory on which a test can stand between the drives and the bench.

    It tells the rack's adapter flags as an SLCAN adapter does.
    """

    def __init__(self, rack, time, bus=0):
        super().__init__(rack, time, bus)
        self.alter = None
        """Takes each frame from the drives; returns what the bench gets, or None for nothing."""
        self.forged = []
        """Frames that the bench gets next although no drive has sent them."""
        self.heard = set()
        self.looks = 0
        """How often somebody has asked how the adapter is."""

    def receive_frames(self, timeout_s):
        forged, self.forged = self.forged, []
        frames = forged + super().receive_frames(0.0 if forged else timeout_s)
        if self.alter is not None:
            frames = [kept for frame in frames if (kept := self.alter(frame)) is not None]
        self.heard.update(f.can_id & 0x7F for f in frames if f.can_id & 0x780 == TPDO1)
        return frames

    def health(self):
        self.looks += 1
        faults = self.rack.faults
        if faults.bus_is_off:
            return BusHealth(BusState.BUS_OFF, note="bus off")
        passive = faults.value("error_passive") is not None
        return BusHealth(BusState.PASSIVE if passive else BusState.ACTIVE)


def plan_of(*overrides, rate_hz=RATE_HZ, motion=None, url=URL):
    """A plan on the paper's rig; overrides such as `rig_settings.drives.sign=...`."""
    hold = {"kind": "hold", "duration_s": 1.0}
    table = {
        "name": "faults",
        "rig": str(RIG_FILE),
        "rate_hz": rate_hz,
        "clock": "real",
        "motion": motion or hold,
        "devices": {"drives": url},
    }
    return plan_from_table(table, Path("test"), overrides)


def emulated(rig, nodes=None, **changes):
    """Emulated drives as the rig has them, near their reference switches.

    Args:
        rig: the rig.
        nodes: changes of single drives by leg, 1 to 6.
        changes: of the rack.
    """
    settings = rack_settings(rig)
    altered = tuple(
        dataclasses.replace(node, **(nodes or {}).get(leg, {}))
        for leg, node in enumerate(settings.nodes, start=1)
    )
    return dataclasses.replace(settings, **{"nodes": altered, "start_spread_m": 0.0005} | changes)


def emulated_bank(plan, rack, time, period_s=PERIOD_S, **changes):
    """The bank that the bench builds for the plan, on the bus of an emulated rack."""
    spec = bank_spec(plan)
    settings = dataclasses.replace(from_json(spec.settings["drives"]), **changes)
    bus = WireBus(rack, time)
    bank = CanopenBank(
        [bus], settings, spec.scales, period_s, now_s=time.now_s, name="rack", url="memory:"
    )
    return bank, bus


class BenchOnRack:
    """A bench whose drives are emulated.

    Args:
        overrides: of the plan.
        nodes: changes of single emulated drives by leg, 1 to 6.
        rack: changes of the rack.
        limits: changes of the gate's limits.
        settings: changes of the bank's settings.
    """

    def __init__(self, *overrides, nodes=None, rack=None, limits=None, **settings):
        self.plan = plan_of(*overrides)
        self.time = VirtualTime(100.0)
        self.rack = CanRack(emulated(RIG, nodes, **rack or {}), seed=SEED)
        self.bank, self.bus = emulated_bank(self.plan, self.rack, self.time, **settings)
        self.limits = dataclasses.replace(LIMITS, **limits or {})
        self.gate = Gate(self.limits)
        self.gated = GatedBank(self.gate, self.bank)
        self.period_s = PERIOD_S
        self.history = []
        self.watched = []
        self.cause = None
        self._due_s = None
        self._began_s = None
        self._path = None

    @property
    def last(self):
        return self.history[-1]

    def open(self):
        return self.gated.open()

    def cycle(self, asked=None, *requests, reset=False):
        """One cycle of gate and bus, when it is due."""
        if self._due_s is not None:
            self.time.move_to(self._due_s)
        now_s = self.time.now
        self._due_s = now_s + self.period_s
        dt_s = self.period_s if self._began_s is None else now_s - self._began_s
        self._began_s = now_s
        index = len(self.history)
        self.bus.heard.clear()
        setpoint = None
        if asked is not None:
            setpoint = Setpoint(index, asked, self._speeds(asked))
        tick = Tick(index, index * self.period_s, dt_s, 0.0)
        exchange = self.gated.cycle(tick, setpoint, requests, reset=reset)
        rods, closed = self.rack.rods, RIG.cylinders.closed_length_m
        self.history.append(
            Cycle(
                index,
                now_s,
                asked,
                exchange.verdict,
                exchange.feedback,
                tuple(rod.x_m + length for rod, length in zip(rods, closed, strict=True)),
                tuple(rod.v_m_s for rod in rods),
                frozenset(self.bus.heard),
            )
        )
        return self.last

    def _speeds(self, asked):
        before = self.history[-1].asked_m or asked
        return tuple((b - a) / self.period_s for a, b in zip(before, asked, strict=True))

    def until(self, mode, *requests, cycles=2000, reset=False):
        """Run on until the gate is in a mode."""
        for _ in range(cycles):
            if self.cycle(None, *requests, reset=reset).verdict.mode is mode:
                return self
        raise AssertionError(f"never {mode}: {self.last.verdict}; {self.bank.waiting}")

    def ready(self):
        """Configured, homed, enabled, at rest, and holding in ENGAGED."""
        self.open()
        self.until(Mode.IDLE, Request.CONFIGURED)
        self.until(Mode.HOMING, Request.HOME)
        self.until(Mode.STANDBY)
        for _ in range(500):
            self.cycle(None, Request.ENGAGE)
            if self.last.verdict.mode is Mode.ENGAGING:
                break
        self.until(Mode.ENGAGED, Request.RISEN)
        self._path = (len(self.history), self.last.verdict.allowed.length_m)
        return self

    def path_m(self, index):
        """Lengths of the motion in a cycle [m]: each leg swings out and back, faded in."""
        first, start_m = self._path
        t = (index - first + 1) * self.period_s
        u = min(1.0, t / FADE_S)
        fade = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
        return tuple(
            at + fade * way * 0.5 * (1.0 - math.cos(turn * t))
            for at, way, turn in zip(start_m, WAYS_M, TURNS_RAD_S, strict=True)
        )

    def follow(self, cycles, *requests, reset=False):
        """Control goes on asking for the motion, whatever the gate makes of it."""
        for _ in range(cycles):
            self.cycle(self.path_m(len(self.history)), *requests, reset=reset)
        return self

    def moving(self):
        """In motion, all legs well under way."""
        self.ready().follow(STRIKE)
        assert {c.verdict.action for c in self.history[-STRIKE:]} == {Action.PASSED}, self.last
        return self

    def strike(self, kind, leg=0, value=None, cycles=None):
        """Bring a fault of the rack about, from now on or for some cycles; marks the cause."""
        duration_s = None if cycles is None else cycles * self.period_s
        begin = Injection(kind, leg, value, duration_s=duration_s)
        self.mark()
        # Now, after the answers of this cycle and before those of the next one.
        self.rack.faults.start(begin, self.time.now)
        return self

    def watch_rods(self, span_s):
        """Nobody calls the bench; the rack goes on, and is looked at every millisecond."""
        end_s = self.time.now + span_s
        while self.time.now < end_s - 1e-9:
            self.time.move_to(self.time.now + 0.001)
            self.rack.advance(self.time.now)
            states = tuple(node.drive.state.name for node in self.rack.nodes)
            speeds = tuple(rod.v_m_s for rod in self.rack.rods)
            self.watched.append(Sample(self.time.now, speeds, states))
        return self

    def mark(self):
        """The cause is in the cycle that comes next."""
        self.cause = len(self.history)
        return self

    def node_of(self, leg):
        return self.plan.rig.drives.canopen.node_ids[leg - 1]


def leg_test(leg, nodes=None, *overrides, **settings):
    """The slow test move of a leg, as a plan of the bench, on emulated drives.

    Args:
        leg: leg to be led, 1 to 6.
        nodes: changes of single emulated drives by leg.
        overrides: of the plan that the bank is built from.
        settings: changes of the bank's settings.

    Returns:
        The plan, its bank, and the rack.
    """
    period_s = 0.01
    motion = leg_test_motion(RIG, (leg,))
    time = VirtualTime(100.0)
    rack = CanRack(emulated(RIG, nodes), seed=SEED)
    wired = plan_of(*overrides, rate_hz=1.0 / period_s, motion=motion)
    bank, _ = emulated_bank(wired, rack, time, period_s, **settings)
    return _dry(1.0 / period_s, motion), PacedBank(bank, time, period_s), rack


def _dry(rate_hz, motion):
    """A plan in virtual time, which the bench runs with the gate in its own thread."""
    table = {"name": "leg_test", "rig": str(RIG_FILE), "rate_hz": rate_hz, "motion": motion}
    return plan_from_table(table, Path("test"))

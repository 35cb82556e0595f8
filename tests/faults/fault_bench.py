"""The bench in front of emulated drives, in virtual time: modes, a motion, a cause, a record.

Everything is what a rig would run, from the rig's file to the bytes on the wire; only time is
virtual. A test leads the bench through its modes into a motion, brings something about, runs on,
and judges what was kept of every cycle: what was asked, what the gate said, what went out on the
wire, what the drives answered, and where the rods truly were. `fault_judges` holds the judges,
`bench_on_rack` and `bench_on_modbus` the drives.
"""

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path

from drives.bank import BankFeedback
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import gate_limits, load_rig
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.drives.rack_setup import rack_settings
from hil.stations.platform.plan.scenario import plan_from_table
from hil.timing.clock import Tick
from hil_common.legs import LegTarget
from safety.gate import Gate
from safety.modes import Mode, Request
from safety.verdict import Action, Setpoint, Verdict

RIG_FILE = configs_dir() / "rigs" / "paper.toml"
RIG = load_rig(RIG_FILE)
SEED = 11
BRAKE_RELEASE_S = 0.02
"""Shorter than the rig's, to be in motion soon [s]."""
HOLD = {"kind": "hold", "duration_s": 1.0}

WAYS_M = (0.100, 0.085, 0.070, 0.090, 0.030, 0.080)
"""How far each leg goes out in the motion [m]."""
TURNS_RAD_S = (2.00, 2.20, 2.40, 1.90, 2.10, 2.30)
"""How fast each leg swings [rad/s]: no two legs keep step, so the path is curved."""
FADE_S = 0.5
FAST_LEG, SLOW_LEG = 1, 5
"""Legs that move at about 0.1 m/s and at about 0.03 m/s when the tests strike."""
STRIKE_S = 0.6
"""Motion before the tests strike: all legs are well under way [s]."""


def plan_of(*overrides, rate_hz, url, motion=None):
    """A plan on the paper's rig; overrides such as `rig_settings.drives.sign=...`."""
    table = {
        "name": "faults",
        "rig": str(RIG_FILE),
        "rate_hz": rate_hz,
        "clock": "real",
        "motion": motion or HOLD,
        "devices": {"drives": url},
    }
    return plan_from_table(table, Path("test"), overrides)


def emulated(nodes=None, **changes):
    """Emulated drives as the rig has them, near their reference switches.

    Args:
        nodes: changes of single drives by leg, 1 to 6.
        changes: of the rack.
    """
    settings = rack_settings(RIG)
    altered = tuple(
        dataclasses.replace(
            node,
            rod=dataclasses.replace(node.rod, brake_release_s=BRAKE_RELEASE_S),
            **(nodes or {}).get(leg, {}),
        )
        for leg, node in enumerate(settings.nodes, start=1)
    )
    return dataclasses.replace(settings, **{"nodes": altered, "start_spread_m": 0.0005} | changes)


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
    def sent(self) -> LegTarget | None:
        """Setpoints that went out on the wire."""
        return self.feedback.accepted


@dataclass(frozen=True, slots=True)
class Sample:
    """What is seen of the drives from outside.

    Args:
        at_s: when [s].
        true_m_s: how fast the rods are [m/s], 6.
        states: states of CiA 402 of the drives, by name, 6.
    """

    at_s: float
    true_m_s: tuple[float, ...]
    states: tuple[str, ...]


class FaultBench:
    """A bench on emulated drives; whoever derives from it brings them.

    Args:
        bank: the drives.
        time: virtual clock that moves while somebody waits.
        period_s: bus cycle [s].
        limits: changes of the gate's limits.
    """

    def __init__(self, bank, time, period_s, limits=None):
        self.bank, self.time, self.period_s = bank, time, period_s
        self.limits = dataclasses.replace(gate_limits(RIG, period_s), **limits or {})
        self.gate = Gate(self.limits)
        self.gated = GatedBank(self.gate, bank, time.now_s)
        self.history = []
        self.watched = []
        self.cause = None
        self._due_s = None
        self._began_s = None
        self._path = None

    @property
    def rods(self):
        """The six rods as they truly are."""
        raise NotImplementedError

    @property
    def emulated_drives(self):
        """The six emulated drives."""
        raise NotImplementedError

    def heard(self):
        """Legs heard in the cycle that just ended."""
        return frozenset(leg for leg in range(1, 7) if self.bank_feedback.fresh[leg - 1])

    def advance_rack(self):
        """Let the emulated drives do what is due by now."""
        raise NotImplementedError

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
        setpoint = None
        if asked is not None:
            setpoint = Setpoint(index, asked, self._speeds(asked))
        tick = Tick(index, index * self.period_s, dt_s, 0.0)
        acts = {"act_s": now_s} if reset else {}  # a person presses it
        exchange = self.gated.cycle(tick, setpoint, requests, reset=reset, **acts)
        self.bank_feedback = exchange.feedback
        rods, closed = self.rods, RIG.cylinders.closed_length_m
        self.history.append(
            Cycle(
                index,
                now_s,
                asked,
                exchange.verdict,
                exchange.feedback,
                tuple(rod.x_m + length for rod, length in zip(rods, closed, strict=True)),
                tuple(rod.v_m_s for rod in rods),
                self.heard(),
            )
        )
        return self.last

    def _speeds(self, asked):
        before = self.history[-1].asked_m or asked
        return tuple((b - a) / self.period_s for a, b in zip(before, asked, strict=True))

    def until(self, mode, *requests, cycles=2000):
        """Run on until the gate is in a mode."""
        for _ in range(cycles):
            if self.cycle(None, *requests).verdict.mode is mode:
                return self
        raise AssertionError(f"never {mode}: {self.last.verdict}; {self.bank.waiting}")

    def ready(self):
        """Configured, homed, enabled, at rest, and holding in ENGAGED."""
        self.open()
        self.until(Mode.IDLE, Request.CONFIGURED)
        self.until(Mode.HOMING, Request.HOME)
        self.until(Mode.STANDBY)
        self.until(Mode.ENGAGING, Request.ENGAGE, cycles=500)
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
        cycles = round(STRIKE_S / self.period_s)
        self.ready().follow(cycles)
        assert {c.verdict.action for c in self.history[-cycles:]} == {Action.PASSED}, self.last
        return self

    def mark(self):
        """The cause is in the cycle that comes next."""
        self.cause = len(self.history)
        return self

    def watch_rods(self, span_s):
        """Nobody calls the bench; the rack goes on, and is looked at every millisecond."""
        end_s = self.time.now + span_s
        while self.time.now < end_s - 1e-9:
            self.time.move_to(self.time.now + 0.001)
            self.advance_rack()
            states = tuple(drive.state.name for drive in self.emulated_drives)
            speeds = tuple(rod.v_m_s for rod in self.rods)
            self.watched.append(Sample(self.time.now, speeds, states))
        return self

"""The whole reachable graph of states of gate, its server, the drives' sequence, and control.

What steps is what ships, of either build: `GateServer.cycle` over a real slot, `GatedBank`, `Gate`,
`SixAxes`, and `Supervisor.ask`. Nothing of them is written again or replaced here; their attributes
are set back to a state, stepped, and read. What is abstracted are the numbers:

- Six legs move alike, in steps of 2^-10 m or half of it, around one place; all lengths are exact.
  The sixth differs from the others only in its faults and silence.
- A drive does in a cycle what the table of CiA 402 says of its controlword; it homes where it
  stands, for as long as the environment likes, and stops at once when it must.
- Counters are compared up to the count that decides; the limits are the smallest that work
  (standstill and silence two cycles, no setpoint bridged).
- Time passes in whole cycles, punctually but for a cycle that is told to be late. Control's
  patience ends whenever the environment likes.
- No path is long enough to tell a lag, for each cycle begins one: that a leg lags is a class B like
  its following error.
- One thing happens in a cycle besides control's part; what happens in a row is covered.
"""

import math
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from drives.axes.cia402 import Control, Event402, OperationMode, State402, Statusword, event_of
from drives.axes.cia402 import step as step_402
from drives.axes.sequence import SequenceTimes, SixAxes
from drives.axes.values import AxesFeedback
from drives.bank import BankEnd, BankFeedback, BankReport
from hil.stations.platform.cycle.gated_bank import NEVER_S, GatedBank
from hil.stations.platform.cycle.supervisor import Supervisor
from hil.stations.platform.gate.command_slot import CommandSlot, Order
from hil.stations.platform.gate.server import GateServer
from hil.timing.clock import Tick
from safety.gate import Gate
from safety.limits import GateLimits, LegLimits
from safety.modes import FOLLOWING_MODES, Mode, Request
from safety.verdict import Setpoint

PERIOD_S = 2.0**-7
STEP_M = 2.0**-10
HOME_M = 1.0
COUNTS_PER_M = 2**20
NOW_S = 1000.0
INDEX = 1000
"""Each step is cycle 1001: only differences of indices count."""
ZERO = (0.0,) * 6
LEG = LegLimits(0.5, 1.5, 0.5, 48.0, STEP_M / 2.0 / PERIOD_S**2, 1e3, 2e3)
LIMITS = GateLimits(
    period_s=PERIOD_S,
    legs=(LEG,) * 6,
    following_base_m=0.004,
    following_per_speed_s=0.02,
    following_cycles=2,
    reaction_time_s=0.01,
    missing_setpoints_max=0,
    missing_feedback_max=0,
    late_cycles_max=3.0,
    setpoint_age_max_s=3.0 * PERIOD_S,
    start_tolerance_m=1e-6,
    standstill_speed_m_s=1e-6,
    standstill_cycles=2,
    stuck_cycles=1,
    stuck_movement_m=0.02,
    jump_speed_factor=2.0,
    jump_base_m=0.005,
    feedback_lag_max_s=0.1,
    feedback_lag_growth_s=0.1,
    force_cycles=1,
    estop_fitted=True,
    estop_discrepancy_cycles=5,
)
SILENCE_CYCLES, HOLD_CYCLES, RISE_CYCLES = 2, 2, 6
CLOSED, OPEN = (8, 8, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)
_PATTERN = {
    State402.SWITCH_ON_DISABLED: 0x40,
    State402.READY_TO_SWITCH_ON: 0x21,
    State402.SWITCHED_ON: 0x23,
    State402.OPERATION_ENABLED: 0x27,
    State402.QUICK_STOP_ACTIVE: 0x07,
    State402.FAULT_REACTION_ACTIVE: 0x0F,
    State402.FAULT: 0x08,
}
_FAULT, _START, _CSP = int(Statusword.FAULT), int(Control.MODE_START), 8
_ALIKE = (0, 5)
"""One of the five legs that are alike, and the sixth."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the environment does in a cycle.

    Args:
        control: "stay", "swing", "none" or "bad" as to its setpoint; "frozen": it does not run.
        request: what an arbitrary control asks; a supervisor asks by itself.
        done: control's present path is over.
        finds: drives that home find their reference now.
        event: what else happens: "act", "old act", "reset", "fault", "lost", "late", "estop",
            "unread", "gone", "stop", "tired"; empty for nothing.
    """

    control: str = "stay"
    request: Request | None = None
    done: bool = False
    finds: bool = False
    event: str = ""


class Drive:
    """One drive of the model: its state, the last controlword and mode, where it is."""

    def __init__(self):
        self.state = State402.SWITCH_ON_DISABLED
        self.word = 0
        self.mode = 0
        self.attained = False
        self.position = round(HOME_M * COUNTS_PER_M)
        self.speed = 0

    def cycle(self, word, mode, target, *, finds, fails):
        self.state = _following(self.state, word, self.word, fails)
        self.word, self.mode = word, mode
        on = self.state is State402.OPERATION_ENABLED
        homing = mode == OperationMode.HOMING.value
        started = homing and on and word & _START
        self.attained = homing and (self.attained or bool(started and finds))
        before = self.position
        if on and mode == _CSP:
            self.position = target
        self.speed = self.position - before

    @property
    def statusword(self):
        return _statusword(self.state, self.mode, self.attained)


@cache
def _following(state, word, before, fails):
    if fails:
        return step_402(state, Event402.FAULT_DETECTED)
    if state is State402.FAULT_REACTION_ACTIVE:
        return step_402(state, Event402.REACTION_DONE)
    return step_402(state, event_of(word, before))


@cache
def _statusword(state, mode, attained):
    word = int(_PATTERN[state] | Statusword.REMOTE)
    if mode == OperationMode.HOMING.value:
        return (
            word | int(Statusword.FOLLOWS_COMMAND | Statusword.TARGET_REACHED) if attained else word
        )
    return word | int(Statusword.FOLLOWS_COMMAND) if state is State402.OPERATION_ENABLED else word


class ModelBank:
    """Six drives behind the shipped sequence."""

    def __init__(self):
        brief = 2.0 * PERIOD_S
        times = SequenceTimes(brief, RISE_CYCLES * PERIOD_S, 1e6, brief, brief)
        self.axes = SixAxes(PERIOD_S, (1,) * 6, times=times)
        self.drives = [Drive() for _ in range(6)]
        self.finds = self.fails = self.silent = False
        self.inputs = CLOSED

    def configure(self):
        return BankReport("model", "model:", True, ("",) * 6)

    def request(self, goal):
        self.axes.request(goal)

    def exchange(self, command):
        targets = None
        if command is not None:
            targets = [round(length * COUNTS_PER_M) for length in command.length_m]
        words = self.axes.words(targets)
        for leg, drive in enumerate(self.drives):
            drive.cycle(
                words.controlword[leg],
                words.mode[leg],
                words.target[leg],
                finds=self.finds,
                fails=self.fails and leg == 5,
            )
        fresh = (True,) * 5 + (not self.silent,)
        told = [
            [drive.statusword for drive in self.drives],
            [drive.mode for drive in self.drives],
            [drive.position for drive in self.drives],
        ]
        self.axes.observe(AxesFeedback(*told, fresh, (True,) * 6))
        return BankFeedback(
            tuple(position / COUNTS_PER_M for position in told[2]),
            tuple(drive.speed / COUNTS_PER_M / PERIOD_S for drive in self.drives),
            ZERO,
            self.axes.state,
            self.axes.homed,
            tuple(0x7500 if drive.statusword & _FAULT else 0 for drive in self.drives),
            fresh,
            command,
            self.inputs,
        )

    def link_tally(self):
        return {}

    def close(self):
        return BankEnd()


class Nobody:
    """In place of ring and black box: nothing of them comes back to the gate."""

    def push(self, kind, payload):
        pass

    def note(self, tick, verdict, record):
        pass

    def event(self, text):
        pass

    def keep(self):
        pass


class World:
    """All that steps, and the state of it as one value.

    Args:
        led: whether a person leads the run, for the gate.
        supervised: whether a supervisor is control; else control asks anything at any time.
    """

    def __init__(self, *, led=False, supervised=True):
        self.bank = ModelBank()
        self.gate = Gate(LIMITS, led=led)
        self.gated = GatedBank(self.gate, self.bank, lambda: NOW_S)
        self.gated.open()
        self.slot = CommandSlot.local()
        self.connected = True
        self.server = GateServer(
            self.gated,
            self.slot,
            Nobody(),
            LIMITS,
            lambda: NOW_S,
            lambda: self.connected,
            hold_alone_s=HOLD_CYCLES * PERIOD_S,
            silence_s=SILENCE_CYCLES * PERIOD_S,
            black_box=Nobody(),
        )
        self.supervisor = Supervisor(10**6) if supervised else None
        self.verdict = None
        self.gate._cycle._index = INDEX
        gate = self.gate
        parts = [
            (self, ("verdict", "connected")),
            (gate, ("_mode", "_released", "_reset_was_low")),
            (gate._feedback, ("_missing", "_outside")),
            (
                gate._plausible,
                ("_last_m", "_elapsed_s", "_silent_s", "_same", "_anchor_m", "_commanded_m"),
            ),
            (gate._estop, ("_differing", "_discrepant")),
            (gate._still, ("_anchor_m", "_since", "_all_cycles", "_reporting_cycles")),
            (gate._quick_stop, ("_limits", "_cycles", "failed")),
            (gate._command, ("target", "movement_m", "_ramp", "_ramp_cycle")),
            (gate._stream, ("_waiting",)),
            (gate._stream._watch, ("_last", "missed")),
            (gate._latch, ("_worst", "faults")),
            (gate._interlock, ("_since_cycles", "_parked")),
            (gate._interlock._causes, ("_worst", "faults")),
            (self.gated, ("_goal", "_feedback", "_estop")),
            (
                self.server,
                ("_silent", "_alone", "_alone_cycles", "_rested", "_mode", "ended", "unheard"),
            ),
            (self.bank.axes, ("_goal", "_given_up", "_steady")),
        ]
        for axis in self.bank.axes._axes:
            names = tuple(name for name in axis.__slots__ if name not in ("_limits", "homing"))
            parts.append((axis, names))
            parts.append((axis.homing, ("phase", "_cleared", "_running", "_cycles")))
        parts += [(drive, tuple(vars(drive))) for drive in self.bank.drives]
        if supervised:
            fixed = ("patience_cycles", "_homing_cycles", "_engage")
            names = tuple(name for name in attributes(self.supervisor) if name not in fixed)
            parts.append((self.supervisor, names))
        self._parts = [(part, *_access(part, names)) for part, names in parts]

    def save(self):
        """What all parts hold now; `restore` comes before the next cycle."""
        return [get(part) for part, get, _, _ in self._parts]

    def restore(self, saved):
        """Go back to a saved state; lists are given out as copies, for they are written to."""
        for (part, _, names, mutable), values in zip(self._parts, saved, strict=True):
            if not hasattr(part, "__dict__"):
                for name, value in zip(names, values, strict=True):
                    setattr(part, name, value.copy() if name in mutable else value)
                continue
            held = part.__dict__
            held.update(zip(names, values, strict=True))
            for name in mutable:
                held[name] = held[name].copy()
        self.gate._cycle._index = INDEX
        self.gate._lag.forget()

    def key(self):
        """What of the state decides about the future; counters as far as they are compared."""
        gate, server, bank, axes = self.gate, self.server, self.bank, self.bank.axes
        still, quick, ramp = gate._still, gate._quick_stop, gate._command._ramp
        target, verdict, feedback = gate._command.target, self.verdict, self.gated._feedback
        quick_stopping = gate._mode in (Mode.QSTOP, Mode.LOCKOUT)
        quick_cycles = min(quick._cycles, 40) if quick_stopping else 0
        ramp_cycle = 0 if ramp is None else min(gate._command._ramp_cycle, 1 + int(ramp.ratio))
        control = ()
        if self.supervisor is not None:
            s = self.supervisor
            flags = (
                s._finished,
                s._played,
                s._gave_up,
                s._trip,
                s._fault,
                s._stop_request,
                s._after,
            )
            control = (*map(bool, flags), min(s._refused, 6), s.done, s._mode)
        return (
            gate._mode, gate._released, gate._reset_was_low,
            tuple(min(missing, 1) for missing in gate._feedback._missing),
            tuple(gate._feedback._outside), gate._plausible._last_m, gate._plausible._commanded_m,
            # How long a leg was silent bounds a leap, and no leg is ever far enough away for one.
            tuple(still._anchor_m), min(still._all_cycles, 2),
            min(still._reporting_cycles, 2), quick_cycles, quick.failed and quick_stopping,
            target, gate._command.movement_m, ramp, ramp_cycle, gate._stream._waiting,
            frozenset(gate._latch._worst.items()),
            bool(gate._interlock.causes),  # which they are is told, and decides nothing
            min(gate._interlock._since_cycles, 1), gate._interlock._parked, self.connected,
            self.gated._goal, feedback, self.gated._estop, min(server._silent, SILENCE_CYCLES),
            server._alone, min(server._rested, HOLD_CYCLES + 2), server.ended, axes._goal,
            axes._steady is None, bool(axes._given_up),
            tuple(_axis(axes._axes[leg]) for leg in _ALIKE),
            tuple(tuple(vars(bank.drives[leg]).values()) for leg in _ALIKE),
            verdict and (verdict.mode, verdict.action, verdict.drives, verdict.allowed,
                         bool(verdict.faults), park_refused(verdict)),
            control,
        )  # fmt: skip

    def cycle(self, choice):
        """One cycle of control and gate; the verdict."""
        bank = self.bank
        bank.finds, bank.fails = choice.finds, choice.event == "fault"
        bank.silent = choice.event == "lost"
        # What the drives told of the inputs in the last cycle is judged in this one.
        if choice.event == "estop":
            self.gated._estop = (False, False)
        elif choice.event == "unread":
            self.gated._estop = None
        if choice.event == "gone":
            self.connected = False
        if choice.control != "frozen" and self.connected:
            self.slot.write(self._order(choice))
        late_s = 1.0 if choice.event == "late" else 0.0
        tick = Tick(INDEX + 1, 0.0, PERIOD_S, late_s)
        watch = self.gate._stream._watch
        watch._last = None if watch._last is None else INDEX
        self.verdict = self.server.cycle(tick)
        return self.verdict

    def _order(self, choice):
        verdict, requests = self.verdict, ()
        if self.supervisor is not None:
            if choice.event == "stop":
                self.supervisor.stop("stopped by the operator")
            self.supervisor._waited = 10**7 if choice.event == "tired" else -1
            requests = self.supervisor.ask(verdict, choice.done)
        elif choice.request is not None:
            requests = (choice.request,)
        asked = None
        if verdict is not None and verdict.mode in FOLLOWING_MODES and verdict.allowed is not None:
            asked = _setpoint(choice.control, verdict.allowed.length_m[0])
        act_s = {"act": NOW_S, "old act": NOW_S - 1e6}.get(choice.event, NEVER_S)
        return Order(INDEX + 1, NOW_S, asked, requests, choice.event == "reset", act_s=act_s)


def attributes(part):
    """Names of the attributes of an object, which a compiled class keeps in a table of its own."""
    return vars(part) if hasattr(part, "__dict__") else type(part).__mypyc_attrs__


def _access(part, names):
    """How a part is read, its names, and those of them that hold what is written to."""
    names = (*names, names[0])  # of a single name `attrgetter` makes no tuple
    mutable = [name for name in names if type(getattr(part, name)) in (list, dict)]
    return attrgetter(*names), names, mutable


def park_refused(verdict):
    return any(found.request is Request.PARK for found in verdict.violations)


def _setpoint(kind, at_m):
    """Stay, swing by a step, creep back by half of one; or what no gate lets pass."""
    if kind == "none":
        return None
    if kind == "bad":
        return Setpoint(INDEX + 1, (1.4,) * 6, ZERO)
    move = 0.0
    if kind == "swing":
        move = {0.0: STEP_M, STEP_M: -STEP_M}.get(at_m - HOME_M, 0.0)
        if at_m - HOME_M not in (0.0, STEP_M):
            move = math.copysign(STEP_M / 2.0, HOME_M - at_m)
    return Setpoint(INDEX + 1, (at_m + move,) * 6, (move / PERIOD_S,) * 6)


def _axis(axis):
    homing = axis.homing
    return (
        axis.duty, axis.homed, axis.homing_failed, axis.state402, axis.statusword,
        axis.mode_display, axis.position, axis.target, min(axis._still_cycles, 2), axis._found,
        min(axis._reset_clock, 4) and axis._reset_clock % 4 + 4, axis._cut,
        min(axis._duty_cycles, RISE_CYCLES + 1) if axis.duty.name == "RISE" else 0,
        homing.phase, homing._cleared, min(homing._running, 3),
    )  # fmt: skip

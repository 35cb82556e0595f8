"""Gate and drives as one thing: the only path to a drive leads through a verdict.

The bank is private here and is written in one place, with what the gate allowed in the same call.
Simulated drives are behind the same object, so a dry run proves the gate as well.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, Protocol

from drives.axes.first_motion import STAGES
from drives.bank import BankEnd, BankFeedback, BankReport, DriveBank, DriveGoal, DriveState, Touch
from hil.timing.clock import Tick
from hil_common.legs import SixInts
from safety.estop import Channels
from safety.first_motion import FirstStage
from safety.gate import Gate, GateInputs
from safety.modes import Mode, Request
from safety.verdict import DriveRequest, Feedback, Setpoint, Verdict

NEVER_S = -math.inf
"""Time of the newest act of a person who has not acted [s]."""
_GOAL = {
    DriveRequest.OFF: DriveGoal.DISABLED,
    DriveRequest.HOME: DriveGoal.HOMED,
    DriveRequest.ENABLE: DriveGoal.ENABLED,
    DriveRequest.QUICK_STOP: DriveGoal.QUICK_STOPPED,
}


ESTOP_LEGS = (1, 2)
"""Drives with the two channels of the emergency stop wired to their interlock inputs, one
channel to each, so that no single drive and no single cable carries both."""
INTERLOCK = 1 << 3
"""Bit of an interlock in the digital inputs, set while closed (CiA 402-2, object 60FDh)."""


class Exchange(NamedTuple):
    """Result of one cycle: the gate's verdict, and the feedback of the drives."""

    verdict: Verdict
    """Verdict of the gate."""
    feedback: BankFeedback
    """Feedback of the drives."""
    tick: Tick
    """Cycle as the gate measured it."""
    earlier: "tuple[Exchange, ...]" = ()
    """Cycles of the gate since the last exchange that control missed."""
    sent_s: float = math.nan
    """Time at which the allowed setpoint was handed to the link, monotonic [s]; NaN if unknown."""


class GatedDrives(Protocol):
    """Six drives behind their gate, in this process or in another one."""

    @property
    def mode(self) -> Mode:
        """Mode of the bench, which the gate keeps."""
        ...

    @property
    def waited_s(self) -> float:
        """Part of the last cycle that was spent waiting for another process [s]."""
        ...

    def open(self) -> BankReport:
        """Power the drives up; they stay disabled.

        Raises:
            DriveError: if a drive is absent or reads back something else than was written.
        """
        ...

    def cycle(
        self,
        tick: Tick,
        asked: Setpoint | None,
        requests: tuple[Request, ...] = (),
        *,
        reset: bool = False,
        act_s: float = NEVER_S,
    ) -> Exchange:
        """Run one cycle: the gate judges the setpoint, the drives get what it allowed.

        Args:
            asked: six leg setpoints, or None if control has none.
            reset: whether the operator presses reset, whose rising edge counts.
            act_s: time of a person's last press for something to begin, monotonic [s].

        Raises:
            DriveError: if the link is gone.
        """
        ...

    def close(self) -> BankEnd:
        """Disable the drives and leave the bus; a second call does nothing.

        Returns:
            How they were left; with an empty tally if that is not known.
        """
        ...


class GatedBank:
    """Six drives behind their gate.

    Args:
        now_s: monotonic time [s], for the age of a person's act and the stamp of what was sent;
            without it no act counts.
    """

    def __init__(
        self, gate: Gate, bank: DriveBank, now_s: Callable[[], float] | None = None
    ) -> None:
        self._gate = gate
        self._bank = bank
        self._now_s = now_s
        self._goal = DriveGoal.DISABLED
        self._feedback: Feedback | None = None
        self._estop: Channels | None = None
        self._end: BankEnd | None = None
        self._idle_cycles = 0
        self.waited_s: float = 0.0
        """Part of the last cycle that was spent waiting for another process [s]: none."""

    @property
    def mode(self) -> Mode:
        """Mode of the bench, which the gate keeps."""
        return self._gate.mode

    @property
    def last_measured(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Lengths [m] and speeds [m/s] as the legs were left, else of the last cycle.

        Empty if the drives did not report all of them.
        """
        if self._end is not None and self._end.left_m:
            return self._end.left_m, (0.0,) * len(self._end.left_m)
        feedback = self._feedback
        if feedback is None or not all(feedback.fresh):
            return (), ()
        return feedback.length_m, feedback.speed_m_s

    def open(self) -> BankReport:
        """Power the drives up and read their first feedback; they stay disabled.

        Raises:
            DriveError: if a drive is absent or reads back something else than was written.
        """
        report = self._bank.configure()
        if report.first_motion:
            self._gate.expect_first_motion(FirstStage(s.travel_m, s.speed_m_s) for s in STAGES)
        self._bank.request(self._goal)
        self.idle()
        return report

    def idle(self) -> None:
        """Run one bus cycle before the first verdict: the bus lives, nothing is commanded.

        Raises:
            DriveError: if the bus is gone.
        """
        self._idle_cycles += 1
        self._take(self._bank.exchange(None))

    def cycle(
        self,
        tick: Tick,
        asked: Setpoint | None,
        requests: tuple[Request, ...] = (),
        *,
        reset: bool = False,
        act_s: float = NEVER_S,
        age_s: float = 0.0,
        absent: str = "",
    ) -> Exchange:
        """Run one cycle: the gate judges the setpoint, the bank gets what it allowed.

        Args:
            asked: six leg setpoints, or None if control has none.
            reset: whether the operator presses reset, whose rising edge counts.
            act_s: time of a person's last press for something to begin, monotonic [s].
            age_s: age of the setpoint [s]; 0 where control runs in this very cycle.
            absent: reason why control does not lead any more; empty while it does.

        Raises:
            DriveError: if the bus is gone.
        """
        now_s = self._now_s
        act_age_s = math.inf if now_s is None or act_s == NEVER_S else now_s() - act_s
        verdict = self._gate.step(
            GateInputs(
                tick.index,
                tick.dt_s,
                tick.late_s,
                asked,
                age_s,
                self._feedback,
                requests,
                reset,
                self._estop,
                act_age_s,
                absent,
            )
        )
        goal = _GOAL[verdict.drives]
        if goal is not self._goal:
            self._bank.request(goal)
            self._goal = goal
        self._feedback = self._estop = None  # should the bus be lost, nothing old is believed
        sent_s = math.nan if now_s is None else now_s()
        feedback = self._bank.exchange(verdict.allowed)
        self._take(feedback)
        return Exchange(verdict, feedback, tick, (), sent_s)

    def _take(self, feedback: BankFeedback) -> None:
        """Keep what the gate judges in the next cycle."""
        states, fresh, enabled = feedback.state, feedback.fresh, _ALL
        if states != _ENABLED:
            on = DriveState.ENABLED
            a, b, c, d, e, f = states
            enabled = (a is on, b is on, c is on, d is on, e is on, f is on)
        if DriveState.UNKNOWN in states:
            # Frames of a drive whose heartbeat is gone prove nothing, and nobody can wait for it.
            g, h, i, j, k, m = (
                new and state is not DriveState.UNKNOWN
                for new, state in zip(fresh, states, strict=True)
            )
            fresh = (g, h, i, j, k, m)
        self._feedback = Feedback(
            feedback.length_m,
            feedback.speed_m_s,
            enabled,
            feedback.homed,
            feedback.fault_code,
            fresh,
            feedback.judged,
            feedback.force_n,
            feedback.warning_code,
            feedback.age_s,
            feedback.high,
            feedback.failed,
        )
        self._estop = None if feedback.inputs is None else estop_channels(feedback.inputs)

    def close(self) -> BankEnd:
        """Disable the drives and leave the bus; a second call does nothing."""
        end = self._bank.close()
        if self._end is None:
            self._end = replace(end, touched=self._since_first(end.touched))
        return self._end

    def _since_first(self, touched: tuple[Touch, ...]) -> tuple[Touch, ...]:
        """Contacts with times from the first verdict on, as all times of a run."""
        early_s = self._idle_cycles * self._gate.limits.period_s
        return tuple(
            (names, start_s - early_s, step_s, forces_n)
            for names, start_s, step_s, forces_n in touched
        )


def estop_channels(inputs: SixInts) -> Channels:
    """Channels of the emergency stop in the drives' digital inputs, True while closed."""
    one, two = ESTOP_LEGS
    return bool(inputs[one - 1] & INTERLOCK), bool(inputs[two - 1] & INTERLOCK)


_ALL = (True, True, True, True, True, True)
_ENABLED = (DriveState.ENABLED,) * 6

"""The sequence of six CiA 402 drives: goals go in, controlwords, modes and targets come out.

Pure and without a bus, so that every bank whose drives speak CiA 402 words obeys the same rules:
all six or none, and nothing is enabled that was not asked for in this very state of affairs.
A cycle is `SixAxes.words` (what to send), the bus, `SixAxes.observe` (what came back).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from drives.axes.axis import RUNAWAY_FACTOR, Axis
from drives.axes.cia402 import OperationMode, State402
from drives.axes.duty import AxisLimits, Duty
from drives.axes.first_motion import SPEED_WRONG, StageCourse
from drives.axes.values import AxesFeedback, AxesWords, SteadyAxes
from drives.bank import DriveGoal, DriveModelError, DriveState, SixStates
from drives.waits import Wait, Waits, in_words, of_leg
from hil_common.legs import LEG_COUNT, SixBools, SixInts

HOMING_FAILED = 0x8612
"""Error code of a leg whose homing failed (CiA 402: reference limit)."""
WORK_MODES = (
    OperationMode.CYCLIC_SYNCHRONOUS_POSITION.value,
    OperationMode.INTERPOLATED_POSITION.value,
)
"""Modes of operation in which a drive can follow commands."""


@dataclass(frozen=True, slots=True)
class SequenceTimes:
    """How long the steps of the sequence may take."""

    still_s: float = 0.1
    """A drive stands still if it stays within the distance for this long [s]."""
    rise_s: float = 8.0
    """Longest time from ready to switch on to operation enabled, for all six [s]: brakes open and
    phases are found; a run waits for 10 s before it says that in vain."""
    homing_s: float = 120.0
    """Longest time of homing [s]."""
    settle_s: float = 0.2
    """Time in which a drive has cleared the outcome of an earlier homing [s]."""
    reset_s: float = 0.1
    """Half the period of the pulses that acknowledge a fault [s]."""


_STAGE_DUE = (Wait(0x6099, "the speed of homing (6099h)", "another one", "that of its stage"),)
_UNITS = "units (60A8h to 60AAh, 608Fh to 6096h)? another motor, or a rod that is blocked?"
_NOT_HOMED = Wait(0, "its reference", "not known", "homing")
_ALL: SixBools = (True, True, True, True, True, True)
_NONE: SixBools = (False, False, False, False, False, False)
_ON = DriveState.ENABLED
_ALL_ENABLED: SixStates = (_ON, _ON, _ON, _ON, _ON, _ON)


class SixAxes:
    """Leads six drives towards a goal.

    The target of a drive is its actual position until it works; from then on it is the command of
    the cycle, or the last one where a cycle has none. So nothing steps when a drive is enabled,
    and no setpoint of the caller is on the wire before all six are.

    Args:
        still_counts: Distance within which a drive stands still [counts], 6.
        work_mode: Mode of operation in which the drives follow: 8, or 7.
        times: How long the steps may take.
        homing_legs: Legs (1 to 6) that homing moves; all if empty. Enabling needs all homed.
        homing_counts_per_s: Speeds of homing, 6; a drive that is `RUNAWAY_FACTOR` times as fast
            in it loses its power at once. 0 is not watched.
        absolute: The encoders are absolute: places are known by `know_place`, never by homing.
        remote_bit: Only drives whose statusword has bit 9, remote, begin something.
        follows_bit: Drives tell in bit 12 of the statusword that they follow.

    Raises:
        DriveModelError: If the mode is another one, or a number makes no sense.
    """

    def __init__(
        self,
        period_s: float,
        still_counts: Sequence[int],
        *,
        work_mode: int = OperationMode.CYCLIC_SYNCHRONOUS_POSITION.value,
        times: SequenceTimes | None = None,
        homing_legs: Sequence[int] = (),
        homing_counts_per_s: Sequence[float] = (0.0,) * LEG_COUNT,
        absolute: bool = False,
        remote_bit: bool = True,
        follows_bit: bool = True,
    ) -> None:
        if work_mode not in WORK_MODES:
            raise DriveModelError(f"work_mode is {work_mode}, a drive follows in {WORK_MODES}")
        if not period_s > 0.0:
            raise DriveModelError(f"period_s is {period_s} s, it must be positive")
        if len(still_counts) != LEG_COUNT or min(still_counts) < 0:
            raise DriveModelError(f"still_counts is {still_counts}, six distances are needed")
        times = SequenceTimes() if times is None else times

        def cycles(span_s: float) -> int:
            return max(2, round(span_s / period_s))

        self._axes = tuple(
            Axis(
                AxisLimits(
                    work_mode=work_mode,
                    still_counts=counts,
                    still_cycles=cycles(times.still_s),
                    rise_cycles=cycles(times.rise_s),
                    homing_cycles=cycles(times.homing_s),
                    settle_cycles=cycles(times.settle_s),
                    reset_cycles=cycles(times.reset_s),
                    homing_step_counts=math.ceil(RUNAWAY_FACTOR * speed * period_s),
                    remote_bit=remote_bit,
                    follows_bit=follows_bit,
                )
            )
            for counts, speed in zip(still_counts, homing_counts_per_s, strict=True)
        )
        numbers = homing_legs or range(1, LEG_COUNT + 1)
        self._homing = tuple(self._axes[leg - 1] for leg in numbers)
        self._period_s = period_s
        self._stages: tuple[tuple[StageCourse, ...], ...] = ()
        self._stage = 0
        self._stage_written = 0
        self._absolute = absolute
        self._goal: DriveGoal | None = None
        self._given_up = ""
        self._in_vain: Waits = ()
        self._steady: SteadyAxes | None = None

    @property
    def steady(self) -> bool:
        """Whether all six drives work and follow, and told nothing else in the last cycle."""
        return self._steady is not None

    @property
    def goal(self) -> DriveGoal | None:
        """The goal that is still being pursued; None once it is reached or given up."""
        return self._goal

    @property
    def state(self) -> SixStates:
        """What each drive says it is."""
        if self._steady is not None:
            return _ALL_ENABLED
        a, b, c, d, e, f = self._axes
        return (a.state, b.state, c.state, d.state, e.state, f.state)

    @property
    def homed(self) -> SixBools:
        """Whether each drive has found its reference since this object exists."""
        a, b, c, d, e, f = self._axes
        return (a.homed, b.homed, c.homed, d.homed, e.homed, f.homed)

    @property
    def homing_failed(self) -> SixBools:
        """Whether the last homing of each drive failed; forgotten when disabling is asked for."""
        a, b, c, d, e, f = self._axes
        return (
            a.homing_failed,
            b.homing_failed,
            c.homing_failed,
            d.homing_failed,
            e.homing_failed,
            f.homing_failed,
        )

    @property
    def homing_codes(self) -> SixInts:
        """Error code of each drive whose last homing failed, as the bench judges it; else 0."""
        a, b, c, d, e, f = (
            (SPEED_WRONG if axis.ran_wrong else HOMING_FAILED) if axis.homing_failed else 0
            for axis in self._axes
        )
        return (a, b, c, d, e, f)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why homing failed, leg by leg, where the speed of a drive was wrong."""
        legs = enumerate(self._axes, start=1)
        return tuple(f"leg {leg} {axis.ran_wrong}" for leg, axis in legs if axis.ran_wrong)

    @property
    def stage_due(self) -> int | None:
        """Stage of the first motion whose speed the drives must be told before homing goes on.

        Index in `drives.axes.first_motion.STAGES`, or their number for the speed of homing itself;
        None if nothing has to be told.
        """
        begins = self._goal is DriveGoal.HOMED and all(axis.ready for axis in self._axes)
        return self._stage if begins and self._stage != self._stage_written else None

    def expect_first_motion(self, courses: Sequence[Sequence[StageCourse]]) -> None:
        """Let homing begin with the stages of a first motion.

        Args:
            courses: Each stage in order, as each of the six drives is told it.
        """
        self._stages = tuple(tuple(stage) for stage in courses)
        self._stage, self._stage_written = 0, -1

    def note_stage_written(self, stage: int) -> None:
        """Take note that all drives hold the speed of a stage, see `stage_due`."""
        self._stage_written = stage

    @property
    def waiting(self) -> str:
        """What the goal waits for, leg by leg, or why it was given up; empty if nothing is due."""
        return self._given_up or in_words(self.waits)

    @property
    def waits(self) -> Waits:
        """What the goal waits for, or waited for when it was given up; empty if nothing is due."""
        if self._goal is None or self._goal is DriveGoal.QUICK_STOPPED:
            return self._in_vain
        if self.stage_due is not None:
            return _STAGE_DUE
        found: list[Wait] = []
        for leg, axis in enumerate(self._axes, start=1):
            wait = axis.wait
            if wait is None and self._goal is DriveGoal.ENABLED and not axis.homed:
                wait = _NOT_HOMED
            found.extend(of_leg(leg, wait))
        return tuple(found)

    def request(self, goal: DriveGoal) -> None:
        """Ask for a goal: stopping and disabling begin with the next words, others when all can.

        Args:
            goal: What the drives shall become.
        """
        self._steady = None
        reached = goal is DriveGoal.ENABLED and all(
            axis.duty is Duty.WORK and axis.follows for axis in self._axes
        )
        self._goal = None if reached else goal
        self._given_up, self._in_vain = "", ()
        if goal is DriveGoal.DISABLED:
            for axis in self._axes:
                axis.homing_failed = False
                axis.give(Duty.REST)
        elif goal is DriveGoal.QUICK_STOPPED:
            for axis in self._axes:
                if axis.duty is not Duty.REST:
                    axis.give(Duty.STOP)
        elif goal is DriveGoal.HOMED:
            self._rest(Duty.RISE)

    def words(self, targets: Sequence[int] | None) -> AxesWords:
        """Return what goes to the drives in this cycle.

        Args:
            targets: Commanded positions [counts], 6; None to keep the last ones.
        """
        if self._steady is not None:
            return self._steady_words(self._steady, targets)
        rise_to = self._rise_to()
        acknowledge = self._goal is DriveGoal.DISABLED
        words: list[tuple[int, int]] = []
        commanded = [False] * LEG_COUNT
        for leg, axis in enumerate(self._axes):
            words.append(axis.words(rise_to, acknowledge=acknowledge))
            if targets is not None and axis.duty is Duty.WORK:
                axis.target = targets[leg]
                commanded[leg] = True
        a, b, c, d, e, f = words
        p, q, r, s, t, u = self._axes
        h, i, j, k, m, n = commanded
        return AxesWords(
            (a[0], b[0], c[0], d[0], e[0], f[0]),
            (a[1], b[1], c[1], d[1], e[1], f[1]),
            (p.target, q.target, r.target, s.target, t.target, u.target),
            (h, i, j, k, m, n),
        )

    def observe(self, seen: AxesFeedback) -> None:
        """Take in what came back, and go on towards the goal.

        Args:
            seen: What the six drives told in this cycle.
        """
        if self._steady is not None and self._steady.is_met_by(seen):
            for axis, position in zip(self._axes, seen.position, strict=True):
                axis.observe_position(position)
            return
        rows = zip(
            self._axes,
            seen.statusword,
            seen.mode_display,
            seen.position,
            seen.fresh,
            seen.alive,
            strict=True,
        )
        for axis, statusword, mode_display, position, fresh, alive in rows:
            axis.observe(statusword, mode_display, position, fresh=fresh, alive=alive)
        self._watch_homing()
        if self._goal is DriveGoal.HOMED:
            self._progress_homing()
        elif self._goal is DriveGoal.ENABLED:
            self._progress_enabling()
        self._steady = self._steady_state()

    def know_place(self) -> None:
        """Take note that the places of all drives are known without a homing."""
        for axis in self._axes:
            axis.know_place()

    def forget_reference(self, leg: int) -> None:
        """Take note that a drive has restarted: it is not homed and not enabled any more.

        Args:
            leg: Index of the leg, from 0.
        """
        self._steady = None
        self._axes[leg].forget_reference()
        if self._stages:
            self._stage, self._stage_written = 0, -1

    def _steady_state(self) -> SteadyAxes | None:
        """Return what the next cycles are compared with, if all six work and follow."""
        axes = self._axes
        if self._goal is not None or axes[0].duty is not Duty.WORK:
            return None
        if not all(axis.duty is Duty.WORK and axis.alive and axis.follows for axis in axes):
            return None
        a, b, c, d, e, f = (
            axis.words(State402.OPERATION_ENABLED, acknowledge=False) for axis in axes
        )
        return SteadyAxes(
            [axis.statusword for axis in axes],
            [axis.mode_display for axis in axes],
            (a[0], b[0], c[0], d[0], e[0], f[0]),
            (a[1], b[1], c[1], d[1], e[1], f[1]),
        )

    def _steady_words(self, steady: SteadyAxes, targets: Sequence[int] | None) -> AxesWords:
        """Return what goes to six drives that work: what the long way finds for them, too."""
        p, q, r, s, t, u = self._axes
        if targets is None:
            kept = (p.target, q.target, r.target, s.target, t.target, u.target)
            return AxesWords(steady.controlword, steady.mode, kept, _NONE)
        a, b, c, d, e, f = targets
        p.target, q.target, r.target, s.target, t.target, u.target = a, b, c, d, e, f
        return AxesWords(steady.controlword, steady.mode, (a, b, c, d, e, f), _ALL)

    def _rise_to(self) -> State402:
        """Return how far the drives that are being enabled may go: one step, all together."""
        on = (State402.SWITCHED_ON, State402.OPERATION_ENABLED)
        together = all(axis.state402 in on for axis in self._axes if axis.duty is Duty.RISE)
        return State402.OPERATION_ENABLED if together else State402.SWITCHED_ON

    def _watch_homing(self) -> None:
        """Stop the homing of all six when one fails: half a platform must not move on."""
        if any(axis.homing_failed for axis in self._axes):
            self._rest(Duty.HOME)
            if self._goal is DriveGoal.HOMED:
                self._give_up("homing failed at", [axis.homing_failed for axis in self._axes])
                self._note_failures()

    def _note_failures(self) -> None:
        """Say of the drives whose speed was wrong what they did."""
        if failures := self.failures:
            self._given_up = "; ".join((self._given_up, *failures))
            self._in_vain = tuple(
                Wait(0x6099, "its speed in homing", axis.ran_wrong, "what it was told", _UNITS, leg)
                for leg, axis in enumerate(self._axes, start=1)
                if axis.ran_wrong
            )

    def _progress_homing(self) -> None:
        if any(axis.duty is Duty.HOME for axis in self._axes):
            return
        missing = [leg for leg, axis in enumerate(self._axes)
                   if axis in self._homing and not axis.homed]  # fmt: skip
        if not missing:
            self._goal = None
        elif self._absolute:
            self._give_up("no place is known of", [not axis.homed for axis in self._axes])
        elif all(axis.ready for axis in self._axes):
            if all(self._axes[leg].stage_passed for leg in missing):
                for leg in missing:
                    self._axes[leg].stage_passed = False
                self._stage += 1
            if self._stage != self._stage_written:
                return  # the bank tells the drives
            for leg in missing:
                slow = self._stage < len(self._stages)
                self._axes[leg].home(self._stages[self._stage][leg] if slow else None)

    def _progress_enabling(self) -> None:
        rising = [axis.duty is Duty.RISE for axis in self._axes]
        if not any(rising):
            if all(axis.ready and axis.homed for axis in self._axes):
                for axis in self._axes:
                    axis.give(Duty.RISE)
        elif not all(rising):
            self._give_up("enabling failed at", [not up for up in rising])
            self._rest(Duty.RISE)
        elif any(axis.late for axis in self._axes):
            self._give_up("enabling took too long at", [not a.follows for a in self._axes])
            self._rest(Duty.RISE)
        elif all(axis.follows for axis in self._axes):
            for axis in self._axes:
                axis.give(Duty.WORK)
            self._goal = None

    def _rest(self, duty: Duty) -> None:
        for axis in self._axes:
            if axis.duty is duty:
                axis.give(Duty.REST)

    def _give_up(self, what: str, is_cause: Sequence[bool]) -> None:
        legs = [str(leg) for leg, cause in enumerate(is_cause, start=1) if cause]
        self._given_up = f"{what} leg {', '.join(legs)}"
        waits = {wait.leg: wait for wait in self.waits}
        self._in_vain = tuple(
            waits.get(leg, Wait(0, "the goal of all six", self._given_up, "a new request", leg=leg))
            for leg, cause in enumerate(is_cause, start=1)
            if cause
        )
        self._goal = None

"""The arms' gate: judges one waypoint of both arms at a time, and stays shut after a refusal.

A waypoint passes for both arms or for neither: they do one motion, and half of it is another one.
Nothing is clipped. Rates and accelerations are the gate's own, differences of what it let through
before, never what somebody says they are. A start is at rest, and must be agreed upon before
anything passes.

The speed of the gripper is the straight way between two waypoints, over the period; a path that
bows out between them is somewhat faster. Declaring a smooth stop loosens nothing: a stop whose
waypoint breaks a limit, acceleration included, is refused like any other, and the arm then ends at
the last point that passed.
"""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple, Self

from safety.arm_limits import (
    ArmAction,
    ArmCheck,
    ArmLimits,
    ArmSample,
    ArmVerdict,
    ArmViolation,
    Values,
)
from safety.arm_rules import (
    cut_corner,
    differences,
    malformed,
    out_of_place,
    too_fast_gripper,
    too_fast_joints,
)
from safety.limits import LimitsError


class _Moves(NamedTuple):
    """Moves of one arm in one period."""

    joints_rad: Values
    gripper_m: Values

    @classmethod
    def between(cls, before: ArmSample, now: ArmSample) -> Self:
        """Moves from one waypoint to the next."""
        return cls(
            differences(now.q_rad, before.q_rad),
            differences(now.gripper_position_m, before.gripper_position_m),
        )

    @classmethod
    def at_rest(cls, limits: ArmLimits) -> Self:
        """Return the moves of an arm that stands."""
        return cls((0.0,) * len(limits.joint_names), (0.0,) * 3)


class ArmGate:
    """Lets waypoints through, or refuses one and then all that follow, until a reset.

    Args:
        limits: the limits of each arm; a waypoint has one sample for each, in this order.
        start: where each arm is at rest now; with None nothing passes until `reset`. A start
            outside the limits is not agreed to: the gate is then shut, and says why.

    Raises:
        LimitsError: no arm, two arms of one name, or a period that is not finite and positive.
    """

    def __init__(
        self,
        limits: Sequence[ArmLimits],
        period_s: float,
        start: Sequence[ArmSample] | None = None,
    ) -> None:
        if not limits:
            raise LimitsError("arm gate: no arm is given; need the limits of at least one")
        names = [arm.name for arm in limits]
        if len(set(names)) != len(names):
            raise LimitsError(
                f"arm gate: two of the arms {names} have one name; need them to differ"
            )
        if isinstance(period_s, bool) or not (math.isfinite(period_s) and period_s > 0.0):
            raise LimitsError(f"arm gate: period_s = {period_s} s; need a finite time above 0 s")
        self._limits = tuple(limits)
        self._period_s = float(period_s)
        self._last: tuple[ArmSample, ...] | None = None
        self._moves: tuple[_Moves, ...] = ()
        self._next_index: int | None = None
        self._stopping = False
        self._latched: tuple[ArmViolation, ...] = (_no_start("no start has been agreed upon"),)
        if start is not None:
            self.reset(start)

    @property
    def latched(self) -> tuple[ArmViolation, ...]:
        """Reasons why nothing passes; empty while the gate is open."""
        return self._latched

    @property
    def limits(self) -> tuple[ArmLimits, ...]:
        """Limits of each arm, in the order of the samples."""
        return self._limits

    @property
    def stopping(self) -> bool:
        """Whether a smooth stop has been declared; the limits are the same while it lasts."""
        return self._stopping

    def trial(self) -> Self:
        """Return a gate at the same waypoint, whose verdicts bind nobody."""
        return copy(self)

    def declare_stop(self) -> None:
        """Note that the waypoints from now on are a smooth stop; violations then say so."""
        self._stopping = True

    def reset(self, start: Sequence[ArmSample]) -> tuple[ArmViolation, ...]:
        """Agree upon a new start at rest, and open; an operator's act, never a programme's own.

        Args:
            start: where each arm is at rest now.

        Returns:
            Why the start is refused and the gate stays shut; empty if it is open now.
        """
        self._last = None
        self._stopping = False
        self._next_index = None
        try:
            found = self._judge_still(start)
            agreed = tuple(start)
        except Exception as error:
            found, agreed = [_broken(error)], ()
        self._latched = tuple(found)
        if not found:
            self._last = agreed
            self._moves = tuple(map(_Moves.at_rest, self._limits))
        return self._latched

    def judge(self, index: int, samples: Sequence[ArmSample]) -> ArmVerdict:
        """Judge one waypoint. Never raises: what breaks inside shuts the gate and is reported.

        Args:
            index: number of the waypoint; each is one more than the last that passed.
            samples: what is asked of each arm, in the order of the limits.
        """
        try:
            last = self._last
            if self._latched or last is None:
                return ArmVerdict(index, ArmAction.REFUSED, (self._still_shut(),), None)
            found = self._judge_index(index)
            found += self._judge_still(samples)
            if not found:
                found = self._judge_moving(last, samples)
            if not found:
                return self._pass(index, last, tuple(samples))
        except Exception as error:
            found = [_broken(error)]
        self._latched = tuple(found)
        return ArmVerdict(index, ArmAction.REFUSED, self._latched, None)

    def _pass(
        self, index: int, last: tuple[ArmSample, ...], samples: tuple[ArmSample, ...]
    ) -> ArmVerdict:
        self._moves = tuple(map(_Moves.between, last, samples))
        self._last = samples
        self._next_index = index + 1
        return ArmVerdict(index, ArmAction.PASSED, (), samples)

    def _still_shut(self) -> ArmViolation:
        note = f"nothing passes until a reset, because of: {self._latched[0]}"
        return ArmViolation(ArmCheck.LATCHED, "", "", 0.0, 0.0, "", note=note)

    def _judge_index(self, index: int) -> list[ArmViolation]:
        """A waypoint left out or sent twice would make every difference a wrong one."""
        if type(index) is not int:
            raise TypeError(f"index: {index!r} is not an int")
        if self._next_index is None or index == self._next_index:
            return []
        wanted = float(self._next_index)
        return [ArmViolation(ArmCheck.SEQUENCE, "", "", float(index), wanted, "")]

    def _judge_still(self, samples: Sequence[ArmSample]) -> list[ArmViolation]:
        """Judge what needs no earlier waypoint: counts, numbers, positions and margins."""
        if len(samples) != len(self._limits):
            note = "one sample per arm"
            given, wanted = float(len(samples)), float(len(self._limits))
            return [ArmViolation(ArmCheck.COUNT, "", "", given, wanted, "", note=note)]
        found: list[ArmViolation] = []
        for limits, sample in zip(self._limits, samples, strict=True):
            found += malformed(limits, sample) or out_of_place(limits, sample)
        return found

    def _judge_moving(
        self, last: tuple[ArmSample, ...], samples: Sequence[ArmSample]
    ) -> list[ArmViolation]:
        found: list[ArmViolation] = []
        dt = self._period_s
        for limits, before, now, moved in zip(
            self._limits, last, samples, self._moves, strict=True
        ):
            moves = _Moves.between(before, now)
            found += too_fast_joints(limits, moves.joints_rad, moved.joints_rad, dt)
            found += too_fast_gripper(limits, before, now, dt)
            found += cut_corner(limits, moved.gripper_m, moves.gripper_m, dt)
        return [self._with_note(violation) for violation in found]

    def _with_note(self, violation: ArmViolation) -> ArmViolation:
        """Say that a smooth stop had been declared; it is refused all the same."""
        if not self._stopping:
            return violation
        words = "during a declared smooth stop; it is refused all the same"
        note = f"{violation.note}; {words}" if violation.note else words
        return replace(violation, note=note)


def _no_start(note: str) -> ArmViolation:
    return ArmViolation(ArmCheck.START, "", "", 0.0, 0.0, "", note=note)


def _broken(error: Exception) -> ArmViolation:
    note = f"{type(error).__name__}: {error}"
    return ArmViolation(ArmCheck.INTERNAL, "", "", 0.0, 0.0, "", note=note)

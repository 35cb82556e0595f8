"""Ticks of grasps whose errors count: a grasp lasts until the hand has let go of the wheel.

A grasp begins when all fingers press. A finger that presses less for a while does not end it:
only a hand that does not touch the wheel at all for `LET_GO_S` has let go, and only after that a
grasp begins with a settling time of its own. Ticks in which a finger presses less count as soon
as all press again, or after `LOOSE_S`; those of letting go do not count.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hil.stations.task.valve.grasp import PRESSED_N, GraspErrors

LET_GO_S: Final = 0.1
"""Time without any contact of hand and wheel after which the hand has let go [s]."""
LOOSE_S: Final = 0.5
"""Time for which a finger may press less on the way to letting go [s]."""
NOTHING: Final = ()


class JudgedTick(NamedTuple):
    """Tick of a grasp whose errors count."""

    t_s: float
    """Time of the tick [s]."""
    force_n: float
    """Error of the force [N]."""
    moment_nm: float
    """Error of the moment [N m]."""
    turn_rad: float
    """Turn of the hand relative to the wheel about its axis [rad]."""


class GraspWatch:
    """Grasps of a run.

    Args:
        errors: takes the errors that count.
    """

    def __init__(self, errors: GraspErrors) -> None:
        self.errors: GraspErrors = errors
        """Errors of the grasps."""
        self.settled: bool = False
        """Whether the errors of this step count, or will if the hand does not let go."""
        self._touched_s = self._pressed_s = 0.0
        self._waiting: list[JudgedTick] = []

    def update(
        self, t_s: float, pressed_n: float, turn_rad: float, *, touches: bool,
        errors_now: tuple[float, float],
    ) -> tuple[JudgedTick, ...]:  # fmt: skip
        """Take the state of a step; returns the ticks that count from now on, in order.

        Args:
            pressed_n: force of the finger that presses least [N].
            turn_rad: turn of the hand relative to the wheel about its axis [rad].
            touches: whether any part of the hand touches the wheel.
            errors_now: errors of force [N] and moment [N m] of this step.
        """
        self.settled = False
        if touches:
            self._touched_s = t_s
        pressed = pressed_n >= PRESSED_N
        if pressed:
            self._pressed_s = t_s
        elif not self.errors.held:
            return NOTHING
        elif t_s - self._touched_s >= LET_GO_S:
            self._waiting.clear()
            self.errors.end()
            return NOTHING
        if not self.errors.hold(t_s, turn_rad):
            return NOTHING
        self.settled = True
        self._waiting.append(JudgedTick(t_s, *errors_now, turn_rad))
        if not pressed and t_s - self._pressed_s < LOOSE_S:
            return NOTHING
        counted = tuple(self._waiting)
        self._waiting.clear()
        for one in counted:
            self.errors.add(one.force_n, one.moment_nm, one.turn_rad)
        return counted

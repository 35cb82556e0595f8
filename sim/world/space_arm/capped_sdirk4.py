"""SDIRK4 within a bound on the work of a tick; SDIRK2 passes what is left of a tick beyond it.

A tick that is computed while a robot waits for its next waypoint must not take long, and the same
commands have to give the same motion on every machine. So the bound is no time but a number of
tries of a step, taken or repeated, and the time only its reason: a try takes `OPERATIONS_OF_A_TRY`
at most, as counted by `operation_count` on the shipped arms, and `OPERATIONS_PER_S` is what a
processor at work on other things as well still does. A tick begins with the whole number, so that
what comes of it depends on its state and its commands alone.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.integrators import Accuracy, Sdirk2, Sdirk4, Span, SpanStatus, together
from sim.world.space_arm.kernels.dynamics import ArmArrays

Array = NDArray[np.float64]

TICK_WORK_S = 0.030
"""Longest time that the fine part of a tick may take [s]; a robot waits for 0.35 s."""
OPERATIONS_OF_A_TRY = 15_000
"""Operations of one try of a step, at most."""
OPERATIONS_PER_S = 1.2e9
"""Operations that a processor does in a second, at least [1/s]."""
TRIES_MAX = round(TICK_WORK_S * OPERATIONS_PER_S / OPERATIONS_OF_A_TRY)
"""Number of tries of a step that a tick may take by SDIRK4."""


class CappedSdirk4:
    """Integrator that is fine as long as the work of a tick allows.

    A span that SDIRK4 does not finish within what is left of the tick's bound is passed again, from
    its beginning, by SDIRK2 with the usual accuracy, and so are the spans after it until the next
    tick; so is one for which SDIRK4 finds no solution.

    Args:
        lever_m: distance at which an error of each joint's angle counts [m].
        tries_max: number of tries of a step that a tick may take by SDIRK4.
        fine: accuracy of SDIRK4; None for `Accuracy.fine`.
        usual: accuracy of SDIRK2; None for the usual one.
    """

    def __init__(
        self,
        lever_m: Array,
        tries_max: int = TRIES_MAX,
        *,
        fine: Accuracy | None = None,
        usual: Accuracy | None = None,
    ) -> None:
        self._fine = Sdirk4(lever_m, replace(fine or Accuracy.fine(), steps_max=tries_max))
        self._usual = Sdirk2(lever_m, usual)
        self._tries_max = tries_max
        self._left = tries_max

    def begin_tick(self) -> None:
        """Let the next tick have all its work."""
        self._left = self._tries_max

    def pass_time(
        self,
        arm: ArmArrays,
        drive: Array,
        state: Array,
        command_rad_s: Array,
        dry_nm: Array,
        span_s: float,
    ) -> Span:
        """Advance as in `Integrator`; the report says whether the usual method did it."""
        motion = (command_rad_s, dry_nm, span_s)
        if self._left <= 0:
            return replace(self._usual.pass_time(arm, drive, state, *motion), usual=1)
        begun = state.copy()
        self._fine.allow(self._left)
        fine = self._fine.pass_time(arm, drive, state, *motion)
        self._left -= fine.steps + fine.rejected
        if fine.status is SpanStatus.DONE:
            return fine
        state[:] = begun
        usual = self._usual.pass_time(arm, drive, state, *motion)
        return replace(together((replace(fine, status=SpanStatus.DONE), usual)), usual=1)

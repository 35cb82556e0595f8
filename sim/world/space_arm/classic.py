"""The integrators of 1993 and their peer: implicit Euler without iterations, and RK4."""

import math

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.integrators import Span, Status
from sim.world.space_arm.kernels import rk4, rk4_modes, sdirk2
from sim.world.space_arm.kernels.dynamics import ArmArrays, make_scratch

Array = NDArray[np.float64]


def _steps(span_s: float, step_s: float) -> int:
    """Number of equal steps, none longer than ``step_s``, that fill a span."""
    return max(1, math.ceil(span_s / step_s * (1.0 - 1e-12)))


def _positive(name: str, value: float) -> float:
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name} = {value!r} s: a finite time above 0 s is needed")
    return value


class Rk4:
    """The classical Runge-Kutta method of fourth order in fixed steps, see `kernels.rk4`.

    Args:
        step_s: longest step [s]; a span is divided evenly.
        coriolis: False leaves out the velocity's part of the dynamics, as in 1993.

    Raises:
        ValueError: if the step is not finite and above 0.
    """

    def __init__(self, step_s: float, *, coriolis: bool = True) -> None:
        self.step_s = _positive("step_s", step_s)
        self.coriolis = coriolis
        self._work = np.zeros((rk4_modes.ROWS, 6))
        self._scratch = make_scratch()
        self._count = np.zeros(sdirk2.COUNTERS, dtype=np.int64)

    def pass_time(
        self,
        arm: ArmArrays,
        drive: Array,
        state: Array,
        command_rad_s: Array,
        dry_nm: Array,
        span_s: float,
    ) -> Span:
        """See `Integrator`."""
        count = self._count
        count[:] = 0
        status = rk4.advance(
            arm, drive, self.coriolis, state, command_rad_s, dry_nm, span_s,
            _steps(span_s, self.step_s), self._work, self._scratch, count,
        )  # fmt: skip
        return Span(Status(status), int(count[sdirk2.STEPS]), hits=int(count[sdirk2.HITS]))

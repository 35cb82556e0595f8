"""Integrators of the arm: one interface, and the implicit method with control.

An integrator changes a state in place and reports the outcome; it never raises for what the numbers
do. The state is an array of six rows and a column a joint, see `kernels.sdirk2`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.drive import HOLD, RIGID_GAP
from sim.world.space_arm.kernels import sdirk2, sdirk4
from sim.world.space_arm.kernels.dynamics import ArmArrays
from sim.world.space_arm.kernels.stage import RATE_TOLERANCE

Array = NDArray[np.float64]
Motion = tuple[Array, Array, Array, float]
"""State, commanded rates [rad/s], dry friction [N m], and the span [s]."""

SHARP_RAD_S = 1e-14
"""Rate tolerance of steps that are so many, or so short, that `RATE_TOLERANCE` would add up."""


class SpanStatus(Enum):
    """Outcome of a span of time."""

    DONE = sdirk2.DONE
    """Outcome as accurate as was asked for."""
    COARSE = sdirk2.COARSE
    """Outcome with the cap on work reached: the rest of the span was passed in large steps."""
    FAILED = sdirk2.FAILED
    """Outcome without a solution; the state is that of the last good step."""


@dataclass(frozen=True, slots=True)
class Span:
    """Report on a span of time."""

    status: SpanStatus
    """Outcome of the span."""
    steps: int
    """Number of steps taken."""
    rejected: int = 0
    """Number of steps repeated with a shorter length."""
    iterations: int = 0
    """Number of iterations of Newton's method."""
    hits: int = 0
    """Number of blows in rigid gaps."""
    usual: int = 0
    """Number of parts that `CappedSdirk4` left to the usual method."""


def together(spans: Sequence[Span]) -> Span:
    """Sum up a span that was passed in parts: the worst status, the sum of the work."""
    order = list(SpanStatus)
    worst = max((span.status for span in spans), key=order.index)
    counts = zip(
        *((s.steps, s.rejected, s.iterations, s.hits, s.usual) for s in spans), strict=True
    )
    return Span(worst, *map(sum, counts))


class Integrator(Protocol):
    """Interface that leads a state through a span of time."""

    def pass_time(
        self,
        arm: ArmArrays,
        drive: Array,
        state: Array,
        command_rad_s: Array,
        dry_nm: Array,
        span_s: float,
    ) -> Span:
        """Advance ``state`` (6, n) by ``span_s``; commands are held."""
        ...


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of SDIRK2, and its most work.

    Raises:
        ValueError: if a value is out of bounds.
    """

    tolerance_m: float = 2e-6
    """Error of one step, brought to the gripper [m]."""
    rate_time_s: float = 0.3
    """Time for which an error of a rate counts as one of the angle [s]."""
    step_min_s: float = 2e-5
    """Shortest step, which is taken whatever its error [s]."""
    step_max_s: float = 0.02
    """Longest step [s]."""
    refresh_s: float = 0.002
    """Age at which mass matrix and Coriolis torques are recomputed; 0 = every step [s]. A whole
    tick makes it the simplification of 1993."""
    steps_max: int = 20_000
    """Most steps of a span, taken or repeated; then it is finished with the longest step."""
    coriolis: bool = True
    """False leaves out the velocity's part of the dynamics, as in 1993."""
    rate_tolerance_rad_s: float = RATE_TOLERANCE
    """Error that a stage may leave of a rate; what a guess leaves has one sign, so that the
    errors of many short steps add up."""

    def __post_init__(self) -> None:
        if not self.tolerance_m > 0.0:
            raise ValueError(f"tolerance_m = {self.tolerance_m!r} m: above 0 is needed")
        if not 0.0 < self.step_min_s <= self.step_max_s < np.inf:
            raise ValueError(
                f"steps of {self.step_min_s!r} to {self.step_max_s!r} s: 0 < least <= longest"
            )
        if not (self.refresh_s >= 0.0 and self.rate_time_s >= 0.0 and self.steps_max >= 1):
            raise ValueError("refresh_s and rate_time_s are 0 or more, steps_max 1 or more")

    @classmethod
    def fine(cls) -> "Accuracy":
        """Make the accuracy of `Sdirk4`, for light links that bounce: see docs/space_arm.md."""
        return cls(
            tolerance_m=1e-11, step_min_s=1e-7, steps_max=10**6, rate_tolerance_rad_s=SHARP_RAD_S
        )

    def control(self, lever_m: Array) -> sdirk2.StepControl:
        """Convert for the kernels, with the lever of each joint [m], shape (n,)."""
        return sdirk2.StepControl(
            self.tolerance_m, self.rate_time_s, np.array(lever_m, dtype=np.float64),
            self.step_min_s, self.step_max_s, self.refresh_s, self.steps_max, self.coriolis,
            self.rate_tolerance_rad_s,
        )  # fmt: skip

    @classmethod
    def fixed(cls, step_s: float, **changes: float | bool) -> "Accuracy":
        """Make steps of one length, without control of the error."""
        accuracy = cls(
            tolerance_m=np.inf, step_min_s=step_s, step_max_s=step_s, refresh_s=0.0,
            steps_max=10**9, rate_tolerance_rad_s=SHARP_RAD_S,
        )  # fmt: skip
        return replace(accuracy, **changes)  # pyright: ignore[reportArgumentType]


class KernelIntegrator(ABC):
    """Integrator by a compiled kernel, which counts its work.

    Args:
        make_work: maker of the arrays that the kernel writes into, for an arm of so many joints.
    """

    def __init__(self, make_work: Callable[[int], Any]) -> None:
        self._make_work = make_work
        self._joints = 0
        self._work: Any = None
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
        """Advance as in `Integrator`."""
        if self._joints != state.shape[1]:
            self._joints = state.shape[1]
            self._work = self._make_work(self._joints)
        self._count[:] = 0
        status = self._advance(arm, drive, (state, command_rad_s, dry_nm, span_s))
        steps, rejected, iterations, _, hits = self._count.tolist()
        return Span(SpanStatus(status), steps, rejected, iterations, hits)

    @abstractmethod
    def _advance(self, arm: ArmArrays, drive: Array, motion: Motion) -> int:
        """Call the kernel.

        Args:
            motion: state, rates that are asked for [rad/s], dry friction [N m] and span [s].

        Returns:
            The value of a `SpanStatus`.
        """


class Sdirk2(KernelIntegrator):
    """The implicit method of second order with convex stages, see `kernels.sdirk2`.

    Args:
        lever_m: distance at which an error of each joint's angle counts [m], shape (n,).
    """

    def __init__(self, lever_m: Array, accuracy: Accuracy | None = None) -> None:
        super().__init__(sdirk2.make_span_work)
        self.accuracy: Accuracy = accuracy or Accuracy()
        self._control = self.accuracy.control(lever_m)

    def _advance(self, arm: ArmArrays, drive: Array, motion: Motion) -> int:
        return sdirk2.advance(arm, drive, self._control, *motion, self._work, self._count)


class Sdirk4(KernelIntegrator):
    """The implicit method of fourth order, see `kernels.sdirk4`: for tolerances far below usual.

    Args:
        lever_m: distance at which an error of each joint's angle counts [m], shape (n,).
        accuracy: how accurate; None = `Accuracy.fine`.
    """

    def __init__(self, lever_m: Array, accuracy: Accuracy | None = None) -> None:
        super().__init__(sdirk4.make_span_work)
        self._control = (accuracy or Accuracy.fine()).control(lever_m)

    def allow(self, tries: int) -> None:
        """Set the most steps, taken or repeated, of the spans that follow."""
        self._control = self._control._replace(steps_max=tries)

    def _advance(self, arm: ArmArrays, drive: Array, motion: Motion) -> int:
        """Advance a span; raises `ValueError` if the gears have rigid gaps."""
        if drive[HOLD, 0] == RIGID_GAP:
            raise ValueError("gears with rigid gaps (model c): only SDIRK2 finds their blows")
        return sdirk4.advance(arm, drive, self._control, *motion, self._work, self._count)

"""Joints led by a target or a speed, within bounds of speed, position and stopping distance.

A step at a time, without a plan. Every joint keeps its own bounds of speed and acceleration, and
its speed towards a limit leaves the distance of a stop in which all joints come to rest together,
however fast the others are: with the longest stop T and the acceleration a it is at most
``2 d / T`` at the distance d, and ``sqrt(2 a d - a² T² / 4)`` further away, the curve that joins it
smoothly and slows down by a. Speeds are differences of positions over the step, as in a gate.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

REST_SPEED: Final = 1e-5
"""Speed below which a joint near its target rests [rad/s] or [m/s]."""
ROOM: Final = 1e-9
"""Distance kept from limits, for rounding [rad] or [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class JointBounds:
    """Bounds of led joints, shape (n,) each."""

    least: Array
    """Smallest coordinate [rad] or [m]; -inf for none."""
    greatest: Array
    """Largest coordinate [rad] or [m]; inf for none."""
    speed: Array
    """Greatest speed [rad/s] or [m/s]."""
    acceleration: Array
    """Greatest acceleration [rad/s2] or [m/s2]."""
    stop_s: float
    """Longest time in which all of them can stop together."""

    def __post_init__(self) -> None:
        for name in ("speed", "acceleration"):
            values = getattr(self, name)
            if not (np.isfinite(values) & (values > 0.0)).all():
                raise ValueError(f"{name} = {values.tolist()}: finite numbers above 0 are needed")
        if not self.stop_s > 0.0:
            raise ValueError(f"stop_s = {self.stop_s} s: a time above 0 s is needed")


class BoundedJoints:
    """State of led joints, advanced a step at a time.

    Args:
        positions: where they rest at the beginning, shape (n,).
        period_s: of a step.
    """

    def __init__(self, bounds: JointBounds, positions: Array, period_s: float) -> None:
        self.bounds: JointBounds = bounds
        """Bounds of the joints."""
        self.period_s: float = period_s
        """Time of a step."""
        self.positions: Array = np.array(positions, dtype=np.float64)
        """Positions [rad] or [m], shape (n,)."""
        self.speeds: Array = np.zeros(len(self.positions))
        """Speeds [rad/s] or [m/s], shape (n,)."""
        self.accelerations: Array = np.zeros(len(self.positions))
        """Accelerations of the last step [rad/s2] or [m/s2], shape (n,)."""

    @property
    def at_rest(self) -> bool:
        """Whether the joints are at rest."""
        return not self.speeds.any()

    def range(self) -> tuple[Array, Array]:
        """Compute the least and greatest permitted speeds of the next step, shape (n,) each."""
        bounds, change = self.bounds, self.bounds.acceleration * self.period_s
        up = speed_within(bounds.greatest - self.positions - ROOM, bounds, self.period_s)
        down = speed_within(self.positions - bounds.least - ROOM, bounds, self.period_s)
        most = np.minimum(np.minimum(self.speeds + change, bounds.speed), up)
        least = np.maximum(np.maximum(self.speeds - change, -bounds.speed), -down)
        return least, np.maximum(most, least)

    def at_speeds(self, wanted: Array) -> None:
        """Step at wanted speeds, or as near to them as the bounds allow, each joint alone."""
        least, most = self.range()
        self.go(np.minimum(np.maximum(wanted, least), most))

    def towards(self, targets: Array, smoothing_s: float) -> None:
        """Step towards targets, which are clipped to the limits first.

        Args:
            targets: [rad] or [m], shape (n,).
            smoothing_s: how long a joint takes for the last of its path; half of it is how far it
                is behind a target that moves.
        """
        within = np.minimum(np.maximum(targets, self.bounds.least), self.bounds.greatest)
        left = within - self.positions
        speed = approach_speed(
            np.abs(left), self.bounds.acceleration, max(smoothing_s, 2.0 * self.period_s),
            self.period_s,
        )  # fmt: skip
        wanted = np.copysign(speed, left)
        slow = (np.abs(wanted) < REST_SPEED) & (np.abs(self.speeds) < REST_SPEED)
        self.at_speeds(np.where(slow, 0.0, wanted))

    def go(self, speeds: Array) -> None:
        """Step at speeds that keep the bounds, shape (n,)."""
        self.accelerations = (speeds - self.speeds) / self.period_s
        self.positions = self.positions + speeds * self.period_s
        self.speeds = speeds

    def slow_down(self) -> None:
        """Step in a stop in which all joints come to rest together, along their path."""
        left_s = float(np.max(np.abs(self.speeds) / self.bounds.acceleration, initial=0.0))
        share = max(0.0, 1.0 - self.period_s / left_s) if left_s > 0.0 else 0.0
        self.go(share * self.speeds)


def speed_within(distances: Array, bounds: JointBounds, period_s: float) -> Array:
    """Compute the greatest speeds towards distances that allow a common stop."""
    return approach_speed(distances, bounds.acceleration, bounds.stop_s, period_s)


def approach_speed(distances: Array, acceleration: Array, stop_s: float, period_s: float) -> Array:
    """Compute speeds of the next step from which a stop ends within the distances, shape (n,).

    Steps on this curve slow down by the acceleration at most, as its slope falls with the distance
    and a step ends on it.
    """
    distances = np.maximum(distances, 0.0)
    change = acceleration * period_s
    near = 2.0 * distances / (stop_s + 2.0 * period_s)
    square = change**2 + 2.0 * acceleration * distances - 0.25 * (acceleration * stop_s) ** 2
    far = np.sqrt(np.maximum(square, 0.0)) - change
    edge = 0.25 * acceleration * stop_s * (stop_s + 2.0 * period_s)
    return np.where(distances <= edge, near, far)

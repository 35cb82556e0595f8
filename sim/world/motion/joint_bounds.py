"""Joints that somebody leads, within bounds: never faster, never further, always room to stop.

A step at a time, without a plan. Every joint keeps its own bounds of speed and acceleration, and
its speed towards a limit leaves room for a stop in which all joints come to rest together, however
fast the others are: with the longest stop T and the acceleration a it is at most ``2 d / T`` at the
distance d, and ``sqrt(2 a d - a² T² / 4)`` further away, the curve that joins it smoothly and slows
down by a. Speeds are differences of positions over the step, as a gate takes them.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

REST_SPEED: Final = 1e-5
"""Slower than this a joint that nears its target rests [rad/s] or [m/s]."""
ROOM: Final = 1e-9
"""Kept from limits, for rounding [rad] or [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class JointBounds:
    """What joints may do while they are led, shape (n,) each."""

    least: Array
    """Smallest coordinate [rad] or [m]; -inf for none."""
    greatest: Array
    """Largest; inf for none."""
    speed: Array
    """Greatest, per s."""
    acceleration: Array
    """Greatest, per s2."""
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
    """Where joints are that are led, and how they go on.

    Args:
        positions: where they rest at the beginning, shape (n,).
        period_s: of a step.
    """

    def __init__(self, bounds: JointBounds, positions: Array, period_s: float) -> None:
        self.bounds: JointBounds = bounds
        """What they keep."""
        self.period_s: float = period_s
        """Time of a step."""
        self.positions: Array = np.array(positions, dtype=np.float64)
        """[rad] or [m], shape (n,)."""
        self.speeds: Array = np.zeros(len(self.positions))
        """[rad/s] or [m/s], shape (n,)."""
        self.accelerations: Array = np.zeros(len(self.positions))
        """Of the last step [rad/s2] or [m/s2], shape (n,)."""

    @property
    def at_rest(self) -> bool:
        """Whether they stand."""
        return not self.speeds.any()

    def range(self) -> tuple[Array, Array]:
        """Least and greatest speed that the bounds allow in the next step, shape (n,) each."""
        bounds, change = self.bounds, self.bounds.acceleration * self.period_s
        up = speed_within(bounds.greatest - self.positions - ROOM, bounds, self.period_s)
        down = speed_within(self.positions - bounds.least - ROOM, bounds, self.period_s)
        most = np.minimum(np.minimum(self.speeds + change, bounds.speed), up)
        least = np.maximum(np.maximum(self.speeds - change, -bounds.speed), -down)
        return least, np.maximum(most, least)

    def at_speeds(self, wanted: Array) -> None:
        """A step at wanted speeds, or as near to them as the bounds allow, each joint alone."""
        least, most = self.range()
        self.go(np.minimum(np.maximum(wanted, least), most))

    def towards(self, targets: Array, smoothing_s: float) -> None:
        """A step towards targets, which are taken into the limits first.

        Args:
            targets: [rad] or [m], shape (n,).
            smoothing_s: how long a joint takes for the last of its way; half of it is how far it is
                behind a target that moves.
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
        """A step at speeds that keep the bounds, shape (n,)."""
        self.accelerations = (speeds - self.speeds) / self.period_s
        self.positions = self.positions + speeds * self.period_s
        self.speeds = speeds

    def slow_down(self) -> None:
        """A step of a stop in which all joints come to rest together, along their way."""
        left_s = float(np.max(np.abs(self.speeds) / self.bounds.acceleration, initial=0.0))
        share = max(0.0, 1.0 - self.period_s / left_s) if left_s > 0.0 else 0.0
        self.go(share * self.speeds)


def speed_within(distances: Array, bounds: JointBounds, period_s: float) -> Array:
    """Greatest speeds towards something at these distances that leave room to stop together."""
    return approach_speed(distances, bounds.acceleration, bounds.stop_s, period_s)


def approach_speed(distances: Array, acceleration: Array, stop_s: float, period_s: float) -> Array:
    """Speeds of the next step from which a stop still ends within the distances, shape (n,).

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

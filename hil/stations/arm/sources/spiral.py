"""A circle or a spiral at constant speed, in closed form, from rest to rest.

The radius grows evenly with the angle, r = r0 + b φ (Archimedes' spiral; b = 0 is a circle), so the
length from its beginning is s(φ) = [r √(r² + b²) + b² asinh(r / |b|)] / 2b, less the same at φ = 0.
The speed rises and falls by 3u² - 2u³ over an edge. What it says is the mean velocity over the
period to come, which brings the gripper back to the curve at its end.
"""

import math
from typing import Final, Literal

import numpy as np

from hil.desk.velocity.source import Array, Frame, SourceError, Twist, rest
from hil.stations.arm.sources.source import PlannedSource, SourceLimits

Plane = Literal["xy", "yz", "zx"]
_AXES: Final[dict[Plane, tuple[int, int]]] = {"xy": (0, 1), "yz": (1, 2), "zx": (2, 0)}
_STEEPEST: Final = 1.5
"""Greatest slope of the edge, per edge length."""
_NEWTON_STEPS: Final = 12


class SpiralSource(PlannedSource):
    """A circle or spiral, once through.

    Args:
        radius_m: at the beginning and at the end [m]; equal for a circle.
        turns: how often round; below 0 in the other direction.
        speed_m_s: along the curve, between the edges [m/s].
        plane: in which it lies; it begins on the first of the two axes, seen from its centre.
        period_s: for which what it says is held [s].

    Raises:
        SourceError: speed or acceleration above the limits, or a curve too short for its edges.
    """

    def __init__(
        self,
        radius_m: tuple[float, float],
        turns: float,
        speed_m_s: float,
        plane: Plane,
        limits: SourceLimits,
        frame: Frame,
        period_s: float,
    ) -> None:
        if min(radius_m) <= 0.0 or turns == 0.0:
            raise SourceError(f"spiral: radii {radius_m} m and {turns:g} turns: need radii above 0 "
                              "and turns other than 0")  # fmt: skip
        self._radius_m, self._turns = radius_m, turns
        self._b_m = (radius_m[1] - radius_m[0]) / (2.0 * math.pi * abs(turns))
        self._axes, self._period_s = _AXES[plane], period_s
        self._frame: Frame = frame
        self._speed_m_s = speed_m_s
        limits.check("spiral", np.array([speed_m_s, 0.0, 0.0]), np.zeros(3))
        most = limits.linear_acceleration_m_s2
        inward = speed_m_s**2 * self._curvature_max_1_m()
        if inward >= most:
            raise SourceError(
                f"spiral: acceleration {inward:.6g} m/s² towards its centre, at most {most:g} "
                "m/s²: make it slower or wider"
            )
        self._edge_s = _STEEPEST * speed_m_s / math.sqrt(most**2 - inward**2)
        self._length_m = self._arc_length(2.0 * math.pi * abs(turns))
        super().__init__(self._length_m / speed_m_s + self._edge_s)
        if self.duration_s < 2.0 * self._edge_s:
            raise SourceError(
                f"spiral: {self._length_m:.6g} m are less than the {speed_m_s * self._edge_s:.6g} "
                "m of its two edges: make it longer or slower"
            )

    def _velocity(self, t_s: float) -> Twist:
        """Return the mean velocity over the period from a time on [s]."""
        if t_s < 0.0:
            return rest(self._frame)
        step_m = self.place_m(t_s + self._period_s) - self.place_m(t_s)
        return Twist(step_m / self._period_s, np.zeros(3), self._frame)

    def place_m(self, t_s: float) -> Array:
        """Return the place on the curve at a time, from its beginning [m], shape (3,)."""
        angle = self._angle(self._gone_m(t_s))
        radius = self._radius_m[0] + self._b_m * angle
        place = np.zeros(3)
        place[self._axes[0]] = radius * math.cos(angle) - self._radius_m[0]
        place[self._axes[1]] = math.copysign(1.0, self._turns) * radius * math.sin(angle)
        return place

    def _gone_m(self, t_s: float) -> float:
        edge_s, v = self._edge_s, self._speed_m_s
        if t_s >= self.duration_s:
            return self._length_m
        if t_s > self.duration_s - edge_s:
            return self._length_m - self._gone_m(self.duration_s - t_s)
        if t_s >= edge_s:
            return v * (t_s - 0.5 * edge_s)
        u = t_s / edge_s
        return v * edge_s * u**3 * (1.0 - 0.5 * u)

    def _angle(self, arc_m: float) -> float:
        """Return the angle at which the curve has come so far [rad], by Newton's method."""
        angle = arc_m / math.hypot(0.5 * sum(self._radius_m), self._b_m)
        for _ in range(_NEWTON_STEPS):
            slope = math.hypot(self._radius_m[0] + self._b_m * angle, self._b_m)
            angle -= (self._arc_length(angle) - arc_m) / slope
        return angle

    def _arc_length(self, angle: float) -> float:
        first, b = self._radius_m[0], self._b_m
        if b == 0.0:
            return first * angle

        def primitive(r: float) -> float:
            return 0.5 * (r * math.hypot(r, b) / b + b * math.asinh(r / abs(b)))

        return primitive(first + b * angle) - primitive(first)

    def _curvature_max_1_m(self) -> float:
        """Return the greatest curvature, at the smallest radius [1/m]."""
        r, b = min(self._radius_m), self._b_m
        return (r * r + 2.0 * b * b) / (r * r + b * b) ** 1.5

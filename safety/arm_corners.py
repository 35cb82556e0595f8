"""Deviation of a blending controller from the lines of its path at a corner, and its limit.

A controller in continuous-path mode does not stop at a waypoint: around it the velocity goes from
the one segment's to the next one's, evenly over a time T. That is a parabola between the two lines
(linear segments with parabolic blends; Craig, "Introduction to Robotics", section 7.3). With the
speeds v1 and v2 and the turn a between them it passes the corner at no more than

    r = T v1 v2 / (sqrt(v1) + sqrt(v2))^2 sin(a / 2)

which is where both parts of the parabola are equally long; for equal speeds it is |v2 - v1| T / 8,
and on a straight line it is nothing, however much the speed changes. Its distance from the lines is
r cos(a / 2). A path that turns back by more than a right angle may keep to its lines and yet fall
short of its waypoint. There |v2 - v1| T / 8 counts, which is where the parabola is at the time of
the waypoint, and at most the way that the slower segment makes within the longest blend.

T is the controller's: the longest time while it takes itself to keep within its own tolerance, a
shorter one at sharper corners, down to the shortest. The servos add a lag that rounds as well.
"""

import math
from dataclasses import dataclass, fields

from safety.limits import LimitsError

Vector = tuple[float, ...]

_HALVINGS = 40


@dataclass(frozen=True, slots=True)
class CornerLimit:
    """Measured blend of a controller, and how far its path may be from the lines.

    Raises:
        LimitsError: a value is not finite or not positive, or the shortest is above the longest.
    """

    shortest_s: float
    """Duration of the blend at the sharpest corner [s]."""
    longest_s: float
    """Duration of the blend at the gentlest corner [s]."""
    tolerance_m: float
    """The controller shortens a blend to keep this distance from the lines [m]."""
    servo_s: float
    """Duration of a blend that rounds as much as the lag of the servos does [s]."""
    deviation_max_m: float
    """Greatest permitted distance of the path from the lines [m]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value > 0.0):
                unit = field.name.rpartition("_")[2]
                raise LimitsError(
                    f"corners: {field.name} = {value} {unit}; need a finite number above 0"
                )
        if self.shortest_s > self.longest_s:
            raise LimitsError(
                f"corners: shortest_s = {self.shortest_s} s is above longest_s = "
                f"{self.longest_s} s; need at most that"
            )

    def deviation_m(self, before_m_s: Vector, after_m_s: Vector) -> float:
        """Greatest distance of the path from its lines at a corner [m].

        Args:
            before_m_s: velocity of the gripper up to the waypoint [m/s], three.
            after_m_s: velocity from there on [m/s], three.
        """
        v1, v2 = math.hypot(*before_m_s), math.hypot(*after_m_s)
        if v1 == 0.0 or v2 == 0.0:
            return 0.0
        time_s = math.hypot(self._blend_s(before_m_s, after_m_s), self.servo_s)
        turn = turn_rad(before_m_s, after_m_s)
        if turn > 0.5 * math.pi:
            short_m = math.dist(before_m_s, after_m_s) * time_s / 8.0
            return min(short_m, min(v1, v2) * self.longest_s)
        # sin(a / 2) cos(a / 2) = sin(a) / 2
        return 0.5 * math.sin(turn) * time_s * v1 * v2 / (math.sqrt(v1) + math.sqrt(v2)) ** 2

    def fitting_share(self, before_m_s: Vector, after_m_s: Vector) -> float:
        """Greatest share of both speeds, 0 to 1, at which the corner keeps the limit."""
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            share = 0.5 * (low + high)
            slower = [tuple(share * v for v in each) for each in (before_m_s, after_m_s)]
            fits = self.deviation_m(*slower) <= self.deviation_max_m
            low, high = (share, high) if fits else (low, share)
        return low

    def _blend_s(self, before_m_s: Vector, after_m_s: Vector) -> float:
        """Duration of the blend that the controller chooses [s].

        It goes by its own estimate: T |v1 x v2| / (8 max(|v1|, |v2|)), or T |v2 - v1| / 8 where the
        path turns back.
        """
        (x1, y1, z1), (x2, y2, z2) = before_m_s, after_m_s
        if x1 * x2 + y1 * y2 + z1 * z2 < 0.0:
            off_m_s = math.dist(before_m_s, after_m_s) / 8.0
        else:
            across = math.hypot(y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2)
            off_m_s = across / (8.0 * max(math.hypot(*before_m_s), math.hypot(*after_m_s)))
        if off_m_s * self.longest_s <= self.tolerance_m:
            return self.longest_s
        return max(self.shortest_s, self.tolerance_m / off_m_s)


def turn_rad(before: Vector, after: Vector) -> float:
    """Angle between two vectors, neither of them 0 [rad], 0 to pi."""
    # The sum and difference of unit vectors keep all digits at small angles and near pi.
    a, b = (tuple(v / math.hypot(*each) for v in each) for each in (before, after))
    return 2.0 * math.atan2(
        math.dist(a, b), math.hypot(*(p + q for p, q in zip(a, b, strict=True)))
    )

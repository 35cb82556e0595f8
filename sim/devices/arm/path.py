"""Continuous path of the emulated arm: straight segments of equal time, joined by parabolas.

Between two waypoints position and orientation (slerp) change at a constant rate. Around the time
of a waypoint, from h before to h after, the rate changes linearly from the one segment's to the
next one's (linear segments with parabolic blends; Craig, "Introduction to Robotics", section 7.3).
The same blend starts the motion from rest, and ends it at rest exactly at the last waypoint, since
rest is a segment of no length: the path never passes its last waypoint.

A blend leaves the two lines by at most h |v1| |v2| sin(turn) / (sqrt|v1| + sqrt|v2|)^2, and at the
waypoint's time is h |v2 - v1| / 4 from it, which counts where the arm turns back. The controller
reckons with h |v1| |v2| sin(turn) / (4 max(|v1|, |v2|)) instead, which is the same at equal speeds
and less at unequal ones, down to a quarter. By that estimate it shortens h for sharper turns so as
to keep its tolerance, as long as its period carries so quick a change. Turns still sharper, and
those between unequal speeds, are rounded more; the largest true distance is kept.

Not modelled: moves of different duration, joint-interpolated moves, slowing down for sharp turns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.devices.arm.rotation import compose, rotation_vector

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BlendSettings:
    """Blending of segments.

    Raises:
        ValueError: If a value makes no sense.
    """

    longest_s: float = 0.1
    """Largest half duration h of a blend [s]."""
    shortest_s: float = 0.014
    """Smallest half duration h of a blend [s]."""
    tolerance_m: float = 0.25e-3
    """Largest distance of a blend from the lines, by the controller's own estimate [m]."""

    def __post_init__(self) -> None:
        if not 0.0 < self.shortest_s <= self.longest_s <= 0.15:
            raise ValueError(
                f"blends of {self.shortest_s} to {self.longest_s} s: 0 < shortest <= longest "
                "<= 0.15 s is needed"
            )
        if not (math.isfinite(self.tolerance_m) and self.tolerance_m > 0.0):
            raise ValueError(f"tolerance_m = {self.tolerance_m}: a distance above 0 m is needed")


@dataclass(frozen=True, slots=True)
class Corner:
    """Waypoint with the rates before and after it."""

    at_s: float
    """Begin of the segment after it [s]."""
    half_s: float
    """Half the duration of the blend around that time [s]."""
    pose: Array
    """Rotation beside position [m], shape (3, 4)."""
    before: Array
    """Velocity [m/s] and turning rate in axes of the gripper [rad/s], shape (6,)."""
    after: Array
    """Rates of the next segment, likewise; zeros: the arm ends here."""

    def __post_init__(self) -> None:
        for name in ("pose", "before", "after"):
            value = np.array(getattr(self, name), dtype=np.float64)
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def at(self, time_s: float) -> Array:
        """Return the pose at a time on the segments beside it [s], shape (3, 4)."""
        u, h = time_s - self.at_s, self.half_s
        if u <= -h:
            past, ahead = u, 0.0
        elif u >= h:
            past, ahead = 0.0, u
        else:
            past, ahead = -((h - u) ** 2) / (4.0 * h), (h + u) ** 2 / (4.0 * h)
        return compose(self.pose, past * self.before + ahead * self.after)


class ContinuousPath:
    """Path from the arm's pose over the waypoints that are known.

    Args:
        settings: How segments are joined.
        pose: Pose of the resting arm: rotation beside position [m], shape (3, 4).
    """

    def __init__(self, settings: BlendSettings, pose: Array) -> None:
        self._settings = settings
        self._corners: list[Corner] = []
        self._place = np.array(pose, dtype=np.float64)
        self.worst_blend_m = 0.0
        """Largest distance of a blend from its lines so far [m]."""

    @property
    def last(self) -> Array:
        """Last waypoint, or the pose of the resting arm: rotation beside position, shape (3, 4)."""
        return self._corners[-1].pose.copy() if self._corners else self._place.copy()

    @property
    def rest_s(self) -> float:
        """Time at which the arm ends at rest if nothing more comes [s]; -inf if it rests."""
        return self._corners[-1].at_s + self._corners[-1].half_s if self._corners else -math.inf

    def reset(self, pose: Array) -> None:
        """Rest at a pose (rotation beside position [m], shape (3, 4)); forget the path."""
        self._corners.clear()
        self._place = np.array(pose, dtype=np.float64)

    def append(self, pose: Array, begin_s: float, end_s: float) -> None:
        """Extend the path by a straight line from the last waypoint.

        Args:
            pose: The new waypoint: rotation beside position [m], shape (3, 4).
            begin_s: When the last waypoint is left, blends apart [s].
            end_s: When the new one is reached [s].
        """
        rates = segment_rates(self.last, pose, end_s - begin_s)
        longest_s = self._settings.longest_s
        if self._corners:
            old = self._corners.pop()
            before, place = old.before, old.pose
        else:
            before, place = np.zeros(6), self._place
        half_s = self.half_duration(before, rates)
        self.worst_blend_m: float = max(self.worst_blend_m, blend_distance_m(before, rates, half_s))
        self._corners = [
            *self._corners[-2:],  # the arm may still be in these blends, never in an older one
            Corner(begin_s, half_s, place, before, rates),
            Corner(end_s, longest_s, pose, rates, np.zeros(6)),
        ]

    def half_duration(self, before: Array, after: Array) -> float:
        """Return half the duration of the blend between two rates [s].

        Args:
            before: Rates of the segment before, shape (6,).
            after: Rates of the segment after it, shape (6,).
        """
        per_s = estimated_distance_m(before, after, 1.0)
        s = self._settings
        if per_s * s.longest_s <= s.tolerance_m:
            return s.longest_s
        return max(s.shortest_s, s.tolerance_m / per_s)

    def at(self, time_s: float) -> Array:
        """Return the pose that is due at a time [s]: rotation beside position [m], shape (3, 4)."""
        if not self._corners:
            return self._place.copy()
        for corner, following in zip(self._corners, self._corners[1:], strict=False):
            if time_s < following.at_s - following.half_s:
                return corner.at(time_s)
        return self._corners[-1].at(time_s)


def segment_rates(start: Array, end: Array, duration_s: float) -> Array:
    """Return velocity [m/s] and turning rate in axes of the gripper [rad/s], shape (6,).

    Args:
        start: Pose at the beginning, shape (3, 4).
        end: Pose at the end, shape (3, 4).
        duration_s: Time between them [s].
    """
    turn = rotation_vector(start[:, :3].T @ end[:, :3])
    return np.concatenate([end[:, 3] - start[:, 3], turn]) / duration_s


def blend_distance_m(before: Array, after: Array, half_s: float) -> float:
    """Return a blend's distance from the lines, or from a waypoint where the arm turns back [m].

    The parabola is furthest from both lines where it is equally far from them.

    Args:
        before: Rates of the segment before, shape (6,).
        after: Rates of the segment after it, shape (6,).
        half_s: Half the duration of the blend [s].
    """
    slower, faster = sorted((math.hypot(*before[:3]), math.hypot(*after[:3])))
    if faster == 0.0:
        return 0.0
    share = 4.0 * faster / (math.sqrt(slower) + math.sqrt(faster)) ** 2
    back = float(before[:3] @ after[:3]) < 0.0
    return estimated_distance_m(before, after, half_s) * (1.0 if back else share)


def estimated_distance_m(before: Array, after: Array, half_s: float) -> float:
    """Return the controller's estimate of that distance, by which it chooses the duration [m].

    Args:
        before: Rates of the segment before, shape (6,).
        after: Rates of the segment after it, shape (6,).
        half_s: Half the duration of the blend [s].
    """
    v1, v2 = before[:3], after[:3]
    fastest = max(math.hypot(*v1), math.hypot(*v2))
    if fastest == 0.0:
        return 0.0
    (x1, y1, z1), (x2, y2, z2) = v1, v2
    if x1 * x2 + y1 * y2 + z1 * z2 < 0.0:
        return half_s * math.hypot(x2 - x1, y2 - y1, z2 - z1) / 4.0
    across = math.hypot(y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2)
    return half_s * across / (4.0 * fastest)

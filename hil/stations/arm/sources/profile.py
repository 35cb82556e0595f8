"""A programme of velocities: segments, each from rest to rest with smooth edges.

Within a segment of duration D the velocity is v·s(t): s rises from 0 to 1 over an edge of E
seconds, stays, and falls over the last E, which keeps the distance at v·(D - E). With u = t / E,
"trapezoid" is s = u, whose acceleration v / E jumps; "smoothstep" s = 3u² - 2u³, with at most 1.5·v
/ E in the middle. E is as short as the permitted acceleration of the six numbers lets it be; in its
own axes a turning gripper sees its velocity change direction in addition.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from hil.desk.velocity.source import Array, Frame, SourceError, Twist, rest, three
from hil.stations.arm.sources.source import PlannedSource, SourceLimits

Edge = Literal["trapezoid", "smoothstep"]
_STEEPEST: dict[Edge, float] = {"trapezoid": 1.0, "smoothstep": 1.5}
"""Greatest slope of each edge, per edge length."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """One piece of a programme, from rest to rest.

    Raises:
        SourceError: a duration that is not finite and positive, or not three finite numbers.
    """

    duration_s: float
    """Duration, edges included [s]."""
    velocity_m_s: Array
    """Velocity between the edges, in axes of `frame` [m/s], shape (3,)."""
    rate_rad_s: Array
    """Turn rate between the edges, in axes of `frame` [rad/s], shape (3,)."""
    frame: Frame = "gripper"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.duration_s) and self.duration_s > 0.0):
            raise SourceError(f"duration_s = {self.duration_s} s: need a finite time above 0 s")
        twist = Twist(
            three("velocity_m_s", self.velocity_m_s),
            three("rate_rad_s", self.rate_rad_s),
            self.frame,
        )
        object.__setattr__(self, "velocity_m_s", twist.linear_m_s)
        object.__setattr__(self, "rate_rad_s", twist.angular_rad_s)

    def edge_s(self, limits: SourceLimits, edge: Edge) -> float:
        """Return the shortest edge that keeps both accelerations [s]; 0 for a segment at rest."""
        return _STEEPEST[edge] * max(
            math.hypot(*self.velocity_m_s.tolist()) / limits.linear_acceleration_m_s2,
            math.hypot(*self.rate_rad_s.tolist()) / limits.angular_acceleration_rad_s2,
        )


class ProfileSource(PlannedSource):
    """Segments of velocity, one after the other.

    Args:
        limits: the most they may ask for; a programme above them is refused, not slowed down.

    Raises:
        SourceError: no segment, one above the limits, or one too short for its two edges.
    """

    def __init__(
        self, segments: Sequence[Segment], limits: SourceLimits, edge: Edge = "smoothstep"
    ) -> None:
        if not segments:
            raise SourceError("profile: there are no segments; need at least one")
        if edge not in _STEEPEST:
            raise SourceError(f"profile: edge {edge!r} is unknown: need trapezoid or smoothstep")
        for number, segment in enumerate(segments):
            place = f"profile, segment {number}"
            limits.check(place, segment.velocity_m_s, segment.rate_rad_s)
            least_s = 2.0 * segment.edge_s(limits, edge)
            if segment.duration_s < least_s:
                raise SourceError(
                    f"{place}: duration_s = {segment.duration_s:g} s, less than the "
                    f"{least_s:.6g} s that its two edges take: make it longer or slower"
                )
        self._segments = tuple(segments)
        self._edges_s = tuple(segment.edge_s(limits, edge) for segment in segments)
        self._edge: Edge = edge
        self._ends_s = tuple(accumulate(segment.duration_s for segment in segments))
        super().__init__(self._ends_s[-1])

    def _velocity(self, t_s: float) -> Twist:
        number = bisect.bisect_right(self._ends_s, t_s)
        segment = self._segments[number]
        begun_s = self._ends_s[number - 1] if number else 0.0
        scale = self._scale(number, t_s - begun_s)
        if scale == 0.0:
            return rest(segment.frame)
        return Twist(scale * segment.velocity_m_s, scale * segment.rate_rad_s, segment.frame)

    def _scale(self, number: int, into_s: float) -> float:
        """Return the edge's s at a time into a segment [s], 0 to 1."""
        left_s = self._segments[number].duration_s - into_s
        nearest_s, edge_s = min(into_s, left_s), self._edges_s[number]
        if nearest_s <= 0.0:
            return 0.0
        if nearest_s >= edge_s:
            return 1.0
        u = nearest_s / edge_s
        return u if self._edge == "trapezoid" else u * u * (3.0 - 2.0 * u)

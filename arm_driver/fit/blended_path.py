"""The continuous path that an arm makes of waypoints: chords, joined by parabolas, and servos.

Waypoint k is due at k T. Between two of them the set-point goes straight at an even speed. Around
the time of a waypoint, over 2h, its velocity goes evenly from the one chord's to the next one's
(linear segments with parabolic blends; Craig, "Introduction to Robotics", section 7.3). h is the
controller's choice: the longest while it takes itself to keep its tolerance, shorter at sharper
corners. Interpolation and servos round it again (`servo_response`) and lag by a constant time at
an even speed, which is left out here. Where the velocity changes by dv all of it leaves the
chords, at u from the waypoint, by

    dv (r(u + lag) - max(u, 0))

with r the way of an arm whose set-point takes up a speed of 1. That dies away within a period.
Before the first and after the last waypoint the robot rests, h being the longest.

Of the path between two waypoints that makes a sum of four waypoints, linear in each while h stays.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arm_driver.fit.servo_response import ramp_response

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

NODES = 4
"""Waypoints that the path at a moment depends on."""
LAG_MAX_S = 0.1
"""Servos that lag by more are not yet at rest a period after a blend [s]."""
_LEAST_S = 1e-4
"""Shorter blends and steps count as so long: at 100 mm/s that is 2 µm."""
_SETTLED_LAGS = 10.0
"""Lags after a blend until servos have come to what they follow, to a millionth."""


class PathWeights(NamedTuple):
    """The path at M moments as sums of waypoints."""

    first: Indices
    """Number of the first of four waypoints, shape (M,); -1 is one before the start."""
    share: Array
    """Share of each of the four waypoints, shape (M, 4); 0 for one that does not exist."""

    def of(self, nodes_m: Array) -> Array:
        """The path [m], shape (M, 3), over waypoints [m], shape (N, 3)."""
        known = np.vstack([nodes_m[:1], nodes_m, nodes_m[-1:]])
        return np.einsum("mj,mjk->mk", self.share, known[self.first[:, None] + 1 + np.arange(4)])


@dataclass(frozen=True, slots=True)
class BlendModel:
    """Blend by which a controller joins two segments of its path, as measured at it."""

    period_s: float
    """Time from waypoint to waypoint [s]."""
    shortest_s: float
    """Duration of the blend at the sharpest corner [s]."""
    longest_s: float
    """Duration of the blend at the gentlest corner [s]."""
    tolerance_m: float
    """It shortens a blend to keep this distance from the chords [m]."""
    step_s: float
    """Time between two poses of the controller's interpolation [s]."""
    lag_s: float
    """Lag of the servos behind their set-point at constant speed [s]."""

    def half_s(self, nodes_m: Array) -> Array:
        """Half the duration of the blend at each waypoint [s], shape (N,).

        Args:
            nodes_m: waypoints, the start among them [m], shape (N, 3), N at least 2.
        """
        rest = np.zeros((1, 3))
        velocity = np.vstack([rest, np.diff(nodes_m, axis=0) / self.period_s, rest])
        before, after = velocity[:-1], velocity[1:]
        speed = np.maximum(np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1))
        across = np.linalg.norm(np.cross(before, after), axis=1) / np.maximum(speed, 1e-12)
        change = np.linalg.norm(after - before, axis=1)
        turns_back = np.sum(before * after, axis=1) < 0.0
        off_m_s = np.where(turns_back, change, across) / 8.0
        blend_s = self.tolerance_m / np.maximum(off_m_s, 1e-12)
        return 0.5 * np.clip(blend_s, self.shortest_s, self.longest_s)

    def weights(self, half_s: Array, t_s: Array) -> PathWeights:
        """The path at moments from the start to the last waypoint.

        Args:
            half_s: half durations at the waypoints [s], shape (N,).
            t_s: moments since the start [s], shape (M,).
        """
        count, period = len(half_s), self.period_s
        chord = np.clip((t_s / period).astype(np.intp), 0, count - 2)
        along = t_s / period - chord
        share = np.zeros((len(t_s), NODES))
        share[:, 1], share[:, 2] = 1.0 - along, along
        for end in (0, 1):
            corner = chord + end
            off = self._off_s(t_s - corner * period, half_s[corner]) / period
            comes, leaves = off * (corner > 0), off * (corner < count - 1)
            share[:, end] += comes
            share[:, end + 1] -= comes + leaves
            share[:, end + 2] += leaves
        return PathWeights(chord - 1, share)

    def path_m(self, nodes_m: Array, t_s: Array) -> Array:
        """The path at moments [s], shape (M,), from the start on [m], shape (M, 3)."""
        return self.weights(self.half_s(nodes_m), t_s).of(nodes_m)

    def _off_s(self, u_s: Array, half_s: Array) -> Array:
        """Distance from the chords of a change of velocity by 1 m/s, at times from a corner [s]."""
        off = np.zeros_like(u_s)
        step_s = max(self.step_s, _LEAST_S)
        width_s = half_s + step_s
        near = (u_s > -width_s - self.lag_s) & (u_s < width_s + _SETTLED_LAGS * self.lag_s)
        u, blend_s = u_s[near], np.maximum(2.0 * half_s[near], _LEAST_S)
        response = ramp_response(u + self.lag_s, blend_s, step_s, self.lag_s)
        off[near] = response - np.maximum(u, 0.0)
        return off

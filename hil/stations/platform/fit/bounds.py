"""Bounds of rig and gate for many setpoints at once, and the largest motion within them.

The envelope is the rig's own. Of the gate it has the room for a stop (`safety.checks`); the gate's
checks of the drives, and rise and parking, are left to the proof.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.machine import envelope_of, gate_limits, geometry_of
from hil.stations.platform.motion.fade import FadedMotion
from hil.stations.platform.motion.source import Floats, MotionSource
from hil.stations.platform.plan.scenario import Plan
from platform6dof.inverse import leg_setpoint, leg_setpoints_batch
from platform6dof.pose import PlatformSetpoint

BLOCK: Final = 20_000
"""Number of setpoints checked together: 10 MB of them and of their quantities."""
PLACES: Final = 400
"""Number of places checked of a motion without rows: a guess, which the proof then judges."""
RESOLUTION: Final = 1e-4
"""Resolution of a scale here, as a share."""
RATES: Final = frozenset({"speed", "acceleration"})
"""Quantities of the envelope that a slower motion keeps."""


@dataclass(frozen=True, slots=True)
class ScaleLimit:
    """Largest scale of a motion, and what limits it."""

    scale: float
    """Largest factor on the deviation from neutral, at most 1; 0: neutral itself is outside [1]."""
    t_s: float
    """Time at which a larger one leaves the bounds first [s]; NaN at scale 1."""
    by_rate: bool
    """Whether speed or acceleration of a leg limits it there."""


class MotionBounds:
    """Bounds of one plan."""

    def __init__(self, plan: Plan) -> None:
        self._geometry = geometry_of(plan.rig)
        self.envelope = envelope_of(plan.rig, self._geometry)
        self._period_s = plan.scenario.period_s
        limits = gate_limits(plan.rig, self._period_s)
        self._low_m = np.array([leg.soft_min_m for leg in limits.legs])
        self._high_m = np.array([leg.soft_max_m for leg in limits.legs])
        self._stop_m_s2 = np.array([leg.stop_deceleration_m_s2 for leg in limits.legs])
        self._base_m = limits.following_base_m
        self._per_speed_s = limits.following_per_speed_s + limits.reaction_time_s

    def inside(self, rows: Floats) -> NDArray[np.bool_]:
        """Whether each setpoint is inside.

        Args:
            rows: Coordinates, their first and second derivatives, shape (N, 3, 6).
        """
        poses, rates = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
        within = self.envelope.inside(poses, rates, rows[:, 2])
        lengths, speeds = leg_setpoints_batch(self._geometry, poses, rates)
        return within & self._can_stop(lengths, speeds)

    def _can_stop(self, lengths: Floats, speeds: Floats) -> NDArray[np.bool_]:
        """Whether a stop of all legs together ends within the soft limits, less the margin."""
        change_m_s = self._stop_m_s2 * self._period_s
        ratio = np.maximum((np.abs(speeds) / change_m_s).max(axis=1), 1.0)  # (N,), cycles
        cycles = np.floor(ratio)
        ramp = cycles - cycles * (cycles + 1.0) / (2.0 * ratio)  # `controlled_stop.ramp_distance`
        end = lengths + speeds * (self._period_s * ramp)[:, None]
        margin = self._base_m + self._per_speed_s * np.abs(speeds)
        good = (end >= self._low_m + margin) & (end <= self._high_m - margin)
        return np.asarray(good.all(axis=1), dtype=np.bool_)

    def largest(self, motion: FadedMotion) -> ScaleLimit:
        """Find the largest factor at which a motion stays inside, to `RESOLUTION`."""
        scale, t_s = 1.0, np.nan
        for times_s in self._blocks(motion.duration_s):
            rows = motion.rows(times_s)
            rows[:, 0] -= motion.neutral
            outside = ~self.inside(_scaled(rows, scale, motion.neutral))
            if outside.any():
                scale, t_s = self._smaller(rows[outside], times_s[outside], scale, motion.neutral)
        return ScaleLimit(scale, t_s, scale < 1.0 and self._by_rate(motion, scale, t_s))

    def places_inside(self, motion: MotionSource) -> bool:
        """Say whether `PLACES` places of any motion are inside."""
        for t_s in np.linspace(0.0, motion.duration_s, PLACES).tolist():
            setpoint = motion.sample(t_s)
            legs = leg_setpoint(self._geometry, setpoint)
            if self.envelope.check(setpoint) or not self._can_stop(
                legs.length_m[None, :], legs.speed_m_s[None, :]
            ):
                return False
        return True

    def _blocks(self, duration_s: float) -> Iterator[Floats]:
        count = int(np.ceil(duration_s / self._period_s)) + 1
        for first in range(0, count, BLOCK):
            steps = np.arange(first, min(first + BLOCK, count))
            yield np.minimum(steps * self._period_s, duration_s)

    def _smaller(
        self, rows: Floats, times_s: Floats, scale: float, neutral: Floats
    ) -> tuple[float, float]:
        """Find the largest factor below one at which not all these deviations are inside; and when.

        Rows that are inside at a factor where others are not have the larger limit of their own,
        and are not checked again.
        """
        low, high = 0.0, scale
        while high - low > RESOLUTION * high and high > RESOLUTION:
            middle = 0.5 * (low + high)
            outside = ~self.inside(_scaled(rows, middle, neutral))
            if outside.any():
                rows, times_s, high = rows[outside], times_s[outside], middle
            else:
                low = middle
        return low, float(times_s[0])

    def _by_rate(self, motion: FadedMotion, scale: float, t_s: float) -> bool:
        rows = motion.rows(np.array([t_s]))
        rows[:, 0] -= motion.neutral
        larger = _scaled(rows, scale * (1.0 + 2.0 * RESOLUTION), motion.neutral)
        found = self.envelope.check(PlatformSetpoint.from_rows(larger[0]))
        return bool(found) and all(one.quantity in RATES for one in found)


def _scaled(deviations: Floats, scale: float, neutral: Floats) -> Floats:
    rows = scale * deviations
    rows[:, 0] += neutral
    return rows

"""Whether a way to a pose stays within gate and envelope; asked before it is begun.

It costs a part of one cycle, so the way is looked at in a few places only: where the legs get along
it, with the room that the gate keeps for a stop, and the whole envelope at its end. What slips
through is stopped by the gate.
"""

import numpy as np

from hil.machine import envelope_of, gate_limits, geometry_of
from hil.motion.source import Floats
from hil.operated.paths import Way
from hil.rig import Rig
from platform6dof.inverse import leg_setpoints_batch
from platform6dof.pose import PlatformSetpoint

PLACES = 16
"""Places along the way at which the legs are looked at; its end is one of them."""


class Reach:
    """The room that a rig's platform has.

    Args:
        rig: the machine.
        period_s: cycle time [s].
    """

    def __init__(self, rig: Rig, period_s: float) -> None:
        self._geometry = geometry_of(rig)
        self._envelope = envelope_of(rig, self._geometry)
        self._limits = gate_limits(rig, period_s)
        legs = self._limits.legs
        self._low_m = np.array([leg.soft_min_m for leg in legs])
        self._high_m = np.array([leg.soft_max_m for leg in legs])
        self._deceleration_m_s2 = np.array([leg.stop_deceleration_m_s2 for leg in legs])

    def objection(self, way: Way) -> str:
        """What speaks against a way, as a sentence with place, value, limit and unit; or nothing.

        Args:
            way: to a pose.
        """
        end = way.rows(way.duration_s)
        found = self._envelope.check(PlatformSetpoint.from_rows(end))
        if found:
            return str(found[0])
        return self._legs(way)

    def _legs(self, way: Way) -> str:
        times = way.duration_s * np.arange(1, PLACES + 1) / PLACES
        rows = np.array([way.rows(t_s)[:2] for t_s in times])  # (places, 2, 6)
        lengths, speeds = leg_setpoints_batch(self._geometry, rows[:, 0], rows[:, 1])
        limits, speed = self._limits, np.abs(speeds)
        # A stop that begins here ends within the soft limits, with what the gate keeps free.
        room = limits.following_base_m + speed * (
            limits.following_per_speed_s + limits.reaction_time_s
        )
        ahead = lengths + speeds * speed / (2.0 * self._deceleration_m_s2)
        beyond = np.maximum(ahead + room - self._high_m, self._low_m + room - ahead)
        if np.all(beyond <= 0.0):
            return ""
        place, leg = np.unravel_index(int(np.nanargmax(beyond)), beyond.shape)
        low, high = self._low_m[leg], self._high_m[leg]
        return (
            f"leg {leg + 1} would be {lengths[place, leg]:.4f} m on the way, outside "
            f"[{low + room[place, leg]:.4f}, {high - room[place, leg]:.4f}] m"
        )


def start_rows(coordinates: Floats) -> Floats:
    """Rows of rest at a pose, shape (3, 6).

    Args:
        coordinates: of the pose, shape (6,).
    """
    rows = np.zeros((3, 6))
    rows[0] = coordinates
    return rows

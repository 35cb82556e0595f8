"""The governor of a rig: its envelope, its box of poses, and the stop of its gate."""

import numpy as np

from hil.machines.rig.machine import envelope_of, geometry_of
from hil.machines.rig.settings import Rig
from platform6dof.cueing.governor import Governor
from platform6dof.cueing.margins import StopLimits


def governor_of(rig: Rig, period_s: float) -> Governor:
    """Make the governor that keeps a rig's limits, not begun yet.

    Args:
        period_s: cycle time [s].
    """
    geometry, watch = geometry_of(rig), rig.supervision
    stop = StopLimits(
        deceleration_m_s2=np.array(rig.limits.stop_deceleration_m_s2),
        window_m=watch.following_base_m,
        window_per_speed_s=watch.following_per_speed_s + watch.reaction_time_s,
        start_m=watch.start_tolerance_m,
    )
    limits = envelope_of(rig, geometry).limits
    return Governor(geometry, limits, rig.pose_box.box(), stop, period_s)

"""First motion of drives that make no homing motion: out by its stages, and back.

Each leg goes towards the middle of its stroke, where there is room. The gate lets nothing else pass
before, and judges how the drives follow it (`safety.first_motion`).
"""

from typing import Final

import numpy as np

from drives.axes.first_motion import STAGES
from hil.stations.platform.motion.leg_moves import LegMoveLimits, LegMoves
from hil.stations.platform.motion.motion_sequence import MotionSequence
from hil_common.arrays.pose import Pose
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths

RAMP_S: Final = 0.3
"""Time in which each stage reaches its speed [s], a third of it with growing acceleration."""
DWELL_S: Final = 0.2
"""Rest after each stage [s]: the measured path has caught up before the next one begins."""


def first_path(geometry: HexapodGeometry, X_start: Pose) -> MotionSequence:
    """Return the path of a first motion, from rest to rest at the same pose.

    Args:
        X_start: X_BP where the platform is.

    Raises:
        MotionError: If no pose has the lengths on the path.
    """
    lengths_m = leg_lengths(geometry, X_start)
    sense = np.where(lengths_m < geometry.closed_length_m + 0.5 * geometry.stroke_m, 1.0, -1.0)
    travels = [(stage.travel_m, stage.speed_m_s) for stage in STAGES]
    travels.append((-sum(travel_m for travel_m, _ in travels), STAGES[-1].speed_m_s))
    parts: list[LegMoves] = []
    here = X_start
    for travel_m, speed_m_s in travels:
        acceleration = 1.5 * speed_m_s / RAMP_S
        limits = LegMoveLimits(speed_m_s, acceleration, 3.0 * acceleration / RAMP_S)
        parts.append(LegMoves(geometry, here, [(sense * travel_m, DWELL_S)], limits))
        here = parts[-1].sample(parts[-1].duration_s).X_BP
    return MotionSequence(parts)

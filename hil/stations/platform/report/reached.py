"""Where the platform was in every cycle, by forward kinematics of the measured lengths.

The loop solves it for people, a hundred times a second; the report solves it for every cycle.
"""

import numpy as np
from numpy.typing import NDArray

from hil.recording.reader import Recording
from platform6dof.forward import forward
from platform6dof.geometry import HexapodGeometry

Array = NDArray[np.float64]


def reached_poses(recording: Recording, geometry: HexapodGeometry | None, first: int) -> Array:
    """Coordinates of the pose reached in each cycle [m, rad], shape (N, 6), read-only.

    Args:
        geometry: of its rig; without one only the poses found in the run are there.
        first: first cycle whose lengths mean something; the ones before it are NaN, as is every
            cycle without a pose.
    """
    found = np.array(recording.column("reached_pose"))
    found[:first] = np.nan
    if geometry is not None:
        lengths = recording.column("measured_length_m")
        guess = geometry.neutral_pose
        for cycle in range(first, len(found)):
            result = forward(geometry, lengths[cycle], guess)
            if result.converged:
                guess = result.X_BP
                found[cycle] = guess.coordinates()
    found.setflags(write=False)
    return found

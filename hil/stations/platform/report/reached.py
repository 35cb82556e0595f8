"""Where the platform was in every cycle, by forward kinematics of the measured lengths.

The loop solves it for people, a hundred times a second; the report solves it for every cycle.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hil.recording.reader import Recording
from hil.recording.row_arrays import gathered
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
    return gathered(_pieces(recording, geometry, first), recording.path.parent)


def _pieces(recording: Recording, geometry: HexapodGeometry | None, first: int) -> Iterator[Array]:
    guess = None if geometry is None else geometry.neutral_pose
    for piece in recording.pieces():
        found = np.array(piece.rows.column("reached_pose"))
        before = min(max(first - piece.start, 0), len(found))
        found[:before] = np.nan
        if geometry is not None and guess is not None:
            lengths = piece.rows.column("measured_length_m")
            for cycle in range(before, len(found)):
                result = forward(geometry, lengths[cycle], guess)
                if result.converged:
                    guess = result.X_BP
                    found[cycle] = guess.coordinates()
        yield found

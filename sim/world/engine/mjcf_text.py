"""Frames as MJCF, the engine's own text, has them, with all digits of every number.

The engine's own writer keeps about six: a model that is read back from it drifts away within
some hundred steps.
"""

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.rotations import quaternion_of
from sim.world.robots.xml_writing import numbers

Array = NDArray[np.float64]


def place(pose: Array) -> dict[str, str]:
    """Attributes ``pos`` and ``quat`` of a frame, shape (4, 4); what is at rest is left out."""
    found: dict[str, str] = {}
    if np.any(pose[:3, 3]):
        found["pos"] = numbers(pose[:3, 3])
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        found["quat"] = numbers(quaternion_of(pose[:3, :3]))
    return found

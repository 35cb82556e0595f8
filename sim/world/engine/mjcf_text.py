"""Frames as MJCF, the engine's own text, has them, with all digits of every number.

The engine's own writer keeps about six: a model that is read back from it drifts away within
some hundred steps.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.rotations import quaternion_of
from sim.world.robots.xml_writer import numbers

Array = NDArray[np.float64]

_UPRIGHT: Final = np.eye(3)


def place(pose: Array) -> dict[str, str]:
    """Attributes ``pos`` and ``quat`` of a frame, shape (4, 4); what is at rest is left out."""
    found: dict[str, str] = {}
    if pose[:3, 3].any():
        found["pos"] = numbers(pose[:3, 3])
    if not (pose[:3, :3] == _UPRIGHT).all():
        found["quat"] = numbers(quaternion_of(pose[:3, :3]))
    return found

"""Interface of a motion: pose, twist and acceleration of the platform at every moment.

Every motion begins and ends at rest. Its time runs from 0 to `MotionSource.duration_s`; before
and after it the platform rests where it begins and ends.
"""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil.config.errors import MotionError, require_number
from hil_common.arrays.pose import Pose
from platform6dof.pose import PlatformSetpoint

Floats = NDArray[np.float64]

AXES = ("x", "y", "z", "alpha", "beta", "gamma")
"""Names of the six coordinates, in the order of `Pose.coordinates`."""


class MotionSource(Protocol):
    """Motion of the platform as a function of time."""

    @property
    def duration_s(self) -> float:
        """Duration from rest to rest [s]."""
        ...

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the setpoint at a time.

        Args:
            t_s: Time since the motion began [s]; taken as 0 before it and as `duration_s` after.

        Raises:
            MotionError: If the time is not a number.
        """
        ...


class Hold:
    """Hold at one pose.

    Raises:
        MotionError: If the duration is negative or not finite.
    """

    def __init__(self, X_BP: Pose, duration_s: float) -> None:
        self._setpoint = PlatformSetpoint.at_rest(X_BP)
        self._duration_s = require_number("duration_s", duration_s, "s", least=0.0)

    @property
    def duration_s(self) -> float:
        """Duration of the hold [s]."""
        return self._duration_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, at rest."""
        clamp_time(t_s, self._duration_s)
        return self._setpoint


def clamp_time(t_s: float, duration_s: float) -> float:
    """Return the time within a motion that a time belongs to.

    Raises:
        MotionError: If the time is not a number.
    """
    if t_s <= 0.0:
        return 0.0
    if t_s >= duration_s:
        return duration_s
    if t_s != t_s:
        raise MotionError(f"t_s is {t_s} s: a motion is sampled at a time, which is a number")
    return t_s


def require_coordinates(name: str, values: ArrayLike) -> Floats:
    """Return six finite coordinates as a read-only copy, shape (6,).

    Args:
        values: (x, y, z, alpha, beta, gamma) [m, rad], shape (6,).

    Raises:
        MotionError: If they are not six, or one is not finite.
    """
    array = np.array(values, dtype=np.float64)
    if array.shape != (len(AXES),):
        text = f"{name} has the shape {array.shape}: six coordinates {', '.join(AXES)} are needed"
        raise MotionError(text)
    for axis, value in zip(AXES, array.tolist(), strict=True):
        require_number(f"{name}, {axis}", value, "rad" if axis in AXES[3:] else "m")
    array.setflags(write=False)
    return array

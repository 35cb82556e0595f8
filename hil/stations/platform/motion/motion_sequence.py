"""Sequence of motions."""

import bisect
from collections.abc import Sequence
from itertools import accumulate

from hil.stations.platform.motion.source import MotionSource, clamp_time
from platform6dof.pose import PlatformSetpoint


class MotionSequence:
    """Motions one after another; each has to begin where the one before ends."""

    def __init__(self, motions: Sequence[MotionSource]) -> None:
        self._motions = tuple(motions)
        self._ends_s = tuple(accumulate(motion.duration_s for motion in self._motions))

    @property
    def duration_s(self) -> float:
        """Total duration [s]."""
        return self._ends_s[-1]

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since the first one began [s]."""
        t_s = clamp_time(t_s, self.duration_s)
        index = min(bisect.bisect_left(self._ends_s, t_s), len(self._motions) - 1)
        motion = self._motions[index]
        return motion.sample(t_s - self._ends_s[index] + motion.duration_s)

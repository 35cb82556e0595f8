"""Bounding how fast a live source's velocity changes: a key pressed is a step, an arm cannot step.

The velocity moves straight towards the wanted one, linear and angular together and in one
proportion, so that both arrive at the same time. A source that stops, changes its axes or ends
while the gripper moves is first brought to rest at the same bounded acceleration.
"""

import math

from hil.desk.velocity.source import SourceWrapper, Twist, VelocitySource, check_time, rest
from hil.stations.arm.sources.source import SourceLimits

PERIOD_MAX_S = 0.35
"""Longest time that one step of the change may count for, so that a pause of the caller does not
become a step in velocity [s]."""


class SlewedSource(SourceWrapper):
    """A live source with bounded velocity and bounded acceleration."""

    def __init__(self, inner: VelocitySource, limits: SourceLimits) -> None:
        super().__init__(inner)
        self._limits = limits
        self._last_s: float | None = None
        self._now: Twist | None = None

    def sample(self, t_s: float) -> Twist | None:
        """See `VelocitySource`; None once the inner source has ended and the gripper is at rest."""
        check_time(t_s)
        elapsed_s = 0.0
        if self._last_s is not None:
            elapsed_s = min(max(t_s - self._last_s, 0.0), PERIOD_MAX_S)
        self._last_s = t_s
        asked = self._inner.sample(t_s)
        now = self._now
        if now is None:
            if asked is None:
                return None
            now = rest(asked.frame)
        if asked is None and now.at_rest:
            return None
        if asked is None or (asked.frame != now.frame and not now.at_rest):
            wanted = rest(now.frame)
        else:
            wanted = self._limits.bounded(asked)
        self._now = self._towards(now, wanted, elapsed_s)
        return self._now

    def _towards(self, now: Twist, wanted: Twist, elapsed_s: float) -> Twist:
        linear = wanted.linear_m_s - now.linear_m_s
        angular = wanted.angular_rad_s - now.angular_rad_s
        needed_s = max(
            math.hypot(*linear.tolist()) / self._limits.linear_acceleration_m_s2,
            math.hypot(*angular.tolist()) / self._limits.angular_acceleration_rad_s2,
        )
        if needed_s <= elapsed_s:
            return wanted
        part = elapsed_s / needed_s
        return Twist(
            now.linear_m_s + part * linear, now.angular_rad_s + part * angular, wanted.frame
        )

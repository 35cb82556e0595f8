"""Parts of a long motion that are hardest for the gate, one after another.

A part begins and ends at rest on the motion's own path: its time starts from a standstill and comes
back to one (`OverrideRamp` of an operated motion does the same), so that nothing is played there
that the motion does not do, only more slowly at both ends. Slow moves lead from part to part.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from hil.config.move_limits import MoveLimits
from hil.stations.platform.motion.fade import FadedMotion
from hil.stations.platform.motion.motion_sequence import MotionSequence
from hil.stations.platform.motion.moves import move
from hil.stations.platform.motion.source import Floats, MotionSource, clamp_time
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_setpoints_batch
from platform6dof.pose import PlatformSetpoint
from safety.limits import GateLimits

RAMP_S: Final = 2.0
"""Time in which its own time reaches the written rate, and comes to rest again [s]."""
PART_S: Final = 20.0
"""Length of a part, in the motion's own time [s]."""
BLOCK: Final = 20_000
"""Number of setpoints checked together: 10 MB of them and of their quantities."""


def blocks(duration_s: float, period_s: float) -> Iterator[Floats]:
    """Times at which the loop samples a path, its end included, in blocks of shape (N,)."""
    count = int(np.ceil(duration_s / period_s)) + 1
    for first in range(0, count, BLOCK):
        steps = np.arange(first, min(first + BLOCK, count), dtype=np.float64)
        yield np.asarray(steps * period_s, dtype=np.float64)


class Excerpt:
    """Part of a motion, from rest to rest.

    Args:
        begin_s: its beginning, in the motion's own time [s].
        end_s: its end [s]; at least `RAMP_S` later.
    """

    def __init__(self, motion: FadedMotion, begin_s: float, end_s: float) -> None:
        self._motion, self._begin_s, self._end_s = motion, begin_s, end_s

    @property
    def duration_s(self) -> float:
        """Duration from rest to rest [s]: each ramp takes twice the time that it covers."""
        return self._end_s - self._begin_s + RAMP_S

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since it began [s]."""
        t_s = clamp_time(t_s, self.duration_s)
        left_s = self.duration_s - t_s
        if min(t_s, left_s) >= RAMP_S:
            passed_s, rate, second = t_s - 0.5 * RAMP_S, 1.0, 0.0
        else:
            passed_s, rate, second = _ramp(min(t_s, left_s))
            if left_s < t_s:
                passed_s, second = self._end_s - self._begin_s - passed_s, -second
        x, v, a = self._motion.rows(np.array([self._begin_s + passed_s]))[0]
        return PlatformSetpoint.from_rows(np.stack((x, rate * v, rate**2 * a + second * v)))


def _ramp(t_s: float) -> tuple[float, float, float]:
    """Elapsed own time [s], its rate and derivative [1/s] of a rising ramp: 3 u^2 - 2 u^3."""
    u = t_s / RAMP_S
    return RAMP_S * (u**3 - 0.5 * u**4), u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / RAMP_S


def hardest_s(
    motion: FadedMotion, geometry: HexapodGeometry, limits: GateLimits
) -> tuple[float, ...]:
    """Times at which a motion is hardest for the gate [s].

    Of each leg the time when a stop would end nearest to a soft limit; when a leg is fastest and
    when its speed changes most, as shares of its limits.
    """
    a_stop, v_max, a_max, low, high = (
        np.array([getattr(leg, name) for leg in limits.legs])
        for name in (
            "stop_deceleration_m_s2", "speed_max_m_s", "acceleration_max_m_s2", "soft_min_m",
            "soft_max_m",
        )
    )  # fmt: skip
    worst, at_s = np.full(8, np.inf), np.zeros(8)
    last = None
    for times_s in blocks(motion.duration_s, limits.period_s):
        rows = motion.rows(np.minimum(times_s, motion.duration_s))
        length, speed = leg_setpoints_batch(geometry, rows[:, 0], rows[:, 1])
        stop_s = (np.abs(speed) / a_stop).max(axis=1, keepdims=True)  # all legs stop together
        end = length + 0.5 * stop_s * speed
        free = np.minimum(end - low, high - end) - limits.reaction_time_s * np.abs(speed)
        change = np.diff(speed, axis=0, prepend=speed[:1] if last is None else last)
        spare_speed = (1.0 - np.abs(speed) / v_max).min(axis=1)
        spare_change = (1.0 - np.abs(change) / (a_max * limits.period_s)).min(axis=1)
        spare = np.column_stack((free, spare_speed, spare_change))  # (N, 8)
        least, last = spare.argmin(axis=0), speed[-1:]
        better = spare[least, range(8)] < worst
        worst = np.where(better, spare[least, range(8)], worst)
        at_s = np.where(better, times_s[least], at_s)
    return tuple(at_s.tolist())


def excerpts(motion: FadedMotion, about_s: Iterable[float], limits: MoveLimits) -> MotionSource:
    """Parts about some times [s], with the motion's beginning and end, joined by slow moves."""
    spans: list[list[float]] = []
    for at_s in sorted({0.0, *about_s, motion.duration_s}):
        begin_s = min(max(0.0, at_s - 0.5 * PART_S), motion.duration_s - PART_S)
        if spans and begin_s <= spans[-1][1]:
            spans[-1][1] = begin_s + PART_S
        else:
            spans.append([begin_s, begin_s + PART_S])
    parts: list[MotionSource] = []
    for begin_s, end_s in spans:
        part = Excerpt(motion, begin_s, end_s)
        if parts:
            last = parts[-1]
            transition = move(last.sample(last.duration_s).X_BP, part.sample(0.0).X_BP, limits)
            parts.append(transition)
        parts.append(part)
    return MotionSequence(parts)

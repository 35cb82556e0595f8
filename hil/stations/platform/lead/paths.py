"""Paths that an operated motion follows, each by its own time.

A motion, the passage from one motion to another, the path to a pose. A path gives rows: the six
coordinates with their first and second derivative by its own time.
"""

import math
from typing import Protocol

import numpy as np
from ruckig import InputParameter, Result, Ruckig, Synchronization, Trajectory

from hil.config.errors import MotionError
from hil.stations.platform.lead import kernels
from hil.stations.platform.motion.fade import FadedMotion
from hil.stations.platform.motion.moves import MoveLimits
from hil.stations.platform.motion.source import Floats, MotionSource

LINEAR_SHARE = 1.0 / math.sqrt(3.0)
"""Share of a linear bound for each axis: whatever the axes do, their norm keeps it."""
ANGULAR_SHARE = 0.5
"""Share of an angular bound for the rates of the angles: omega^2 = sum of squares - 2 alpha' gamma'
sin(beta), at most 4 shares squared for beta up to 30 degrees."""


class ScaledPath(Protocol):
    """Path that can be followed at any tempo."""

    @property
    def duration_s(self) -> float:
        """Time at which it is at rest at its end [s]."""
        ...

    def rows(self, t_s: float) -> Floats:
        """Coordinates and their two derivatives at a time of the path [s], shape (3, 6)."""
        ...


class RestPath:
    """Rest at one place.

    Args:
        rows: rows with the coordinates to keep, shape (3, 6).
    """

    duration_s = 0.0

    def __init__(self, rows: Floats) -> None:
        self._rows = np.zeros((3, 6))
        self._rows[0] = rows[0]
        self._rows.setflags(write=False)

    def rows(self, t_s: float) -> Floats:
        """Return the place, at rest, as rows."""
        return self._rows


class Played:
    """Motion source in rows.

    Args:
        motion: motion that begins and ends at rest; beta stays below a quarter turn.
    """

    def __init__(self, motion: MotionSource) -> None:
        self._motion = motion
        self._out = np.empty((3, 6))

    @property
    def duration_s(self) -> float:
        """Duration from rest to rest [s]."""
        return self._motion.duration_s

    def rows(self, t_s: float) -> Floats:
        """Return the rows at a time [s]; they are overwritten by the next call."""
        kernels.rows_of_setpoint(self._motion.sample(t_s).packed, self._out)
        return self._out

    @property
    def lead_in_s(self) -> float:
        """Time from rest to the beginning of the motion's own time [s]."""
        return self._motion.lead_in_s if isinstance(self._motion, FadedMotion) else 0.0

    def start(self) -> Floats:
        """Return the coordinates of the beginning, shape (6,), a copy."""
        return self.rows(0.0)[0].copy()


class Crossfade:
    """Passage from one motion to another while both continue.

    Args:
        begin_s: time of the new one at which the passage begins [s].
        ahead_s: time by which the new one's is ahead of the old one's [s].
    """

    def __init__(
        self, old: Played, new: Played, begin_s: float, ahead_s: float, fade_s: float
    ) -> None:
        self._old, self.new = old, new
        self._begin_s, self._ahead_s, self._fade_s = begin_s, ahead_s, fade_s
        self._out = np.empty((3, 6))

    @property
    def end_s(self) -> float:
        """Time of the new motion at which it alone is followed [s]."""
        return self._begin_s + self._fade_s

    @property
    def duration_s(self) -> float:
        """Duration from rest to rest, by the time of the new motion [s]."""
        return max(self.new.duration_s, self.end_s)

    def rows(self, t_s: float) -> Floats:
        """Return the rows at a time of the new motion [s]."""
        u = min(max((t_s - self._begin_s) / self._fade_s, 0.0), 1.0)
        new = self.new.rows(t_s)
        kernels.blend(u, self._fade_s, self._old.rows(t_s - self._ahead_s), new, self._out)
        return self._out


class ShortestPath:
    """Shortest path with bounded jerk from the state of a path to rest at a pose.

    Args:
        rows: state at the beginning, shape (3, 6).
        target: coordinates of the pose, shape (6,).

    Raises:
        MotionError: if there is no such path.
    """

    def __init__(self, rows: Floats, target: Floats, limits: MoveLimits) -> None:
        problem = InputParameter(6)
        problem.current_position, problem.current_velocity = rows[0].tolist(), rows[1].tolist()
        problem.current_acceleration = rows[2].tolist()
        problem.target_position = target.tolist()
        speed, second, third = _shares(limits)
        problem.max_velocity, problem.max_acceleration, problem.max_jerk = speed, second, third
        trajectory = Trajectory(6)
        for synchronization in (Synchronization.Time, Synchronization.No):
            problem.synchronization = synchronization
            try:
                result = Ruckig(6).calculate(problem, trajectory)
            except Exception as error:
                raise MotionError(f"no way to {target.tolist()}: {error}") from error
            if result in (Result.Working, Result.Finished):
                break
        else:
            raise MotionError(f"no way to {target.tolist()} was found: {result.name}")
        self._trajectory = trajectory
        self.duration_s = float(trajectory.duration)
        """Time at which it is at rest at the pose [s]."""
        if not math.isfinite(self.duration_s):
            raise MotionError(f"the way to {target.tolist()} would last {self.duration_s} s")

    def rows(self, t_s: float) -> Floats:
        """Return the rows at a time since it began [s]."""
        return np.array(self._trajectory.at_time(min(max(t_s, 0.0), self.duration_s)))


def _shares(limits: MoveLimits) -> tuple[list[float], list[float], list[float]]:
    """Bounds of each coordinate's rate, second and third derivative."""
    linear, angular = LINEAR_SHARE, ANGULAR_SHARE
    return (
        [linear * limits.speed_m_s] * 3 + [angular * limits.angular_speed_rad_s] * 3,
        [linear * limits.acceleration_m_s2] * 3
        + [angular * limits.angular_acceleration_rad_s2] * 3,
        [linear * limits.jerk_m_s3] * 3 + [angular * limits.angular_jerk_rad_s3] * 3,
    )

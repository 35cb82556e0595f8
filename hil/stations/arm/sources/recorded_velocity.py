"""A recorded gripper velocity, replayed as it was: six columns of a CSV file over time.

The columns are `t_s` (or `t_ms`, `t_us`, `t_ns`), `vx_m_s`, `vy_m_s`, `vz_m_s`, `wx_rad_s`,
`wy_rad_s`, `wz_rad_s`; others may stand beside them. Between two rows the velocity goes straight
from one to the other, so the acceleration is the slope between rows and is checked there. The
whole file is checked when it is read: nothing is slowed down or smoothed behind the back of whoever
recorded it.
"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hil.config.errors import MotionError
from hil.config.tables import NumberTable
from hil.config.times import read_timed
from hil.desk.velocity.source import Array, Frame, SourceError, Twist, rest
from hil.stations.arm.sources.source import ROUNDING_PART, PlannedSource, SourceLimits

LINEAR = ("vx_m_s", "vy_m_s", "vz_m_s")
ANGULAR = ("wx_rad_s", "wy_rad_s", "wz_rad_s")
REST_PART = 1e-3
"""The first and last row may have this part of the greatest velocity: the noise of a handle."""


class SampledSource(PlannedSource):
    """A velocity at moments, and straight from one to the next.

    Args:
        t_s: the moments, from 0 on and rising [s], shape (N,).
        linear_m_s: of the gripper at each [m/s], shape (N, 3).
        angular_rad_s: likewise [rad/s].
        place: where a moment stands, by its number, for error texts.

    Raises:
        SourceError: with place, value and limit: velocities or accelerations above the limits, a
            beginning or end in motion.
    """

    def __init__(
        self, t_s: Array, linear_m_s: Array, angular_rad_s: Array, limits: SourceLimits,
        frame: Frame, place: Callable[[int], str],
    ) -> None:  # fmt: skip
        super().__init__(float(t_s[-1]))
        self._frame: Frame = frame
        self._t_s, self._linear, self._angular = t_s, linear_m_s, angular_rad_s
        for values, named, most, most_change in (
            (linear_m_s, ("speed", "m/s"), limits.linear_m_s, limits.linear_acceleration_m_s2),
            (angular_rad_s, ("turn rate", "rad/s"), limits.angular_rad_s,
             limits.angular_acceleration_rad_s2),
        ):  # fmt: skip
            _check_sizes(place, values, named, most)
            _check_changes(place, values, t_s, named, most_change)

    def _velocity(self, t_s: float) -> Twist:
        if t_s <= 0.0:
            return rest(self._frame)
        after = int(np.searchsorted(self._t_s, t_s, side="right"))
        begin_s, end_s = float(self._t_s[after - 1]), float(self._t_s[after])
        part = (t_s - begin_s) / (end_s - begin_s)
        return Twist(
            _between(self._linear, after, part), _between(self._angular, after, part), self._frame
        )


class RecordedSource(SampledSource):
    """A recorded velocity over time.

    Args:
        path: CSV file: UTF-8, commas, one header line.
        gap_max_s: longest time between two rows that is bridged [s].

    Raises:
        SourceError: with file, line, value and limit: what cannot be read, times that do not rise,
            a gap, velocities or accelerations above the limits, a beginning or end in motion.
    """

    def __init__(
        self, path: Path, limits: SourceLimits, frame: Frame = "gripper", gap_max_s: float = 0.5
    ) -> None:
        try:
            table, time, t_s = read_timed(path, [*LINEAR, *ANGULAR])
        except MotionError as error:
            raise SourceError(str(error)) from error
        t_s = t_s - t_s[0]
        _check_times(table, time, t_s, gap_max_s)
        linear, angular = (
            np.stack([table.columns[name] for name in names], axis=1) for names in (LINEAR, ANGULAR)
        )
        super().__init__(
            t_s, linear, angular, limits, frame,
            lambda row: f"{table.path}, line {table.lines[row]}",
        )  # fmt: skip


def _between(values: Array, after: int, part: float) -> Array:
    return (1.0 - part) * values[after - 1] + part * values[after]


def _check_times(table: NumberTable, time: str, t_s: Array, gap_max_s: float) -> None:
    if len(t_s) < 2:
        raise SourceError(f"{table.path}: one row is no motion; need at least two")
    steps = np.diff(t_s)
    for row in np.flatnonzero(~(steps > 0.0))[:1]:
        place = table.place(int(row) + 1, time)
        raise SourceError(f"{place}: {steps[row]:.6g} s after the row before; times must rise")
    for row in np.flatnonzero(steps > gap_max_s)[:1]:
        place = table.place(int(row) + 1, time)
        raise SourceError(
            f"{place}: {steps[row]:.6g} s after the row before, more than {gap_max_s:g} s: "
            "cut the recording there, or fill the gap"
        )


def _check_sizes(
    place: Callable[[int], str], values: Array, named: tuple[str, str], most: float
) -> None:
    what, unit = named
    sizes = np.sqrt(np.sum(values * values, axis=1))
    for row in np.flatnonzero(sizes > most * (1.0 + ROUNDING_PART))[:1]:
        problem = f"{what} {sizes[row]:.6g} {unit}, more than {most:g} {unit}"
        raise SourceError(f"{place(int(row))}: {problem}")
    for row in (0, len(sizes) - 1):
        if sizes[row] > REST_PART * most:
            raise SourceError(
                f"{place(row)}: {what} {sizes[row]:.6g} {unit}: it must begin and end at rest, "
                f"within {REST_PART * most:.6g} {unit}: lead it from and to zero"
            )


def _check_changes(
    place: Callable[[int], str], values: Array, t_s: Array, named: tuple[str, str], most: float
) -> None:
    what, unit = named
    changes = np.diff(values, axis=0)
    slopes = np.sqrt(np.sum(changes * changes, axis=1)) / np.diff(t_s)
    for row in np.flatnonzero(slopes > most * (1.0 + 1e-6))[:1]:
        raise SourceError(
            f"{place(int(row) + 1)}: {what} changes by {slopes[row]:.6g} {unit} per second, "
            f"more than {most:g} {unit} per second"
        )
    if not math.isfinite(float(slopes.max())):
        raise SourceError(f"{place(0)}: {what} changes without bound between two moments")

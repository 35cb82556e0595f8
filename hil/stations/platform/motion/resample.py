"""Uniform samples of a motion from the rows of a recorded file."""

from collections.abc import Sequence

import numpy as np

from hil.config.errors import MotionError, require_number
from hil.config.tables import NumberTable
from hil.config.times import TIME_UNITS
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.source import AXES, Floats

DAY_S = 86_400.0
SAMPLES_MIN = 8
"""Least number of samples that define a smooth motion."""
SAMPLES_MAX = 1_000_000
"""Most grid points of a motion; more would take gigabytes of coefficients."""
STEP_MIN_S = 1e-6
"""Shortest time between two stamps [s]; if it is shorter the unit is wrong."""
DEVIATION_MAX = 1e3
"""Largest deviation from neutral [m, rad] or acceleration [m/s2]; beyond, the unit is wrong."""
UNIFORM_SHARE = 1e-3
"""Nearness of stamps to a uniform grid, as a share of its step, at which they are on it."""
OF_A_MOTION = '--map t={}:ms, or motion.time.unit = "ms"'
"""Remedy for a motion whose times are in milliseconds."""


def times(table: NumberTable, time: TimeMap, gap_max_s: float, in_ms: str = OF_A_MOTION) -> Floats:
    """Return the time of each row since the first [s], shape (N,).

    Args:
        gap_max_s: Longest time between two rows that is bridged [s].
        in_ms: remedy for a file whose times are in milliseconds; `{}` is its column of times.

    Raises:
        MotionError: If there are too few rows, or time repeats, goes back or leaps; with the place.
    """
    raw = table.columns[time.column]
    if len(raw) < SAMPLES_MIN:
        text = f"{table.path}: has {len(raw)} rows"
        raise MotionError(f"{text}: at least {SAMPLES_MIN} samples make a motion")
    _check_clock(table, time)
    t_s = (raw - raw[0]) / TIME_UNITS[time.unit]
    steps_s = np.diff(t_s)
    backward = np.flatnonzero(~(steps_s > 0.0))
    if len(backward):
        row = int(backward[0]) + 1
        what = "repeats" if raw[row] == raw[row - 1] else "goes back to"
        unit = "s" if table.clock == "stamps" else time.unit
        text = f"{table.place(row, time.column)}: time {what} {raw[row]:g} {unit}"
        text += f" after {raw[row - 1]:g} {unit}: it must grow"
        if table.clock == "stamps" and raw[row - 1] - raw[row] > 0.9 * DAY_S:
            text += "; times that pass midnight need their date, such as 2026-01-31T00:00:00"
        raise MotionError(text)
    dense = np.flatnonzero(~(steps_s >= STEP_MIN_S))
    if len(dense):
        row = int(dense[0]) + 1
        text = f"{table.place(row, time.column)}: only {steps_s[row - 1]:g} s have passed since the"
        text = f"{text} line before: at least {STEP_MIN_S:g} s are needed"
        raise MotionError(f"{text} (unit {time.unit!r} right?)")
    gaps = np.flatnonzero(~(steps_s <= gap_max_s))
    if len(gaps):
        row = int(gaps[0]) + 1
        text = f"{table.place(row, time.column)}: {steps_s[row - 1]:g} s have passed since the line"
        text = f"{text} before: gap_max_s is {gap_max_s:g} s (unit {time.unit!r} right?"
        if time.unit == "s" and 1e-3 * float(np.median(steps_s)) <= gap_max_s:
            text += f" if it is ms: {in_ms.format(time.column)}"
        raise MotionError(f"{text})")
    return t_s


def _check_clock(table: NumberTable, time: TimeMap) -> None:
    """Refuse a unit of times that the file contradicts."""
    place = table.place(0, time.column)
    if table.clock == "stamps":
        if time.unit not in ("s", "iso"):
            text = f"{place}: holds stamps of ISO 8601, the map says {time.unit!r}"
            raise MotionError(f"{text}: give the time the unit 'iso', or none")
        return
    if time.unit == "iso":
        raise MotionError(f"{place}: holds numbers, the map says 'iso': give s, ms, us or ns")
    table.check_unit(time.column, time.unit)


def deviations(table: NumberTable, maps: Sequence[ColumnMap]) -> Floats:
    """Return the six coordinates of each row as deviations from neutral [m, rad], shape (N, 6).

    Args:
        maps: Map of each column to its coordinate; coordinates without one do not deviate. One
            that is a velocity or an acceleration stays one [m/s, m/s²].

    Raises:
        MotionError: If a value is out of all proportion; with the place.
    """
    recorded = np.zeros((len(table.lines), len(AXES)))
    for each in maps:
        table.check_unit(each.column, each.unit)
        values = each.to_si(table.columns[each.column])
        large = np.flatnonzero(np.abs(values) > DEVIATION_MAX)
        if len(large):
            row = int(large[0])
            si = "m" if each.axis in AXES[:3] else "rad"
            what = f"{values[row]:g} {si} from neutral"
            if each.derivative:
                si = ("", "m/s", "m/s2")[each.derivative]
                what = f"{values[row]:g} {si}"
            text = f"{table.place(row, each.column)}: is {what}"
            text = f"{text}: at most {DEVIATION_MAX:g} {si} make sense"
            text = f"{text} (unit {each.unit!r}, scale and bias right?"
            if likely := {"m": "mm", "rad": "deg"}.get(each.unit):
                said = f'motion.map.{each.axis}.unit = "{likely}"'
                text += f" if it is {likely}: --map {each.axis}={each.column}:{likely}, or {said}"
            raise MotionError(f"{text})")
        recorded[:, AXES.index(each.axis)] = values
    return recorded


def uniform(
    table: NumberTable, t_s: Floats, recorded: Floats, rate_hz: float | None
) -> tuple[Floats, float]:
    """Return the recording on a uniform grid, shape (M, 6), and the grid's step [s].

    Stamps that are on a grid already are kept as they are, unless another rate is asked for.
    Others are resampled by a cubic spline through their own stamps, at the rate asked for or
    that of the median step; the rate is adjusted a little so that the grid ends on the last stamp.

    Args:
        table: Source of the recording, for the error.
        t_s: Time of each row since the first [s], shape (N,).
        recorded: The rows, shape (N, 6).
        rate_hz: Rate of the grid [Hz]; None for that of the recording.

    Raises:
        MotionError: If the rate is not positive, or makes too few or too many samples.
    """
    intervals = len(t_s) - 1
    mean_s = float(t_s[-1]) / intervals
    off_s = float(np.abs(t_s - mean_s * np.arange(len(t_s))).max())
    on_grid = off_s <= UNIFORM_SHARE * mean_s
    if rate_hz is None:
        rate_hz = 1.0 / (mean_s if on_grid else float(np.median(np.diff(t_s))))
    rate_hz = require_number("rate_hz", rate_hz, "Hz", above=0.0)
    wanted = float(t_s[-1]) * rate_hz
    if not SAMPLES_MIN - 1 <= round(wanted) < SAMPLES_MAX:
        text = f"{table.path}: {t_s[-1]:g} s at {rate_hz:g} Hz are {wanted:.0f} intervals"
        raise MotionError(f"{text}: {SAMPLES_MIN - 1} to {SAMPLES_MAX - 1} make a motion")
    count = round(wanted)
    if on_grid and count == intervals:
        return recorded, mean_s
    step_s = float(t_s[-1]) / count
    grid_s = step_s * np.arange(count + 1)
    from scipy.interpolate import CubicSpline  # slow to load, and seldom needed

    return CubicSpline(t_s, recorded)(grid_s), step_s

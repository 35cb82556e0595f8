"""Picture of the acceleration of a record, and of the one reached, with spectra."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from hil.config.errors import ConfigError, MotionError
from hil.config.file_search import find_file
from hil.recording.decimation import decimate
from hil.report.style import (
    INK,
    LIMIT,
    REACHED,
    WANTED,
    Picture,
    draw_png,
    place,
)
from hil.report.time_axes import TIME_LABEL
from hil.stations.platform.motion.columns import ACCELERATION_UNITS, TimeMap
from hil.stations.platform.motion.components import read_rows
from hil.stations.platform.motion.lowpass import lowpass
from hil.stations.platform.motion.resample import uniform
from hil.stations.platform.motion.source import AXES, Floats
from hil.stations.platform.motion.spectrum import DAMPING, response_spectrum
from hil.stations.platform.plan.motion_build import maps_of
from hil.stations.platform.plan.motion_settings import RecordedSettings
from hil.stations.platform.report.view import RunView

NOISE_HZ: Final = 40.0
"""Corner of the low-pass on poses before they are differentiated twice [Hz]."""
NOISE_SHARE: Final = 0.4
"""Corner of that low-pass as a share of the cycle rate, for slow cycles."""
PERIODS_S: Final = np.geomspace(0.1, 10.0, 48)
CYCLES_MIN: Final = 100
"""Least number of cycles of a motion with a spectrum worth drawing."""
CYCLES_MOST: Final = 1 << 19
"""Most cycles that are shown, from the beginning: a spectrum needs all of them at once."""
PANEL_POINTS: Final = 1600


@dataclass(frozen=True, slots=True, eq=False)
class AxisAcceleration:
    """Acceleration along one axis."""

    axis: str
    """Axis: x, y or z."""
    wanted_m_s2: Floats
    """Acceleration of the wanted poses, in each cycle of the motion, shape (N,)."""
    reached_m_s2: Floats
    """Acceleration of the reached poses, shape (N,)."""
    record: Floats
    """Spectrum of the recorded accelerations [m/s2], shape of `PERIODS_S`; NaN without them."""
    wanted: Floats
    """Spectrum of the wanted accelerations [m/s2]."""
    reached: Floats
    """Spectrum of the reached accelerations [m/s2]."""

    def apart(self, highpass_hz: float) -> float:
        """Greatest distance of the reached spectrum from the record's, or the wanted one [1].

        Periods longer than half that of the high-pass are left out.
        """
        judge = self.wanted if np.isnan(self.record).any() else self.record
        within = 0.5 / highpass_hz >= PERIODS_S
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.abs(self.reached / judge - 1.0)[within]
        return float(np.nanmax(share)) if np.isfinite(share).any() else np.nan


def acceleration(view: RunView) -> Picture | None:
    """Accelerations and their spectra; None unless the motion was integrated from them."""
    settings = None if view.plan is None else view.plan.scenario.motion
    if view.plan is None or not isinstance(settings, RecordedSettings):
        return None
    axes = [axis for axis, one in settings.map.items() if one.unit in ACCELERATION_UNITS]
    if not axes or np.count_nonzero(view.moving) < CYCLES_MIN:
        return None
    period_s = view.plan.scenario.period_s
    motion = _motion(view)
    recorded = _recorded(settings, Path(view.plan.scenario_file), 1.0 / period_s)
    found = [_along(motion, axis, recorded, period_s) for axis in axes]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, len(found), squeeze=False)
        grid = (len(found), 2)
        place(figure, left_in=0.6, top_in=0.62, grid=grid, between_in=(0.5, 0.75))
        for one, (above, below) in zip(found, panels.T, strict=True):
            _course(above, motion.t_s, one)
            _spectra(below, one, settings.highpass_hz)
        panels[0, 0].set_ylabel("acceleration [m/s²]")
        panels[1, 0].set_ylabel("response [m/s²]")
        handles = [
            Line2D([], [], color=WANTED, linewidth=3.0, label="wanted"),
            Line2D([], [], color=REACHED, linewidth=1.1, label="reached"),
        ]
        if recorded is not None:
            handles.append(Line2D([], [], color=INK, linewidth=1.0, linestyle=":", label="record"))
        figure.legend(handles=handles, loc="upper right", ncols=3)

    return Picture(
        "acceleration",
        "Acceleration wanted and reached",
        _caption(settings, _corner_hz(period_s), motion, there=recorded is not None),
        draw_png(5.2, draw),
    )


class _Motion(NamedTuple):
    """Cycles of the motion, of a long one the first."""

    t_s: Floats
    """Times of the cycles [s], shape (N,)."""
    wanted: Floats
    """Wanted poses [m, rad], shape (N, 6)."""
    reached: Floats
    """Reached poses [m, rad], shape (N, 6)."""
    whole: bool
    """Whether these are all cycles."""


def _motion(view: RunView) -> _Motion:
    found: list[_Motion] = []
    for part in view.pieces():
        run = part.run
        chosen = np.flatnonzero(run.moving)
        chosen = chosen[chosen >= part.before]
        wanted = run.recording.column("wanted_pose")[chosen]
        found.append(_Motion(run.times[chosen], wanted, run.reached[chosen], whole=True))
        if sum(len(one.t_s) for one in found) >= CYCLES_MOST:
            break
    t_s, wanted, reached = (
        np.concatenate([one[at] for one in found])[:CYCLES_MOST] for at in range(3)
    )
    return _Motion(t_s, wanted, reached, len(t_s) == np.count_nonzero(view.moving))


def _caption(settings: RecordedSettings, corner_hz: float, motion: _Motion, *, there: bool) -> str:
    record = (
        "Record is the file's own acceleration, before anything was taken from it."
        if there
        else f"The record itself, {settings.file}, is not beside the recording: it is not compared."
    )
    part = "" if motion.whole else f"Of the first {np.ptp(motion.t_s):.0f} s of the motion. "
    return (
        f"{part}Above: second derivative of the poses wanted and reached, below {corner_hz:g} Hz. "
        f"Below: pseudo-acceleration of an oscillator with {DAMPING:.0%} damping over its period. "
        f"{record} The displacement was integrated above highpass_hz = {settings.highpass_hz:g} Hz "
        "(red): longer periods are not reproduced. Apart: the greatest distance of the spectra "
        f"reached and {'recorded' if there else 'wanted'}, up to half that period."
    )


def _recorded(settings: RecordedSettings, beside: Path, rate_hz: float) -> Floats | None:
    """Accelerations of the record at the cycle's rate [m/s2], shape (N, 6); None if it is gone."""
    time = TimeMap(settings.time.column, settings.time.unit)
    try:
        maps = maps_of(settings, beside)
        path = find_file(settings.file, beside=beside, folder="motions", key="motion.file")
        return uniform(*read_rows(path, maps, time, settings.gap_max_s), rate_hz)[0]
    except (ConfigError, MotionError):
        return None


def _along(motion: _Motion, axis: str, recorded: Floats | None, step_s: float) -> AxisAcceleration:
    number = AXES.index(axis)
    wanted, reached = (
        _second_rate(poses[:, number], step_s) for poses in (motion.wanted, motion.reached)
    )
    record = np.full(len(PERIODS_S), np.nan)
    if recorded is not None:
        values = recorded[: None if motion.whole else CYCLES_MOST, number]
        record = response_spectrum(values - values.mean(), step_s, PERIODS_S)
    return AxisAcceleration(
        axis,
        wanted,
        reached,
        record,
        response_spectrum(wanted, step_s, PERIODS_S),
        response_spectrum(reached, step_s, PERIODS_S),
    )


def _corner_hz(step_s: float) -> float:
    return min(NOISE_HZ, NOISE_SHARE / step_s)


def _second_rate(positions_m: Floats, step_s: float) -> Floats:
    """Second derivative below the noise's corner, shape (N,); a pose not known is bridged."""
    known = np.isfinite(positions_m)
    if not known.any():
        return np.zeros(len(positions_m))
    places = np.arange(len(positions_m))
    whole = np.interp(places, places[known], positions_m[known])
    smooth = lowpass(whole[:, None], step_s, _corner_hz(step_s))[:, 0]
    rate = np.zeros(len(smooth))
    rate[1:-1] = np.diff(smooth, 2) / step_s**2
    return rate


def _course(axes: Axes, t_s: Floats, one: AxisAcceleration) -> None:
    for values, colour, width in (
        (one.wanted_m_s2, WANTED, 3.0),
        (one.reached_m_s2, REACHED, 1.1),
    ):
        chosen = decimate(values, PANEL_POINTS)
        axes.plot(t_s[chosen], values[chosen], color=colour, linewidth=width)
    axes.set_title(f"{one.axis}: most {np.abs(one.reached_m_s2).max():.3g} m/s²")
    axes.set_xlabel(TIME_LABEL)


def _spectra(axes: Axes, one: AxisAcceleration, highpass_hz: float) -> None:
    axes.plot(PERIODS_S, one.wanted, color=WANTED, linewidth=3.0)
    axes.plot(PERIODS_S, one.reached, color=REACHED, linewidth=1.1)
    axes.plot(PERIODS_S, one.record, color=INK, linewidth=1.0, linestyle=":")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.axvline(1.0 / highpass_hz, color=LIMIT, linewidth=1.0, linestyle=(0, (6, 3)))
    axes.set_title(f"{one.axis}: apart {one.apart(highpass_hz):.1%}")
    axes.set_xlabel("period [s]")

"""Course of a task over time: phases as a band, voltages, contact forces, slip, nearest beams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.pieces import lines
from hil.report.recorded_run import RecordedRun
from hil.report.style import INK, LEG_COLOURS, LIMIT, Picture, draw_png, place
from hil.stations.task.report.phases import PALE, TaskPhase, phases_of_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hil.recording.decimation import Line

Array = NDArray[np.float64]
SIDES: Final = ("left_distance_m", "front_distance_m", "right_distance_m")
NAMED_S: Final = 0.03
"""Share of the run above which a phase is named in the band."""


def course(run: RecordedRun) -> Picture | None:
    """Picture of the course; None with fewer than two rows."""
    if len(run.times) < 2:
        return None
    names = [one.name for one in run.recording.header.signals.fields]
    commands = next((one for one in names if one.startswith("command")), None)
    sides = [one for one in SIDES if one in names]
    volts = [] if commands is None else lines(run, lambda part: _column(part, commands))[0]
    (force,) = lines(run, lambda part: _column(part, "contact_force_n"))[0]
    (slip,) = lines(run, lambda part: 1e3 * _column(part, "slip_m"))[0]
    beams = [lines(run, lambda part, one=one: _nearest(part, one))[0][0] for one in sides]
    phases = phases_of_run(run)

    def draw(figure: Figure) -> None:
        first, second, third, fourth = figure.subplots(4, 1, sharex=True)
        place(figure, grid=(1, 4), right_in=1.6, top_in=0.5, between_in=(0.5, 0.15))
        for axes in (first, second, third, fourth):
            _bands(axes, phases)
            axes.margins(x=0.0)
        _names(first, phases, float(run.times[-1]))
        for index, line in enumerate(volts):
            _curve(first, run.times, line, index, f"drive {index + 1}")
        first.set_ylabel("voltage [1]")
        first.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small")
        for index, (name, line) in enumerate(zip(sides, beams, strict=True)):
            _curve(second, run.times, line, index, name.partition("_")[0])
        second.set_ylabel("nearest beam [m]")
        second.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small")
        third.plot(run.times[force.places], force.values, color=INK, lw=0.8)
        third.set_ylabel("contacts [N]")
        fourth.plot(run.times[slip.places], slip.values, color=LIMIT, lw=1.2)
        fourth.set_ylabel("slip [mm]")
        fourth.set_xlabel("time [s]")

    caption = (
        "Bands are the phases that the diagram says. Contacts: all normal forces added up, those "
        "of the wheels among them; slip: greatest so far."
    )
    title = "Phases, voltages and forces over time"
    return Picture("course", title, caption, draw_png(7.0, draw))


def _column(part: RecordedRun, name: str) -> Array:
    return np.asarray(part.recording.column(name), np.float64)


def _nearest(part: RecordedRun, name: str) -> Array:
    """Least reading of a side's beams, shape (rows,)."""
    values = _column(part, name)
    values = np.where(np.isfinite(values), values, np.inf).reshape(len(values), -1).min(axis=1)
    return np.where(np.isfinite(values), values, np.nan)


def _curve(axes: Axes, times_s: Array, line: Line, index: int, label: str) -> None:
    colour = LEG_COLOURS[index % len(LEG_COLOURS)]
    axes.plot(times_s[line.places], line.values, color=colour, lw=0.9, label=label)


def _bands(axes: Axes, phases: tuple[TaskPhase, ...]) -> None:
    for one in phases:
        axes.axvspan(one.begin_s, one.end_s, color=f"{one.colour}{PALE}", lw=0)


def _names(axes: Axes, phases: tuple[TaskPhase, ...], last_s: float) -> None:
    across = axes.get_xaxis_transform()
    for one in phases:
        if one.end_s - one.begin_s > NAMED_S * last_s:
            middle_s = 0.5 * (one.begin_s + one.end_s)
            axes.text(
                middle_s, 1.02, one.name, rotation=35, ha="left", va="bottom",
                fontsize="x-small", transform=across,
            )  # fmt: skip

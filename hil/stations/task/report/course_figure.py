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
SLIP: Final = "slip_m"
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
    slips = [] if SLIP not in names else lines(run, lambda part: 1e3 * _column(part, SLIP))[0]
    beams = [lines(run, lambda part, one=one: _nearest(part, one))[0][0] for one in sides]
    phases, count = phases_of_run(run), 2 + bool(beams) + len(slips)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(count, 1, sharex=True).tolist()
        place(figure, grid=(1, count), right_in=1.6, top_in=0.5, between_in=(0.5, 0.15))
        for axes in panels:
            bands(axes, phases)
            axes.margins(x=0.0)
        first, last, rest = panels[0], panels[-1], panels[1:]
        names_of_bands(first, phases, float(run.times[-1]))
        last.set_xlabel("time [s]")
        for index, line in enumerate(volts):
            style = "-" if index < len(LEG_COLOURS) else "--"
            _curve(first, run.times, line, index, f"drive {index + 1}", style)
        first.set_ylabel("voltage [1]")
        first.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small")
        if beams:
            axes = rest.pop(0)
            for index, (name, line) in enumerate(zip(sides, beams, strict=True)):
                _curve(axes, run.times, line, index, name.partition("_")[0])
            axes.set_ylabel("nearest beam [m]")
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small")
        axes = rest.pop(0)
        axes.plot(run.times[force.places], force.values, color=INK, lw=0.8)
        axes.set_ylabel("contacts [N]")
        for axes, slip in zip(rest, slips, strict=True):
            axes.plot(run.times[slip.places], slip.values, color=LIMIT, lw=1.2)
            axes.set_ylabel("slip [mm]")

    caption = (
        "Bands are the phases that the diagram says. Contacts: all normal forces added up, those "
        "of wheels on the floor among them" + ("; slip: greatest so far." if slips else ".")
    )
    title = "Phases, voltages and forces over time"
    return Picture("course", title, caption, draw_png(1.75 * count, draw))


def _column(part: RecordedRun, name: str) -> Array:
    return np.asarray(part.recording.column(name), np.float64)


def _nearest(part: RecordedRun, name: str) -> Array:
    """Least reading of a side's beams, shape (rows,)."""
    values = _column(part, name)
    values = np.where(np.isfinite(values), values, np.inf).reshape(len(values), -1).min(axis=1)
    return np.where(np.isfinite(values), values, np.nan)


def _curve(
    axes: Axes, times_s: Array, line: Line, index: int, label: str, style: str = "-"
) -> None:
    colour = LEG_COLOURS[index % len(LEG_COLOURS)]
    axes.plot(times_s[line.places], line.values, color=colour, ls=style, lw=0.9, label=label)


def bands(axes: Axes, phases: tuple[TaskPhase, ...]) -> None:
    """Draw the phases as bands behind a panel over time."""
    for one in phases:
        axes.axvspan(one.begin_s, one.end_s, color=f"{one.colour}{PALE}", lw=0)


def names_of_bands(axes: Axes, phases: tuple[TaskPhase, ...], last_s: float) -> None:
    """Write the names of longer phases above a panel over time [s]."""
    across = axes.get_xaxis_transform()
    for one in phases:
        if one.end_s - one.begin_s > NAMED_S * last_s:
            middle_s = 0.5 * (one.begin_s + one.end_s)
            axes.text(
                middle_s, 1.02, one.name, rotation=35, ha="left", va="bottom",
                fontsize="x-small", transform=across,
            )  # fmt: skip

"""Turn of a valve over time: force and moment against their targets, angle, voltages, grasps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from hil.report.pieces import lines
from hil.report.recorded_run import RecordedRun
from hil.report.style import LEG_COLOURS, LIMIT, REACHED, WANTED, Picture, draw_png, place
from hil.stations.task.report.course_figure import names_of_bands
from hil.stations.task.report.phases import phases_of_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hil.recording.decimation import Line

Array = NDArray[np.float64]

GRASP: Final = "grasp"
TURNED: Final = "turned_rad"
SETTLES: Final = "#F3E3B5"
JUDGED: Final = "#CFE5CF"
"""Colours of the bands of a grasp that settles, and of one whose errors count."""
FULL: Final = 1.0
"""Command of a saturated drive."""


def turn(run: RecordedRun) -> Picture | None:
    """Picture of the turn; None for a recording without its signals, or of fewer than two rows."""
    names = [one.name for one in run.recording.header.signals.fields]
    if len(run.times) < 2 or GRASP not in names or TURNED not in names:
        return None
    task, drawn = _task(run)
    force = lines(run, lambda part: _against(part, "force", "n"))[0]
    moment = lines(run, lambda part: _against(part, "moment", "n_m"))[0]
    (angle,) = lines(run, lambda part: np.degrees(_column(part, TURNED)))[0]
    arm = arm_drives(run)
    volts = lines(run, lambda part: _column(part, "command")[:, arm])[0]
    grasp, phases, last_s = whole_column(run, GRASP), phases_of_run(run), float(run.times[-1])
    full = np.abs(_whole_commands(run, arm)).max(axis=1) >= FULL

    def draw(figure: Figure) -> None:
        panels = figure.subplots(4, 1, sharex=True).tolist()
        place(figure, grid=(1, 4), right_in=1.75, top_in=0.55, between_in=(0.5, 0.15))
        for axes in panels:
            axes.margins(x=0.0)
            for value, colour in ((1.0, SETTLES), (2.0, JUDGED)):
                for begin_s, end_s in stretches(run.times, grasp == value):
                    axes.axvspan(begin_s, end_s, color=colour, lw=0)
        names_of_bands(panels[0], phases, last_s)
        _targets(panels[0], run.times, force, task.get("force_error_n"))
        panels[0].set_ylabel("force [N]")
        _targets(panels[1], run.times, moment, task.get("moment_error_nm"))
        panels[1].set_ylabel("moment [N m]")
        wanted_deg = math.degrees(drawn.get("angle_rad", math.nan))
        panels[2].axhline(wanted_deg, color=WANTED, ls="--", label="wanted")
        panels[2].plot(run.times[angle.places], angle.values, color=REACHED, label="wheel")
        panels[2].set_ylabel("angle [deg]")
        for index, line in enumerate(volts):
            colour = LEG_COLOURS[index % len(LEG_COLOURS)]
            style = "-" if index < len(LEG_COLOURS) else "--"
            panels[3].plot(run.times[line.places], line.values, color=colour, ls=style, lw=0.8,
                           label=f"drive {arm[index] + 1}")  # fmt: skip
        for begin_s, end_s in stretches(run.times, full):
            panels[3].axvspan(begin_s, end_s, ymin=0.94, color=LIMIT, lw=0)
        panels[3].set_ylabel("voltage [1]")
        panels[3].set_xlabel("time [s]")
        for axes in panels:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05), fontsize="x-small")
        patches = [Patch(color=SETTLES, label="grasp settles"),
                   Patch(color=JUDGED, label="errors count"),
                   Patch(color=LIMIT, label="saturated")]  # fmt: skip
        figure.legend(handles=patches, loc="upper right", fontsize="x-small")

    caption = (
        "True force and moment of the hand on the valve along and about its axis, against what the "
        "diagram wants; the errors have all side components in them and are drawn where they count."
    )
    return Picture("turn", "Force and moment against their targets", caption, draw_png(8.2, draw))


def arm_drives(run: RecordedRun) -> list[int]:
    """Places of the drives whose joints have sensors of torque; of all without any."""
    fields = {one.name: one for one in run.recording.header.signals.fields}
    drives = list(fields["command"].parts or ())
    sensed = fields["joints_torque_n_m"].parts if "joints_torque_n_m" in fields else ()
    return [at for at, name in enumerate(drives) if name in (sensed or ())] or [
        *range(len(drives) or 1)
    ]


def stretches(times_s: Array, there: NDArray[np.bool_]) -> Iterator[tuple[float, float]]:
    """Beginning and end of each stretch of rows in which something is there [s]."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], there, [False])).astype(int)))
    for begin, end in edges.reshape(-1, 2).tolist():
        yield float(times_s[begin]), float(times_s[min(end, len(times_s) - 1)])


def whole_column(run: RecordedRun, name: str) -> Array:
    """Values of a signal in all rows, shape (rows,)."""
    return np.concatenate([_column(part.run, name)[part.before :] for part in run.pieces()])


def _whole_commands(run: RecordedRun, arm: list[int]) -> Array:
    parts = [_column(part.run, "command")[part.before :] for part in run.pieces()]
    return np.concatenate(parts).reshape(len(run.times), -1)[:, arm]


def _against(part: RecordedRun, what: str, unit: str) -> Array:
    """Target, true value, and the error where it counts, shape (rows, 3)."""
    counts = _column(part, GRASP) == 2.0
    error = np.where(counts, _column(part, f"{what}_error_{unit}"), np.nan)
    columns = (_column(part, f"target_{what}_{unit}"), _column(part, f"axis_{what}_{unit}"), error)
    return np.stack(columns, axis=1)


def _targets(axes: Axes, times_s: Array, found: list[Line], limit: Any) -> None:
    target, value, error = found
    axes.plot(times_s[value.places], value.values, color=REACHED, lw=0.8, label="on the valve")
    axes.plot(times_s[target.places], target.values, color=WANTED, ls="--", label="wanted")
    axes.plot(times_s[error.places], error.values, color=LEG_COLOURS[1], lw=0.8, label="error")
    if isinstance(limit, int | float):
        axes.axhline(float(limit), color=LIMIT, lw=0.8, ls=":", label="limit of the error")


def _column(part: RecordedRun, name: str) -> Array:
    return np.asarray(part.recording.column(name), np.float64)


def _task(run: RecordedRun) -> tuple[Mapping[str, Any], Mapping[str, float]]:
    """Settings of the task, and drawn values."""
    table = (run.recording.scenario or {}).get("task", {})
    return table.get("scenario", {}).get("task", {}), table.get("drawn", {})

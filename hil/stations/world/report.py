"""What the page of a run of the virtual environment shows besides: joints, robot and tool."""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.recording.signals import Signal
from hil.report.recorded import RecordedRun, Row, Table, Tables
from hil.report.style import (
    INK,
    LEG_COLOURS,
    LEGEND_IN,
    LIMIT,
    WANTED,
    Picture,
    decimate,
    draw_png,
    place,
)
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.model import NOWHERE
from sim.world.robots.toml_form import read_toml
from sim.world.robots.tree import RobotTree, spanning_tree

Array = NDArray[np.float64]

FRAMES: Final = 6
"""Instants at which a robot is drawn."""
VIEWS: Final = (("from the side", 0, 2), ("from above", 0, 1))
"""Name of each view, and which axes of the world it shows."""
SHOWN: Final = {"rad": ("deg", 180.0 / np.pi), "m": ("mm", 1e3)}
"""Units in which joints are shown."""


def joints_over_time(run: RecordedRun) -> Picture | None:
    """Angle and effort of every driven joint against time."""
    wanted, found, effort = (_joints(run, name) for name in ("wanted", "position", "effort"))
    if not found or len(run.times) < 2:
        return None

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        place(figure, grid=(1, 2), right_in=LEGEND_IN, top_in=0.1, between_in=(0.5, 0.15))
        for index, (name, (unit, values)) in enumerate(found.items()):
            shown, factor = SHOWN[unit]
            colour = LEG_COLOURS[index % len(LEG_COLOURS)]
            asked = wanted[name][1]
            _line(upper, run.times, factor * asked, WANTED, width=2.6)
            _line(upper, run.times, factor * values, colour, f"{name} [{shown}]")
        for index, (name, (unit, values)) in enumerate(effort.items()):
            colour = LEG_COLOURS[index % len(LEG_COLOURS)]
            _line(lower, run.times, values, colour, f"{name} [{unit}]")
        upper.set_ylabel("position")
        lower.set_ylabel("effort of the drives")
        lower.set_xlabel("time [s]")
        for axes in (upper, lower):
            axes.margins(x=0.01)
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    caption = "Grey: where each joint should be. Below: torque or force of its drive."
    return Picture("joints", "Joints and drives over time", caption, draw_png(5.6, draw))


def motion_frames(run: RecordedRun) -> Picture | None:
    """The robot at some instants, with the way of its tool."""
    robot, positions = _tree(run), _joints(run, "position")
    if robot is None or robot.loops or len(run.times) < 2:
        return None
    rows = np.unique(np.linspace(0, len(run.times) - 1, FRAMES).astype(int))
    sticks = [list(_sticks(robot, positions, row)) for row in rows.tolist()]
    way = run.recording.column("tool_pose")[:, :3]
    times: list[float] = run.times[rows].tolist()
    colours = colormaps["viridis_r"](np.linspace(0.0, 1.0, len(times))).tolist()

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(VIEWS))
        place(figure, grid=(len(VIEWS), 1), right_in=1.2, between_in=(0.7, 0.3))
        for axes, (name, across, up) in zip(panels, VIEWS, strict=True):
            for colour, drawn in zip(colours, sticks, strict=True):
                for line in drawn:
                    axes.plot(line[:, across], line[:, up], color=colour, lw=2.4, marker="o", ms=3)
            axes.plot(way[:, across], way[:, up], color=LIMIT, lw=1.4)
            axes.set_title(f"{name} [m]")
            axes.set_xlabel("xyz"[across])
            axes.set_ylabel("xyz"[up])
            axes.set_aspect("equal", adjustable="datalim")
        lines = [
            Line2D([], [], color=colour, lw=2.4, label=f"{time_s:.1f} s")
            for colour, time_s in zip(colours, times, strict=True)
        ]
        lines.append(Line2D([], [], color=LIMIT, lw=1.4, label="tool"))
        figure.legend(handles=lines, loc="upper right")

    caption = "Lines join the frames of the links; both axes of a panel have one scale."
    return Picture("frames", "The robot in motion", caption, draw_png(4.6, draw))


def tool_path(run: RecordedRun) -> Picture | None:
    """How far the tool is from the straight way between its first and its last place."""
    way = run.recording.column("tool_pose")[:, :3]
    if len(run.times) < 2 or not np.isfinite(way).all():
        return None
    whole = way[-1] - way[0]
    length_m = float(np.linalg.norm(whole))

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        place(figure, grid=(2, 1), top_in=0.1, between_in=(0.75, 0.3))
        for axis in range(3):
            _line(left, run.times, 1e3 * (way[:, axis] - way[0, axis]), LEG_COLOURS[axis],
                  "xyz"[axis])  # fmt: skip
        left.set_xlabel("time [s]")
        left.set_ylabel("tool, moved [mm]")
        left.legend(loc="best")
        away = np.linalg.norm(np.cross(way - way[0], whole), axis=1) / max(length_m, 1e-12)
        right.plot(1e3 * (way - way[0]) @ whole / max(length_m, 1e-12), 1e3 * away, color=INK)
        right.set_xlabel("along the straight way between its ends [mm]")
        right.set_ylabel("from it [mm]")

    caption = f"{1e3 * length_m:.1f} mm from its first place to its last."
    return Picture("tool", "Way of the tool", caption, draw_png(3.2, draw))


def joint_errors(run: RecordedRun) -> Tables | None:
    """How far each joint was from where it should be."""
    wanted, found = _joints(run, "wanted"), _joints(run, "position")
    rows: list[Row] = []
    for name, (unit, values) in found.items():
        shown, factor = SHOWN[unit]
        errors = factor * np.abs(values - wanted[name][1])
        if len(errors):
            cells = name, f"{errors.max():.5f} {shown}", f"{errors[-1]:.6f} {shown}"
            rows.append(Row(cells))
    if not rows:
        return None
    return Tables((Table(("joint", "greatest error", "at the end"), tuple(rows)),))


def _joints(run: RecordedRun, name: str) -> Mapping[str, tuple[str, Array]]:
    """Unit and values of each driven joint, by its name in the row."""
    for signal in run.recording.header.signals.fields:
        if signal.name.startswith(f"{name}_"):
            return dict(_parts(signal, run.recording.column(signal.name)))
    return {}


def _parts(signal: Signal, values: Array) -> Iterator[tuple[str, tuple[str, Array]]]:
    units = signal.unit.split(",")
    columns = values.reshape(len(values), signal.count).T
    names = signal.parts or ("joint",)
    for index, (name, column) in enumerate(zip(names, columns, strict=True)):
        stem = name.partition("_")[0].replace("joint", "joint ").strip()
        yield stem, (units[index % len(units)], column)


def _tree(run: RecordedRun) -> RobotTree | None:
    try:
        return spanning_tree(read_toml(str((run.recording.scenario or {})["robot"]), "recording"))
    except (KeyError, RobotDocumentError):
        return None


def _sticks(
    tree: RobotTree, positions: Mapping[str, tuple[str, Array]], row: int
) -> Iterator[Array]:
    """A line from each link's frame to those that it carries, shape (2, 3)."""
    numbers = [drive.joint for drive in tree.robot.drives]
    values = [values for _, values in positions.values()]
    poses = tree.poses({n: (float(v[row]),) for n, v in zip(numbers, values, strict=True)})
    for link in tree.links:
        parent = tree.drivers[link.number].parent
        if parent != NOWHERE:
            yield np.array([poses[parent][:3, 3], poses[link.number][:3, 3]])
    for end, pose in tree.end_poses(poses).items():
        parent = next(one.parent for one in tree.ends if one.number == end)
        yield np.array([poses[parent][:3, 3], pose[:3, 3]])


def _line(
    axes: Axes, times: Array, values: Array, colour: str, label: str = "", width: float = 1.2
) -> None:
    chosen = decimate(values)
    axes.plot(times[chosen], values[chosen], color=colour, lw=width, label=label)

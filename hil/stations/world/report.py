"""What the page of a run of the virtual environment shows besides: joints, robot and tool."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
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
from hil.stations.world.filming import instants as drawn_instants
from hil.stations.world.pictures import PicturesError
from hil.stations.world.recorded import COORDINATES, RecordedWorld
from sim.world.engine.library import EngineMissingError
from sim.world.engine.world import World
from sim.world.robots.model import NOWHERE

Array = NDArray[np.float64]

FRAMES: Final = 6
"""Instants at which a robot is drawn."""
MARKED: Final = 12
"""Contacts whose beginnings are marked."""
SENSORS: Final = 8
"""Quantities of sensors that are drawn."""
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


def instants(run: RecordedRun) -> Picture | None:
    """The robot at some instants, as a camera sees it; None where nothing can be drawn."""
    if len(run.times) < 2:
        return None
    try:
        shown = drawn_instants(RecordedWorld.of(run.recording), FRAMES)
    except (KeyError, ValueError, PicturesError):
        return None

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, FRAMES // 2).flat
        place(figure, grid=(FRAMES // 2, 2), left_in=0.1, bottom_in=0.1, between_in=(0.1, 0.32))
        for axes, one in zip_longest(panels, shown):
            axes.set_axis_off()
            if one is not None:
                axes.imshow(one.picture, interpolation="antialiased")
                axes.set_title(f"{one.t_s:.2f} s")

    caption = "Drawn from the recorded states."
    return Picture("instants", "The robot in pictures", caption, draw_png(6.4, draw))


def motion_frames(run: RecordedRun) -> Picture | None:
    """The robot at some instants as lines between its links, with the way of its tool."""
    if len(run.times) < 2:
        return None
    try:
        recorded = RecordedWorld.of(run.recording)
        world = recorded.world()
    except (KeyError, ValueError, EngineMissingError):
        return None
    rows = recorded.spread(FRAMES)
    sticks = [list(robot_lines(world, recorded.positions[row])) for row in rows.tolist()]
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

    caption = "Lines join the frames of the links and their joints; a panel's axes have one scale."
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


def contact_force(run: RecordedRun) -> Picture | None:
    """Normal forces of all that touches robots, over time, and which contacts began when."""
    force_n = run.recording.column("contact_force_n")
    if len(run.times) < 2 or not force_n.any():
        return None
    begun = [
        (one.t_s, f"{one.t_s:.3f} s: {one.data.get('contact')}, {one.data.get('with')}")
        for one in run.recording.events
        if one.name == "contact" and one.t_s == one.data.get("begun_s")
    ]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=2.6, top_in=0.1)
        _line(axes, run.times, force_n, INK)
        for index, (t_s, told) in enumerate(begun[:MARKED]):
            axes.axvline(t_s, color=LEG_COLOURS[index % len(LEG_COLOURS)], lw=1.2, label=told)
        axes.margins(x=0.01)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel("time [s]")
        axes.set_ylabel("contact force [N]")
        if begun:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    caption = f"Along the normals, all pairs added up; {len(begun)} contacts began."
    return Picture("contacts", "Contacts over time", caption, draw_png(2.8, draw))


def sensor_readings(run: RecordedRun) -> Picture | None:
    """What the robot's sensors told over time; of many the first ones."""
    fields = run.recording.header.signals.fields
    names = [one.name for one in fields]
    shown = fields[names.index(COORDINATES) + 1 :][:SENSORS] if COORDINATES in names else ()
    if not shown or len(run.times) < 2:
        return None

    def draw(figure: Figure) -> None:
        panels = np.atleast_1d(figure.subplots(len(shown), 1, sharex=True))
        place(figure, grid=(1, len(shown)), right_in=1.9, top_in=0.1, between_in=(0.5, 0.15))
        for axes, signal in zip(panels, shown, strict=True):
            values = run.recording.column(signal.name).reshape(len(run.times), -1)
            for index, column in enumerate(values.T):
                colour = LEG_COLOURS[index % len(LEG_COLOURS)]
                _line(axes, run.times, column, colour, (signal.parts or ("",))[index])
            axes.set_title(f"{signal.name} [{signal.unit}]", loc="left", fontsize="small")
            axes.margins(x=0.01)
            if signal.parts:
                axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small",
                            ncols=1 + len(signal.parts) // 9)  # fmt: skip
        panels[-1].set_xlabel("time [s]")

    more = len(fields) - names.index(COORDINATES) - 1 - len(shown)
    caption = "With noise, delay and all else that their documents tell." + (
        f" {more} more are in the recording." if more else ""
    )
    height_in = 0.7 + 1.5 * len(shown)
    return Picture("sensors", "Sensors over time", caption, draw_png(height_in, draw))


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


def robot_lines(world: World, positions: Array) -> Iterator[Array]:
    """Lines from the frame of each link to where its joints lead, shape (2, 3).

    To the frames of the links that it carries, to its ends, and to its points that close loops.

    Args:
        world: of the robot, its first one; it is moved.
        positions: of everything that moves there.
    """
    world.move_to(positions)
    world.settle()
    robot = world.robots[0]
    for joint in robot.placed.robot.joints:
        if joint.parent == NOWHERE:
            continue
        begin = robot.pose(joint.parent)
        if joint.closes and joint.at_child_m is not None:
            end = robot.pose(joint.child)
            yield np.array([end[:3, 3], end[:3, :3] @ joint.at_child_m + end[:3, 3]])
        if joint.child != NOWHERE and not joint.closes:
            yield np.array([begin[:3, 3], robot.pose(joint.child)[:3, 3]])
        elif joint.at_parent_m is not None:
            yield np.array([begin[:3, 3], begin[:3, :3] @ joint.at_parent_m + begin[:3, 3]])


def _line(
    axes: Axes, times: Array, values: Array, colour: str, label: str = "", width: float = 1.2
) -> None:
    chosen = decimate(values)
    axes.plot(times[chosen], values[chosen], color=colour, lw=width, label=label)

"""Station's part of a run's page: joints, robot and tool."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.recording.decimation import Line
from hil.report.pieces import any_finite, curve, lines
from hil.report.recorded_run import RecordedRun, Row, Table, Tables
from hil.report.style import (
    INK,
    LEG_COLOURS,
    LEGEND_IN,
    LIMIT,
    WANTED,
    Picture,
    draw_png,
    place,
)
from hil.stations.world.report.picture_grid import draw_pictures, rows_of
from hil.stations.world.report.values import (
    joint_lines,
    joint_places,
    joint_units,
    signal_of,
    values,
)
from hil.stations.world.view.pictures import PicturesError
from hil.stations.world.view.recorded_world import COORDINATES, RecordedWorld
from hil.stations.world.view.run_film import instants as drawn_instants
from sim.world.engine.library import EngineMissingError
from sim.world.engine.world import World
from sim.world.robots.model import NOWHERE

Array = NDArray[np.float64]

FRAMES: Final = 6
"""Number of instants at which a robot is drawn."""
MARKED: Final = 12
"""Most contacts whose beginnings are marked."""
SENSORS: Final = 8
"""Most quantities of sensors that are drawn."""
LOSSES_MAX: Final = 20
"""Most lines about contents that had no effect."""
VIEWS: Final = (("from the side", 0, 2), ("from above", 0, 1))
"""Name of each view, and the axes of the world that it shows."""
SHOWN: Final = {"rad": ("deg", 180.0 / np.pi), "m": ("mm", 1e3)}
"""Unit and factor in which joints are shown, by their own unit."""


def joints_over_time(run: RecordedRun) -> Picture | None:
    """Angle and effort of every driven joint against time."""
    if len(run.times) < 2:
        return None
    wanted, found, effort = joint_lines(run, "wanted", "position", "effort")
    if not found:
        return None

    def draw(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        place(figure, grid=(1, 2), right_in=LEGEND_IN, top_in=0.1, between_in=(0.5, 0.15))
        for index, (name, (unit, line)) in enumerate(found.items()):
            shown, factor = SHOWN[unit]
            colour = LEG_COLOURS[index % len(LEG_COLOURS)]
            _line(upper, run.times, wanted[name][1], WANTED, width=2.6, factor=factor)
            _line(upper, run.times, line, colour, f"{name} [{shown}]", factor=factor)
        for index, (name, (unit, line)) in enumerate(effort.items()):
            colour = LEG_COLOURS[index % len(LEG_COLOURS)]
            _line(lower, run.times, line, colour, f"{name} [{unit}]")
        upper.set_ylabel("position")
        lower.set_ylabel("effort of the drives")
        lower.set_xlabel("time [s]")
        for axes in (upper, lower):
            axes.margins(x=0.01)
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    caption = "Grey: where each joint should be. Below: torque or force of its drive."
    return Picture("joints", "Joints and drives over time", caption, draw_png(5.6, draw))


def instants(run: RecordedRun) -> Picture | None:
    """Pictures of the robot at some instants, by a camera; None where nothing can be drawn."""
    if len(run.times) < 2:
        return None
    try:
        shown = drawn_instants(RecordedWorld.of(run.recording), FRAMES)
    except (KeyError, ValueError, PicturesError):
        return None

    titles, columns = [f"{one.t_s:.2f} s" for one in shown], FRAMES // 2
    height_in = 3.2 * rows_of(shown, columns)
    png = draw_png(height_in, lambda figure: draw_pictures(figure, shown, titles, columns))
    return Picture("instants", "The robot in pictures", "Drawn from the recorded states.", png)


def motion_frames(run: RecordedRun) -> Picture | None:
    """Robot at some instants as lines between its links, with the path of its tool."""
    if len(run.times) < 2:
        return None
    try:
        recorded = RecordedWorld.of(run.recording)
        world = recorded.world()
    except (KeyError, ValueError, EngineMissingError):
        return None
    rows = recorded.spread(FRAMES)
    sticks = [list(robot_lines(world, recorded.positions[row])) for row in rows.tolist()]
    path = curve(run, _tool_m)
    times: list[float] = run.times[rows].tolist()
    colours = colormaps["viridis_r"](np.linspace(0.0, 1.0, len(times))).tolist()

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(VIEWS))
        place(figure, grid=(len(VIEWS), 1), right_in=1.2, between_in=(0.7, 0.3))
        for axes, (name, across, up) in zip(panels, VIEWS, strict=True):
            for colour, drawn in zip(colours, sticks, strict=True):
                for line in drawn:
                    axes.plot(line[:, across], line[:, up], color=colour, lw=2.4, marker="o", ms=3)
            axes.plot(path[:, across], path[:, up], color=LIMIT, lw=1.4)
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
    """Tool's path in space, over time, and off the straight line between its ends."""
    if len(run.times) < 2 or any_finite(run, lambda part: _where(~np.isfinite(_tool_m(part)))):
        return None
    first, last = (_tool_m(run.part(row, row + 1))[0] for row in (0, len(run.times) - 1))
    whole = last - first
    length_m = float(np.linalg.norm(whole))

    def moved_mm(part: RecordedRun) -> Array:
        return 1e3 * (_tool_m(part) - first)

    def along_and_off_mm(part: RecordedRun) -> Array:
        moved = _tool_m(part) - first
        along = (moved * whole).sum(axis=1)
        off = np.linalg.norm(np.cross(moved, whole), axis=1)
        return 1e3 * np.column_stack((along, off)) / max(length_m, 1e-12)

    (moved,), apart = lines(run, moved_mm), curve(run, along_and_off_mm)
    path = curve(run, _tool_m)

    def draw(figure: Figure) -> None:
        views, (left, right) = figure.subplots(2, 2)
        place(figure, grid=(2, 2), between_in=(0.75, 0.7))
        for axes, (name, across, up) in zip(views, VIEWS, strict=True):
            _path(axes, path[:, (across, up)], "xyz"[across], "xyz"[up])
            axes.set_title(f"in space, {name} [m]")
        views[1].legend(loc="best")
        for name, line, colour in zip("xyz", moved, LEG_COLOURS, strict=False):
            _line(left, run.times, line, colour, name)
        left.set_xlabel("time [s]")
        left.set_ylabel("tool, moved [mm]")
        left.legend(loc="best")
        right.plot(apart[:, 0], apart[:, 1], color=INK)
        right.set_xlabel("along the straight way between its ends [mm]")
        right.set_ylabel("from it [mm]")

    caption = (
        f"{1e3 * length_m:.1f} mm from its first place to its last, at most "
        f"{apart[:, 1].max():.3f} mm off the straight way between them. In space a panel's axes "
        "have one scale."
    )
    return Picture("tool", "Way of the tool", caption, draw_png(6.2, draw))


def _path(axes: Axes, path_m: Array, across: str, up: str) -> None:
    """Draw a path in two axes of the world, with its ends and the straight line between them."""
    ends = path_m[[0, -1]]
    axes.plot(ends[:, 0], ends[:, 1], color=WANTED, lw=3.0, label="straight way")
    axes.plot(path_m[:, 0], path_m[:, 1], color=INK, lw=1.2, label="tool")
    for end, mark, name in zip(ends, "os", ("first", "last"), strict=True):
        axes.plot(*end, mark, color=LIMIT, ms=5, label=name, linestyle="none")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_aspect("equal", adjustable="datalim")


def contact_force(run: RecordedRun) -> Picture | None:
    """Normal forces of all that touches robots, over time, and the beginnings of contacts."""
    if len(run.times) < 2 or not any_finite(run, lambda part: _where(_force_n(part) != 0.0)):
        return None
    ((force,),) = lines(run, _force_n)
    begun = [
        (one.t_s, f"{one.t_s:.3f} s: {one.data.get('contact')}, {one.data.get('with')}")
        for one in run.recording.events
        if one.name == "contact" and one.t_s == one.data.get("begun_s")
    ]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=2.6, top_in=0.1)
        _line(axes, run.times, force, INK)
        for index, (t_s, label) in enumerate(begun[:MARKED]):
            axes.axvline(t_s, color=LEG_COLOURS[index % len(LEG_COLOURS)], lw=1.2, label=label)
        axes.margins(x=0.01)
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel("time [s]")
        axes.set_ylabel("contact force [N]")
        if begun:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    caption = f"Along the normals, all pairs added up; {len(begun)} contacts began."
    return Picture("contacts", "Contacts over time", caption, draw_png(2.8, draw))


def sensor_readings(run: RecordedRun) -> Picture | None:
    """Readings of the robot's sensors over time; of many the first ones."""
    fields = run.recording.header.signals.fields
    names = [one.name for one in fields]
    shown = fields[names.index(COORDINATES) + 1 :][:SENSORS] if COORDINATES in names else ()
    if not shown or len(run.times) < 2:
        return None

    (drawn,) = lines(run, lambda part: values(part, shown))
    rest = iter(drawn)

    def draw(figure: Figure) -> None:
        panels = np.atleast_1d(figure.subplots(len(shown), 1, sharex=True))
        place(figure, grid=(1, len(shown)), right_in=1.9, top_in=0.1, between_in=(0.5, 0.15))
        for axes, signal in zip(panels, shown, strict=True):
            for index, line in enumerate(islice(rest, signal.count)):
                colour = LEG_COLOURS[index % len(LEG_COLOURS)]
                _line(axes, run.times, line, colour, (signal.parts or ("",))[index])
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
    """Error of each joint."""
    wanted, found = (signal_of(run, name) for name in ("wanted", "position"))
    if wanted is None or found is None or not len(run.times):
        return None
    units, own, asked = joint_units(found), joint_places(found), joint_places(wanted)
    factors = np.array([SHOWN[unit][1] for unit in units.values()])
    most = last = np.full(len(units), -np.inf)
    for part in run.pieces():
        reached = values(part.run, [found])[:, [own[name] for name in units]]
        apart = reached - values(part.run, [wanted])[:, [asked[name] for name in units]]
        errors = factors * np.abs(apart[part.before :])
        most, last = np.maximum(most, errors.max(axis=0)), errors[-1]
    rows = [
        Row((name, f"{most[at]:.5f} {SHOWN[unit][0]}", f"{last[at]:.6f} {SHOWN[unit][0]}"))
        for at, (name, unit) in enumerate(units.items())
    ]
    return Tables((Table(("joint", "greatest error", "at the end"), tuple(rows)),))


def losses(run: RecordedRun) -> Tables | None:
    """Contents of the robots' documents that had no effect."""
    listed = (run.recording.scenario or {}).get("losses")
    lines = [str(one) for one in listed] if isinstance(listed, list) else []
    if not lines:
        return None
    more = len(lines) - LOSSES_MAX
    note = f"{more} more: hil world check of the document tells all." if more > 0 else ""
    rows = tuple(Row((line,)) for line in lines[:LOSSES_MAX])
    return Tables((Table(("lost",), rows),), note)


def _tool_m(part: RecordedRun) -> Array:
    """Position of the tool [m], shape (rows, 3)."""
    return part.recording.column("tool_pose")[:, :3]


def _force_n(part: RecordedRun) -> Array:
    return part.recording.column("contact_force_n")


def _where(chosen: NDArray[np.bool_]) -> Array:
    """Mask as numbers: 1 where true, NaN elsewhere."""
    return np.where(chosen, 1.0, np.nan)


def robot_lines(world: World, positions: Array) -> Iterator[Array]:
    """Lines from the frame of each link to its joints, shape (2, 3).

    To the frames of the links that it carries, to its ends, and to its points that close loops.

    Args:
        world: world of the robot, its first one; it is moved.
        positions: coordinates of everything that moves there.
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
    axes: Axes, times: Array, line: Line, colour: str, label: str = "", width: float = 1.2,
    factor: float = 1.0,
) -> None:  # fmt: skip
    axes.plot(times[line.places], factor * line.values, color=colour, lw=width, label=label)

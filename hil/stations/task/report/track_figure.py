"""Track of the robot from above: obstacles, its way by phases, what its beams saw, the load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon
from numpy.typing import NDArray

from hil.report.pieces import values_at
from hil.report.recorded_run import RecordedRun
from hil.report.style import INK, LEG_COLOURS, LIMIT, WANTED, Picture, draw_png, place
from hil.stations.task.report.phases import TaskPhase, phases_of_run
from hil.stations.world.view.recorded_world import COORDINATES, RecordedWorld
from sim.world.engine.library import EngineMissingError
from sim.world.robots.body import BodyShape
from sim.world.robots.model import BASE
from sim.world.scenes.fields import body_poses
from sim.world.scenes.model import BodyMotion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sim.world.engine.world import World
    from sim.world.scenes.model import Scene, SceneBody

Array = NDArray[np.float64]

POINTS: Final = 600
"""Most points of the track."""
OUTLINES: Final = 12
"""Number of instants at which the chassis and its beams are drawn."""
DRIVEN_M: Final = 0.05
"""Least path of a phase that has a colour of its own [m]."""
CHASSIS_M: Final = (0.6, 0.52)
"""Length and width of the outline that is drawn [m]."""


def track(run: RecordedRun) -> Picture | None:
    """Picture of the track; None without a scene, an engine, or a robot that drives."""
    if len(run.times) < 2:
        return None
    try:
        recorded = RecordedWorld.of(run.recording)
        world = recorded.world()
    except (KeyError, ValueError, EngineMissingError):
        return None
    if recorded.scene is None:
        return None
    scene, rows = recorded.scene, recorded.spread(POINTS)
    bases = np.array([_base(world, recorded.positions[row]) for row in rows.tolist()])
    if np.ptp(bases[:, :2], axis=0).max() < DRIVEN_M:
        return None
    marks = np.linspace(0, len(rows) - 1, OUTLINES).astype(int)
    hits = [_beam_ends(run, world, recorded.positions[rows[at]], int(rows[at])) for at in marks]
    loads = _loads(run, scene, rows)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=1.9)
        for body in scene.bodies:
            _draw_body(axes, scene, body)
        phases = phases_of_run(run)
        colours = _draw_way(axes, bases, run.times[rows], phases)
        for at, ends in zip(marks.tolist(), hits, strict=True):
            axes.add_patch(_outline(bases[at]))
            axes.plot(ends[:, 0], ends[:, 1], ".", color=LIMIT, ms=3)
        if loads is not None:
            axes.plot(loads[:, 0], loads[:, 1], color=WANTED, lw=1.0, ls=":")
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")
        handles = [Line2D([], [], color=colour, lw=2.0, label=name)
                   for name, colour in colours.items()]  # fmt: skip
        handles.append(Line2D([], [], color=LIMIT, marker=".", ls="", label="seen by beams"))
        figure.legend(handles=handles, loc="upper right", fontsize="x-small")

    caption = (
        "From above: the way of the robot's middle by phases, its outline at "
        f"{OUTLINES} instants with where its beams met something, dotted what moves freely."
    )
    return Picture("track", "Track of the robot", caption, draw_png(6.4, draw))


def _base(world: World, positions: Array) -> tuple[float, float, float]:
    """Place x, y and heading of the base."""
    world.move_to(positions)
    world.settle()
    pose = world.robots[0].pose(BASE)
    return float(pose[0, 3]), float(pose[1, 3]), math.atan2(float(pose[1, 0]), float(pose[0, 0]))


def _beam_ends(run: RecordedRun, world: World, positions: Array, row: int) -> Array:
    """Places where beams of the rangefinders met something, shape (n, 2)."""
    robot, found = world.robots[0], list[Array]()
    world.move_to(positions)
    world.settle()
    names = [one.name for one in run.recording.header.signals.fields]
    for sensor in robot.placed.robot.sensors:
        name = f"{sensor.called}_distance_m"
        if not sensor.directions or name not in names or sensor.link is None:
            continue
        pose = robot.pose(sensor.link)
        at_m = (0.0, 0.0, 0.0) if sensor.place is None else sensor.place.position_m
        origin = pose[:3, :3] @ np.array(at_m) + pose[:3, 3]
        ranges = np.ravel(values_at(run, lambda part, name=name: part.recording.column(name),
                                    np.array([row])))  # fmt: skip
        most = math.inf if sensor.range_m is None else sensor.range_m - 0.05
        for direction, range_m in zip(sensor.directions, ranges.tolist(), strict=False):
            if math.isfinite(range_m) and range_m < most:
                unit = np.array(direction) / np.linalg.norm(direction)
                found.append((origin + range_m * (pose[:3, :3] @ unit))[:2])
    return np.array(found).reshape(-1, 2)


def _loads(run: RecordedRun, scene: Scene, rows: NDArray[np.intp]) -> Array | None:
    """Way of the first free body of the scene, shape (n, 2); None without one."""
    free = next((one for one in scene.bodies if one.motion is BodyMotion.FREE), None)
    fields = {one.name: one for one in run.recording.header.signals.fields}
    parts = fields[COORDINATES].parts if COORDINATES in fields else ()
    name = "" if free is None else f"{free.name}_joint_x_m"
    if name not in parts:
        return None
    at = parts.index(name)
    return values_at(run, lambda part: part.recording.column(COORDINATES)[:, at : at + 2], rows)


def _draw_body(axes: Axes, scene: Scene, body: SceneBody) -> None:
    """Draw the outline of a body from above."""
    poses = body_poses(scene)
    if body.name not in poses or body.shape is BodyShape.NONE:
        return
    pose, colour = poses[body.name], body.colour
    x, y = float(pose[0, 3]), float(pose[1, 3])
    if body.shape is BodyShape.BOX:
        a, b = 0.5 * body.size_m[0], 0.5 * body.size_m[1]
        corners = np.array([(a, b), (-a, b), (-a, -b), (a, -b)]) @ pose[:2, :2].T + (x, y)
        axes.add_patch(Polygon(corners, facecolor=colour, edgecolor=INK, lw=0.5, alpha=0.8))
    else:
        axes.add_patch(Circle((x, y), body.size_m[0], facecolor=colour, edgecolor=INK, lw=0.5))


def _draw_way(
    axes: Axes, bases: Array, times_s: Array, phases: tuple[TaskPhase, ...]
) -> dict[str, str]:
    """Draw the way; returns the colour of each phase in which the robot drives, by its name."""
    axes.plot(bases[:, 0], bases[:, 1], color=INK, lw=0.8)
    colours: dict[str, str] = {}
    for one in phases:
        way = bases[(times_s >= one.begin_s) & (times_s <= one.end_s), :2]
        if np.linalg.norm(np.diff(way, axis=0), axis=1).sum() >= DRIVEN_M:
            colour = LEG_COLOURS[len(colours) % len(LEG_COLOURS)]
            colour = colours.setdefault(one.name, colour)
            axes.plot(way[:, 0], way[:, 1], color=colour, lw=2.0)
    return colours


def _outline(base: Array) -> Polygon:
    """Outline of the chassis."""
    a, b = 0.5 * CHASSIS_M[0], 0.5 * CHASSIS_M[1]
    cos, sin = math.cos(base[2]), math.sin(base[2])
    corners = np.array([(a, b), (-a, b), (-a, -b), (a, -b)]) @ np.array([[cos, sin], [-sin, cos]])
    return Polygon(corners + base[:2], fill=False, edgecolor=INK, lw=0.8)

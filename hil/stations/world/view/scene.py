"""Run of the virtual environment in space: robots and bodies at the coordinates of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.scene.figure import Build, Camera, Figure, LegendEntry, Part, Piece, grid
from hil.scene.solids import Solid, ball, box, cylinder
from hil.scene.track import Track, between_angles
from hil.stations.world.view.recorded_world import COORDINATES, world_text
from sim.world.engine.library import EngineMissingError
from sim.world.engine.world import World
from sim.world.meshes.mesh_reader import surface_of
from sim.world.robots.bodies import PlacedBody, placed_bodies
from sim.world.robots.body import BodyShape, LinkMesh
from sim.world.robots.model import RobotLink
from sim.world.robots.tree import rotation_of
from sim.world.scenes.bodies import placed_body
from sim.world.scenes.model import BodyMotion

if TYPE_CHECKING:
    from hil.recording.header import RunHeader
    from sim.world.engine.world import WorldRobot
    from sim.world.scenes.model import SceneBody

Array = NDArray[np.float64]

TRACE_STEP_M: Final = 1e-3
SEEN_M: Final = (0.3, 16.0)
"""Least and greatest diameter of the view [m]."""
LOW: Final = 0.3
"""Height of a scene, as a share of its width, below which it is seen from above its walls."""
ELEVATIONS_DEG: Final = (20.0, 58.0)
"""Elevation of the eye above a scene, and above a low one that has walls [deg]."""
GRIDS_M: Final = ((0.8, 0.1), (4.0, 0.25), (np.inf, 1.0))
"""Sizes of the scene up to which the floor's grid has a spacing, and that spacing [m]."""


class WorldScene:
    """Robots and bodies of a world; the first robot's tool leaves its path.

    Colours are those of roles, not of documents: links of the robot that moves alternate, other
    robots are grey, bodies that move differ from those that do not. Meshes are drawn
    as the boxes about them.

    Args:
        world: world where the run begins.
        at: places in a row of everything that moves, its time, and the tool's pose.
        quaternions: places of quaternions' first numbers among what moves.
    """

    def __init__(
        self, world: World, title: str, at: dict[str, slice], quaternions: list[int]
    ) -> None:
        self.title: str = title
        self._world, self._at, self._quaternions = world, at, quaternions
        self._start = world.positions
        self._track = Track(at["t_s"], at["tool_pose"], TRACE_STEP_M)
        self._robots = [
            (robot, link.number) for robot in world.robots for link in robot.placed.robot.links
        ]
        self.build: Build = self._built()

    def take(self, rows: Array, now_s: float) -> None:
        """Take new frames; after a jump in time the path begins anew."""
        self._track.take(rows, now_s)

    def figure(self, now_s: float) -> Figure:
        """Figure of a moment [s], between the last two frames."""
        known, positions = self._track.between, self._start
        if known is not None:
            before, newest = (
                known.before[self._at[COORDINATES]],
                known.newest[self._at[COORDINATES]],
            )
            positions = self._between(before, newest, known.share(now_s))
            positions = np.where(np.isfinite(positions), positions, self._start)
        return self._track.drawn(self.posed(positions), "")

    def posed(self, positions: Array) -> Figure:
        """Figure at given coordinates of the engine."""
        self._world.move_to(positions)
        self._world.settle()
        return Figure(self._placements(), tuple(self.build.roles.values()))

    def _between(self, before: Array, newest: Array, share: float) -> Array:
        """Coordinates between two sets; of a quaternion along the shorter arc."""
        before = before.copy()
        for first in self._quaternions:
            four = slice(first, first + 4)
            if before[four] @ newest[four] < 0.0:
                before[four] *= -1.0
        return between_angles(before, newest, share)

    def _placements(self) -> Array:
        poses = [robot.pose(link) for robot, link in self._robots]
        poses += [body.pose() for body in self._world.bodies.values()]
        return np.array(poses)

    def _built(self) -> Build:
        links = [_of_link(robot, number) for robot, number in self._robots]
        bodies = [_of_body(body.document) for body in self._world.bodies.values()]
        corners = self._world.corners_m()
        low, high = corners.min(axis=0), corners.max(axis=0)
        size_m = float(np.clip(np.linalg.norm(high - low), *SEEN_M))
        x, y, z = (0.5 * (low + high)).tolist()
        across_m = float(np.linalg.norm((high - low)[:2]))
        is_low = size_m > GRIDS_M[1][0] and float(high[2] - low[2]) < LOW * across_m
        step_m = next(step for most, step in GRIDS_M if size_m <= most)
        roles = ("arm", "arm_dark", "gripper", "base", "table", "payload")
        legend = [LegendEntry("arm", "robot"), LegendEntry("trace", "way of its tool")]
        if len(self._world.robots) > 1:
            legend.append(LegendEntry("base", "other robots"))
        if any(one.document.motion is not BodyMotion.FIXED for one in self._world.bodies.values()):
            legend.append(LegendEntry("payload", "bodies that move"))
        legend.append(LegendEntry("grid", f"grid {step_m:g} m"))
        return Build(
            parts=(*links, *bodies),
            roles={name: name for name in roles},
            ground=grid(0.75 * size_m, step_m, min(0.0, float(low[2])), (x, y)),
            labels=(),
            legend=tuple(legend),
            camera=Camera((x, y, z), size_m, -35.0, ELEVATIONS_DEG[is_low]),
        )


def scenes_of(header: RunHeader) -> tuple[WorldScene, ...]:
    """Scene of a run's world.

    Raises:
        KeyError: if the header describes none.
        ValueError: if a document in it is not valid, or there is no physics engine.
    """
    text, scene = world_text(header.scenario)
    try:
        world = World(text)
    except EngineMissingError as error:
        raise ValueError(str(error)) from None
    places = header.signals.places
    at = {name: places[name] for name in ("t_s", "tool_pose", COORDINATES)}
    units = [unit for _, unit in world.coordinate_names()]
    counted = [place for place, unit in enumerate(units) if unit == "1"]
    name = header.metadata.get("robot", "") or "robot"
    title = f"Robot {name}" if scene is None else f"Robot {name} in {scene.name}"
    return (WorldScene(world, title, at, counted[::4]),)


def _of_link(robot: WorldRobot, number: int) -> Part:
    """Link as a part of the figure."""
    document = robot.placed.robot
    link = next(one for one in document.links if one.number == number)
    first = not robot.placed.group
    last = not any(joint.parent == number and joint.child >= 0 for joint in document.joints)
    role = "base" if not first else "gripper" if last else ("arm_dark", "arm")[number % 2]
    pieces = tuple(Piece(one, role) for one in _seen(link, placed_bodies(document)[number]))
    return Part(f"{robot.placed.prefix}link {number}", pieces)


def _of_body(body: SceneBody) -> Part:
    role = "table" if body.motion is BodyMotion.FIXED else "payload"
    what = placed_body(body)
    pieces = _solids(what.shape, what.size_m, what.rotation, what.position_m, np.zeros((0, 3)))
    return Part(body.name, tuple(Piece(one, role) for one in pieces))


def _seen(link: RobotLink, what: PlacedBody) -> Iterator[Solid]:
    """Visible solids of a link, or else its body, in its frame."""
    seen, mesh = link.visual, what.mesh
    if seen is None:
        corners = np.zeros((0, 3)) if mesh is None else _corners(mesh)
        yield from _solids(what.shape, what.size_m, what.rotation, what.position_m, corners)
        return
    corners = np.zeros((0, 3)) if seen.mesh is None else _corners(seen.mesh)
    turned = rotation_of(seen.quaternion)
    yield from _solids(seen.shape, seen.size_m, turned, np.array(seen.position_m), corners)


def _corners(mesh: LinkMesh) -> Array:
    """Corners of its triangles, shape (n, 3)."""
    return surface_of(mesh).corners.reshape(-1, 3)


def _solids(
    shape: BodyShape, size_m: tuple[float, ...], rotation: Array, position_m: Array, corners: Array
) -> Iterator[Solid]:
    """Solids of a body about its centre, placed."""
    made: list[Solid] = []
    match shape:
        case BodyShape.BOX:
            made = [box(size_m)]
        case BodyShape.SPHERE:
            made = [ball(size_m[0])]
        case BodyShape.CYLINDER | BodyShape.CAPSULE:
            radius, length = size_m[0], size_m[1]
            made = [cylinder(radius, length).moved(0.0, 0.0, -0.5 * length)]
            if shape is BodyShape.CAPSULE:
                made += [ball(radius).moved(0.0, 0.0, end * length) for end in (-0.5, 0.5)]
        case BodyShape.MESH if len(corners):
            low, high = corners.min(axis=0), corners.max(axis=0)
            middle = 0.5 * (low + high)
            made = [box(np.maximum(high - low, 1e-4).tolist()).moved(*middle.tolist())]
        case _:
            pass
    for one in made:
        yield one.placed(rotation, position_m)

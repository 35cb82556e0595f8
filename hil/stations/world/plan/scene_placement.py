"""Place of a scenario's robot: alone on nothing, or in a scene with bodies and other robots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from hil.config.errors import ConfigError
from hil.config.fields import AngleDeg, Point
from hil.config.settings import Settings

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from hil.machines.world.scene_documents import FurnishedScene
    from hil.stations.world.plan.recorded_plan import RecordedScene
    from sim.world.engine.model_compiler import ModelText
    from sim.world.robots.model import Robot
    from sim.world.scenes.model import Scene, Stepping

NAME: Final = "robot"
"""Name of a robot that the scene does not place itself."""


class Mount(Settings):
    """Place of a robot in a scene."""

    on: str = ""
    """Body, or robot of the scene, that bears it; empty for the world."""
    link: Annotated[int, Field(ge=0)] = 0
    """Link of the robot that bears it."""
    position_m: Point = (0.0, 0.0, 0.0)
    """Position of its base in the frame of what bears it [m]."""
    turn_deg: tuple[AngleDeg, AngleDeg, AngleDeg] = (0.0, 0.0, 0.0)
    """Rotation of its base in that frame: about x, then y, then z."""

    def rotation(self) -> NDArray[float64]:
        """Axes of its base as columns, shape (3, 3)."""
        from sim.world.robots.rotations import rotation_of_rpy

        return rotation_of_rpy([math.radians(angle) for angle in self.turn_deg])


@dataclass(frozen=True, slots=True)
class PlacedScene:
    """Scene with the robot that moves in it, and others that are held."""

    scene: Scene
    """Bodies, floor and fields, and the places of robots."""
    robots: Mapping[str, Robot]
    """Robots by their names in the scene."""
    moved: str
    """Name of the robot that moves."""
    file: str
    """Path of the scene's document."""
    documents: Mapping[str, str]
    """Paths of the robots' documents, by their names; meshes lie beside them."""
    lost: tuple[str, ...] = ()
    """Contents of those documents that are not taken, a line each."""

    def with_robot(self, robot: Robot) -> PlacedScene:
        """Copy with another document of the robot that moves."""
        return replace(self, robots={**self.robots, self.moved: robot})

    def to_table(self) -> dict[str, Any]:
        """Data of it in a recording; `placed_of` reads them."""
        from sim.world.robots.robot_toml_writer import write_toml
        from sim.world.scenes.scene_writer import write_scene

        return {
            "scene": write_scene(self.scene),
            "robots": {name: write_toml(one, whole=True) for name, one in self.robots.items()},
            "moved": self.moved,
            "file": self.file,
            "documents": dict(self.documents),
        }

    def text(self, stepping: Stepping, seed: int) -> ModelText:
        """Text of the engine's model; the robot that moves is the first.

        Raises:
            FieldFullError: if a field's bodies find no places.
        """
        from sim.world.engine.mjcf_scene import scene_text

        first = sorted(self.scene.robots, key=lambda one: one.name != self.moved)
        own = self.scene.stepping
        acting = replace(stepping, magnetic_t=own.magnetic_t, friction_ratio=own.friction_ratio)
        scene = replace(self.scene, robots=tuple(first), stepping=acting)
        return scene_text(scene, self.robots, seed)


def placed_of(kept: RecordedScene) -> PlacedScene:
    """Scene out of a recording.

    Raises:
        RobotDocumentError: if one of its documents is not valid.
    """
    from sim.world.robots.robot_toml_reader import read_toml
    from sim.world.scenes.scene_reader import read_scene

    robots = {name: read_toml(text, f"{kept.file}: {name}") for name, text in kept.robots.items()}
    scene = read_scene(kept.scene, kept.file)
    return PlacedScene(scene, robots, kept.moved, kept.file, kept.documents)


def placed_scene(
    found: FurnishedScene, robot: Robot, document: str, mount: Mount | None, robot_file: str
) -> PlacedScene:
    """Scene with a robot in it.

    Args:
        document: name or file of the robot.
        mount: place of the robot; None: that of the scene's robot of the same document, or else the
            origin.
        robot_file: path of the robot's document.

    Raises:
        ConfigError: if it cannot be there.
    """
    from sim.world.robots.rotations import quaternion_of
    from sim.world.scenes.checks import SceneError, check_scene
    from sim.world.scenes.model import SceneRobot

    if mount is None:
        for one in found.scene.robots:
            if found.robots[one.name] == robot:
                held = _held(found.robots)
                return PlacedScene(
                    found.scene, held, one.name, str(found.file), found.documents, found.lost
                )
    taken = {row.name for row in (*found.scene.robots, *found.scene.bodies, *found.scene.fields)}
    names = (NAME if not count else f"{NAME}_{count + 1}" for count in range(len(taken) + 1))
    name = next(one for one in names if one not in taken)
    row = SceneRobot(name, document)
    if mount is not None:
        w, x, y, z = quaternion_of(mount.rotation())
        row = replace(
            row, on=mount.on, link=mount.link, position_m=mount.position_m,
            quaternion=(w, x, y, z),
        )  # fmt: skip
    scene = replace(found.scene, robots=(*found.scene.robots, row))
    robots = {**_held(found.robots), name: robot}
    try:
        check_scene(scene, robots)
    except SceneError as error:
        raise ConfigError(str(found.file), [f"with mount of {document}: {error}"]) from None
    documents = {**found.documents, name: robot_file}
    return PlacedScene(scene, robots, name, str(found.file), documents, found.lost)


def _held(robots: Mapping[str, Robot]) -> dict[str, Robot]:
    """Robots whose drives are commanded by torque, whatever their documents say."""
    return {
        name: replace(robot, drives=tuple(replace(one, control="torque") for one in robot.drives))
        for name, robot in robots.items()
    }

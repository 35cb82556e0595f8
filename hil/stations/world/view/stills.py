"""Pictures of a robot or a scene where it starts, as files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.stations.world.view.pictures import PictureProcess, PicturesError
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot, end_name, link_name
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import ModelRefusedError, World
from sim.world.pictures.png import png
from sim.world.pictures.wire import PictureOrder, View, WireError
from sim.world.robots.model import JointType
from sim.world.scenes.checks import SceneError
from sim.world.scenes.fields import FieldFullError

if TYPE_CHECKING:
    from hil.machines.world.scene_documents import FurnishedScene
    from sim.world.robots.model import Robot


def write_still(path: Path, robot: Robot, size: str, *, frames: bool = False) -> None:
    """Draw a robot with shadows and smooth edges, the whole of it in the picture.

    Args:
        path: path of the PNG file.
        size: ``WIDTHxHEIGHT`` in pixels.
        frames: whether the axes of links and ends are drawn.

    Raises:
        ConfigError: if the size is not valid, or the file cannot be written.
        PicturesError: if there is no engine, no OpenGL or no picture within the limit.
    """
    text = model_text([PlacedRobot(robot)])
    named: tuple[str, ...] = ()
    if frames:
        ends = (joint for joint in robot.joints if joint.type is JointType.END)
        named = (*(link_name(one.number) for one in robot.links), *(end_name(one) for one in ends))
    _write(path, text, size, lambda _: {"frames": named})


def write_scene_still(path: Path, found: FurnishedScene, size: str, camera: str = "") -> None:
    """Draw a scene by one of its cameras where a run begins, by seed 0.

    Args:
        path: path of the PNG file.
        size: ``WIDTHxHEIGHT`` in pixels.
        camera: name of a camera; left out, the scene's first, or a view of everything.

    Raises:
        ConfigError: if the size is not valid, there is no such camera, the scene cannot be used, or
            the file cannot be written.
        PicturesError: if there is no engine, no OpenGL or no picture within the limit.
    """
    scene = found.scene
    names = [one.name for one in scene.cameras]
    if camera and camera not in names:
        there = ", ".join(names) or "none"
        raise ConfigError("--camera", [f"{camera!r}: the cameras of {scene.name} are {there}"])
    try:
        text = scene_text(scene, found.robots)
    except (SceneError, FieldFullError) as error:
        raise ConfigError(str(found.file), [str(error)]) from None
    chosen = next((one for one in scene.cameras if one.name == camera or not camera), None)

    def seen(world: World) -> dict[str, Any]:
        if chosen is None:
            return {}
        away_m = math.dist(chosen.position_m, chosen.looks_at_m)
        pose, fovy_rad = world.camera(chosen.name)
        return {"views": (_view(pose, away_m),), "fovy_rad": fovy_rad}

    _write(path, text, size, seen)


def _view(pose: NDArray[np.float64], away_m: float) -> View:
    """View of a camera with axes right, up and back, at a point so far away."""
    ahead: NDArray[np.float64] = -pose[:3, 2]
    x, y, z = ahead.tolist()
    middle = (pose[:3, 3] + away_m * ahead).tolist()
    azimuth_rad = math.atan2(y, x) if math.hypot(x, y) > 1e-9 else 0.5 * math.pi
    return View(azimuth_rad, math.asin(min(max(z, -1.0), 1.0)), tuple(middle), away_m)


def _write(path: Path, text: ModelText, size: str, seen: Callable[[World], dict[str, Any]]) -> None:
    sides = re.fullmatch(r"(\d{1,9})x(\d{1,9})", size, re.ASCII)
    if sides is None:
        raise ConfigError("--size", [f"{size!r}: WIDTHxHEIGHT in pixels, such as 1920x1080"])
    try:
        world = World(text)
        start = world.positions
        order = PictureOrder(
            text=text.text, start=tuple(start.tolist()), width=int(sides[1]), height=int(sides[2]),
            quality="fine", files=tuple(text.files.items()), **seen(world),
        )  # fmt: skip
    except (EngineMissingError, ModelRefusedError) as error:
        raise PicturesError(str(error)) from None
    except WireError as error:
        raise ConfigError("--size", [str(error)]) from None
    with PictureProcess(order) as process:
        picture = process.draw(start)[0]
    try:
        write_whole(path, png(picture))
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be written: {error}"]) from None

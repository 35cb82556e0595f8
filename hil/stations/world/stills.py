"""A robot's picture where it starts, in a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.stations.world.pictures import PictureProcess, PicturesError
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot, end_name, link_name
from sim.world.engine.world import ModelRefusedError, World
from sim.world.pictures.png import png
from sim.world.pictures.wire import PictureOrder, WireError
from sim.world.robots.model import JointType

if TYPE_CHECKING:
    from sim.world.robots.model import Robot


def write_still(path: Path, robot: Robot, size: str, *, frames: bool = False) -> None:
    """Draw a robot with shadows and smooth edges, the whole of it in the picture.

    Args:
        path: of the PNG file.
        size: ``WIDTHxHEIGHT`` in pixels.
        frames: whether the axes of links and ends are drawn.

    Raises:
        ConfigError: if the size is none, or the file cannot be written.
        PicturesError: if there is no engine, no OpenGL or no picture within the limit.
    """
    sides = re.fullmatch(r"(\d{1,9})x(\d{1,9})", size, re.ASCII)
    if sides is None:
        raise ConfigError("--size", [f"{size!r}: WIDTHxHEIGHT in pixels, such as 1920x1080"])
    text = model_text([PlacedRobot(robot)])
    named: tuple[str, ...] = ()
    if frames:
        ends = (joint for joint in robot.joints if joint.type is JointType.END)
        named = (*(link_name(one.number) for one in robot.links), *(end_name(one) for one in ends))
    try:
        start = World(text).positions
        order = PictureOrder(
            text=text.text, start=tuple(start.tolist()), width=int(sides[1]), height=int(sides[2]),
            quality="fine", frames=named, files=tuple(text.files.items()),
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

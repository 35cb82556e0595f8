"""Robots by their names: shipped documents, machines, and files of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.config.file_search import find_file, shipped_paths
from hil.config.files import read_regular
from hil.machines.world.documents import is_machine, machine_names, machine_robot
from hil.machines.world.mesh_files import files_beside
from sim.world.mjcf.mjcf_reader import read_mjcf
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.losses import Loss, rank
from sim.world.robots.model import Robot
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.text import read_text
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.xml_nodes import SIZE_MAX

BEFORE_MAX: Final = 20
"""Lines of what was left out of a document that is refused, at most."""
FOLDER: Final = "world/robots"
"""Of ``configs/``, with the shipped robots."""


def shipped_robots() -> Iterator[str]:
    """Names of the robots that come with the program: documents, then machines."""
    yield from (path.stem for path in shipped_paths(FOLDER))
    yield from machine_names()


@dataclass(frozen=True, slots=True)
class RobotDocument:
    """A robot's document, read, or a machine as one."""

    robot: Robot
    """That it describes."""
    path: Path
    """Its file."""
    losses: tuple[Loss, ...] = ()
    """What of the file the robot does not have, or says otherwise."""

    @property
    def lost(self) -> list[str]:
        """A line for each loss, what changes its motion first, with line and column if known."""
        found = sorted(self.losses, key=rank)
        return [f"{self.path}:{loss}" if loss.line else str(loss) for loss in found]


def robot_of(
    name: str, *, key: str = "ROBOT", beside: Path | None = None, kind: str = ""
) -> tuple[Robot, Path]:  # fmt: skip
    """The robot that a name or a path means, and its file; what its file loses is not told.

    Raises:
        ConfigError: as :func:`document_of`.
    """
    found = document_of(name, key=key, beside=beside, kind=kind)
    return found.robot, found.path


def document_of(
    name: str, *, key: str = "ROBOT", beside: Path | None = None, kind: str = ""
) -> RobotDocument:  # fmt: skip
    """The document that a name or a path means.

    Args:
        name: of a shipped document, a path, or a machine (:mod:`hil.machines.world.documents`).
        key: what to call the name in an error.
        beside: the file in which the name stands; its folder is searched first.
        kind: what it is to a run, as `find_file` has it.

    Raises:
        ConfigError: if there is no such file, or with every fault of its document.
    """
    if is_machine(name):
        machine = machine_robot(name, key=key, beside=beside, kind=kind)
        return RobotDocument(machine.robot, machine.file, machine.losses)
    path = find_file(name, beside=beside, folder=FOLDER, key=key, kind=kind)
    try:
        text = read_regular(path, SIZE_MAX).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from None
    try:
        return read_document(text, path)
    except RobotDocumentError as error:
        raise ConfigError(str(path), _with_losses(error)) from None


def _with_losses(error: RobotDocumentError) -> list[str]:
    """A line for each fault, and what was left out before it, which may be its cause."""
    found = [loss for loss in sorted(error.losses, key=rank) if rank(loss) < 2]
    lines = [f"left out before: {loss}" for loss in found[:BEFORE_MAX]]
    more = len(found) - BEFORE_MAX
    lines += [f"left out before: {more} more"] if more > 0 else []
    return [*map(str, error.faults), *lines]


def read_document(text: str, path: Path, folder: str = "") -> RobotDocument:
    """A document's text, read by the ending of its file.

    Args:
        path: of the file, which is not opened; files that it names are.
        folder: where those lie; empty for that of the file.

    Raises:
        RobotDocumentError: with every fault of it.
    """
    files = files_beside(Path(folder) / path.name if folder else path)
    match path.suffix.lower():
        case ".toml":
            return RobotDocument(read_toml(text, str(path), files), path)
        case ".urdf":
            robot, losses = read_urdf(text, str(path), files)
            return RobotDocument(robot, path, losses)
        case ".mjcf" | ".xml":
            robot, losses = read_mjcf(text, str(path), files)
            return RobotDocument(robot, path, losses)
        case _:
            return RobotDocument(read_text(text, str(path)), path)

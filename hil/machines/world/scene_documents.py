"""Scenes by their names: shipped documents, and files of one's own, with their robots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError
from hil.config.file_search import find_file, shipped_paths
from hil.config.files import read_regular
from hil.machines.world.documents import is_machine
from hil.machines.world.robot_documents import document_of
from sim.toml_reader import SIZE_MAX, read_table
from sim.world.robots.driven_universals import with_hinges
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.losses import gravity_losses
from sim.world.robots.model import Robot
from sim.world.scenes.checks import robot_findings
from sim.world.scenes.model import Scene
from sim.world.scenes.scene_reader import KEY, read_scene

SCENES: Final = "world/scenes"
"""Folder of ``configs/`` with the shipped scenes."""
IN_SCENE: Final = "stepping.gravity_m_s2 of the scene"
"""Key and place where a scene sets its gravity, for texts."""


@dataclass(frozen=True, slots=True)
class FurnishedScene:
    """A scene with the documents of its robots."""

    scene: Scene
    """Scene of the document."""
    robots: Mapping[str, Robot]
    """Robots of the scene, by their names there."""
    file: Path
    """File of the document."""
    documents: Mapping[str, str]
    """Files of the robots, by their names."""
    lost: tuple[str, ...] = ()
    """Parts of those that are not taken, a line each."""

    @property
    def losses(self) -> list[str]:
        """List what of its robots' documents does not act in it, changes of motion first."""
        gravity = self.scene.stepping.gravity_m_s2
        return [*map(str, gravity_losses(self.robots, gravity, IN_SCENE)), *self.lost]


def shipped_scenes() -> Iterator[str]:
    """List the scenes that come with the program."""
    yield from (path.stem for path in shipped_paths(SCENES))


def is_scene(name: str) -> bool:
    """Whether a name or a path means a scene: by its document, if that can be read."""
    try:
        path = find_file(name, folder=SCENES, key="SCENE")
        return KEY in read_table(read_regular(path, SIZE_MAX).decode())
    except (ConfigError, OSError, ValueError):
        return False


def scene_of(name: str, *, key: str = "SCENE", beside: Path | None = None) -> FurnishedScene:
    """Find the scene that a name or a path means, its robots read too.

    Args:
        key: what to call the name in an error.
        beside: the file that contains the name; its folder is searched first.

    Raises:
        ConfigError: if there is no such file, or with every fault of its document.
    """
    path = find_file(name, beside=beside, folder=SCENES, key=key)
    try:
        scene = read_scene(read_regular(path, SIZE_MAX).decode(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from None
    except RobotDocumentError as error:
        raise ConfigError(str(path), [str(fault) for fault in error.faults]) from None
    read = {
        one.name: document_of(
            one.document, key=f"{path}: robot {one.name}", beside=path, kind="scene robot"
        )
        for one in scene.robots
    }
    robots = {name: with_hinges(found.robot) for name, found in read.items()}
    if found := [str(one) for one in robot_findings(scene, robots)]:
        raise ConfigError(str(path), found)
    documents = {name: str(found.path) for name, found in read.items()}
    foreign = {one.document: read[one.name] for one in scene.robots if not is_machine(one.document)}
    lost = tuple(line for document in foreign.values() for line in document.lost)
    return FurnishedScene(scene, robots, path, documents, lost)

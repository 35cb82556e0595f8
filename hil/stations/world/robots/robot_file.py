"""Robots' documents as a kind of settings file: read, checked and written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.errors import ConfigError, Wrong
from hil.config.toml_text import toml_of

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from sim.world.robots.faults import DocumentFault, FieldKey
    from sim.world.robots.model import Robot

TEXT: Final = ".txt"
"""Ending of the text of D-H rows, as the paper has it."""


def robot_model() -> type[Settings]:
    """Model of a robot's document in TOML."""
    from hil.stations.world.robots.robot_settings import RobotDocumentSettings

    return RobotDocumentSettings


def robot_from_table(table: Mapping[str, Any], file: Path) -> Robot:
    """Robot that a table describes.

    Args:
        file: present or later path, for error texts.

    Raises:
        ConfigError: with every fault, each at its key.
    """
    from hil.machines.world.robot_documents import files_beside
    from sim.world.robots.faults import RobotDocumentError
    from sim.world.robots.robot_toml_reader import read_toml

    try:
        return read_toml(toml_of(table), str(file), files_beside(file))
    except RobotDocumentError as error:
        wrong = [_located(table, one) for one in error.faults]
        raise ConfigError(str(file), wrong) from None


def robot_table(path: Path) -> dict[str, Any]:
    """Table of a document in either form.

    Raises:
        ConfigError: if it cannot be read, or with every fault.
    """
    from hil.config.settings import read_toml
    from hil.machines.world.robot_documents import document_of
    from sim.toml_reader import read_table
    from sim.world.robots.robot_toml_writer import write_toml

    if path.suffix.lower() == ".toml":
        return read_toml(path)
    return read_table(write_toml(document_of(str(path)).robot))


def robot_text(table: Mapping[str, Any], path: Path) -> tuple[str, tuple[str, ...]]:
    """Text of a document, and a line for each thing that its form cannot say.

    Args:
        path: path of the document; its ending decides the form.

    Raises:
        ConfigError: with every fault, or if the form cannot say the robot at all.
    """
    from sim.world.robots.faults import RobotDocumentError
    from sim.world.robots.robot_toml_writer import write_toml
    from sim.world.robots.text import read_text, text_losses, write_text

    robot = robot_from_table(table, path)
    if path.suffix.lower() != TEXT:
        return write_toml(robot), ()
    text = write_text(robot)
    try:
        read_text(text, str(path))
    except RobotDocumentError as error:
        first, count = error.faults[0].text, len(error.faults)
        problem = f"the paper's text cannot say this robot (TOML can): {first}; {count} such lines"
        raise ConfigError(str(path), [problem]) from None
    return text, tuple(map(str, text_losses(robot)))


def _located(table: Mapping[str, Any], fault: DocumentFault) -> Wrong:
    """A fault at the key of the table that it is about, or at what holds that."""
    place = _place(table, fault.field)
    return Wrong(place, fault.text, fault.text)


def _place(table: Any, field: FieldKey) -> tuple[str | int, ...]:
    """Keys of a table for a field of the model; some have a unit after the name."""
    found: list[str | int] = []
    for part in field:
        key = part
        if isinstance(table, Mapping) and part not in table:
            longer = (one for one in table if str(one).startswith(f"{part}_"))
            key = next(longer, part)
        found.append(key)
        try:
            table = table[key]
        except (KeyError, IndexError, TypeError):
            table = None
    return tuple(found)

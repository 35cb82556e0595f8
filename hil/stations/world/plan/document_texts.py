"""Texts of documents, read from their files as they are now."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.config.files import read_regular
from hil.machines.world.documents import is_machine, machine_robot
from hil.machines.world.robot_documents import FOLDER
from hil.run.edit_texts import EditText, TimedEdit
from hil.stations.world.plan.edit_settings import EditAt
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.xml_nodes import SIZE_MAX


def edits_at(keys: Iterable[EditAt], step_s: float, beside: Path) -> tuple[TimedEdit, ...]:
    """Edits of a scenario, their files read; whether they can be taken is not judged.

    Args:
        beside: file of the scenario.

    Raises:
        ConfigError: if a file is not there.
    """
    return tuple(
        TimedEdit(
            round(one.at_s / step_s),
            document_text(one.document, key="edit.document", beside=beside),
        )
        for one in keys
    )


def document_text(name: str, *, key: str = "ROBOT", beside: Path | None = None) -> EditText:
    """Text of a document as it is now; for a machine, of the robot that it makes.

    Args:
        name: name of the document, as a scenario names its robot.
        key: name of the key, for errors.
        beside: file in which the name was written.

    Raises:
        ConfigError: if it is not there, or the machine's file is wrong.
    """
    if is_machine(name):
        machine = machine_robot(name, key=key, beside=beside)
        return EditText(write_toml(machine.robot), str(machine.file))
    path = find_file(name, beside=beside, folder=FOLDER, key=key)
    return file_text(path)


def file_text(path: Path) -> EditText:
    """Text of a file as it is now.

    Raises:
        ConfigError: if it cannot be read.
    """
    try:
        return EditText(read_regular(path, SIZE_MAX).decode("utf-8-sig", "replace"), str(path))
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error}"]) from None

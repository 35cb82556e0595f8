"""``hil world convert``: a robot in another form, each loss reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.commands.arguments import RobotDocArg
from hil.stations.world.robots.robot_summaries import ConvertedSummary
from hil.terminal.console import Json, err, out, print_json, verb

if TYPE_CHECKING:
    from sim.world.robots.losses import Loss
    from sim.world.robots.model import Robot


class RobotForm(StrEnum):
    """Forms of a robot's document."""

    DH = "dh"
    """Text of D-H rows."""
    TOML = "toml"
    """TOML document of this program; nothing is lost."""
    URDF = "urdf"
    """The description that ROS reads, with words of ours for what it lacks."""
    MJCF = "mjcf"
    """Document of the physics engine."""


@verb
def convert(
    robot: RobotDocArg,
    to: Annotated[RobotForm, typer.Option("--to", help="Form of the new document.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write it.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse to lose anything; exit status 1.")
    ] = False,
    as_json: Json = False,
) -> None:
    """A robot's document in another form, with all digits.

    What is not read of the document, not said of a machine, or not in the form, is told on standard
    error, a line for each loss. Files of meshes are written beside the new document.
    """
    from hil.config.files import write_whole
    from hil.machines.world.robot_documents import document_of
    from hil.stations.world.robots.referenced_files import carried

    document = document_of(robot)
    text, losses, files = _forms()[to](document.robot)
    lines = [*document.lost, *map(str, losses)]
    if strict and lines:
        raise RefusedError("\n".join([f"{to} would lose:", *lines]))
    if output is not None:
        try:
            lines += carried(files, output.parent)
            write_whole(output, text.encode())
        except OSError as error:
            raise ConfigError(str(output), [f"cannot be written: {error}"]) from None
    if as_json:
        file = "" if output is None else str(output)
        print_json(
            ConvertedSummary(
                ok=True, to=to, file=file, text="" if output is not None else text, losses=lines
            )
        )
        return
    for line in lines:
        err.print(f"lost: {line}", soft_wrap=True)
    if output is None:
        out.print(text, soft_wrap=True, end="")
    else:
        out.print(f"written: {output}", soft_wrap=True)


Converted = tuple[str, Iterable["Loss"], Mapping[str, bytes]]
"""Text, losses, and the files that the text names."""


def _forms() -> dict[RobotForm, Callable[[Robot], Converted]]:
    from hil.stations.world.robots.referenced_files import named_files
    from sim.world.engine.mjcf import robot_model
    from sim.world.engine.mjcf_losses import mjcf_losses
    from sim.world.robots.robot_toml_writer import write_toml
    from sim.world.robots.text import text_losses, write_text
    from sim.world.robots.urdf_writer import urdf_losses, write_urdf

    def engines(robot: Robot) -> Converted:
        made = robot_model(robot)
        return made.text, mjcf_losses(robot), made.files

    return {
        RobotForm.DH: lambda robot: (write_text(robot), text_losses(robot), {}),
        RobotForm.TOML: lambda robot: (write_toml(robot), (), named_files(robot)),
        RobotForm.URDF: lambda robot: (write_urdf(robot), urdf_losses(robot), named_files(robot)),
        RobotForm.MJCF: engines,
    }

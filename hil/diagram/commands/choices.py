"""Options of diagrams: values of parameters, and acts of an operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.terminal.completion import offered

if TYPE_CHECKING:
    from hil.diagram.check.diagram import SoundDiagram
    from hil.diagram.check.flat import Endpoint
    from hil.diagram.run.live import Version
    from hil.diagram.run.operator_actions import Timed

FileArg = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Diagram file, or the name of a shipped one (force_joint).",
        autocompletion=offered("diagrams"),
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[PATH.]NAME=VALUE",
        help="A parameter of a block, or of the diagram itself, instead of the file's: "
        "ft/pid.kp=0.3.",
    ),
]
InputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=NUMBERS|NAME=FILE.csv",
        help="An input: numbers that stay, or columns t_s and NAME (NAME_1, … of a vector), "
        "each row held until the next. `linear` takes 0 for one that is left out.",
    ),
]

PressOption = Annotated[
    list[str] | None,
    typer.Option("--press", metavar="NAME@S", help="Press a PanelButton at a time [s]: start@2."),
]
SlideOption = Annotated[
    list[str] | None,
    typer.Option(
        "--slide",
        metavar="NAME=VALUE@S",
        help="Set a PanelSlider or PanelSwitch at a time [s]: gain=0.4@3, lamp=true@1.",
    ),
]


def load_diagram_for_actions(
    name: str, settings: Sequence[str], pressed: Sequence[str], slid: Sequence[str]
) -> tuple[str, Version, list[Timed]]:
    """Read a diagram as `diagram_of` does, with its changes by presses and slides while it runs.

    Raises:
        ConfigError: If it cannot run, or an act is none.
    """
    from hil.diagram.file.read import read
    from hil.diagram.run.live import Version
    from hil.diagram.run.operator_actions import operated

    path = find_file(name, folder="diagrams", key="FILE")
    file = read(path)
    version = Version.of(file, changes_of(settings), models=True)
    return str(path), version, operated(file, pressed, slid)


def diagram_of(name: str, settings: Sequence[str]) -> tuple[str, SoundDiagram]:
    """Return the file that is meant, and its diagram with parameters set.

    Raises:
        ConfigError: If it cannot run.
    """
    from hil.diagram.check.diagram import load

    path = find_file(name, folder="diagrams", key="FILE")
    return str(path), load(path, changes_of(settings))


def changes_of(settings: Sequence[str]) -> dict[Endpoint, Any]:
    """Return the values of ``--set``: path of a block and name of a parameter → value."""
    from hil.diagram.run.change import tuples
    from sim.toml_reader import TomlReadError, read_value

    changes: dict[Endpoint, Any] = {}
    for one in settings:
        place, equals, text = one.partition("=")
        path, _, name = place.strip().rpartition(".")
        if not equals or not name:
            raise ConfigError("--set", [f"{one[:80]!r}: write it as path.name=value"])
        try:
            value = read_value(text)
        except TomlReadError:
            value = text
        changes[path, name] = tuples(value)
    return changes

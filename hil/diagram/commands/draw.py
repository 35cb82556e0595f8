"""``hil diagram draw``: a picture of a law."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.config.files import write_whole
from hil.diagram.commands.choices import FileArg
from hil.terminal.console import Json, leave, out, print_json, verb

if TYPE_CHECKING:
    from hil.diagram.file.model import Diagram, DiagramFile


@verb
def draw(
    file: FileArg,
    picture: Annotated[Path, typer.Option("--out", metavar="FILE.svg", help="The picture.")],
    inside: Annotated[
        str,
        typer.Option("--inside", metavar="PATH", help="A sub-diagram by its block: ft, or a/b."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Draw a diagram as SVG, without a display; what one placed stays where it is."""
    from hil.diagram.file.read import read
    from hil.diagram.show.draw import svg
    from hil.diagram.show.summaries import DrawSummary

    path = find_file(file, folder="diagrams", key="FILE")
    read_file = read(path)
    diagram = _diagram_at(read_file, inside)
    units, fault = _units(read_file, inside)
    title = f"{path.stem}/{inside}" if inside else path.stem
    text = svg(read_file, diagram, title, units)
    try:
        write_whole(picture, text.encode())
    except OSError as error:
        raise ConfigError("--out", [f"{picture}: {error.strerror}"]) from None
    count = len(diagram.blocks), len(diagram.wires)
    if as_json:
        print_json(
            DrawSummary(
                ok=True, path=str(path), inside=inside, blocks=count[0], wires=count[1],
                written=str(picture), fault=fault,
            )
        )  # fmt: skip
        leave(True)
    out.print(f"written: {picture} ({count[0]} blocks, {count[1]} wires)", soft_wrap=True)
    if fault:
        out.print(f"drawn without units, as it cannot run: {fault}", soft_wrap=True)
    leave(True)


def _diagram_at(file: DiagramFile, path: str) -> Diagram:
    """The diagram that a block stands for; the top for an empty path."""
    from hil.diagram.file.subdiagram import inside

    try:
        return inside(file, path)
    except LookupError as error:
        raise ConfigError("--inside", [str(error)]) from None


def _units(file: DiagramFile, inside: str) -> tuple[dict[str, str], str]:
    """Units of a diagram's ports, as its blocks' are found; and why there are none."""
    from hil.diagram.check.diagram import check

    try:
        sound = check(file)
    except ConfigError as error:
        return {}, str(error)
    prefix, found = f"{inside}/" if inside else "", {}
    for (path, port), one in sound.types.items():
        if path.startswith(prefix) and "@" not in path:
            name, _, face = path[len(prefix) :].partition("/")
            if not face:
                found[f"{name}.{port}"] = one.unit
            elif "/" not in face and path in sound.flat.faces:
                found[f"{name}.{face}"] = one.unit  # a port of a sub-diagram is a face within
    return found, ""

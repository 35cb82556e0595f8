"""The diagram that a block stands for, with what is known of its ports and the files it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hil.config.file_search import find_file
from hil.config.named_files import EmbeddedPath
from hil.diagram.file.model import FILE, FMU, Diagram
from hil.diagram.library.kind import COMPOSITE, BlockKind, Parameters, Ports

FILES: Final = {FILE: ("motions", ".csv", "diagram table"), FMU: ("fmus", ".fmu", "fmu")}
"""Kind of a block → folder of what is shipped, ending and kind of the files that it names."""


def diagram_of_block(kind: BlockKind, values: Parameters, beside: Path) -> Diagram | None:
    """What a block draws; None for one that is computed itself.

    Args:
        values: checked parameters of it.
        beside: the diagram's file.

    Raises:
        ConfigError: if a file that it reads is not there, or is none.
    """
    if kind.drawn is None:
        return None
    drawn = kind.drawn({**values, **files_of_block(kind, values, beside)})
    return _with_ports(drawn, kind.ports_of(values))


def files_of_block(kind: BlockKind, values: Mapping[str, Any], beside: Path) -> dict[str, Path]:
    """The files that a block reads, as they were judged, by the names of its parameters.

    Raises as `diagram_of_block`.
    """
    if kind.name == FMU and isinstance(beside, EmbeddedPath):
        return {"file": EmbeddedPath(values["file"])}  # its ports are told in the text
    folder, ending, what = FILES.get(kind.name, FILES[FILE])
    return {
        one.name: find_file(values[one.name], beside=beside, folder=folder, key=one.name,
                            ending=ending, kind=what)
        for one in kind.parameters if one.type == "file"
    }  # fmt: skip


def _with_ports(drawn: Diagram, ports: Ports) -> Diagram:
    """A diagram whose face says what is known of a block's ports, so that a wire to it is told."""
    faces = {}
    for port in (*ports.inputs, *ports.outputs):
        known = {"type": port.type, "shape": port.shape, "unit": port.unit, "frame": port.frame}
        given = {name: one for name, one in known.items() if "?" not in one}
        if port.type in COMPOSITE:
            del given["unit"]
        faces[port.name] = replace(drawn.blocks[port.name], parameters=given)
    return replace(drawn, blocks={**drawn.blocks, **faces})

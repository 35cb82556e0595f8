"""Drivers of each input of a flat diagram: wires followed through the faces of sub-diagrams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hil.diagram.check.flat import Endpoint, FlatBlock, FlatDiagram
from hil.diagram.file.model import IN, OUT

Blocks = Mapping[str, FlatBlock]
Wired = Mapping[Endpoint, Endpoint]


def find_drivers(
    blocks: Blocks, faces: Blocks, wired: Wired, problems: list[str]
) -> Iterator[tuple[Endpoint, Endpoint]]:
    """Yield each input of a block, or of an `Out` at the top, and the output that drives it.

    Args:
        wired: target of each wire, as it is drawn, and its source.
        problems: wires in a circle are added to them.
    """
    for path, block in blocks.items():
        for port in block.ports.inputs:
            source = _through(faces, wired, (path, port.name), problems)
            if source is not None:
                yield (path, port.name), source
    for path, face in faces.items():
        if "/" not in path and face.kind.name == OUT:
            source = _through(faces, wired, (path, "u"), problems)
            if source is not None:
                yield (path, "u"), source


def _through(faces: Blocks, wired: Wired, target: Endpoint, problems: list[str]) -> Endpoint | None:
    source = wired.get(target)
    route = [target]
    while source is not None and source[0] in faces:
        if source in route:
            loop = " -> ".join(
                f"{path}.{port}" for path, port in reversed(route[route.index(source) :])
            )
            problems.append(f"{loop}: wires in a circle, without a block between")
            return None
        route.append(source)
        face = source[0]
        if "/" not in face and faces[face].kind.name == IN:
            return source
        source = wired.get((face, "u"))
    return source


def source_of_port(flat: FlatDiagram, path: str, port: str) -> Endpoint | None:
    """Return the output, or input of the diagram, that a port shows; None if there is none.

    Args:
        path: of a block or an input of the diagram, or of a block that represents others.
        port: of its outputs; of one that represents others of its inputs, too.
    """
    block = flat.blocks.get(path)
    if block is not None:
        return (path, port) if block.ports.output(port) is not None else None
    face = flat.faces.get(path)
    if face is not None and face.kind.name == IN and "/" not in path:
        return (path, port) if port == "y" else None
    if (held := f"{path}@{port}") in flat.blocks:
        return held, "y"
    wired = {one.target: one.source for one in flat.wires}
    return _through(flat.faces, wired, (f"{path}/{port}", "u"), [])

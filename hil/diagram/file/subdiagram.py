"""From the path of a block to the diagram that it stands in, or stands for."""

from __future__ import annotations

from hil.config.similar_names import nearest
from hil.diagram.file.model import SUB, Diagram, DiagramFile


def inside(file: DiagramFile, path: str) -> Diagram:
    """The sub-diagram that a block stands for.

    Args:
        path: of the block, such as ``a/b``; empty for the top.

    Raises:
        LookupError: if there is none; its words say where, and the names most like it.
    """
    diagram, done = file.top, ""
    for name in path.split("/") if path else []:
        block = diagram.blocks.get(name)
        inner = file.sub(block.of) if block is not None and block.kind == SUB else None
        if inner is None:
            known = [one for one, block in diagram.blocks.items() if block.kind == SUB]
            raise LookupError(f"{done}{name[:60]}: no sub-diagram{nearest(name, known)}")
        diagram, done = inner, f"{done}{name}/"
    return diagram

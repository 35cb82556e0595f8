"""The text of a diagram that needs no other file, for recordings, which outlive those."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hil.config.named_files import EmbeddedPath
from hil.diagram.check.replacement import files_of_block
from hil.diagram.file.model import FILE, FMU, Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.write import text_of
from hil.diagram.library.files import table_of
from hil.diagram.library.models import describe_model
from hil.diagram.library.registry import kinds


def whole_text(file: DiagramFile, text: str) -> str:
    """A text of a file with what it takes from libraries and tables, and what its FMUs are.

    An FMU itself is in no text: its ports are, and its digest.

    Args:
        text: of the file alone, which is given back as it is if that is the whole of it.

    Raises:
        ConfigError: if a table cannot be read.
    """
    subs = file.subs_in_use()
    drawn = (file.top, *subs.values())
    if not file.libraries and not any(
        _reads(one) for each in drawn for one in each.blocks.values()
    ):
        return text
    inlined = partial(_inlined, file)
    whole = {name: inlined(one) for name, one in subs.items()}
    return text_of(replace(file, top=inlined(file.top), subs=whole, foreign={}, libraries=()))


def _reads(block: DrawnBlock) -> bool:
    return block.kind in (FILE, FMU)


def _inlined(file: DiagramFile, drawn: Diagram) -> Diagram:
    """The same with the numbers of files in it."""
    blocks = dict(drawn.blocks)
    for name, block in drawn.blocks.items():
        if _reads(block):
            kind = kinds()[block.kind]
            values = {one.name: block.parameters.get(one.name, one.default)
                      for one in kind.parameters}  # fmt: skip
            if block.kind == FMU:
                if not isinstance(file.path, EmbeddedPath):
                    ports_of = describe_model({**values, **files_of_block(kind, values, file.path)})
                    blocks[name] = replace(block, parameters={**block.parameters, **ports_of})
                continue
            table = table_of({**values, **files_of_block(kind, values, file.path)})
            blocks[name] = replace(block, kind="TimeTable", parameters=table)
    return replace(drawn, blocks=blocks)

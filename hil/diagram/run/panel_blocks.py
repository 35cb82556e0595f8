"""What a person works with in a diagram: sliders, switches, buttons; lamps, numbers, texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hil.diagram.file.model import SUB, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.registry import kinds
from hil.diagram.run.change import DiagramChange
from hil.diagram.run.live import Version
from hil.diagram.run.operator_actions import PRESSED, SET

SHOWN: Final = ("PanelLamp", "PanelNumber", "PanelText")
"""Kinds that show what is wired to them."""


@dataclass(frozen=True, slots=True)
class PanelBlock:
    """A block that a person works with."""

    path: str
    kind: str
    value: Any
    """Of a slider or switch; how often a button was pressed."""
    parameters: Mapping[str, Any]
    """All of them, as the file has them; of its kind those that it leaves out."""

    @property
    def label(self) -> str:
        """As it is called for a person."""
        return str(self.parameters.get("label") or self.path.rpartition("/")[2])

    @property
    def unit(self) -> str:
        """Of a slider."""
        return str(self.parameters.get("unit", ""))

    def set_to(self, value: Any) -> DiagramChange:
        """The change that sets it; any value presses a button once more."""
        if self.kind == PRESSED:
            return DiagramChange({f"{self.path}.presses": int(self.value) + 1})
        return DiagramChange({f"{self.path}.{SET[self.kind]}": value})


def panel_blocks(version: Version) -> list[PanelBlock]:
    """Those that are set, as they are set in a version that runs, by path."""
    return [
        PanelBlock(path, one.kind, version.value(path, SET.get(one.kind, "presses")),
                   parameters_of(one))
        for path, one in blocks_of(version.file, (PRESSED, *SET))
    ]  # fmt: skip


def blocks_of(file: DiagramFile, wanted: tuple[str, ...]) -> list[tuple[str, DrawnBlock]]:
    """Paths and blocks of some kinds, those of sub-diagrams too, by path."""
    return sorted(_found(file, file.top, "", wanted), key=lambda one: one[0])


def _found(
    file: DiagramFile, diagram: Diagram, around: str, wanted: tuple[str, ...]
) -> Iterator[tuple[str, DrawnBlock]]:
    for name, block in diagram.blocks.items():
        if block.kind == SUB and (inner := file.sub(block.of)) is not None:
            yield from _found(file, inner, f"{around}{name}/", wanted)
        elif block.kind in wanted:
            yield f"{around}{name}", block


def parameters_of(block: DrawnBlock) -> dict[str, Any]:
    """A block's parameters, those of its kind where it has none of its own."""
    return {one.name: block.parameters.get(one.name, one.default)
            for one in kinds()[block.kind].parameters}  # fmt: skip

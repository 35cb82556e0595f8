"""Sliders, switches and buttons of a diagram that runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hil.diagram.change import DiagramChange
from hil.diagram.live import Version
from hil.diagram.model import Diagram
from hil.diagram.operated import PRESSED, SET
from hil.diagram.registry import SUB, kinds


@dataclass(frozen=True, slots=True)
class PanelBlock:
    """A block that a person works with."""

    path: str
    kind: str
    value: Any
    """Of a slider or switch; how often a button was pressed."""
    unit: str

    def set_to(self, value: Any) -> DiagramChange:
        """The change that sets it; any value presses a button once more."""
        if self.kind == PRESSED:
            return DiagramChange({f"{self.path}.presses": int(self.value) + 1})
        return DiagramChange({f"{self.path}.{SET[self.kind]}": value})


def panel_blocks(version: Version) -> list[PanelBlock]:
    """All of a diagram, by path."""
    return sorted(_found(version, version.file.top, ""), key=lambda one: one.path)


def _found(version: Version, diagram: Diagram, around: str) -> Iterator[PanelBlock]:
    for name, block in diagram.blocks.items():
        path = f"{around}{name}"
        if block.kind == SUB:
            inner = version.file.sub(block.of)
            if inner is not None:
                yield from _found(version, inner, f"{path}/")
        elif block.kind == PRESSED or block.kind in SET:
            name = SET.get(block.kind, "presses")
            value = version.value(path, name)
            if value is None:  # left out
                kind = kinds()[block.kind]
                value = next(one.default for one in kind.parameters if one.name == name)
            yield PanelBlock(path, block.kind, value, str(block.parameters.get("unit", "")))

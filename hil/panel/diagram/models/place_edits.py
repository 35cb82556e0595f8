"""Edits of where blocks stand on the drawing; the law stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from hil.diagram.file.model import DiagramFile
from hil.diagram.show.layout import boxes
from hil.panel.diagram.models.edits import listed
from hil.panel.diagram.models.names import Place, block_at, check_place, diagram_at, with_diagram


@dataclass(frozen=True, slots=True)
class Move:
    """Blocks put elsewhere; the law stays."""

    where: str
    to: Mapping[str, Place]

    @property
    def words(self) -> str:
        """For the menu."""
        return f"move {listed(self.to)}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with them there."""
        diagram = diagram_at(file, self.where)
        for name, at in self.to.items():
            block_at(diagram, name)
            check_place(at)
        places = {**diagram.places, **self.to}
        return with_diagram(file, self.where, replace(diagram, places=places))


Edge = Literal["left", "right", "top", "bottom"]
_EDGES: Final = {"left": (0, min), "right": (0, max), "top": (1, min), "bottom": (1, max)}


@dataclass(frozen=True, slots=True)
class AlignBlocks:
    """Blocks put on one line, that of the outermost."""

    where: str
    names: frozenset[str]
    edge: Edge
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Width and height of each as it is drawn; 0 where nothing is said."""

    @property
    def words(self) -> str:
        """For the menu."""
        return f"align {listed(self.names)} at the {self.edge}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with them there."""
        diagram = diagram_at(file, self.where)
        for name in self.names:
            block_at(diagram, name)
        axis, outermost = _EDGES[self.edge]
        far = outermost is max
        size = {name: self.sizes.get(name, (0, 0))[axis] if far else 0 for name in self.names}
        there = {name: diagram.places.get(name, (0, 0)) for name in self.names}
        if not there:
            return file
        line = outermost(at[axis] + size[name] for name, at in there.items())
        to = {
            name: (line - size[name], at[1]) if axis == 0 else (at[0], line - size[name])
            for name, at in there.items()
        }
        return Move(self.where, to).on(file)


@dataclass(frozen=True, slots=True)
class LayOut:
    """Blocks put where there is room for them, in the order of the flow; the others stay."""

    where: str
    names: frozenset[str] = frozenset()
    """Left out, those that nobody placed."""

    @property
    def words(self) -> str:
        """For the menu."""
        return f"lay out {listed(self.names)}" if self.names else "lay out the rest"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with them there."""
        diagram = diagram_at(file, self.where)
        names = self.names or frozenset(diagram.blocks.keys() - diagram.places.keys())
        kept = {name: at for name, at in diagram.places.items() if name not in names}
        found = boxes(replace(diagram, places=kept), file)
        return Move(self.where, {name: (found[name].x, found[name].y) for name in names}).on(file)

"""How a diagram stands on the drawing: boxes of blocks, their ports, ways of wires; in pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hil.diagram.check.conditions import ENABLE, TRIGGER
from hil.diagram.check.parameters import resolved
from hil.diagram.file.model import IN, OUT, SUB, DiagramFile, DrawnBlock
from hil.diagram.library.registry import faces, kinds
from hil.diagram.show.draw import port_words, symbol_of
from hil.diagram.show.layout import boxes
from hil.panel.diagram.models.line_edits import scope_of
from hil.panel.diagram.models.names import Place, diagram_at

PORT_STEP: Final = 20
WIDTH_LEAST: Final = 90
CHARACTER: Final = 6
"""Width that a character of a name is given."""
STUB: Final = 8
"""How far a wire goes straight out of a port at least."""
APART: Final = 60
COLUMNS: Final = 8
"""Of blocks that have no place."""
LAID_OUT_MOST: Final = 300
"""Blocks without a place that are laid out by themselves, without delay."""


@dataclass(frozen=True, slots=True)
class BlockShape:
    """A block as it is drawn."""

    name: str
    kind: str
    """The kind, or the sub-diagram's name."""
    at: Place
    """Its upper left corner."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    symbol: str = ""
    """What is written under the name, as pictures have it; empty: the kind."""
    input_words: tuple[str, ...] = ()
    """What stands at each input: signs of a sum, names of several."""
    output_words: tuple[str, ...] = ()
    """What stands at each output."""
    is_sub: bool = False
    """Whether it stands for a sub-diagram."""

    @property
    def is_face(self) -> bool:
        """Whether it is an input or output of the diagram."""
        return not self.is_sub and self.kind in (IN, OUT)

    @property
    def shown(self) -> str:
        """What is written under the name."""
        return self.symbol or self.kind

    @property
    def width(self) -> int:
        """In pixels."""
        words = max(len(self.name), len(self.shown), len(self.kind))
        return max(WIDTH_LEAST, CHARACTER * words + PORT_STEP)

    @property
    def height(self) -> int:
        """In pixels."""
        return PORT_STEP * max(2, 1 + len(self.inputs), 1 + len(self.outputs))

    def port_at(self, name: str, *, output: bool) -> Place:
        """Where a wire meets the block; the corner for a port that there is none."""
        ports = self.outputs if output else self.inputs
        number = ports.index(name) + 1 if name in ports else 0
        return self.at[0] + output * self.width, self.at[1] + PORT_STEP * number


def ports_of(file: DiagramFile, where: str, block: DrawnBlock) -> tuple[tuple[str, ...], ...]:
    """Names of a block's inputs and of its outputs; none of what cannot be said yet."""
    if block.kind == SUB:
        inner = file.sub(block.of)
        of = sorted(inner.blocks.items()) if inner else []
        inputs = [name for name, one in of if one.kind == IN]
        if block.run != "always":
            inputs.append(ENABLE if block.run == "enabled" else TRIGGER)
        return tuple(inputs), tuple(name for name, one in of if one.kind == OUT)
    kind = kinds().get(block.kind) or faces().get(block.kind)
    if kind is None:
        return (), ()
    scope = scope_of(diagram_at(file, where))
    given = {one.name: resolved(block.parameters.get(one.name, one.default), scope)
             for one in kind.parameters}  # fmt: skip
    try:
        ports = kind.ports_of(given)
    except (TypeError, ValueError, KeyError):  # of parameters that are told as wrong
        return (), ()
    return (
        tuple(port.name for port in ports.inputs), tuple(port.name for port in ports.outputs),
    )  # fmt: skip


def shapes_of(
    file: DiagramFile, where: str, shown: Mapping[str, Place] | None = None
) -> dict[str, BlockShape]:
    """Every block of a diagram; those without a place stand in rows below the others.

    Args:
        shown: places of those that nobody has placed.
    """
    diagram, shown = diagram_at(file, where), shown or {}
    below = max((y for _, y in diagram.places.values()), default=-2 * APART) + 2 * APART
    found, number = {}, 0
    for name, block in sorted(diagram.blocks.items()):
        at = diagram.places.get(name) or shown.get(name)
        if at is None:
            at = (number % COLUMNS * 3 * APART, below + number // COLUMNS * 2 * APART)
            number += 1
        inputs, outputs = ports_of(file, where, block)
        found[name] = BlockShape(
            name, block.of or block.kind, at, inputs, outputs, symbol_of(block),
            tuple(port_words(inputs, block)), tuple(port_words(outputs, block)),
            block.kind == SUB,
        )  # fmt: skip
    return found


def rest_laid_out(file: DiagramFile, where: str, shown: Mapping[str, Place]) -> dict[str, Place]:
    """Places for the blocks that have none, in the order of the flow, beside those that have one.

    Args:
        shown: places that such blocks were given before, where they stay.
    """
    diagram = diagram_at(file, where)
    kept = {name: at for name, at in shown.items() if name in diagram.blocks}
    missing = diagram.blocks.keys() - diagram.places.keys() - kept.keys()
    if not missing or len(missing) > LAID_OUT_MOST:
        return kept
    found = boxes(replace(diagram, places={**kept, **diagram.places}), file)
    return {**kept, **{name: (found[name].x, found[name].y) for name in missing}}

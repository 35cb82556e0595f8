"""A law that is put together block by block, and written with names that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from hil.diagram.file.model import IN, OUT, Diagram, DiagramFile, DrawnBlock
from hil.diagram.show.layout import boxes


@dataclass(slots=True)
class DrawnLaw:
    """Blocks and wires by their role."""

    blocks: dict[str, DrawnBlock] = field(default_factory=dict[str, DrawnBlock])
    """Part → its block."""
    wires: dict[str, str] = field(default_factory=dict[str, str])
    """Destination ``part.port`` → source ``part.port``."""

    def block(self, part: str, kind: str, *, note: str = "", **parameters: Any) -> None:
        """A block, in place of any of the same part."""
        self.blocks[part] = DrawnBlock(kind, parameters, note=note)

    def wire(self, source: str, *targets: str) -> None:
        """From an output to inputs, in place of what was wired to those; ``part`` is its ``y``."""
        for target in targets:
            self.wires[_end(target, "u")] = _end(source, "y")

    def set(self, part: str, **parameters: Any) -> None:
        """Other parameters of a block."""
        before = self.blocks[part]
        self.blocks[part] = replace(before, parameters={**before.parameters, **parameters})

    def cut(self, part: str) -> None:
        """Remove all wires to a block."""
        self.wires = {to: of for to, of in self.wires.items() if to.partition(".")[0] != part}

    def between(self, target: str, part: str, kind: str, **parameters: Any) -> None:
        """A block of one input and one output in the wire to an input."""
        before = self.wires[_end(target, "u")]
        self.block(part, kind, **parameters)
        self.wire(before, part)
        self.wire(part, target)

    def file(
        self, names: Mapping[str, Sequence[str]], draw: Random, base_s: float, note: str, seed: int
    ) -> DiagramFile:
        """Return the file, each part called by one of its names; those of the face stay."""
        called = {part: part for part, one in self.blocks.items() if one.kind in (IN, OUT)}
        for part in [one for one in self.blocks if one not in called]:
            taken = set(called.values())
            free = [one for one in names.get(part, ()) if one not in taken]
            called[part] = draw.choice(free or [part])

        def end(text: str) -> str:
            part, _, port = text.partition(".")
            return f"{called[part]}.{port}"

        top = Diagram(
            {called[part]: one for part, one in self.blocks.items()},
            {end(target): end(source) for target, source in self.wires.items()},
            note=note,
        )
        places = {name: (box.x, box.y) for name, box in boxes(top, DiagramFile(top)).items()}
        return DiagramFile(replace(top, places=places), base_s, seed)


def _end(text: str, port: str) -> str:
    return text if "." in text else f"{text}.{port}"

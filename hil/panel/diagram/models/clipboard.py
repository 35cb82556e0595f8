"""Blocks as text of the file's own format, so that they go from one document into another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import PLACE_MOST, read_text
from hil.diagram.file.write import text_of
from hil.panel.diagram.models.edits import renamed_end
from hil.panel.diagram.models.names import (
    Place,
    block_at,
    check_not_within,
    diagram_at,
    dollars,
    ends,
    free_name,
    reached,
    replaced,
    with_diagram,
)  # fmt: skip

CLIPBOARD: Final = Path("clipboard")
"""Name of the clipboard in errors."""
BESIDE: Final = 40
"""Distance from the original to a copy."""


def copied(file: DiagramFile, where: str, names: Collection[str]) -> str:
    """Blocks with the wires between them and everything that they need, as text.

    Raises:
        RefusedError: If there is no such block.
    """
    diagram = diagram_at(file, where)
    blocks = {name: block_at(diagram, name) for name in names}
    taken = {one for block in blocks.values() for one in _taken(block)}
    top = Diagram(
        blocks,
        {target: source for target, source in diagram.wires.items()
         if set(ends((target, source))) <= set(names)},
        {name: at for name, at in diagram.places.items() if name in blocks},
        {name: one for name, one in diagram.parameters.items() if name in taken},
    )  # fmt: skip
    subs = {}
    for name in reached(file, [block.of for block in blocks.values() if block.of]):
        sub = file.sub(name)
        if sub is not None:
            subs[name] = sub
    return text_of(DiagramFile(top, file.base_s, subs=subs))


def _taken(block: DrawnBlock) -> set[str]:
    return set(dollars(tuple(block.parameters.values())))


@dataclass(frozen=True, slots=True)
class Paste:
    """Blocks of a text put into a diagram, with names of their own."""

    where: str
    text: str
    at: Place | None = None
    """Place of the leftmost and the topmost; None beside the original."""

    @property
    def words(self) -> str:
        """Text for the menu."""
        return "paste"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with them."""
        return self._pasted(file)[0]

    def names_in(self, file: DiagramFile) -> frozenset[str]:
        """Return the blocks' names in a file that does not have them yet."""
        return frozenset(self._pasted(file)[1].values())

    def _pasted(self, file: DiagramFile) -> tuple[DiagramFile, dict[str, str]]:
        diagram = diagram_at(file, self.where)
        try:
            given = read_text(self.text, CLIPBOARD)
        except ConfigError as error:
            raise RefusedError(f"the clipboard has no blocks: {error.problems[0]}") from None
        if given.libraries:
            raise RefusedError("the clipboard has a file with libraries; copy blocks, not the file")
        if not given.top.blocks:
            raise RefusedError("the clipboard has no blocks")
        there = {**file.foreign, **file.subs}
        same = {
            name
            for name in given.subs
            if all(there.get(one) == given.subs[one] for one in reached(given, [name]))
        }
        subs = _new_names(given.subs, there, same)
        same = {name for name, one in given.top.parameters.items()
                if diagram.parameters.get(name) == one}  # fmt: skip
        parameters = _new_names(given.top.parameters, diagram.parameters, same)
        names = {}
        for name in sorted(given.top.blocks):
            names[name] = free_name(name, {*diagram.blocks, *names.values()})
        dollar = {name: f"${to}" for name, to in parameters.items()}
        blocks = {
            names[name]: _renamed(one, subs, dollar) for name, one in given.top.blocks.items()
        }
        wires = {
            renamed_end(target, names): renamed_end(source, names)
            for target, source in given.top.wires.items()
        }
        places = {names[name]: at for name, at in self._places(given.top.places).items()}
        changed = replace(
            diagram,
            blocks={**diagram.blocks, **blocks},
            wires={**diagram.wires, **wires},
            places={**diagram.places, **places},
            parameters=dict(diagram.parameters)
            | {parameters[name]: one for name, one in given.top.parameters.items()},
        )
        added = {
            subs[name]: replace(
                sub, blocks={key: _renamed(one, subs, {}) for key, one in sub.blocks.items()}
            )
            for name, sub in given.subs.items()
            if file.sub(subs[name]) is None
        }
        made = with_diagram(replace(file, subs={**file.subs, **added}), self.where, changed)
        check_not_within(made, [one.of for one in blocks.values() if one.of], self.where)
        return made, names

    def _places(self, places: Mapping[str, Place]) -> dict[str, Place]:
        if not places:
            return {}
        dx, dy = BESIDE, BESIDE
        if self.at is not None:
            dx = self.at[0] - min(x for x, _ in places.values())
            dy = self.at[1] - min(y for _, y in places.values())

        def clipped(one: int) -> int:
            return max(-PLACE_MOST, min(PLACE_MOST, one))

        return {name: (clipped(x + dx), clipped(y + dy)) for name, (x, y) in places.items()}


def _new_names(given: Collection[str], there: Collection[str], same: Collection[str]
               ) -> dict[str, str]:  # fmt: skip
    """Names under which things come in: their own if that is free, or has the same already."""
    found: dict[str, str] = {}
    for name in sorted(given):
        taken = {*there, *given, *found.values()}
        found[name] = name if name in same or name not in there else free_name(name, taken)
    return found


def _renamed(block: DrawnBlock, subs: Mapping[str, str], dollar: Mapping[str, str]) -> DrawnBlock:
    parameters = {key: replaced(value, dollar) for key, value in block.parameters.items()}
    return replace(block, of=subs.get(block.of, block.of), parameters=parameters)

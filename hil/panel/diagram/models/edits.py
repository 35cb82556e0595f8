"""Edits of a diagram as values: each says what it does and makes the next version of the file.

An edit that cannot be done raises `RefusedError` with the reason; nothing is changed then. What
takes it back is the `Step` between both versions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from hil.config.errors import RefusedError
from hil.config.similar_names import nearest
from hil.diagram.file.model import IN, OUT, SUB, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.registry import faces, kinds
from hil.panel.diagram.models.names import (
    Place,
    block_at,
    check_new_name,
    check_not_within,
    check_place,
    diagram_at,
    ends,
    instances,
    name_after,
    with_diagram,
)  # fmt: skip


class Edit(Protocol):
    """An edit of a diagram."""

    @property
    def words(self) -> str:
        """Text for the menu: Undo …."""
        ...

    def on(self, file: DiagramFile) -> DiagramFile:
        """The next version.

        Raises:
            RefusedError: With the reason.
        """
        ...


def listed(names: Collection[str]) -> str:
    """Names for a menu."""
    found = sorted(names)
    return ", ".join(found) if len(found) <= 3 else f"{len(found)} blocks"


@dataclass(frozen=True, slots=True)
class PlaceBlock:
    """A new block."""

    where: str
    kind: str
    """``sub`` for a sub-diagram."""
    at: Place
    of: str = ""
    name: str = ""
    """Made from its kind if empty."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Others that must be given are those of the kind's example."""

    @property
    def words(self) -> str:
        """Text for the menu."""
        return f"place {self.of or self.kind}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        diagram = diagram_at(file, self.where)
        name = self.name or name_after(self.of or self.kind, diagram.blocks)
        check_new_name(name, diagram.blocks)
        given = dict(self.parameters)
        if self.kind == SUB:
            if file.sub(self.of) is None:
                known = [*file.subs, *file.foreign]
                raise RefusedError(
                    f"{self.of[:80]!r}: no such sub-diagram{nearest(self.of, known)}"
                )
            check_not_within(file, [self.of], self.where)
        else:
            kind = kinds().get(self.kind) or faces().get(self.kind)
            if kind is None:
                near = nearest(self.kind, [*kinds(), *faces()])
                raise RefusedError(f"{self.kind[:80]!r}: no such kind{near}")
            example = kind.example.parameters
            given = {
                one.name: example[one.name]
                for one in kind.parameters
                if one.default is None and one.name in example
            } | given
        block = DrawnBlock(self.kind, given, self.of)
        blocks = {**diagram.blocks, name: block}
        places = {**diagram.places, name: check_place(self.at)}
        return with_diagram(file, self.where, replace(diagram, blocks=blocks, places=places))


@dataclass(frozen=True, slots=True)
class Connect:
    """A wire from an output to an input, both written ``block.port``."""

    where: str
    source: str
    target: str

    @property
    def words(self) -> str:
        """Text for the menu."""
        return f"connect {self.source} to {self.target}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it; whether it fits is for `judge`."""
        diagram = diagram_at(file, self.where)
        if self.target in diagram.wires:
            there = diagram.wires[self.target]
            raise RefusedError(f"{self.target}: {there} drives it already; disconnect that first")
        for name in ends((self.target, self.source)):
            block_at(diagram, name)
        wires = {**diagram.wires, self.target: self.source}
        return with_diagram(file, self.where, replace(diagram, wires=wires))


@dataclass(frozen=True, slots=True)
class Disconnect:
    """An input without its wire."""

    where: str
    target: str

    @property
    def words(self) -> str:
        """Text for the menu."""
        return f"disconnect {self.target}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file without the wire."""
        diagram = diagram_at(file, self.where)
        if self.target not in diagram.wires:
            raise RefusedError(f"{self.target[:80]}: nothing is wired to this input")
        wires = {
            target: source for target, source in diagram.wires.items() if target != self.target
        }
        return with_diagram(file, self.where, replace(diagram, wires=wires))


@dataclass(frozen=True, slots=True)
class Delete:
    """Blocks taken away, with their wires; of `In` and `Out` also those around the sub-diagram."""

    where: str
    names: frozenset[str]

    @property
    def words(self) -> str:
        """Text for the menu."""
        return f"delete {listed(self.names)}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file without them."""
        diagram = diagram_at(file, self.where)
        ports = {name for name in self.names if is_face(block_at(diagram, name))}
        file = with_diagram(file, self.where, without_blocks(diagram, self.names))
        return _outer_wires(file, self.where, dict.fromkeys(ports, ""))


@dataclass(frozen=True, slots=True)
class Rename:
    """Another name for a block; its wires follow, of `In` and `Out` also those around."""

    where: str
    old: str
    new: str

    @property
    def words(self) -> str:
        """Text for the menu."""
        return f"rename {self.old} to {self.new}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        diagram = diagram_at(file, self.where)
        block = block_at(diagram, self.old)
        if self.new == self.old:
            return file
        check_new_name(self.new, diagram.blocks)
        name = {self.old: self.new}
        changed = replace(
            diagram,
            blocks={name.get(one, one): block for one, block in diagram.blocks.items()},
            wires={
                renamed_end(target, name): renamed_end(source, name)
                for target, source in diagram.wires.items()
            },
            places={name.get(one, one): at for one, at in diagram.places.items()},
        )
        file = with_diagram(file, self.where, changed)
        return _outer_wires(file, self.where, name) if is_face(block) else file


def is_face(block: DrawnBlock) -> bool:
    """Whether a block is a port of its diagram."""
    return block.kind in (IN, OUT)


def renamed_end(end: str, names: Mapping[str, str]) -> str:
    """One end of a wire with the new name of its block."""
    name, _, port = end.partition(".")
    return f"{names.get(name, name)}.{port}"


def without_blocks(diagram: Diagram, names: Collection[str]) -> Diagram:
    """A diagram without some blocks and their wires."""
    return replace(
        diagram,
        blocks={name: one for name, one in diagram.blocks.items() if name not in names},
        wires=dict(wire for wire in diagram.wires.items() if not set(ends(wire)) & set(names)),
        places={name: at for name, at in diagram.places.items() if name not in names},
    )


def _outer_wires(file: DiagramFile, of: str, ports: Mapping[str, str]) -> DiagramFile:
    """Rewrite wires to ports of a sub-diagram everywhere; a port with an empty name is gone."""
    if not of or not ports:
        return file

    def end(text: str, names: Collection[str]) -> str:
        name, _, port = text.partition(".")
        if name not in names or port not in ports:
            return text
        return f"{name}.{ports[port]}" if ports[port] else ""

    used: dict[str, list[str]] = {}
    for where, name in instances(file, of):
        used.setdefault(where, []).append(name)
    for where, names in used.items():
        diagram = diagram_at(file, where)
        pairs = ((end(target, names), end(source, names))
                 for target, source in diagram.wires.items())  # fmt: skip
        wires = {target: source for target, source in pairs if target and source}
        if wires != diagram.wires:
            file = with_diagram(file, where, replace(diagram, wires=wires))
    return file

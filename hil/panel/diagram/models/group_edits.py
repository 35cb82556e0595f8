"""A selection into a sub-diagram, and a sub-diagram back into its blocks.

The law stays: every wire that is cut becomes a port, parameters that the blocks take go with them,
and ungrouping what was grouped gives the diagram as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hil.config.errors import RefusedError
from hil.diagram.file.model import IN, OUT, SUB, Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import PLACE_MOST, RATE_MOST
from hil.diagram.library.kind import RESERVED
from hil.panel.diagram.models.edits import is_face, listed, renamed_end, without_blocks
from hil.panel.diagram.models.names import (
    Place,
    block_at,
    check_new_name,
    diagram_at,
    dollars,
    ends,
    free_name,
    instances,
    name_after,
    replaced,
    with_diagram,
)  # fmt: skip

BESIDE: Final = 160
"""How far the ports stand from the blocks."""
APART: Final = 60
PortParameters = Callable[[str], Mapping[str, Any]]
"""Output ``block.port`` → parameters of an `In` or `Out` that carries the same."""


def _untyped(_: str) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks put into a new sub-diagram, one block of which takes their place."""

    where: str
    names: frozenset[str]
    name: str
    """Of the sub-diagram; its block is called after it, in small letters."""
    ports: PortParameters = field(default=_untyped, repr=False)

    @property
    def words(self) -> str:
        """For the menu."""
        return f"group {listed(self.names)} as {self.name}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with it."""
        diagram = diagram_at(file, self.where)
        check_new_name(self.name, {*file.subs, *file.foreign}, "sub-diagram")
        if not self.names:
            raise RefusedError("nothing is selected to be grouped")
        for name in self.names:
            if is_face(block_at(diagram, name)):
                raise RefusedError(f"{name} is a port of this diagram, and stays in it")
        blocks = {name: diagram.blocks[name] for name in sorted(self.names)}
        taken = {name for one in blocks.values() for name in dollars(tuple(_given(one)))}
        if reserved := sorted(taken & RESERVED):
            raise RefusedError(f"{reserved[0]}: no sub-diagram can have a parameter of this name")
        work = _Cut(self.names, self.ports, dict(blocks))
        outer = dict(work.wires(diagram.wires))
        rest = without_blocks(diagram, self.names)
        instance = name_after(self.name, rest.blocks)
        parameters = {
            name: one for name, one in diagram.parameters.items() if name in taken
        }  # fmt: skip
        places = {name: at for name, at in diagram.places.items() if name in self.names}
        sub = Diagram(work.blocks, work.inner, places | work.places(places), parameters)
        given = {name: f"${name}" for name in parameters}
        named = {_SELF: instance}
        outside = replace(
            rest,
            blocks={**rest.blocks, instance: DrawnBlock(SUB, given, self.name)},
            wires=dict(rest.wires)
            | {renamed_end(target, named): renamed_end(source, named)
               for target, source in outer.items()},
            places=dict(rest.places) | ({instance: _middle(places.values())} if places else {}),
        )  # fmt: skip
        file = with_diagram(file, self.where, outside)
        return replace(file, subs={**file.subs, self.name: sub})


_SELF: Final = "@"
"""Name of the new block in wires, until it has one."""


def _given(block: DrawnBlock) -> Iterable[Any]:
    return block.parameters.values()


@dataclass(slots=True)
class _Cut:
    """Wires at the edge of a selection, and the ports that they become."""

    names: Collection[str]
    port: PortParameters
    blocks: dict[str, DrawnBlock]
    inner: dict[str, str] = field(default_factory=dict)
    ports_in: dict[str, str] = field(default_factory=dict)
    """Output outside → name of the `In`."""
    ports_out: dict[str, str] = field(default_factory=dict)
    """Output inside → name of the `Out`."""

    def wires(self, wires: Mapping[str, str]) -> Iterable[tuple[str, str]]:
        """Wires to and from the new block; those within are kept apart."""
        for target, source in sorted(wires.items()):
            into, out_of = (name in self.names for name in ends((target, source)))
            if into and out_of:
                self.inner[target] = source
            elif into:
                name = self._new(self.ports_in, source, IN)
                self.inner[target] = f"{name}.y"
                yield f"{_SELF}.{name}", source
            elif out_of:
                name = self._new(self.ports_out, source, OUT)
                self.inner[f"{name}.u"] = source
                yield target, f"{_SELF}.{name}"

    def _new(self, ports: dict[str, str], source: str, kind: str) -> str:
        if source not in ports:
            block, _, port = source.partition(".")
            wanted = block if port == "y" else f"{block}_{port}"
            ports[source] = free_name(wanted[:64], self.blocks)
            self.blocks[ports[source]] = DrawnBlock(kind, dict(self.port(source)))
        return ports[source]

    def places(self, drawn: Mapping[str, Place]) -> dict[str, Place]:
        """Of the ports: inputs to the left of the blocks, outputs to the right."""
        if not drawn:
            return {}
        left, right = (pick(x for x, _ in drawn.values()) for pick in (min, max))
        top = min(y for _, y in drawn.values())
        found = {}
        for x, ports in ((left - BESIDE, self.ports_in), (right + BESIDE, self.ports_out)):
            for number, name in enumerate(ports.values()):
                found[name] = _clipped((x, top + APART * number))
        return found


def _middle(places: Iterable[Place]) -> Place:
    xs, ys = zip(*places, strict=True)
    return sum(xs) // len(xs), sum(ys) // len(ys)


def _clipped(at: Place) -> Place:
    x, y = (max(-PLACE_MOST, min(PLACE_MOST, one)) for one in at)
    return x, y


@dataclass(frozen=True, slots=True)
class Ungroup:
    """The blocks of a sub-diagram in place of its block; its last use takes it with it."""

    where: str
    block: str

    @property
    def words(self) -> str:
        """For the menu."""
        return f"ungroup {self.block}"

    def on(self, file: DiagramFile) -> DiagramFile:
        """The file with them."""
        diagram = diagram_at(file, self.where)
        block = block_at(diagram, self.block)
        sub = file.sub(block.of) if block.kind == SUB else None
        if sub is None:
            raise RefusedError(f"{self.block} is no sub-diagram")
        if block.run != "always":
            raise RefusedError(
                f"{self.block}: it does not run always, which its blocks alone would"
            )
        rest = without_blocks(diagram, [self.block])
        names: dict[str, str] = {}
        for name, one in sorted(sub.blocks.items()):
            if not is_face(one):
                names[name] = free_name(name, {*rest.blocks, *names.values()})
        given = {name: one.value for name, one in sub.parameters.items()} | dict(block.parameters)
        blocks = {
            names[name]: _within(block, sub.blocks[name], given, name) for name in names
        }  # fmt: skip
        inside = {name: at for name, at in sub.places.items() if name in names}
        places = {}
        if inside and self.block in diagram.places:
            (x, y), (mid_x, mid_y) = diagram.places[self.block], _middle(inside.values())
            places = {
                names[name]: _clipped((at[0] + x - mid_x, at[1] + y - mid_y))
                for name, at in inside.items()
            }
        changed = replace(
            rest,
            blocks={**rest.blocks, **blocks},
            wires={**rest.wires, **_joined(diagram, self.block, sub, names)},
            places={**rest.places, **places},
        )
        file = with_diagram(file, self.where, changed)
        if block.of in file.subs and not any(instances(file, block.of)):
            subs = {name: one for name, one in file.subs.items() if name != block.of}
            file = replace(file, subs=subs)
        return file


def _within(around: DrawnBlock, block: DrawnBlock, given: Mapping[str, Any], name: str
            ) -> DrawnBlock:  # fmt: skip
    """A block of a sub-diagram as it is without it."""
    rate = around.rate * block.rate
    if rate > RATE_MOST:
        raise RefusedError(f"{name}: every {rate} ticks; at most every {RATE_MOST}")
    parameters = {key: replaced(value, given) for key, value in block.parameters.items()}
    offset = around.offset + around.rate * block.offset
    return replace(block, parameters=parameters, rate=rate, offset=offset)


def _joined(diagram: Diagram, instance: str, sub: Diagram, names: Mapping[str, str]
            ) -> dict[str, str]:  # fmt: skip
    """Wires within a sub-diagram and to its ports, passed through those."""

    def source_of(source: str, inside: bool) -> str:
        """An output that is no port, as it is called outside; empty if there is none."""
        seen = set()
        while (source, inside) not in seen:
            seen.add((source, inside))
            name, _, port = source.partition(".")
            if inside and name in names:
                return renamed_end(source, names)
            if inside:
                source, inside = diagram.wires.get(f"{instance}.{name}", ""), False
            elif name == instance:
                source, inside = sub.wires.get(f"{port}.u", ""), True
            else:
                return source
        return ""

    found = {}
    for target, source in sub.wires.items():
        if ends((target, source))[0] in names:
            found[renamed_end(target, names)] = source_of(source, True)
    for target, source in diagram.wires.items():
        into, out_of = ends((target, source))
        if out_of == instance and into != instance:
            found[target] = source_of(source, False)
    return {target: source for target, source in found.items() if source}

"""A diagram without sub-diagrams: every block with its path, and the driver of each input.

Faces of sub-diagrams are nodes of their own while types are found, and are passed through when it
is said what drives an input. Enabled and triggered sub-diagrams become blocks that run on a
condition, and hidden blocks that make the condition, restart states and put outputs to 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.check.buses import Buses
from hil.diagram.check.conditions import ENABLE, TRIGGER, HiddenBlocks
from hil.diagram.check.drivers import find_drivers
from hil.diagram.check.flat import Endpoint, FlatBlock, FlatDiagram, FlatWire, ModelBlock
from hil.diagram.check.parameters import checked, resolved
from hil.diagram.check.replacement import diagram_of_block, files_of_block
from hil.diagram.check.wire_ends import WireEnds
from hil.diagram.file.lines import PROBLEMS_SOUGHT, Placed, SourceLines, raise_problems
from hil.diagram.file.model import (
    FMU,
    IN,
    OUT,
    SUB,
    Diagram,
    DiagramFile,
    DiagramParameter,
    DrawnBlock,
)
from hil.diagram.library.kind import BlockKind, PortKind, Ports
from hil.diagram.library.registry import faces, kinds

BLOCKS_MOST: Final = 20_000
"""Largest number of blocks of a diagram with all its sub-diagrams."""
DEPTH_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class _Around:
    """Surroundings of a diagram: path, rate and condition that it inherits."""

    prefix: str = ""
    rate: int = 1
    offset: int = 0
    enable: Endpoint | None = None
    within: tuple[str, ...] = ()
    """Names of the sub-diagrams around, the outermost first."""
    depth: int = 0
    place: str | None = ""
    """Prefix of its sections in the file: empty, or such as ``sub.Law.``; None in another file."""


class _EnoughError(Exception):
    """So many faults were found that the search ends."""


@dataclass(slots=True)
class _Flattener:
    file: DiagramFile
    lines: SourceLines
    changes: dict[Endpoint, Any]
    """Values that are set from outside: path of a block and parameter → value; each taken once."""
    problems: list[str] = field(default_factory=list)
    blocks: dict[str, FlatBlock] = field(default_factory=dict)
    faces: dict[str, FlatBlock] = field(default_factory=dict)
    wires: list[FlatWire] = field(default_factory=list)
    bundles: dict[str, FlatBlock] = field(default_factory=dict)
    """Blocks that make a bus, or take one apart."""
    count: int = 0
    """Number of blocks so far, also those that represent sub-diagrams."""
    models: dict[str, ModelBlock] = field(default_factory=dict)
    hidden: HiddenBlocks = field(init=False)

    def __post_init__(self) -> None:
        self.hidden = HiddenBlocks(self.blocks, self.wires)

    @property
    def drawn(self) -> dict[Endpoint, Endpoint]:
        """Target of each wire → its source."""
        return {one.target: one.source for one in self.wires}

    def diagram(self, drawn: Diagram, around: _Around, given: Mapping[str, Any]) -> None:
        scope = self._scope(drawn, around, given)
        instances = {}
        for name, block in sorted(drawn.blocks.items()):
            self.count += 1
            if self.count > BLOCKS_MOST:
                problem = f"more than {BLOCKS_MOST} blocks, those of sub-diagrams counted each time"
                raise ConfigError(str(self.file.path), [problem])
            kind = kinds().get(block.kind)
            ports = None
            if block.kind == SUB:
                ports = self._sub(name, block, around, scope)
            elif kind is not None and kind.drawn is not None:
                ports = self._expanded(name, block, around, scope, kind)
            else:
                self._block(name, block, around, scope)
            if ports is not None:
                instances[name] = ports
        self._connect(drawn, around, instances)

    def _scope(self, drawn: Diagram, around: _Around, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a diagram's own parameters."""
        place = around.prefix[:-1]
        known = drawn.parameters
        for name in given:
            if name not in known:
                self._add(f"{place}.{name}", f"no such parameter of it{nearest(name, known)}")
        scope = {}
        for name, one in known.items():
            value = self.changes.pop((place, name), given.get(name, one.value))
            number = _beyond(one, value)
            if number is not None:
                low, high = ("" if bound is None else bound for bound in (one.low, one.high))
                where = f"{place}.{name}" if place else name
                self._add(f"{where} = {number!r:.40}", f"{low} to {high} {one.unit} is needed")
            scope[name] = value
        return scope

    def _block(self, name: str, block: DrawnBlock, around: _Around, scope: Mapping[str, Any]
               ) -> None:  # fmt: skip
        path = around.prefix + name
        kind = kinds().get(block.kind) or faces().get(block.kind)
        if kind is None:
            known = [*kinds(), *faces(), SUB]
            text = f"kind = {block.kind[:60]!r}: no such kind{nearest(block.kind, known)}"
            self._add(path, text, self._spot(around, "block", name))
            return
        self._judge_plain(name, block, around)
        values = self._values(name, around, kind, block.parameters, scope)
        if values is None:
            return
        flat = FlatBlock(
            path, kind, values, kind.ports_of(values), around.rate * block.rate,
            around.offset + around.rate * block.offset, around.enable,
        )  # fmt: skip
        kept = self.blocks
        if kind.name in faces():
            kept = self.faces if kind.name in (IN, OUT) else self.bundles
        kept[path] = flat

    def there(self, path: str) -> FlatBlock | None:
        """Return the block of a path that represents no others."""
        return self.blocks.get(path) or self.faces.get(path) or self.bundles.get(path)

    def unbundle(self) -> None:
        """Follow the wires of buses; nothing of those is left."""
        if self.bundles:
            buses = Buses(self.bundles, self.faces, self.drawn, self._report_bus)
            self.wires = list(buses.resolve_buses(self.wires))

    def _report_bus(self, wire: FlatWire, problem: str) -> None:
        spot = (wire.section, wire.key) if wire.section else ("", "")
        self._add(wire.words, problem, spot)

    def _judge_plain(self, name: str, block: DrawnBlock, around: _Around) -> None:
        if block.of or block.run != "always" or block.states != "held" or block.outputs != "held":
            text = f"of, run, states and outputs are for kind = {SUB!r}"
            self._add(around.prefix + name, text, self._spot(around, "block", name))

    def _expanded(self, name: str, block: DrawnBlock, around: _Around, scope: Mapping[str, Any],
                  kind: BlockKind) -> Ports | None:  # fmt: skip
        """Expand a block into the blocks that it represents, beneath its path."""
        self._judge_plain(name, block, around)
        path = around.prefix + name
        values = self._values(name, around, kind, block.parameters, scope)
        if values is None:
            return None
        try:
            made = diagram_of_block(kind, values, self.file.path)
        except ConfigError as error:  # of a file that it reads
            for problem in error.problems:
                self._add(path, problem, self._spot(around, "block", name))
            return None
        if made is None:
            return None
        rate, offset = around.rate * block.rate, around.offset + around.rate * block.offset
        inner = _Around(
            f"{path}/", rate, offset, around.enable, around.within, around.depth + 1, None
        )
        if kind.name == FMU:
            file = files_of_block(kind, values, self.file.path)["file"]
            conditional = around.enable is not None
            self.models[path] = ModelBlock(path, file, values, rate, offset, conditional)
        self.diagram(made, inner, {})
        return self._face(path, made, block)

    def _values(self, name: str, around: _Around, kind: BlockKind, given: Mapping[str, Any],
                scope: Mapping[str, Any]) -> dict[str, Any] | None:  # fmt: skip
        path = around.prefix + name
        changed = {
            name: self.changes.pop((path, name))
            for name in [one.name for one in kind.parameters]
            if (path, name) in self.changes
        }
        faults: list[str] = []
        values = checked(kind, {**given, **changed}, scope, faults)
        faults += (f"{one.name}: it cannot be set from outside" for one in kind.parameters
                   if one.type == "file" and one.name in changed)  # fmt: skip
        for fault in faults:
            self._add(path, fault, self._spot(around, "block", name))
        return None if faults else values

    def _sub(self, name: str, block: DrawnBlock, around: _Around, scope: Mapping[str, Any]
             ) -> Ports | None:  # fmt: skip
        path = around.prefix + name
        drawn = self.file.sub(block.of)
        if drawn is None:
            known = [*self.file.subs, *self.file.foreign]
            text = f"of = {block.of!r:.60}: no such sub-diagram{nearest(block.of, known)}"
            self._add(path, text, self._spot(around, "block", name))
            return None
        if block.of in around.within or around.depth >= DEPTH_MOST:
            nesting = " in ".join([block.of, *reversed(around.within)])
            text = f"a sub-diagram within itself, or more than {DEPTH_MOST} deep: {nesting}"
            self._add(path, text, self._spot(around, "block", name))
            return None
        given = {key: resolved(value, scope) for key, value in block.parameters.items()}
        for key in [key for key, value in given.items() if value is None]:
            text = f"{key} = {block.parameters[key]!r:.60}: the diagram has no such parameter"
            self._add(path, text, self._spot(around, "block", name))
            del given[key]
        rate = around.rate * block.rate
        offset = around.offset + around.rate * block.offset
        enable = around.enable
        if block.run != "always":
            enable = self.hidden.condition(path, block, around.enable, rate, offset)
        within = (*around.within, block.of)
        place = f"sub.{block.of}." if block.of in self.file.subs else None
        inner = _Around(f"{path}/", rate, offset, enable, within, around.depth + 1, place)
        self.diagram(drawn, inner, given)
        if block.outputs == "reset" and block.run != "always" and enable is not None:
            self.hidden.reset_outputs(path, drawn, rate, offset, enable)
        return self._face(path, drawn, block)

    def _face(self, path: str, drawn: Diagram, block: DrawnBlock) -> Ports:
        """Return the ports of a sub-diagram: names only, types are those of its face."""
        inputs = [PortKind(name) for name, one in sorted(drawn.blocks.items()) if one.kind == IN]
        if block.run != "always":
            inputs.append(PortKind(ENABLE if block.run == "enabled" else TRIGGER))
        outputs = [PortKind(name) for name, one in sorted(drawn.blocks.items()) if one.kind == OUT]
        return Ports(tuple(inputs), tuple(outputs))

    def _connect(self, drawn: Diagram, around: _Around, instances: Mapping[str, Ports]) -> None:
        """Wires of one diagram, and what they lack."""
        ends = WireEnds(drawn, around.prefix, instances, self.there, self.blocks)
        wired = set()
        for target, source in sorted(drawn.wires.items()):
            words = f"{around.prefix}{target} = {source}"
            into, out_of = ends.end(target, inputs=True), ends.end(source, inputs=False)
            for fault in (one for one in (into, out_of) if isinstance(one, str)):
                self._add(words[:200], fault, self._spot(around, "wire", target))
            if isinstance(into, tuple):
                wired.add(target)
            if isinstance(into, tuple) and isinstance(out_of, tuple):
                section = "" if around.place is None else f"{around.place}wire"
                self.wires.append(FlatWire(into, out_of, words, section, target))
        for name, port in ends.open_inputs(wired):
            place, spot = f"{around.prefix}{name}.{port}", self._spot(around, "block", name)
            self._add(place, "nothing is wired to this input", spot)

    def _spot(self, around: _Around, section: str, key: str) -> tuple[str, str]:
        """Return the section and key of a line of a diagram; empty if another file has it."""
        return ("", "") if around.place is None else (f"{around.place}{section}", key)

    def _add(self, place: str, problem: str, spot: tuple[str, str] = ("", "")) -> None:
        line = self.lines.before(*spot) if spot[1] else ""
        self.problems.append(Placed(f"{line}{place}: {problem}", *spot))
        if len(self.problems) >= PROBLEMS_SOUGHT:
            raise _EnoughError


def flatten(file: DiagramFile, changes: Mapping[Endpoint, Any] | None = None) -> FlatDiagram:
    """Return all blocks of a file's diagram.

    Args:
        changes: values instead of those in the file: path of a block (empty for the diagram's own
            parameters) and name of a parameter → value.

    Raises:
        ConfigError: With a line for each fault.
    """
    flat, problems = flatten_what_can_be(file, changes, SourceLines(file.path))
    raise_problems(file.path, problems)
    return flat


def flatten_what_can_be(
    file: DiagramFile, changes: Mapping[Endpoint, Any] | None, lines: SourceLines
) -> tuple[FlatDiagram, list[str]]:
    """Return all sound blocks of a file's diagram with the wires between them, and what is wrong.

    Raises:
        ConfigError: If there are too many blocks.
    """
    work = _Flattener(file, lines, dict(changes or {}))
    with suppress(_EnoughError):
        work.diagram(file.top, _Around(), {})
        work.unbundle()
    for path, name in work.changes:
        block = work.blocks.get(path)
        known = [one.name for one in block.kind.parameters] if block else list(work.blocks)
        near = nearest(name if block else path or name, known or file.top.parameters)
        place = f"{path}.{name}" if path else name
        work.problems.append(f"{place}: no such parameter to set{near}")
    drivers = dict(find_drivers(work.blocks, work.faces, work.drawn, work.problems))
    flat = FlatDiagram(
        file.base_s, file.seed, dict(sorted(work.blocks.items(), key=_place)),
        dict(sorted(work.faces.items(), key=_place)),
        tuple(sorted(work.wires, key=lambda one: one.words)), drivers, work.lines,
        work.hidden.restarts, work.models,
    )  # fmt: skip
    return flat, work.problems


def _beyond(parameter: DiagramParameter, value: Any) -> float | None:
    """Return a number of a value that is not within the limits of a diagram's parameter."""
    if isinstance(value, tuple):
        found = (_beyond(parameter, one) for one in value)
        return next((one for one in found if one is not None), None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    low, high = parameter.low, parameter.high
    return None if (low is None or value >= low) and (high is None or value <= high) else value


def _place(item: tuple[str, FlatBlock]) -> list[str]:
    """Sort key that keeps the blocks of a sub-diagram together."""
    return item[0].split("/")

"""Layout of blocks on a drawing: placed ones stay, the rest goes from left to right.

Lengths are in pixels, x to the right and y down; every box and port is on a grid of `GRID`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hil.diagram.check.conditions import ENABLE, TRIGGER
from hil.diagram.check.parameters import checked
from hil.diagram.file.model import IN, OUT, SUB, Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.registry import faces, kinds

GRID: Final = 10
PITCH: Final = 20
"""Distance between two ports [px]."""
WIDTH: Final = 90
SUB_WIDTH: Final = 130
NAME_ROOM: Final = 20
"""Height below a block for its name [px]."""
COLUMN_GAP: Final = 70
ROW_GAP: Final = 30
SWEEPS: Final = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A block on the drawing."""

    x: int
    y: int
    width: int
    height: int
    inputs: tuple[str, ...]
    """Names of its ports, from above."""
    outputs: tuple[str, ...]

    def input_at(self, port: str) -> tuple[int, int]:
        """Return the position of an input."""
        return self.x, self.y + self._down(self.inputs, port)

    def output_at(self, port: str) -> tuple[int, int]:
        """Return the position of an output."""
        return self.x + self.width, self.y + self._down(self.outputs, port)

    def _down(self, ports: tuple[str, ...], port: str) -> int:
        first = (self.height - PITCH * (len(ports) - 1)) // 2
        return first + PITCH * ports.index(port)

    def meets(self, other: Box) -> bool:
        """Return whether there is no space for a wire and a name between two."""
        return (
            self.x < other.x + other.width + 3 * GRID
            and other.x < self.x + self.width + 3 * GRID
            and self.y < other.y + other.height + NAME_ROOM + ROW_GAP
            and other.y < self.y + self.height + NAME_ROOM + ROW_GAP
        )


def boxes(diagram: Diagram, file: DiagramFile) -> dict[str, Box]:
    """Size every block of a diagram, at its place or where there is space for it."""
    sizes = {name: _sized(name, diagram, file) for name in sorted(diagram.blocks)}
    layers = _layers(diagram)
    if not diagram.places:
        return _columns(diagram, sizes, layers)
    found = {
        name: replace(sizes[name], x=_snapped(at[0]), y=_snapped(at[1]))
        for name, at in sorted(diagram.places.items())
    }
    for name in sorted(sizes.keys() - found.keys(), key=lambda one: (layers[one], one)):
        found[name] = _beside(name, sizes[name], found, diagram)
    return dict(sorted(found.items()))


def _snapped(value: float) -> int:
    return GRID * math.floor(value / GRID + 0.5)


def ports_of(block: DrawnBlock, file: DiagramFile, scope: Mapping[str, object]
             ) -> tuple[list[str], list[str]]:  # fmt: skip
    """Return the names of a block's inputs and outputs; none if its parameters are wrong."""
    if block.kind == SUB:
        inside = file.sub(block.of)
        inner = {} if inside is None else inside.blocks
        inputs = [name for name, one in sorted(inner.items()) if one.kind == IN]
        if block.run != "always":
            inputs.append(ENABLE if block.run == "enabled" else TRIGGER)
        return inputs, [name for name, one in sorted(inner.items()) if one.kind == OUT]
    kind = kinds().get(block.kind) or faces().get(block.kind)
    values = None if kind is None else checked(kind, block.parameters, scope, [])
    if kind is None or values is None:
        return [], []
    ports = kind.ports_of(values)
    return [one.name for one in ports.inputs], [one.name for one in ports.outputs]


def _sized(name: str, diagram: Diagram, file: DiagramFile) -> Box:
    block = diagram.blocks[name]
    scope = {key: one.value for key, one in diagram.parameters.items()}
    inputs, outputs = ports_of(block, file, scope)
    ends = (_end(one) for one in diagram.wires)
    inputs += sorted({port for block, port in ends if block == name} - set(inputs))
    ends = (_end(one) for one in diagram.wires.values())
    outputs += sorted({port for block, port in ends if block == name} - set(outputs))
    rows = max(len(inputs), len(outputs), 2)
    width = SUB_WIDTH if block.kind == SUB else WIDTH
    return Box(0, 0, width, PITCH * rows, tuple(inputs), tuple(outputs))


def _end(text: str) -> tuple[str, str]:
    name, _, port = text.partition(".")
    return name, port


def _after(diagram: Diagram) -> dict[str, set[str]]:
    """List the blocks that each block feeds, without wires that close a loop from the inputs."""
    wires: dict[str, set[str]] = {name: set() for name in diagram.blocks}
    fed = set()
    for target, source in diagram.wires.items():
        into, out_of = _end(target)[0], _end(source)[0]
        if into in wires and out_of in wires:
            wires[out_of].add(into)
            fed.add(into)
    blocks = diagram.blocks
    starts = sorted(wires, key=lambda one: (one in fed, blocks[one].kind != IN, one))
    found: dict[str, set[str]] = {name: set() for name in wires}
    done: set[str] = set()
    for start in starts:
        if start in done:
            continue
        path = {start: iter(sorted(wires[start]))}  # blocks from the start to here, in order
        while path:
            name, rest = next(reversed(path.items()))
            target = next(rest, None)
            if target is None:
                done.add(name)
                del path[name]
            elif target not in path:
                found[name].add(target)
                if target not in done:
                    path[target] = iter(sorted(wires[target]))
    return found


def _layers(diagram: Diagram) -> dict[str, int]:
    """Layer blocks in columns, each right of what feeds it; wires that close a loop go back."""
    after = _after(diagram)
    layers = dict.fromkeys(sorted(after), 0)
    for name in _sorted(after):
        for target in after[name]:
            layers[target] = max(layers[target], layers[name] + 1)
    last = max(layers.values(), default=0)
    fed = {target for one in after.values() for target in one}
    for name, block in diagram.blocks.items():
        if block.kind == OUT:
            layers[name] = max(last, 1)
        elif name not in fed and block.kind != IN and after[name]:
            layers[name] = min(layers[target] for target in after[name]) - 1
    return layers


def _sorted(after: Mapping[str, set[str]]) -> list[str]:
    count = dict.fromkeys(after, 0)
    for targets in after.values():
        for one in targets:
            count[one] += 1
    ready = sorted((name for name, number in count.items() if number == 0), reverse=True)
    order = []
    while ready:
        name = ready.pop()
        order.append(name)
        for one in sorted(after[name], reverse=True):
            count[one] -= 1
            if count[one] == 0:
                ready.append(one)
    return order


def _columns(diagram: Diagram, sizes: Mapping[str, Box], layers: Mapping[str, int]
             ) -> dict[str, Box]:  # fmt: skip
    """Return a layout of everything: columns from left to right, few crossings, straight wires."""
    columns: list[list[str]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for name in sorted(sizes):
        columns[layers[name]].append(name)
    wires = _wires(diagram)
    found = _stacked(columns, sizes)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for column in columns if forward else reversed(columns):
            wanted = {
                name: _straight_height(name, found, wires, layers, forward=forward)
                for name in column
            }
            column.sort(key=lambda name: (wanted[name] + found[name].height / 2, name))
            _settle(column, wanted, found)
    top = min((box.y for box in found.values()), default=0)
    return {name: replace(box, y=box.y - top) for name, box in sorted(found.items())}


def _wires(diagram: Diagram) -> dict[str, list[tuple[str, str, str, str]]]:
    """By block: its own port, the block at the other end, the port there, and which end is own."""
    found: dict[str, list[tuple[str, str, str, str]]] = {name: [] for name in diagram.blocks}
    for target, source in sorted(diagram.wires.items()):
        (into, port), (out_of, start) = _end(target), _end(source)
        if into in found and out_of in found:
            found[into].append((port, out_of, start, "in"))
            found[out_of].append((start, into, port, "out"))
    return found


def _stacked(columns: list[list[str]], sizes: Mapping[str, Box]) -> dict[str, Box]:
    found, x = {}, 0
    for column in columns:
        y = 0
        for name in column:
            found[name] = replace(sizes[name], x=x, y=y)
            y += sizes[name].height + NAME_ROOM + ROW_GAP
        x += max((sizes[name].width for name in column), default=0)
        x += COLUMN_GAP + GRID * min(len(column), 8)
    return found


def _straight_height(
    name: str,
    found: Mapping[str, Box],
    wires: Mapping[str, list[tuple[str, str, str, str]]],
    layers: Mapping[str, int],
    *,
    forward: bool,
) -> float:
    """Find the height at which the wires from the column before (or after) are straight."""
    own, places = found[name], []
    for port, other, far, side in wires[name]:
        if (layers[other] < layers[name]) != forward or layers[other] == layers[name]:
            continue
        box = found[other]
        if side == "in":
            places.append(own.y + box.output_at(far)[1] - own.input_at(port)[1])
        else:
            places.append(own.y + box.input_at(far)[1] - own.output_at(port)[1])
    return sum(places) / len(places) if places else own.y


def _settle(column: list[str], wanted: Mapping[str, float], found: dict[str, Box]) -> None:
    """Put a column's blocks where they want to be, those that would meet as a group."""
    groups: list[tuple[float, list[str]]] = []
    for name in column:
        at, members = wanted[name], [name]
        while groups and groups[-1][0] + _tall(groups[-1][1], found) > at:
            before, others = groups.pop()
            joined = others + members
            above = _tall(others, found)
            at = (before * len(others) + (at - above) * len(members)) / len(joined)
            members = joined
        groups.append((at, members))
    for at, members in groups:
        y = _snapped(at)
        for name in members:
            found[name] = replace(found[name], y=y)
            y += found[name].height + NAME_ROOM + ROW_GAP


def _tall(names: list[str], found: Mapping[str, Box]) -> int:
    return sum(found[name].height + NAME_ROOM + ROW_GAP for name in names)


def _beside(name: str, size: Box, found: Mapping[str, Box], diagram: Diagram) -> Box:
    """Return a free place to the right of what feeds a block, or to the left of what it feeds."""
    feeding = [(found[_end(source)[0]], _end(source)[1]) for target, source
               in sorted(diagram.wires.items())
               if _end(target)[0] == name and _end(source)[0] in found]  # fmt: skip
    fed = [(found[_end(target)[0]], _end(target)[1]) for target, source
           in sorted(diagram.wires.items())
           if _end(source)[0] == name and _end(target)[0] in found]  # fmt: skip
    if feeding:
        x = max(box.x + box.width for box, _ in feeding) + COLUMN_GAP
        y = feeding[0][0].output_at(feeding[0][1])[1] - size.height // 2
    elif fed:
        x = min(box.x for box, _ in fed) - COLUMN_GAP - size.width
        y = fed[0][0].input_at(fed[0][1])[1] - size.height // 2
    else:
        x, y = 0, max((box.y + box.height for box in found.values()), default=0) + 2 * ROW_GAP
    box = replace(size, x=_snapped(x), y=_snapped(y))
    for step in range(10 * len(found) + 1):  # down, up, further down, …
        away = PITCH * ((step + 1) // 2) * (1 if step % 2 else -1)
        tried = replace(box, y=box.y + away)
        if not any(tried.meets(other) for other in found.values()):
            return tried
    return box

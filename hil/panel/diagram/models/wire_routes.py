"""Ways of wires on the drawing: horizontal and vertical, around blocks and beside other wires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from typing import Final

from hil.panel.diagram.models.names import Place
from hil.panel.diagram.models.shapes import STUB, BlockShape

ROOM_MOST: Final = 400
"""Longest text that is written at a wire [px]."""
CELL: Final = 80
"""Width of the squares by which blocks are found [px]."""
AIR: Final = 4
"""Least distance between a wire and a block that it passes [px]."""
STEP: Final = 20
"""Distance from one path that is tried to the next [px]."""
ASIDE: Final = (STUB, AIR + 1, STUB + STEP, STUB + 2 * STEP)
"""Distances beside a block at which a path up or down is tried [px]."""
_ASIDES: Final = sorted(product(ASIDE, repeat=2), key=lambda two: sum(map(ASIDE.index, two)))
LEVELS: Final = 20
"""Levels that are tried above and below both blocks."""
CLEAR_MOST: Final = 40
"""Paths tried, after one that passes no block, for one that lies on no other's wire."""
TRIED_MOST: Final = 6000
"""Paths tried for all wires beside the plainest of each, so that a drawing never waits."""


class WireRoutes:
    """Finds ways between blocks.

    Args:
        shapes: all blocks, by name.
        wires: that will be asked for, input to output: the first step of each port is kept for its
            own.
    """

    def __init__(
        self, shapes: Mapping[str, BlockShape], wires: Mapping[str, str] | None = None
    ) -> None:
        self._shapes, self._left = shapes, TRIED_MOST
        self._lying: dict[tuple[bool, int], list[tuple[int, int, str]]] = {}
        """Whether along x, and the other coordinate → from, to and output of legs there."""
        self._routes: dict[str, list[list[Place]]] = {}
        """Of each output."""
        self._cells: dict[Place, list[BlockShape]] = {}
        for one in shapes.values():
            for cell in _cells(one.at, (one.at[0] + one.width, one.at[1] + one.height)):
                self._cells.setdefault(cell, []).append(one)
        for target, source in (wires or {}).items():
            for end, output in ((source, True), (target, False)):
                name, _, port = end.partition(".")
                if name in shapes:
                    x, y = shapes[name].port_at(port, output=output)
                    step = (x, x + STUB) if output else (x - STUB, x)
                    self._lying.setdefault((True, y), []).append((*step, source))

    def route(self, source: str, target: str) -> list[Place]:
        """Corners of a wire from an output to an input; none between what is not there.

        The first way of few bends that passes no block and lies on no wire of another output, or at
        least passes no block; the plainest where there is none.
        """
        found = self._found(source, target)
        if found:
            self._routes.setdefault(source, []).append(found)
        for a, b in pairwise(found):
            along = a[1] == b[1]
            ends = sorted((a[0], b[0]) if along else (a[1], b[1]))
            place = along, a[1] if along else a[0]
            self._lying.setdefault(place, []).append((ends[0], ends[1], source))
        return found

    def all(self, wires: Mapping[str, str]) -> dict[str, list[Place]]:
        """The way of each wire, input to output; the short ones choose first."""
        order = sorted(wires, key=lambda one: (self._length(wires[one], one), one))
        return {target: self.route(wires[target], target) for target in order}

    def _length(self, source: str, target: str) -> int:
        ends = (source, True), (target, False)
        names = [(*end.partition(".")[::2], output) for end, output in ends]
        if not all(name in self._shapes for name, _, _ in names):
            return 0
        (x1, y1), (x2, y2) = (self._shapes[name].port_at(port, output=output)
                              for name, port, output in names)  # fmt: skip
        return abs(x2 - x1) + abs(y2 - y1)

    def joints(self) -> list[Place]:
        """Points where the wires of one output part."""
        return sorted({one for routes in self._routes.values() for one in _parting(routes)})

    def free_width(self, at: Place, height: int) -> int:
        """Width of the free space to the right, for text below a block.

        It ends before upright legs, blocks, and what is written below those.
        """
        (x, y), most = at, ROOM_MOST
        for (along, line), legs in self._lying.items():
            if (
                not along
                and x < line < x + most
                and any(low < y + height and high > y for low, high, _ in legs)
            ):
                most = line - x
        for one in self._near((x, y - height), (x + most, y + height)):
            bottom = one.at[1] + one.height + height
            if x < one.at[0] < x + most and one.at[1] < y + height and bottom > y:
                most = one.at[0] - x
        return most - AIR

    def _found(self, source: str, target: str) -> list[Place]:
        """The corners of a way."""
        (out_of, _, output), (into, _, input_) = source.partition("."), target.partition(".")
        if out_of not in self._shapes or into not in self._shapes:
            return []
        first, last = self._shapes[out_of], self._shapes[into]
        start, end = first.port_at(output, output=True), last.port_at(input_, output=False)
        plain, free, more = None, None, CLEAR_MOST
        for corners in _tried(start, end, first, last):
            plain = plain or corners
            if self._is_free(corners, first, last):
                if not self._lies_on_another(corners, source):
                    return corners
                free = free or corners
            more -= free is not None
            self._left -= 1
            if self._left < 0 or more < 0:
                break
        return free or plain or [start, end]

    def _lies_on_another(self, corners: list[Place], source: str) -> bool:
        """Whether a leg lies on one of another output's wire, or continues where that ends."""
        for a, b in pairwise(corners):
            along = a[1] == b[1]
            low, high = sorted((a[0], b[0]) if along else (a[1], b[1]))
            line = a[1] if along else a[0]
            for aside in range(line - AIR + 1, line + AIR):
                for begin, end, other in self._lying.get((along, aside), ()):
                    if other != source and begin <= high + AIR and low <= end + AIR:
                        return True
        return False

    def _is_free(self, corners: list[Place], first: BlockShape, last: BlockShape) -> bool:
        legs = list(pairwise(corners))
        for number, (a, b) in enumerate(legs):
            own = [first] if number == 0 else []
            own += [last] if number == len(legs) - 1 else []
            if any(_meets(one, a, b) for one in self._near(a, b) if one not in own):
                return False
        return True

    def _near(self, a: Place, b: Place) -> Iterator[BlockShape]:
        for cell in _cells((min(a[0], b[0]), min(a[1], b[1])), (max(a[0], b[0]), max(a[1], b[1]))):
            yield from self._cells.get(cell, ())


def _parting(routes: list[list[Place]]) -> Iterator[Place]:
    """Corners at which more than two legs of some ways meet."""
    legs = [leg for corners in routes for leg in pairwise(corners)]
    for x, y in {corner for corners in routes for corner in corners[1:-1]}:
        sides: set[tuple[int, int]] = set()
        for (x1, y1), (x2, y2) in legs:
            if y1 == y2 == y and min(x1, x2) <= x <= max(x1, x2):
                sides |= {(-1, 0)} if min(x1, x2) < x else set()
                sides |= {(1, 0)} if max(x1, x2) > x else set()
            if x1 == x2 == x and min(y1, y2) <= y <= max(y1, y2):
                sides |= {(0, -1)} if min(y1, y2) < y else set()
                sides |= {(0, 1)} if max(y1, y2) > y else set()
        if len(sides) > 2:
            yield x, y


def _cells(least: Place, most: Place) -> Iterator[Place]:
    for x in range((least[0] - AIR) // CELL, (most[0] + AIR) // CELL + 1):
        for y in range((least[1] - AIR) // CELL, (most[1] + AIR) // CELL + 1):
            yield x, y


def _meets(one: BlockShape, a: Place, b: Place) -> bool:
    """Whether a leg passes a block, or too near."""
    return (
        min(a[0], b[0]) < one.at[0] + one.width + AIR
        and max(a[0], b[0]) > one.at[0] - AIR
        and min(a[1], b[1]) < one.at[1] + one.height + AIR
        and max(a[1], b[1]) > one.at[1] - AIR
    )


def _tried(start: Place, end: Place, first: BlockShape, last: BlockShape
           ) -> Iterator[list[Place]]:  # fmt: skip
    """Ways from few bends to more; the first is the plainest."""
    (x1, y1), (x2, y2) = start, end
    if x2 > x1:
        if y1 == y2:
            yield [start, end]
        edge = min(STUB, (x2 - x1) // 2)
        for x in _about((x1 + x2) // 2, x1 + edge, x2 - edge):
            yield [start, (x, y1), (x, y2), end]
    bottom = max(one.at[1] + one.height for one in (first, last)) + STUB
    top = min(one.at[1] for one in (first, last)) - STUB
    levels = [bottom, top, *range(top + STEP, bottom, STEP)]
    for number in range(1, LEVELS):
        levels += [bottom + STEP * number, top - STEP * number]
    for y in levels:
        for out, back in _ASIDES:
            yield [start, (x1 + out, y1), (x1 + out, y), (x2 - back, y), (x2 - back, y2), end]


def _about(middle: int, least: int, most: int) -> Iterable[int]:
    """The middle, then what is ever further from it, and the ends."""
    yield middle
    for offset in range(STEP, max(middle - least, most - middle) + 1, STEP):
        if middle + offset <= most:
            yield middle + offset
        if middle - offset >= least:
            yield middle - offset
    yield from (least, most)

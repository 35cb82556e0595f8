"""Ways of wires on the drawing: horizontal and vertical, around blocks where there is room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from typing import Final

from hil.panel.diagram.models.names import Place
from hil.panel.diagram.models.shapes import STUB, BlockShape

CELL: Final = 80
"""Width of the squares by which blocks are found [px]."""
AIR: Final = 4
"""Between a wire and a block that it passes [px]."""
STEP: Final = 20
"""From one way that is tried to the next [px]."""
ASIDE: Final = (STUB, AIR + 1, STUB + STEP, STUB + 2 * STEP)
"""How far beside a block it is tried to go up or down [px]."""
_ASIDES: Final = sorted(product(ASIDE, repeat=2), key=lambda two: sum(map(ASIDE.index, two)))
LEVELS: Final = 20
"""Levels that are tried above and below both blocks."""
TRIED_MOST: Final = 6000
"""Ways that are tried for all wires beside the plainest of each, so that a drawing never waits."""


class Ways:
    """Finds ways between blocks.

    Args:
        shapes: all blocks, by name.
    """

    def __init__(self, shapes: Mapping[str, BlockShape]) -> None:
        self._shapes, self._left = shapes, TRIED_MOST
        self._cells: dict[Place, list[BlockShape]] = {}
        for one in shapes.values():
            for cell in _cells(one.at, (one.at[0] + one.width, one.at[1] + one.height)):
                self._cells.setdefault(cell, []).append(one)

    def way(self, source: str, target: str) -> list[Place]:
        """Corners of a wire from an output to an input; none between what is not there.

        The first way of few bends that passes no block; the plainest where there is none.
        """
        (out_of, _, output), (into, _, input_) = source.partition("."), target.partition(".")
        if out_of not in self._shapes or into not in self._shapes:
            return []
        first, last = self._shapes[out_of], self._shapes[into]
        start, end = first.port_at(output, output=True), last.port_at(input_, output=False)
        plain = None
        for corners in _tried(start, end, first, last):
            plain = plain or corners
            if self._is_free(corners, first, last):
                return corners
            self._left -= 1
            if self._left < 0:
                break
        return plain or [start, end]

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
    """The middle, then what is ever further from it."""
    yield middle
    for way in range(STEP, max(middle - least, most - middle) + 1, STEP):
        if middle + way <= most:
            yield middle + way
        if middle - way >= least:
            yield middle - way

"""Wires between boxes: orthogonal, around every block, few bends and crossings."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hil.diagram.show.layout import GRID, NAME_ROOM, Box

Point = tuple[int, int]
RIGHT: Final[Point] = (1, 0)
_WAYS: Final = (RIGHT, (0, 1), (0, -1), (-1, 0))
BEND: Final = 4.0
"""Cost of a bend, in grid steps."""
CROSSING: Final = 3.0
ALONG: Final = 25.0
"""A step on top of another wire."""
THROUGH: Final = 200.0
"""Cost of a step through a block, which is taken only where there is no other path."""
OWN: Final = 0.4
"""A step on a wire of the same output."""
ROOM: Final = 6
"""Cells around all blocks where wires may go."""
SEARCHED_MOST: Final = 300_000
"""Number of cells and directions searched for all wires; the rest goes with two bends."""
GREEDY_FROM: Final = 100
"""Number of wires from which paths are found sooner, though they may be longer."""


@dataclass(frozen=True, slots=True)
class Route:
    """A wire on the drawing."""

    target: str
    """End of the wire, as in the diagram: ``block.port``."""
    source: str
    points: tuple[Point, ...]
    """Corners from the output to the input [px]."""


def routes(placed: Mapping[str, Box], wires: Mapping[str, str]) -> list[Route]:
    """Find a path for each wire, the short ones first.

    Args:
        placed: Blocks by name.
        wires: Destination ``block.port`` → source; those of unknown ends are left out.
    """
    ends = {}
    for target, source in sorted(wires.items()):
        (into, _, port), (out_of, _, start) = target.partition("."), source.partition(".")
        if into in placed and out_of in placed and port in placed[into].inputs \
                and start in placed[out_of].outputs:  # fmt: skip
            ends[target] = placed[out_of].output_at(start), placed[into].input_at(port), source
    work = _Router(placed.values(), ends.values())
    order = sorted(ends, key=lambda one: (_far(ends[one][0], ends[one][1]), one))
    found = {one: work.route(*ends[one]) for one in order}
    return [Route(one, ends[one][2], found[one]) for one in sorted(found)]


def _far(one: Point, other: Point) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def joints(wires: Iterable[Route]) -> list[Point]:
    """Return the junctions of the wires of one output [px]."""
    edges: dict[tuple[str, Point], set[Point]] = {}
    for one in wires:
        for a, b in _steps(one.points):
            edges.setdefault((one.source, a), set()).add(b)
            edges.setdefault((one.source, b), set()).add(a)
    return sorted({point for (_, point), others in edges.items() if len(others) > 2})


def _steps(points: tuple[Point, ...]) -> Iterable[tuple[Point, Point]]:
    for (x, y), (x2, y2) in pairwise(points):
        count = max(abs(x2 - x), abs(y2 - y)) // GRID
        for n in range(count):
            yield (
                (x + (x2 - x) * n // count, y + (y2 - y) * n // count),
                (x + (x2 - x) * (n + 1) // count, y + (y2 - y) * (n + 1) // count),
            )


class _Router:
    """A grid with its obstacles; cells are points of the grid."""

    def __init__(self, placed: Iterable[Box], ends: Iterable[tuple[Point, Point, str]]) -> None:
        self._blocked: set[Point] = set()
        self._edges = (10**9, -(10**9), 10**9, -(10**9))
        for box in placed:
            left, right = box.x // GRID, (box.x + box.width) // GRID
            top, bottom = box.y // GRID, (box.y + box.height + NAME_ROOM) // GRID
            self._edges = (
                min(self._edges[0], left), max(self._edges[1], right),
                min(self._edges[2], top), max(self._edges[3], bottom),
            )  # fmt: skip
            self._blocked |= {(x, y) for x in range(left, right + 1)
                              for y in range(top, bottom + 1)}  # fmt: skip
        self._taken: dict[tuple[Point, bool], set[str]] = {}
        """Cell and whether along x → outputs whose wires lie there."""
        ends = list(ends)
        self._left, self._wires = SEARCHED_MOST, len(ends)
        self._greed = min(max(1.0, len(ends) / GREEDY_FROM), 4.0)
        for start, end, source in ends:  # keep the first step of every port free for its own
            for x, y in (_cell(start, 1), _cell(end, -1)):
                self._taken.setdefault(((x, y), True), set()).add(source)

    def route(self, start: Point, end: Point, source: str) -> tuple[Point, ...]:
        first, last = _cell(start, 1), _cell(end, -1)
        route = self._route(first, last, source) or _plain(first, last)
        for a, b in pairwise(route):
            along = a[1] == b[1]
            for cell in (a, b):
                self._taken.setdefault((cell, along), set()).add(source)
        points = [start, *((x * GRID, y * GRID) for x, y in route), end]
        return _corners(points)

    def _route(self, first: Point, last: Point, source: str) -> list[Point] | None:
        """Return the cheapest cells from one to another, leaving and arriving to the right."""
        begin: tuple[Point, Point] = (first, RIGHT)
        costs: dict[tuple[Point, Point], float] = {begin: 0.0}
        before: dict[tuple[Point, Point], tuple[Point, Point]] = {}
        waiting: list[tuple[float, int, tuple[Point, Point]]] = [(0.0, 0, begin)]
        done: set[tuple[Point, Point]] = set()
        most = max(4 * self._left // max(self._wires, 1), 0)
        self._wires -= 1
        while waiting and len(done) < most:
            _, _, at = heapq.heappop(waiting)
            if at in done:
                continue
            done.add(at)
            self._left -= 1
            if at == (last, RIGHT):
                return _back(before, at)
            (x, y), heading = at
            for step in _WAYS:
                if step[0] == -heading[0] and step[1] == -heading[1]:
                    continue
                cell = (x + step[0], y + step[1])
                if not self._is_near(cell):
                    continue
                cost = costs[at] + self._cost((x, y), cell, step, source)
                cost += BEND if step != heading else 0.0
                if cell == last and step != RIGHT:
                    reached = (cell, RIGHT)
                    cost += BEND
                else:
                    reached = (cell, step)
                if cost < costs.get(reached, float("inf")):
                    costs[reached], before[reached] = cost, at
                    rest = self._greed * _far(cell, last)
                    heapq.heappush(waiting, (cost + rest, len(before), reached))
        return None

    def _is_near(self, cell: Point) -> bool:
        left, right, top, bottom = self._edges
        return left - ROOM <= cell[0] <= right + ROOM and top - ROOM <= cell[1] <= bottom + ROOM

    def _cost(self, at: Point, cell: Point, step: Point, source: str) -> float:
        along = step[1] == 0
        lying = self._taken.get((cell, along), set())
        if source in lying and source in self._taken.get((at, along), set()):
            cost = OWN
        elif lying - {source} and self._taken.get((at, along), set()) & lying - {source}:
            cost = ALONG
        elif lying - {source}:
            cost = ALONG / 2.0
        else:
            cost = 1.0
        if self._taken.get((cell, not along), set()) - {source}:
            cost += CROSSING
        return cost + (THROUGH if cell in self._blocked else 0.0)


def _cell(point: Point, aside: int) -> Point:
    return point[0] // GRID + aside, point[1] // GRID


def _back(before: Mapping[tuple[Point, Point], tuple[Point, Point]], at: tuple[Point, Point]
          ) -> list[Point]:  # fmt: skip
    route = [at[0]]
    while at in before:
        at = before[at]
        route.append(at[0])
    return route[::-1]


def _plain(first: Point, last: Point) -> list[Point]:
    """Return the path with two bends at most, through whatever is there."""
    middle = (first[0] + last[0]) // 2
    corners = [first, (middle, first[1]), (middle, last[1]), last]
    scaled = tuple((x * GRID, y * GRID) for x, y in corners)
    return [first, *((x // GRID, y // GRID) for _, (x, y) in _steps(scaled))]


def _corners(points: list[Point]) -> tuple[Point, ...]:
    found = [points[0]]
    for before, at, after in zip(points, points[1:], points[2:], strict=False):
        straight = (before[0] == at[0] == after[0]) or (before[1] == at[1] == after[1])
        if not straight and at != found[-1]:
            found.append(at)
    return (*found, points[-1])

"""Equations of a robot's memory of points and of its search for a free direction."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Final

from interpreter.real import total
from interpreter.whole import Numbers, WholeBlock

root, sin, cos = total(math.sqrt), total(math.sin), total(math.cos)
Point = tuple[float, float]


def pairs(values: Numbers) -> list[Point]:
    """Points of numbers in a row."""
    return list(zip(values[0::2], values[1::2], strict=True))


class BeamMemory(WholeBlock):
    """States: points, and the index of the oldest."""

    def output(self, *_: Numbers) -> Numbers:
        return self.x[:-1]

    def update(self, place: Numbers, ahead: Numbers, *fans: Numbers) -> None:
        known, oldest = pairs(self.x[:-1]), int(self.x[-1])
        distances = [one for fan in fans[0::2] for one in fan]
        seen = [one for fan in fans[1::2] for one in fan]
        least = self.p["spacing_m"] * self.p["spacing_m"]
        for (x, y, angle), distance, is_seen in zip(self.p["beams"], distances, seen, strict=True):
            if not (is_seen and distance <= self.p["reach_m"]):
                continue
            along, across = x + distance * math.cos(angle), y + distance * math.sin(angle)
            point = (
                place[0] + (along * ahead[0] - across * ahead[1]),
                place[1] + (along * ahead[1] + across * ahead[0]),
            )
            if any(square(one, point) < least for one in known):
                continue
            known[oldest] = point
            oldest = (oldest + 1) % len(known)
        self.x[:] = [*itertools.chain.from_iterable(known), float(oldest)]


def square(one: Point, other: Point) -> float:
    """Square of a distance."""
    dx, dy = one[0] - other[0], one[1] - other[1]
    return dx * dx + dy * dy


class FreeLength(WholeBlock):
    def output(
        self, points: Numbers, place: Numbers, direction: Numbers, length: Numbers
    ) -> Numbers:
        return [self.free(pairs(points), (place[0], place[1]), direction[0], length[0])]

    def free(self, points: list[Point], at: Point, angle: float, most: float) -> float:
        """How far the disc goes."""
        c, s, width = cos(angle), sin(angle), self.p["half_width_m"]
        lengths = [most]
        for x, y in points:
            dx, dy = x - at[0], y - at[1]
            along, across = dx * c + dy * s, dy * c - dx * s
            if along > 0.0 and -width < across < width:
                lengths.append(along - root(width * width - across * across))
        return max(0.0, min(lengths))


class FreeDirection(FreeLength):
    def output(
        self, points: Numbers, place: Numbers, wanted: Numbers, hand: Numbers, length: Numbers
    ) -> Numbers:
        known, at, most = pairs(points), (place[0], place[1]), length[0]
        best, angle = self.free(known, at, wanted[0], most), wanted[0]
        for turn in self.turns(hand[0]):
            if not best < most:
                break
            found = self.free(known, at, wanted[0] + turn, most)
            if found > best:
                best, angle = found, wanted[0] + turn
        return [angle, best]

    def turns(self, hand: float) -> Iterator[float]:
        """Angles from the wanted one, in the order in which they are tried."""
        step = self.p["step_rad"]
        for n in range(1, int(2.0 * math.pi / step)):
            if hand > 0.0 or hand < 0.0:
                yield math.copysign(n * step, hand)
            else:
                yield (n + 1) // 2 * step * (1.0 if n % 2 else -1.0)


class NearestPoint(WholeBlock):
    def output(self, points: Numbers, place: Numbers) -> Numbers:
        at = (place[0], place[1])
        squares = [one for one in (square(point, at) for point in pairs(points)) if one < math.inf]
        return [root(min(squares, default=math.inf))]


NAVIGATION: Final[dict[str, type[WholeBlock]]] = {
    one.__name__: one for one in (BeamMemory, FreeLength, FreeDirection, NearestPoint)
}
"""By the kind's name."""

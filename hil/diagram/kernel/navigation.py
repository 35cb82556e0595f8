"""Points that beams have met, and directions that are free among points."""

import math

from numba import njit

from hil.diagram.kernel.codes import FAST, Array, Places

FANS = 5
"""Numbers of a memory before its beams: fans, beams of a fan, points, spacing squared, reach."""
BEAM = 4
"""Numbers of a beam: its place in the robot's axes, cosine and sine of its angle."""
POINTS, HALF_WIDTH, STEP = range(3)
"""Numbers of a search: number of points, half the body's width, step of the angle."""


@njit(**FAST)
def remember_points(v: Array, x: Places, q: int, s: int, p: int) -> None:
    """Write points that beams meet into a memory's states, where it has none near by.

    States: x and y of each point, then the index of the oldest one.
    """
    fans, beams, count = int(v[p]), int(v[p + 1]), int(v[p + 2])
    place, ahead, oldest = x[q], x[q + 1], s + 2 * count
    for fan in range(fans):
        distances, seen = x[q + 2 + 2 * fan], x[q + 3 + 2 * fan]
        for n in range(beams):
            distance, b = v[distances + n], p + FANS + BEAM * (fan * beams + n)
            if v[seen + n] == 0.0 or not distance <= v[p + 4]:
                continue
            along = v[b] + distance * v[b + 2]
            across = v[b + 1] + distance * v[b + 3]
            px = v[place] + (along * v[ahead] - across * v[ahead + 1])
            py = v[place + 1] + (along * v[ahead + 1] + across * v[ahead])
            if is_new(v, s, count, px, py, v[p + 3]):
                at = int(v[oldest])
                v[s + 2 * at] = px
                v[s + 2 * at + 1] = py
                v[oldest] = 0.0 if at + 1 == count else at + 1.0


@njit(**FAST)
def is_new(v: Array, s: int, count: int, px: float, py: float, least: float) -> bool:
    """Return whether no point is nearer than a distance, whose square is given."""
    for n in range(count):
        dx, dy = v[s + 2 * n] - px, v[s + 2 * n + 1] - py
        if dx * dx + dy * dy < least:
            return False
    return True


@njit(**FAST)
def free_length(v: Array, points: int, p: int, place: int, angle: float, most: float) -> float:
    """Return how far a disc goes in a direction until it touches a point, up to a length [m]."""
    c, s, width = math.cos(angle), math.sin(angle), v[p + HALF_WIDTH]
    found = most
    for n in range(int(v[p + POINTS])):
        dx, dy = v[points + 2 * n] - v[place], v[points + 2 * n + 1] - v[place + 1]
        along = dx * c + dy * s
        if along > 0.0 and along - width < found:
            across = dy * c - dx * s
            if across < width and across > -width:
                length = along - math.sqrt(width * width - across * across)
                if length < found:
                    found = length
    return found if found > 0.0 else 0.0


@njit(**FAST)
def find_free(v: Array, x: Places, q: int, o: int, p: int) -> None:
    """Write the first free direction from a wanted one, or the freest, and its free length."""
    points, place, wanted = x[q], x[q + 1], v[x[q + 2]]
    hand, most = v[x[q + 3]], v[x[q + 4]]
    best, angle = free_length(v, points, p, place, wanted, most), wanted
    count = int(2.0 * math.pi / v[p + STEP])
    n = 1
    while n < count and best < most:
        if hand > 0.0:
            turn = n * v[p + STEP]
        elif hand < 0.0:
            turn = -(n * v[p + STEP])
        else:
            turn = (n + 1) // 2 * v[p + STEP]
            if n % 2 == 0:
                turn = -turn
        length = free_length(v, points, p, place, wanted + turn, most)
        if length > best:
            best, angle = length, wanted + turn
        n += 1
    v[o], v[o + 1] = angle, best


@njit(**FAST)
def find_nearest(v: Array, x: Places, q: int, o: int, p: int) -> None:
    """Write the distance of the nearest point."""
    points, place, found = x[q], x[q + 1], math.inf
    for n in range(int(v[p + POINTS])):
        dx, dy = v[points + 2 * n] - v[place], v[points + 2 * n + 1] - v[place + 1]
        square = dx * dx + dy * dy
        if square < found:
            found = square
    v[o] = math.sqrt(found)

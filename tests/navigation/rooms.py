"""Rooms with obstacles for a mobile robot: drawn ones, and those in which a rule is decided."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

Place = tuple[float, float]
FLOOR_PLAN_M = (9.0, 7.0)
"""Length and width of a room."""
GOODS = {"barrel": (0.29,), "pole": (0.02,), "crate": (0.6, 0.5), "pallet": (1.2, 0.8)}
"""Radius of round goods; length and width of the others [m]."""
HEIGHT_M = {"barrel": 0.88, "pole": 1.0, "crate": 0.5, "pallet": 0.144}
PATHLESS = 0.5
"""Least distance of starts and goals from all goods and, with 0.1 m more, from walls [m]."""


@dataclass(frozen=True)
class Obstacle:
    """A standing body: round if it has one size, else a box."""

    size_m: tuple[float, ...]
    x_m: float
    y_m: float
    turn_rad: float = 0.0
    height_m: float = 1.0

    def outline(self, count: int = 48) -> np.ndarray:
        """Points of its edge, shape (count, 2)."""
        share = np.arange(count) / count
        if len(self.size_m) == 1:
            angle = 2.0 * math.pi * share
            return self.size_m[0] * np.stack([np.cos(angle), np.sin(angle)], 1) + self.middle
        corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)]) * np.array(self.size_m) / 2
        along = np.stack([np.interp(4.0 * share, np.arange(5), corners[:, k]) for k in (0, 1)], 1)
        c, s = math.cos(self.turn_rad), math.sin(self.turn_rad)
        return along @ np.array([[c, s], [-s, c]]) + self.middle

    @property
    def middle(self) -> np.ndarray:
        return np.array([self.x_m, self.y_m])

    def holds(self, place: Place) -> bool:
        """Whether a place lies within."""
        x, y = np.array(place) - self.middle
        if len(self.size_m) == 1:
            return math.hypot(x, y) <= self.size_m[0]
        c, s = math.cos(self.turn_rad), math.sin(self.turn_rad)
        return abs(c * x + s * y) <= self.size_m[0] / 2 and abs(c * y - s * x) <= self.size_m[1] / 2


@dataclass(frozen=True)
class Drive:
    """A room, where the robot starts in it, and where it is to go."""

    obstacles: tuple[Obstacle, ...]
    start: tuple[float, float, float]
    """x, y [m], heading [rad]."""
    goal: tuple[float, float, float]
    gap_m: float = 0.0


def walls() -> tuple[Obstacle, ...]:
    """The four walls about a room."""
    length, width = FLOOR_PLAN_M
    x, y = length / 2 + 0.05, width / 2 + 0.05
    return (
        Obstacle((length + 0.2, 0.1), 0.0, y), Obstacle((length + 0.2, 0.1), 0.0, -y),
        Obstacle((0.1, width), x, 0.0), Obstacle((0.1, width), -x, 0.0),
    )  # fmt: skip


def apart_m(first: np.ndarray, second: np.ndarray) -> float:
    """Least distance of two groups of points."""
    return float(np.sqrt(((first[:, None] - second[None]) ** 2).sum(-1)).min())


def drawn(seed: int, gap_m: float | None = None) -> Drive:
    """A drawn field: 4 to 12 goods, no gap below one of 0.8 to 1.6 m, any places and headings."""
    rng = np.random.default_rng(np.random.SeedSequence((36, seed)))
    gap = float(rng.uniform(0.8, 1.6)) if gap_m is None else gap_m
    half = np.array(FLOOR_PLAN_M) / 2
    found: list[Obstacle] = []
    for _ in range(int(rng.integers(4, 13))):
        for _ in range(100):
            kind = str(rng.choice(sorted(GOODS)))
            x, y = rng.uniform(-half, half)
            turn = float(rng.uniform(-math.pi, math.pi))
            one = Obstacle(GOODS[kind], float(x), float(y), turn, HEIGHT_M[kind])
            edge = one.outline()
            if (np.abs(edge) > half - gap).any():
                continue
            if all(apart_m(edge, other.outline()) >= gap for other in found):
                found.append(one)
                break
    while True:
        start, goal = (_free_place(rng, found, half) for _ in range(2))
        if math.dist(start, goal) > 3.0:
            break
    headings = rng.uniform(-math.pi, math.pi, 2).tolist()
    return Drive(tuple(found), (*start, headings[0]), (*goal, headings[1]), gap)


def _free_place(rng: np.random.Generator, goods: list[Obstacle], half: np.ndarray) -> Place:
    while True:
        x, y = rng.uniform(0.6 - half, half - 0.6)
        place = (float(x), float(y))
        apart = (apart_m(np.array([place]), one.outline()) > PATHLESS for one in goods)
        if all(apart) and not any(one.holds(place) for one in goods):
            return place


def round_one(radius_m: float, x_m: float, y_m: float) -> Obstacle:
    return Obstacle((radius_m,), x_m, y_m)


def box(x_m: float, y_m: float, length_m: float, width_m: float, turn_rad: float = 0.0) -> Obstacle:
    return Obstacle((length_m, width_m), x_m, y_m, turn_rad)


ACROSS = ((-2.5, 0.0, 0.0), (2.5, 0.0, 0.0))
"""Start and goal of most directed cases."""
BODY_M = 0.54
"""Width of `mf4_wheels` over its wheels."""


def _directed() -> dict[str, Drive]:
    def across(*obstacles: Obstacle, start=ACROSS[0], goal=ACROSS[1]) -> Drive:
        return Drive(obstacles, start, goal)

    trap = (box(0.8, 0.0, 0.1, 2.2), box(0.0, 1.1, 1.7, 0.1), box(0.0, -1.1, 1.7, 0.1))
    gap = BODY_M + 0.07
    ring = tuple(
        round_one(0.25, 1.5 * math.cos(k * math.pi / 7) - 1.0, 1.5 * math.sin(k * math.pi / 7))
        for k in range(14)
    )
    barrel = round_one(0.29, 0.0, 0.0)
    return {
        "thin pole ahead": across(round_one(0.02, 0.0, 0.0)),
        "thin pole between beams": across(round_one(0.02, 0.0, 0.09)),
        "thin pole at the corner": across(round_one(0.02, 0.0, 0.24)),
        "goal before an object": across(box(2.74, 0.0, 0.6, 0.6), start=(-2.5, 0.0, 1.0),
                                        goal=(2.0, 0.0, math.pi / 2)),
        "goal beside an object": across(round_one(0.29, 2.0, 0.71), start=(-2.5, 0.0, 1.0),
                                        goal=(2.0, 0.0, 0.0)),
        "left neighbour": across(barrel, round_one(0.29, -0.6, 0.9)),
        "second object while following": across(barrel, round_one(0.29, 0.2, -1.4),
                                                round_one(0.29, 0.2, 1.4)),
        "wall beside an obstacle": across(round_one(0.29, 0.0, -0.3), box(0.0, 0.2, 0.2, 0.5),
                                          box(0.3, 1.9, 3.0, 0.1)),
        "3 m wall": across(box(0.0, 0.0, 0.15, 3.0)),
        "3 m wall aside": across(box(0.0, 0.5, 0.15, 3.0)),
        "U-trap": across(*trap),
        "U-trap from inside": across(*trap, start=(0.0, 0.2, 0.0)),
        "pallet alone": across(replace(box(0.0, 0.1, 1.2, 0.8, 0.3), height_m=0.144)),
        "narrow passage beside another": across(
            box(0.0, -gap / 2 - 1.2, 0.3, 2.4), box(0.0, gap / 2 + 0.8, 0.3, 1.6)),
        "narrow passage alone": across(
            box(0.0, -gap / 2 - 1.6, 0.3, 3.2), box(0.0, gap / 2 + 1.6, 0.3, 3.2)),
        "closed ring": across(*ring, start=(-1.0, 0.0, 0.0), goal=(3.0, 0.0, 0.0)),
    }  # fmt: skip


DIRECTED = _directed()
"""Cases in which a correction of the published law is decided."""
CLOSED = ("narrow passage alone", "closed ring")
"""Those without a way, which are to end as blocked."""

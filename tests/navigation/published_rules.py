"""The published navigation of MF-4, read from the paper's lines as a program.

It shares nothing with the diagrams. Each ``yield`` is one decision: a mode and two voltages; the
sensors of the next decision come back.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass

Decision = tuple[str, float, float]
"""Name of the mode, U_L, U_R."""


@dataclass(frozen=True)
class Sensed:
    """What the robot senses at a decision."""

    p1: tuple[float, float]
    p2: tuple[float, float]
    left: tuple[float, ...]
    front: tuple[float, ...]
    right: tuple[float, ...]
    """Distances of beams [m]; infinite for those that see nothing."""


@dataclass(frozen=True)
class Numbers:
    """Numbers of the law."""

    d_near: float = 0.25
    d_close: float = 0.5
    eps1: float = 0.06
    eps2: float = 0.05
    u1: float = 0.5
    u2: float = 0.2


def navigate(
    s: Sensed, goal: tuple[float, float], n_d: tuple[float, float], k: Numbers
) -> Generator[Decision, Sensed, None]:
    """Lines 1 to 9: drive to the goal, then turn to the final direction."""
    clockwise, other_way, forward = (k.u2, -k.u2), (-k.u2, k.u2), (k.u1, k.u1)

    def rule(nx: float, ny: float) -> str:
        length = math.dist(s.p1, s.p2)
        cx, cy = (s.p2[0] - s.p1[0]) / length, (s.p2[1] - s.p1[1]) / length
        c, along = nx * cy - ny * cx, nx * cx + ny * cy
        if c > k.eps2:
            return "cw"
        if c < -k.eps2:
            return "ccw"
        return "cw" if along <= -math.sqrt(1.0 - k.eps2 * k.eps2) else "ahead"

    while (far := math.dist(s.p1, goal)) > k.eps1:
        if min(s.left) <= k.d_near or min(s.right) <= k.d_near:
            s = yield "drive", *forward
        elif min(s.front) <= k.d_near:
            while min(s.left) > k.d_close:
                s = yield "turn", *clockwise
            while min(s.left) <= k.d_close:
                s = yield "follow", *forward
        else:
            turn = rule((goal[0] - s.p1[0]) / far, (goal[1] - s.p1[1]) / far)
            s = yield "drive", *{"cw": clockwise, "ccw": other_way, "ahead": forward}[turn]
    while (turn := rule(*n_d)) != "ahead":
        s = yield "align", *{"cw": clockwise, "ccw": other_way}[turn]
    while True:
        s = yield "arrived", 0.0, 0.0

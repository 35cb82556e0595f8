"""A robot of the contour link that keeps a period of its own, and measures how fast it was sent.

It shares nothing with the bench: the line's format and its checksum are written here from the
protocol. A way of the path is driven in the time between two of its requests. It tells no place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

POLL_S = 0.02
ASKS_AGAIN_S = 0.25


class Host(Protocol):
    """The other end: bytes and time in, at most one line out."""

    def receive(self, data: bytes, now_s: float) -> bytes: ...

    def sent(self, line: bytes, now_s: float) -> None: ...


class Way(NamedTuple):
    """From one waypoint to the next."""

    way_m: float
    turn_rad: float
    period_s: float
    """Of the robot, from its request for this waypoint to the next one."""
    since_s: float
    """From its request for the waypoint before to the one for this; its period for the first."""


def checksum(counts: list[int]) -> int:
    """Of the scaled integers of a line."""
    total = 0
    for count in counts:
        total = (total * 31 + abs(count) + (count < 0)) % 997
    return total


def request(seq: int, status: int) -> bytes:
    """Ask for a waypoint."""
    return f"R,{seq},{status},{checksum([seq, status])}\r".encode()


def waypoint(line: bytes) -> list[float] | None:
    """Seq, x, y, z [m], o, a, t [rad] of an answer; None for the end of the stream.

    Raises:
        ValueError: the checksum is wrong.
    """
    seq, *fields, check = line.decode().strip().split(",")
    if seq == "-1":
        return None
    values = [float(text) for text in fields]
    scaled = [round(value * (100 if k < 3 else 1000)) for k, value in enumerate(values)]
    if checksum([int(seq), *scaled]) != int(check):
        raise ValueError(f"{line!r}: the checksum is wrong")
    return [float(seq), *(1e-3 * v for v in values[:3]), *map(math.radians, values[3:])]


@dataclass
class ContourRobot:
    """The robot, at rest at `place` = x, y, z [m], o, a, t [rad]; it goes on as soon as it can."""

    host: Host
    offer: Callable[[], None]
    """The bench's planner, called whenever time passes."""
    place: list[float]
    period_s: Callable[[int], float]
    """By the number of the waypoint, from 0."""
    late_s: Callable[[int], float] = lambda number: 0.0
    """How late a request is heard."""
    lost: frozenset[int] = frozenset()
    """Requests that are lost at their first sending."""
    now_s: float = 100.0
    ways: list[Way] = field(default_factory=list)

    def run(self, waypoints: int) -> None:
        """Take so many waypoints, or as many as come."""
        asked_s, before_s = self.now_s, None
        for number in range(waypoints):
            line = self._ask(number, asked_s)
            if not line:
                return
            target = waypoint(line)
            if target is None:
                return
            assert target[0] == number, "the answer is the one that was asked for"
            period_s = self.period_s(number)
            since_s = period_s if before_s is None else asked_s - before_s
            way_m = math.dist(target[1:4], self.place[:3])
            turn_rad = abs(math.remainder(target[4] - self.place[3], math.tau))  # about z alone
            self.ways.append(Way(way_m, turn_rad, period_s, since_s))
            self.place = target[1:]
            before_s, asked_s = asked_s, asked_s + period_s

    def _ask(self, number: int, asked_s: float) -> bytes:
        if number in self.lost:
            self._wait(asked_s + ASKS_AGAIN_S)
        self._wait(max(asked_s + self.late_s(number), self.now_s))
        line = self.host.receive(request(number, 0 if self.ways else 2), self.now_s)
        if line:
            self.host.sent(line, self.now_s)
        return line

    def _wait(self, until_s: float) -> None:
        while self.now_s < until_s:
            self.offer()
            self.now_s = min(until_s, self.now_s + POLL_S)
            assert not self.host.receive(b"", self.now_s), "nobody has asked"
        self.offer()

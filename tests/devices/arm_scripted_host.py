"""A host in virtual time: it answers the emulated arm from a list, with a codec of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from sim.devices.arm.controller import ArmController
from sim.devices.arm.plant_servos import JointPlant
from sim.devices.arm.protocol import location_of
from sim.devices.arm.settings import ArmControllerSettings

PERIOD_S = 0.35
STEP_S = 0.005


def checked(fields: list[int]) -> int:
    total = 0
    for n in fields:
        total = (31 * total + abs(n) + (1 if n < 0 else 0)) % 997
    return total


def waypoint_line(seq: int, location: tuple[int, ...]) -> bytes:
    words = [f"{v / 100:.2f}" for v in location[:3]] + [f"{v / 1000:.3f}" for v in location[3:]]
    return f"{seq},{','.join(words)},{checked([seq, *location])}\r".encode()


def end_line(reason: int = 0) -> bytes:
    return f"-1,{reason},0,0,0,0,0,{checked([-1, reason, 0, 0, 0, 0, 0])}\r".encode()


class ScriptedHost:
    """Answers request n of a stream with `answers(n)`; None leaves it without one."""

    def __init__(
        self,
        settings: ArmControllerSettings | None = None,
        seed: int = 0,
        plant: JointPlant | None = None,
    ) -> None:
        settings = settings or ArmControllerSettings()
        self.robot = ArmController(settings, now_s=0.0, seed=seed, plant=plant)
        self.start_m, self.rotation = self.robot.gripper
        self.now_s = 0.0
        self.requests: list[tuple[float, list[str]]] = []
        self.noise = 0
        self.track: list[np.ndarray] = []
        self.answers: Callable[[int], bytes | None] = lambda seq: None
        self.stops_at = 2
        """Least status after which it falls silent, as a host does whose stream is over."""
        self._silent = False
        self._heard = b""

    def location(self, offset_m: tuple[float, float, float]) -> tuple[int, ...]:
        return location_of(self.start_m + np.array(offset_m), self.rotation)

    def run(self, duration_s: float) -> None:
        end_s = self.now_s + duration_s
        while self.now_s < end_s - 1e-9:
            self.now_s = round(self.now_s + STEP_S, 6)
            self._heard += self.robot.advance(self.now_s)
            self.track.append(self.robot.gripper[0])
            while b"\r" in self._heard:
                line, self._heard = self._heard.split(b"\r", 1)
                self._hear(line.decode("latin-1"))

    def _hear(self, line: str) -> None:
        words = line.split(",")
        plain = all(word.isascii() and word.isdigit() for word in words[1:])
        if words[0] != "R" or len(words) not in (4, 10) or (len(words) == 4 and not plain):
            self.noise += 1
            return
        if len(words) == 4 and checked([int(words[1]), int(words[2])]) != int(words[3]):
            self.noise += 1
            return
        self.requests.append((self.now_s, words))
        self._silent = self._silent or int(words[2]) >= self.stops_at
        answer = None if self._silent else self.answers(int(words[1]))
        if answer is not None:
            self.robot.receive(answer, self.now_s)

    def arm(self) -> None:
        """Answer again, whatever the status."""
        self._silent, self.stops_at = False, 9

    @property
    def statuses(self) -> list[int]:
        return [int(words[2]) for _, words in self.requests]

    def follow(self, offsets: Callable[[int], tuple[float, float, float]], count: int) -> None:
        """Answer `count` requests from number 0 with these offsets [m], then with nothing."""
        self.answers = lambda seq: (
            waypoint_line(seq, self.location(offsets(seq))) if seq < count else None
        )


def ahead(seq: int) -> tuple[float, float, float]:
    """Straight ahead along y at 60 mm/s."""
    return (0.0, 0.021 * seq, 0.0)


def distance_to_polyline(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Distance of each point, shape (n, 3), from a polyline, shape (m, 3)."""
    best = np.full(len(points), np.inf)
    for a, b in itertools.pairwise(corners):
        d = b - a
        length2 = float(d @ d)
        u = np.clip(((points - a) @ d) / length2, 0.0, 1.0) if length2 else np.zeros(len(points))
        best = np.minimum(best, np.linalg.norm(points - a - u[:, None] * d, axis=1))
    return best

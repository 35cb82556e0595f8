"""The controller's program, run from its listing, with the terminal and the arm that it needs."""

import math

from val_model import load

from arm_driver.contour.location import Location

TICK_S = 0.005
START = Location((40_000, 10_000, 20_000, 0, 90_000, 0))


class Paced:
    """One direction of a line: ten bits a byte, one after the other.

    Args:
        baud: bits per second.
    """

    def __init__(self, baud):
        self._byte_s, self._free_s, self._under_way = 10.0 / baud, 0.0, []

    def send(self, data, now_s):
        self._free_s = max(self._free_s, now_s) + self._byte_s * len(data)
        self._under_way.append((self._free_s, data))

    def take(self, now_s):
        """What has arrived whole by now, as it was sent."""
        arrived = [data for at_s, data in self._under_way if at_s <= now_s]
        del self._under_way[: len(arrived)]
        return arrived


class Controller:
    """The listing's two tasks, a terminal without delay, and an arm that moves at its speed."""

    def __init__(self, feedback=True, *, start=START, tick_s=TICK_S):
        self.now_s, self._tick_s = 50.0, tick_s
        self.typed = b""
        self.inbox = []
        self.moves = []
        self.at = [v / d for v, d in zip(start.counts, (100,) * 3 + (1000,) * 3, strict=True)]
        self._formats = []
        self._busy_until_s = 0.0
        self._timers = {}
        self._speed = 0.0
        memory = load(
            {
                "N": float,
                "INT": math.trunc,
                "ABS": abs,
                "SQRT": math.sqrt,
                "HERE": lambda: self.at,
                "TIMER": lambda number: self.now_s - self._timers[number],
                "SET_TIMER": self._set_timer,
                "TYPE": self._type,
                "PROMPT": self._prompt,
                "TRANS": lambda *numbers: numbers,
                "INRANGE": lambda location: float(location[2] < 0),
                "SPEED": lambda mm_s: setattr(self, "_speed", mm_s),
                "MOVES": self._moves,
                "BREAK": self._break,
                "feedb": float(feedback),
            }
        )
        self.memory = memory
        memory["ask"] = memory["res"] = memory["seq"] = 0.0
        self._tasks = [memory["contur"](), memory["cnread"]()]

    def step(self):
        """Let a tick pass; returns what was typed."""
        self.now_s += self._tick_s
        for _ in range(10):
            for task in self._tasks:
                next(task)
        typed, self.typed = self.typed, b""
        return typed

    def _set_timer(self, number, value):
        self._timers[float(number)] = self.now_s - value

    def _type(self, words):
        form, end = "/I0", b"\r\n"
        for word in words:
            if word == "/S":
                end = b""
            elif isinstance(word, str) and word.startswith("/"):
                form = word
            elif isinstance(word, str):
                self.typed += word.encode("ascii")
            else:
                decimals = 0 if form == "/I0" else int(form[-1])
                self.typed += f"{word:.{decimals}f}".encode("ascii")
        self.typed += end

    def _prompt(self):
        while not self.inbox:
            yield
        return [float(field) for field in self.inbox.pop(0).rstrip(b"\r").split(b",")]

    def _moves(self, location):
        yield from self._break()
        way_mm = math.dist(location[:3], self.at[:3])
        self.moves.append((self.now_s, location, self._speed))
        self._busy_until_s = self.now_s + way_mm / self._speed
        self.at = list(location)

    def _break(self):
        while self.now_s < self._busy_until_s:
            yield

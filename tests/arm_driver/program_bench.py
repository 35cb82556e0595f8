"""The controller's program, run from its listing, with the terminal and the arm that it needs."""

import math

from val_model import load

from arm_driver.location import Location

TICK_S = 0.005
START = Location((40_000, 10_000, 20_000, 0, 90_000, 0))


class Controller:
    """The listing's two tasks, a terminal without delay, and an arm that moves at its speed."""

    def __init__(self, feedback=True):
        self.now_s = 50.0
        self.typed = b""
        self.inbox = []
        self.moves = []
        self.at = [v / d for v, d in zip(START.counts, (100,) * 3 + (1000,) * 3, strict=True)]
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
        """Let 5 ms pass; returns what was typed."""
        self.now_s += TICK_S
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

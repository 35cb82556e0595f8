"""Robots of all kinds in virtual time: obedient ones, with up to three habits drawn for each."""

import math
import random

from stream_judge import checked

PERIOD_S, TICK_S = 0.35, 0.02
HABITS = (
    "wrong checksums", "foreign numbers", "doubled lines", "half lines", "noise", "silence",
    "slow", "fast", "a little fast", "jumps", "freezes", "drifts", "no number", "restarts",
    "two robots", "lost answers", "garbled answers", "holds", "limit", "stops telling",
    "late garbled answer", "turns",
)  # fmt: skip


def written(numbers, place=None):
    counts = []
    if place is not None:
        counts = [round(v * (100 if n < 3 else 1000)) for n, v in enumerate(place)]
    words = [str(n) for n in numbers]
    words += [f"{c / 100:.2f}" for c in counts[:3]] + [f"{c / 1000:.3f}" for c in counts[3:]]
    return f"R,{','.join(words)},{checked([*numbers, *counts])}\r".encode("ascii")


class RandomRobot:
    """A robot that asks at its times, takes answers 70 ms after they were sent, and has habits."""

    def __init__(self, draw: random.Random, start):
        self.draw = draw
        self.habits = set(draw.sample(HABITS, draw.choice((0, 1, 1, 1, 2, 2, 3))))
        self.at_s = draw.uniform(1.5, 9.0)
        self.feedback = draw.random() < 0.8
        self.path = [start]
        self.seq = draw.choice((0, 7, 9997))
        self.status, self.moving, self.got = 2, False, False
        self.ask_s, self.again_s = draw.uniform(0.0, 0.3), math.inf
        self.rest_s = math.inf
        self.answers = []
        self.taken = 0
        self.frozen = None
        self.drift_mm = 0.0

    def has(self, habit, now_s):
        return habit in self.habits and now_s >= self.at_s

    def hear(self, line, now_s):
        if self.has("lost answers", now_s) and self.draw.random() < 0.3:
            return
        if self.has("garbled answers", now_s) and self.draw.random() < 0.3:
            line = b"?" + line
        self.answers.append((now_s + 0.07, line))

    def step(self, now_s):
        """Bytes that are said in this tick."""
        for at_s, line in [one for one in self.answers if one[0] <= now_s]:
            self.answers.remove((at_s, line))
            said = self._take(line, now_s)
            if said:
                return self._spoil(said, now_s)
        if now_s >= self.rest_s:
            self.rest_s, self.status, self.moving = math.inf, 0, False
            self.ask_s = now_s
        if now_s >= self.ask_s and self.rest_s == math.inf:
            return self._spoil(self._ask(now_s), now_s)
        if now_s >= self.again_s and not self.got:
            self.again_s = math.inf
            return self._spoil(written([self.seq, self.status]), now_s)
        return self._spoil(b"", now_s)

    def _take(self, line, now_s):
        words = line.rstrip(b"\r").split(b",")
        if words[0] == b"-1":
            self.seq, self.got, self.again_s = (self.seq + 1) % 10_000, False, math.inf
            self.rest_s = now_s + (0.8 if self.moving else 0.1)
        elif words[0] == str(self.seq).encode() and not self.got:
            self.got, self.moving, self.status = True, True, 0
            self.path.append([float(word) for word in words[1:7]])
            self.again_s = math.inf
        elif words[0].startswith(b"?") and not self.got:
            status = 1 if self.moving else self.status
            if self.has("late garbled answer", now_s):
                return written([(self.seq + 1) % 10_000, 1])
            return written([self.seq, status])
        return b""

    def _ask(self, now_s):
        period_s = PERIOD_S * (
            2.0 if self.has("slow", now_s) else 0.5 if self.has("fast", now_s)
            else 0.94 if self.has("a little fast", now_s) else 1.0
        )  # fmt: skip
        self.ask_s = now_s + period_s
        if self.has("restarts", now_s):
            self.habits.discard("restarts")
            self.seq, self.status, self.moving, self.got = 0, 2, False, False
        elif self.got:
            self.seq, self.got = (self.seq + 1) % 10_000, False
        elif self.moving:
            self.seq, self.moving, self.status = (self.seq + 1) % 10_000, False, 2
        self.again_s = now_s + 0.25
        if self.has("holds", now_s):
            self.status = 3
        if self.has("limit", now_s):
            self.status = 4
        place = self._place(now_s) if self.feedback else None
        if self.has("stops telling", now_s):
            place = None
        line = written([self.seq, self.status], place)
        if self.has("no number", now_s) and place is not None:
            line = line.replace(line.split(b",")[3], b"nan", 1)
        if self.has("late garbled answer", now_s) and self.draw.random() < 0.3:
            self.answers.append((now_s + 0.02, b"?"))
        return line

    def _place(self, now_s):
        at = max(0.0, len(self.path) - 1 - (0.0 if not self.moving else 1.3))
        low = min(int(at), max(len(self.path) - 2, 0))
        a, b = self.path[low], self.path[min(low + 1, len(self.path) - 1)]
        place = [x + (at - low) * (y - x) for x, y in zip(a, b, strict=True)]
        place = [x + self.draw.uniform(-0.2, 0.2) for x in place[:3]] + place[3:]
        if self.has("freezes", now_s):
            self.frozen = self.frozen or place
            return self.frozen
        if self.has("drifts", now_s):
            self.drift_mm += 0.4
            place[2] += self.drift_mm
        if self.has("jumps", now_s):
            place[1] += 20.0
        if self.has("turns", now_s):
            place[3] += 2.0
        return place

    def _spoil(self, said, now_s):
        draw = self.draw
        if self.has("silence", now_s):
            return b""
        if said:
            if self.has("wrong checksums", now_s) and draw.random() < 0.4:
                said = said[:-3] + bytes([draw.choice(b"0123456789")]) + said[-2:]
            if self.has("half lines", now_s) and draw.random() < 0.3:
                said = said[: draw.randrange(len(said))]
            if self.has("doubled lines", now_s) and draw.random() < 0.5:
                said += said
            if self.has("foreign numbers", now_s) and draw.random() < 0.3:
                said = written([draw.randrange(10_000), 0])
        if self.has("noise", now_s) and draw.random() < 0.1:
            said += bytes(draw.randrange(1, 256) for _ in range(draw.randrange(1, 6)))
        if self.has("two robots", now_s) and draw.random() < TICK_S / PERIOD_S:
            said += written([draw.randrange(10_000), 0])
        return said

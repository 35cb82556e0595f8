"""An independent judge of a stream, by the bytes at the host's port and docs/contour_link.md.

It shares nothing with the driver: lines by regular expression, checksum by its definition, period
by brute force over all windows, following by dense points of the path.
"""

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise

PERIOD_S = 0.35
TOLERANCE, AHEAD_S, BEHIND_S = 0.03, 0.15, 0.3
RECEIVED_WITHIN_S, LOST_S, COUNTED, SPEED_MM_S, TURN_DEG_S = 0.02, 0.1, 9, 100.0, 30.0
DELAY_S = (0.6, 1.0)
BASE_MM, PER_SPEED_S, TURN_DEG = 3.0, 0.02, 1.0
STEP_MM, TURN_STEP_DEG = 35.01, 10.501
SILENT_S = 1.05
POINTS = 60
NUMBER = r" *([+-]?\d{0,5}(?:\.\d{0,3})?) *"
REQUEST = re.compile(rf"R *,{NUMBER},{NUMBER}(?:,{','.join([NUMBER] * 6)})?,{NUMBER}")


def checked(numbers):
    """ck of a message: (31 ck + |n| + (1 if n < 0)) mod 997 from 0."""
    value = 0
    for number in numbers:
        value = (31 * value + abs(number) + (number < 0)) % 997
    return value


def scaled(text, decimals):
    """A decimal as a whole number of its last place; None if it has more, or is none."""
    if not re.search(r"\d", text) or ("." in text and not decimals):
        return None
    whole, _, part = text.partition(".")
    if len(part) > decimals:
        return None
    sign = -1 if whole.startswith("-") else 1
    return sign * int(whole.strip("+-") + part.ljust(decimals, "0") or "0")


def request_of(line):
    """Number, status and place (mm, deg; or None) of a request; None for what is none."""
    text = line.strip(b" \n\x00").decode("latin-1")
    match = REQUEST.fullmatch(text[text.rfind("R") :]) if "R" in text else None
    if match is None:
        return None
    seq, status, *place, check = match.groups()
    places = [2, 2, 2, 3, 3, 3] if place[0] is not None else []
    words = zip([seq, status, *place[: len(places)], check], [0, 0, *places, 0], strict=True)
    numbers = [scaled(word, decimals) for word, decimals in words]
    if None in numbers or numbers[-1] != checked(numbers[:-1]):
        return None
    seq, status, *counts, _ = numbers
    if not 0 <= seq < 10_000 or not 0 <= status <= 5:
        return None
    if any(abs(count) > 999_999 for count in counts[:3]) or any(
        abs(count) > 360_000 for count in counts[3:]
    ):
        return None
    return seq, status, [c / (100 if n < 3 else 1000) for n, c in enumerate(counts)] or None


@dataclass
class Judgement:
    """What has to come of a stream, by its bytes.

    Attributes:
        result: that the host has to tell; "" while the stream goes on.
        at_s: when.
        wrong: what the host sent and should not have sent.
        unsure: a value lay so near to its limit that both verdicts are right.
    """

    result: str = ""
    at_s: float = math.inf
    wrong: list[str] = field(default_factory=list)
    unsure: bool = False


class Judge:
    """Follows one stream from its arm command on.

    Args:
        start: place of the start [mm, deg].
        armed_s: when it was armed [s].
        planned: places of the path, the start among them.
    """

    def __init__(self, start, armed_s, whole, planned=()):
        self.found = Judgement()
        self.path = [start]
        self.planned = planned
        self.cancelled = False
        self.whole = whole
        self.flying = None
        self.flying_line = b""
        self.ended = None
        self.first_s = []
        self.asked = None
        self.heard_s = armed_s
        self.strays = []
        self.requests = self.repeats = self.blank = self.placed = 0
        self.rest = b""

    def look(self, now_s, heard, line):
        """Take what was read and written at one look at the port."""
        *lines, self.rest = (self.rest + heard).split(b"\r")
        requests = [one for one in map(request_of, lines) if one is not None]
        if self.found.result:
            if line:
                self.found.wrong.append(f"{line!r} at {now_s:.2f} s, after the end")
            return
        for request in requests:
            self.heard_s, self.requests = now_s, self.requests + 1
            ends = self._trigger(request, now_s)
            if ends:
                self._end(ends, now_s, line)
                return
        if requests:
            self._answered(requests[-1], now_s, line)
        elif now_s - self.heard_s > SILENT_S:
            self._end("link lost", now_s, line)
        elif line:
            self.found.wrong.append(f"{line!r} at {now_s:.2f} s, and nobody asked")

    def _end(self, result, now_s, line):
        self.found.result, self.found.at_s = result, now_s
        told = result in ("off its period", "not following") and self.ended is None
        if line and not (told and line.startswith(b"-1,1,")):
            self.found.wrong.append(f"{line!r} at {now_s:.2f} s, as the stream was over")

    def _next(self):
        return None if self.flying is None else (self.flying + 1) % 10_000

    def _trigger(self, request, now_s):
        """Why the stream is over with this request; "" if it is not."""
        seq, status, place = request
        if status == 3:
            return "held"
        if status in (4, 5):
            return "faulted"
        sent = len(self.path) - 1
        if status == 2 and sent and not (sent == 1 and self.ended is None and seq == self.flying):
            return "ran dry"
        if self.flying is None:
            return ""
        if status == 1 and seq != self.flying:
            return "faulted"
        if self.ended is None and seq == self._next() and seq != self.asked:
            self.asked = seq
            return self._off_period(now_s) or self._not_following(place)
        return ""

    def _off_period(self, now_s):
        self.first_s.append(now_s)
        gaps = [b - a for a, b in zip(self.first_s, self.first_s[1:], strict=False)]
        late = [0.0, *(max(0.0, gap - PERIOD_S) for gap in gaps)]
        ahead = [PERIOD_S * (1 - TOLERANCE) - gap - late[n] for n, gap in enumerate(gaps)]
        behind = [gap - PERIOD_S * (1 + TOLERANCE) for gap in gaps]
        for values, limit_s in ((ahead, AHEAD_S), (behind, BEHIND_S)):
            most_s = max((math.fsum(values[n:]) for n in range(len(values))), default=0.0)
            if abs(most_s - limit_s) < 1e-6:
                self.found.unsure = True
            if most_s > limit_s:
                return "off its period"
        return ""

    def _not_following(self, place):
        if place is None:
            self.blank += 1
            return "not following" if self.placed and self.blank > 2 else ""
        self.blank, self.placed = 0, self.placed + 1
        last = len(self.path) - 1
        oldest, newest = (
            min(max(last + 1 - delay_s / PERIOD_S, 0.0), float(last))
            for delay_s in (DELAY_S[1], DELAY_S[0])
        )
        share = min(
            self._share(place, oldest + (newest - oldest) * n / POINTS) for n in range(POINTS + 1)
        )
        if abs(share - 1.0) < 0.05:
            self.found.unsure = True
        return "not following" if share > 1.0 else ""

    def _share(self, place, at):
        low = min(int(at), max(len(self.path) - 2, 0))
        a, b = self.path[low], self.path[min(low + 1, len(self.path) - 1)]
        spot = [x + (at - low) * (y - x) for x, y in zip(a, b, strict=True)]
        limit_mm = BASE_MM + PER_SPEED_S * math.dist(a[:3], b[:3]) / PERIOD_S
        turn_deg = abs((place[3] - spot[3] + 180.0) % 360.0 - 180.0)
        return max(math.dist(place[:3], spot[:3]) / limit_mm, turn_deg / TURN_DEG)

    def _answered(self, request, now_s, line):
        """Hold the answer to the newest request of a look against what it may be."""
        seq, _, place = request
        if seq == self.flying:
            self.repeats += 1
            if self.repeats > 8:
                self._end("faulted", now_s, line)
            elif line != self.flying_line:
                self.found.wrong.append(f"{line!r} instead of a repeat of {self.flying_line!r}")
            return
        self.repeats = 0
        if self.flying is not None and seq != self._next():
            self.strays.append(self.requests)
            if len(self.strays) > 1 and self.strays[-1] - self.strays[-2] <= 10:
                self._end("faulted", now_s, line)
            elif line:
                self.found.wrong.append(f"{line!r} for a number out of sequence")
            return
        if self.ended is not None:
            near = place is None or self._at_end(place)
            done = {0: "completed" if self.whole(len(self.path) - 1) else "cancelled"}
            self._end(done.get(self.ended, "cancelled") if near else "not following", now_s, line)
            return
        if line and self._too_fast():
            self._end("off its period", now_s, line)
        elif line:
            self._sent(seq, line)

    def _too_fast(self):
        """Whether the next place is too far for the shortest period that the robot may have."""
        sent = len(self.path) - 1
        if self.cancelled or self.ended is not None or not 2 <= sent < len(self.planned) - 1:
            return False
        place, before = self.planned[sent + 1], self.path[-1]
        least_s = max(
            (math.dist(place[:3], before[:3]) - 0.01) / SPEED_MM_S,
            (abs(place[3] - before[3]) - 0.001) / TURN_DEG_S,
        )
        bounds_s = [PERIOD_S / 2, *(self._bound(n) for n in range(1, len(self.first_s)))]
        lost = self.first_s[-1] - self.first_s[-2] > PERIOD_S + LOST_S
        kept_s = min(bounds_s[-2:]) if lost else bounds_s[-1]
        if abs(kept_s - least_s) < 1e-6:
            self.found.unsure = True
        return least_s > kept_s

    def _bound(self, last):
        """The shortest period by the requests up to one."""
        return self._bound_of(self._since_pause(last))

    def _since_pause(self, last):
        """Times that count: nothing from before a pause."""
        times_s = self.first_s[: last + 1]
        for n in range(len(times_s) - 1, 1, -1):
            earlier, before, now = times_s[n - 2 : n + 1]
            if before - earlier > PERIOD_S + LOST_S and now - before > PERIOD_S - LOST_S:
                return times_s[n - 1 :][-COUNTED - 1 :]
        return times_s[-COUNTED - 1 :]

    @staticmethod
    def _bound_of(times_s):
        gaps_s = [b - a for a, b in pairwise(times_s)]
        even_s = max((sum(gaps_s[-k:]) - RECEIVED_WITHIN_S) / k for k in range(1, len(gaps_s) + 1))
        if len(gaps_s) < 4:
            return min(even_s, gaps_s[-1])
        usual_s = max(PERIOD_S, sum(gaps_s[:-2]) / len(gaps_s[:-2]))
        at_once_s = max(sum(gaps_s[-k:]) - (k - 1) * usual_s for k in range(1, len(gaps_s) + 1))
        return min(even_s, at_once_s)

    def _at_end(self, place):
        share = max(
            math.dist(place[:3], self.path[-1][:3]) / BASE_MM,
            abs(place[3] - self.path[-1][3]) / TURN_DEG,
        )
        if abs(share - 1.0) < 0.05:
            self.found.unsure = True
        return share <= 1.0

    def _sent(self, seq, line):
        words = line.decode("ascii").rstrip("\r").split(",")
        self.flying, self.flying_line = seq, line
        if words[0] == "-1":
            self.ended = int(words[1])
            return
        numbers = [scaled(w, d) for w, d in zip(words, (0, 2, 2, 2, 3, 3, 3, 0), strict=True)]
        if int(words[0]) != seq or checked(numbers[:-1]) != numbers[-1]:
            self.found.wrong.append(f"{line!r} for number {seq}")
        place = [float(word) for word in words[1:7]]
        if math.dist(place[:3], self.path[-1][:3]) > STEP_MM:
            self.found.wrong.append(f"{line!r}: faster than 100 mm/s")
        if abs(place[3] - self.path[-1][3]) > TURN_STEP_DEG:
            self.found.wrong.append(f"{line!r}: turns faster than 30 deg/s")
        self.path.append(place)

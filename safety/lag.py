"""Lag of the measured path behind the commanded one, leg by leg: the age of the feedback.

A frame may come in its cycle, carry a length that fits, and still be of the past: an adapter that
keeps a queue, a gateway that answers from its memory. Where nothing in a frame says when it was
sampled, the path does: measured(t) = commanded(t - lag). About a delay of n cycles the rest is
linear, r = commanded[k-n] - measured[k] = (lag - n) u, with u the movement per cycle at that place,
and so is the least-squares estimate with exponential forgetting,

    lag = n + sum((r - b w) u) / sum(u u),

which weighs each cycle by its speed squared (recursive least squares: Ljung, System Identification,
2nd ed., section 11.2). n is the nearest whole delay, so that curvature of the path does not matter.
A drive that follows slowly is late by its lag and leaves b w besides, where w is the change of the
movement: x' = (c - x)/tau gives x = c - tau c' + tau^2 c'' - ..., a delay gives half of that last
term. b is a property of the drive and is averaged over far more motion. What is identified is the
whole lag: sampling, wire and following. A slow drive and an old frame both make a stop begin late.

A length that is wrong by `DOUBT_M` for another reason (friction, backlash, resolution) looks like
a lag of DOUBT_M over the speed, so at any speed that much is left to doubt. A servo that bears a
load is behind or ahead as it accelerates, its own leg or another one. Such a rest is in phase with
the acceleration for the most part: it is there as well where the leg turns round, and on the side
where no lag puts it, which is ahead of the command. A late path is never there: about the turn it
leaves d^2 w / 2 of d cycles. So what was seen there of late (`_Leg.against`), `LOADED` times, is
left to doubt beside DOUBT_M. Frames that become late take nothing from it and add nothing to it.

A single late frame is one cycle of many. Counts cycles, reads no clock; what is not finite is never
taken in.
"""

import math
from collections import deque

from hil_common.legs import LEGS, SixFloats, as_six
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

DOUBT_M = 3e-5
"""Error of a measured length that is no lag: friction, backlash and resolution of a rod [m]."""
SAMPLE_S = 0.004
"""Least time between two samples: of faster cycles the others are left out, to save time [s]."""
WINDOW_S = 0.05
"""Time of motion that an estimate looks back on [s]."""
WINDOW_SAMPLES = 12
"""Samples that it looks back on at least: one late frame must not count for much."""
OUTLIER_CYCLES = 2.0
"""Beyond the limit by so much a single sample counts no more: a length that leaps is no lag."""
MEMORY = 0.95
"""Share of the weight of earlier windows that a window leaves, for what belongs to the drive."""
TOLD_APART = 0.2
"""Least part of the changes of movement that must not be proportional to the movement."""
AHEAD_CYCLES = 1.0
"""Largest lead of a drive over its command: it continues by the speed that came with it."""
BEND = 2.0
"""Part of the change of movement that frames late by two cycles leave where a leg turns round; a
drive that follows late by the whole delay leaves half of its square besides [cycles squared]."""
LOADED = 2.0
"""Ratio of a loaded servo's error in phase with speed to that where no lag puts it."""
LOADED_S = 0.7
"""Time of motion in which what was seen there fades to a third [s]."""
NEAR_CYCLES = 0.75
"""Largest distance of the first estimate from the delay about which it is linear."""

_NAN = math.nan
UNKNOWN: SixFloats = (_NAN, _NAN, _NAN, _NAN, _NAN, _NAN)


class _Leg:
    """Sums and findings of one leg; movements are those of two cycles, so lags are halved in them.

    Args:
        samples: of motion before an estimate means anything.
    """

    __slots__ = (
        "against", "b", "b_weight", "base", "base_doubt", "count", "doubt", "due", "half_most",
        "lag", "ru", "rw", "seen_m", "u", "uu", "uw", "ww",
    )  # fmt: skip

    def __init__(self, samples: int) -> None:
        self.lag = self.doubt = self.base = _NAN
        """Newest estimate, what is left to doubt of it, and the estimate of the first movement
        [cycles]; NaN before there is one."""
        self.base_doubt = math.inf
        self.b = self.b_weight = 0.0
        self.against = 0.0
        """How far a length was of late where no lag puts it [m]."""
        self.seen_m = _NAN
        """Length of the last sample [m]; one that stays the same to the last bit is stuck."""
        self.half_most = math.inf
        """Half of what the lag may exceed the delay by [cycles]."""
        self.restart(samples)

    def restart(self, samples: int) -> None:
        """Begin the sums anew; the next estimate is due after so many samples of motion."""
        self.uu = self.ru = self.u = self.uw = self.rw = self.ww = 0.0
        self.count, self.due = 0, samples

    def estimate(self, delay: int) -> None:
        """Take the sums for the newest estimate.

        Args:
            delay: about which they were taken [cycles].
        """
        self.lag = delay + 2.0 * (self.ru - self.b * self.uw) / self.uu
        # Until b is known, it may be anything that a drive of that lag can have.
        unknown = 0.0 if self.b_weight else self.lag * self.lag * abs(self.uw)
        self.doubt = 2.0 * ((DOUBT_M + LOADED * self.against) * self.u + unknown) / self.uu

    def learn(self, most: float) -> None:
        """Take the sums for what is left of the changes of movement, if they are enough for it.

        Args:
            most: what that can be at most [cycles squared].
        """
        uu, uw, ww = self.uu, self.uw, self.ww
        apart = uu * ww - uw * uw
        if not apart > TOLD_APART * uu * ww:
            return
        b = min(most, max(-most, (uu * self.rw - uw * self.ru) / apart))
        weight = self.b_weight * MEMORY
        self.b_weight = weight + ww
        self.b = (self.b * weight + b * ww) / self.b_weight


class LagWatch:
    """Identifies the lag of each leg while it moves, and holds it against two limits.

    The whole lag may be `feedback_lag_max_s`; against the one identified in the first movement it
    may grow by `feedback_lag_growth_s`. That first one is taken anew for as long as a faster
    movement shows the same one more closely.
    """

    def __init__(self, limits: GateLimits) -> None:
        period_s = limits.period_s
        self._period_s = period_s
        self._every = max(1, round(SAMPLE_S / period_s))
        self._skipped = 0
        self._samples = max(WINDOW_SAMPLES, round(WINDOW_S / period_s / self._every))
        self._keep = 1.0 - 1.0 / self._samples
        self._fade = 1.0 - min(1.0, self._every * period_s / LOADED_S)
        self._most = limits.feedback_lag_max_s / period_s
        self._growth = limits.feedback_lag_growth_s / period_s
        self._rest_most = 0.5 * (self._most + OUTLIER_CYCLES)
        self._least = (2.0 * limits.standstill_speed_m_s * period_s) ** 2
        self._delay_max = max(1, math.ceil(self._most))
        self._path: deque[SixFloats] = deque(maxlen=self._delay_max + 2)
        self._legs = tuple(_Leg(self._samples) for _ in LEGS)
        self._about(1)
        self.lag_s: SixFloats = UNKNOWN
        """Newest estimate of each leg [s]; NaN for a leg that has not moved enough."""
        self.greatest_s: float | None = None
        """Greatest of them [s]; None before there is one."""
        self.base_s: SixFloats = UNKNOWN
        """Lag of each leg in its first movement [s]; NaN before it."""

    def _about(self, delay: int) -> None:
        """Linearize about another delay [cycles]."""
        self._delay = delay
        for leg in self._legs:
            leg.restart(self._samples)
            leg.against = 0.0
            self._bound(leg)

    def _bound(self, leg: _Leg) -> None:
        most = self._most
        if leg.base + self._growth < most:  # never so for NaN
            most = leg.base + self._growth
        leg.half_most = 0.5 * (most - self._delay)

    def forget(self) -> None:
        """Begin a new path: nothing is commanded, or the lengths mean something else."""
        if self._path:
            self._path.clear()
            for leg in self._legs:
                leg.restart(self._samples)

    def step(
        self, feedback: Feedback | None, commanded_m: SixFloats | None
    ) -> list[Violation] | None:
        """Take in one cycle.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.
            commanded_m: lengths commanded in that bus cycle [m], or None when there were none.

        Returns:
            What is wrong; None, sooner than an empty list, if nothing is.
        """
        path = self._path
        if commanded_m is None:
            self.forget()
            return None
        path.appendleft(commanded_m)
        self._skipped += 1
        if self._skipped < self._every:
            return None
        self._skipped = 0
        delay = self._delay
        if feedback is None or len(path) < delay + 2:
            return None
        start_m, end_m = path[delay + 1], path[delay - 1]
        if start_m == end_m:
            return None  # nothing moved: most of the time a platform is at rest
        least, keep, fade, examine = self._least, self._keep, self._fade, False
        ahead, bend = 0.5 * (delay + AHEAD_CYCLES), BEND + 0.5 * delay * delay
        for leg, at, start, end, measured, fresh in zip(
            self._legs, path[delay], start_m, end_m, feedback.length_m, feedback.fresh, strict=True
        ):
            rest = at - measured
            # One chain that NaN fails, and so does any length that is none.
            if fresh and -1.0 < rest < 1.0 and measured != leg.seen_m:
                leg.seen_m = measured
                u, w = end - start, start + end - at - at
                distance = u if u > 0.0 else -u
                uu = u * u
                against = -rest if (u > 0.0 if uu >= least else rest < 0.0) else rest
                against -= ahead * distance + bend * (w if w > 0.0 else -w)
                faded = leg.against * fade
                leg.against = against = against if against > faded else faded
                if uu < least:
                    continue
                most = self._rest_most * distance
                rest = most if rest > most else -most if rest < -most else rest
                leg.uw = uw = leg.uw * keep + u * w
                leg.rw = leg.rw * keep + rest * w
                leg.ww = leg.ww * keep + w * w
                leg.uu = uu = leg.uu * keep + uu
                leg.ru = ru = leg.ru * keep + rest * u
                leg.u = u = leg.u * keep + distance
                leg.count = count = leg.count + 1
                doubt = DOUBT_M + LOADED * against
                if count >= leg.due or ru - leg.b * uw - doubt * u > leg.half_most * uu:
                    examine = True
        return self._examine() if examine else None

    def _examine(self) -> list[Violation] | None:
        """Take the estimates, all of them when one is due, and object to what lags too much."""
        found: list[Violation] = []
        due = any(leg.count >= leg.due for leg in self._legs)
        for number, leg in zip(LEGS, self._legs, strict=True):
            if leg.count < self._samples:
                continue
            if due:
                leg.learn(self._most * self._most)
            leg.estimate(self._delay)
            if due:
                leg.due = leg.count + self._samples
                if not self._near(leg):
                    return None
                self._keep_base(leg)
            if leg.lag - leg.doubt > self._delay + 2.0 * leg.half_most:
                found.append(self._violation(number, leg))
        period_s = self._period_s
        self.lag_s = as_six(period_s * leg.lag for leg in self._legs)
        self.greatest_s = max((lag for lag in self.lag_s if lag == lag), default=None)
        self.base_s = as_six(period_s * leg.base for leg in self._legs)
        return found or None

    def _near(self, leg: _Leg) -> bool:
        """Whether an estimate is near enough to the delay; else begin anew with a nearer one.

        Only until a first leg is known: legs that differ must not send each other back.
        """
        known = any(other.base == other.base for other in self._legs)
        if known or abs(leg.lag - self._delay) <= NEAR_CYCLES:
            return True
        delay = min(max(1, round(leg.lag)), self._delay_max)
        if delay == self._delay:
            return True
        self._about(delay)
        return False

    def _keep_base(self, leg: _Leg) -> None:
        """Keep the first estimate that is enough; a closer one that agrees with it is better."""
        if not leg.doubt <= 0.5 * self._growth:
            return
        first = leg.base != leg.base
        closer = leg.doubt < 0.5 * leg.base_doubt
        if first or (closer and abs(leg.lag - leg.base) <= leg.base_doubt + leg.doubt):
            leg.base, leg.base_doubt = max(leg.lag, -AHEAD_CYCLES), leg.doubt
            self._bound(leg)

    def _violation(self, number: int, leg: _Leg) -> Violation:
        period_s = self._period_s
        grown = leg.base + self._growth < self._most
        most = leg.base + self._growth if grown else self._most
        note = f"it was {leg.base * period_s:.4f} s in its first movement" if grown else ""
        return Violation(
            Check.LAG, number, leg.lag * period_s, most * period_s, "s", Severity.STOP, note=note
        )

"""Lag of the measured path behind the commanded one, leg by leg: the age of the feedback.

A frame may come in its cycle, carry a plausible length, and still be old: an adapter may keep a
queue, a gateway may answer from its memory. If a frame does not say when it was sampled, the path
shows it: measured(t) = commanded(t - lag). About a delay of n cycles the residual is linear,
r = commanded[k-n] - measured[k] = (lag - n) u, with u the movement per cycle at that point,
which gives the least-squares estimate with exponential forgetting,

    lag = n + sum((r - b w) u) / sum(u u),

which weighs each cycle by its speed squared (recursive least squares: Ljung, System Identification,
2nd ed., section 11.2). n is the nearest whole delay, so that curvature of the path does not matter.
A drive that follows slowly is late by its lag and leaves a residual b w, where w is the change of
the movement: x' = (c - x)/tau gives x = c - tau c' + tau^2 c'' - ..., a delay gives half of that
last term. b is a property of the drive and is averaged over far more motion. The identified value
is the whole lag: sampling, wire and following. A slow drive and an old frame both delay a stop.

A length that is wrong by `DOUBT_M` for another reason (friction, backlash, resolution) looks like
a lag of DOUBT_M over the speed, so this much is tolerated at any speed. A servo under load is
behind or ahead while its own leg or another one accelerates. Most of this residual is in phase with
the acceleration: it also appears where the leg reverses, and ahead of the command, where no lag can
put it. A late path is never ahead: about the reversal it leaves d^2 w / 2 of d cycles. So the
residual recently seen there (`_Leg.against`), times `LOADED`, is tolerated in addition to DOUBT_M.
Frames that become late neither reduce nor increase it.

A single late frame is one cycle of many. Counts cycles, reads no clock; values that are not finite
are never used.
"""

import math
from collections import deque

from hil_common.legs import LEGS, SixFloats, as_six
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

DOUBT_M = 3e-5
"""Error of a measured length that is not lag: friction, backlash and resolution of a rod [m]."""
SAMPLE_S = 0.004
"""Least time between two samples [s]: at faster cycles, cycles are skipped to save time."""
WINDOW_S = 0.05
"""Time of motion that an estimate covers [s]."""
WINDOW_SAMPLES = 12
"""Least number of samples that an estimate covers, so that one late frame has little weight."""
OUTLIER_CYCLES = 2.0
"""Excess over the limit from which a sample's weight is bounded: a jumping length is no lag."""
MEMORY = 0.95
"""Share of the weight of earlier windows that remains, for properties of the drive."""
TOLD_APART = 0.2
"""Least part of the changes of movement that is not proportional to the movement."""
AHEAD_CYCLES = 1.0
"""Largest lead of a drive over its command: it continues by the speed that came with it."""
BEND = 2.0
"""Part of the change of movement that frames late by two cycles leave where a leg reverses; a drive
that follows late by the whole delay adds half of its square [cycles squared]."""
LOADED = 2.0
"""Ratio of a loaded servo's error in phase with speed to that where no lag puts it."""
LOADED_S = 0.7
"""Time of motion in which the residual seen there fades to a third [s]."""
NEAR_CYCLES = 0.75
"""Largest distance of the first estimate from the delay about which it is linear."""

_NAN = math.nan
_ALL = (True,) * 6
UNKNOWN: SixFloats = (_NAN, _NAN, _NAN, _NAN, _NAN, _NAN)


class _Leg:
    """Sums and findings of one leg; movements are those of two cycles, so lags are halved in them.

    Args:
        samples: samples of motion before an estimate is valid.
    """

    __slots__ = (
        "against", "b", "b_weight", "base", "base_doubt", "count", "doubt", "due", "half_most",
        "lag", "ru", "rw", "seen_m", "u", "uu", "uw", "ww",
    )  # fmt: skip

    def __init__(self, samples: int) -> None:
        self.lag = self.doubt = self.base = _NAN
        """Newest estimate, its tolerance, and the estimate of the first movement
        [cycles]; NaN before there is one."""
        self.base_doubt = math.inf
        self.b = self.b_weight = 0.0
        self.against = 0.0
        """Recent distance of a length on the side where no lag can put it [m]."""
        self.seen_m = _NAN
        """Length of the last sample [m]; one that stays the same to the last bit is stuck."""
        self.half_most = math.inf
        """Half of the largest excess of the lag over the delay [cycles]."""
        self.restart(samples)

    def restart(self, samples: int) -> None:
        """Restart the sums; the next estimate is due after this number of samples of motion."""
        self.uu = self.ru = self.u = self.uw = self.rw = self.ww = 0.0
        self.count, self.due = 0, samples

    def estimate(self, delay: int) -> None:
        """Compute the newest estimate from the sums.

        Args:
            delay: delay about which they were taken [cycles].
        """
        self.lag = delay + 2.0 * (self.ru - self.b * self.uw) / self.uu
        # Until b is known, it may have any value that is possible for a drive with that lag.
        unknown = 0.0 if self.b_weight else self.lag * self.lag * abs(self.uw)
        self.doubt = 2.0 * ((DOUBT_M + LOADED * self.against) * self.u + unknown) / self.uu

    def learn(self, most: float) -> None:
        """Estimate b from the sums of the changes of movement, if these are sufficient.

        Args:
            most: largest possible value [cycles squared].
        """
        uu, uw, ww = self.uu, self.uw, self.ww
        apart = uu * ww - uw * uw
        if not apart > TOLD_APART * uu * ww:
            return
        b = min(most, max(-most, (uu * self.rw - uw * self.ru) / apart))
        weight = self.b_weight * MEMORY
        self.b_weight = weight + ww
        self.b = (self.b * weight + b * ww) / self.b_weight


def _new_lengths(feedback: Feedback) -> SixFloats:
    """Lengths of this cycle [m]; NaN of a leg whose frame did not come, for it is no sample."""
    if feedback.fresh == _ALL:
        return feedback.length_m
    pairs = zip(feedback.length_m, feedback.fresh, strict=True)
    return as_six(length if fresh else _NAN for length, fresh in pairs)


class LagWatch:
    """Identifies the lag of each leg while it moves, and compares it with two limits.

    The whole lag may be `feedback_lag_max_s`; relative to the one identified in the first movement
    it may grow by `feedback_lag_growth_s`. The first value is replaced as long as a faster movement
    confirms it with a smaller tolerance.
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
        """Begin a new path: nothing is commanded, or the reference of the lengths has changed."""
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
            Violations; None instead of an empty list, because that is faster.
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
        for leg, at, start, end, measured in zip(
            self._legs, path[delay], start_m, end_m, _new_lengths(feedback)
        ):
            rest = at - measured
            # One chain that NaN fails, and so does any invalid length.
            if -1.0 < rest < 1.0 and measured != leg.seen_m:
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
        """Compute the estimates, all of them when one is due, and report legs that lag too much."""
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
        """Whether an estimate is near enough to the delay; otherwise restart with a nearer delay.

        Only until the first leg is known: legs that differ must not restart each other.
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
        """Keep the first valid estimate; replace it with a closer one that agrees with it."""
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

"""The watch of the lag once more, with every sum added up from its samples: an oracle for a fuzz.

Written from what `safety/lag.py` says of itself, and sharing nothing with it: least squares about a
delay of whole cycles, weights that fade by one part in as many as a window has samples, what is
left by the drive's own following, the reference of the first movement, and the greatest error that
no lag explains, each as it has faded since.
"""

import math

import numpy as np

DOUBT_M, OUTLIER, FADE, APART, NEAR = 3e-5, 2.0, 0.95, 0.2, 0.75
AHEAD, TURN, LOADED, LOADED_S = 1.0, 2.0, 2.0, 0.7
MANY = 1000
"""Samples that one path of a fuzz can have."""
SIX = range(6)


class LagModel:
    """The lags of six legs.

    Args:
        limits: of the gate; only its numbers are read.
    """

    def __init__(self, limits):
        dt = limits.period_s
        self.dt, self.apart = dt, max(1, round(0.004 / dt))
        self.window = max(12, round(0.05 / dt / self.apart))
        self.most, self.growth = limits.feedback_lag_max_s / dt, limits.feedback_lag_growth_s / dt
        self.slow = 2.0 * limits.standstill_speed_m_s * dt
        self.turn, self.delay, self.commanded = 0, 1, []
        self.samples, self.count = np.zeros((6, 3, MANY)), [0] * 6
        self.due = [self.window] * 6
        self.fading = (1.0 - 1.0 / self.window) ** np.arange(MANY - 1, -1, -1)
        self.lag, self.doubt = [math.nan] * 6, [math.nan] * 6
        self.base, self.base_doubt = [math.nan] * 6, [math.inf] * 6
        self.left, self.left_weight = [0.0] * 6, [0.0] * 6
        self.seen, self.greatest = [math.nan] * 6, None
        self.unexplained = [[] for _ in SIX]
        self.remains = 1.0 - min(1.0, self.apart * dt / LOADED_S)

    def forget(self):
        """A new path begins."""
        if self.commanded:
            self.commanded = []
            self._begin()

    def _begin(self):
        self.count, self.due = [0] * 6, [self.window] * 6

    def step(self, read, commanded):
        """Numbers of the legs, 1 to 6, that lag too much."""
        if commanded is None:
            self.forget()
            return []
        keep = max(1, math.ceil(self.most)) + 2
        self.commanded = [tuple(commanded), *self.commanded][:keep]
        self.turn += 1
        if self.turn < self.apart:
            return []
        self.turn = 0
        n = self.delay
        if read is None or len(self.commanded) < n + 2:
            return []
        after, at, before = (self.commanded[k] for k in (n - 1, n, n + 1))
        if after == before:
            return []
        wanted = False
        for k in SIX:
            move, measured = after[k] - before[k], read.length_m[k]
            rest = at[k] - measured
            if not read.fresh[k] or measured == self.seen[k] or not abs(rest) < 1.0:
                continue
            self.seen[k] = measured
            bent = after[k] + before[k] - 2.0 * at[k]
            self.unexplained[k].append(self._unexplained(move, bent, rest))
            if abs(move) < self.slow:
                continue
            bound = 0.5 * (self.most + OUTLIER) * abs(move)
            rest = max(-bound, min(bound, rest))
            self.samples[k, :, self.count[k]] = move, bent, rest
            self.count[k] += 1
            s = self._sums(k)
            above = s["ru"] - self.left[k] * s["uw"] - self._doubted(k) * s["u"]
            late = above > 0.5 * (self._limit(k) - n) * s["uu"]
            wanted = wanted or late or self.count[k] >= self.due[k]
        return self._judge() if wanted else []

    def _unexplained(self, move, bent, rest):
        """How far a length is from all that a lag leaves: at a crawl either way, else ahead."""
        off = abs(rest) if abs(move) < self.slow else -rest * math.copysign(1.0, move)
        turn = TURN + self.delay**2 / 2.0
        return off - (self.delay + AHEAD) * abs(move) / 2.0 - turn * abs(bent)

    def _doubted(self, k):
        """What of a length may be no lag [m]."""
        sizes = np.array(self.unexplained[k])
        left = sizes * self.remains ** np.arange(len(sizes) - 1, -1, -1)
        return DOUBT_M + LOADED * max(0.0, float(left.max(initial=0.0)))

    def _limit(self, k):
        grown = self.base[k] + self.growth
        return grown if grown < self.most else self.most

    def _sums(self, k):
        u, w, r = self.samples[k, :, : self.count[k]]
        fading = self.fading[MANY - self.count[k] :]
        fu, fw = fading * u, fading * w
        return {
            "uu": float(fu @ u), "ru": float(fu @ r), "uw": float(fu @ w), "rw": float(fw @ r),
            "ww": float(fw @ w), "u": float(fading @ abs(u)),
        }  # fmt: skip

    def _judge(self):
        due = any(self.count[k] >= self.due[k] for k in SIX)
        late = []
        for k in SIX:
            if self.count[k] < self.window:
                continue
            s = self._sums(k)
            if due:
                self._learn(k, s)
            lag = self.delay + 2.0 * (s["ru"] - self.left[k] * s["uw"]) / s["uu"]
            unknown = 0.0 if self.left_weight[k] else lag * lag * abs(s["uw"])
            self.lag[k] = lag
            self.doubt[k] = 2.0 * (self._doubted(k) * s["u"] + unknown) / s["uu"]
            if due:
                self.due[k] = self.count[k] + self.window
                if self._further(lag):
                    return []
                self._refer(k)
            if lag - self.doubt[k] > self._limit(k):
                late.append(k + 1)
        self.greatest = max((self.dt * x for x in self.lag if x == x), default=None)
        return late

    def _learn(self, k, s):
        """What a drive that follows leaves besides its lag, where changes of movement show it."""
        both = s["uu"] * s["ww"] - s["uw"] ** 2
        if both > APART * s["uu"] * s["ww"]:
            most = self.most**2
            found = max(-most, min(most, (s["uu"] * s["rw"] - s["uw"] * s["ru"]) / both))
            old = FADE * self.left_weight[k]
            self.left_weight[k] = old + s["ww"]
            self.left[k] = (old * self.left[k] + s["ww"] * found) / self.left_weight[k]

    def _further(self, lag):
        """Whether the delay has to be another one first; never once the lag of a leg is known."""
        if any(base == base for base in self.base) or abs(lag - self.delay) <= NEAR:
            return False
        delay = min(max(1, round(lag)), max(1, math.ceil(self.most)))
        if delay == self.delay:
            return False
        self.delay = delay
        self._begin()
        self.unexplained = [[] for _ in SIX]
        return True

    def _refer(self, k):
        lag, doubt, base = self.lag[k], self.doubt[k], self.base[k]
        if not doubt <= 0.5 * self.growth:
            return
        agrees = abs(lag - base) <= self.base_doubt[k] + doubt
        if base != base or (doubt < 0.5 * self.base_doubt[k] and agrees):
            self.base[k], self.base_doubt[k] = max(lag, -AHEAD), doubt

"""Signs of angles that explain the rates better than those that are told.

A wrong sign of one angle need not show in the line of any one rate: with the pitch turned over,
what turns the nose up in a bank still comes of the heading. So the turning is made anew with other
signs of roll, pitch and heading, and a set of signs whose rates are much nearer to those that are
told is believed: noise is as far from all of them.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit

from platform6dof.cueing.line_fit import LEAST_PAIRS, LEAST_RATE_RAD_S, Array
from platform6dof.cueing.slopes import COLUMNS, DECAY, SAMPLES, posed_all, turning

ANGLES: Final = ("roll", "pitch", "heading")
NEARER: Final = 0.25
"""Other signs are believed whose mean squares are by so much less."""


@njit(cache=True, error_model="numpy")
def _signed(q: Array, signs: int, out: Array) -> None:
    """An attitude with other signs of its angles (Diebel 2006, equations 289 and 290).

    Args:
        signs: 1 turns the roll over, 2 the pitch, 4 the heading.
    """
    w, x, y, z = q[0], q[1], q[2], q[3]
    roll = math.atan2(2.0 * (y * z + w * x), w * w - x * x - y * y + z * z)
    pitch = math.asin(min(max(2.0 * (w * y - x * z), -1.0), 1.0))
    yaw = math.atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)
    roll = -roll if signs & 1 else roll
    pitch = -pitch if signs & 2 else pitch
    yaw = -yaw if signs & 4 else yaw
    a, b = math.cos(0.5 * roll), math.sin(0.5 * roll)
    c, d = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    e, f = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    out[0], out[1] = a * c * e + b * d * f, b * c * e - a * d * f
    out[2], out[3] = a * d * e + b * c * f, a * c * f - b * d * e


@njit(cache=True, error_model="numpy")
def turns_interval(block: Array, lasts_s: float, sums: Array, work: Array) -> int:
    """Take in one interval.

    Args:
        block: its samples, as `slopes` has them.
        lasts_s: from the first to the last [s].
        sums: memory: how many, and squares of what is off with each set of signs, shape (9,).
        work: scratch, shape (4, 4).

    Returns:
        The set of signs that is believed; 0 for those that are told.
    """
    last = len(block) - 1
    rates = work[3]
    for k in range(3):
        rates[k] = 0.0
        for at in range(last + 1):
            rates[k] += (0.5 if at in (0, last) else 1.0) / last * block[at, 3 + k]
    if not posed_all(block) or not math.isfinite(rates[0] + rates[1] + rates[2]):
        return 0
    for k in range(9):
        sums[k] *= DECAY
    sums[8] += 1.0
    best = 0
    for signs in range(8):
        _signed(block[0, 6:10], signs, work[0])
        _signed(block[last, 6:10], signs, work[1])
        turning(work[0], work[1], work[2])
        for k in range(3):
            sums[signs] += (work[2, k] / lasts_s - rates[k]) ** 2
        if sums[signs] < sums[best]:
            best = signs
    seen = sums[8] >= LEAST_PAIRS and sums[0] >= sums[8] * LEAST_RATE_RAD_S**2
    return best if seen and sums[best] < NEARER * sums[0] else 0


class Turns:
    """What the intervals of one source have told of the signs of its angles so far."""

    def __init__(self) -> None:
        self._sums, self._work = np.zeros(9), np.zeros((4, 4))
        self.wrong: int = 0
        """1 for a wrong sign of the roll, 2 of the pitch, 4 of the heading, or their sum."""

    def take(self, block: Array, lasts_s: float) -> None:
        """One more interval, of the samples of `Slopes.block`.

        Args:
            block: shape (`SAMPLES`, `COLUMNS`).
            lasts_s: from the first to the last [s].
        """
        self.wrong = turns_interval(block, lasts_s, self._sums, self._work)

    @property
    def text(self) -> str:
        """Which angles have a wrong sign; empty if none has."""
        return ", ".join(name for at, name in enumerate(ANGLES) if self.wrong >> at & 1)


def warm() -> None:
    """Compile it, or load it from the cache."""
    Turns().take(np.zeros((SAMPLES, COLUMNS)), 1.0)

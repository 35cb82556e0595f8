"""Numbers: rounding, limits, random ones, places in tables."""

import math

import numpy as np
from numba import njit

from hil.diagram.kernel.codes import FAST, INLINE, Array


@njit(**INLINE)
def floor_of(value: float) -> float:
    """Return the whole number below; 0 and not -0 for -0, as in Python."""
    return np.floor(value) + 0.0


@njit(**INLINE)
def flag(value: bool) -> float:
    """1 for true, 0 for false."""
    return 1.0 if value else 0.0


@njit(**INLINE)
def clipped(value: float, low: float, high: float) -> float:
    """Within two limits."""
    return low if value < low else high if value > high else value


@njit(**FAST)
def length_of(a: float, b: float) -> float:
    """Return the length of a vector of two; libraries differ in the last bit of theirs."""
    long, short = (a, b) if a > b else (b, a)
    ratio = short / long if long > 0.0 else 0.0
    return long * math.sqrt(1.0 + ratio * ratio)


@njit(**FAST)
def random_number(high: float, low: float, tick: int) -> float:
    """53 bits in [0, 1) of a seed and a counter: SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (np.uint64(high) << np.uint64(32)) | np.uint64(low)
    z += (np.uint64(tick) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(**FAST)
def interval_of(v: Array, p: int, count: int, u: float) -> int:
    """Find the interval of an increasing table in which a value lies, the ends held."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if u < v[p + middle]:
            high = middle
        else:
            low = middle
    return low


@njit(**FAST)
def fraction_of(v: Array, p: int, low: int, u: float) -> float:
    """Return the share of an interval at which a value lies, from 0 to 1."""
    first, last = v[p + low], v[p + low + 1]
    if u <= first:
        return 0.0
    return 1.0 if u >= last else (u - first) / (last - first)


@njit(**INLINE)
def between(first: float, last: float, fraction: float) -> float:
    """From one number to another by a share, exact at the end."""
    return last if fraction == 1.0 else first + (last - first) * fraction

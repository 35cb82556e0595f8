"""Real functions that answer with infinity or "not a number" where Python raises (IEEE 754)."""

from __future__ import annotations

import math
from collections.abc import Callable

Function = Callable[[float], float]


def quotient(a: float, b: float) -> float:
    """A / b."""
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def total(function: Function) -> Function:
    """A function of one number that answers where it has no value."""

    def answered(u: float) -> float:
        try:
            return function(u)
        except ValueError:
            return -math.inf if u == 0.0 else math.nan
        except OverflowError:
            return math.inf

    return answered


def power(u: float, exponent: float) -> float:
    """U to the power of a number."""
    try:
        return math.pow(u, exponent)
    except ValueError:
        return _endless(u, exponent) if u == 0.0 else math.nan
    except OverflowError:
        return _endless(u, exponent)


def _endless(u: float, exponent: float) -> float:
    """Infinity; below 0 for an odd power of what is below 0, or of -0."""
    odd = abs(exponent) < 2.0**53 and exponent % 2.0 == 1.0
    return math.copysign(math.inf, u) if odd else math.inf


def hypotenuse(a: float, b: float) -> float:
    """Length of a vector of two."""
    short, long = sorted((abs(a), abs(b)))
    ratio = short / long if long else 0.0
    return long * math.sqrt(1.0 + ratio * ratio)


def floor(u: float) -> float:
    """The whole number below."""
    return float(math.floor(u)) if abs(u) < 2.0**53 else u


def clip(u: float, low: float, high: float) -> float:
    """Within two limits."""
    if u < low:
        return low
    return high if u > high else u


def truth(value: object) -> float:
    """1 for true, 0 for false."""
    return 1.0 if value else 0.0


def table(places: tuple[float, ...], u: float) -> tuple[int, float]:
    """The interval in which a value lies, and how far along it; the ends are held."""
    number = 0
    while number < len(places) - 2 and u >= places[number + 1]:
        number += 1
    before, after = places[number], places[number + 1]
    if u <= before:
        return number, 0.0
    return number, 1.0 if u >= after else (u - before) / (after - before)


def between(a: float, b: float, fraction: float) -> float:
    """From one value to another."""
    return b if fraction == 1.0 else a + (b - a) * fraction

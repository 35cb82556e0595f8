"""A quantity with its first two derivatives in time, and steps of it that have no corner.

Sums, products and functions carry the derivatives along (Leibniz, chain rule), so that a motion
written in them fits itself to the last bit that floating point gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_SHAPE: Final = (10.0, -15.0, 6.0)
"""Coefficients of the step 10 u³ − 15 u⁴ + 6 u⁵."""


@dataclass(frozen=True, slots=True)
class Jet:
    """A value, its derivative and the derivative of that."""

    x: float
    d: float = 0.0
    dd: float = 0.0

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.x + other.x, self.d + other.d, self.dd + other.dd)

    def __sub__(self, other: Jet) -> Jet:
        return Jet(self.x - other.x, self.d - other.d, self.dd - other.dd)

    def __mul__(self, other: Jet) -> Jet:
        return Jet(
            self.x * other.x,
            self.d * other.x + self.x * other.d,
            self.dd * other.x + 2.0 * self.d * other.d + self.x * other.dd,
        )

    def times(self, factor: float) -> Jet:
        """Multiply by a number."""
        return Jet(factor * self.x, factor * self.d, factor * self.dd)

    def _through(self, f: float, df: float, ddf: float) -> Jet:
        return Jet(f, df * self.d, ddf * self.d * self.d + df * self.dd)

    def sin(self) -> Jet:
        """Sine of the quantity."""
        s, c = math.sin(self.x), math.cos(self.x)
        return self._through(s, c, -s)

    def cos(self) -> Jet:
        """Cosine of the quantity."""
        s, c = math.sin(self.x), math.cos(self.x)
        return self._through(c, -s, -c)

    def atan(self) -> Jet:
        """Arc tangent of the quantity."""
        slope = 1.0 / (1.0 + self.x * self.x)
        return self._through(math.atan(self.x), slope, -2.0 * self.x * slope * slope)


@dataclass(frozen=True, slots=True)
class Ramp:
    """A change from one value to another; its first two derivatives are 0 at both ends."""

    begin_s: float
    lasts_s: float
    by: float
    """Height of the change."""


def value(ramps: tuple[Ramp, ...], t_s: float) -> Jet:
    """Sum the ramps at a time [s], from 0."""
    x = d = dd = 0.0
    a, b, c = _SHAPE
    for ramp in ramps:
        u = (t_s - ramp.begin_s) / ramp.lasts_s
        if u >= 1.0:
            x += ramp.by
        elif u > 0.0:
            x += ramp.by * u**3 * (a + u * (b + u * c))
            d += ramp.by / ramp.lasts_s * u**2 * (3.0 * a + u * (4.0 * b + u * 5.0 * c))
            dd += ramp.by / ramp.lasts_s**2 * u * (6.0 * a + u * (12.0 * b + u * 20.0 * c))
    return Jet(x, d, dd)


def integral(ramps: tuple[Ramp, ...], t_s: float) -> float:
    """Integrate a sum of ramps from before the first of them to a time [s]."""
    total = 0.0
    a, b, c = _SHAPE
    for ramp in ramps:
        u = (t_s - ramp.begin_s) / ramp.lasts_s
        if u >= 1.0:
            total += ramp.by * ramp.lasts_s * (u - 0.5)
        elif u > 0.0:
            total += ramp.by * ramp.lasts_s * u**4 * (a / 4.0 + u * (b / 5.0 + u * c / 6.0))
    return total


def pulse(begin_s: float, rise_s: float, hold_s: float, by: float) -> tuple[Ramp, Ramp]:
    """Make ramps to a value and, after a hold, back again."""
    return Ramp(begin_s, rise_s, by), Ramp(begin_s + rise_s + hold_s, rise_s, -by)

"""The smooth stop of an arm's joints, in exact discrete form, and its stopping distance.

One factor scales all rates to zero, so the joints keep the direction in which they move and
none stops before the others. Rates are held for a whole tick, so a stop's travel is a sum over
ticks, not v^2 / (2 a): the ramp 1 - j / ratio, j = 1, 2, ..., where the joint that needs longest
gives the ratio. Averaging the ramp over the last n ticks divides its jerk by n; the deceleration
stays bounded as before, and the travel grows by exactly (n - 1) / 2 ticks of the first rates.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROUNDING_TICKS_MAX = 20


@dataclass(frozen=True, slots=True, eq=False)
class StopLaw:
    """Law by which an arm's joints stop together.

    Raises:
        ValueError: if a value is not finite, not positive, or of the wrong shape.
    """

    acceleration_max_rad_s2: Array
    """Largest deceleration of each joint, shape (n,)."""
    tick_s: float
    """Time for which rates are held."""
    rounding_ticks: int = 1
    """Rounding ticks n; the jerk is at most the deceleration / (n tick_s), 1 for a plain ramp."""

    def __post_init__(self) -> None:
        a = np.array(self.acceleration_max_rad_s2, dtype=np.float64)
        if a.ndim != 1 or not np.all(np.isfinite(a) & (a > 0)):
            raise ValueError(
                f"acceleration_max_rad_s2 = {a.tolist()}: finite numbers above 0 are needed, "
                "one a joint"
            )
        if not (math.isfinite(self.tick_s) and self.tick_s > 0):
            raise ValueError(f"tick_s = {self.tick_s!r} s: a finite number above 0 is needed")
        if not 1 <= self.rounding_ticks <= ROUNDING_TICKS_MAX:
            raise ValueError(
                f"rounding_ticks = {self.rounding_ticks!r}: 1 to {ROUNDING_TICKS_MAX} are possible"
            )
        a.setflags(write=False)
        object.__setattr__(self, "acceleration_max_rad_s2", a)

    @property
    def rate_step_rad_s(self) -> Array:
        """Largest change of each joint's rate from one tick to the next [rad/s], shape (n,)."""
        return self.acceleration_max_rad_s2 * self.tick_s

    def ratio(self, rates_rad_s: Array) -> float:
        """Ticks of a plain ramp from these rates, not rounded; below 1 if one tick is enough."""
        return float(np.max(np.abs(rates_rad_s) / self.rate_step_rad_s))

    def ticks(self, rates_rad_s: Array) -> int:
        """Ticks after which a stop from these rates is at rest; 0 if they are zero."""
        ratio = self.ratio(rates_rad_s)
        return math.ceil(ratio) + self.rounding_ticks - 1 if ratio > 0.0 else 0

    def factor(self, ratio: float, tick: int) -> float:
        """Common factor on all rates in tick 1, 2, ... of a stop."""
        n = self.rounding_ticks
        least = max(1.0, ratio)
        ramp = (min(1.0, max(0.0, 1.0 - (tick - m) / least)) for m in range(n))
        return sum(ramp) / n

    def stopping_distance_rad(self, rates_rad_s: Array) -> Array:
        """Travel of a tick at these rates and the whole stop after it [rad], signed, shape (n,)."""
        ratio = max(1.0, self.ratio(rates_rad_s))
        k = math.floor(ratio)
        ticks = 1.0 + k - k * (k + 1) / (2.0 * ratio) + (self.rounding_ticks - 1) / 2.0
        return rates_rad_s * (self.tick_s * ticks)

    def braked(self, rates_rad_s: Array) -> Array:
        """Compute the next tick's rates when braking as hard as one common factor permits."""
        ratio = self.ratio(rates_rad_s)
        return rates_rad_s * (1.0 - 1.0 / ratio) if ratio > 1.0 else np.zeros_like(rates_rad_s)

    def factor_within(self, margin_rad: Array, rates_rad_s: Array) -> Array:
        """Find the greatest factor on all rates whose stop ends within each joint's travel.

        With x = factor * ratio and k = floor(x), a tick and the stop after it take
        x (k + 1 + (n - 1) / 2) - k (k + 1) / 2 ticks of rate / ratio. This grows with x without
        jumps and is k (k + n) / 2 at whole x, which gives k for a travel, and then x.

        Args:
            margin_rad: travel to the limit that each joint moves towards, shape (n,); below 0 none.
            rates_rad_s: wanted rates, shape (n,).

        Returns:
            One factor for each joint's travel, 0 or more, inf for a joint that rests; shape (n,).
        """
        ratio = self.ratio(rates_rad_s)
        n = self.rounding_ticks
        result = np.full(len(rates_rad_s), math.inf)
        for i in range(len(rates_rad_s)):
            unit = abs(float(rates_rad_s[i])) * self.tick_s / ratio if ratio > 0.0 else 0.0
            if unit == 0.0:
                continue
            units = max(0.0, float(margin_rad[i])) / unit
            if math.isinf(units):
                continue
            k = math.floor((-n + math.sqrt(n * n + 8.0 * units)) / 2.0)
            x = (units + k * (k + 1) / 2.0) / (k + 1 + (n - 1) / 2.0)
            result[i] = x / ratio
        return result


class SmoothStop:
    """Stop that brings an arm's joints to rest along the path, tick by tick."""

    def __init__(self, law: StopLaw) -> None:
        self.law = law
        self._first = np.zeros_like(law.acceleration_max_rad_s2)
        self._last = self._first.copy()
        self._ratio = 0.0
        self._tick = 0

    def next(self, rates_rad_s: Array) -> Array:
        """Compute the rates of the next tick.

        A stop continues as long as it is given its last result; other rates begin a new one.
        It is at rest after ``law.ticks(rates)`` ticks.

        Args:
            rates_rad_s: rates of the tick that ends now, shape (n,).

        Raises:
            ValueError: if the rates are not finite numbers, one a joint.
        """
        rates = finite("rates_rad_s", rates_rad_s, len(self._first), "rad/s")
        if self._tick == 0 or not np.array_equal(rates, self._last):
            self._first = rates.copy()
            self._ratio = self.law.ratio(rates)
            self._tick = 0
        self._tick += 1
        self._last = self._first * self.law.factor(self._ratio, self._tick)
        return self._last.copy()


def finite(name: str, value: object, count: int, unit: str, largest: float = math.inf) -> Array:
    """Check that there are so many finite numbers, and copy them into an array.

    Args:
        name: of the value, for the error's text.
        value: a sequence of numbers.
        count: how many there must be.
        unit: of the value, for the error's text.
        largest: greatest magnitude that is not absurd.

    Raises:
        ValueError: if it is none; the text names the value and what would have been right.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {value!r}: {count} numbers [{unit}] are needed") from None
    if array.shape != (count,):
        raise ValueError(f"{name} of shape {array.shape}: {count} numbers [{unit}] are needed")
    for i in range(count):
        if not (math.isfinite(array[i]) and abs(array[i]) <= largest):
            raise ValueError(
                f"{name}[{i}] = {array[i]} {unit}: a finite number is needed, "
                f"of magnitude at most {largest:g} {unit}"
            )
    return array

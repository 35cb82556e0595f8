"""Limits of joint rates: one factor for all of them, or the nearest thing to it.

Pure joint space, one tick at a time. The rates that are asked for are scaled by the greatest factor
that every limit permits, so that the joints keep their direction. The position limit is exact in
discrete time. If the smooth stop from the rates of this tick ends inside the limits, then the
rates braked by one tick's worth are possible in the next tick and end in the same place; so from
a state that was permitted there is always a permitted next one, and no limit is ever passed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.smooth_stop import StopLaw

Array = NDArray[np.float64]

ROUNDING_RAD = 1e-12
BISECTIONS = 24


class LimitKind(Enum):
    """Kind of a limit."""

    RATE = "rate"
    POSITION = "position"
    ACCELERATION = "acceleration"
    SINGULARITY = "singularity"


@dataclass(frozen=True, slots=True)
class ActiveLimit:
    """A limit that binds."""

    kind: LimitKind
    """Kind of the limit."""
    joint: int | None
    """Index of the joint, None if it concerns the whole arm."""
    value: float
    """Value that was requested; of a position or a singular value: the present one."""
    limit: float
    """The greatest (or least) value that is permitted."""
    unit: str
    """Unit of value and limit."""

    def __str__(self) -> str:
        where = "arm" if self.joint is None else f"joint {self.joint + 1}"
        return f"{where}: {self.kind.value} {self.value:.4g} {self.unit}, limit {self.limit:.4g}"


class RateBound(NamedTuple):
    """A limit, and the greatest factor of the wanted rates that it permits."""

    factor: float
    limit: ActiveLimit


class RateStep(NamedTuple):
    """Rates of one tick [rad/s], their part of the request, and the active limits."""

    rates: Array
    scale: float
    on_path: bool
    limits: tuple[ActiveLimit, ...]


class JointLimits:
    """Limits of an arm's joints on position, rate and acceleration.

    Args:
        law: the stop that must always remain possible, with tick and accelerations.
        lower_rad: least positions, shape (n,).
        upper_rad: greatest positions, shape (n,).
        rate_max_rad_s: greatest rates, shape (n,).
        units: of the joints' coordinates; all rad if left out.

    Raises:
        ValueError: if a joint has no range.
    """

    def __init__(
        self,
        law: StopLaw,
        lower_rad: Array,
        upper_rad: Array,
        rate_max_rad_s: Array,
        units: Sequence[str] = (),
    ) -> None:
        self._units = tuple(units) or ("rad",) * len(lower_rad)
        for i, unit in enumerate(self._units):
            if not lower_rad[i] < upper_rad[i]:
                raise ValueError(
                    f"joint {i + 1}: no range between {lower_rad[i]:.6g} and {upper_rad[i]:.6g} "
                    f"{unit} is left; position_margin_rad must be below half of the range"
                )
        self.law = law
        self.lower_rad: Array = _read_only(lower_rad)
        self.upper_rad: Array = _read_only(upper_rad)
        self.rate_max_rad_s: Array = _read_only(rate_max_rad_s)

    def step(
        self, q_rad: Array, last: Array, wanted: Array, more: tuple[RateBound, ...] = ()
    ) -> RateStep:
        """Compute the rates of the next tick.

        Args:
            q_rad: positions at its start, shape (n,).
            last: rates of the tick that ends [rad/s], shape (n,).
            wanted: rates that are asked for [rad/s], shape (n,).
            more: limits from elsewhere on the factor of the wanted rates.
        """
        bounds = (*self._rate_bounds(wanted), *self._position_bounds(q_rad, wanted), *more)
        top = min((1.0, *(bound.factor for bound in bounds)))
        low, high, joint = self._acceleration_window(last, wanted)
        scale = min(top, high)
        if low <= scale:
            rates, on_path = scale * wanted, True
        else:
            rates, on_path = self._ramp_rates(q_rad, last, top * wanted), False
            square = float(wanted @ wanted)
            part = float(rates @ wanted) / square if square > 0.0 else 0.0
            scale = min(1.0, max(0.0, part))
        limits = [b.limit for b in bounds if b.factor < 1.0 and b.factor <= top * (1.0 + 1e-9)]
        if high < top or not on_path:
            limits.append(self._acceleration_limit(top * wanted - last, joint))
        return RateStep(rates, scale, on_path, tuple(limits))

    def permits(self, q_rad: Array, stopping_distance_rad: Array) -> bool:
        """Whether a movement ends inside the limits, or no farther outside than it began."""
        end = q_rad + stopping_distance_rad
        above = end > np.maximum(self.upper_rad, q_rad) + ROUNDING_RAD
        below = end < np.minimum(self.lower_rad, q_rad) - ROUNDING_RAD
        return not bool(np.any(above | below))

    def _rate_bounds(self, wanted: Array) -> list[RateBound]:
        bounds = []
        for i, unit in enumerate(self._units):
            speed, most = abs(float(wanted[i])), float(self.rate_max_rad_s[i])
            if speed > most:
                what = ActiveLimit(LimitKind.RATE, i, speed, most, f"{unit}/s")
                bounds.append(RateBound(most / speed, what))
        return bounds

    def _position_bounds(self, q: Array, wanted: Array) -> list[RateBound]:
        margin = np.where(wanted > 0.0, self.upper_rad - q, q - self.lower_rad)
        factors = self.law.factor_within(margin, wanted)
        bounds = []
        for i, unit in enumerate(self._units):
            if math.isfinite(factors[i]):
                limit = float(self.upper_rad[i] if wanted[i] > 0.0 else self.lower_rad[i])
                what = ActiveLimit(LimitKind.POSITION, i, float(q[i]), limit, unit)
                bounds.append(RateBound(float(factors[i]), what))
        return bounds

    def _acceleration_window(self, last: Array, wanted: Array) -> tuple[float, float, int]:
        """Find the least and greatest factor that the last rates permit, and the limiting joint."""
        low, high, tight = 0.0, math.inf, 0
        for i in range(len(wanted)):
            w, step = float(wanted[i]), float(self.law.rate_step_rad_s[i])
            slowest, fastest = float(last[i]) - step, float(last[i]) + step
            if w == 0.0:
                if slowest > 0.0 or fastest < 0.0:
                    return math.inf, -math.inf, i
                continue
            ends = (_ratio(slowest, w), _ratio(fastest, w))
            low = max(low, min(ends))
            if max(ends) < high:
                high, tight = max(ends), i
        return low, high, tight

    def _acceleration_limit(self, change: Array, joint: int) -> ActiveLimit:
        """Find the limit of the joint whose wanted change of rate is the most beyond it."""
        asked, limit = np.abs(change) / self.law.tick_s, self.law.acceleration_max_rad_s2
        if asked[joint] <= limit[joint]:
            joint = int(np.argmax(asked / limit))
        value, most = float(asked[joint]), float(limit[joint])
        return ActiveLimit(LimitKind.ACCELERATION, joint, value, most, f"{self._units[joint]}/s^2")

    def _ramp_rates(self, q: Array, last: Array, target: Array) -> Array:
        """Ramp the last rates towards others that no factor reaches in one tick."""
        change = target - last
        steps = float(np.max(np.abs(change) / self.law.rate_step_rad_s))
        rates = last + change / max(1.0, steps)
        if self.permits(q, self.law.stopping_distance_rad(rates)):
            return rates
        # Braking is always permitted; go from it towards the ramp as far as the margin allows.
        braked = self.law.braked(last)
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            middle = (low + high) / 2.0
            if self.permits(q, self.law.stopping_distance_rad(braked + middle * (rates - braked))):
                low = middle
            else:
                high = middle
        return braked + low * (rates - braked)


def _read_only(array: Array) -> Array:
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def _ratio(numerator: float, denominator: float) -> float:
    """Divide; overflow gives infinity instead of an error."""
    if abs(denominator) < 1e-300:
        return math.copysign(math.inf, numerator * denominator) if numerator else 0.0
    return numerator / denominator

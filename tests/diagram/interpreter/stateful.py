"""Equations of blocks with states, one object for each element: `output`, then `update`."""

from __future__ import annotations

import math
from typing import Any, Final

from hil.diagram.library.kind import BlockSetting, Parameters
from hil.diagram.library.sources import ticks
from interpreter.real import clip, truth


class Element:
    """One element of a block.

    Args:
        p: Parameters of the block.
        s: Where and how it runs.
        x: States, written by `update`.
    """

    def __init__(self, p: Parameters, s: BlockSetting, x: list[float]) -> None:
        self.p, self.x, self.H = p, x, s.period_s

    def output(self, *u: Any, **_: Any) -> Any:
        """Outputs of this tick."""
        raise NotImplementedError

    def update(self, u: tuple[float, ...], y: float) -> None:
        """States of the next tick, of the inputs and the first output of this one."""
        self.x[0] = y


class Held(Element):
    """Its state is its output."""


class SampleHold(Held):
    def output(self, u: float, hold: float) -> float:
        return self.x[0] if hold else u


class Merge(Held):
    def output(self, *u: float) -> float:
        count = self.p["width"]
        return next((y for y, new in zip(u[:count], u[count:], strict=True) if new), self.x[0])


class Latch(Held):
    def output(self, on: float, off: float) -> float:
        return truth((self.x[0] or on) and not off)


class Hysteresis(Held):
    def output(self, u: float) -> float:
        if u >= self.p["on_at"]:
            return 1.0
        return 0.0 if u <= self.p["off_at"] else self.x[0]


class Backlash(Held):
    def output(self, u: float) -> float:
        w, y = self.p["half_width"], self.x[0]
        if u - w > y:
            return u - w
        return u + w if u + w < y else y


class RateLimit(Held):
    def output(self, u: float) -> float:
        y, rise, fall = self.x[0], self.p["rise"] * self.H, self.p["fall"] * self.H
        if u - y > rise:
            return y + rise
        return y - fall if u - y < -fall else u


class UnitDelay(Element):
    def output(self, u: float) -> float:
        return self.x[0]

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[0] = u[0]


class Delay(Element):
    """States: place of the oldest value, then the values."""

    def output(self, u: float) -> float:
        return self.x[1 + int(self.x[0])]

    def update(self, u: tuple[float, ...], y: float) -> None:
        oldest = int(self.x[0])
        self.x[1 + oldest] = u[0]
        self.x[0] = float((oldest + 1) % self.p["ticks"])


class MovingAverage(Element):
    """States: place of the oldest value, then the values."""

    def output(self, u: float) -> float:
        y = u
        for one in self.x[1:]:
            y = y + one
        return y / self.p["ticks"]

    def update(self, u: tuple[float, ...], y: float) -> None:
        kept = self.p["ticks"] - 1
        if kept:
            oldest = int(self.x[0])
            self.x[1 + oldest] = u[0]
            self.x[0] = float((oldest + 1) % kept)


class EdgeDetector(UnitDelay):
    def output(self, u: float) -> float:
        rising, falling = bool(u and not self.x[0]), bool(self.x[0] and not u)
        return truth({"rising": rising, "falling": falling}.get(self.p["edge"], rising or falling))


class Recursive(Element):
    """States: input and output of the tick before."""

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[:] = u[0], y


class Toggle(Recursive):
    def output(self, u: float) -> float:
        last, y = self.x
        return truth(not y if u and not last else y)


class Counter(Recursive):
    def output(self, up: float, reset: float) -> float:
        if reset:
            return 0.0
        last, y = self.x
        y = y + 1.0 if up and not last else y + 0.0
        return 0.0 if self.p["modulo"] and y >= self.p["modulo"] else y


class OnDelay(Element):
    def __init__(self, p: Parameters, s: BlockSetting, x: list[float]) -> None:
        super().__init__(p, s, x)
        self.wait = ticks(p["time_s"], s.period_s)

    def output(self, u: float) -> float:
        return truth(u and self.x[0] + 1.0 > self.wait)

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[0] = min(self.x[0] + 1.0, self.wait + 1.0) if u[0] else 0.0


class OffDelay(OnDelay):
    def output(self, u: float) -> float:
        return truth(u or self.x[0] + 1.0 <= self.wait)

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[0] = 0.0 if u[0] else min(self.x[0] + 1.0, self.wait + 1.0)


class Integral(Element):
    """States: the integral, the input before, whether there was one."""

    def output(self, u: float) -> float:
        y, last, started = self.x
        return y + self.H / 2.0 * (last + u) if started else y

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[:] = y, u[0], 1.0


class LimitedIntegral(Integral):
    def output(self, u: float) -> float:
        return clip(super().output(u), self.p["low"], self.p["high"])


class ResettingIntegral(Integral):
    """States: the integral, the input before, ticks since the last reset."""

    def output(self, u: float) -> float:
        return super().output(u) if self.x[2] else 0.0

    def update(self, u: tuple[float, ...], y: float) -> None:
        period = max(ticks(self.p["reset_s"], self.H), 1)
        self.x[:] = y, u[0], (self.x[2] + 1.0) % period


class IntegralForward(Element):
    def output(self, u: float) -> float:
        return self.x[0]

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[0] = self.x[0] + self.H * u[0]


class Lag(Element):
    def __init__(self, p: Parameters, s: BlockSetting, x: list[float]) -> None:
        super().__init__(p, s, x)
        self.part = 1.0 - math.exp(-self.H / p["time_s"])

    def output(self, u: float) -> float:
        return self.x[0]

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[0] = self.x[0] + self.part * (u[0] - self.x[0])


class HighPass(Lag):
    def output(self, u: float) -> float:
        return u - self.x[0]


class LeadLag(Recursive):
    def output(self, u: float) -> float:
        k, lead, lag = self.p["k"], 2.0 * self.p["lead_s"], 2.0 * self.p["lag_s"]
        below = lag + self.H
        b0, b1, a1 = (
            k * (lead + self.H) / below,
            k * (self.H - lead) / below,
            (self.H - lag) / below,
        )
        return (b0 * u + b1 * self.x[0]) - a1 * self.x[1]


class Derivative(Element):
    """States: input and output of the tick before, whether there was one."""

    def output(self, u: float) -> float:
        N, (u_last, y_last, started) = self.p["filter_per_s"], self.x
        return (y_last + N * (u - u_last)) / (1.0 + N * self.H) if started else 0.0

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[:] = u[0], y, 1.0


class PI(Element):
    """States: the error's integral, the error before, whether there was one."""

    def integral(self, e: float) -> float:
        total, last, started = self.x
        return total + self.H / 2.0 * (last + e) if started else total

    def output(self, e: float, feedforward: float) -> float:
        return (feedforward + self.p["kp"] * e) + self.p["ki"] * self.integral(e)

    def update(self, u: tuple[float, ...], y: float) -> None:
        self.x[:] = self.integral(u[0]), u[0], 1.0


class PID(Element):
    """States: integral, derivative, measured before, w before, gains before, whether it began."""

    def terms(self, setpoint: float, measured: float, feedforward: float) -> tuple[float, ...]:
        p = self.p
        integral, d_last, measured_last, w_last, kp_last, kd_last, began = self.x
        w = p["setpoint_weight"] * setpoint - measured
        N, d = p["filter_per_s"], 0.0
        if began:
            d = (d_last + N * (measured - measured_last)) / (1.0 + N * self.H)
        integral = (integral + (kp_last - p["kp"]) * w_last) + (p["kd"] - kd_last) * d_last
        return w, d, integral, ((p["kp"] * w + integral) - p["kd"] * d) + feedforward

    def output(self, *u: float) -> tuple[float, float]:
        free, low, high = self.terms(*u)[3], self.p["low"], self.p["high"]
        return clip(free, low, high), truth(free < low or free > high)

    def update(self, u: tuple[float, ...], y: float) -> None:
        p = self.p
        w, d, integral, free = self.terms(*u)
        windup = self.H / p["tracking_s"] * (y - free)
        integral = (integral + p["ki"] * self.H * (u[0] - u[1])) + windup
        self.x[:] = integral, d, u[1], w, p["kp"], p["kd"], 1.0


_NAMED: Final[tuple[type[Element], ...]] = (
    SampleHold, Merge, Latch, Hysteresis, Backlash, RateLimit, UnitDelay, Delay, MovingAverage,
    Toggle, Counter, OnDelay, OffDelay, Integral, LimitedIntegral, ResettingIntegral,
    IntegralForward, Lag, HighPass, LeadLag, Derivative, PI, PID,
)  # fmt: skip
STATEFUL: Final[dict[str, type[Element]]] = {
    "Edge": EdgeDetector,
    **{one.__name__: one for one in _NAMED},
}
"""By the kind's name."""

"""Equations of blocks without states: parameters and setting in, a function of the inputs out.

Each function takes one element of every input. Sources take the base tick.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from hil.diagram.file.units import conversion
from hil.diagram.library.kind import BlockSetting, Parameters, flat
from hil.diagram.library.sources import seed_of, ticks
from interpreter.real import (
    between,
    clip,
    floor,
    hypotenuse,
    power,
    quotient,
    table,
    total,
    truth,
)  # fmt: skip

Equation = Callable[..., Any]
Maker = Callable[[Parameters, BlockSetting], Equation]


def _step(p: Parameters, s: BlockSetting) -> Equation:
    at, before, after = ticks(p["time_s"], s.base_s), p["before"], p["after"]
    return lambda k: after if k >= at else before


def _ramp(p: Parameters, s: BlockSetting) -> Equation:
    at, slope, initial, base_s = ticks(p["start_s"], s.base_s), p["slope"], p["initial"], s.base_s
    return lambda k: initial + slope * ((k - at) * base_s) if k > at else initial


def _sine(p: Parameters, s: BlockSetting) -> Equation:
    w, amplitude, base_s = 2.0 * math.pi * p["frequency_hz"], p["amplitude"], s.base_s
    phase, bias = p["phase_rad"], p["bias"]
    return lambda k: bias + amplitude * math.sin(w * (k * base_s) + phase)


def _chirp(p: Parameters, s: BlockSetting) -> Equation:
    first, last = 2.0 * math.pi * p["start_hz"], 2.0 * math.pi * p["end_hz"]
    end, rise = p["duration_s"], math.pi * (p["end_hz"] - p["start_hz"]) / p["duration_s"]

    def phase(k: int) -> float:
        t = k * s.base_s
        if t <= end:
            return first * t + rise * t * t
        return (first * end + rise * end * end) + last * (t - end)

    return lambda k: p["amplitude"] * math.sin(phase(k))


def _pulse(p: Parameters, s: BlockSetting) -> Equation:
    period = max(ticks(p["period_s"], s.base_s), 1)
    width, delay = ticks(p["width"] * p["period_s"], s.base_s), ticks(p["delay_s"], s.base_s)
    low, high = p.get("low", 0.0), p.get("high", 1.0)
    return lambda k: high if k >= delay and (k - delay) % period < width else low


def _time_table(p: Parameters, s: BlockSetting) -> Equation:
    look = _lookup(p["times_s"], p["values"])
    return lambda k: look(k * s.base_s)


def _lookup(places: Sequence[float], values: Sequence[float]) -> Callable[[float], float]:
    places = tuple(places)

    def look(u: float) -> float:
        number, fraction = table(places, u)
        return between(values[number], values[number + 1], fraction)

    return look


def _lookup2(p: Parameters, _: BlockSetting) -> Equation:
    values = p["y"]

    def look(u1: float, u2: float) -> float:
        (i, along), (j, across) = table(p["x1"], u1), table(p["x2"], u2)
        first = between(values[i][j], values[i + 1][j], along)
        return between(first, between(values[i][j + 1], values[i + 1][j + 1], along), across)

    return look


def _random(seed: tuple[float, float], counter: int) -> float:
    """SplitMix64's number of a counter, as 53 bits in [0, 1)."""
    z = (int(seed[0]) * 2**32 + int(seed[1]) + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return ((z ^ (z >> 31)) >> 11) / 2**53


def _uniform(p: Parameters, s: BlockSetting) -> Equation:
    seed, low, width = seed_of(p, s), p["low"], p["high"] - p["low"]
    return lambda k: low + width * _random(seed, k)


def _normal(p: Parameters, s: BlockSetting) -> Equation:
    seed = seed_of(p, s)

    def drawn(k: int) -> float:
        radius = math.sqrt(-2.0 * math.log(1.0 - _random(seed, 2 * k)))
        turned = math.cos(2.0 * math.pi * _random(seed, 2 * k + 1))
        return p["mean"] + p["sigma"] * (radius * turned)

    return drawn


def _sum(p: Parameters, _: BlockSetting) -> Equation:
    signs = [1.0 if sign == "+" else -1.0 for sign in p["signs"]]

    def added(*inputs: float) -> float:
        y = signs[0] * inputs[0]
        for sign, u in zip(signs[1:], inputs[1:], strict=True):
            y = y + sign * u
        return y

    return added


def _gain(p: Parameters, _: BlockSetting) -> Equation:
    k = p["k"]
    return lambda u: k * u


def _convert(p: Parameters, _: BlockSetting) -> Equation:
    factor = conversion(p["from"], p["to"])
    return lambda u: factor * u


def _saturation(p: Parameters, _: BlockSetting) -> Equation:
    low, high = p["low"], p["high"]
    return lambda u: (clip(u, low, high), truth(u < low or u > high))


def _dead_zone(p: Parameters, _: BlockSetting) -> Equation:
    w = p["width"]
    return lambda u: u - w if u > w else u + w if u < -w else 0.0


def _quantiser(p: Parameters, _: BlockSetting) -> Equation:
    q = p["q"]
    return lambda u: q * floor(u / q + 0.5)


def _modulo(p: Parameters, _: BlockSetting) -> Equation:
    period = p["period"]
    return lambda u: u - period * floor(u / period)


def _polynomial(p: Parameters, _: BlockSetting) -> Equation:
    falling = p["coefficients"][::-1]

    def horner(u: float) -> float:
        y = falling[0]
        for one in falling[1:]:
            y = y * u + one
        return y

    return horner


def _multiport(p: Parameters, _: BlockSetting) -> Equation:
    return lambda index, *u: u[int(clip(index, 1.0, float(p["width"]))) - 1]


def _fixed(equation: Equation) -> Maker:
    return lambda p, s: equation


_SIN, _COS, _TAN = total(math.sin), total(math.cos), total(math.tan)
_TURN: Final = 2.0 * math.pi

SOURCES: Final[dict[str, Maker]] = {
    "Step": _step, "Ramp": _ramp, "Sine": _sine, "Chirp": _chirp, "Pulse": _pulse,
    "PulseBoolean": _pulse, "TimeTable": _time_table, "UniformNoise": _uniform,
    "NormalNoise": _normal, "Clock": lambda p, s: lambda k: k * s.base_s,
    "TickCount": _fixed(float),
}  # fmt: skip
"""Equations of the base tick."""

CONSTANTS: Final[dict[str, Callable[[Parameters], list[float]]]] = {
    "Constant": lambda p: flat(p["value"]),
    "ConstantBoolean": lambda p: [truth(p["value"])],
    "ConstantInteger": lambda p: [float(p["value"])],
}
"""Values of all elements."""

STATELESS: Final[dict[str, Maker]] = {
    "Sum": _sum, "Gain": _gain, "Convert": _convert, "Saturation": _saturation,
    "DeadZone": _dead_zone, "Quantiser": _quantiser, "Modulo": _modulo, "Polynomial": _polynomial,
    "Lookup1": lambda p, s: _lookup(p["x"], p["y"]), "Lookup2": _lookup2,
    "MultiportSwitch": _multiport,
    "Bias": lambda p, s: lambda u: u + p["bias"],
    "Power": lambda p, s: lambda u: power(u, p["exponent"]),
    "Near": lambda p, s: lambda a, b: truth(abs(a - b) <= p["tolerance"]),
    "Within": lambda p, s: lambda u: truth(p["low"] <= u <= p["high"]),
    "Multiply": _fixed(lambda a, b: a * b), "Divide": _fixed(quotient),
    "Negate": _fixed(lambda u: -u), "Abs": _fixed(lambda u: -u if u < 0.0 else u),
    "Sign": _fixed(lambda u: truth(u > 0.0) - truth(u < 0.0)),
    "Square": _fixed(lambda u: u * u),
    "Sqrt": _fixed(lambda u: math.nan if u < 0.0 else math.sqrt(u)),
    "Reciprocal": _fixed(lambda u: quotient(1.0, u)),
    "Exp": _fixed(total(math.exp)), "Log": _fixed(total(math.log)),
    "Log10": _fixed(total(math.log10)), "Hypot": _fixed(hypotenuse),
    "Minimum": _fixed(lambda a, b: a if a < b else b),
    "Maximum": _fixed(lambda a, b: a if a > b else b),
    "Floor": _fixed(floor), "Ceil": _fixed(lambda u: -floor(-u)),
    "Round": _fixed(lambda u: floor(u + 0.5)), "RealToInteger": _fixed(lambda u: floor(u + 0.5)),
    "Sin": _fixed(_SIN), "Cos": _fixed(_COS), "Tan": _fixed(_TAN),
    "Asin": _fixed(lambda u: math.asin(u) if abs(u) <= 1.0 else math.nan),
    "Acos": _fixed(lambda u: math.acos(u) if abs(u) <= 1.0 else math.nan),
    "Atan": _fixed(math.atan), "Tanh": _fixed(math.tanh), "Atan2": _fixed(math.atan2),
    "WrapAngle": _fixed(lambda u: u - _TURN * floor(u / _TURN + 0.5)),
    "Less": _fixed(lambda a, b: truth(a < b)), "LessEqual": _fixed(lambda a, b: truth(a <= b)),
    "Greater": _fixed(lambda a, b: truth(a > b)),
    "GreaterEqual": _fixed(lambda a, b: truth(a >= b)),
    "And": _fixed(lambda a, b: truth(a and b)), "Or": _fixed(lambda a, b: truth(a or b)),
    "Xor": _fixed(lambda a, b: truth(bool(a) != bool(b))),
    "Nand": _fixed(lambda a, b: truth(not (a and b))),
    "Nor": _fixed(lambda a, b: truth(not (a or b))), "Not": _fixed(lambda u: truth(not u)),
    "BooleanToReal": _fixed(truth), "IntegerToReal": _fixed(lambda u: u),
    "RateTransition": _fixed(lambda u: u), "Scale": _fixed(lambda k, u: k * u),
    "Switch": _fixed(lambda condition, a, b: a if condition else b),
    "EnabledOutput": _fixed(lambda enable, u: u if enable else 0.0),
}  # fmt: skip
"""Equations of one element of each input."""

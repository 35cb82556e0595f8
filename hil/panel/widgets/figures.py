"""Figures as people read them: in mm, degrees and ms where those are meant, with their unit."""

import math
from typing import Final

_SHOWN: Final[dict[str, tuple[float, str]]] = {
    "m": (1e3, "mm"),
    "m/s": (1e3, "mm/s"),
    "m/s^2": (1.0, "m/s²"),
    "rad": (math.degrees(1.0), "°"),
    "rad/s": (math.degrees(1.0), "°/s"),
    "rad/s^2": (math.degrees(1.0), "°/s²"),
    "1": (1.0, ""),
}
"""SI unit → factor to what is shown, and its unit."""


def shown(value: float, unit: str) -> tuple[float, str]:
    """A value and its unit as they are shown: m as mm, rad as degrees, the rest as it is."""
    factor, name = _SHOWN.get(unit, (1.0, unit))
    return factor * value, name


def figure(value: float | None, unit: str, digits: int = 4) -> str:
    """A value with its unit, in so many significant figures; a dash if there is none.

    Args:
        value: in the unit given; may be not finite.
        unit: SI, as in recordings; empty for a number.
    """
    if value is None:
        return "–"
    scaled, name = shown(value, unit)
    tail = f" {name}" if name and name != "°" else name.strip()
    return f"{_plain(scaled, digits)}{tail}"


def span(low: float | None, high: float | None, unit: str) -> str:
    """A permitted range, or the one limit that there is."""
    if low is None or high is None:
        return figure(high if low is None else low, unit)
    return f"{figure(low, unit)} … {figure(high, unit)}"


def time_figure(value_s: float) -> str:
    """A short time, in µs, ms or s, in three significant figures."""
    if not math.isfinite(value_s):
        return "–"
    size = abs(value_s)
    for factor, name, least in ((1.0, "s", 0.9995), (1e3, "ms", 0.9995e-3)):
        if size >= least:
            return f"{_round(value_s * factor, 3)} {name}"
    return f"{_round(value_s * 1e6, 3)} µs"


def _plain(value: float, digits: int) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:.0f}".replace("-", "−")
    return _round(value, digits)


def _round(value: float, digits: int) -> str:
    """Significant figures, without an exponent for sizes that people meet."""
    if value == 0.0:
        return "0"
    if not 1e-6 <= abs(value) < 1e9:
        return f"{value:.{digits - 1}e}".replace("-", "−")
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}".replace("-", "−")

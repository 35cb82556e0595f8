"""Numbers of a wire in few characters."""

from __future__ import annotations

from typing import Final

from numpy.typing import NDArray

from hil.diagram.check.types import ANY, FoundType

SHOWN_MOST: Final = 3
"""Numbers of a vector that are all written; of a longer one the first is."""
LEAST: Final = 1e-3
NO_UNIT: Final = ("1", ANY, "")
PARTS: Final = {"pose": (("", ""), ("at ", "m")), "wrench": (("", "N"), ("", "N*m"))}
"""Word and unit of the last two vectors of three; without a unit it is not shown."""


def value_words(values: NDArray, type_: FoundType | None, most: int = 1000) -> str:
    """As it is written at a wire: ``0.25 N``, ``[1, ~0, 3] N``, ``[1 …21] m``, ``true``.

    ``~0`` is what is not 0, and less than a thousandth of the greatest of a vector. Of a pose the
    place is told: ``at [0, 0, 1] m``.

    Args:
        most: letters that there is room for: of a longer vector the first number is written, then
            the unit is left out.
    """
    tried = [_words(values, type_, SHOWN_MOST, 5), _words(values, type_, 1, 3),
             _words(values, type_, 1, 3, units=False)]  # fmt: skip
    return next((one for one in tried if len(one) <= most), tried[-1])


def _words(
    values: NDArray, type_: FoundType | None, few: int, digits: int, *, units: bool = True
) -> str:
    kind = "real" if type_ is None else type_.type
    if type_ is not None and kind in PARTS:
        parts = zip(PARTS[kind], (values[-6:-3], values[-3:]), strict=True)
        shown = [f"{word}{_vector(part, 'real', few)} {unit}" for (word, unit), part in parts
                 if unit]  # fmt: skip
        return ", ".join(shown)
    unit = "" if type_ is None or type_.unit in NO_UNIT or not units else f" {type_.unit}"
    if len(values) == 1:
        return f"{_one(float(values[0]), kind, digits)}{unit}"
    return f"{_vector(values, kind, few)}{unit}"


def _vector(values: NDArray, kind: str, most: int) -> str:
    few = len(values) <= most
    shown = [float(one) for one in (values if few else values[:1])]
    least = LEAST * max(map(abs, shown))
    words = ", ".join("~0" if 0.0 < abs(one) < least else _one(one, kind, 3) for one in shown)
    return f"[{words}{'' if few else f' …{len(values)}'}]"


def _one(value: float, kind: str, digits: int) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 and digits < 4 else f"{value:.{digits}g}"

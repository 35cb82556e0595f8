"""Numbers of a wire in few characters."""

from __future__ import annotations

from typing import Final

from numpy.typing import NDArray

from hil.diagram.types import ANY, FoundType

SHOWN_MOST: Final = 3
"""Numbers of a vector that are all written; of a longer one the first is."""
LEAST: Final = 1e-3
NO_UNIT: Final = ("1", ANY, "")


def value_words(values: NDArray, type_: FoundType | None) -> str:
    """As it is written at a wire: ``0.25 N``, ``[1, ~0, 3] N``, ``[1 …21] m``, ``true``.

    ``~0`` is what is not 0, and less than a thousandth of the greatest of a vector.
    """
    kind = "real" if type_ is None else type_.type
    unit = "" if type_ is None or type_.unit in NO_UNIT else f" {type_.unit}"
    if len(values) == 1:
        return f"{_one(float(values[0]), kind, 5)}{unit}"
    few = len(values) <= SHOWN_MOST
    shown = [float(one) for one in (values if few else values[:1])]
    least = LEAST * max(map(abs, shown))
    words = ", ".join("~0" if 0.0 < abs(one) < least else _one(one, kind, 3) for one in shown)
    return f"[{words}{'' if few else f' …{len(values)}'}]{unit}"


def _one(value: float, kind: str, digits: int) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 and digits < 4 else f"{value:.{digits}g}"

"""Numbers of a wire in few characters."""

from __future__ import annotations

from typing import Final

from numpy.typing import NDArray

from hil.diagram.types import ANY, FoundType

SHOWN_MOST: Final = 3
"""Numbers of a vector that are all written; of a longer one the first is."""
NO_UNIT: Final = ("1", ANY, "")


def value_words(values: NDArray, type_: FoundType | None) -> str:
    """As it is written at a wire: ``0.25 N``, ``[1, 2, 3] N``, ``[1 …21] m``, ``true``."""
    kind = "real" if type_ is None else type_.type
    unit = "" if type_ is None or type_.unit in NO_UNIT else f" {type_.unit}"
    if len(values) == 1:
        return f"{_one(float(values[0]), kind, 5)}{unit}"
    few = len(values) <= SHOWN_MOST
    words = ", ".join(_one(float(one), kind, 3) for one in (values if few else values[:1]))
    return f"[{words}{'' if few else f' …{len(values)}'}]{unit}"


def _one(value: float, kind: str, digits: int) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return f"{value:.{digits}g}"

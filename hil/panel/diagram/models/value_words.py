"""Numbers of a wire in few characters."""

from __future__ import annotations

from typing import Final

from numpy.typing import NDArray

from hil.diagram.types import ANY, FoundType

SHOWN_MOST: Final = 3
"""Numbers of a vector that are written."""
NO_UNIT: Final = ("1", ANY, "")


def value_words(values: NDArray, type_: FoundType | None) -> str:
    """As it is written at a wire: ``0.25 N``, ``[1, 2, 3] N``, ``[1, 2, 3 …21] m``, ``true``."""
    kind = "real" if type_ is None else type_.type
    unit = "" if type_ is None or type_.unit in NO_UNIT else f" {type_.unit}"
    words = [_one(float(value), kind) for value in values[:SHOWN_MOST]]
    if len(values) == 1:
        return f"{words[0]}{unit}"
    more = f" …{len(values)}" if len(values) > SHOWN_MOST else ""
    return f"[{', '.join(words)}{more}]{unit}"


def _one(value: float, kind: str) -> str:
    if kind == "boolean":
        return "true" if value else "false"
    return f"{value:.4g}"

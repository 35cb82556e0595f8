"""A condition on a wire, such as ``law/pi.y > 0.5``: where a diagram that runs is to stop."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError

SIGNS: Final[dict[str, Callable[[NDArray[np.float64], float], NDArray[np.bool_]]]] = {
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_TEXT: Final = re.compile(
    r"\s*(?P<path>[\w/@]+)\.(?P<port>\w+)(?:\[(?P<element>\d{1,4})\])?\s*"
    r"(?P<sign><=|>=|==|!=|<|>)\s*(?P<level>\S+)\s*"
)
_WORDS: Final = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class Condition:
    """Comparison of the numbers of an output with a level."""

    path: str
    """Path of the block."""
    port: str
    """Name of the output."""
    element: int | None
    """Number of one element, from 1, row after row; None for any of them."""
    sign: str
    """One of `SIGNS`."""
    level: float
    """Level in the port's unit."""

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Return the condition of a text.

        Raises:
            RefusedError: If it is none.
        """
        found = _TEXT.fullmatch(text)
        if found is None:
            raise RefusedError(f"{text[:60]!r}: write it as block.port > 0.5, or block.port[2] < 1")
        word = found["level"]
        try:
            level = _WORDS[word] if word in _WORDS else float(word)
        except ValueError:
            level = np.nan
        if not np.isfinite(level):
            raise RefusedError(f"{word[:40]!r}: a finite number, true or false is needed")
        element = None if found["element"] is None else int(found["element"])
        return cls(found["path"], found["port"], element, found["sign"], level)

    def check(self, size: int) -> None:
        """Refuse an element that an output of so many numbers does not have.

        Raises:
            RefusedError: With the numbers that there are.
        """
        if self.element is not None and not 1 <= self.element <= size:
            raise RefusedError(f"{self.path}.{self.port}[{self.element}]: 1 to {size} is needed")

    def holds(self, values: NDArray[np.float64]) -> bool:
        """Return whether it does.

        Args:
            values: of the output, in one row.
        """
        judged = values if self.element is None else values[self.element - 1 : self.element]
        return bool(SIGNS[self.sign](judged, self.level).any())

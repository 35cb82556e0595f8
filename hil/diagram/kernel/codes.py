"""The table's columns, where the kinds of each file begin, and how functions are compiled."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Places = Sequence[int]
"""Whole numbers: an array, typed as what its entries are."""
Array = NDArray[np.float64]

COLUMNS: Final = 15
(
    CODE, RATE, OFFSET, PART, INPUTS, OUTPUTS, CHECKED, COUNT, STATES, NUMBERS, SIZE, ENABLE,
    FIRST, SECOND, THIRD,
) = range(COLUMNS)  # fmt: skip
"""Kind, base ticks per tick, first tick, part (-1: whole), place of the list of inputs, of the
outputs, of the outputs to be checked, how many those are, places of states and numbers, elements of
the block, place of the condition (-1: none), of the first three inputs."""

SOURCES_FIRST: Final = 0
PLAIN_FIRST: Final = 100
SEVERAL_FIRST: Final = 200
STATEFUL_FIRST: Final = 300
WHOLES_FIRST: Final = 400
ROTATIONS_FIRST: Final = 500
"""Codes of kinds: each file lists its own, in capitals, from here on. Up to `WHOLES_FIRST` each
element has a row."""

FAST: Final[dict[str, Any]] = {"error_model": "numpy"}
INLINE: Final[dict[str, Any]] = {**FAST, "forceinline": True}
"""Options of functions that are called once, or are short."""
SIGNATURE: Final = "int64(int64[:, ::1], int64[::1], float64[::1], int64)"

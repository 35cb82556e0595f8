"""Percentiles of more values than are held at once: those of `numpy.percentile`, to the last bit.

Numbers of eight bytes have an order in which their bits can be counted: sixteen at a look, until
the values that are asked for are few enough to be sorted, or known bit by bit.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Keys = NDArray[np.uint64]

FEW: Final = 1 << 18
"""Most values that are sorted at once."""
_STEP: Final = 16
"""Bits that a look counts."""
_SIGN: Final = np.uint64(1 << 63)


@dataclass(frozen=True, slots=True)
class ValueSpread:
    """Spread of values."""

    percentiles: tuple[float, ...]
    """Those asked for, by straight lines between the values; NaN if one of these is NaN."""
    greatest: float
    """Greatest of all values; NaN likewise."""
    count: int
    """Number of values."""


def spread_of(
    values: Callable[[], Iterable[Array]], percents: Sequence[float], few: int = FEW
) -> ValueSpread:
    """Spread of all values; NaN if there are none.

    Args:
        values: gives them in pieces, shape (n,), the same whenever it is called.
        percents: 0 to 100.
        few: values that may be held at once.
    """
    held: list[Array] = []
    count, least, greatest = 0, math.inf, -math.inf
    for piece in values():
        count += len(piece)
        held = [*held, piece] if count <= few else []
        if len(piece):
            least = float(np.minimum(least, piece.min()))
            greatest = float(np.maximum(greatest, piece.max()))
    if not count or math.isnan(greatest):
        return ValueSpread((math.nan,) * len(percents), math.nan, count)
    if count <= few:
        found = np.percentile(np.concatenate(held), percents).tolist()
    elif least == greatest:
        found = [least] * len(percents)
    else:
        found = _between(values, percents, count, few).tolist()
    return ValueSpread(tuple(found), greatest, count)


def _between(
    values: Callable[[], Iterable[Array]], percents: Sequence[float], count: int, few: int
) -> Array:
    places = (count - 1) * (np.asarray(percents, np.float64) / 100.0)
    below = np.floor(places).astype(np.intp)
    above = np.minimum(below + 1, count - 1)
    ranks = np.unique(np.concatenate((below, above)))
    found = dict(zip(ranks.tolist(), _ranked(values, ranks, few), strict=True))
    low = np.array([found[rank] for rank in below.tolist()])
    high = np.array([found[rank] for rank in above.tolist()])
    share, step = places - below, high - low
    return np.where(share >= 0.5, high - step * (1.0 - share), low + step * share)


def _ranked(
    values: Callable[[], Iterable[Array]], ranks: NDArray[np.intp], few: int
) -> list[float]:
    """The values of some ranks from 0, rising."""
    begins = np.zeros(len(ranks), np.uint64)
    """First bits of each rank's value, so far."""
    left = ranks.astype(np.int64)
    """Its rank among the values that begin so."""
    for shift in range(64 - _STEP, -1, -_STEP):
        counts = {begin: np.zeros(1 << _STEP, np.int64) for begin in begins.tolist()}
        for piece in values():
            keys = _keys(piece) >> np.uint64(shift)
            for begin, seen in counts.items():
                mine = keys if shift == 64 - _STEP else keys[keys >> np.uint64(_STEP) == begin]
                seen += np.bincount(mine & np.uint64((1 << _STEP) - 1), minlength=1 << _STEP)
        sums = {begin: np.cumsum(seen) for begin, seen in counts.items()}
        sizes: dict[int, int] = {}
        for at, begin in enumerate(begins.tolist()):
            place = int(np.searchsorted(sums[begin], left[at], side="right"))
            left[at] -= int(sums[begin][place - 1]) if place else 0
            begins[at] = (begin << _STEP) | place
            sizes[int(begins[at])] = int(counts[begin][place])
        if shift and sum(sizes.values()) <= few:
            return _sorted_out(values, begins, left, shift)
    return _values(begins).tolist()


def _sorted_out(
    values: Callable[[], Iterable[Array]], begins: Keys, left: NDArray[np.int64], shift: int
) -> list[float]:
    """Values of ranks among those that begin with the same bits, which are few."""
    found: dict[int, list[Keys]] = {begin: [] for begin in begins.tolist()}
    for piece in values():
        keys = _keys(piece)
        for begin, same in found.items():
            same.append(keys[keys >> np.uint64(shift) == begin])
    ordered = {begin: np.sort(np.concatenate(same)) for begin, same in found.items()}
    chosen = [ordered[begin][at] for begin, at in zip(begins.tolist(), left.tolist(), strict=True)]
    return _values(np.array(chosen, np.uint64)).tolist()


def _keys(values: Array) -> Keys:
    """Bits of numbers, such that the order of the keys is that of the numbers."""
    bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _values(keys: Keys) -> Array:
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(np.float64)

"""Numbered values of one instant that come in several datagrams, put together again.

Parts of one instant leave a simulator at once; those of the next one leave a period later. So what
lies apart by more than half a period, or repeats a number, is of another instant: an instant of
which a part was lost is dropped as a whole. Values of two instants are not mixed as long as no part
is later than another one by half a period; beyond that nothing in them distinguishes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

Value = TypeVar("Value")


class InstantParts(Generic[Value]):
    """Collects the parts of one instant.

    Args:
        needed: numbers that an instant must have.
        within_s: so far apart in time the parts of one instant are at most [s].
    """

    def __init__(self, needed: Iterable[int], within_s: float) -> None:
        self._needed, self._within_s = frozenset(needed), within_s
        self._held: dict[int, Value] = {}
        self._since_s = float("nan")

    def add(self, part: Mapping[int, Value], at_s: float) -> Mapping[int, Value] | None:
        """Return the whole instant once its last part has come; None before.

        Args:
            part: value by number.
            at_s: when it came, monotonic [s]; NaN where that is not known.
        """
        apart_s = abs(at_s - self._since_s)
        if apart_s > self._within_s or not self._held.keys().isdisjoint(part):
            self._held.clear()
        if not self._held:
            self._since_s = at_s
        self._held.update(part)
        if not self._needed <= self._held.keys():
            return None
        whole, self._held = self._held, {}
        return whole

"""Faults of sensors while a run lasts: what the diagram and the rows get in place of a reading.

The gate measures by itself, and no fault of a sensor reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from hil.stations.world.plan.sensor_fault import SensorFault

Array = NDArray[np.float64]


@dataclass(slots=True, eq=False)
class TimedFault:
    """Fault with the steps and signals that it strikes."""

    fault: SensorFault
    """Settings of the fault."""
    names: frozenset[str]
    """Names of the signals."""
    first: int
    """First step."""
    end: float
    """Step after the last; infinite for a fault that stays."""
    held: dict[str, Array] = field(default_factory=dict[str, Array])
    """Values with which each frozen signal stays."""


@dataclass(frozen=True, slots=True)
class FaultNews:
    """Beginning or end of a fault."""

    text: str
    """Sentence about it."""
    data: Mapping[str, Any]
    """Names and numbers in it."""


class SensorFaults:
    """Faults of one run.

    Args:
        faults: with the steps and signals that they strike.
        unwired: reading of a cut wire by the signal's name, where it is not 0.
        booleans: names of the signals that are yes or no, which have no nan.
    """

    def __init__(
        self, faults: Sequence[TimedFault], unwired: Mapping[str, float],
        booleans: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._faults, self._unwired, self._booleans = tuple(faults), unwired, booleans
        self._now: list[TimedFault] = []

    def advance(self, step: int) -> tuple[FaultNews, ...]:
        """Begin a step; returns the faults that begin and end with it."""
        if not self._faults:
            return ()
        news = [_news(one, "begins") for one in self._faults if one.first == step]
        news += [_news(one, "ends") for one in self._faults if one.end == step]
        self._now = [one for one in self._faults if one.first <= step < one.end]
        return tuple(news)

    @property
    def any_now(self) -> bool:
        """Whether a fault lasts in this step."""
        return bool(self._now)

    def received(self, name: str, values: Array) -> Array:
        """Values of a signal as they are received in this step, of the same shape.

        Args:
            values: as they were measured.
        """
        for one in self._now:
            if name in one.names:
                values = self._struck(one, name, values)
        return values

    def _struck(self, one: TimedFault, name: str, values: Array) -> Array:
        wrong: Array | float
        match one.fault.kind:
            case "cut":
                wrong = self._unwired.get(name, 0.0)
            case "nan":
                wrong = values if name in self._booleans else math.nan
            case "frozen":
                wrong = one.held.setdefault(name, values.copy())
        if one.fault.part is None:
            return np.broadcast_to(wrong, values.shape).copy()
        found = values.copy()
        at = one.fault.part - 1
        found[at] = np.broadcast_to(wrong, values.shape)[at]
        return found


def _news(one: TimedFault, what: str) -> FaultNews:
    fault = one.fault
    part = "" if fault.part is None else f", value {fault.part}"
    data = {
        "sensor": fault.sensor, "kind": fault.kind, "part": fault.part or 0, "state": what,
    }  # fmt: skip
    return FaultNews(f"fault of {fault.sensor}{part} {what}: {fault.kind}", data)

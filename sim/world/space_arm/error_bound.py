"""A bound on the error of the gripper's path: millimetres, or percent of the path's range."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """A bound on the largest error at the ends of ticks.

    Percent are those of 1993: the largest error of a coordinate over the largest range of the three
    coordinates.

    Raises:
        ValueError: if it is not above 0 and finite, or above 100 %.
    """

    value: float
    """Bound, in the unit."""
    percent: bool = False
    """Whether it is in percent of the range, else in mm."""

    def __post_init__(self) -> None:
        if not 0.0 < self.value < math.inf:
            raise ValueError(f"{self}: above 0 is needed")
        if self.percent and self.value > 100.0:
            raise ValueError(f"{self}: at most 100 % is a bound")

    @classmethod
    def parse(cls, text: str) -> "ErrorBound":
        """Read ``0.5%``, ``2mm`` or ``2``.

        Raises:
            ValueError: if it is none of them.
        """
        words, percent = text.strip(), False
        if words.endswith("%"):
            words, percent = words.removesuffix("%"), True
        else:
            words = words.removesuffix("mm")
        try:
            value = float(words)
        except ValueError:
            raise ValueError(
                f"{text!r}: percent of the range (0.5%) or millimetres (2mm) are needed"
            ) from None
        return cls(value, percent)

    def __str__(self) -> str:
        return self.quantity(self.value)

    @property
    def unit(self) -> str:
        """Unit of the bound, as people read it."""
        return "%" if self.percent else "mm"

    def quantity(self, value: float) -> str:
        """Write an error in the bound's unit."""
        return f"{value:.3g} {self.unit}"

    def errors(self, path_m: Array, wanted_m: Array) -> Array:
        """Compare two paths of the gripper tick by tick, in the bound's unit.

        Args:
            path_m: positions at the ends of the ticks [m], shape (N, 3).
            wanted_m: positions that they should be [m], shape (N, 3).

        Raises:
            ValueError: if a percentage is asked for of a path that is at rest.
        """
        apart = path_m - wanted_m
        if not self.percent:
            return 1e3 * np.linalg.norm(apart, axis=1)
        return 100.0 * np.abs(apart).max(axis=1) / self.range_m(wanted_m)

    def range_m(self, wanted_m: Array) -> float:
        """Return the largest range of the three coordinates [m].

        Raises:
            ValueError: if it is 0.
        """
        widest = float(np.ptp(wanted_m, axis=0).max())
        if not widest > 0.0:
            raise ValueError("the gripper is at rest: there is no range, give the bound in mm")
        return widest

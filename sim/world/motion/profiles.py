"""Profiles of a motion: the share s of its path, 0 to 1, and its derivatives over time.

Phases of constant jerk come from a planner; here they are only sampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Cubic = tuple[float, float, float, float]
"""Share, its rate, second and third derivative at the beginning of a phase."""


@dataclass(frozen=True, slots=True)
class ShareProfile:
    """Profile of phases, each a polynomial of its time."""

    begins_s: tuple[float, ...]
    """Begin of each phase."""
    coefficients: tuple[tuple[float, ...], ...]
    """Coefficients of each phase, the constant first."""
    duration_s: float
    """Duration of all phases."""

    @classmethod
    def of_phases(cls, phases: Sequence[tuple[float, Cubic]], duration_s: float | None) -> Self:
        """Make a profile of phases of constant jerk, stretched over a longer time.

        Args:
            phases: length [s] and cubic of each.
            duration_s: of the whole; None for as long as the phases are.

        Raises:
            ValueError: if it is shorter than the phases.
        """
        least_s = sum(lasting_s for lasting_s, _ in phases)
        wanted_s = least_s if duration_s is None else duration_s
        if wanted_s < least_s:
            raise ValueError(f"{wanted_s:g} s is too short: the limits ask for {least_s:.4f} s")
        slower = least_s / wanted_s
        begins, found, at = [], [], 0.0
        for lasting_s, (s, rate, second, third) in phases:
            begins.append(at)
            rate, second, third = rate * slower, second * slower**2, third * slower**3
            found.append((s, rate, second / 2.0, third / 6.0))
            at += lasting_s / slower
        return cls(tuple(begins), tuple(found), wanted_s)

    @classmethod
    def uniform(cls, duration_s: float) -> Self:
        """Make a profile of equal increments: at once at its speed, and at once at rest."""
        return cls((0.0,), ((0.0, 1.0 / duration_s),), duration_s)

    @classmethod
    def quintic(cls, duration_s: float) -> Self:
        """Make a profile of fifth order: rate and second derivative are 0 at both ends."""
        powers = (0.0, 0.0, 0.0, 10.0, -15.0, 6.0)
        scaled = tuple(one / duration_s**power for power, one in enumerate(powers))
        return cls((0.0,), (scaled,), duration_s)

    def at(self, times_s: Array) -> tuple[Array, Array, Array]:
        """Sample share, rate [1/s], second derivative [1/s2], shape (n,); at rest at the ends."""
        times_s = np.asarray(times_s, dtype=np.float64)
        phase = np.clip(np.searchsorted(self.begins_s, times_s, side="right") - 1, 0, None)
        found = np.zeros((3, times_s.size))
        for index, (begin_s, powers) in enumerate(
            zip(self.begins_s, self.coefficients, strict=True)
        ):
            here = phase == index
            polynomial = np.polynomial.Polynomial(powers)
            for order in range(3):
                if order:
                    polynomial = polynomial.deriv()
                found[order, here] = polynomial(times_s[here] - begin_s)
        before, after = times_s <= 0.0, times_s >= self.duration_s
        found[:, before | after] = 0.0
        found[0, after] = 1.0
        return found[0], found[1], found[2]

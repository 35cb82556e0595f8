"""Gain and phase margins of a loop transfer, on the whole unit circle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Response = Callable[[NDArray[np.float64]], NDArray[np.complex128]]
POINTS: Final = 3000
HALVINGS: Final = 60
FLAT: Final = 0.1
"""Share by which a transfer without a pole at z = 1 changes at most from there to the grid."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Distance of a loop from its end, and the frequency of it."""

    value: float
    """dB, or degrees."""
    hz: float


def grid(poles: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Make a grid of angles per tick [rad] from below the slowest pole to pi, poles' included."""
    moving = poles[(np.abs(poles) > 1e-9) & (np.abs(poles - 1.0) > 1e-9)]
    angles = np.abs(np.log(moving))
    low = min(1e-3, 1e-2 * float(angles.min())) if len(angles) else 1e-3
    even = np.geomspace(max(low, 1e-8), math.pi, POINTS)
    even[-1] = math.pi
    own = np.abs(np.angle(moving))
    own = np.concatenate([own * (1.0 + by) for by in (-1e-3, 0.0, 1e-3)] or [own])
    return np.unique(np.concatenate([even, own[(own > even[0]) & (own < math.pi)]]))


def margins(loop: Response, radians: NDArray[np.float64], period_s: float
            ) -> tuple[Margin | None, Margin | None]:  # fmt: skip
    """Find gain [dB] and phase margin [degrees] nearest to the end; None without a crossing.

    Args:
        loop: The loop transfer by angles per tick; 1 + loop = 0 is the end of stability.
        radians: A grid of angles up to pi, on which each crossing shows.
    """
    values = loop(radians)

    def crossings(of: Callable[[NDArray[np.complex128]], NDArray[np.float64]]) -> list[float]:
        signs = np.sign(of(values))
        found = np.flatnonzero(signs[:-1] * signs[1:] < 0.0)
        return [_between(loop, of, radians[i], radians[i + 1]) for i in found]

    def hz(radian: float) -> float:
        return radian / (2.0 * math.pi * period_s)

    gains, phases = [], []
    rest = loop(np.zeros(1))[0]
    finite = abs(rest - values[0]) < FLAT * abs(rest)  # a pole at z = 1 has no value there
    for radian in [*([0.0] if finite else []), *crossings(np.imag), math.pi]:
        at = loop(np.array([radian]))[0]
        if at.real < 0.0 and abs(at.imag) < 1e-6 * abs(at) and math.isfinite(abs(at)):
            gains.append(Margin(-20.0 * math.log10(abs(at)), hz(radian)))
    for radian in crossings(lambda at: np.abs(at) - 1.0):
        at = loop(np.array([radian]))[0]
        if abs(abs(at) - 1.0) < 1e-6:
            turned = math.degrees(math.atan2(at.imag, at.real))
            phases.append(Margin((turned + 360.0) % 360.0 - 180.0, hz(radian)))
    nearest = [min(one, key=lambda m: abs(m.value), default=None) for one in (gains, phases)]
    return nearest[0], nearest[1]


def _between(loop: Response, of: Callable, low: float, high: float) -> float:
    """Find where a value of the response passes 0, by halving."""
    first = np.sign(of(loop(np.array([low]))))[0]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if np.sign(of(loop(np.array([middle]))))[0] == first:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)

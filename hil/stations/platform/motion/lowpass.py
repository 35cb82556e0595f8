"""Butterworth low-passes: of a whole record without delay, and of a live signal cycle by cycle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from hil.config.errors import MotionError
from hil.stations.platform.motion.source import Floats

RECORD_ORDER: Final = 4
LIVE_ORDER: Final = 2
"""Order of the live filter; √2 / (2 pi corner) is its delay at low frequency, more is slower."""
CORNER_MIN: Final = 1e-5
"""Lowest corner by half the sample rate; constants pass to 1e-6, not at 1e-8: 1 + a1 + a2 = 0."""


def sections(order: int, corner_hz: float, step_s: float) -> Floats:
    """Second-order sections of a Butterworth low-pass, discretised by Tustin's rule, shape (n, 6).

    Raises:
        MotionError: If the corner is not between `CORNER_MIN` and 1 of half the sample rate.
    """
    half_hz = 0.5 / step_s
    least_hz = CORNER_MIN * half_hz
    if not least_hz <= corner_hz < half_hz:
        needed = f"at least {least_hz:g} Hz and below half the sample rate, {half_hz:g} Hz"
        raise MotionError(f"lowpass_hz is {corner_hz} Hz: {needed}, is needed")
    # A third of the time that any verb needs to start, for the few motions that are filtered.
    from scipy.signal import butter

    return np.asarray(butter(order, corner_hz / half_hz, output="sos"))


def lowpass(samples: Floats, step_s: float, corner_hz: float) -> Floats:
    """Return the samples without what is faster than the corner, and without delay.

    Run forth and back, so that the gain at the corner is a half.

    Args:
        samples: Uniform samples, shape (N, 6).

    Raises:
        MotionError: If the corner is not between `CORNER_MIN` and 1 of half the sample rate.
    """
    of_both = sections(RECORD_ORDER, corner_hz, step_s)
    from scipy.signal import sosfiltfilt

    padding = min(3 * (RECORD_ORDER + 1), len(samples) - 1)
    return sosfiltfilt(of_both, samples, axis=0, padlen=padding)


class LiveLowPass:
    """Filter of numbers cycle by cycle; the gain at the corner is 1/√2.

    It begins at rest at the first number. One that is not finite is passed on, and the next begins
    anew. Transposed direct form II (Oppenheim and Schafer, 3rd ed., 6.3).

    Args:
        corner_hz: corner, below half the rate of the cycles [Hz].
        period_s: period of the cycles [s].

    Raises:
        MotionError: If the corner is not between `CORNER_MIN` and 1 of half the rate.
    """

    def __init__(self, corner_hz: float, period_s: float) -> None:
        section = sections(LIVE_ORDER, corner_hz, period_s)[0].tolist()
        self._b0, self._b1, self._b2, _, self._a1, self._a2 = section
        self._period_s = period_s
        self.reset()

    def reset(self) -> None:
        """Begin anew: the next numbers continue nothing."""
        self._memory: dict[int, tuple[float, float]] = {}

    def step(self, values: Sequence[float]) -> list[float]:
        """Filter the numbers of a cycle, in the order in which they come."""
        return [self._filtered(at, value) for at, value in enumerate(values)]

    def _filtered(self, at: int, x: float) -> float:
        if not math.isfinite(x):
            self._memory.pop(at, None)
            return x
        first, second = self._memory.get(
            at, ((1.0 - self._b0) * x, (self._b2 - self._a2) * x)
        )  # at rest at x
        y = self._b0 * x + first
        self._memory[at] = self._b1 * x - self._a1 * y + second, self._b2 * x - self._a2 * y
        return y

    def phase_delay_s(self, frequency_hz: float) -> float:
        """Delay of a sine [s]."""
        back = np.exp(-2j * np.pi * frequency_hz * self._period_s)
        above = self._b0 + back * (self._b1 + back * self._b2)
        below = 1.0 + back * (self._a1 + back * self._a2)
        return -float(np.angle(above / below)) / (2.0 * math.pi * frequency_hz)

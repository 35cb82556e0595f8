"""Motions of a prescribed spectrum: a sum of sines in each coordinate."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil.config.errors import MotionError, require_number
from hil.stations.platform.motion import kernels
from hil.stations.platform.motion.fade import FadedMotion, fade_for
from hil.stations.platform.motion.source import AXES, Floats, clamp_time, require_coordinates
from platform6dof.pose import PlatformSetpoint

Term = tuple[float, float, float]
"""Amplitude [m or rad], frequency [Hz] and phase [rad] of one sine."""


class MultiSine(FadedMotion):
    """Motion law of Bukharov et al. 2022, eqs. 4-5, in each of the six coordinates.

    x(t) = A + sum over k of Ar_k sin(2 pi nu_k t + phi_k) for t in 0..T, with the velocity and the
    acceleration that follow from it. A is the neutral coordinate. Where the law does not begin or
    end at rest in its neutral pose it is led in before 0 and led out after T (`fade`),
    by itself on extended time; within 0..T it is played exactly.

    Args:
        neutral: A of each coordinate: (x, y, z, alpha, beta, gamma) [m, rad], shape (6,).
        terms: For each coordinate its sines: (amplitude [m or rad], frequency [Hz], phase [rad]).
        duration_s: T [s].
        fade_s: Length of the lead-in and of the lead-out, where they are needed [s].

    Raises:
        MotionError: If a number is not finite or out of its range, or coordinates are missing.
    """

    def __init__(
        self,
        neutral: ArrayLike,
        terms: Sequence[Sequence[Term]],
        duration_s: float,
        fade_s: float = 2.0,
    ) -> None:
        neutral = require_coordinates("neutral", neutral)
        self._axis, self._sines = _table(terms)
        own_s = require_number("duration_s", duration_s, "s", above=0.0)
        begin = kernels.sum_of_sines(0.0, self._axis, self._sines)
        end = kernels.sum_of_sines(own_s, self._axis, self._sines)
        super().__init__(fade_for(begin, end, own_s, fade_s), neutral)

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since the lead-in began [s]."""
        if not 0.0 < t_s < self.duration_s:
            t_s = clamp_time(t_s, self.duration_s)
        values = np.empty((3, 6))
        kernels.sum_of_sines_faded(
            t_s, self._axis, self._sines, self._neutral, self._fade_s, values
        )
        return PlatformSetpoint.from_rows(values)

    def rows(self, times_s: Floats) -> Floats:
        """Return coordinates, their first and second derivatives at many times, shape (N, 3, 6)."""
        return kernels.sum_of_sines_rows(
            times_s, self._axis, self._sines, self._neutral, self._fade_s
        )


def _table(terms: Sequence[Sequence[Term]]) -> tuple[NDArray[np.int64], Floats]:
    """Return the coordinate of each sine, shape (K,), and amplitude, rad/s and phase, (K, 3)."""
    if len(terms) != len(AXES):
        text = f"terms are given for {len(terms)} coordinates: one list each for {', '.join(AXES)}"
        raise MotionError(text)
    axis_of: list[int] = []
    sines: list[tuple[float, float, float]] = []
    for axis, (name, own) in enumerate(zip(AXES, terms, strict=True)):
        unit = "m" if axis < 3 else "rad"
        for number, (amplitude, frequency_hz, phase_rad) in enumerate(own, start=1):
            place = f"term {number} of {name}"
            require_number(f"{place}: amplitude", amplitude, unit)
            require_number(f"{place}: frequency_hz", frequency_hz, "Hz", above=0.0)
            require_number(f"{place}: phase_rad", phase_rad, "rad")
            axis_of.append(axis)
            sines.append((amplitude, 2.0 * math.pi * frequency_hz, phase_rad))
    axes = np.array(axis_of, dtype=np.int64)
    table = np.array(sines, dtype=np.float64).reshape(-1, 3)
    for constant in (axes, table):
        constant.setflags(write=False)
    return axes, table

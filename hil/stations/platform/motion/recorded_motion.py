"""Recorded motion, replayed as it was: displacements, angles or accelerations from a file.

Recordings bring uneven time stamps, offsets, other units and ends in mid-motion. Here they become
one function of time, a quintic spline with four continuous derivatives, so that position, velocity
and acceleration belong together; and it is led in from rest and out to rest (`fade`).
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hil.config.errors import MotionError, require_number
from hil.stations.platform.motion import kernels
from hil.stations.platform.motion.acceleration import HIGHPASS_HZ, displacements
from hil.stations.platform.motion.columns import SECONDS, ColumnMap, TimeMap, check_maps
from hil.stations.platform.motion.components import read_rows
from hil.stations.platform.motion.fade import FadedMotion, fade_for
from hil.stations.platform.motion.lowpass import lowpass
from hil.stations.platform.motion.resample import (
    DEVIATION_MAX,
    SAMPLES_MAX,
    SAMPLES_MIN,
    STEP_MIN_S,
    uniform,
)
from hil.stations.platform.motion.source import AXES, Floats, clamp_time, require_coordinates
from platform6dof.pose import PlatformSetpoint

DEGREE = 5
"""Quintic, so that position, velocity and acceleration are smooth together (C4)."""
DERIVATIVES = 3
"""Number of values kept at each sample: value, rate and second derivative."""

BLOCK = 50_000
"""Intervals fitted at once: the equations of a million would take a third of a gigabyte."""
OVERLAP = 200
"""Samples on each side of a block that are fitted with it. An assumption at an end fades to 0.43
of itself with each sample (largest root of the quintic B-spline's symbol), here to 1e-73."""
AT_END = 2 * OVERLAP
"""Number of samples that decide how a motion begins or ends."""


def fit_quintic(samples: Floats, step_s: float) -> Floats:
    """Interpolate uniform samples by the quintic spline with four continuous derivatives.

    The ends are "not a knot": nothing is assumed about derivatives there.

    Args:
        samples: Values at 0, step_s, 2 step_s, ..., shape (N, 6), N at least 6.

    Returns:
        Value, rate and second derivative at each sample, shape (N, 6, 3): those of both its ends
        make the polynomial of an interval.
    """
    from scipy.interpolate import make_interp_spline  # slow to load, and seldom needed

    intervals = len(samples) - 1
    knots = np.empty((*samples.shape, DERIVATIVES))
    edges = [BLOCK * block for block in range(max(1, intervals // BLOCK))] + [intervals]
    for first, last in pairwise(edges):
        begin, end = max(0, first - OVERLAP), min(intervals, last + OVERLAP)
        t_s = np.arange(begin, end + 1) * step_s
        spline = make_interp_spline(t_s, samples[begin : end + 1], k=DEGREE)
        for k in range(DERIVATIVES):
            knots[first : last + 1, :, k] = spline(t_s[first - begin : last - begin + 1], nu=k)
    knots.setflags(write=False)
    return knots


class RecordedMotion(FadedMotion):
    """Motion through uniform samples of its deviation from a neutral pose.

    In its own time the motion passes through every sample. Before and after it the samples are
    continued by odd reflection about the end samples, x(-t) = 2 x(0) - x(t), and faded.

    Args:
        deviation: Deviation from neutral [m, rad], shape (N, 6), N at least 8.
        neutral: Neutral coordinates [m, rad], shape (6,).
        fade_s: Length of the lead-in and of the lead-out, where they are needed [s].

    Raises:
        MotionError: If there are too few or too many samples, a number is not finite, or a fade is
            longer than the motion that it has to continue.
    """

    def __init__(
        self, deviation: ArrayLike, step_s: float, neutral: ArrayLike, fade_s: float = 2.0
    ) -> None:
        samples = np.asarray(deviation, dtype=np.float64)
        self._step_s = require_number("step_s", step_s, "s", least=STEP_MIN_S)
        neutral = require_coordinates("neutral", neutral)
        _check_samples(samples)
        own_s = (len(samples) - 1) * self._step_s
        begin = fit_quintic(samples[:AT_END], self._step_s)[0].T
        end = fit_quintic(samples[-AT_END:], self._step_s)[-1].T
        super().__init__(fade_for(begin, end, own_s, fade_s), neutral)
        ahead, behind = (
            math.ceil(lead_s / self._step_s) for lead_s in (self.lead_in_s, self.lead_out_s)
        )
        if max(ahead, behind) >= len(samples):
            text = f"fade_s is {fade_s:g} s, longer than the recording of {own_s:g} s"
            raise MotionError(f"{text} that it continues: at most {own_s:g} s is possible")
        self._knots = fit_quintic(_reflected(samples, ahead, behind), self._step_s)
        self._ahead_s = ahead * self._step_s - self.lead_in_s
        self._own = slice(ahead, ahead + len(samples))

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        maps: Sequence[ColumnMap],
        neutral: ArrayLike,
        rate_hz: float | None = None,
        fade_s: float = 2.0,
        gap_max_s: float = 0.25,
        lowpass_hz: float | None = None,
        *,
        time: TimeMap = SECONDS,
        highpass_hz: float = HIGHPASS_HZ,
    ) -> "RecordedMotion":
        """Read a recorded motion.

        Args:
            maps: Map of each column to its coordinate; coordinates without one stay neutral.
            neutral: Coordinates to add the recording to [m, rad], shape (6,).
            rate_hz: Rate of the uniform grid for uneven stamps [Hz]; by default the recording's.
            gap_max_s: Longest time between two samples that is bridged [s].
            lowpass_hz: Corner of a low-pass without phase shift, Butterworth forth and back [Hz].
            highpass_hz: Corner of the high-pass of integrated columns [Hz].

        Raises:
            MotionError: With the place, the value and what would have been right.
        """
        check_maps(maps)
        require_number("gap_max_s", gap_max_s, "s", above=0.0)
        samples, step_s = uniform(*read_rows(path, maps, time, gap_max_s), rate_hz)
        for order in (1, 2):
            axes = [AXES.index(each.axis) for each in maps if each.derivative == order]
            if axes:
                samples[:, axes] = displacements(samples[:, axes], step_s, highpass_hz, order)
        if lowpass_hz is not None:
            samples = lowpass(samples, step_s, lowpass_hz)
        return cls(samples, step_s, neutral, fade_s)

    @property
    def step_s(self) -> float:
        """Time between two samples [s]."""
        return self._step_s

    def samples(self) -> Floats:
        """Return the deviation from neutral that it passes through [m, rad], shape (N, 6)."""
        return self._knots[self._own, :, 0].copy()

    def rows(self, times_s: Floats) -> Floats:
        """Return coordinates, their first and second derivatives at many times, shape (N, 3, 6)."""
        return kernels.polynomial_rows(
            times_s, self._ahead_s, self._step_s, self._knots, self._neutral, self._fade_s
        )

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since the lead-in began [s]."""
        values = np.empty((3, 6))
        kernels.polynomial_faded(
            clamp_time(t_s, self.duration_s),
            self._ahead_s,
            self._step_s,
            self._knots,
            self._neutral,
            self._fade_s,
            values,
        )
        return PlatformSetpoint.from_rows(values)


def _check_samples(samples: Floats) -> None:
    if samples.ndim != 2 or samples.shape[1] != len(AXES):
        text = f"samples have the shape {samples.shape}"
        raise MotionError(f"{text}: rows of {len(AXES)} coordinates are needed")
    if not SAMPLES_MIN <= len(samples) <= SAMPLES_MAX:
        text = f"there are {len(samples)} samples"
        raise MotionError(f"{text}: {SAMPLES_MIN} to {SAMPLES_MAX} make a motion")
    bad = np.argwhere(~(np.abs(samples) <= DEVIATION_MAX))
    if len(bad):
        row, axis = bad[0]
        text = f"sample {row}, {AXES[axis]} is {samples[row, axis]}"
        raise MotionError(f"{text}: it must be finite and within +-{DEVIATION_MAX:g}")


def _reflected(samples: Floats, ahead: int, behind: int) -> Floats:
    """Continue samples, shape (N, 6), by odd reflection: `ahead` before and `behind` after."""
    if not (ahead or behind):
        return samples
    before = 2.0 * samples[0] - samples[ahead:0:-1]
    after = 2.0 * samples[-1] - samples[-2 : -2 - behind : -1]
    return np.concatenate((before, samples, after))

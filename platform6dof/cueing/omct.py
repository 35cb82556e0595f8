"""Objective motion cueing test: what a whole chain makes of sinusoids, frequency by frequency.

Ten tests at twelve frequencies after ICAO Doc 9625 and Hosman and Advani, "Design and evaluation of
the objective motion cueing test and criterion", The Aeronautical Journal 120 (2016). Its acceptance
bands are not in here: a curve is measured and shown, and nothing is said to pass. A fundamental
alone hides distortion, so each point bears amplitude, coherence and the share of time in which
something limited the motion.

A rotation is asked as body rates alone: the specific force stays as at rest, so that what is felt
along another axis is the chain's own. Moduli have no unit: force over force, angle over angle; of
force from an angle and angle from a force the angle is taken as the force g times angle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.vehicle import GRAVITY_M_S2
from platform6dof.cueing.vestibular import AXES

Array = NDArray[np.float64]

FREQUENCIES_RAD_S: Final = (
    0.1, 0.158, 0.251, 0.398, 0.631, 1.0, 1.585, 2.512, 3.981, 6.310, 10.0, 15.849,
)  # fmt: skip
FORCE_M_S2: Final = 1.0
"""Amplitude of the tests whose input is a force."""
SETTLE_S: Final = 30.0
"""Least time before the measured periods, so that what the beginning stirs has gone."""
MEASURE_S: Final = 12.0
"""Least time that is measured; always whole periods, and at least `LEAST_PERIODS`."""
LEAST_PERIODS: Final = 2
SILENT: Final = 1e-9
"""A response that stays below this [m/s², rad/s] is none: its coherence is not known."""


@dataclass(frozen=True, slots=True)
class OmctTest:
    """One of the ten."""

    number: int
    driven: str
    """The axis that is asked, of `AXES`."""
    felt: str
    """The axis that is judged."""

    @property
    def name(self) -> str:
        """Such as ``pitch to surge``."""
        return f"{self.driven} to {self.felt}"

    @property
    def direct(self) -> bool:
        """Whether the axis judged is the one asked; else it is the chain's cross-coupling."""
        return self.driven == self.felt


TESTS: Final = tuple(
    OmctTest(number, driven, felt)
    for number, (driven, felt) in enumerate(
        (
            ("pitch", "pitch"),
            ("pitch", "surge"),
            ("roll", "roll"),
            ("roll", "sway"),
            ("yaw", "yaw"),
            ("surge", "surge"),
            ("surge", "pitch"),
            ("sway", "sway"),
            ("sway", "roll"),
            ("heave", "heave"),
        ),
        1,
    )
)
DRIVEN: Final = ("surge", "sway", "heave", "roll", "pitch", "yaw")
"""Axes that some test asks, each once: two tests share a ride."""


@dataclass(frozen=True, slots=True)
class OmctPoint:
    """One test at one frequency."""

    test: int
    rad_s: float
    amplitude: float
    """Amplitude of the input: force [m/s²], or angle [rad]."""
    modulus: float
    phase_deg: float
    """Phase between -180 and 180; NaN if nothing answers."""
    coherence: float
    """Share of the response's power in the fundamental, 0 to 1; NaN if nothing answers."""
    limited_share: float
    """Share of the measured time in which a limiter, the governor or the gate acted."""


def amplitude(driven: str, rad_s: float) -> float:
    """Amplitude of an input: force [m/s²], or angle [rad].

    Angles: 6 degrees up to 0.158 rad/s, then 1 deg/s, and 10 deg/s² at 15.849 rad/s.
    """
    if driven in AXES[:3]:
        return FORCE_M_S2
    if rad_s <= 0.16:
        return math.radians(6.0)
    if rad_s <= 12.0:
        return math.radians(1.0) / rad_s
    return math.radians(10.0) / rad_s**2


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A sinusoid along one axis, fading in over its first period."""

    driven: str
    rad_s: float
    settle_s: float
    """Whole periods that are not judged."""
    measure_s: float
    """Whole periods that are."""

    @classmethod
    def at(cls, driven: str, rad_s: float) -> Stimulus:
        """The one of a frequency [rad/s], long enough to settle and to measure."""
        period_s = 2.0 * math.pi / rad_s
        settle = max(1, math.ceil(SETTLE_S / period_s))
        measure = max(LEAST_PERIODS, math.ceil(MEASURE_S / period_s))
        return cls(driven, rad_s, settle * period_s, measure * period_s)

    @property
    def duration_s(self) -> float:
        """Duration of the whole [s]."""
        return self.settle_s + self.measure_s

    def signals(self, t_s: Array) -> tuple[Array, Array, Array]:
        """Specific force [m/s²], rates [rad/s], their derivative [rad/s²]; each of shape (N, 3).

        A force is A sin(w t) over the rest's; an angle A sin(w t) is asked by its rate.
        """
        axis = AXES.index(self.driven)
        size = amplitude(self.driven, self.rad_s)
        ramp = np.clip(t_s * self.rad_s / (2.0 * math.pi), 0.0, 1.0)
        phase = self.rad_s * t_s
        force = np.tile([0.0, 0.0, -GRAVITY_M_S2], (len(t_s), 1))
        rates, drates = np.zeros((len(t_s), 3)), np.zeros((len(t_s), 3))
        if axis < 3:
            force[:, axis] += size * ramp * np.sin(phase)
        else:
            rates[:, axis - 3] = size * self.rad_s * ramp * np.cos(phase)
            drates[:, axis - 3] = -size * self.rad_s**2 * ramp * np.sin(phase)
        return force, rates, drates


def fundamental(t_s: Array, signal: Array, rad_s: float) -> tuple[complex, float]:
    """Amplitude of sin(w t) in a signal over whole periods, by least squares with a constant.

    Args:
        t_s: times [s], shape (N,); they span whole periods.
        signal: shape (N,).
        rad_s: w.

    Returns:
        Complex amplitude c, the part being |c| sin(w t + arg c); and the coherence: share of the
        power about the mean that it holds, NaN where there is none.

    Raises:
        ValueError: fewer than 8 samples in a period, or less than a period.
    """
    period_s = 2.0 * math.pi / rad_s
    step_s = (t_s[-1] - t_s[0]) / (len(t_s) - 1)
    if period_s < 8.0 * step_s or len(t_s) * step_s < period_s * (1.0 - 1e-6):
        raise ValueError(
            f"{len(t_s)} samples of {step_s:g} s do not show {rad_s:g} rad/s: a period is "
            f"{period_s:g} s, at least one is needed, of at least 8 samples"
        )
    base = np.stack([np.sin(rad_s * t_s), np.cos(rad_s * t_s), np.ones_like(t_s)], axis=1)
    parts, *_ = np.linalg.lstsq(base, signal, rcond=None)
    about = signal - signal.mean()
    power = float(np.mean(about * about))
    rest = signal - base @ parts
    coherence = 1.0 - float(np.mean(rest * rest)) / power if power > SILENT**2 else math.nan
    return complex(parts[0], parts[1]), max(0.0, coherence) if power > SILENT**2 else math.nan


def points(
    stimulus: Stimulus, t_s: Array, felt: Array, angles_rad: Array, limited: NDArray[np.bool_]
) -> tuple[OmctPoint, ...]:
    """The points of the tests that a stimulus drives.

    Args:
        stimulus: what was asked.
        t_s: times since its beginning [s], shape (N,).
        felt: specific force and rates at the head in the order of `AXES`, shape (N, 6).
        angles_rad: roll, pitch, yaw of the platform in axes FRD [rad], shape (N, 3).
        limited: where something limited the motion, shape (N,).
    """
    judged = (t_s >= stimulus.settle_s - 1e-9) & (t_s < stimulus.duration_s - 1e-9)
    times, seen = t_s[judged], felt[judged]
    asked = amplitude(stimulus.driven, stimulus.rad_s)
    share = float(np.mean(limited[judged]))
    found = []
    for test in TESTS:
        if test.driven != stimulus.driven:
            continue
        axis = AXES.index(test.felt)
        signal = seen[:, axis] if axis < 3 else angles_rad[judged][:, axis - 3]
        part, coherence = fundamental(times, signal, stimulus.rad_s)
        ratio = part / asked * _as_force(test)
        silent = math.isnan(coherence)
        found.append(
            OmctPoint(
                test=test.number,
                rad_s=stimulus.rad_s,
                amplitude=asked,
                modulus=0.0 if silent else abs(ratio),
                phase_deg=math.nan if silent else math.degrees(math.atan2(ratio.imag, ratio.real)),
                coherence=coherence,
                limited_share=share,
            )
        )
    return tuple(found)


def _as_force(test: OmctTest) -> float:
    """Factor that makes the ratio of a test a pure number: an angle counts as g times angle."""
    into, out = AXES.index(test.driven) < 3, AXES.index(test.felt) < 3
    if into == out:
        return 1.0
    return GRAVITY_M_S2 if into else 1.0 / GRAVITY_M_S2

"""How well a rider feels on a platform what the vehicle did: figures per axis, never a verdict.

Judged are the signals of the inner ear (`platform6dof.cueing.vestibular`): the error is what the
wanted motion would make it report, less what the felt one does. The mean of each input is removed
first: a sensor's bias would otherwise be the whole error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.vestibular import AXES, REID_NAHON, VestibularModel

Array = NDArray[np.float64]

STILL: Final = 1e-9
"""A reference whose sensed signal stays below this [m/s², rad/s] is no motion: no ratio to it."""


@dataclass(frozen=True, slots=True)
class AxisScore:
    """One axis of a ride."""

    axis: str
    nrmse: float
    """RMS of the error over RMS of the sensed reference; NaN where nothing was wanted."""
    correlation: float
    """Of sensed reference and sensed motion; NaN where either stands still."""
    false_cue_share: float
    """Share of time in which the error exceeds the threshold and the sign felt is the wrong one."""
    over_threshold: float
    """Largest error as a multiple of the threshold."""
    peak: float
    """Largest sensed value of the felt motion [m/s², rad/s]."""


@dataclass(frozen=True, slots=True)
class Score:
    """A ride as a rider's inner ear takes it."""

    model: str
    axes: tuple[AxisScore, ...]
    """In the order of `AXES`."""

    def of(self, axis: str) -> AxisScore:
        """The figures of one of `AXES`."""
        return self.axes[AXES.index(axis)]

    def mean_nrmse(self, axes: tuple[str, ...] = ("surge", "sway")) -> float:
        """Mean of the NRMSE over some axes; NaN if one of them has none."""
        return float(np.mean([self.of(one).nrmse for one in axes]))


@dataclass(frozen=True, slots=True)
class Sensed:
    """Signals of the inner ear, wanted and felt, each of shape (N, 6)."""

    wanted: Array
    felt: Array


def sensed_of(
    wanted: Array, felt: Array, period_s: float, model: VestibularModel = REID_NAHON
) -> Sensed:
    """What the inner ear reports of the wanted and of the felt motion, means removed.

    Args:
        wanted: specific force and rates of the vehicle times the gain, in the order of `AXES`
            [m/s², rad/s], shape (N, 6).
        felt: the same as the platform gives them.
        period_s: between the rows [s].
        model: of the inner ear.

    Raises:
        ValueError: of shapes that differ, fewer than two rows, or not finite.
    """
    if wanted.shape != felt.shape:
        raise ValueError(f"wanted has shape {wanted.shape}, felt {felt.shape}: they must be equal")
    if len(wanted) < 2:
        raise ValueError(f"{len(wanted)} rows cannot be judged: there must be at least 2")
    return Sensed(
        model.sensed(wanted - wanted.mean(axis=0), period_s),
        model.sensed(felt - felt.mean(axis=0), period_s),
    )


def score(
    wanted: Array, felt: Array, period_s: float, model: VestibularModel = REID_NAHON
) -> Score:
    """Figures of a ride; the arguments are those of `sensed_of`."""
    signals = sensed_of(wanted, felt, period_s, model)
    thresholds = model.thresholds
    axes = tuple(
        _axis_score(name, signals.wanted[:, k], signals.felt[:, k], float(thresholds[k]))
        for k, name in enumerate(AXES)
    )
    return Score(model.name, axes)


def _axis_score(name: str, wanted: Array, felt: Array, threshold: float) -> AxisScore:
    error = wanted - felt
    size = _rms(wanted)
    false = (np.abs(error) > threshold) & (wanted * felt < 0.0)
    return AxisScore(
        axis=name,
        nrmse=_rms(error) / size if size > STILL else math.nan,
        correlation=_correlation(wanted, felt),
        false_cue_share=float(np.mean(false)),
        over_threshold=float(np.abs(error).max()) / threshold,
        peak=float(np.abs(felt).max()),
    )


def _correlation(first: Array, second: Array) -> float:
    first, second = first - first.mean(), second - second.mean()
    sizes = _rms(first), _rms(second)
    if min(sizes) <= STILL:
        return math.nan
    return float(np.mean(first * second)) / (sizes[0] * sizes[1])


def _rms(signal: Array) -> float:
    return math.sqrt(float(np.mean(signal * signal)))

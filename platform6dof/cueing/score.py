"""The score of a ride: how well a rider feels what the vehicle did, per axis, never a verdict.

Judged are the signals of the inner ear (`platform6dof.cueing.vestibular`): the error is what the
wanted motion would make it report, less what the felt one does. The mean of each input is removed
first: a sensor's bias would otherwise be the whole error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.vestibular import AXES, REID_NAHON, SensedPieces, VestibularModel

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
    """Correlation of sensed reference and sensed motion; NaN where either is at rest."""
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
    """Scores in the order of `AXES`."""

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


Pieces = Callable[[], Iterable[tuple[Array, Array]]]
"""Gives a ride in pieces, wanted and felt, in their order; the same whenever it is called."""


def sensed_of(
    wanted: Array, felt: Array, period_s: float, model: VestibularModel = REID_NAHON
) -> Sensed:
    """Output of the inner ear for the wanted and the felt motion, means removed.

    Args:
        wanted: specific force and rates of the vehicle times the gain, in the order of `AXES`
            [m/s², rad/s], shape (N, 6).
        felt: the same as the platform gives them.
        period_s: between the rows [s].
        model: of the inner ear.

    Raises:
        ValueError: of shapes that differ, fewer than two rows, or not finite.
    """
    (found,) = sensed_pieces(lambda: [(wanted, felt)], period_s, model)
    return found


def sensed_pieces(
    pieces: Pieces, period_s: float, model: VestibularModel = REID_NAHON
) -> Iterator[Sensed]:
    """The same of a ride in pieces: the signals of each."""
    count, sums = 0, np.zeros((2, len(AXES)))
    for wanted, felt in pieces():
        if wanted.shape != felt.shape:
            text = f"wanted has shape {wanted.shape}, felt {felt.shape}: they must be equal"
            raise ValueError(text)
        count += len(wanted)
        sums += wanted.sum(axis=0), felt.sum(axis=0)
    if count < 2:
        raise ValueError(f"{count} rows cannot be judged: there must be at least 2")
    (wanted_mean, felt_mean), ears = sums / count, [SensedPieces(model, period_s) for _ in sums]
    for wanted, felt in pieces():
        yield Sensed(ears[0].sensed(wanted - wanted_mean), ears[1].sensed(felt - felt_mean))


def score(
    wanted: Array, felt: Array, period_s: float, model: VestibularModel = REID_NAHON
) -> Score:
    """Figures of a ride; the arguments are those of `sensed_of`."""
    return score_pieces(lambda: [(wanted, felt)], period_s, model)


def score_pieces(pieces: Pieces, period_s: float, model: VestibularModel = REID_NAHON) -> Score:
    """The same of a ride in pieces."""
    sums = [_AxisSums(float(threshold)) for threshold in model.thresholds]
    for signals in sensed_pieces(pieces, period_s, model):
        for one, wanted, felt in zip(sums, signals.wanted.T, signals.felt.T, strict=True):
            one.add(wanted, felt)
    return Score(model.name, tuple(map(_AxisSums.score, sums, AXES)))


class _AxisSums:
    """Sums of the signals of one axis so far.

    Spreads about the means of two parts are put together after Chan, Golub, LeVeque, "Updating
    formulae and a pairwise algorithm for computing sample variances" (1979).
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._count = self._false = 0
        self._greatest_error = self._peak = 0.0
        self._squares = np.zeros(2)
        """Of the error and of the wanted signal, summed."""
        self._means = np.zeros(2)
        """Of the wanted and of the felt signal."""
        self._spreads = np.zeros((2, 2))
        """Products of their distances from their means, summed."""

    def add(self, wanted: Array, felt: Array) -> None:
        """Take the next values."""
        if not len(wanted):
            return
        error = wanted - felt
        false = (np.abs(error) > self._threshold) & (wanted * felt < 0.0)
        self._false += int(np.count_nonzero(false))
        self._greatest_error = max(self._greatest_error, float(np.abs(error).max()))
        self._peak = max(self._peak, float(np.abs(felt).max()))
        self._squares += (error * error).sum(), (wanted * wanted).sum()
        means = np.array([wanted.mean(), felt.mean()])
        off = wanted - means[0], felt - means[1]
        count, apart = self._count + len(wanted), means - self._means
        self._spreads += [[(one * other).sum() for other in off] for one in off]
        self._spreads += np.outer(apart, apart) * (self._count * len(wanted) / count)
        self._means += apart * (len(wanted) / count)
        self._count = count

    def score(self, axis: str) -> AxisScore:
        """The figures of all of them."""
        error, size = np.sqrt(self._squares / self._count).tolist()
        return AxisScore(
            axis=axis,
            nrmse=error / size if size > STILL else math.nan,
            correlation=self._correlation(),
            false_cue_share=self._false / self._count,
            over_threshold=self._greatest_error / self._threshold,
            peak=self._peak,
        )

    def _correlation(self) -> float:
        products = self._spreads / self._count
        sizes = np.sqrt(np.diag(products)).tolist()
        if min(sizes) <= STILL:
            return math.nan
        return float(products[0, 1]) / (sizes[0] * sizes[1])

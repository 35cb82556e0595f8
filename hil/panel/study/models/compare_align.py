"""The shift that lays one run over another: by its motion, or by likeness."""

import math
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.scope.models.channels import Channel
from hil.panel.study.models.compare import CompareError
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.study.models.even_signal import EvenSignal

Array = NDArray[np.float64]

_LEAST_COMMON: Final = 0.5
"""Share of the shorter run that must lie over the other."""
_LEAST_SPREAD: Final = 0.05
"""Share of a signal's spread that must be in the common part: rest over rest tells nothing."""
MOST_SAMPLES = 1 << 19
"""Most samples of a run whose likeness is taken at all shifts; a longer one is coarse at first."""
_REACH: Final = 32
"""Coarse steps to either side of the coarse peak in which the fine one is looked for."""
_LEAST_COARSE: Final = 0.3
"""Share of a signal's spread that its means must have, if their peak is to be believed."""
_BLOCK: Final = 1 << 16
"""Samples that are inspected together."""


class Align(Enum):
    """Event that is made to happen at one time in both runs."""

    NONE = "none"
    """Nothing: motion times are what they are."""
    ENGAGED = "engaged"
    """The motion begins."""
    CORRELATION = "correlation"
    """One signal is most alike."""


def shift_between(
    first: ComparedRun,
    second: ComparedRun,
    align: Align,
    channel: Channel | None = None,
    report: Callable[[float], object] = float,
) -> float:
    """Time to add to the second run's times so that it lies over the first [s].

    Args:
        first: the run that stays.
        second: the run that is shifted.
        report: called with the share that is done, 0 to 1; what it raises ends that.

    Raises:
        CompareError: if one of the runs has nothing to be aligned by.
    """
    if align is Align.ENGAGED:
        return motion_start_s(first, report) - motion_start_s(second, report)
    if align is Align.CORRELATION and channel is not None:
        return _shift_of_likeness(first, second, channel, report)
    return 0.0


def motion_start_s(run: ComparedRun, report: Callable[[float], object] = float) -> float:
    """Time at which the run's motion begins [s].

    Raises:
        CompareError: if it never does.
    """
    codes = [
        code for code, name in enumerate(run.facts.header.modes) if name in run.facts.views.moving
    ]
    signals = run.facts.signals
    column = next((signals.places[one.name].start for one in signals.coded), 0)
    begin = 0
    for values in run.column(column):
        report(begin / len(run))
        places = np.flatnonzero(np.isin(values, codes))
        if len(places):
            return float(run.t_s[begin + places[0]])
        begin += len(values)
    raise CompareError(f"no motion is in run {run.facts.name}; align by motion time")


def _shift_of_likeness(
    first: ComparedRun, second: ComparedRun, channel: Channel, report: Callable[[float], object]
) -> float:
    """Shift at which the signals' correlation coefficient is largest, to a fraction of a sample.

    The coefficient is taken over the samples that both have at a shift, of which there must be half
    of the shorter run's; so neither offsets nor ends nor holes matter. The peak is refined by the
    parabola through it and its two neighbours.

    Of long runs it is taken at all shifts for means over a few samples, then for the samples at the
    shifts about that peak; a signal that hardly changes but faster than that is refused.
    """
    step_s = max(first.facts.period_s, second.facts.period_s)
    a = EvenSignal(first, channel, step_s, lambda share: report(0.4 * share))
    b = EvenSignal(second, channel, step_s, lambda share: report(0.4 + 0.4 * share))
    if not (a.moves and b.moves):
        raise CompareError(f"{channel.name} does not change or is not there in one of the runs")
    size = -(-max(a.count, b.count) // MOST_SAMPLES)
    begin = -(b.count - 1)
    likeness = _likeness_of_means(a, b, size, channel)
    peak = int(np.argmax(likeness))
    if not likeness[peak] > 0.0:
        raise CompareError(f"{channel.name} does not change or is not there in one of the runs")
    if size > 1:
        coarse = (peak - (-(-b.count // size) - 1)) * size
        begin = max(coarse - _REACH * size, -(b.count - 1))
        end = min(coarse + _REACH * size, a.count - 1) + 1
        likeness = _likeness_at(a, b, begin, end, lambda share: report(0.8 + 0.2 * share))
        peak = int(np.argmax(likeness))
    return a.start_s - b.start_s + (begin + peak + _fraction(likeness, peak)) * step_s


def _fraction(likeness: Array, peak: int) -> float:
    """Place of the peak between its neighbours, by the parabola through them."""
    if not 0 < peak < len(likeness) - 1:
        return 0.0
    left, middle, right = likeness[peak - 1 : peak + 2].tolist()
    bend = left - 2.0 * middle + right
    return 0.5 * (left - right) / bend if -math.inf < bend < 0.0 else 0.0


def _likeness_of_means(a: EvenSignal, b: EvenSignal, size: int, channel: Channel) -> Array:
    """Correlation coefficient of means over some samples, at each lag from minus all of b on.

    Raises:
        CompareError: if the signal changes so fast that its means say little of it.
    """
    values, known = zip(a.means(size), b.means(size), strict=True)
    squares = [float(one @ one) for one in values]
    common = [float(one.sum()) for one in known]
    if size > 1 and min(squares[0] / a.squares, squares[1] / b.squares) * size < _LEAST_COARSE:
        raise CompareError(
            f"{channel.name} changes mostly within {2e3 * size * a.step_s:.0f} ms, too fast for "
            "runs of this length to be aligned by it; take another signal, or align by motion"
        )
    return _coefficient(
        _sums((values[0], known[0]), (values[1], known[1]), "full"), squares, common
    )


def _likeness_at(
    a: EvenSignal, b: EvenSignal, begin: int, end: int, report: Callable[[float], object]
) -> Array:
    """Correlation coefficient at the lags from a number to before another."""
    sums = np.zeros((6, end - begin))
    for at in range(0, a.count, _BLOCK):
        report(at / a.count)
        to = min(at + _BLOCK, a.count)
        sums += _sums(b.block(at - end + 1, to - begin), a.block(at, to), "valid")[:, ::-1]
    count, sum_b, sum_a, square_b, square_a, product = sums
    ordered = np.stack((count, sum_a, sum_b, square_a, square_b, product))
    return _coefficient(ordered, (a.squares, b.squares), (a.known, b.known))


def _sums(a: tuple[Array, Array], b: tuple[Array, Array], mode: Any) -> Array:
    """Sums over what two signals have in common at each lag, (6, lags).

    Args:
        a: signal, 0 where it is not known; and 1 where it is known, else 0.
        b: the other one.
        mode: which lags, as of `scipy.signal.correlate`.

    Returns:
        Their number, the values of a, those of b, their squares, and the products.
    """
    from scipy.signal import correlate  # here: it takes a second to load

    (a_values, a_known), (b_values, b_known) = a, b
    pairs = (
        (a_known, b_known), (a_values, b_known), (a_known, b_values),
        (a_values * a_values, b_known), (a_known, b_values * b_values), (a_values, b_values),
    )  # fmt: skip
    return np.stack([correlate(*pair, mode=mode, method="fft") for pair in pairs])


def _coefficient(sums: Array, squares: Any, known: Any) -> Array:
    """Correlation coefficient at each lag; -inf where too little is common.

    Args:
        sums: as of `_sums`, (6, lags).
        squares: sum of all squares of each of both signals.
        known: number of all known values of each.
    """
    count = np.maximum(np.round(sums[0]), 1.0)
    spread_a = sums[3] - sums[1] ** 2 / count
    spread_b = sums[4] - sums[2] ** 2 / count
    common = sums[5] - sums[1] * sums[2] / count
    enough = count >= _LEAST_COMMON * min(known)
    enough &= spread_a > _LEAST_SPREAD * squares[0]
    enough &= spread_b > _LEAST_SPREAD * squares[1]
    found = np.full(len(count), -math.inf)
    found[enough] = common[enough] / np.sqrt(spread_a[enough] * spread_b[enough])
    return found

"""By how much one run is shifted so that it lies over another: by its motion, or by likeness."""

import math
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.ring import GAP_PERIODS
from hil.panel.study.models.compare import ComparedRun, CompareError, values_at

Array = NDArray[np.float64]

_AT_REST: Final = 1e-12
_LEAST_COMMON: Final = 0.5
"""Share of the shorter run that must lie over the other."""
_LEAST_SPREAD: Final = 0.05
"""Share of a signal's spread that must be in the common part: rest over rest tells nothing."""


class Align(Enum):
    """What is made to happen at one time in both runs."""

    NONE = "none"
    """Nothing: motion times are what they are."""
    ENGAGED = "engaged"
    """The motion begins."""
    CORRELATION = "correlation"
    """One signal is most alike."""


def shift_between(
    first: ComparedRun, second: ComparedRun, align: Align, channel: Channel | None = None
) -> float:
    """Time to add to the second run's times so that it lies over the first [s].

    Args:
        first: the run that stays.
        second: the run that is shifted.

    Raises:
        CompareError: if one of the runs has nothing to be aligned by.
    """
    if align is Align.ENGAGED:
        return motion_start_s(first) - motion_start_s(second)
    if align is Align.CORRELATION and channel is not None:
        return _shift_of_likeness(first, second, channel)
    return 0.0


def motion_start_s(run: ComparedRun) -> float:
    """When the run's motion begins [s].

    Raises:
        CompareError: if it never does.
    """
    codes = [
        code for code, name in enumerate(run.facts.header.modes) if name in run.facts.views.moving
    ]
    signals = run.facts.signals
    column = next((signals.places[one.name].start for one in signals.coded), 0)
    places = np.flatnonzero(np.isin(run.rows[:, column], codes))
    if not len(places):
        raise CompareError(f"no motion is in run {run.facts.name}; align by motion time")
    return float(run.t_s[places[0]])


def _shift_of_likeness(first: ComparedRun, second: ComparedRun, channel: Channel) -> float:
    """Shift at which the signals' correlation coefficient is largest, to a fraction of a sample.

    The coefficient is taken over the samples that both have at a shift, of which there must be half
    of the shorter run's; so neither offsets nor ends nor holes matter. The peak is refined by the
    parabola through it and its two neighbours.
    """
    step_s = max(first.facts.period_s, second.facts.period_s)
    start_a, a, known_a = _even(first, channel, step_s)
    start_b, b, known_b = _even(second, channel, step_s)
    if not (a.any() and b.any()):
        raise CompareError(f"{channel.name} does not change or is not there in one of the runs")
    likeness = _coefficient(a, known_a, b, known_b)
    peak = int(np.argmax(likeness))
    if not likeness[peak] > 0.0:
        raise CompareError(f"{channel.name} does not change or is not there in one of the runs")
    fraction = 0.0
    if 0 < peak < len(likeness) - 1:
        left, middle, right = likeness[peak - 1 : peak + 2].tolist()
        bend = left - 2.0 * middle + right
        fraction = 0.5 * (left - right) / bend if -math.inf < bend < 0.0 else 0.0
    lag = peak - (len(b) - 1) + fraction
    return start_a - start_b + lag * step_s


def _coefficient(a: Array, known_a: Array, b: Array, known_b: Array) -> Array:
    """Correlation coefficient at each lag from -(len(b) - 1) on; -inf where too little is common.

    Args:
        a: signal, 0 where it is not known.
        known_a: 1 where it is known, else 0.
        b: the other signal.
        known_b: likewise.
    """

    def sums(left: Array, right: Array) -> Array:
        from scipy.signal import correlate  # here: it takes a second to load

        return np.asarray(correlate(left, right, mode="full", method="fft"), dtype=np.float64)

    count = np.maximum(np.round(sums(known_a, known_b)), 1.0)
    sum_a, sum_b = sums(a, known_b), sums(known_a, b)
    spread_a = sums(a * a, known_b) - sum_a**2 / count
    spread_b = sums(known_a, b * b) - sum_b**2 / count
    common = sums(a, b) - sum_a * sum_b / count
    enough = count >= _LEAST_COMMON * min(known_a.sum(), known_b.sum())
    enough &= spread_a > _LEAST_SPREAD * float(a @ a)
    enough &= spread_b > _LEAST_SPREAD * float(b @ b)
    found = np.full(len(count), -math.inf)
    found[enough] = common[enough] / np.sqrt(spread_a[enough] * spread_b[enough])
    return found


def _even(run: ComparedRun, channel: Channel, step_s: float) -> tuple[float, Array, Array]:
    """Start [s], values without their mean on an even grid, and 1 where they are known, else 0."""
    t_s = run.t_s
    if not len(t_s):
        return 0.0, np.zeros(1), np.zeros(1)
    count = round((float(t_s[-1]) - float(t_s[0])) / step_s) + 1
    wanted = np.asarray(float(t_s[0]) + step_s * np.arange(count), dtype=np.float64)
    values = values_at(
        t_s, run.rows[:, channel.column], wanted, GAP_PERIODS * run.facts.period_s, held=False
    )
    known = np.isfinite(values)
    if not known.any():
        return float(t_s[0]), np.zeros(count), np.zeros(count)
    centred = np.where(known, values - values[known].mean(), 0.0)
    at_rest = np.abs(centred).max() <= _AT_REST
    return float(t_s[0]), np.zeros(count) if at_rest else centred, known.astype(np.float64)

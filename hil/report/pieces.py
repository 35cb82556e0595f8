"""What a page needs of all rows of a run, found piece by piece: lines to draw, peaks, percentiles.

A run that is short is one piece, and then all is as if its arrays were looked at as a whole; of
many pieces comes the same, to the last bit.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hil.recording.decimation import MAX_POINTS, Decimator, Line, decimate
from hil.report.recorded_run import RecordedRun

Array = NDArray[np.float64]
Run = TypeVar("Run", bound=RecordedRun)


def lines(
    run: Run,
    values_of: Callable[[Run], Array],
    spans: Sequence[tuple[int, int]] = (),
    max_points: int = MAX_POINTS,
) -> list[list[Line]]:
    """What is drawn of values over the rows of a run.

    Args:
        values_of: of some rows of the run, shape (n,) or (n, count); NaN = not there.
        spans: first row and row behind the last of each part that is thinned by itself; the whole
            run if left out.

    Returns:
        For each span a line for each value.
    """
    spans = spans or ((0, len(run.times)),)
    found: list[list[Decimator]] = []
    for part in run.pieces():
        values = _two(values_of(part.run))
        if part.run is run:
            return [_whole(values, span, max_points) for span in spans]
        own = values[part.before :]
        found = found or [
            [Decimator(end - first, max_points) for _ in own.T] for first, end in spans
        ]
        for (first, end), thinned in zip(spans, found, strict=True):
            here = slice(max(first - part.first, 0), max(end - part.first, 0))
            for one, column in zip(thinned, own[here].T, strict=True):
                one.add(column)
    return [
        [Line(first + line.places, line.values) for line in (one.line() for one in thinned)]
        for (first, _), thinned in zip(spans, found, strict=True)
    ]


def curve(run: Run, values_of: Callable[[Run], Array], max_points: int = MAX_POINTS) -> Array:
    """What is drawn of a line through points: of each stretch those with an extreme coordinate.

    Args:
        values_of: coordinates at some rows of the run, shape (n, count).

    Returns:
        Shape (m, count), m at most ``max_points`` + 2 for each coordinate.
    """
    (found,) = lines(run, values_of, max_points=max_points)
    return values_at(run, values_of, np.unique(np.concatenate([line.places for line in found])))


def values_at(run: Run, values_of: Callable[[Run], Array], places: NDArray[np.intp]) -> Array:
    """Values at some rows of a run, shape (m, count).

    Args:
        values_of: of some rows of the run, shape (n,) or (n, count).
        places: of the rows, rising, shape (m,).
    """
    found: list[Array] = []
    for part in run.pieces():
        own = len(part.run.times) - part.before
        first, end = np.searchsorted(places, (part.first, part.first + own)).tolist()
        if first < end or not found:
            chosen = places[first:end] - part.first + part.before
            found.append(_two(values_of(part.run))[chosen])
    return np.concatenate(found)


class Peak(NamedTuple):
    """The greatest of some values."""

    row: int
    """Place in the run."""
    column: int
    """Which of the values of a row."""
    value: float


def peaks(run: Run, *values_of: Callable[[Run], Array]) -> list[Peak | None]:
    """The first greatest of each kind of values; None where none is a number.

    Args:
        values_of: of some rows of the run, shape (n,) or (n, count); NaN = does not count.
    """
    found: list[Peak | None] = [None] * len(values_of)
    for part in run.pieces():
        for number, make in enumerate(values_of):
            values = _two(make(part.run))[part.before :]
            known = np.where(np.isfinite(values), values, -np.inf)
            if not known.size:
                continue
            row, column = divmod(int(np.argmax(known)), known.shape[1])
            value, best = float(known[row, column]), found[number]
            if np.isfinite(value) and (best is None or value > best.value):
                found[number] = Peak(part.first + row, column, value)
    return found


def any_finite(run: Run, values_of: Callable[[Run], Array]) -> bool:
    """Whether any of the values is a number."""
    return any(bool(np.isfinite(values_of(part.run)[part.before :]).any()) for part in run.pieces())


def _two(values: Array) -> Array:
    return values[:, None] if values.ndim == 1 else values


def _whole(values: Array, span: tuple[int, int], max_points: int) -> list[Line]:
    first, end = span
    chosen = [decimate(column, max_points) for column in values[first:end].T]
    return [
        Line(first + places, column[first + places])
        for places, column in zip(chosen, values.T, strict=True)
    ]

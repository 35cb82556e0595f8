"""Both halves of a comparison that take long: reading a run, and comparing every signal of two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.envelope import Polyline
from hil.panel.study.models.compare import (
    Difference,
    DifferenceFigures,
    FiguresSoFar,
    paired,
)
from hil.panel.study.models.compare_align import Align, shift_between
from hil.panel.study.models.compared_run import ComparedRun
from hil.panel.study.models.replay import FileFeed
from hil.panel.widgets.background import Watch
from hil.recording.decimation import Decimator
from hil.recording.header import RecordingError

MOST_POINTS: Final = 1 << 15
"""Most points of a line that is drawn; of more rows the lowest and the highest of each stretch."""


@dataclass(frozen=True, slots=True, eq=False)
class SignalLines:
    """A signal of both runs as it is drawn, over the first run's time."""

    channel: Channel
    """The signal."""
    first: Polyline
    """Line of the first run."""
    second: Polyline
    """Line of the second run, shifted; NaN where it has none."""
    difference: Polyline
    """Second minus first."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs over each other."""

    shift_s: float
    """Added to the second run's times [s]."""
    shown: SignalLines
    """The signal that is drawn."""
    rows: tuple[DifferenceFigures, ...]
    """Figures of every signal that the runs have in common."""


def read_run(path: Path, watch: Watch) -> ComparedRun:
    """Read a recording; the rows of a long one stay in the file.

    Raises:
        RecordingError: if it is not there, is not a recording, or has no frame.
        OSError: if there is no room for the times of a long one.
        CancelledError: if it is not wanted any more.
    """
    feed = FileFeed.open(path, lambda: 0.0, report=watch.at)
    if not len(feed.times):
        raise RecordingError(f"{feed.path}: no row is in it")
    return ComparedRun(feed.facts, feed)


def compare(
    runs: tuple[ComparedRun, ComparedRun],
    channels: Sequence[Channel],
    shown: Channel,
    align: Align,
    watch: Watch,
) -> Comparison:
    """Compare every signal.

    Args:
        runs: the one that stays and the one that is shifted.
        shown: the signal that is drawn, and by whose likeness the runs may be aligned.

    Raises:
        CompareError: if one of the runs has nothing to be aligned by.
        RecordingError: if a recording is not any more what it was when it was opened.
        OSError: if there is no room for what is aligned.
        CancelledError: if it is not wanted any more.
    """
    first, second = runs
    aligning = 0.0 if align is Align.NONE else 0.5
    shift_s = shift_between(
        first, second, align, shown, report=lambda share: watch.at(aligning * share)
    )
    lines, found = _Lines(len(first)), [FiguresSoFar(channel) for channel in channels]
    done = 0
    for pair in paired(first, second, shift_s):
        watch.at(aligning + (1.0 - aligning) * done / len(first))
        lines.add(pair.difference(shown))
        for channel, figures in zip(channels, found, strict=True):
            figures.add(pair.difference(channel))
        done += len(pair.t_s)
    watch.at(1.0)
    rows = tuple(one.figures for one in found)
    return Comparison(
        shift_s, lines.of(shown, first), tuple(row for row in rows if math.isfinite(row.rms))
    )


class _Lines:
    """The drawn lines of a signal, gathered piece by piece."""

    def __init__(self, count: int) -> None:
        self._thinned = [Decimator(count, MOST_POINTS) for _ in range(3)]

    def add(self, of: Difference) -> None:
        for thinned, values in zip(self._thinned, (of.first, of.second, of.values), strict=True):
            thinned.add(values)

    def of(self, channel: Channel, run: ComparedRun) -> SignalLines:
        lines = [thinned.line() for thinned in self._thinned]
        return SignalLines(
            channel, *(Polyline(run.times_at(line.places), line.values) for line in lines)
        )

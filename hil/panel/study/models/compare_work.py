"""Both halves of a comparison that take long: reading a run, and comparing every signal of two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.panel.scope.models.channels import Channel
from hil.panel.shell.models.background import Watch
from hil.panel.study.models.compare import (
    ComparedRun,
    Difference,
    DifferenceFigures,
    difference,
    figures,
)
from hil.panel.study.models.compare_align import Align, shift_between
from hil.panel.study.models.replay import FileFeed
from hil.recording.header import RecordingError


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs over each other."""

    shift_s: float
    """Added to the second run's times [s]."""
    shown: Difference
    """The signal that is drawn."""
    rows: tuple[DifferenceFigures, ...]
    """Figures of every signal that the runs have in common."""


def read_run(path: Path, watch: Watch) -> ComparedRun:
    """Read a whole recording.

    Raises:
        RecordingError: if it is not there, is not a recording, or has no frame.
        CancelledError: if it is not wanted any more.
    """
    feed = FileFeed.open(path, lambda: 0.0, told=watch.at)
    if not len(feed.table):
        raise RecordingError(f"{feed.path}: no row is in it")
    return ComparedRun(feed.facts, feed.table)


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
        CancelledError: if it is not wanted any more.
    """
    first, second = runs
    shift_s = shift_between(first, second, align, shown)
    drawn = difference(first, second, shown, shift_s)
    rows: list[DifferenceFigures] = []
    for number, channel in enumerate(channels):
        watch.at(number / len(channels))
        row = figures(difference(first, second, channel, shift_s))
        if math.isfinite(row.rms):
            rows.append(row)
    watch.at(1.0)
    return Comparison(shift_s, drawn, tuple(rows))

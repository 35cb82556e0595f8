"""A recording as a window's feed, with a time of its own that can be moved."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.live.models.feed import HISTORY_S, Batch, RunFacts
from hil.recording.events import EventRecord
from hil.recording.mcap_scan import Caps
from hil.recording.percentiles import spread_of
from hil.recording.reader import Recording, is_short
from hil.recording.row_arrays import gathered, let_go
from hil.recording.rows import numbers

RATES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds of the run per second."""
_STEPS: Final = 1 << 17
"""Steps in time that are read at once."""
HISTORY_BYTES: Final = 32 * 1024 * 1024
"""Most history of a replay of a long recording, in rows of numbers [bytes]."""


class FileFeed:
    """A recording, played at any rate from any place.

    Args:
        now_s: the clock by which it is played [s].
    """

    def __init__(self, recording: Recording, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self.path = recording.path
        """Its file; of several parts, the first."""
        self.truncated = recording.truncated
        """Whether it was not finished properly."""
        self.damage = recording.damage
        """What of it cannot be read; empty if all can."""
        self.dropped = recording.dropped
        """Entries that are known to be missing."""
        self._recording = recording
        self._times = gathered(_not_falling(recording), recording.path.parent)
        first, end = next(recording.stretches())
        self.piece = max(end - first, 1)
        """Rows that are read at once; all of a short recording."""
        self._table = self._read(0, recording.cycles) if is_short(recording) else None
        """All rows of a short recording; those of a long one are read when they are shown."""
        self.events = tuple(sorted(recording.events, key=lambda event: event.t_s))
        """All of the run."""
        self._event_times = np.array([event.t_s for event in self.events])
        self.facts = _facts(recording, self._times)
        ends = (self._times[0], self._times[-1]) if len(self._times) else (0.0, 0.0)
        self.span_s = (float(ends[0]), float(ends[1]))
        let_go(self._times)
        self._rate = 0.0
        self._asked_s = now_s()
        self._place_s = self.span_s[0]
        self._shown_s = -np.inf
        self._moved = True

    @classmethod
    def open(
        cls,
        path: Path,
        now_s: Callable[[], float],
        caps: Caps | None = None,
        report: Callable[[float], object] = float,
    ) -> "FileFeed":
        """Open a file, or the recording in a run's folder, whole or cut off.

        Ten minutes at 1 kHz take a second or more, so a window lets a thread do it.

        Args:
            now_s: the clock by which it is played [s].
            caps: most memory to spend on it.
            report: called with the share that is done, 0 to 1; what it raises ends that.

        Raises:
            RecordingError: if it is not there, is not a recording, or is beyond the caps.
        """
        return cls(Recording.open(path, caps, report), now_s)

    @property
    def table(self) -> NDArray[np.float64]:
        """All rows, (N, values of the table), read-only; of a long recording they take memory."""
        return self.rows(0, len(self._times))

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of all rows [s], (N,), read-only, not falling; see `row_arrays.let_go`."""
        return self._times

    def rows(self, first: int, end: int) -> NDArray[np.float64]:
        """Rows from a place to before another, (n, values of the table), read-only."""
        return self._read(first, end) if self._table is None else self._table[first:end]

    def _read(self, first: int, end: int) -> NDArray[np.float64]:
        table = np.empty((max(end - first, 0), self._recording.signals.values))
        for at in range(first, end, self.piece):
            part = self._recording.part(at, min(at + self.piece, end))
            table[at - first : at - first + part.cycles] = numbers(part.signals, part.columns)
        table.flags.writeable = False
        return table

    def column(self, number: int) -> Iterator[NDArray[np.float64]]:
        """One of the table's columns, in pieces that follow each other, (n,) each."""
        places = self._recording.signals.places.items()
        name, place = next((name, one) for name, one in places if number < one.stop)
        for piece in self._recording.pieces():
            values = piece.rows.column(name).reshape(piece.rows.cycles, -1)
            yield values[:, number - place.start].astype(np.float64)

    @property
    def t_s(self) -> float:
        """Time of the run that is shown [s]."""
        return self._place_s

    @property
    def rate(self) -> float:
        """Run's seconds per second; 0 is a standstill."""
        return self._rate

    def seek(self, t_s: float) -> None:
        """Show another time of the run [s]; one outside it becomes its nearest end."""
        self._place_s = float(np.clip(t_s, *self.span_s))
        self._asked_s = self._now_s()
        self._moved = True

    def step(self, frames: int) -> None:
        """Show the frame so many behind the one shown, or before it; stop there."""
        if not len(self._times):
            return
        self.play(0.0)
        shown = int(np.searchsorted(self._times, self._place_s, side="right")) - 1
        self.seek(float(self._times[min(max(shown + frames, 0), len(self._times) - 1)]))

    def to_event(self, direction: int) -> EventRecord | None:
        """Show the next event's time, or with -1 that of the one before; None if there is none."""
        if direction > 0:
            place = int(np.searchsorted(self._event_times, self._place_s, side="right"))
        else:
            place = int(np.searchsorted(self._event_times, self._place_s, side="left")) - 1
        if not 0 <= place < len(self.events):
            return None
        self.seek(self.events[place].t_s)
        return self.events[place]

    def play(self, rate: float) -> None:
        """Play at a rate of 0 or more; 0 is a standstill."""
        self._advance()
        self._rate = max(0.0, rate)

    def poll(self) -> Batch:
        """Return the rows and events that time has passed since the last call.

        After a move, and if that is longer than the history that a replay reaches back, those are
        the last of them.
        """
        self._advance()
        if self._place_s >= self.span_s[1]:
            self._rate = 0.0
        restart = self._moved or self._place_s - self._shown_s > HISTORY_S
        self._moved = False
        since_s = self._place_s - HISTORY_S if restart else self._shown_s
        low, high = np.searchsorted(self._times, (since_s, self._place_s), side="right").tolist()
        if self._table is None:
            most = max(HISTORY_BYTES // (8 * self.facts.signals.values), 1)
            low, restart = max(low, high - most), restart or high - low > most
        events = [
            event
            for event in self.events
            if (restart or event.t_s > since_s) and event.t_s <= self._place_s
        ]
        self._shown_s = self._place_s
        return Batch(self.rows(low, high), tuple(events), restart=restart)

    def _advance(self) -> None:
        now_s = self._now_s()
        self._place_s = min(self._place_s + self._rate * (now_s - self._asked_s), self.span_s[1])
        self._asked_s = now_s


def _not_falling(recording: Recording) -> Iterator[NDArray[np.float64]]:
    """Times of the rows [s], made so that time does not go back."""
    last = np.nan
    for piece in recording.pieces():
        times = np.fmax(np.fmax.accumulate(piece.rows.t_s), last)
        last = float(times[-1]) if len(times) else last
        yield times


def _facts(recording: Recording, t_s: NDArray[np.float64]) -> RunFacts:
    def steps() -> Iterator[NDArray[np.float64]]:
        for first in range(0, max(len(t_s) - 1, 0), _STEPS):
            yield np.diff(t_s[first : first + _STEPS + 1])
            let_go(t_s)

    period_s = spread_of(steps, (50.0,)).percentiles[0] if len(t_s) > 1 else 1.0
    header = recording.header
    name = header.metadata.get("scenario") or recording.path.parent.name
    return RunFacts(header, max(period_s, 1e-6), name)

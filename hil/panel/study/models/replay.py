"""A recording that can be looked at at once, however long it is.

Opening reads the lists of its messages and its events only, and makes room for the frames. Those
around the place that is looked at are read first, all others by a thread of its own, without
stopping the window. That thread needs a kernel, which is loaded after the first picture.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Final

import numpy as np

from hil.panel.live.models.feed import HISTORY_S, Batch, RunFacts
from hil.panel.study.models.replay_frames import Frames
from hil.panel.study.models.replay_index import Index
from hil.recording.frame import EventRecord
from hil.recording.mcap_scan import Caps

RATES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds of the run per second."""
AGAIN_S: Final = 0.25
"""While frames are still being read, what is shown is shown anew this often."""
FIRST_POLLS: Final = 3
"""The rest is not read before so many polls: a window draws its first picture in them."""


class FileFeed:
    """A recording as a window's feed, played at any rate from any place.

    Args:
        index: of the recording.
        now_s: the clock by which it is played [s].
        fill: read the frames that nobody looks at yet, in a thread; else only those asked for.

    Raises:
        RecordingError: if it cannot be read any more.
    """

    def __init__(self, index: Index, now_s: Callable[[], float], *, fill: bool = True) -> None:
        self._now_s = now_s
        self.index = index
        self._frames = Frames(index)
        self._times = index.t_s
        self.events = self._frames.events()
        """All of the run."""
        self._event_times = np.array([event.t_s for event in self.events])
        self.facts = _facts(index)
        ends = (self._times[0], self._times[-1]) if len(self._times) else (0.0, 0.0)
        self.span_s = (float(ends[0]), float(ends[1]))
        self._rate = 0.0
        self._asked_s = now_s()
        self._again_s = -np.inf
        self._place_s = self.span_s[0]
        self._shown_s = -np.inf
        self._shown_share = 0.0
        self._moved = True
        self._stop = Event()
        self._thread = Thread(target=self._fill, name="replay", daemon=True) if fill else None
        self._polls_left = FIRST_POLLS if fill else 0

    @classmethod
    def open(
        cls,
        path: Path,
        now_s: Callable[[], float],
        caps: Caps | None = None,
        told: Callable[[float], object] = abs,
    ) -> "FileFeed":
        """Open a file, or the recording in a run's folder, whole or cut off.

        An hour at 100 Hz takes a second or more, so a window lets a thread do it.

        Args:
            path: the file or the folder.
            now_s: the clock by which it is played [s].
            caps: most memory to spend on it.
            told: called with the share that is done, 0 to 1; what it raises ends that.

        Raises:
            RecordingError: if it is not there, is not a recording, or is beyond the caps.
        """
        return cls(Index.read(path, caps, told), now_s)

    @property
    def t_s(self) -> float:
        """Time of the run that is shown [s]."""
        return self._place_s

    @property
    def rate(self) -> float:
        """Run's seconds per second; 0 stands still."""
        return self._rate

    @property
    def read_share(self) -> float:
        """How much of the recording is read, 0 to 1."""
        return self._frames.read_share

    @property
    def damage(self) -> str:
        """What of the recording cannot be read; empty if all can."""
        return self._frames.damage

    @property
    def frames(self) -> Frames:
        """All frames."""
        return self._frames

    def seek(self, t_s: float) -> None:
        """Show another time of the run [s]; one outside it becomes its nearest end."""
        self._place_s = float(np.clip(t_s, *self.span_s))
        self._asked_s = self._now_s()
        self._moved = True

    def step(self, frames: int) -> None:
        """Show the frame so many behind the one shown, or before it; stands still."""
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
        """Go on at a rate of 0 or more; 0 stands still."""
        self._advance()
        self._rate = max(0.0, rate)

    def poll(self) -> Batch:
        """Return the rows and events that time has passed since the last call."""
        if self._polls_left:
            self._polls_left -= 1
            if not self._polls_left:
                self.read_on()
        self._advance()
        if self._place_s >= self.span_s[1]:
            self._rate = 0.0
        restart = self._restarts()
        since_s = self._place_s - HISTORY_S if restart else self._shown_s
        low, high = np.searchsorted(self._times, (since_s, self._place_s), side="right").tolist()
        if restart:
            self._read_at(high - 1)
        else:
            for row in range(low, high, 100):
                self._read_at(row)
            self._read_at(high - 1)
        events = [
            event
            for event in self.events
            if (restart or event.t_s > since_s) and event.t_s <= self._place_s
        ]
        self._shown_s = self._place_s
        return Batch(self._frames.table[low:high], tuple(events), restart=restart)

    def read_on(self) -> None:
        """Let the thread read the rest from now on, if there is to be one."""
        self._polls_left = 0
        if self._thread is not None and self._thread.ident is None and not self._stop.is_set():
            self._thread.start()

    def read_all(self) -> None:
        """Read what is not read yet, now."""
        while (chunk := self._frames.next_chunk(0)) is not None:
            self._frames.read(chunk)

    def close(self) -> None:
        """End the reading, and let go of the file."""
        self._stop.set()
        if self._thread is not None and self._thread.ident is not None:
            self._thread.join()
        self._frames.close()

    def _restarts(self) -> bool:
        """Whether what is shown must be shown anew: time was moved, or more of it was read."""
        share = self._frames.read_share
        more = share > self._shown_share and self._now_s() >= self._again_s
        restart = self._moved or more
        if restart:
            self._moved = False
            self._shown_share = share
            self._again_s = self._now_s() + AGAIN_S
        return restart

    def _read_at(self, row: int) -> None:
        """Read what is asked for at once; only its frame if a window would wait for the others."""
        if not 0 <= row < len(self._times):
            return
        if self._thread is not None and not self._frames.warm:
            self._frames.read_one(row)
        else:
            self._frames.read(self._frames.chunk_of(row))

    def _fill(self) -> None:
        while not self._stop.is_set():
            row = int(np.searchsorted(self._times, self._place_s, side="right")) - 1
            chunk = self._frames.next_chunk(row)
            if chunk is None:
                return
            self._frames.read(chunk)

    def _advance(self) -> None:
        now_s = self._now_s()
        self._place_s = min(self._place_s + self._rate * (now_s - self._asked_s), self.span_s[1])
        self._asked_s = now_s


def _facts(index: Index) -> RunFacts:
    steps = np.diff(index.t_s)
    period_s = float(np.median(steps)) if len(steps) else 1.0
    path = index.path
    name = index.header.metadata.get("scenario") or path.parent.name
    return RunFacts(index.header, index.layout, max(period_s, 1e-6), name)

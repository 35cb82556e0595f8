"""The link to a bench: whether frames come from it, and whether there is a desk to be asked."""

import math
from enum import Enum
from typing import Final

STALE_S: Final = 0.5
"""Time without a frame [s], or of three periods, after which a bench counts as silent."""


_LINKS: Final = {
    "waiting": "Connected; nothing has come yet",
    "live": "Live",
    "stale": "SILENT for {silent_s} s",
    "lost": "NO DESK: {why}",
    "ended": "ENDED: {why}",
    "replay": "Recording",
}


class Source(Enum):
    """Source of the shown run."""

    LIVE = "live"
    REPLAY = "replay"


class Link(Enum):
    """State of the link to the bench."""

    WAITING = "waiting"
    """Connected; no frame has come yet."""
    LIVE = "live"
    STALE = "stale"
    """Frames have stopped coming."""
    LOST = "lost"
    """Its desk is gone; the next one is being looked for, and frames may still come."""
    ENDED = "ended"
    """The run is over, or its desk is gone for good."""
    REPLAY = "replay"
    """No bench: a recording is shown."""


class LinkWatch:
    """Watch over the link to one bench."""

    def __init__(self, source: Source, period_s: float) -> None:
        self._source = source
        self._stale_s = max(STALE_S, 3.0 * period_s)
        self._received_s = -math.inf
        self._ended = self._lost = ""

    def take(self, now_s: float) -> None:
        """A frame came at a moment [s]."""
        self._received_s = now_s

    def over(self, why: str) -> None:
        """The run is over, or its desk is gone for good; the first reason counts."""
        self._ended = self._ended or why

    def lost(self, why: str) -> None:
        """Its desk is gone; whether there is another one is not known yet."""
        self._lost = why

    def found(self) -> None:
        """Another desk of the run is there."""
        self._lost = ""

    @property
    def ended(self) -> str:
        """Reason why the run is over, or its desk gone for good; empty if it is not."""
        return self._ended

    @property
    def gone(self) -> str:
        """Reason why nobody can be asked anything; empty if somebody can."""
        if self._source is Source.REPLAY:
            return "this is a recording"
        return self._ended or self._lost

    def silent(self, now_s: float) -> bool:
        """Whether frames have stopped coming from a bench that sent some."""
        if self._source is Source.REPLAY or self._received_s == -math.inf:
            return False
        return now_s - self._received_s > self._stale_s

    def at(self, now_s: float) -> Link:
        """State of the link at a moment [s]."""
        if self._source is Source.REPLAY:
            return Link.REPLAY
        if self._ended or self._lost:
            return Link.ENDED if self._ended else Link.LOST
        if self._received_s == -math.inf:
            return Link.WAITING
        return Link.STALE if self.silent(now_s) else Link.LIVE

    def text_at(self, now_s: float) -> str:
        """The same in words."""
        link = self.at(now_s)
        silent_s = max(0.0, now_s - self._received_s) if link is Link.STALE else 0.0
        return _LINKS[link.value].format(silent_s=f"{silent_s:.1f}", why=self.gone)

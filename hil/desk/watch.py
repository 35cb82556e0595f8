"""The record of the desk during a run: that it died, that another one began."""

from typing import Final, Protocol

from hil.desk.publisher import Note
from hil.timing.clock import Tick

EVERY: Final = 50
"""Cycles between two looks at the desk."""


class Watched(Protocol):
    """A desk beside a run."""

    @property
    def running(self) -> bool:
        """Whether it runs."""
        ...

    def news(self) -> str:
        """Return the news since the last call, without waiting; empty if there is none."""
        ...


class DeskWatch:
    """Looks at the desk now and then.

    Nothing follows from it for the motion: a desk that is gone is a released dead-man already.
    """

    def __init__(self, desk: Watched, note: Note) -> None:
        self._desk, self._note = desk, note
        self._left = EVERY

    def update(self, tick: Tick) -> None:
        """Count a cycle; look at the desk in every 50th."""
        self._left -= 1
        if self._left > 0:
            return
        self._left = EVERY
        if news := self._desk.news():
            self._note(tick, f"operator's desk: {news}", {"desk": self._desk.running})

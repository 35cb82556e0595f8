"""Values drawn for a run: laid over its scenario, its documents, and listed in its recording.

`hil.draw` makes them; while a run is planned and played, the place that opens files hands out the
drawn text of a document in place of the file's own, so that every reader of documents has it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

DRAW: Final = "draw"
"""Table of a scenario that says what is drawn."""


@dataclass(frozen=True, slots=True)
class DrawnValues:
    """Values that a seed has drawn."""

    seed: int
    """Seed of the draw."""
    values: Mapping[str, int | float] = field(default_factory=dict)
    """Key of the scenario, through a document's name if it is one of a document → value."""
    documents: Mapping[str, bytes] = field(default_factory=dict)
    """Real path of a document → its text with drawn values."""
    read: set[str] = field(default_factory=set)
    """Real paths of documents that were read so far."""

    def text_of(self, path: Path) -> bytes | None:
        """Text of a document with drawn values; None if nothing of it is drawn."""
        if not self.documents:
            return None
        real = os.path.realpath(path)
        if (text := self.documents.get(real)) is not None:
            self.read.add(real)
        return text


_CURRENT: ContextVar[DrawnValues | None] = ContextVar("drawn", default=None)


@contextmanager
def applied(drawn: DrawnValues) -> Iterator[None]:
    """Let drawn values hold while this is open."""
    before = _CURRENT.set(drawn)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def current_drawn() -> DrawnValues | None:
    """Drawn values of the present run; None if nothing is drawn."""
    return _CURRENT.get()

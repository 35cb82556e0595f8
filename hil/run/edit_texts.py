"""Edits as texts: written whole into events of a recording, and read back from there.

An event holds a thousand bytes. So an edit is one event that says what came of it, one for each
fault if it was refused, and its text in parts; `edits_of` puts them together again.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError
from hil.recording.events import EventKind, Level

if TYPE_CHECKING:
    from hil.recording.reader import Recording
    from hil.run.journal import Journal, Scalar
    from hil.timing.clock import Tick

WHO: Final = "edit"
"""Name of the source of an edit's events in a recording."""
PART_BYTES: Final = 700
"""Largest part of a text in one event [bytes]."""
PARTS_A_TURN: Final = 8
"""Events of a text in one turn, so that a long one does not hold up the loop."""
SOURCE_CHARS: Final = 250
"""Longest name of a file in an event; of a longer one its end is given."""
NAMES_BYTES: Final = 160
"""Largest list of names in an event [bytes]."""


@dataclass(frozen=True, slots=True)
class EditText:
    """A changed document."""

    text: str
    """The whole of it."""
    source: str
    """Its file, whose ending says how it is written; files that it names lie beside it."""
    folder: str = ""
    """Folder of those lines instead, of a text that a recording holds: the recording's."""

    @property
    def sha256(self) -> str:
        """Digest of its bytes."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()


class EditRefusedError(ValueError):
    """A changed document cannot be taken; the run continues with the old one."""

    def __init__(self, *faults: str) -> None:
        self.faults: tuple[str, ...] = faults
        """A line for each."""
        super().__init__("\n".join(faults))


@dataclass(frozen=True, slots=True)
class TimedEdit:
    """A document that is to be taken at a definite step."""

    step: int
    """Number of the row after which it acts."""
    edit: EditText
    """The document."""


@dataclass(slots=True)
class EditEvents:
    """Writer of edits into a recording, a few events a turn."""

    who: str = WHO
    """Name of their source."""
    count: int = 0
    """Edits so far, those refused among them."""
    _waiting: deque[tuple[str, dict[str, Scalar]]] = field(default_factory=deque)

    def put(
        self, journal: Journal | None, tick: Tick, edit: EditText, faults: tuple[str, ...],
        facts: Mapping[str, Scalar],
    ) -> None:  # fmt: skip
        """Record what came of an edit; its text follows.

        Args:
            faults: why it was refused; empty if it was taken.
            facts: of what was taken, for a program.
        """
        self.count += 1
        parts = list(_parts(edit.text))
        head: dict[str, Scalar] = {
            "edit": self.count, "taken": not faults, "source": edit.source[-SOURCE_CHARS:],
            "bytes": len(edit.text.encode("utf-8", "replace")), "parts": len(parts),
            "sha256": edit.sha256, **facts,
        }  # fmt: skip
        self._waiting.extend(
            (part, {"edit": self.count, "part": index}) for index, part in enumerate(parts)
        )
        if journal is None:
            self._waiting.clear()
            return
        words = "taken" if not faults else f"refused, {len(faults)} faults: the run goes on"
        level = Level.WARNING if faults else Level.INFO
        text = f"{self.who} {self.count} ({edit.source[-SOURCE_CHARS:]}) {words}"
        where, kind, who = (tick.t_s, tick.index), EventKind.NOTE, self.who
        journal.put(*where, text, head, who=who, kind=kind, level=level)
        for index, one in enumerate(faults):
            fault = {"edit": self.count, "fault": index}
            journal.put(*where, one, fault, who=who, kind=kind, level=level)

    def serve(self, journal: Journal | None, tick: Tick, most: int = PARTS_A_TURN) -> None:
        """Record some of what waits; to be called every turn."""
        while self._waiting and journal is not None and most > 0:
            part, data = self._waiting.popleft()
            journal.put(tick.t_s, tick.index, part, data, who=self.who, kind=EventKind.NOTE,
                        level=Level.DEBUG)  # fmt: skip
            most -= 1
            journal.service()

    def finish(self, journal: Journal | None, tick: Tick) -> None:
        """Record all that waits; for the end of a run."""
        self.serve(journal, tick, len(self._waiting))


def names_text(names: tuple[str, ...]) -> str:
    """A list of names, cut where it is too long for an event."""
    text = ", ".join(names)
    return text if len(text) <= NAMES_BYTES else f"{text[: NAMES_BYTES - 2]} …"


def edits_of(recording: Recording) -> tuple[TimedEdit, ...]:
    """Edits that a recording holds, in their order, those that were refused among them.

    Raises:
        ConfigError: if the text of one is not there as a whole.
    """
    return tuple(TimedEdit(step, edit) for edit, _, step in texts_of(recording, WHO))


def texts_of(
    recording: Recording, who: str
) -> Iterator[tuple[EditText, Mapping[str, Scalar], int]]:
    """Texts that a recording holds under a name, with the data of their first event and its row.

    Raises:
        ConfigError: if one is not there as a whole.
    """
    heads: dict[int, tuple[int, Mapping[str, Scalar]]] = {}
    parts: dict[int, list[str]] = {}
    for event in recording.events:
        number = event.data.get("edit")
        if event.name != who or not isinstance(number, int):
            continue
        if "sha256" in event.data:
            heads[number] = event.index, event.data
        elif "part" in event.data:
            parts.setdefault(number, []).append(event.message)
    for number, (step, data) in sorted(heads.items()):
        text, folder = "".join(parts.get(number, ())), str(recording.path.absolute().parent)
        edit = EditText(text, str(data.get("source")), folder)
        if edit.sha256 != data["sha256"]:
            problem = f"{who} {number} at row {step}: its text is not there as a whole"
            raise ConfigError(str(recording.path), [problem])
        yield edit, data, step


def _parts(text: str) -> Iterator[str]:
    """A text in pieces that are whole characters."""
    data = text.encode("utf-8", "replace")
    while data:
        end = PART_BYTES
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[:end].decode("utf-8", "replace")
        data = data[end:]

"""How a run ended, as its recording keeps it: the entries of the table `OUTCOME`.

A disk that is full takes no end. So each file begins with room for one, which is written over.

The loop's process puts an `EndRecord` into the ring as its last entry. The recorder adds what it
alone knows: how many entries are missing, and what kept it from writing them. So a recording that
lost rows says so itself, and one whose loop was killed says that nobody told its end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

import orjson

from hil.recording.header import OUTCOME

END: Final = 4
"""Kind of the entry of a ring that says how the run ended; it is no message of the file."""
MAX_END_BYTES: Final = 900
SPARE_END: Final = "spare_end"
"""Table behind the header that keeps a place for the end of a file that the disk refuses."""
SPARE_BYTES: Final = 2000
UNTOLD: Final = "control ended without saying how: its process was killed, or it broke"
"""Reason of a run whose loop is gone and told no end."""


@dataclass(frozen=True, slots=True)
class EndRecord:
    """How a run ended, in the words of its station."""

    outcome: str
    """One word or two, such as `completed` or `tripped`; empty if nobody told it."""
    ok: bool
    """Whether nothing is wrong with the run, its recording left out."""
    reason: str
    """Why it did not complete, or what was lost; empty if there is nothing to say."""

    def to_bytes(self) -> bytes:
        """The record as an entry of a ring; a reason that is too long loses its end."""
        record = self
        while len(encoded := orjson.dumps(record.entries())) > MAX_END_BYTES:
            shorter = record.reason[: len(record.reason) * 3 // 4]
            record = replace(record, outcome=self.outcome[:64], reason=shorter + "…")
        return encoded

    def entries(self) -> dict[str, str]:
        """The record as entries of a table of text."""
        return {
            "outcome": self.outcome, "ok": "true" if self.ok else "false", "reason": self.reason
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecordedEnd:
    """What the end of a recording says of its run, and of itself."""

    end: EndRecord | None
    """How the run ended; None in a recording that was cut off, or is older than this record."""
    missing: int
    """Entries that are not in the recording."""
    problem: str
    """What kept the recorder from writing; empty if nothing did."""

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, str]]) -> Self:
        """Read it from the tables of a recording."""
        table = tables.get(OUTCOME) or _spare(tables)
        end = None
        if "outcome" in table:
            end = EndRecord(table["outcome"], table.get("ok") == "true", table.get("reason", ""))
        counts = (table.get(name, "0") for name in ("dropped", "lost"))
        missing = sum(int(count) for count in counts if count.isdecimal() and len(count) < 20)
        return cls(end, missing, table.get("problem", ""))

    @property
    def known(self) -> bool:
        """Whether the recording has an end, in one place or the other."""
        return self.end is not None or bool(self.loss)

    @property
    def loss(self) -> str:
        """That the recording is not whole, and why; empty if it says that it is."""
        if not (self.problem or self.missing):
            return ""
        return loss_of(self.problem, self.missing)


def spare_entries(outcome: Mapping[str, str]) -> dict[str, str]:
    """An end as entries of the table `SPARE_END`, which is of one size whatever they say."""
    entries, length = dict(outcome), SPARE_BYTES
    while len(data := orjson.dumps(entries)) > SPARE_BYTES:
        length = length * 3 // 4
        entries = {key: value[:length] for key, value in entries.items()}
    return {"end": data.ljust(SPARE_BYTES).decode()}


def _spare(tables: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    try:
        table = orjson.loads(tables[SPARE_END]["end"])
    except (KeyError, orjson.JSONDecodeError):
        return {}
    texts = isinstance(table, dict) and all(isinstance(value, str) for value in table.values())
    return table if texts else {}


def loss_of(problem: str, missing: int) -> str:
    """That a recording is not whole, in a line.

    Args:
        problem: what kept the recorder from writing; empty if the ring was full for a time.
        missing: entries that are not there.
    """
    why = problem or "the recorder did not keep up"
    return f"recording failed: {why}; {missing} entries are missing"

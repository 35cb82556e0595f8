"""What a recording says of its run, from whichever of its copies is whole."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import orjson

from hil.recording.header import HEADER_NAME, RunHeader
from hil.recording.mcap_scan import Attached, Metadata
from hil.recording.signals import Signals

_COUNT = re.compile(r"[0-9]{1,18}")

PART_KEY = "number"
"""Entry of the table "part" that numbers the files of a run; the first has no such table."""

SIGNALS = "signals"
"""Table, and entry of the channel of rows, that holds the table of signals as JSON."""

OUTCOME = "outcome"
"""Table of a file that was finished: how many entries were dropped and lost, and its digest."""


@dataclass(slots=True)
class Facts:
    """What is known before the first cycle, and at the end."""

    metadata: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    signals: Signals | None = None
    scenario: Mapping[str, Any] | None = None
    problems: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, records: Iterable[object]) -> Self:
        """Take them from the tables and attachments of a file; other records are passed over."""
        facts, copy = cls(), None
        for record in records:
            try:
                if isinstance(record, Metadata):
                    facts._take_table(record)
                elif isinstance(record, Attached) and record.name == "scenario.json":
                    facts.scenario = _object(record.data)
                elif isinstance(record, Attached) and record.name == HEADER_NAME:
                    copy = RunHeader.from_mapping(_object(record.data))
            except (ValueError, KeyError, TypeError) as error:
                name = getattr(record, "name", "")
                facts.problems.append(f"{name} is not of this bench: {error!r}")
        if copy is not None:
            facts._take(copy)
        return facts

    def _take_table(self, table: Metadata) -> None:
        if table.name == SIGNALS:
            self.signals = Signals.from_header(_object(table.values[SIGNALS].encode()))
            return
        if table.name == OUTCOME:
            _check_counts(table.values)
        self.metadata[table.name] = table.values

    def continues(self, run: Mapping[str, str] | None, number: int) -> bool:
        """Whether the file is a certain part of a run, by the run's own table if that is there."""
        told = self.metadata.get("part", {}).get(PART_KEY)
        mine = self.metadata.get("run")
        return told == str(number) and (run is None or mine is None or mine == run)

    def _take(self, copy: RunHeader) -> None:
        """Believe the header's copy, whose checksum covers all of it."""
        self.metadata["run"] = dict(copy.metadata)
        self.signals, self.scenario = copy.signals, copy.scenario


def _check_counts(outcome: Mapping[str, str]) -> None:
    """Refuse a table whose counts are none: the bits of a text are under no checksum."""
    for key in ("dropped", "lost"):
        if not _COUNT.fullmatch(outcome.get(key, "0")):
            raise ValueError(f"{key} = {outcome[key]!r:.80}; need a whole number of 0 or more")


def _object(data: bytes) -> Mapping[str, Any]:
    value = orjson.loads(data)
    if not isinstance(value, dict):
        raise ValueError(f"{value!r:.80}; need an object")
    return value

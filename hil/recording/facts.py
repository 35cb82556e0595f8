"""What a recording says of its run, from whichever of its copies is whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from hil.recording.header import HEADER_NAME, RunHeader
from hil.recording.mcap_scan import Attached, Metadata

_COUNT = re.compile(r"[0-9]{1,18}")

PART_KEY = "number"
"""Entry of the table "part" that numbers the files of a run; the first has no such table."""

OUTCOME = "outcome"
"""Table of a file that was finished: how many entries were dropped and lost, and its digest."""


@dataclass(slots=True)
class Facts:
    """What is known before the first cycle, and at the end.

    Args:
        metadata: name of a table → its text.
        modes: names of the mode codes.
        actions: names of the action codes.
        scenario: the effective scenario; None if it is not there.
        problems: what is there and cannot be understood.
    """

    metadata: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    modes: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    scenario: Mapping[str, Any] | None = None
    problems: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, records: Iterable[object]) -> Facts:
        """Take them from the tables and attachments of a file; other records are passed over."""
        facts, copy = cls(), None
        for record in records:
            try:
                if isinstance(record, Metadata):
                    if record.name == OUTCOME:
                        _check_counts(record.values)
                    facts.metadata[record.name] = record.values
                    if record.name == "codes":
                        facts.modes = _names(record.values["modes"])
                        facts.actions = _names(record.values["actions"])
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

    def continues(self, run: Mapping[str, str] | None, number: int) -> bool:
        """Whether the file is a certain part of a run, by the run's own table if that is there."""
        told = self.metadata.get("part", {}).get(PART_KEY)
        mine = self.metadata.get("run")
        return told == str(number) and (run is None or mine is None or mine == run)

    def _take(self, copy: RunHeader) -> None:
        """Believe the header's copy, whose checksum covers all of it."""
        self.metadata["run"] = dict(copy.metadata)
        self.modes, self.actions, self.scenario = copy.modes, copy.actions, copy.scenario


def _check_counts(outcome: Mapping[str, str]) -> None:
    """Refuse a table whose counts are none: the bits of a text are under no checksum."""
    for key in ("dropped", "lost"):
        if not _COUNT.fullmatch(outcome.get(key, "0")):
            raise ValueError(f"{key} = {outcome[key]!r:.80}; need a whole number of 0 or more")


def _names(text: str) -> tuple[str, ...]:
    names = orjson.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{text!r:.80}; need a JSON list of names")
    return tuple(names)


def _object(data: bytes) -> Mapping[str, Any]:
    value = orjson.loads(data)
    if not isinstance(value, dict):
        raise ValueError(f"{value!r:.80}; need an object")
    return value

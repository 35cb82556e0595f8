"""The header of a recording: what is known of a run before its first cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import orjson

from hil.config.inputs import InputFile
from hil.recording.signals import Signals

RECORDING_NAME: Final = "recording.mcap"
"""Name of the recording inside a run's folder."""

MACHINES: Final = "machines"
NO_MACHINE: Final = "none"
"""Value of the fact `MACHINES` of a run that has none."""
SIMULATED: Final = "simulated"
"""Fact that names the facts about emulated devices, with spaces between; empty for none."""

HEADER_NAME: Final = "header.json"
"""The header's second copy, at the end of a finished file."""

SIGNALS: Final = "signals"
"""Table, and entry of the channel of rows, that holds the table of signals as JSON."""

FILES: Final = "files"
"""Table whose entry of that name lists the files that the run took in, as JSON."""

OUTCOME: Final = "outcome"
"""Table of a file that was finished: how many entries were dropped and lost, and its digest."""

FORMAT: Final = 1
"""Version of what a recording holds and how; docs/formats.md says what changes it."""

FORMAT_TABLE: Final = "format"
"""Table of every file whose entry `version` is that; a file without one is of version 1."""

PART_KEY: Final = "number"
"""Entry of the table "part" that numbers the files of a run; the first has no such table."""


def part_path(path: Path, number: int) -> Path:
    """Path of a part of a recording: the first at its path, the second at ``NAME-2.mcap``.

    Args:
        path: of the first part, or the folder of the run.
    """
    file = path / RECORDING_NAME if path.is_dir() else path
    return file if number == 1 else file.with_name(f"{file.stem}-{number}{file.suffix}")


class RecordingError(Exception):
    """A recording cannot be written where asked, or is not one that can be read."""


@dataclass(frozen=True, slots=True)
class RunHeader:
    """Facts of a run."""

    signals: Signals
    metadata: Mapping[str, str] = field(default_factory=dict)
    """What a reader must know to judge the run: versions, rig, digest of the limits, seed, clock,
    which devices are simulated. Text only."""
    scenario: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[InputFile, ...] | None = None
    """Files whose content the run took in before its first cycle; None if nobody noted them."""

    @property
    def simulated(self) -> dict[str, str]:
        """Facts about emulated devices."""
        return simulated_in(self.metadata)

    @property
    def of_no_machine(self) -> bool:
        """Whether no machine, and so no station, took part: a diagram that ran alone."""
        return self.metadata.get(MACHINES) == NO_MACHINE

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the station's modes, by their codes from 0; none if its rows have none."""
        return next((signal.codes for signal in self.signals.coded), ())

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of what its gate did, likewise."""
        return next((signal.codes for signal in self.signals.coded[1:]), ())

    def to_json(self) -> bytes:
        """Return the header as a line of JSON; a `TypeError` if the scenario has no form in it."""
        return orjson.dumps(
            {
                "signals": self.signals.header(),
                "metadata": dict(self.metadata),
                "scenario": dict(self.scenario),
                **({} if self.files is None else {FILES: [one.row() for one in self.files]}),
            }
        )

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> Self:
        """Read back what `to_json` wrote; a `KeyError` or `SignalsError` if it is not that."""
        return cls(
            signals=Signals.from_header(raw["signals"]),
            metadata=dict(raw["metadata"]),
            scenario=dict(raw["scenario"]),
            files=files_of_rows(raw[FILES]) if FILES in raw else None,
        )


def files_of_rows(rows: Any) -> tuple[InputFile, ...]:
    """Files as JSON has them; a `ValueError` or `TypeError` if they are none."""
    if not isinstance(rows, list):
        raise TypeError(f"{rows!r:.80}; need a list of files")
    return tuple(InputFile.of(row) for row in rows)


def simulated_in(facts: Mapping[str, str]) -> dict[str, str]:
    """Facts of a run about emulated devices."""
    return {name: facts[name] for name in facts.get(SIMULATED, "").split() if name in facts}


def code_name(names: tuple[str, ...], code: int) -> str:
    """Return the name of a code; one that has none is shown as its number."""
    return names[code] if 0 <= code < len(names) else str(code)

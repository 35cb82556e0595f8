"""The table of a campaign, `runs.csv`: a row for each run, read back as it was written.

Columns: `seed`; `set.KEY` for each compared key; `draw.KEY` for each drawn value; `outcome` and
`reason`; the measures of the station by their names; `recording_sha256`; `recording`, its path
below the campaign's folder if it was kept; `given`, the times that it was given to a worker. Rows
are in the order of seeds and variants, however the workers came to them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Final

from hil.campaign.job import Number, Result, RunOutcome
from hil.config.errors import ConfigError
from hil.config.files import read_regular, write_whole
from hil.config.visible_text import visible

SET: Final = "set."
DRAWN: Final = "draw."
FIRST: Final = ("outcome", "reason")
LAST: Final = ("recording_sha256", "recording", "given")
BYTES_MAX: Final = 1 << 30
"""Size of a table that is read at most [bytes]."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """Result of a run, as the table keeps it."""

    seed: int
    variant: tuple[str, ...]
    outcome: RunOutcome
    reason: str
    """Why it did not succeed, in a line; what cannot be seen is an escape."""
    sha256: str
    recording: str
    """Path below the campaign's folder; empty if it was not kept."""
    given: int
    drawn: Mapping[str, Number] = field(default_factory=dict)
    measures: Mapping[str, Number] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether the run did what its scenario asks."""
        return self.outcome is RunOutcome.SUCCEEDED

    @classmethod
    def of(cls, result: Result, folder: Path) -> RunRow:
        """Row of a result, in the campaign of a folder."""
        kept = ""
        if result.recording:
            kept = Path(result.recording).relative_to(folder.absolute()).as_posix()
        job = result.job
        return cls(
            job.seed, job.variant, result.outcome, visible(result.reason), result.sha256, kept,
            job.given, result.drawn, result.measures,
        )  # fmt: skip


class RunTable:
    """Rows of a campaign by seed and variant; the parent process alone writes them.

    Args:
        path: of the file.
        keys: keys that are compared.
        variants: their values, in order.
    """

    def __init__(
        self, path: Path, keys: tuple[str, ...], variants: tuple[tuple[str, ...], ...]
    ) -> None:
        self.path: Path = path
        self._keys = keys
        self._order = {variant: number for number, variant in enumerate(variants)}
        self._rows: dict[tuple[int, tuple[str, ...]], RunRow] = {}

    def __contains__(self, run: tuple[int, tuple[str, ...]]) -> bool:
        return run in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> list[RunRow]:
        """All rows in order."""
        return [self._rows[run] for run in sorted(self._rows, key=self._place)]

    def row(self, seed: int, variant: tuple[str, ...]) -> RunRow | None:
        """Row of a run; None if it is not there."""
        return self._rows.get((seed, variant))

    def put(self, row: RunRow) -> None:
        """Take a row, in place of one of the same run."""
        self._rows[row.seed, row.variant] = row

    def write(self) -> None:
        """Write the table; a reader finds the old one or the new one, whole.

        Raises:
            OSError: if it cannot be written; the old one stays.
        """
        write_whole(self.path, self._text().encode("utf-8", "replace"), sync=False)

    def read(self) -> None:
        """Read rows from the file, if it is there.

        Raises:
            ConfigError: if it is no table of this campaign.
        """
        if not self.path.exists():
            return
        try:
            text = read_regular(self.path, BYTES_MAX).decode()
            for number, values in enumerate(csv.DictReader(StringIO(text, newline=""))):
                self.put(self._row_of(values, number))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ConfigError(str(self.path), [f"cannot be read: {error}"]) from None

    def _place(self, run: tuple[int, tuple[str, ...]]) -> tuple[int, int]:
        return run[0], self._order.get(run[1], len(self._order))

    def _text(self) -> str:
        rows = self.rows
        drawn, measures = _names(one.drawn for one in rows), _names(one.measures for one in rows)
        columns = [
            "seed", *(f"{SET}{key}" for key in self._keys), *(f"{DRAWN}{key}" for key in drawn),
            *FIRST, *measures, *LAST,
        ]  # fmt: skip
        text = StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow(
                [
                    row.seed, *row.variant, *(row.drawn.get(key, "") for key in drawn),
                    row.outcome.value, row.reason, *(row.measures.get(key, "") for key in measures),
                    row.sha256, row.recording, row.given,
                ]
            )  # fmt: skip
        return text.getvalue()

    def _row_of(self, values: Mapping[str | None, str | None], number: int) -> RunRow:
        known = {key: value for key, value in values.items() if key is not None and value}
        fixed = {"seed", *FIRST, *LAST}
        try:
            variant = tuple(known[f"{SET}{key}"] for key in self._keys)
            drawn = {
                key.removeprefix(DRAWN): _number(value)
                for key, value in known.items()
                if key.startswith(DRAWN)
            }
            measures = {
                key: _number(value)
                for key, value in known.items()
                if key not in fixed and not key.startswith((SET, DRAWN))
            }
            return RunRow(
                int(known["seed"]), variant, RunOutcome(known["outcome"]), known.get("reason", ""),
                known.get("recording_sha256", ""), known.get("recording", ""),
                int(known["given"]), drawn, measures,
            )  # fmt: skip
        except (KeyError, ValueError) as error:
            line = f"row {number + 1} is none of this campaign: {error}"
            raise ConfigError(str(self.path), [line]) from None


def _names(tables: Iterable[Mapping[str, Number]]) -> list[str]:
    """Names of all tables, in the order in which they come first."""
    return list(dict.fromkeys(name for table in tables for name in table))


def _number(text: str) -> Number:
    try:
        return int(text)
    except ValueError:
        return float(text)

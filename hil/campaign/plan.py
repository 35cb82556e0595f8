"""A campaign as a value: scenario, seeds, changes and compared keys, and what identifies it.

Its digest covers every file that a run reads before it begins, and every change of the command
line. Runs are known by digest and seed: a folder whose digest is another one is of another
campaign. Seeds are no part of it: a campaign may go on with more of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from hil.campaign.execution import request_of, station_of
from hil.campaign.job import Job, Keep
from hil.config.errors import ConfigError
from hil.config.inputs import collected
from hil.config.toml_text import toml_value
from hil.draw.scenario_draw import check_read, drawn_request

IDENTITY_SEED: Final = 0
"""Seed by which the files of a campaign are read for its digest."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Runs of a scenario."""

    scenario: Path
    """File of the scenario."""
    seeds: tuple[int, ...]
    overrides: tuple[str, ...] = ()
    """Changes of the scenario in all runs, as `--set` has them."""
    compared: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Keys that are compared, each with its values."""
    keep: Keep = Keep.FAILURES

    @property
    def variants(self) -> tuple[tuple[str, ...], ...]:
        """Values of the compared keys in each variant; one without values if none is compared."""
        return tuple(product(*(values for _, values in self.compared)))

    @property
    def keys(self) -> tuple[str, ...]:
        """Compared keys."""
        return tuple(key for key, _ in self.compared)

    def job(self, seed: int, variant: tuple[str, ...], folder: Path, number: int = 0) -> Job:
        """Run of a seed in a variant, in a folder of its own below that of the campaign."""
        changes = tuple(f"{key}={value}" for key, value in zip(self.keys, variant, strict=True))
        place = folder / "runs" / "-".join([*map(_plain, variant), str(seed)])
        return Job(
            number, str(self.scenario), seed, (*self.overrides, *changes), variant,
            str(place.absolute()), self.keep,
        )  # fmt: skip

    def jobs(self, folder: Path) -> Iterator[Job]:
        """All runs: the variants of one seed after the other."""
        for number, (seed, variant) in enumerate(product(self.seeds, self.variants)):
            yield self.job(seed, variant, folder, number)

    def digest(self) -> str:
        """Digest of all that a run reads before it begins; every variant is planned for it.

        Raises:
            ConfigError, RefusedError: if a run cannot be planned.
        """
        rows = [self._inputs(variant) for variant in self.variants]
        changes = [*self.overrides, *(f"{key}={values}" for key, values in self.compared)]
        text = json.dumps([rows, changes], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _inputs(self, variant: tuple[str, ...]) -> list[tuple[str, str]]:
        job = self.job(IDENTITY_SEED, variant, Path())
        station = station_of(self.scenario)
        with (
            collected() as inputs,
            drawn_request(station, request_of(job, station)) as (request, drawn),
        ):
            station.plan(request)
            if drawn is not None:
                check_read(drawn, str(self.scenario))
            return [(one.kind, one.sha256) for one in inputs.rows(())]

    def to_table(self) -> dict[str, Any]:
        """Return it as JSON has it, without its seeds."""
        return {
            "scenario": str(self.scenario.absolute()),
            "overrides": list(self.overrides),
            "compared": [[key, list(values)] for key, values in self.compared],
            "keep": str(self.keep),
        }

    @classmethod
    def of_table(cls, table: dict[str, Any], seeds: tuple[int, ...]) -> Campaign:
        """Read back what `to_table` wrote; `KeyError`, `TypeError` or `ValueError` if it is not."""
        compared = tuple((str(key), tuple(map(str, values))) for key, values in table["compared"])
        overrides = tuple(map(str, table["overrides"]))
        return cls(Path(table["scenario"]), seeds, overrides, compared, Keep(table["keep"]))


def _plain(text: str) -> str:
    """Part of a folder's name for a value."""
    return "".join(one if one.isalnum() or one in "._" else "_" for one in text)[:60]


def read_compared(texts: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Keys to be compared, and their values, of texts `key=value,value`.

    Raises:
        ConfigError: if one is of another form, names one value only, or a value or key twice.
    """
    found = dict[str, tuple[str, ...]]()
    for text in texts:
        key, equals, rest = text.partition("=")
        values = tuple(value.strip() for value in rest.split(","))
        if not equals or not key.strip() or not all(values):
            problem = f"{text!r:.80}: write it as key=value,value"
        elif len(values) < 2 or len({*map(_plain, values)}) < len(values):
            problem = f"{text!r:.80}: two different values at least are compared"
        elif key.strip() in found:
            problem = f"{text!r:.80}: {key.strip()} is compared already"
        else:
            found[key.strip()] = values
            continue
        raise ConfigError("--compare", [problem])
    return tuple(found.items())


def diagram_change(scenario: Path, diagram: Path) -> str:
    """Change of a scenario that puts another diagram in the place of its own.

    Raises:
        ConfigError: if the scenario has none.
    """
    from hil.config.settings import read_toml

    if not diagram.is_file():
        raise ConfigError("--diagram", [f"{diagram}: there is no such file"])
    table = read_toml(scenario)
    named = [one.place for one in station_of(scenario).scenarios.names if one.folder == "diagrams"]
    for place in (*named, ("diagram", "file")):
        node: Any = table
        for key in place:
            node = node.get(key) if isinstance(node, dict) else None
        if isinstance(node, str):
            return f"{'.'.join(place)}={toml_value(str(diagram.absolute()))}"
    words = "names no diagram, whose place another one could take"
    raise ConfigError(str(scenario), [f"--diagram {diagram}: the scenario {words}"])

"""One run of a campaign: what a worker is given, and what it gives back.

Both are plain values with a line of JSON each, which is all that passes between processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

import orjson

Number = int | float


class RunOutcome(StrEnum):
    """How a run of a campaign ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """It ran, and did not do what its scenario asks."""
    REFUSED = "refused"
    """Nothing moved: what was drawn cannot be run."""
    FAULT = "fault"
    """An error of the program itself."""
    WORKER = "worker"
    """Its worker ended each time."""


class Keep(StrEnum):
    """Runs whose recording is kept."""

    FAILURES = "failures"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Job:
    """A run to be made."""

    number: int
    """Number within its campaign."""
    scenario: str
    """Path of the scenario's file."""
    seed: int
    overrides: tuple[str, ...]
    """Changes of the scenario, as `--set` has them; those of its variant come last."""
    variant: tuple[str, ...]
    """Values of the compared keys."""
    folder: str
    """Folder of the run; the run makes one of its own in it."""
    keep: Keep = Keep.FAILURES
    given: int = 1
    """Times that it was given to a worker, this one included."""

    def to_json(self) -> bytes:
        """Return it as a line of JSON."""
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: bytes | str) -> Self:
        """Read back what `to_json` wrote."""
        raw = orjson.loads(line)
        raw |= {name: tuple(raw[name]) for name in ("overrides", "variant")}
        return cls(**raw | {"keep": Keep(raw["keep"])})


@dataclass(frozen=True, slots=True)
class Result:
    """A run that is over."""

    job: Job
    outcome: RunOutcome
    reason: str = ""
    """Why it did not succeed, in a line; empty if it did."""
    drawn: Mapping[str, Number] = field(default_factory=dict)
    """Values that its seed has drawn."""
    measures: Mapping[str, Number] = field(default_factory=dict)
    """Numbers of its result."""
    sha256: str = ""
    """Digest of its recording; empty if there is none."""
    recording: str = ""
    """Path of its recording; empty if it was not kept."""
    unrecorded: str = ""
    """Why it could not be recorded whole; empty if it was. The campaign ends then."""
    recording_bytes: int = 0
    """Size of the recording, kept or not."""

    def to_json(self) -> bytes:
        """Return it as a line of JSON; a number that is not finite becomes null."""
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: bytes | str) -> Self:
        """Read back what `to_json` wrote; numbers that are not finite are left out."""
        raw = orjson.loads(line)
        job = Job.from_json(orjson.dumps(raw["job"]))
        measures = {name: one for name, one in raw["measures"].items() if one is not None}
        return cls(
            **raw | {"job": job, "outcome": RunOutcome(raw["outcome"]), "measures": measures}
        )  # fmt: skip


def died(job: Job, words: str) -> Result:
    """Result of a run whose worker ended each time."""
    times = f"its worker ended {job.given} times"
    return Result(job, RunOutcome.WORKER, f"{times}: {words}" if words else times)


def outcome_of(values: Mapping[str, Any]) -> RunOutcome:
    """Outcome of a run from what `hil run --json` prints of it."""
    return RunOutcome.SUCCEEDED if values.get("succeeded", values["ok"]) else RunOutcome.FAILED


def reason_of(values: Mapping[str, Any]) -> str:
    """Reason why a run did not succeed, in a line."""
    for name in ("reason", "cause", "outcome"):
        if isinstance(text := values.get(name), str) and text:
            return text.replace("\n", "; ")
    return "its station gives no reason"


def measures_of(values: Mapping[str, Any]) -> dict[str, Number]:
    """Numbers at the top of what `hil run --json` prints, without those of the recording."""
    return {
        name: value
        for name, value in values.items()
        if type(value) in (int, float)
        and not name.startswith("recording_")
        and name not in NO_MEASURES
    }


NO_MEASURES = frozenset({"format", "drawn_seed", "seed"})
"""Numbers of a result that measure nothing."""

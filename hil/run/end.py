"""How a run ended: the one value that exit status, console, `--json` and recording are made of.

`Opening.conclude` makes it, `Opening.end` completes it with how the recording ended; a run that was
recorded and not concluded has no end. What a station alone knows, its outcome, why, and what else
was lost, it says there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from hil.recording.recorder import RecorderResult


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a run ended."""

    outcome: str
    """One word or two, such as `completed`."""
    well: bool
    """Whether the run itself went well: completed, or stopped as a person asked."""
    reason: str
    """Why it did not complete; empty if it did."""
    failures: tuple[str, ...]
    """What was lost beside rows of the recording, a sentence each: it is not ok then."""
    recorder: RecorderResult
    """How its recording ended."""
    warnings: tuple[str, ...] = ()
    """What a person should know of a run that may be well, a sentence each."""

    @property
    def ok(self) -> bool:
        """Well, and nothing was lost."""
        return self.well and not self.losses

    @property
    def losses(self) -> tuple[str, ...]:
        """What was lost, that of the recording first."""
        failure = self.recorder.failure
        return (failure, *self.failures) if failure else self.failures

    @property
    def cause(self) -> str:
        """Why it is not ok, in a line; empty if it is."""
        own = (self.reason or self.outcome,) if not self.well else ()
        return "; ".join((*own, *self.losses)).replace("\n", "; ")


class ConclusionSummary(TypedDict):
    """What `--json` prints of the end of any recorded run."""

    ok: bool
    """Completed, or stopped by a person; and nothing was lost, rows of the recording neither."""
    cause: str
    """Why it is not ok, in a line; empty if it is."""
    warnings: list[str]
    """What a person should know of it all the same."""
    recording: str
    """Its file."""
    recording_sha256: str | None
    """Digest of all messages; null if some were lost, or lie in several files."""
    recording_status: str
    """`DONE`, or how the recorder ended."""
    recording_failure: str
    """Why it is not whole; empty if it is."""
    recording_parts: int
    """Files that hold it."""
    recording_dropped: int
    """Entries that did not reach the file."""


def summarize_conclusion(end: Conclusion) -> ConclusionSummary:
    """The end of a run for a program."""
    recorder = end.recorder
    return ConclusionSummary(
        ok=end.ok,
        cause=end.cause,
        warnings=list(end.warnings),
        recording=str(recorder.path),
        recording_sha256=recorder.sha256,
        recording_status=recorder.status.name,
        recording_failure=recorder.failure,
        recording_parts=recorder.parts,
        recording_dropped=recorder.dropped + recorder.lost,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A run that is over, for whoever shows it."""

    end: Conclusion
    values: Mapping[str, Any]
    """What the station tells a program beside `ConclusionSummary`."""
    show: Callable[[], None]
    """Shows people the figures of the station."""
    until_shown: ExitStack = field(default_factory=ExitStack)
    """Left once the run was shown; until then a signal does not take its result away."""

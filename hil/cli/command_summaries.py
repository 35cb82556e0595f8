"""What the verbs of the program print with ``--json``: one object each, their keys and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from hil.recording.reader import Loss
    from hil.timing.doctor import Finding


class RecordedSummary(TypedDict):
    """What is left of a recording."""

    ok: bool
    """Nothing is damaged or lost."""
    failure: str
    """Why rows are missing, as the recording's own end says; empty if it says nothing of that."""
    dropped: int
    """Entries that are missing, as it says."""
    losses: list[Loss]
    """What is missing or damaged, and where."""
    cut_off: bool
    """The file has no end."""
    parts: list[str]
    """Files that hold the recording."""


class ReportSummary(RecordedSummary):
    """A page of a run."""

    report: str
    """Its file."""


class ExportSummary(RecordedSummary):
    """A recording as a table."""

    csv: str
    """Its file; events lie beside."""
    rows: int
    """Of cycles or waypoints."""


class StationSummary(TypedDict):
    """A station as some package offers it."""

    name: str
    """Value of `station` in its scenarios."""
    distribution: str
    """Name and version of the package."""
    files: list[str]
    """Kinds of its files."""
    broken: str
    """Why it cannot be used; empty if it can."""


class PartSummary(TypedDict):
    """Verbs, motions, banks of drives as some package offers them."""

    group: str
    """Of its entry point."""
    name: str
    """Of its entry point."""
    distribution: str
    """Name and version of the package."""
    broken: str
    """Why it cannot be used; empty if it can."""


class StationsSummary(TypedDict):
    """What is installed."""

    ok: bool
    """Nothing is broken."""
    stations: list[StationSummary]
    """By name."""
    parts: list[PartSummary]
    """By group and name."""


class ShippedFileSummary(TypedDict):
    """A file that comes along."""

    kind: str
    """What `hil list` calls its kind."""
    name: str
    """As the verbs take it."""
    station: str
    """That runs it, of a scenario; else empty."""
    words: str
    """What it is."""


class ShippedFilesSummary(TypedDict):
    """What comes along."""

    ok: bool
    """True."""
    files: list[ShippedFileSummary]
    """By kind and name."""


class DoctorSummary(TypedDict):
    """What this machine can do."""

    ok: bool
    """Nothing is bad."""
    findings: list[Finding]
    """What was looked at."""


class BenchSummary(TypedDict):
    """A bench that runs."""

    name: str
    """Of its run."""
    pid: int
    """Of its process."""
    path: str
    """Of its desk's socket."""


class PanelSummary(TypedDict):
    """What a panel would open."""

    ok: bool
    """True."""
    opens: str
    """A bench, a recording, a scenario or the list of them."""
    path: str | None
    """Of that file; null if there is none."""
    station: str | None
    """Whose it is; null if that is not known."""
    benches: list[BenchSummary]
    """That run now."""


class WarmSummary(TypedDict):
    """Kernels are compiled."""

    ok: bool
    """True."""


class TogetherCheckSummary(TypedDict):
    """Proof of several stations' motions."""

    ok: bool
    """All are proved."""
    parts: dict[str, Any]
    """By the part's name: what `hil check` says of it, or of its refusal."""


class TogetherRunSummary(TypedDict):
    """How the runs of several stations went."""

    ok: bool
    """All went well."""
    parts: dict[str, Any]
    """By the part's name: what `hil run` says of it, and why it was asked to stop."""

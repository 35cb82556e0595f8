"""Output of the program's verbs with ``--json``: one object each, their keys and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from hil.recording.reader import Loss
    from hil.timing.doctor import Finding


class RecordedSummary(TypedDict):
    """Remains of a recording."""

    ok: bool
    """Nothing is damaged or lost."""
    failure: str
    """Reason why rows are missing, by the recording's own end; empty if it says nothing of that."""
    dropped: int
    """Entries that are missing, as it says."""
    losses: list[Loss]
    """Missing or damaged parts, and their places."""
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
    """Number of cycles or waypoints."""


class StationSummary(TypedDict):
    """A station as some package offers it."""

    name: str
    """Value of `station` in its scenarios."""
    distribution: str
    """Name and version of the package."""
    files: list[str]
    """Kinds of its files."""
    broken: str
    """Reason why it cannot be used; empty if it can."""


class PartSummary(TypedDict):
    """Verbs, motions, banks of drives as some package offers them."""

    group: str
    """Group of its entry point."""
    name: str
    """Name of its entry point."""
    distribution: str
    """Name and version of the package."""
    broken: str
    """Reason why it cannot be used; empty if it can."""


class StationsSummary(TypedDict):
    """Installed stations and parts."""

    ok: bool
    """Nothing is broken."""
    stations: list[StationSummary]
    """Stations by name."""
    parts: list[PartSummary]
    """Parts by group and name."""


class ShippedFileSummary(TypedDict):
    """A file that comes along."""

    kind: str
    """Name of its kind in `hil list`."""
    name: str
    """Name as the verbs take it."""
    station: str
    """Station that runs it, for a scenario; else empty."""
    words: str
    """Description of the file."""


class ShippedFilesSummary(TypedDict):
    """Shipped files."""

    ok: bool
    """True."""
    files: list[ShippedFileSummary]
    """Files by kind and name."""


class DoctorSummary(TypedDict):
    """Abilities of this machine."""

    ok: bool
    """Nothing is bad."""
    findings: list[Finding]
    """Items that were checked."""


class BenchSummary(TypedDict):
    """A bench that runs."""

    name: str
    """Name of its run."""
    pid: int
    """Number of its process."""
    path: str
    """Path of its desk's socket."""


class PanelSummary(TypedDict):
    """View that a panel would open."""

    ok: bool
    """True."""
    opens: str
    """A bench, a recording, a scenario or the list of them."""
    path: str | None
    """Path of that file; null if there is none."""
    station: str | None
    """Station that it belongs to; null if that is not known."""
    benches: list[BenchSummary]
    """Benches that run now."""


class WarmSummary(TypedDict):
    """Kernels are compiled."""

    ok: bool
    """True."""


class TogetherCheckSummary(TypedDict):
    """Proof of several stations' motions."""

    ok: bool
    """All are proved."""
    parts: dict[str, Any]
    """Report of `hil check` on each part, by the part's name, or its refusal."""


class TogetherRunSummary(TypedDict):
    """Results of the runs of several stations."""

    ok: bool
    """All went well."""
    parts: dict[str, Any]
    """Result of `hil run` for each part, by the part's name, and why it was asked to stop."""

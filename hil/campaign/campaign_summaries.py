"""Output of `hil campaign` with ``--json``: one object each, their keys and meaning."""

from __future__ import annotations

from typing import TypedDict


class RateSummary(TypedDict):
    """Rate of success of runs."""

    runs: int
    """Runs that have a row."""
    succeeded: int
    """Those that did what their scenario asks."""
    rate: float | None
    """Part of them; null without runs."""
    low: float
    """Lower bound of the 95 % interval of the rate (Wilson)."""
    high: float
    """Upper bound of it."""


class VariantSummary(RateSummary):
    """Runs of one value of each compared key."""

    variant: dict[str, str]
    """Compared keys and their values; empty if none is compared."""
    reasons: dict[str, int]
    """Reasons of failures, numbers in them as #, and how often each came."""
    medians: dict[str, float]
    """Medians of the measures that its page shows, over the runs that succeeded."""


class CampaignSummary(RateSummary):
    """A campaign."""

    ok: bool
    """Every run has a row, whether it succeeded or not."""
    folder: str
    """Folder of the campaign, for `--resume`."""
    table: str
    """Its table of runs."""
    page: str
    """Its page."""
    reasons: dict[str, int]
    """Reasons of failures, numbers in them as #, and how often each came."""
    variants: list[VariantSummary]
    """Compared variants; one without keys if none are compared."""


class ReplaySummary(TypedDict):
    """One run made again."""

    variant: dict[str, str]
    """Compared keys and their values; empty if none is compared."""
    seed: int
    """Its seed."""
    outcome: str
    """How it ended: `succeeded`, `failed`, `refused`, `fault`."""
    reason: str
    """Reason why it did not succeed; empty if it did."""
    recording: str
    """Its recording, which is kept."""
    recording_sha256: str
    """Digest of that recording."""
    wanted_sha256: str
    """Digest that the table has."""
    same: bool
    """The two are equal."""


class ReplaysSummary(TypedDict):
    """A seed of a campaign made again."""

    ok: bool
    """Every run is the same as before."""
    replays: list[ReplaySummary]
    """One for each variant."""

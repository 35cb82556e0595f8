"""What ``hil fmu …`` prints with ``--json``: one object each, its keys and their meaning."""

from __future__ import annotations

from typing import TypedDict


class FmuVariableSummary(TypedDict):
    """One variable of a model."""

    name: str
    """As the model names it."""
    type: str
    """As FMI names it: Real, Float64, Integer, …"""
    causality: str
    """parameter, input, output, local, independent, …"""
    variability: str
    """constant, fixed, tunable, discrete or continuous."""
    unit: str
    """As the model says; empty if it does not."""
    start: str
    """Its start value as text; empty if there is none."""
    description: str
    """As the model says."""


class FmuInfoSummary(TypedDict):
    """What an FMU says of itself; nothing of it was run."""

    ok: bool
    """It was read."""
    path: str
    """The file."""
    sha256: str
    """Digest of the file, as `[source] sha256` takes it."""
    fmi: str
    """Version of the standard."""
    name: str
    """Of the model."""
    tool: str
    """That made it."""
    interfaces: list[str]
    """Of: co-simulation, model exchange, scheduled execution."""
    platforms: list[str]
    """Folders of its binaries."""
    step_s: float | None
    """Step of its default experiment [s]."""
    fixed_step_s: float | None
    """Internal step of which a communication step must be a multiple [s]; null if any is taken."""
    runnable: bool
    """Whether the bench could run it."""
    why_not: str
    """Why it could not; empty if it could."""
    losses: list[str]
    """What is wrong in its description and does not matter: units that it does not define."""
    variables: list[FmuVariableSummary]
    """All of them, in the order of the file."""


class FmuCheckSummary(TypedDict):
    """A trial of an FMU in its process."""

    ok: bool
    """All steps were done, all outputs were finite, and its steps were in time."""
    path: str
    """The file."""
    loaded: bool
    """Whether its code was loaded; without `--trust` only the description is judged."""
    steps: int
    """That were done."""
    period_s: float
    """Of the loop that it was tried for [s]."""
    step_median_s: float | None
    """Time that the model itself took for a period, median [s]; null if it was not loaded."""
    step_p99_s: float | None
    """99th percentile of that [s]."""
    step_max_s: float | None
    """Longest of them [s]."""
    failed: str
    """What it failed by; empty if it did not."""


class FmuRunSummary(TypedDict):
    """A run of an FMU alone."""

    ok: bool
    """It went to its end."""
    steps: int
    """That were done."""
    written: str
    """The file with its outputs; empty if none was asked for."""
    last: dict[str, float]
    """Outputs after the last step, by variable."""
    failed: str
    """What it failed by; empty if it did not."""


class FmuExportSummary(TypedDict):
    """An FMU that was made of a rig."""

    ok: bool
    """It was made, and says what the kernels say."""
    path: str
    """The file."""
    sha256: str
    """Its digest."""
    fmi: str
    """Version of the standard."""
    variables: int
    """How many it has."""
    judged_steps: int
    """Steps in which it was run against the kernels."""
    largest_difference: float
    """From them, relative to the largest value of an output, or to 1."""

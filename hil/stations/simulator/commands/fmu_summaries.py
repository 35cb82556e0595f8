"""JSON objects of ``hil fmu …`` with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import TypedDict


class FmuVariableSummary(TypedDict):
    """One variable of a model."""

    name: str
    """Name of the variable in the model."""
    type: str
    """Type by its FMI name: Real, Float64, Integer, …"""
    causality: str
    """parameter, input, output, local, independent, …"""
    variability: str
    """constant, fixed, tunable, discrete or continuous."""
    unit: str
    """Unit given by the model; empty if it gives none."""
    start: str
    """Start value as text; empty if there is none."""
    description: str
    """Description given by the model."""


class FmuInfoSummary(TypedDict):
    """Description of an FMU; nothing of it was run."""

    ok: bool
    """True: the description was read."""
    path: str
    """The file."""
    sha256: str
    """Digest of the file, as `[source] sha256` takes it."""
    fmi: str
    """Version of the standard."""
    name: str
    """Name of the model."""
    tool: str
    """Tool that made the FMU."""
    interfaces: list[str]
    """Interfaces among co-simulation, model exchange, scheduled execution."""
    platforms: list[str]
    """Folders of its binaries."""
    step_s: float | None
    """Step of its default experiment [s]."""
    fixed_step_s: float | None
    """Internal step of which a communication step must be a multiple [s]; null if any is taken."""
    runnable: bool
    """Whether the bench could run it."""
    why_not: str
    """Reason why it could not; empty if it could."""
    losses: list[str]
    """Flaws of its description that do not matter: units that it does not define."""
    variables: list[FmuVariableSummary]
    """Variables, in the order of the file."""


class FmuCheckSummary(TypedDict):
    """A trial of an FMU in its process."""

    ok: bool
    """All steps were done, all outputs were finite, and its steps were in time."""
    path: str
    """The file."""
    loaded: bool
    """Whether its code was loaded; without `--trust` only the description is judged."""
    steps: int
    """Number of steps that were done."""
    period_s: float
    """Cycle time of the loop that it was tried for [s]."""
    step_median_s: float | None
    """Time that the model itself took for a period, median [s]; null if it was not loaded."""
    step_p99_s: float | None
    """99th percentile of that [s]."""
    step_max_s: float | None
    """Longest of them [s]."""
    failed: str
    """Error that ended the trial; empty if none did."""


class FmuRunSummary(TypedDict):
    """A run of an FMU alone."""

    ok: bool
    """True if it ran to its end."""
    steps: int
    """Number of steps that were done."""
    written: str
    """The file with its outputs; empty if none was asked for."""
    last: dict[str, float]
    """Outputs after the last step, by variable."""
    failed: str
    """Error that ended the run; empty if none did."""


class FmuExportSummary(TypedDict):
    """An FMU that was made of a rig."""

    ok: bool
    """True if it was made, and its outputs are those of the kernels."""
    path: str
    """The file."""
    sha256: str
    """Digest of the file."""
    fmi: str
    """Version of the standard."""
    variables: int
    """Number of variables."""
    judged_steps: int
    """Steps in which it was run against the kernels."""
    largest_difference: float
    """Largest difference from the kernels, relative to the largest value of an output, or to 1."""

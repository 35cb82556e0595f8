"""JSON objects of ``hil diagram diff`` and ``linear`` with ``--json``."""

from __future__ import annotations

from typing import TypedDict


class ChangeSummary(TypedDict):
    """A difference of two diagrams."""

    place: str
    """Sub-diagram where it is; empty at the top."""
    what: str
    """block, wire, parameter, sub, base_s, seed, place or note."""
    name: str
    """Name of the block, parameter or sub-diagram; `block.port` of a wire's end."""
    key: str
    """Attribute of the block or parameter that differs; empty for all of it."""
    before: str | None
    """Value before; null if it was not there."""
    after: str | None
    """Value after; null if it is no longer there."""
    law: bool
    """Whether the law changes by it."""
    renamed: bool
    """Whether before and after are names of the same thing."""


class DiagramDiffSummary(TypedDict):
    """Two diagrams beside each other."""

    ok: bool
    """True if they have the same law."""
    before: str
    """The first file."""
    after: str
    """The second file."""
    changes: list[ChangeSummary]
    """All differences, also those beside the law."""


class PoleSummary(TypedDict):
    """A pole of a discrete linear system."""

    re: float
    """Real part."""
    im: float
    """Imaginary part."""
    magnitude: float
    """Magnitude of the pole; it decays below 1."""
    hz: float | None
    """Natural frequency [Hz]; null for a pole at 0 or at 1."""
    damping: float | None
    """Part of the critical one; null likewise."""


class MarginSummary(TypedDict):
    """A margin of a loop."""

    value: float
    """dB, or degrees; below 0 beyond the end."""
    hz: float
    """Frequency at which the loop comes nearest to its end [Hz]."""


class LinearSummary(TypedDict):
    """A diagram about a running point, as a discrete linear system."""

    ok: bool
    """True: the diagram has a linear system."""
    path: str
    """The file."""
    time_s: float
    """Time of the running point [s]."""
    period_s: float
    """Time from one k to the next [s]; that of all rates together."""
    states: list[str]
    """Path of the block and number of its state, in the order of A."""
    A: list[list[float]]
    """x[k+1] = A x[k] + B u[k], in deviations from the point."""
    B: list[list[float]]
    """Input matrix of the equation above."""
    C: list[list[float]]
    """Output matrix of y[k] = C x[k] + D u[k]."""
    D: list[list[float]]
    """Feed-through matrix of the equation above."""
    poles: list[PoleSummary]
    """Poles of A, the largest first; of the cut loop with `--loop`."""
    stable: bool
    """Whether all of these poles decay."""
    closed_poles: list[PoleSummary] | None
    """Poles of the closed loop, with `--loop`; else null."""
    closed_stable: bool | None
    """Whether all poles of the closed loop decay, with `--loop`; else null."""
    gain_margin_db: MarginSummary | None
    """Gain that may be added, with `--loop`; null if the phase never comes to 180 degrees."""
    phase_margin_deg: MarginSummary | None
    """Lag that may be added, with `--loop`; null if the gain never comes to 1."""
    notes: list[str]
    """Blocks that are not smooth at the point, and modes that were left out."""
    written: str
    """File of the picture; empty if none was asked for."""

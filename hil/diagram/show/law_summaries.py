"""What ``hil diagram diff`` and ``linear`` print with ``--json``."""

from __future__ import annotations

from typing import TypedDict


class ChangeSummary(TypedDict):
    """A difference of two diagrams."""

    place: str
    """Sub-diagram where it is; empty at the top."""
    what: str
    """block, wire, parameter, sub, base_s, seed, place or note."""
    name: str
    """Of the block, parameter or sub-diagram; `block.port` of a wire's end."""
    key: str
    """What of a block or a parameter differs; empty for all of it."""
    before: str | None
    """null if it was not there."""
    after: str | None
    """null if it is no longer there."""
    law: bool
    """The law changes by it."""
    renamed: bool
    """before and after are names of the same thing."""


class DiagramDiffSummary(TypedDict):
    """Two diagrams beside each other."""

    ok: bool
    """They have the same law."""
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
    """It decays below 1."""
    hz: float | None
    """Natural frequency [Hz]; null for a pole at 0 or at 1."""
    damping: float | None
    """Part of the critical one; null likewise."""


class MarginSummary(TypedDict):
    """A margin of a loop."""

    value: float
    """dB, or degrees; below 0 beyond the end."""
    hz: float
    """Where the loop comes nearest to its end [Hz]."""


class LinearSummary(TypedDict):
    """A diagram about a running point, as a discrete linear system."""

    ok: bool
    """It has one."""
    path: str
    """The file."""
    time_s: float
    """Of the running point [s]."""
    period_s: float
    """From one k to the next; that of all rates together [s]."""
    states: list[str]
    """Path of the block and number of its state, in the order of A."""
    A: list[list[float]]
    """x[k+1] = A x[k] + B u[k], in deviations from the point."""
    B: list[list[float]]
    """Likewise."""
    C: list[list[float]]
    """y[k] = C x[k] + D u[k]."""
    D: list[list[float]]
    """Likewise; the feed-through."""
    poles: list[PoleSummary]
    """Of A, the largest first; of the cut loop with `--loop`."""
    stable: bool
    """All of them decay."""
    closed_poles: list[PoleSummary] | None
    """With `--loop`: those of the closed loop; else null."""
    closed_stable: bool | None
    """With `--loop`: all of those decay; else null."""
    gain_margin_db: MarginSummary | None
    """With `--loop`: the gain that may be added; null if the phase never comes to 180 degrees."""
    phase_margin_deg: MarginSummary | None
    """With `--loop`: the lag that may be added; null if the gain never comes to 1."""
    notes: list[str]
    """What is not smooth at the point, and what was left out."""
    written: str
    """File of the picture; empty if none was asked for."""

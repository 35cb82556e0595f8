"""What runs of the world print with ``--json``, and what compares them."""

from __future__ import annotations

from typing import TypedDict

from hil.run.end import ConclusionSummary


class WorldErrorsSummary(TypedDict):
    """How far a robot was from where it should be."""

    joint_error_final_deg: float
    """Of the hinge that is furthest at the end [deg]."""
    joint_error_max_deg: float
    """Likewise while the motion runs [deg]."""
    way_error_final_mm: float
    """Of the slide that is furthest at the end [mm]."""
    way_error_max_mm: float
    """Likewise while the motion runs [mm]."""
    line_deviation_max_mm: float | None
    """Of the tool from its line [mm]; null if it follows none."""


class WorldCheckSummary(WorldErrorsSummary):
    """Proof of a motion in the virtual environment."""

    ok: bool
    """The motion comes to its end and nothing is objected to."""
    robot: str
    """Its name."""
    duration_s: float
    """Of the motion [s]."""
    reason: str
    """The first limit or contact, with its time and axis or pair; empty if there is none."""
    contacts: int
    """That began: pairs of bodies, one a robot's or borne by one; a pair that has been apart for
    0.1 s touches anew, and one that touches where the run begins, or may, is not counted."""
    violations: list[str]
    """All that the gate objected to, and all contacts that began."""
    losses: list[str]
    """What of its robots' documents does not act, a line each."""


class SignalDiffersSummary(TypedDict):
    """A signal that is not the same in two recordings."""

    name: str
    """Of it."""
    row: int
    """The first that differs."""


class RerunSummary(TypedDict):
    """A recorded run done once more."""

    ok: bool
    """All rows are the same, bit by bit."""
    path: str
    """The first recording."""
    recording: str
    """The second one."""
    rows: list[int]
    """Of the first and the second."""
    differs: list[SignalDiffersSummary]
    """Signals that are not the same in the rows that both have."""


class WorldRunSummary(WorldErrorsSummary, ConclusionSummary):
    """How a run in the virtual environment went."""

    station: str
    """`world`."""
    robot: str
    """Its name."""
    ended: str
    """`completed`, `stopped` by the operator, `refused` by the gate, `failed` by the law that
    moved it or the operator's desk, or `diverged`."""
    reason: str
    """Why it was not completed; empty if it was."""
    plain_pid: WorldErrorsSummary | None
    """The same motion by the law `pid` alone, in a copy of the world; null if somebody leads it, or
    a diagram moves a robot that has no motion to follow."""
    contacts: int
    """That began, counted as by `hil check`."""
    edits: int
    """Changed documents that were taken while it ran."""
    edits_refused: int
    """Changed documents that could not be taken; the run went on without them."""
    changes: int
    """Changes of its diagram that it took."""
    changes_refused: int
    """Changes of it that it refused."""
    edit_pause_max_ms: float
    """Longest that one held up the loop [ms]; 0 on the virtual clock."""
    loop_gap_max_um: float
    """Greatest gap of the loops [um]."""
    steps: int
    """Of the engine."""
    step_us: float
    """Mean time of a step with gate, law and row [us]."""
    real_time_factor: float
    """Simulated time per time that passed."""
    overruns: int
    """Deadlines given up, in real time."""
    report: str | None
    """The page, if one was asked for."""
    video: str | None
    """The film, if one was asked for and could be drawn."""
    video_failure: str
    """Why it could not; empty if it could, or was not asked for."""
    losses: list[str]
    """What of its robots' documents does not act, a line each."""

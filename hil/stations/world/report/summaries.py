"""Output of runs of the world, and of their comparison, with ``--json``."""

from __future__ import annotations

from typing import TypedDict

from hil.run.end import ConclusionSummary


class WorldErrorsSummary(TypedDict):
    """Errors of a robot's motion."""

    joint_error_final_deg: float
    """Error of the hinge that is furthest at the end [deg]."""
    joint_error_max_deg: float
    """Largest error of a hinge while the motion runs [deg]."""
    way_error_final_mm: float
    """Error of the slide that is furthest at the end [mm]."""
    way_error_max_mm: float
    """Largest error of a slide while the motion runs [mm]."""
    line_deviation_max_mm: float | None
    """Distance of the tool from its line, at most [mm]; null if it follows none."""


class WorldCheckSummary(WorldErrorsSummary):
    """Proof of a motion in the virtual environment."""

    ok: bool
    """The motion reaches its end without an objection."""
    robot: str
    """Name of the robot."""
    duration_s: float
    """Duration of the motion [s]."""
    reason: str
    """First limit or contact, with its time and axis or pair; empty if there is none."""
    contacts: int
    """Number of contacts: pairs of bodies, one a robot's or borne by one; a pair apart for 0.1 s
    touches anew, and one that touches where the run begins, or may, is not counted."""
    violations: list[str]
    """All objections of the gate, and all contacts that began."""
    losses: list[str]
    """Contents of its robots' documents that have no effect, a line each."""


class SignalDiffersSummary(TypedDict):
    """Signal that is not the same in two recordings."""

    name: str
    """Name of the signal."""
    row: int
    """Number of the first row that differs."""


class RerunSummary(TypedDict):
    """Rerun of a recording."""

    ok: bool
    """All rows are the same, bit by bit."""
    path: str
    """Path of the first recording."""
    recording: str
    """Path of the second recording."""
    rows: list[int]
    """Number of rows of the first and the second."""
    differs: list[SignalDiffersSummary]
    """Signals that are not the same in the rows that both have."""


class GoalSummary(TypedDict):
    """Judgement of one part of a scenario's goal."""

    name: str
    """Description of the part."""
    met: bool
    """Whether it is true."""
    value: float | None
    """Value furthest from what it should be, in `unit`; null if there is none."""
    wanted: str
    """Limit in words, with its unit."""
    unit: str
    """Unit of the value."""
    at_s: float | None
    """Time of that value [s]; null if it has none."""
    miss: str
    """Word of the scenario for a part that is not met, such as `jammed`."""


class WorldRunSummary(WorldErrorsSummary, ConclusionSummary):
    """Run in the virtual environment."""

    station: str
    """Station, `world`."""
    robot: str
    """Name of the robot."""
    ended: str
    """Outcome: `completed`, `stopped` by the operator, `refused` by the gate, `failed` by the law
    that moved it or the operator's desk, or `diverged`."""
    reason: str
    """Reason why it was not completed; empty if it was."""
    goal: list[GoalSummary] | None
    """Parts of the scenario's goal; null without one, or if the run did not reach its end."""
    plain_pid: WorldErrorsSummary | None
    """Errors of the same motion by the law `pid` alone, in a copy of the world; null if an operator
    leads it, or a diagram moves a robot that has no motion to follow."""
    contacts: int
    """Number of contacts, counted as by `hil check`."""
    edits: int
    """Number of changed documents that were taken while it ran."""
    edits_refused: int
    """Number of changed documents that could not be taken; the run continued without them."""
    changes: int
    """Number of changes of its diagram that it took."""
    changes_refused: int
    """Number of changes of its diagram that it refused."""
    edit_pause_max_ms: float
    """Longest pause of the loop by an edit [ms]; 0 on the virtual clock."""
    loop_gap_max_um: float
    """Largest gap of its loops [um]."""
    steps: int
    """Number of the engine's steps."""
    step_us: float
    """Mean time of a step with gate, law and row [us]."""
    real_time_factor: float
    """Simulated time per time that passed."""
    overruns: int
    """Number of deadlines given up, in real time."""
    report: str | None
    """Path of the page, if one was asked for."""
    video: str | None
    """Path of the film, if one was asked for and could be drawn."""
    video_failure: str
    """Reason why it could not; empty if it could, or was not asked for."""
    losses: list[str]
    """Contents of its robots' documents that have no effect, a line each."""

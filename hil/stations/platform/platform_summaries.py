"""What the verbs of a platform print with ``--json``: one object each, its keys and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from hil.run.end import ConclusionSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.run.evidence import Lateness
    from hil.run.stall import Stall
    from hil.stations.platform.check import PlanFinding
    from hil.stations.platform.fit.changes import FitChange
    from hil.timing.neighbours import Neighbour
    from hil.timing.realtime_setup import RealtimeItem

    Six = NDArray[np.float64]


class VerdictSummary(TypedDict):
    """One thing that the gate objected to."""

    t_s: float
    """Time of the run [s]."""
    check: str
    """Which rule, in lower case."""
    leg: int | None
    """1 to 6; null for a rule about the cycle or the whole setpoint."""
    value: float | None
    """What was found, in `unit`."""
    limit: float | None
    """What is allowed, in `unit`; with `low`, the upper end."""
    low: float | None
    """Lower end of what is allowed, where both ends matter, in `unit`."""
    unit: str
    """Of all three."""
    message: str
    """The same as a sentence."""


class UnitSummary(TypedDict):
    """A column that is likely in another unit."""

    axis: str
    """Coordinate."""
    column: str
    """Heading in the file."""
    unit: str
    """That it is said to be in."""
    likely: str
    """That it is likely in."""


class FitSummary(TypedDict):
    """What makes a motion fit that asks too much."""

    changes: list[FitChange]
    """Keys of the scenario, in the order in which they were changed."""
    units: list[UnitSummary]
    """Columns whose unit is doubtful."""
    refused_scale: float | None
    """Smallest scale that is refused with these changes; null if the whole fits."""
    refused_by: str | None
    """What refuses it."""
    command: str
    """What to paste."""


class CheckSummary(TypedDict):
    """Proof of a motion."""

    ok: bool
    """Nothing is wrong."""
    duration_s: float
    """Of the motion [s]."""
    length_min_m: float
    """Shortest leg in the motion [m]."""
    length_max_m: float
    """Longest leg in the motion [m]."""
    leg_speed_max_m_s: float
    """Fastest leg in the motion [m/s]."""
    gate_tried_s: float
    """How much of it was tried with gate and drives [s]."""
    violations: list[PlanFinding]
    """All that is wrong; of each limit and leg the first time and the worst value."""
    fit: FitSummary | None
    """What makes it fit; null if it fits, or nothing does."""


class RunSummary(ConclusionSummary):
    """How a run went."""

    outcome: str
    """`completed`, `stopped`, `tripped` or `failed`."""
    reason: str
    """Why it did not complete; empty if it did."""
    mode: str
    """The gate's last mode."""
    verdicts: list[VerdictSummary]
    """What the gate objected to, in order."""
    length_min_m: float | None
    """Shortest measured leg in the motion and its stop [m]; null without one, as what follows."""
    length_max_m: float | None
    """Longest [m]."""
    stroke_min_m: float | None
    """Least rod stroke, length minus closed length [m]."""
    stroke_max_m: float | None
    """Greatest rod stroke [m]."""
    leg_speed_max_m_s: float | None
    """Fastest measured leg [m/s]."""
    tracking_error_max_m: float | None
    """Greatest distance of a length sent to the one measured at the end of that cycle [m]."""
    lateness_us: Lateness
    """How late the cycles began [us]."""
    cycles: int
    """Cycles run."""
    overruns: int
    """Deadlines given up."""
    touched: list[str]
    """What pressed on simulated drives or what they carry in a world: names, greatest force, from
    when to when; the recording's events have the forces."""
    link: dict[str, Any]
    """What has happened on the link, by name; its names are those of the kind of link."""
    gate_record: str
    """What is wrong with the gate's own file; empty if nothing is."""
    powered: list[str]
    """Drives that did not prove to be off when the bus was left; empty if all did."""
    stall: Stall | None
    """The computer that was too slow, if that stopped the run."""
    beside: list[Neighbour]
    """What else kept the processors busy, in real time."""
    report: str | None
    """The page, if one was asked for."""
    real_time: list[RealtimeItem]
    """What the system granted to control; empty in a dry run."""
    fitted: list[FitChange]
    """What `--fit` has changed."""
    fit: FitSummary | None
    """What would make a motion fit that asked too much."""


class PoseSummary(TypedDict):
    """Coordinates of a pose."""

    x_m: float
    """[m]."""
    y_m: float
    """[m]."""
    z_m: float
    """[m]."""
    alpha_deg: float
    """About z [deg]."""
    beta_deg: float
    """About y, after alpha [deg]."""
    gamma_deg: float
    """About x, after both [deg]."""


class InverseSummary(TypedDict):
    """A pose to leg lengths."""

    ok: bool
    """The pose is within the envelope."""
    pose: PoseSummary
    """Of the platform in the base."""
    lengths_m: Six
    """Joint to joint [m], 6."""
    strokes_m: Six
    """Lengths minus closed lengths [m], 6."""
    speeds_m_s: Six
    """Of the legs [m/s], 6."""
    violations: list[str]
    """What the envelope objects to."""


class ForwardSummary(TypedDict):
    """Leg lengths to a pose."""

    ok: bool
    """As `converged`."""
    pose: PoseSummary | None
    """Null if none was found."""
    iterations: int
    """Steps of the solution."""
    residual_m: float
    """Largest error of a length [m]."""
    condition: float
    """Of the Jacobian there [1]."""
    converged: bool
    """Whether a pose was found."""
    reason: str
    """Why none was; empty if one was."""


class ExtremesSummary(TypedDict):
    """Extremes of the lengths over the rig's pose box."""

    ok: bool
    """True."""
    min_m: float
    """Shortest length [m]."""
    min_leg: int
    """Whose, 1 to 6."""
    min_pose: PoseSummary
    """Where."""
    max_m: float
    """Longest length [m]."""
    max_leg: int
    """Whose, 1 to 6."""
    max_pose: PoseSummary
    """Where."""


class SampleSummary(TypedDict):
    """Lengths of random poses."""

    ok: bool
    """True."""
    count: int
    """Poses."""
    seed: int
    """Of the random numbers."""
    min_m: float
    """Shortest length [m]."""
    max_m: float
    """Longest length [m]."""
    written: list[str]
    """Files."""


class RefusedSummary(TypedDict):
    """Of every verb that could not do what it was asked."""

    ok: bool
    """False."""
    error: str
    """What is wrong, and what would have been right."""
    url: NotRequired[str]
    """Of a device that is not there."""
    says: NotRequired[str]
    """What was heard when it was looked for."""
    command: NotRequired[str]
    """What to paste, for a motion that can be made to fit."""

"""Output of a platform's verbs with ``--json``: one object each, with keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from hil.run.end import ConclusionSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.run.evidence import Lateness
    from hil.run.stall import Stall
    from hil.stations.platform.plan.fit_changes import FitChange
    from hil.stations.platform.proof.check import PlanFinding
    from hil.timing.neighbours import Neighbour
    from hil.timing.realtime_setup import RealtimeItem

    Six = NDArray[np.float64]


class VerdictSummary(TypedDict):
    """Objection of the gate."""

    t_s: float
    """Time of the run [s]."""
    check: str
    """Rule, in lower case."""
    leg: int | None
    """Leg, 1 to 6; null for a rule about the cycle or the whole setpoint."""
    value: float | None
    """Value found, in `unit`."""
    limit: float | None
    """Allowed value, in `unit`; with `low`, the upper end."""
    low: float | None
    """Lower end of the allowed range, where both ends matter, in `unit`."""
    unit: str
    """Unit of value, limit and low."""
    message: str
    """Objection as a sentence."""


class UnitSummary(TypedDict):
    """Column that is likely in another unit."""

    axis: str
    """Coordinate of the column."""
    column: str
    """Heading of the column in the file."""
    unit: str
    """Stated unit."""
    likely: str
    """Likely unit."""


class FitSummary(TypedDict):
    """Changes that make a motion fit that asks too much."""

    changes: list[FitChange]
    """Changed keys of the scenario, in the order in which they were changed."""
    units: list[UnitSummary]
    """Columns whose unit is doubtful."""
    refused_scale: float | None
    """Smallest scale that is refused with these changes; null if the whole fits."""
    refused_by: str | None
    """Finding that refuses it."""
    command: str
    """Command line to paste."""


class ExtremeSummary(TypedDict):
    """Extremes of six legs over a motion."""

    min: float
    """Least value of any leg."""
    max: float
    """Greatest value of any leg."""
    rms: float
    """Greatest effective value of a leg over the motion."""
    leg: int
    """Leg of the greatest magnitude, 1 to 6."""
    at_s: float
    """Time of the greatest magnitude, or of the begin of that stop [s]."""


class LoadSummary(TypedDict):
    """Loads of the drives in a motion of a rig with bodies; a rig without has none of the keys."""

    force_n: NotRequired[ExtremeSummary]
    """Force of the drives, friction included [N]."""
    hold_n: NotRequired[ExtremeSummary]
    """Force that holds the machine at rest at the motion's poses [N]."""
    stop_force_n: NotRequired[ExtremeSummary]
    """Force of a controlled or quick stop begun at any moment, without friction [N]."""
    stop_beyond_m: NotRequired[float]
    """Distance by which a leg goes beyond a controlled stop that asks for more force than its drive
    gives [m]; 0 if none does."""
    motor_nm: NotRequired[ExtremeSummary]
    """Torque of the motors [N m]; of rigs with bodies and drives, as what follows."""
    power_w: NotRequired[ExtremeSummary]
    """Electrical power of a drive, below 0 where it feeds back [W]."""
    energy_j: NotRequired[float]
    """Energy that the six drives draw [J]."""
    resistor_j: NotRequired[float]
    """Energy that goes to their resistors [J]."""


class CheckSummary(LoadSummary):
    """Proof of a motion."""

    ok: bool
    """Nothing is wrong."""
    duration_s: float
    """Duration of the motion [s]."""
    length_min_m: float
    """Shortest leg in the motion [m]."""
    length_max_m: float
    """Longest leg in the motion [m]."""
    leg_speed_max_m_s: float
    """Fastest leg in the motion [m/s]."""
    gate_tried_s: float
    """Time of the motion that was tried with gate and drives [s]."""
    violations: list[PlanFinding]
    """Findings; of each limit and leg the first time and the worst value."""
    fit: FitSummary | None
    """Changes that make it fit; null if it fits, or nothing does."""


class RunSummary(ConclusionSummary):
    """Run of the platform."""

    outcome: str
    """Outcome: `completed`, `stopped`, `tripped` or `failed`."""
    reason: str
    """Reason why it was not completed; empty if it was."""
    mode: str
    """Last mode of the gate."""
    verdicts: list[VerdictSummary]
    """Objections of the gate, in order."""
    length_min_m: float | None
    """Shortest measured leg in the motion and its stop [m]; null without one, as what follows."""
    length_max_m: float | None
    """Longest measured leg [m]."""
    stroke_min_m: float | None
    """Least rod stroke, length minus closed length [m]."""
    stroke_max_m: float | None
    """Greatest rod stroke [m]."""
    leg_speed_max_m_s: float | None
    """Highest measured speed of a leg [m/s]."""
    tracking_error_max_m: float | None
    """Greatest distance of a sent length to the one measured at the end of that cycle [m]."""
    lateness_us: Lateness
    """Lateness of the cycles [us]."""
    cycles: int
    """Number of cycles."""
    overruns: int
    """Number of deadlines given up."""
    touched: list[str]
    """Contacts with simulated drives or their load in a world: names, greatest force, from when to
    when; the recording's events have the forces."""
    link: dict[str, Any]
    """Events on the link, by name; the names are those of the kind of link."""
    gate_record: str
    """Fault of the gate's own file; empty if there is none."""
    powered: list[str]
    """Drives that did not prove to be off when the bus was left; empty if all did."""
    stall: Stall | None
    """Stall of a computer that was too slow, if that stopped the run."""
    beside: list[Neighbour]
    """Other processes that kept the processors busy, in real time."""
    report: str | None
    """Path of the page, if one was asked for."""
    real_time: list[RealtimeItem]
    """Settings for real time that the system granted to control; empty in a dry run."""
    fitted: list[FitChange]
    """Changes by `--fit`."""
    fit: FitSummary | None
    """Changes that would make a motion fit that asked too much."""


class PoseSummary(TypedDict):
    """Coordinates of a pose."""

    x_m: float
    """Coordinate x [m]."""
    y_m: float
    """Coordinate y [m]."""
    z_m: float
    """Coordinate z [m]."""
    alpha_deg: float
    """Rotation about z [deg]."""
    beta_deg: float
    """Rotation about y, after alpha [deg]."""
    gamma_deg: float
    """Rotation about x, after both [deg]."""


class InverseSummary(TypedDict):
    """Leg lengths of a pose."""

    ok: bool
    """The pose is within the envelope."""
    pose: PoseSummary
    """Pose of the platform in the base."""
    lengths_m: Six
    """Lengths, joint to joint [m], 6."""
    strokes_m: Six
    """Lengths minus closed lengths [m], 6."""
    speeds_m_s: Six
    """Speeds of the legs [m/s], 6."""
    violations: list[str]
    """Objections of the envelope."""


class ForwardSummary(TypedDict):
    """Pose of leg lengths."""

    ok: bool
    """Whether a pose was found, as `converged`."""
    pose: PoseSummary | None
    """Pose of the platform in the base; null if none was found."""
    iterations: int
    """Number of iterations."""
    residual_m: float
    """Largest error of a length [m]."""
    condition: float
    """Condition number of the Jacobian there [1]."""
    converged: bool
    """Whether a pose was found."""
    reason: str
    """Reason why none was found; empty if one was."""


class ExtremesSummary(TypedDict):
    """Extremes of the lengths over the rig's pose box."""

    ok: bool
    """True."""
    min_m: float
    """Shortest length [m]."""
    min_leg: int
    """Leg of the shortest length, 1 to 6."""
    min_pose: PoseSummary
    """Pose of the shortest length."""
    max_m: float
    """Longest length [m]."""
    max_leg: int
    """Leg of the longest length, 1 to 6."""
    max_pose: PoseSummary
    """Pose of the longest length."""


class SampleSummary(TypedDict):
    """Lengths of random poses."""

    ok: bool
    """True."""
    count: int
    """Number of poses."""
    seed: int
    """Seed of the random numbers."""
    min_m: float
    """Shortest length [m]."""
    max_m: float
    """Longest length [m]."""
    written: list[str]
    """Paths of the files."""


class RefusedSummary(TypedDict):
    """Refusal by any verb."""

    ok: bool
    """False."""
    error: str
    """Fault, and what would have been right."""
    url: NotRequired[str]
    """URL of a device that does not answer."""
    says: NotRequired[str]
    """Answer when it was looked for."""
    command: NotRequired[str]
    """Command line to paste, for a motion that can be made to fit."""

"""What the verbs of an arm print with ``--json``: one object each, its keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from hil.run.end import ConclusionSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class FindingSummary(TypedDict):
    """What comes nearest to a limit, or passes it."""

    kind: str
    """Which limit."""
    place: str
    """Joint, arm or gripper."""
    waypoint: int
    """At which waypoint."""
    value: float
    """What was found, in `unit`."""
    limit: float
    """What is allowed, in `unit`."""
    unit: str
    """Of both."""
    within: bool
    """Whether the limit is kept."""


class ArmCheckSummary(TypedDict):
    """Proof of a motion of both arms."""

    ok: bool
    """True; what is refused is told as an error."""
    waypoints: int
    """Of the motion; 1 of a live one, whose start only is looked at."""
    duration_s: float
    """Of them together [s]."""
    margin: float | None
    """Least share of a range, speed or distance that the robot's place leaves [1]."""
    start_deg: Array
    """Joints at which the robot begins [deg], 6."""
    scale: float
    """Of the ways [1]."""
    findings: list[FindingSummary]
    """What comes nearest to each limit; empty for a live motion."""


class AccuracySummary(TypedDict):
    """How near the robot's path is to the space arm's."""

    best_m: float
    """Least distance that the robot's resolution allows [m]."""
    limit_m: float
    """Largest that is allowed [m]."""
    in_space_m: float
    """Largest distance to the path [m]."""
    in_space_median_m: float
    """Median of it [m]."""
    in_space_at_s: float
    """When it was largest [s]."""
    in_time_m: float
    """Largest distance to where it should be at that time [m]."""
    in_time_median_m: float
    """Median of it [m]."""
    in_time_at_s: float
    """When it was largest [s]."""


class StreamSummary(ConclusionSummary):
    """How a stream of waypoints ended."""

    result: str | None
    """Code of the end; null if it never began."""
    reason: str
    """Why it ended, in words."""
    robot: str
    """Which robot, and whether it is emulated."""
    sent: int
    """Waypoints that the robot was answered with."""


class SupervisionSummary(TypedDict):
    """What the supervision has seen of a robot."""

    periods: float
    """Between two requests, counted."""
    period_mean_s: float
    """Their mean [s]."""
    period_jitter_s: float
    """Their standard deviation [s]."""
    period_shortest_s: float
    """[s]."""
    period_longest_s: float
    """[s]."""
    places_measured: float
    """How often the robot told where it is."""
    off_path_max_m: float
    """How far it was off its path at most [m]."""
    off_path_max_rad: float
    """The same of its orientation [rad]."""


class ArmRunSummary(StreamSummary):
    """How a run of the arm station went."""

    requests: int
    """Of the robot's controller."""
    repeats: int
    """Requests that came again."""
    empty_slot: int
    """Requests for which nothing was ready."""
    late_answers: int
    """Answers that came too late."""
    checksum_errors: int
    """Requests with a wrong checksum."""
    answer_p50_s: float
    """Median time from request to answer [s]."""
    answer_p99_s: float
    """Of 99 % of them [s]."""
    answer_longest_s: float
    """Of the slowest [s]."""
    supervision: SupervisionSummary
    """What the supervision has seen of the robot."""
    report: str | None
    """The page, if one was asked for."""
    waypoints: int
    """Of the motion as it was proved, and so what follows."""
    duration_s: float
    """Of them together [s]."""
    margin: float | None
    """Least share of a range, speed or distance that the robot's place leaves [1]."""
    start_deg: Array
    """Joints at which the robot begins [deg], 6."""
    scale: float
    """Of the ways [1]."""
    findings: list[FindingSummary]
    """What comes nearest to each limit; empty for a live motion."""
    accuracy: AccuracySummary | None
    """Of the report, if one was asked for."""


class MoveSummary(StreamSummary):
    """How a move of the robot alone went."""

    notes: list[str]
    """What happened, in order."""


class NothingSummary(TypedDict):
    """There was nothing to move."""

    ok: bool
    """True."""
    result: None
    """Null: no stream was begun."""
    reason: str
    """Why not."""
    robot: str
    """Which robot, and whether it is emulated."""


class IdentifiedSummary(TypedDict):
    """What was found of a robot's controller."""

    ok: bool
    """True."""
    robot: str
    """Which robot, and whether it is emulated."""
    identified: dict[str, Any]
    """Tables and keys of the robot's file, with their new values."""
    written: str | None
    """The robot's file; null if it was left as it is."""
    recordings: str
    """Folder of the recordings of the strokes."""


class DistancesSummary(TypedDict):
    """How far a posture is from each singularity."""

    wrist: float
    """Absolute sine of joint 5 [1]."""
    elbow_m: float
    """[m]."""
    shoulder_m: float
    """[m]."""


class PlaceSummary(TypedDict):
    """Place of a gripper."""

    ok: bool
    """Every joint is within its range."""
    kind: str
    """`robot` or `space arm`."""
    q_deg: Array
    """Joint angles [deg], 6."""
    position_m: Array
    """Of the gripper in the base [m], 3."""
    rotation: Array
    """Of the gripper in the base, 3 by 3."""
    violations: list[str]
    """Joints beyond their ranges."""


class RobotPlaceSummary(PlaceSummary):
    """Place of a robot's gripper."""

    oat_deg: Array
    """Angles o, a, t of the controller [deg], 3."""
    convention: str
    """Of these angles."""
    posture: str
    """Shoulder, elbow and wrist."""
    singular_distances: DistancesSummary
    """How far it is from singular postures."""


class SpacePlaceSummary(PlaceSummary):
    """Place of a space arm's gripper."""

    smallest_singular_value: float
    """Of the scaled Jacobian [1]."""
    manipulability: float
    """Product of all of them [1]."""


class PostureSummary(TypedDict):
    """One posture that brings the gripper to its place."""

    branch: str
    """Shoulder, elbow and wrist."""
    q_deg: Array
    """Joint angles [deg], 6."""
    within_limits: bool
    """Every joint is within its range."""
    violations: list[str]
    """Joints beyond their ranges."""


class PosturesSummary(TypedDict):
    """All postures of a place."""

    ok: bool
    """One at least is within the ranges."""
    solutions: list[PostureSummary]
    """Those within the ranges first, the nearest of them first."""


class SnapshotSummary(TypedDict):
    """A space arm at the end of a tick."""

    time_s: float
    """Since the start [s]."""
    q_rad: Array
    """Joint angles [rad], 6."""
    v_rad_s: Array
    """Joint rates [rad/s], 6."""
    motor_position_rad: Array
    """Of the motors, on the side of the joints [rad], 6."""
    motor_rate_rad_s: Array
    """[rad/s], 6."""
    position_m: Array
    """Of the gripper in the base [m], 3."""
    rotation: Array
    """Of the gripper in the base, 3 by 3."""
    velocity_m_s: Array
    """Of the gripper in the base [m/s], 3."""
    angular_velocity_rad_s: Array
    """Of the gripper in the base [rad/s], 3."""
    torque_nm: Array
    """Of the joints [N m], 6."""
    current_a: Array
    """Of the motors [A], 6."""
    voltage_v: Array
    """Of the motors [V], 6."""
    active: list[list[str]]
    """What holds each joint back, in words."""
    status: str
    """How the integration went."""


class AdvanceSummary(TypedDict):
    """A few ticks of a space arm."""

    ok: bool
    """Every tick has a solution."""
    ticks: list[SnapshotSummary]
    """A tick of 0.35 s each."""

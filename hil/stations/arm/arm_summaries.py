"""JSON objects of the verbs of an arm with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from hil.run.end import ConclusionSummary
from hil.stations.arm.model_choice_summary import ModelChoiceSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class FindingSummary(TypedDict):
    """Value that comes nearest to a limit, or passes it."""

    kind: str
    """Name of the limit."""
    place: str
    """Joint, arm or gripper."""
    waypoint: int
    """Number of the waypoint."""
    value: float
    """Value that was found, in `unit`."""
    limit: float
    """Largest or least value that is allowed, in `unit`."""
    unit: str
    """Unit of value and limit."""
    within: bool
    """Whether the limit is kept."""


class SimulationSummary(TypedDict):
    """Accuracy of the simulation of the space arm."""

    accuracy: str
    """`usual` or `fine`."""
    why: str
    """Reason, in words."""
    usual_waypoints: int | None
    """Number of waypoints that took too much work to be fine; null of a live motion, whose
    recording has them in `flags`."""


class ActionSummary(TypedDict):
    """Action on the space arm's drives, or on its payload."""

    at_s: float
    """Time of the motion [s]."""
    joint: int
    """Number of the joint, from 1 at the base; 0 for the payload."""
    action: str
    """Code of the action."""


class ArmCheckSummary(TypedDict):
    """Proof of a motion of both arms."""

    ok: bool
    """True; a refused motion is reported as an error."""
    waypoints: int
    """Number of waypoints of the motion; 1 of a live one, whose start only is judged."""
    duration_s: float
    """Duration of all waypoints together [s]."""
    margin: float | None
    """Least share of a range, speed or distance that the robot's place leaves [1]."""
    start_deg: Array
    """Joints at which the robot begins [deg], 6."""
    scale: float
    """Scale of the distances [1]."""
    findings: list[FindingSummary]
    """Values that come nearest to each limit; empty for a live motion."""
    simulation: SimulationSummary
    """Accuracy of the simulation of the space arm."""
    actions: NotRequired[list[ActionSummary]]
    """Actions that the proof has played; left out where the scenario has none."""
    model_choice: NotRequired[ModelChoiceSummary]
    """Simulation that was taken, if the scenario says `model = "auto"`."""


class AccuracySummary(TypedDict):
    """Distance between the robot's path and the space arm's."""

    best_m: float
    """Least distance that the robot's resolution allows [m]."""
    limit_m: float
    """Largest distance that is allowed [m]."""
    in_space_m: float
    """Largest distance to the path [m]."""
    in_space_median_m: float
    """Median distance to the path [m]."""
    in_space_at_s: float
    """Motion time of the largest distance to the path [s]."""
    in_time_m: float
    """Largest distance to the place due at that time [m]."""
    in_time_median_m: float
    """Median distance to the place due at that time [m]."""
    in_time_at_s: float
    """Motion time of the largest distance to the place due at that time [s]."""


class StreamSummary(ConclusionSummary):
    """Result of a stream of waypoints."""

    result: str | None
    """Code of the end; null if it never began."""
    reason: str
    """Reason of the end, in words."""
    robot: str
    """Name of the robot, and whether it is emulated."""
    sent: int
    """Waypoints that the robot was answered with."""


class SupervisionSummary(TypedDict):
    """Observations of the supervision of a robot."""

    periods: float
    """Number of periods between two requests."""
    period_mean_s: float
    """Mean of the periods [s]."""
    period_jitter_s: float
    """Standard deviation of the periods [s]."""
    period_shortest_s: float
    """Shortest period [s]."""
    period_longest_s: float
    """Longest period [s]."""
    places_measured: float
    """Number of places that the robot reported."""
    off_path_max_m: float
    """Largest distance of the robot from its path [m]."""
    off_path_max_rad: float
    """Largest angle between the robot's orientation and that of its path [rad]."""


class ArmRunSummary(StreamSummary):
    """Result of a run of the arm station."""

    requests: int
    """Requests of the robot's controller."""
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
    """Time from request to answer that 99 % of the answers keep [s]."""
    answer_longest_s: float
    """Time from request to the slowest answer [s]."""
    supervision: SupervisionSummary
    """Observations of the supervision of the robot."""
    report: str | None
    """The page, if one was asked for."""
    waypoints: int
    """Number of waypoints of the motion as it was proved; so are the fields that follow."""
    duration_s: float
    """Duration of all waypoints together [s]."""
    margin: float | None
    """Least share of a range, speed or distance that the robot's place leaves [1]."""
    start_deg: Array
    """Joints at which the robot begins [deg], 6."""
    scale: float
    """Scale of the distances [1]."""
    findings: list[FindingSummary]
    """Values that come nearest to each limit; empty for a live motion."""
    simulation: SimulationSummary
    """Accuracy of the simulation of the space arm."""
    model_choice: NotRequired[ModelChoiceSummary]
    """Simulation that was taken, if the scenario says `model = "auto"`."""
    accuracy: AccuracySummary | None
    """Accuracy by the report, if one was asked for."""


class MoveSummary(StreamSummary):
    """Result of a move of the robot alone."""

    notes: list[str]
    """Events, in order."""


class NothingSummary(TypedDict):
    """Result where there was nothing to move."""

    ok: bool
    """True."""
    result: None
    """Null: no stream was begun."""
    reason: str
    """Reason why no stream was begun."""
    robot: str
    """Name of the robot, and whether it is emulated."""


class IdentifiedSummary(TypedDict):
    """Identified properties of a robot's controller."""

    ok: bool
    """True."""
    robot: str
    """Name of the robot, and whether it is emulated."""
    identified: dict[str, Any]
    """Tables and keys of the robot's file, with their new values."""
    written: str | None
    """The robot's file; null if it was left as it is."""
    recordings: str
    """Folder of the recordings of the strokes."""


class DistancesSummary(TypedDict):
    """Distances of a posture from each singularity."""

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
    """Joint angles [deg], one a joint; of a prismatic one its travel [m]."""
    position_m: Array
    """Position of the gripper in the base [m], 3."""
    rotation: Array
    """Orientation of the gripper in the base, 3 by 3."""
    violations: list[str]
    """Joints beyond their ranges."""


class RobotPlaceSummary(PlaceSummary):
    """Place of a robot's gripper."""

    oat_deg: Array
    """Angles o, a, t of the controller [deg], 3."""
    convention: str
    """Convention of these angles."""
    posture: str
    """Shoulder, elbow and wrist."""
    singular_distances: DistancesSummary
    """Distances from singular postures."""


class SpacePlaceSummary(PlaceSummary):
    """Place of a space arm's gripper."""

    rpy_deg: Array
    """Roll, pitch, yaw of its axes, Rz(yaw) Ry(pitch) Rx(roll) [deg], 3."""
    smallest_singular_value: float
    """Smallest singular value of the scaled Jacobian [1]."""
    manipulability: float
    """Product of all singular values [1]."""


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
    """Postures, those within the ranges first, the nearest of them first."""


class FoundPlaceSummary(TypedDict):
    """Joint angles of a space arm for a place of its gripper."""

    ok: bool
    """The place is reached."""
    arm: str
    """Name of the arm."""
    q_deg: Array
    """Joint angles [deg], one a joint; of a prismatic one its travel [m]."""
    followed: list[str]
    """Components of the place that count; the others come as they may."""
    left_m: float
    """Distance that is left [m]."""
    left_deg: float
    """Angle that is left [deg]."""


class SnapshotSummary(TypedDict):
    """A space arm at the end of a tick."""

    time_s: float
    """Time since the start [s]."""
    q_rad: Array
    """Joint angles [rad], one a joint; of a prismatic one its travel [m]."""
    v_rad_s: Array
    """Joint rates [rad/s], one a joint; of a prismatic one [m/s]."""
    motor_position_rad: Array
    """Positions of the motors, on the side of the joints [rad; m]."""
    motor_rate_rad_s: Array
    """Rates of the motors, on the side of the joints [rad/s; m/s]."""
    position_m: Array
    """Position of the gripper in the base [m], 3."""
    rotation: Array
    """Orientation of the gripper in the base, 3 by 3."""
    velocity_m_s: Array
    """Velocity of the gripper in the base [m/s], 3."""
    angular_velocity_rad_s: Array
    """Angular velocity of the gripper in the base [rad/s], 3."""
    torque_nm: Array
    """Torques of the joints [N m], one a joint; of a prismatic one its force [N]."""
    current_a: Array
    """Currents of the motors [A]."""
    voltage_v: Array
    """Voltages of the motors [V]."""
    active: list[list[str]]
    """Limits and stops that hold each joint back, in words."""
    status: str
    """Outcome of the integration."""


class AdvanceSummary(TypedDict):
    """A few ticks of a space arm."""

    ok: bool
    """Every tick has a solution."""
    ticks: list[SnapshotSummary]
    """A tick of 0.35 s each."""
    model_choice: NotRequired[ModelChoiceSummary]
    """Simulation that was taken with `--model auto`."""

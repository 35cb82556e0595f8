"""JSON objects of ``hil arm id`` and ``hil arm cost``: their keys and their meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class TorqueTermsSummary(TypedDict):
    """Terms of the joints' torques, in the order in which they are added, one number a joint.

    Of a prismatic joint they are forces [N].
    """

    inertia: Array
    """Torques of the inertia of links and payload [N m]."""
    coriolis: Array
    """Coriolis and centrifugal torques [N m]."""
    gravity: Array
    """Torques against gravity [N m]; zeros in orbit."""
    wrench: Array
    """Torques against the wrench on the gripper [N m]."""
    drag: Array
    """Torques against the drag of the bearings [N m]."""
    rotor: Array
    """Torques of the inertia of the rotors, on the side of the joints [N m]."""
    friction: Array
    """Torques against the dry friction of motors and gears [N m]; 0 at rest, where it may
    hold."""


class ArmTorquesSummary(TypedDict):
    """Torques that a motion of a space arm needs at one moment."""

    ok: bool
    """Every joint is within its range, and every motor can give its torque."""
    arm: str
    """Name of the arm."""
    payload_kg: float
    """Mass of the payload [kg]; 0 for an empty gripper."""
    q_deg: Array
    """Joint angles [deg], one a joint; of a prismatic one its travel [m]."""
    v_deg_s: Array
    """Joint rates [deg/s; m/s]."""
    a_deg_s2: Array
    """Joint accelerations [deg/s²; m/s²]."""
    wrench: Array
    """Force [N], then moment about the gripper's origin [N m], that act on the gripper, base axes,
    6."""
    terms_nm: TorqueTermsSummary
    """Each term of the torques."""
    gear_nm: Array
    """Torques through the gears, without rotors and friction [N m]."""
    motor_nm: Array
    """Torques of the motors, on the side of the joints: the sum of all terms [N m]."""
    limit_nm: Array
    """Largest torques of the motors by their current, on the side of the joints [N m]."""
    violations: list[str]
    """Joints beyond their ranges, and motors beyond their limits."""


class JointDemandSummary(TypedDict):
    """Torques that a whole motion needs of one joint."""

    joint: str
    """Name of the joint."""
    motor_min_nm: float
    """Least torque of the motor, on the side of the joint [N m]."""
    motor_max_nm: float
    """Greatest torque of the motor, on the side of the joint [N m]."""
    motor_rms_nm: float
    """Root mean square of the torque of the motor over time [N m]."""
    at_s: float
    """Time at which the torque of the motor is farthest from zero [s]."""
    limit_nm: float
    """Largest torque of the motor by its current, on the side of the joint [N m]."""
    terms_largest_nm: dict[str, float]
    """Largest amount of each term [N m]."""
    terms_rms_nm: dict[str, float]
    """Root mean square of each term over time [N m]."""


class ArmMotionTorquesSummary(TypedDict):
    """Torques that a whole motion of a space arm needs."""

    ok: bool
    """Every joint is within its range, and every motor can give its torque, all the time."""
    arm: str
    """Name of the arm."""
    payload_kg: float
    """Mass of the payload [kg]; 0 for an empty gripper."""
    motion: str
    """Name of the motion."""
    duration_s: float
    """Duration of the motion [s]."""
    joints: list[JointDemandSummary]
    """Joints, from the base."""
    violations: list[str]
    """Joints beyond their ranges, and motors beyond their limits."""
    written: list[str]
    """Files of pictures."""


class OperationsSummary(TypedDict):
    """Number of operations, by kind."""

    multiplications: int
    """Number of multiplications."""
    additions: int
    """Number of additions and subtractions."""
    divisions: int
    """Number of divisions."""
    roots: int
    """Number of square roots and powers."""
    trigonometric: int
    """Number of sines and cosines."""


class KernelCostSummary(TypedDict):
    """Cost of one call of a function of the arm's dynamics."""

    what: str
    """Function, in words."""
    operations: OperationsSummary
    """Operations for any arm of six joints."""
    needed: OperationsSummary
    """Operations without those with a number that is 0, 1 or -1 for this arm in any posture."""
    published_1993: str
    """Figures of the thesis for the like; empty if there are none."""
    time_us: float | None
    """Least time of a call from Python [µs]; null where the clock is not known."""


class DriveCostSummary(TypedDict):
    """Cost of a tick of 0.35 s with one drive model."""

    model: str
    """Letter of the drive model."""
    steps: int
    """Number of steps of integration in the tick."""
    rejected: int
    """Number of steps that were repeated with a shorter length."""
    refreshed: int
    """Number of times that mass matrix and bias were computed."""
    iterations: int
    """Number of iterations of Newton's method."""
    hits: int
    """Number of blows in rigid gaps."""
    operations: OperationsSummary
    """Operations of the whole tick."""
    per_step: float
    """Operations of all kinds for a step that was taken."""
    time_us: float | None
    """Least time of the tick [µs]; null where the clock is not known."""


class ArmCostSummary(TypedDict):
    """Operations of a space arm's simulation, counted by running its code."""

    ok: bool
    """True."""
    arm: str
    """Name of the arm."""
    payload_kg: float
    """Mass of the payload [kg]; 0 for an empty gripper."""
    kernels: list[KernelCostSummary]
    """Functions of the dynamics."""
    models: list[DriveCostSummary]
    """Ticks of the drive models."""

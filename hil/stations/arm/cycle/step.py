"""One step of the arm station, and what of it goes to the gate and onto the wire."""

from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import (
    JointLimitError,
    Joints,
    OutOfReachError,
    SingularError,
    forward,
    singular_distances,
)
from hil.desk.velocity.source import Twist
from hil_common.arrays.pose import Pose, PoseError
from hil_common.arrays.rotation import quaternion_of
from safety.arm_limits import ArmCheck, ArmLimits, ArmSample, ArmViolation
from sim.world.space_arm.actions import TimedAction
from sim.world.space_arm.programmed_rates import RateCommand
from sim.world.space_arm.snapshot import Snapshot

Array = NDArray[np.float64]
X_WB = Pose.identity()
"""The space arm's base is the world's origin: only its gripper's motion relative to the start
comes to the bench."""


class MotionPhase(Enum):
    """Phases of a motion."""

    FOLLOWING = "following"
    """Motion by the source."""
    STOPPING = "stopping"
    """The source has ended, or the operator or a fault has: the rates go to zero together."""
    AT_REST = "at rest"
    """The last waypoint is the end."""
    REFUSED = "refused"
    """A waypoint was refused; nothing follows."""


@dataclass(frozen=True, slots=True, eq=False)
class RobotStep:
    """The robot's part of one step; poses and arrays are read-only."""

    index: int
    """Number of the waypoint, from 1; the start is 0."""
    t_s: float
    """Motion time of the waypoint [s]."""
    course: MotionPhase
    X_RT: Pose | None
    """Pose of the robot's gripper at the waypoint, in its base; None if it was not computed, as for
    a space arm that moves alone."""
    joints: Joints | None
    """Joint angles of the robot there; None if refused, or not asked for."""
    margins: tuple[float, ...]
    """Distances from the robot's singularities: wrist [1], elbow and shoulder [m]."""
    violations: tuple[ArmViolation, ...] = ()
    """Reasons for a refusal; empty if it passed."""
    share: float = 1.0
    """Share of the simulated gripper's motion that the robot does, from 0 (it rests) to 1."""
    gap_m: float = 0.0
    """Distance from the robot to where the simulated gripper is on the bench [m]."""

    @property
    def waypoint(self) -> Pose | None:
        """X_RT that may be offered to the robot; None if refused, or if nothing is for it."""
        return None if self.joints is None or self.violations else self.X_RT

    @property
    def refusals(self) -> tuple[str, ...]:
        """The violations as people read them."""
        return tuple(str(violation) for violation in self.violations)


@dataclass(frozen=True, slots=True, eq=False)
class ArmStep(RobotStep):
    """One step of both arms; poses and arrays are read-only."""

    wanted: Twist = field(kw_only=True)
    """Gripper velocity that the source asked for."""
    command: RateCommand = field(kw_only=True)
    """Joint rates commanded of the space arm, and what bound them."""
    snapshot: Snapshot = field(kw_only=True)
    """The space arm at the waypoint."""
    actions: tuple[TimedAction, ...] = field(default=(), kw_only=True)
    """What was done to its drives since the waypoint before, at times of the motion."""

    @property
    def alone(self) -> bool:
        """Whether only the space arm moves; nothing of it is for the robot."""
        return self.waypoint is None and not self.violations

    @property
    def usual(self) -> bool:
        """Whether its work was too much for the fine simulation, see `CappedSdirk4`."""
        return self.snapshot.span.usual > 0

    def without_robot(self) -> "ArmStep":
        """Return the same step of the space arm, of which nothing is for the robot."""
        return replace(self, X_RT=None, joints=None, margins=(), violations=())


def pose_of(snapshot: Snapshot) -> Pose:
    """Return X_WG of the space arm's gripper in the world."""
    return X_WB @ Pose(snapshot.position_BG_m, snapshot.rotation_BG)


def path_of(snapshot: Snapshot) -> Array:
    """Return that gripper's places in the world since the waypoint before [m], shape (M, 3)."""
    return X_WB.position_m + snapshot.path_BG_m @ X_WB.rotation.T


def robot_sample(geometry: PumaGeometry, q_rad: Array) -> ArmSample:
    """Return the robot at joint angles, for the gate."""
    pose = forward(geometry, q_rad)
    far = singular_distances(geometry, q_rad)
    return ArmSample(
        q_rad.tolist(), pose.position_m.tolist(), quaternion_of(pose.rotation),
        (far.wrist, far.elbow_m, far.shoulder_m),
    )  # fmt: skip


def space_sample(snapshot: Snapshot, smallest_singular_value: float) -> ArmSample:
    """Return the space arm, for the gate."""
    return ArmSample(
        snapshot.q_rad.tolist(), snapshot.position_BG_m.tolist(),
        quaternion_of(snapshot.rotation_BG), (smallest_singular_value,),
    )  # fmt: skip


def violations_of(limits: ArmLimits, error: ArmError | PoseError) -> tuple[ArmViolation, ...]:
    """List why the robot may not take a pose, at least one reason."""

    def of(
        check: ArmCheck, value: float, limit: float, unit: str, note: str
    ) -> tuple[ArmViolation, ...]:
        return (ArmViolation(check, limits.name, "", value, limit, unit, note=note),)

    if isinstance(error, OutOfReachError):
        return of(ArmCheck.REACH, error.excess_m, 0.0, "m", str(error))
    if isinstance(error, SingularError):
        name = f"{error.name} singularity"
        return of(ArmCheck.MARGIN, error.value, error.limit, error.unit, name)
    if isinstance(error, JointLimitError):
        low, high = limits.position_min_rad, limits.position_max_rad
        return tuple(
            ArmViolation(
                ArmCheck.POSITION, limits.name, limits.joint_names[one.joint - 1], one.value_rad,
                high[one.joint - 1], "rad", low[one.joint - 1], note=one.flip,
            )
            for one in error.violations
        )  # fmt: skip
    return of(ArmCheck.INTERNAL, 0.0, 0.0, "", f"{type(error).__name__}: {error}")

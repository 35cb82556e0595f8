"""Move of the robot to a place, in one branch: joints in proportion, or straight."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.puma import Branch, Joints, branch_of, forward, limit_violations, nearest
from hil.config.errors import RefusedError
from hil.machines.robot.offered_links import SIM_URL
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.moves.approach import joints_by_operator, joints_in_posture
from hil.stations.arm.moves.paths import joint_path, straight_path
from hil.stations.arm.moves.proof import ProvedMove, prove_move
from hil.stations.arm.moves.session import RobotSession
from hil_common.arrays.pose import Pose, PoseError, angle_between_rad

Array = NDArray[np.float64]

THERE_M, THERE_RAD = 1e-4, 1e-3
"""A robot that is so near to its target is there."""


@dataclass(frozen=True, slots=True, eq=False)
class GotoTarget:
    """Target of a move of the robot alone."""

    pose: Pose
    joints_deg: Array | None
    """Joint angles of the robot there [deg], shape (6,); None if they follow from its posture."""
    name: str

    @classmethod
    def of_joints(cls, robot: RobotSettings, joints_deg: Array, name: str) -> "GotoTarget":
        """Return a target in joint angles; raises RefusedError if a joint does not go there."""
        q_rad = np.radians(joints_deg)
        if wrong := limit_violations(robot.geometry(), q_rad):
            problem = "\n".join(f"{robot.name}, {one}" for one in wrong)
            raise RefusedError(f"{name} is refused, nothing has been sent:\n{problem}")
        return cls(forward(robot.geometry(), q_rad), np.array(joints_deg), name)

    def branch(self, robot: RobotSettings) -> Branch | None:
        """Return the posture there; None if only the place is given."""
        if self.joints_deg is None:
            return None
        return branch_of(robot.geometry(), np.radians(self.joints_deg))


def start_of(
    session: RobotSession, target: GotoTarget, confirm: Callable[[str], bool] | None
) -> Joints:
    """Find the robot's joints where it is, in the posture that a person gives.

    Args:
        target: whose posture is taken for a question, if nobody said what the pendant shows.

    Raises:
        RefusedError: if nobody gives it, or the robot cannot be there so.
    """
    choice = session.choice
    if choice.url == SIM_URL:
        return joints_by_operator(choice.robot, session.place, np.array(choice.emulated_deg))
    if choice.joints_deg is not None:
        return joints_by_operator(choice.robot, session.place, choice.joints_deg)
    branch = target.branch(choice.robot)
    if branch is None or confirm is None or target.joints_deg is None:
        raise RefusedError(
            f"nothing has moved: the robot is at {session.place}, which says nothing of its "
            "posture: give --at-joints q1,…,q6 as its pendant shows them"
        )
    near = np.radians(target.joints_deg)
    joints = joints_in_posture(choice.robot, session.place, near, branch)
    text = ", ".join(f"{angle:.2f}" for angle in np.degrees(joints.q_rad))
    if not confirm(
        f"the robot is at {session.place}; in the posture of the target ({branch}) its joints "
        f"are {text} deg. Does its pendant show these?"
    ):
        raise RefusedError(
            "nothing has moved: the posture was not confirmed; give --at-joints q1,…,q6 as the "
            "pendant shows them"
        )
    return joints


def plan_goto(
    robot: RobotSettings, start: Joints, target: GotoTarget, part: float, *, straight: bool
) -> ProvedMove | None:
    """Return a proved move to a target; None if the robot is there.

    Args:
        part: of its limits of speed, turn and joint rates that may be used, up to 1.
        straight: whether along a straight line; else all joints in proportion.

    Raises:
        RefusedError: with joint, value, limit and waypoint; nothing has been sent.
    """
    geometry = robot.geometry()
    end = _end(robot, start, target)
    X_RT0, X_RT1 = forward(geometry, start.q_rad), forward(geometry, end)
    distance_m = float(np.linalg.norm(X_RT1.position_m - X_RT0.position_m))
    turned = max(angle_between_rad(X_RT0, X_RT1), float(np.abs(end - start.q_rad).max()))
    if distance_m < THERE_M and turned < THERE_RAD:
        return None
    path = joint_path(geometry, np.array(start.q_rad), end)
    if straight:
        path = straight_path(X_RT0, X_RT1)
    move = prove_move(robot, np.array(start.q_rad), path, part, f"the move to {target.name}")
    reached = move.steps[-1].joints
    if reached is None or np.abs(reached.q_rad - end).max() > THERE_RAD:
        raise RefusedError(
            f"the move to {target.name} was refused, nothing has been sent: along a straight line "
            "the joints arrive elsewhere, a whole turn away; go there in joints (without "
            "--straight)"
        )
    return move


def _end(robot: RobotSettings, start: Joints, target: GotoTarget) -> Array:
    """Return the robot's joints at the target [rad], shape (6,), in the branch of the start."""
    branch = target.branch(robot)
    if branch is not None and target.joints_deg is not None:
        if branch != start.branch:
            raise RefusedError(
                f"the move to {target.name} was refused, nothing has been sent: the robot stands "
                f"{start.branch}, the target is {branch}: between two postures lies a singularity, "
                "which no stream goes through; change the posture from the pendant"
            )
        return np.radians(target.joints_deg)
    try:
        return np.array(nearest(robot.geometry(), target.pose, start.q_rad, start.branch).q_rad)
    except (ArmError, PoseError) as error:
        raise RefusedError(
            f"the move to {target.name} was refused, nothing has been sent: {robot.name}: {error}"
        ) from None

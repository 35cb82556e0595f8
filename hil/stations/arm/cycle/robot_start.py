"""Start of a robot: its planned place and posture, and what is known of them.

A robot says where its gripper is, not how its joints are: in the posture of the plan they follow
from the place. Whether it is in that posture only a person can see, at the controller.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arm_driver.errors import ArmError
from arm_driver.kinematics.puma import Joints, nearest
from arm_driver.link_report import DisplayedPose
from hil.machines.robot.settings import RobotSettings
from hil_common.arrays.pose import Pose, PoseError

JOINTS_APART_DEG = 3.0
"""Largest difference of joints that are compared [deg]: whole degrees typed from a display pass,
another posture does not."""


def posture_at(robot: RobotSettings, place: Pose, joints_deg: NDArray[np.float64]) -> Joints:
    """Find the robot's joints at a place, in the posture of joints that somebody gives.

    Args:
        joints_deg: of the robot there, as somebody says [deg], shape (6,).

    Raises:
        ArmError: they do not lead there: with joint, both angles, and by how much.
    """
    found = nearest(robot.geometry(), place, np.radians(joints_deg))
    apart_deg = np.degrees(found.q_rad) - joints_deg
    worst = int(np.argmax(np.abs(apart_deg)))
    if abs(apart_deg[worst]) > JOINTS_APART_DEG:
        raise ArmError(
            f"joint {worst + 1} is said to be at {joints_deg[worst]:.2f} deg; the nearest posture "
            f"that leads there has it at {joints_deg[worst] + apart_deg[worst]:.2f} deg, "
            f"{abs(apart_deg[worst]):.2f} deg away, at most {JOINTS_APART_DEG:g} deg are allowed; "
            f"all six of that posture: {_six(np.degrees(found.q_rad))} deg"
        )
    return found


@dataclass(frozen=True, slots=True)
class RobotStart:
    """Planned start, and the operator's information about the robot."""

    robot: RobotSettings
    joints: Joints
    shown: DisplayedPose | None = None
    """Place of the gripper shown by its controller, for one that does not send it by itself; None
    if nobody gave it."""

    def hint(self, reported: DisplayedPose | None) -> str:
        """Return the remedy for a place that nobody knows; empty if it is known."""
        known = reported is not None or self.shown is not None
        return "" if known else " (hil run --arm-at X,Y,Z,O,A,T)"

    def refusal(self, reported: DisplayedPose | None) -> str:
        """Return the reason why the robot's joints are not those of the plan; empty if they are.

        Args:
            reported: place of the gripper by the robot; by the operator if there is none.
        """
        place = reported or self.shown
        if place is None:
            return ""
        planned_deg = np.degrees(self.joints.q_rad)
        try:
            posture_at(self.robot, place.X_RT, planned_deg)
        except (ArmError, PoseError) as error:
            return (
                f"the robot is at {place}, where its joints are not those of the start, "
                f"{_six(planned_deg)} deg: {error}"
            )
        return ""

    def confirmation(self, reported: DisplayedPose | None) -> str:
        """Return the facts about the robot's place, for the record."""
        if reported is not None:
            return f"the robot says that it is at {reported}"
        return (
            f"the operator says that the robot is at {self.shown}; it tells no place itself, so "
            "nothing measured confirms the motion"
        )


def _six(angles_deg: NDArray[np.float64]) -> str:
    return ", ".join(f"{angle:.2f}" for angle in angles_deg.tolist())

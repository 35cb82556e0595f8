"""What the robot's kinematics refuse is told with arm, joint, value, limit and unit."""

import numpy as np
import pytest

from arm_driver.errors import ArmError
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.puma import forward
from hil.config.file_search import configs_dir
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.step import violations_of
from hil_common.arrays.pose import Pose
from safety.arm_limits import ArmCheck

RM01 = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")
AWAY_M = np.array([1.0, 0.0, 0.0])
START = np.radians([20.0, 65.0, -175.0, 10.0, 50.0, 0.0])


def refused(pose):
    with pytest.raises(ArmError) as error:
        BranchTracker(RM01.geometry(), START).follow(pose)
    (found,) = violations_of(RM01.gate_limits(), error.value)
    assert found.arm == "rm01"
    return found


def turned(joint, angle_deg):
    q = START.copy()
    q[joint - 1] = np.radians(angle_deg)
    return forward(RM01.geometry(), q)


def test_out_of_reach_by_how_much():
    start = forward(RM01.geometry(), START)
    found = refused(Pose(start.position_m + AWAY_M, start.rotation))
    assert (found.check, found.limit, found.unit) == (ArmCheck.REACH, 0.0, "m")
    wrist = start.position_m + AWAY_M - RM01.tool_m * start.rotation[:, 2]
    shoulder = np.array([0.0, 0.0, RM01.base_height_m])
    assert found.value == pytest.approx(
        np.linalg.norm(wrist - shoulder) - np.hypot(RM01.geometry().reach_m, RM01.d3_m), abs=0.02
    )
    assert "rm01: distance out of reach" in str(found)


def test_a_joint_beyond_its_range():
    found = refused(turned(1, 161.0))
    assert (found.check, found.joint, found.unit) == (ArmCheck.POSITION, "joint 1", "rad")
    assert np.degrees([found.value, found.low, found.limit]) == pytest.approx([161.0, -160, 160])
    assert found.data["joint"] == "joint 1"


def test_too_near_a_singularity():
    found = refused(turned(5, 3.0))
    assert (found.check, found.note, found.limit) == (ArmCheck.MARGIN, "wrist singularity", 0.1)
    assert found.value == pytest.approx(np.sin(np.radians(3.0)))


def test_anything_else_is_told_too():
    (found,) = violations_of(RM01.gate_limits(), ArmError("odd"))
    assert str(found) == "rm01: gate self-check: ArmError: odd"

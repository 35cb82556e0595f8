"""Random streams that wind the wrist up to the end of joint 6: the refusal names joint 6.

Its range is more than a turn, so at its end there is another angle inside, 360 degrees back. To
take it would be a flip of the wrist within one period. The judge is the path in joint angles from
which the poses are made.
"""

from __future__ import annotations

import numpy as np
import pytest
from campaign import count

from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.puma import JointLimitError, forward
from arm_driver.kinematics.workspace import check_path
from hil.config.file_search import configs_dir
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle.step import violations_of
from safety.arm_limits import ArmCheck

RM01 = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")
PERIOD_S = 0.35
STEPS = 60
END_RAD = np.radians(266.0)
SEED = 1306


def winding(draw):
    """Joint angles of a stream that turns joint 6 towards its end, shape (STEPS, 6)."""
    start = np.radians([20.0, 65.0, -175.0, 10.0, 50.0, 0.0]) + draw.uniform(-0.1, 0.1, 6)
    side = draw.choice([-1.0, 1.0])
    start[5] = side * draw.uniform(1.5, 4.0)
    rates = np.append(draw.uniform(-0.01, 0.01, 5), side * draw.uniform(0.02, 0.3))
    return start + PERIOD_S * np.arange(STEPS)[:, None] * rates


def streams():
    draw = np.random.default_rng(SEED)
    print(f"seed {SEED}")
    return [winding(draw) for _ in range(count(1000, least=60))]


@pytest.mark.campaign
def test_a_wrist_wound_up_is_refused_as_joint_6_beyond_its_range():
    geometry, refused = RM01.geometry(), 0
    for path in streams():
        tracker = BranchTracker(geometry, path[0])
        outside = np.flatnonzero(np.abs(path[:, 5]) > END_RAD)
        last = int(outside[0]) if len(outside) else STEPS
        for q in path[1:last]:
            np.testing.assert_allclose(tracker.follow(forward(geometry, q)).q_rad, q, atol=1e-9)
        if last == STEPS:
            continue
        refused += 1
        with pytest.raises(JointLimitError) as error:
            tracker.follow(forward(geometry, path[last]))
        (found,) = violations_of(RM01.gate_limits(), error.value)
        assert (found.check, found.joint) == (ArmCheck.POSITION, "joint 6")
        assert found.value == pytest.approx(path[last, 5])
        assert (found.low, found.limit) == pytest.approx((-END_RAD, END_RAD))
        flip_deg = 360.0 - np.degrees(np.abs(np.diff(path[:, 5])[0]))
        assert f"would have to flip by {flip_deg:.0f} deg in one step" in str(found)
        np.testing.assert_allclose(tracker.last.q_rad, path[last - 1], atol=1e-9)
    assert refused > 20


@pytest.mark.campaign
def test_a_planned_path_that_winds_the_wrist_up_is_refused_by_its_position():
    geometry = RM01.geometry()
    for path in streams()[:20]:
        poses = [forward(geometry, q) for q in path]
        report = check_path(geometry, poses, PERIOD_S, path[0], RM01.path_limits())
        np.testing.assert_allclose(report.q_rad, path, atol=1e-9)
        (position,) = [one for one in report.findings if one.kind == "joint position"]
        beyond = float(np.abs(path[:, 5]).max() - END_RAD)
        assert position.within == (beyond <= 0.0)
        if beyond > 0.0:
            assert position.place == "joint 6"
            assert abs(position.value) - abs(position.limit) == pytest.approx(beyond)
        speeds = [one for one in report.violations if one.kind.startswith("joint speed")]
        assert not speeds, "it is not the speed that is wrong"

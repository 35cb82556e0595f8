"""Checks that hold for every motion, poses to use, and recorded data if there is some."""

from pathlib import Path

import numpy as np
import pytest

from hil.stations.platform.motion.moves import MoveLimits
from hil_common.arrays.pose import Pose

NEUTRAL = np.array([0.01, -0.02, 0.935, 0.02, -0.03, 0.04])
LIMITS = MoveLimits(
    speed_m_s=0.10,
    acceleration_m_s2=0.20,
    jerk_m_s3=0.80,
    angular_speed_rad_s=0.14,
    angular_acceleration_rad_s2=0.28,
    angular_jerk_rad_s3=1.1,
)


def pose(*q) -> Pose:
    return Pose.from_coordinates(np.array(q, dtype=float))


def assert_same_pose(X, other, tolerance=1e-12):
    assert X.position_m == pytest.approx(other.position_m, abs=tolerance)
    assert X.rotation == pytest.approx(other.rotation, abs=tolerance)


def assert_rests_at_both_ends(motion, speed=0.0, acceleration=0.0):
    """Rest at 0 and at the end, and standing still before and after."""
    for t_s, beyond_s in ((0.0, -1.0), (motion.duration_s, motion.duration_s + 1.0)):
        at, beyond = motion.sample(t_s), motion.sample(beyond_s)
        assert np.abs(at.V_BP).max() <= speed
        assert np.abs(at.A_BP).max() <= acceleration
        assert_same_pose(at.X_BP, beyond.X_BP, 0.0)
        assert np.array_equal(at.V_BP, beyond.V_BP)


def assert_consistent(motion, times, step=1e-5, rate=1e-6, acceleration=1e-4):
    """Twist and its derivative agree with differences of the pose and of the twist."""
    for t in times:
        before, at, after = (motion.sample(t + k * step) for k in (-1, 0, 1))
        v = (after.X_BP.position_m - before.X_BP.position_m) / (2 * step)
        assert at.V_BP[:3] == pytest.approx(v, abs=rate)
        turning = (after.X_BP.rotation - before.X_BP.rotation) / (2 * step) @ at.X_BP.rotation.T
        omega = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
        assert at.V_BP[3:] == pytest.approx(omega, abs=rate)
        dV = (after.V_BP - before.V_BP) / (2 * step)
        assert pytest.approx(dV, abs=acceleration) == at.A_BP


def assert_smooth(motion, times, step=1e-7, acceleration=1e-4):
    """Pose, twist and acceleration do not jump at these times."""
    for t in times:
        before, after = motion.sample(t - step), motion.sample(t + step)
        assert_same_pose(before.X_BP, after.X_BP, 1e-6)
        assert pytest.approx(after.V_BP, abs=1e-5) == before.V_BP
        assert pytest.approx(after.A_BP, abs=acceleration) == before.A_BP


def recording(name) -> Path:
    """A recorded file from the folder `shared/data` beside the repository, or a skipped test."""
    path = Path(__file__).resolve().parents[3] / "shared" / "data" / name
    if not path.is_file():
        pytest.skip(f"no recorded data: {path} is not there")
    return path

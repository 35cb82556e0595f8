"""What is felt on a platform against plain kinematics: rotation matrices differentiated."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from platform6dof.cueing.head_motion import felt
from platform6dof.cueing.vehicle import GRAVITY_M_S2

STEP_S = 1e-4


def motion(t):
    """Coordinates of a smooth motion in all six at once, shape (6,)."""
    return np.array(
        [
            0.10 * np.sin(2.1 * t),
            0.07 * np.cos(1.3 * t),
            0.05 * np.sin(3.0 * t + 0.4),
            0.30 * np.sin(1.7 * t),
            0.25 * np.cos(2.3 * t + 0.2),
            0.40 * np.sin(1.1 * t + 0.9),
        ]
    )


def rows_at(t):
    before, now, after = motion(t - STEP_S), motion(t), motion(t + STEP_S)
    return np.array([now, (after - before) / (2 * STEP_S), (after - 2 * now + before) / STEP_S**2])


def matrix(q):
    return Rotation.from_euler("ZYX", q[3:]).as_matrix()


def head_in_base(t, head):
    q = motion(t)
    return q[:3] + matrix(q) @ head


@pytest.mark.parametrize("head", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.9)])
@pytest.mark.parametrize("t", [0.0, 0.7, 2.9])
def test_force_and_rates_at_the_head(t, head):
    arm = np.array(head)
    found = felt(rows_at(t)[None], head)[0]
    h = 2e-4
    a = head_in_base(t + h, arm) - 2 * head_in_base(t, arm) + head_in_base(t - h, arm)
    force = matrix(motion(t)).T @ (a / h**2 + [0.0, 0.0, GRAVITY_M_S2])
    assert found[:3] == pytest.approx(force * [1, -1, -1], abs=2e-5)
    turn = matrix(motion(t - h)).T @ matrix(motion(t + h))
    omega = Rotation.from_matrix(turn).as_rotvec() / (2 * h)
    assert found[3:] == pytest.approx(omega * [1, -1, -1], abs=1e-6)


@pytest.mark.parametrize(
    ("column", "angle", "axis", "wanted"),
    [
        (4, -0.2, 0, GRAVITY_M_S2 * np.sin(0.2)),  # nose up is felt as forward force
        (5, 0.2, 1, -GRAVITY_M_S2 * np.sin(0.2)),  # right side down
        (3, 0.2, 2, -GRAVITY_M_S2),
    ],
)
def test_a_held_angle_is_felt_as_gravity(column, angle, axis, wanted):
    rows = np.zeros((1, 3, 6))
    rows[0, 0, column] = angle
    assert felt(rows)[0, axis] == pytest.approx(wanted, abs=1e-12)


def test_rows_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"\(N, 3, 6\)"):
        felt(np.zeros((4, 6)))

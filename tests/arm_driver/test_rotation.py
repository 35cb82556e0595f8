"""Rotations written otherwise, held against scipy; and poses that follow from poses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil_common.arrays.pose import ORTHONORMAL_TOLERANCE, Pose, PoseError
from hil_common.arrays.rotation import quaternion_of, rotation_about, turn_vector

axes = st.sampled_from(
    [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 0, 1), (0, -1, 1), (1, -2, 3), (-3, 1, -1)]
)
sizes = st.one_of(
    st.floats(0.0, math.pi),
    st.sampled_from([0.0, 1e-12, 1e-8, 1e-4, math.pi / 2, math.pi - 1e-9, math.pi]),
)


def turn_of(axis: tuple[int, int, int], angle: float) -> np.ndarray:
    return angle * np.array(axis) / np.linalg.norm(axis)


@given(axes, sizes)
def test_quaternions_are_those_of_scipy(axis, angle):
    rotation = Rotation.from_rotvec(turn_of(axis, angle)).as_matrix()
    found = np.array(quaternion_of(rotation))
    wanted = Rotation.from_matrix(rotation).as_quat(scalar_first=True)
    assert found[0] >= 0.0
    assert min(np.abs(found - wanted).max(), np.abs(found + wanted).max()) < 4e-16
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=4e-16)


@given(axes, sizes)
def test_turns_are_those_of_scipy_and_lead_back(axis, angle):
    turn = turn_of(axis, angle)
    rotation = rotation_about(turn)
    np.testing.assert_allclose(rotation, Rotation.from_rotvec(turn).as_matrix(), atol=4e-16)
    back = turn_vector(rotation)
    if angle < math.pi - 1e-6:  # half a turn has two vectors
        np.testing.assert_allclose(back, turn, atol=1e-15 + 1e-15 / (math.pi - angle))
        np.testing.assert_allclose(
            back, Rotation.from_matrix(rotation).as_rotvec(), atol=2e-15 / (math.pi - angle)
        )
    assert np.linalg.norm(back) <= math.pi * (1.0 + 1e-15)


def test_what_is_no_rotation_is_told_as_not_a_number_and_not_raised():
    """The gate judges it: a simulated arm may end up nowhere."""
    for wrong in (math.nan, math.inf):
        rotation = np.eye(3)
        rotation[1, 1] = wrong
        assert not np.isfinite(quaternion_of(rotation)).all()


def poses(seed: int, count: int) -> list[Pose]:
    rng = np.random.default_rng(seed)
    turns = Rotation.random(count, random_state=rng).as_matrix()
    return [Pose(rng.normal(size=3), turn) for turn in turns]


def test_a_product_of_poses_is_that_of_their_matrices_and_stays_a_pose():
    def matrix(pose: Pose) -> np.ndarray:
        return np.vstack([np.column_stack([pose.rotation, pose.position_m]), [0, 0, 0, 1]])

    whole, wanted = Pose.identity(), np.eye(4)
    for pose in poses(1, 200):
        whole, wanted = whole @ pose, wanted @ matrix(pose)
    np.testing.assert_allclose(matrix(whole), wanted, atol=1e-12)
    np.testing.assert_allclose(matrix(whole @ whole.inverse()), np.eye(4), atol=1e-12)
    Pose(whole.position_m, whole.rotation)  # is checked anew, and passes
    with pytest.raises(ValueError, match="read-only"):
        whole.rotation[0, 0] = 2.0


def test_a_pose_at_another_place_is_checked_where_it_is_new():
    pose = poses(2, 1)[0]
    moved = pose.at([1.0, 2.0, 3.0])
    assert np.array_equal(moved.rotation, pose.rotation)
    assert moved.position_m.tolist() == [1.0, 2.0, 3.0]
    for wrong in ([1.0, 2.0], [1.0, math.nan, 3.0], [1.0, math.inf, 3.0]):
        with pytest.raises(PoseError, match="position_m"):
            pose.at(wrong)


@given(st.integers(0, 8), st.floats(-3.0, 3.0), st.integers(0, 2**31))
def test_a_matrix_is_refused_just_where_numpy_says_it_is_no_rotation(entry, power, seed):
    matrix = poses(seed, 1)[0].rotation.copy()
    matrix.ravel()[entry] += 10.0**power * ORTHONORMAL_TOLERANCE
    off = np.abs(matrix @ matrix.T - np.eye(3)).max()
    if abs(off - ORTHONORMAL_TOLERANCE) < 1e-12:
        return
    if off > ORTHONORMAL_TOLERANCE:
        with pytest.raises(PoseError, match="orthonormal"):
            Pose(np.zeros(3), matrix)
    else:
        Pose(np.zeros(3), matrix)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e200, 1e308])
def test_numbers_without_measure_are_no_rotation(value):
    for entry in range(9):
        matrix = np.eye(3)
        matrix.ravel()[entry] = value
        with pytest.raises(PoseError, match=r"finite|orthonormal"):
            Pose(np.zeros(3), matrix)
    Pose([1e308, 1e308, 1e308], np.eye(3))  # their sum is not finite, they are

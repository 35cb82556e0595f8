"""What a pose is: one set of axioms for all that have one."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil_common.arrays import pose as its
from platform6dof.kernels import rotation

seeds = st.integers(0, 2**31)


def random_pose(rng):
    turn = Rotation.random(rng=rng).as_matrix()
    return its.Pose(rng.uniform(-3.0, 3.0, 3), turn)


def matrix(pose):
    """As a homogeneous matrix: the judge, that knows nothing of poses."""
    return np.block(
        [[pose.rotation, pose.position_m[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]
    )


def assert_close(pose, wanted):
    np.testing.assert_allclose(matrix(pose), wanted, atol=1e-13)


def test_position_comes_first_then_the_rotation():
    assert list(inspect.signature(its.Pose).parameters) == ["position_m", "rotation"]
    turn = Rotation.from_euler("ZYX", [0.3, -0.2, 0.1]).as_matrix()
    pose = its.Pose([1.0, 2.0, 3.0], turn)
    assert pose.position_m.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(pose.rotation, turn)
    with pytest.raises(
        its.PoseError, match=r"shape \(3, 3\), must be \(3,\)|shape \(3,\), must be"
    ):
        its.Pose(turn, [1.0, 2.0, 3.0])


@given(seed=seeds)
def test_poses_are_a_group_and_compose_as_their_matrices_do(seed):
    rng = np.random.default_rng(seed)
    a, b, c = (random_pose(rng) for _ in range(3))
    one = its.Pose.identity()
    assert_close(one, np.eye(4))
    assert_close(a @ b, matrix(a) @ matrix(b))
    assert_close((a @ b) @ c, matrix(a @ (b @ c)))
    assert_close(a @ one, matrix(a))
    assert_close(one @ a, matrix(a))
    assert_close(a.inverse(), np.linalg.inv(matrix(a)))
    assert_close(a @ a.inverse(), np.eye(4))
    assert_close((a @ b).inverse(), matrix(b.inverse() @ a.inverse()))


@given(seed=seeds)
def test_a_pose_carries_points_and_keeps_their_distances(seed):
    rng = np.random.default_rng(seed)
    X_AB, X_BC = random_pose(rng), random_pose(rng)
    X_AC = X_AB @ X_BC
    points = rng.uniform(-1.0, 1.0, (2, 3))
    in_b = X_BC.position_m + points @ X_BC.rotation.T
    in_a = X_AB.position_m + in_b @ X_AB.rotation.T
    np.testing.assert_allclose(X_AC.position_m + points @ X_AC.rotation.T, in_a, atol=1e-13)
    apart = np.linalg.norm(points[0] - points[1])
    assert np.linalg.norm(in_a[0] - in_a[1]) == pytest.approx(apart, abs=1e-13)


def test_a_pose_is_made_once_and_shares_nothing():
    place, turn = np.zeros(3), np.eye(3)
    pose = its.Pose(place, turn)
    place[0], turn[0, 0] = 7.0, 7.0
    assert_close(pose, np.eye(4))
    for one in (pose, pose.inverse(), pose @ pose, its.Pose.identity()):
        for array in (one.position_m, one.rotation):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0
        with pytest.raises(AttributeError):
            one.position_m = place


def test_what_is_no_pose_is_refused_with_what_would_be_right():
    with pytest.raises(its.PoseError, match=r"position_m: shape \(2,\), must be \(3,\)"):
        its.Pose(np.zeros(2), np.eye(3))
    with pytest.raises(its.PoseError, match=r"rotation: shape \(4, 4\), must be \(3, 3\)"):
        its.Pose(np.zeros(3), np.eye(4))
    with pytest.raises(its.PoseError, match="position_m: not an array of numbers"):
        its.Pose(["x", "y", "z"], np.eye(3))
    with pytest.raises(its.PoseError, match="not orthonormal"):
        its.Pose(np.zeros(3), np.eye(3) * (1.0 + 1e-6))
    its.Pose(np.zeros(3), np.eye(3) * (1.0 + 4e-7))
    with pytest.raises(its.PoseError, match="reflection"):
        its.Pose(np.zeros(3), np.diag([1.0, 1.0, -1.0]))
    for bad in (math.nan, math.inf, -math.inf):
        for entry in range(12):
            numbers = np.hstack([np.zeros(3), np.eye(3).ravel()])
            numbers[entry] = bad
            with pytest.raises(its.PoseError, match="finite"):
                its.Pose(numbers[:3], numbers[3:].reshape(3, 3))
    with pytest.raises(TypeError):
        _ = its.Pose.identity() @ np.eye(3)


def test_what_is_beyond_all_numbers_is_no_pose():
    far = its.Pose([1.7e308, 0.0, 0.0], np.eye(3))
    with np.errstate(over="ignore"), pytest.raises(its.PoseError, match="not finite"):
        _ = far @ far


def test_coordinates_are_those_of_the_kernels_to_the_last_bit():
    """Setpoints come from the kernels, poses from here: a row of both shows no step."""
    rng = np.random.default_rng(7)
    rows = rng.uniform(-3.2, 3.2, (2000, 6))
    rows[:50, 4] = np.pi / 2
    setpoints = rotation.setpoints_of_coordinates(rows, rows, rows)[:, :12]
    back = np.empty(6)
    for row, packed in zip(rows, setpoints, strict=True):
        pose = its.Pose.from_coordinates(row)
        assert pose.packed.tobytes() == packed.tobytes()
        rotation.coordinates_of_pose(pose.position_m, pose.rotation, back)
        assert pose.coordinates().tobytes() == back.tobytes()

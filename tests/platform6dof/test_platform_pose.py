import math

import numpy as np
import pytest
from hexapods import coordinates, numbers, vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil_common.arrays.pose import Pose, PoseError
from platform6dof.pose import PlatformSetpoint


def matrix(q):
    """An independent oracle: intrinsic z, y, x is Rz Ry Rx."""
    return Rotation.from_euler("ZYX", q[3:]).as_matrix()


@given(st.tuples(*[numbers(3.1)] * 6))
def test_the_rotation_is_rz_ry_rx(q):
    pose = Pose.from_coordinates(q)
    np.testing.assert_allclose(pose.rotation, matrix(q), atol=1e-14)
    np.testing.assert_array_equal(pose.position_m, q[:3])


@given(st.tuples(*[numbers(1.5)] * 6))
def test_coordinates_come_back(q):
    np.testing.assert_allclose(Pose.from_coordinates(q).coordinates(), q, atol=1e-13)


@pytest.mark.parametrize("beta", [math.pi / 2, -math.pi / 2])
def test_coordinates_at_gimbal_lock_give_the_same_pose_with_gamma_zero(beta):
    pose = Pose.from_coordinates([1, 2, 3, 0.7, beta, -0.4])
    again = pose.coordinates()
    assert again[5] == 0.0
    np.testing.assert_allclose(Pose.from_coordinates(again).rotation, pose.rotation, atol=1e-9)


@given(coordinates(), vectors(), vectors())
def test_twist_and_acceleration_are_derivatives_of_the_motion(q, dq, ddq):
    """Central differences of scipy's rotation along the motion q(t)."""
    h = 1e-4

    def at(t):
        return q + dq * t + 0.5 * ddq * t * t

    def omega(t):
        e = 1e-5
        turn = matrix(at(t + e)) @ matrix(at(t - e)).T
        return Rotation.from_matrix(turn).as_rotvec() / (2 * e)

    setpoint = PlatformSetpoint.from_coordinates(q, dq, ddq)
    np.testing.assert_array_equal(setpoint.V_BP[:3], dq[:3])
    np.testing.assert_array_equal(setpoint.A_BP[:3], ddq[:3])
    np.testing.assert_allclose(setpoint.V_BP[3:], omega(0.0), atol=1e-8)
    np.testing.assert_allclose(setpoint.A_BP[3:], (omega(h) - omega(-h)) / (2 * h), atol=2e-5)
    np.testing.assert_allclose(setpoint.X_BP.rotation, matrix(q), atol=1e-14)


def test_pure_turns_about_each_axis():
    for k, axis in ((3, 2), (4, 1), (5, 0)):
        rate = np.zeros(6)
        rate[k] = 0.5
        twist = PlatformSetpoint.from_coordinates(np.zeros(6), rate, -rate)
        expected = np.zeros(6)
        expected[3 + axis] = 0.5
        np.testing.assert_array_equal(twist.V_BP, expected)
        np.testing.assert_array_equal(twist.A_BP, -expected)


def test_at_rest_does_not_move():
    setpoint = PlatformSetpoint.at_rest(Pose.identity())
    assert not setpoint.V_BP.any()
    assert not setpoint.A_BP.any()


def test_all_arrays_are_read_only_and_not_shared():
    pose = Pose(np.zeros(3), np.eye(3))
    twist = np.zeros(6)
    given_setpoint = PlatformSetpoint(pose, twist, twist)
    twist[0] = 7.0
    assert given_setpoint.V_BP[0] == 0.0
    fast = PlatformSetpoint.from_coordinates(np.zeros(6), np.zeros(6), np.zeros(6))
    for one in (given_setpoint, fast, PlatformSetpoint.at_rest(Pose.from_coordinates(twist))):
        for array in (one.X_BP.position_m, one.X_BP.rotation, one.V_BP, one.A_BP):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0
            assert array.flags.c_contiguous


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(6))
def test_numbers_that_are_not_finite_are_refused(bad, place):
    q = np.zeros(6)
    q[place] = bad
    zero = np.zeros(6)
    with pytest.raises(PoseError, match="finite"):
        Pose.from_coordinates(q)
    for arguments in ((q, zero, zero), (zero, q, zero), (zero, zero, q)):
        with pytest.raises(PoseError, match="finite"):
            PlatformSetpoint.from_coordinates(*arguments)
    with pytest.raises(PoseError, match="finite"):
        PlatformSetpoint(Pose.identity(), q, zero)
    with pytest.raises(PoseError, match="finite"):
        PlatformSetpoint(Pose.identity(), zero, q)


def test_wrong_shapes_are_refused_with_what_would_be_right():
    with pytest.raises(PoseError, match=r"must be \(6,\)"):
        Pose.from_coordinates(np.zeros(5))
    for wrong in (np.zeros(5), np.zeros((1, 6)), np.zeros((6, 6)), np.zeros(7)):
        with pytest.raises(PoseError, match=r"must be \(6,\)"):
            PlatformSetpoint.from_coordinates(np.zeros(6), wrong, np.zeros(6))
    with pytest.raises(PoseError, match="not an array of numbers"):
        Pose.from_coordinates(["x"] * 6)
    with pytest.raises(PoseError, match="must be a Pose"):
        PlatformSetpoint(np.zeros(6), np.zeros(6), np.zeros(6))  # type: ignore[arg-type]


def test_lists_tuples_and_strided_arrays_are_the_same_numbers():
    q = [0.1, 0.2, 0.9, 0.1, -0.2, 0.3]
    wide = np.zeros(12)
    wide[::2] = q
    expected = PlatformSetpoint.from_coordinates(np.array(q), np.array(q), np.array(q))
    for form in (q, tuple(q), wide[::2]):
        one = PlatformSetpoint.from_coordinates(form, form, form)
        np.testing.assert_array_equal(one.X_BP.rotation, expected.X_BP.rotation)
        np.testing.assert_array_equal(one.V_BP, expected.V_BP)
        np.testing.assert_array_equal(one.A_BP, expected.A_BP)

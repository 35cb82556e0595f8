"""D-H numbers there and back, judged by SciPy's rotations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from scipy.spatial.transform import Rotation

from sim.world.robots import dh

angles = st.floats(-math.pi, math.pi)
ways = st.floats(-2.0, 2.0)
ANYWHERE = 1e-9
"""Greatest error of a pose there and back [m, 1]."""


def about(axis, angle_rad, way_m=0.0):
    """Turn about an axis and go along it."""
    pose = np.eye(4)
    direction = np.array([float(axis == one) for one in "xyz"])
    pose[:3, :3] = Rotation.from_rotvec(angle_rad * direction).as_matrix()
    pose[:3, 3] = way_m * direction
    return pose


def judged(gamma, b, alpha, d, theta, r):
    return about("z", gamma, b) @ about("x", alpha, d) @ about("z", theta, r)


def pose(quaternion, position):
    made = np.eye(4)
    made[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    made[:3, 3] = position
    return made


@given(st.tuples(angles, ways, angles, ways, angles, ways))
def test_six_numbers_are_three_screws(numbers):
    assert np.abs(dh.pose_of(numbers) - judged(*numbers)).max() < 1e-14


@given(st.tuples(angles, ways, angles, ways))
def test_four_numbers_are_the_last_of_six(numbers):
    assert np.array_equal(dh.pose_of(numbers), dh.pose_of((0.0, 0.0, *numbers)))


@at_least(200)
@given(st.integers(0, 2**32 - 1))
def test_any_pose_there_and_back(seed):
    rng = np.random.default_rng(seed)
    wanted = pose(rng.normal(size=4), rng.uniform(-3.0, 3.0, 3))
    found = dh.dh_of(wanted)
    assert len(found) == 6
    assert abs(found[0]) <= math.pi / 2
    assert np.abs(dh.pose_of(found) - wanted).max() < ANYWHERE


@given(st.tuples(angles, st.floats(0.1, 3.04), angles, ways, ways))
def test_four_numbers_come_back_as_four(numbers):
    theta, alpha, sign, d, r = numbers
    four = (math.copysign(alpha, sign), d, theta, r)
    found = dh.dh_of(dh.pose_of(four))
    assert len(found) == 4
    assert np.abs(dh.pose_of(found) - dh.pose_of(four)).max() < 1e-13


@pytest.mark.parametrize("turned_over", [0.0, math.pi])
@pytest.mark.parametrize("tilt", [0.0, 1e-16, 1e-12])
@given(st.tuples(angles, ways, ways, ways))
def test_parallel_axes(turned_over, tilt, numbers):
    theta, *position = numbers
    wanted = about("x", turned_over + tilt) @ about("z", theta)
    wanted[:3, 3] = position
    assert np.abs(dh.pose_of(dh.dh_of(wanted)) - wanted).max() < ANYWHERE


@pytest.mark.parametrize("tilt", [3e-9, 1.5e-8, 1e-7, 1e-6])
def test_nearly_parallel_axes_lose_what_is_said(tilt):
    wanted = about("z", 0.3) @ about("x", tilt) @ about("z", 1.0)
    wanted[:3, 3] = 0.4, -1.1, 2.0
    assert np.abs(dh.pose_of(dh.dh_of(wanted)) - wanted).max() < 1e-7

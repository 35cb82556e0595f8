"""Turns as axis and angle, against SciPy's."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from platform6dof.turn import rotation_vector

component = st.floats(-1.0, 1.0)
axes = st.tuples(component, component, component).filter(lambda axis: np.linalg.norm(axis) > 0.01)
angles = st.one_of(
    st.floats(0.0, math.pi - 1e-3), st.floats(0.0, 1e-7), st.floats(math.pi - 1e-3, math.pi - 1e-6)
)


@given(axes, angles)
@example((1.0, 0.0, 0.0), 0.0)
@example((0.0, -1.0, 0.0), math.pi - 1e-6)
@example((0.0, 0.0, 1.0), 3e-9)
def test_it_is_that_of_scipy(axis, angle_rad):
    wanted = angle_rad * np.array(axis) / np.linalg.norm(axis)
    rotation = Rotation.from_rotvec(wanted)
    found = rotation_vector(rotation.as_matrix())
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    np.testing.assert_allclose(found, rotation.as_rotvec(), atol=4e-15 * (1.0 + 1e5 * angle_rad))


@pytest.mark.parametrize("axis", [*np.eye(3).tolist(), [0.6, -0.64, 0.48], [-0.6, 0.0, -0.8]])
def test_a_half_turn_is_one_of_its_two(axis):
    found = rotation_vector(2.0 * np.outer(axis, axis) - np.eye(3))
    assert np.linalg.norm(found) == pytest.approx(math.pi)
    assert abs(found @ np.array(axis)) == pytest.approx(math.pi)


def test_no_turn_is_none():
    np.testing.assert_array_equal(rotation_vector(np.eye(3)), np.zeros(3))

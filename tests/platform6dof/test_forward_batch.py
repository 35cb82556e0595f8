"""Poses of very many leg lengths, judged by scipy's lengths of a pose and by single searches."""

import math

import numpy as np
import pytest
from hexapods import every_kind, lopsided, paper
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil_common.arrays.pose import Pose
from platform6dof.forward import forward, forward_batch
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths

KINDS = every_kind()
HOME = Pose.from_coordinates([0.0, 0.0, 0.95, 0.0, 0.0, 0.0])


def motion(count: int, step_s: float = 0.002, size: float = 1.0) -> np.ndarray:
    """Sines of six frequencies as a loop samples them, (N, 6)."""
    t_s = step_s * np.arange(count)[:, None]
    waves = np.sin(2.0 * np.pi * np.array([0.5, 0.7, 0.9, 0.6, 0.8, 0.4]) * t_s)
    return HOME.coordinates() + size * np.array([0.05, 0.06, 0.04, 0.08, 0.07, 0.09]) * waves


def distances(geometry: HexapodGeometry, q: np.ndarray) -> np.ndarray:
    """Distances of the joints, by scipy: the lengths of legs whose screws do not wind."""
    turns = Rotation.from_euler("ZYX", q[:, 3:]).as_matrix()
    ends = q[:, None, :3] + np.einsum("nij,lj->nli", turns, geometry.platform_joints_m)
    return np.linalg.norm(ends - geometry.base_joints_m, axis=2)


@pytest.mark.parametrize("geometry", [paper(), lopsided()], ids=["paper", "lopsided"])
@pytest.mark.parametrize("step_s", [1e-4, 0.002, 0.05, 0.4])
def test_a_motion_is_found_again(geometry, step_s):
    q = motion(400, step_s)
    found = forward_batch(geometry, distances(geometry, q), HOME)
    assert found.converged.all()
    assert found.residual_m.max() <= 1e-12
    np.testing.assert_allclose(found.position_m, q[:, :3], rtol=0, atol=1e-10)
    turns = Rotation.from_euler("ZYX", q[:, 3:]).as_matrix()
    np.testing.assert_allclose(found.rotation, turns, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", range(3))
@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_each_row_is_what_one_search_from_the_row_before_finds(kind, seed, jump):
    """Poses that leap as well, and screws that wind."""
    geometry, random = KINDS[kind], np.random.default_rng(seed)
    q = motion(12) + jump * random.uniform(-0.1, 0.1, (12, 6))
    lengths = np.array([leg_lengths(geometry, Pose.from_coordinates(one)) for one in q])
    found = forward_batch(geometry, lengths, HOME)
    guess = HOME
    for row, wanted in enumerate(lengths):
        one = forward(geometry, wanted, guess)
        assert bool(found.converged[row]) is one.converged
        if one.converged:
            guess = one.X_BP
            np.testing.assert_allclose(found.position_m[row], guess.position_m, atol=1e-9)
            np.testing.assert_allclose(found.rotation[row], guess.rotation, atol=1e-9)
            assert found.condition[row] == pytest.approx(one.condition, rel=1e-6)


def test_a_row_without_a_pose_is_told_and_the_next_goes_on():
    geometry, q = paper(), motion(40)
    lengths = distances(geometry, q)
    lengths[7, 2] = math.nan
    lengths[8] = [0.9, 0.9, 0.9, 0.9, 0.9, 2.9]
    lengths[20, 4] = -1.0
    found = forward_batch(geometry, lengths, HOME)
    assert np.flatnonzero(~found.converged).tolist() == [7, 8, 20]
    assert np.isnan(found.position_m[[7, 8, 20]]).all()
    assert np.isnan(found.rotation[7]).all()
    assert found.reason(7) == "leg 3: length nan m is not finite"
    assert found.reason(8).startswith("legs 1 and 6: 0.9 m and 2.9 m differ by 2 m")
    assert found.reason(20) == "leg 5: length -1 m, must be above 0 m"
    assert found.reason(9) == ""
    np.testing.assert_allclose(found.position_m[9:20], q[9:20, :3], atol=1e-10)


def test_a_pose_that_is_nearly_singular_is_not_to_be_used():
    geometry, lengths = paper(), distances(paper(), motion(3))
    strict = forward_batch(geometry, lengths, HOME, condition_max=1.5)
    assert not strict.converged.any()
    assert "condition number" in strict.reason(1)
    assert np.isnan(strict.position_m).all()
    one = forward(geometry, lengths[0], HOME, condition_max=1.5)
    assert one.reason == strict.reason(0)


def test_arrays_are_read_only_and_the_inputs_stay_as_they_were():
    lengths = distances(paper(), motion(5))
    kept, start = lengths.copy(), HOME.position_m.copy()
    found = forward_batch(paper(), lengths, HOME)
    np.testing.assert_array_equal(lengths, kept)
    np.testing.assert_array_equal(HOME.position_m, start)
    for array in (found.position_m, found.rotation, found.iterations, found.converged):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("shape", [(6,), (4, 5), (2, 6, 1)])
def test_lengths_are_rows_of_six(shape):
    with pytest.raises(ValueError, match=r"length_m: shape .*, must be \(N, 6\)"):
        forward_batch(paper(), np.ones(shape), HOME)


def test_no_rows_give_no_poses():
    assert forward_batch(paper(), np.empty((0, 6)), HOME).position_m.shape == (0, 3)

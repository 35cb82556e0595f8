"""The parts of the forward kinematics' Newton method, each against an independent oracle."""

import math

import numpy as np
import pytest
from hexapods import lopsided, numbers, paper, vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil_common.arrays.pose import Pose
from platform6dof.forward import forward
from platform6dof.inverse import leg_lengths
from platform6dof.kernels import legs

WORN = Pose.from_coordinates([-0.01, 0.05, 0.95, -0.13, -0.08, 0.03])
FAR = Pose.from_coordinates([-0.22, -0.24, 0.91, 0.24, 0.08, -0.22])


@pytest.mark.parametrize("columns", [1, 6])
@pytest.mark.parametrize("seed", range(20))
def test_the_solver_is_lapacks(columns, seed):
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(6, 6))
    right = generator.normal(size=(6, columns))
    expected = np.linalg.solve(matrix, right)
    assert legs.solve(matrix.copy(), right)
    np.testing.assert_allclose(right, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("shift", range(1, 6))
def test_the_solver_pivots(shift):
    """A permutation has zeros on its diagonal; a tiny first pivot would eat the digits."""
    matrix = np.roll(np.eye(6), shift, axis=0)
    wanted = np.arange(1.0, 7.0).reshape(6, 1)
    right = matrix @ wanted
    assert legs.solve(matrix.copy(), right)
    np.testing.assert_array_equal(right, wanted)
    matrix = np.random.default_rng(shift).normal(size=(6, 6))
    matrix[0, 0] = 1e-13
    right = matrix @ wanted
    assert legs.solve(matrix.copy(), right)
    np.testing.assert_allclose(right, wanted, rtol=1e-11)


@pytest.mark.parametrize("rank", range(6))
def test_the_solver_tells_a_singular_matrix(rank):
    diagonal = np.diag([1.0] * rank + [0.0] * (6 - rank))
    assert not legs.solve(diagonal, np.ones((6, 1)))
    assert not legs.solve(np.full((6, 6), math.nan), np.ones((6, 1)))


@given(vectors(1.0), vectors(0.5), st.sampled_from([1.0, 0.25, 9e-5, 1.1e-4, 1e-9, 0.0]))
def test_a_step_shifts_and_turns_about_base_axes(q, step, factor):
    start = Pose.from_coordinates(q)
    p, r = np.empty(3), np.empty((3, 3))
    legs._move(start.position_m, start.rotation, factor * step, p, r)
    turn = Rotation.from_rotvec(factor * step[3:]).as_matrix()
    np.testing.assert_allclose(p, start.position_m + factor * step[:3], rtol=0, atol=1e-15)
    np.testing.assert_allclose(r, turn @ start.rotation, rtol=0, atol=1e-15)


@given(vectors(1.0), st.tuples(*[numbers(1e-5)] * 9))
def test_squaring_up_gives_the_nearest_rotation(q, noise):
    rotation = Pose.from_coordinates(q).rotation
    spoilt = rotation + np.reshape(noise, (3, 3))
    left, _, right = np.linalg.svd(spoilt)
    legs._square_up(spoilt)
    np.testing.assert_allclose(spoilt, left @ right, rtol=0, atol=1e-8)
    np.testing.assert_allclose(spoilt @ spoilt.T, np.eye(3), rtol=0, atol=1e-8)


@pytest.mark.parametrize("slack", [0.0, 0.01])
@pytest.mark.parametrize("pair", range(15))
def test_quadrilaterals_close_up_to_their_edge(pair, slack):
    """One pair at a time; the others have no limits. Winding moves each of two legs by slack."""
    first, second = (int(one[pair]) for one in np.triu_indices(6, 1))
    limits = np.column_stack([np.full(15, 1e9), np.zeros(15)])
    limits[pair] = (0.5, 1.5)
    for unequal, expected in ((0.5 + 1.98 * slack, True), (0.51 + 2.02 * slack, False)):
        lengths = np.full(6, 2.0)
        lengths[second] += unequal
        status, place = legs._impossible(lengths, limits, slack)
        assert (status == legs.CONVERGED) is expected
        assert expected or (status, place) == (legs.TOO_UNEQUAL, pair)
    for together, expected in ((1.5 - 1.98 * slack, True), (1.49 - 2.02 * slack, False)):
        lengths = np.full(6, 2.0)
        lengths[[first, second]] = 0.5 * together
        status, place = legs._impossible(lengths, limits, slack)
        assert (status == legs.CONVERGED) is expected
        assert expected or (status, place) == (legs.TOO_SHORT, pair)


def steps_from(geometry, lengths, guess, limit):
    out = np.empty(17)
    legs.pose_of_lengths(
        geometry.table,
        geometry.pair_limits_m,
        lengths,
        guess.position_m,
        guess.rotation,
        geometry.length_scale_m,
        1e-12,
        limit,
        out,
    )
    return Pose(out[:3], out[3:12].reshape(3, 3))


def test_a_step_that_overshoots_is_halved():
    """From here the full step lengthens the residual; half of it and the next ones converge."""
    geometry = paper()
    lengths = leg_lengths(geometry, WORN)
    found = forward(geometry, lengths, FAR)
    assert found.converged, found.reason
    np.testing.assert_allclose(found.X_BP.coordinates(), WORN.coordinates(), rtol=0, atol=1e-9)


def test_the_residual_falls_with_every_step():
    geometry = paper()
    lengths = leg_lengths(geometry, WORN)
    squares = [
        float(((leg_lengths(geometry, steps_from(geometry, lengths, FAR, n)) - lengths) ** 2).sum())
        for n in range(6)
    ]
    assert (np.diff(squares) < 0.0).all()
    assert squares[0] > 1e-3
    assert squares[-1] < 1e-20


def test_no_step_turns_more_than_half_a_radian():
    geometry = lopsided()
    lengths = leg_lengths(geometry, Pose.from_coordinates([0, 0, 0.9, 0.9, 0, 0]))
    guess = Pose.from_coordinates([0, 0, 0.9, -0.3, 0, 0])
    first = steps_from(geometry, lengths, guess, 1)
    turned = Rotation.from_matrix(first.rotation @ guess.rotation.T).magnitude()
    assert turned == pytest.approx(0.5, abs=1e-6)
    found = forward(geometry, lengths, guess)
    assert found.converged, found.reason
    assert found.X_BP.coordinates()[3] == pytest.approx(0.9, abs=1e-9)

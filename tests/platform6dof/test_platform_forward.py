import math

import numpy as np
import pytest
from hexapods import DEG, coordinates, every_kind, lopsided, numbers, paper, vectors
from hypothesis import given
from hypothesis import strategies as st

from hil_common.arrays.pose import Pose
from platform6dof.forward import forward
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths
from platform6dof.jacobian import (
    condition_number,
    leg_jacobian,
    singular_values,
    smallest_singular_value,
)

KINDS = every_kind()
anything = st.floats(allow_nan=True, allow_infinity=True)


def difference(one: Pose, other: Pose) -> float:
    """Largest difference of position [m] and rotation matrix."""
    return max(
        float(np.abs(one.position_m - other.position_m).max()),
        float(np.abs(one.rotation - other.rotation).max()),
    )


@pytest.mark.parametrize("kind", range(3))
@given(q=coordinates(), away=vectors(0.02))
def test_the_pose_of_a_poses_lengths_is_that_pose(kind, q, away):
    geometry, pose = KINDS[kind], Pose.from_coordinates(q)
    found = forward(geometry, leg_lengths(geometry, pose), Pose.from_coordinates(q + away))
    assert found.converged, found.reason
    assert found.reason == ""
    assert found.residual_m <= 1e-12
    assert difference(found.X_BP, pose) < 1e-9


@pytest.mark.parametrize("kind", range(3))
@given(q=coordinates(), change=st.tuples(*[numbers(0.01)] * 6))
def test_the_lengths_of_a_found_pose_are_the_lengths(kind, q, change):
    geometry, pose = KINDS[kind], Pose.from_coordinates(q)
    lengths = leg_lengths(geometry, pose) + change
    found = forward(geometry, lengths, pose)
    assert found.converged, found.reason
    np.testing.assert_allclose(leg_lengths(geometry, found.X_BP), lengths, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", range(3))
@given(q=coordinates(), tick=vectors(0.01))
def test_a_warm_start_takes_at_most_four_steps(kind, q, tick):
    """A tick's motion is at most 10 mm and 10 mrad: 1 m/s and 1 rad/s at 100 Hz."""
    geometry = KINDS[kind]
    lengths = leg_lengths(geometry, Pose.from_coordinates(q + tick))
    found = forward(geometry, lengths, Pose.from_coordinates(q))
    assert found.converged
    assert found.iterations <= 4


@given(coordinates())
def test_a_cold_start_from_the_neutral_pose_finds_the_pose(q):
    geometry, pose = paper(), Pose.from_coordinates(q)
    found = forward(geometry, leg_lengths(geometry, pose), geometry.neutral_pose)
    assert found.converged, found.reason
    assert difference(found.X_BP, pose) < 1e-9


def test_an_exact_guess_takes_no_step():
    geometry = lopsided(0.02)
    pose = Pose.from_coordinates([0.03, -0.02, 0.97, 0.1, 0.05, -0.08])
    found = forward(geometry, leg_lengths(geometry, pose), pose)
    assert found.converged
    assert found.iterations == 0
    assert difference(found.X_BP, pose) < 1e-15


@given(coordinates(), vectors(0.02))
def test_a_warm_start_stays_on_its_branch(q, away):
    """Both plates are flat: mirrored at the base, the platform has the same lengths."""
    geometry, above = paper(), Pose.from_coordinates(q)
    mirror = np.diag([1.0, 1.0, -1.0])
    below = Pose(mirror @ above.position_m, mirror @ above.rotation @ mirror)
    lengths = leg_lengths(geometry, above)
    np.testing.assert_allclose(leg_lengths(geometry, below), lengths, atol=1e-14)
    for branch in (above, below):
        guess = branch @ Pose.from_coordinates(away)
        found = forward(geometry, lengths, guess)
        assert found.converged
        assert difference(found.X_BP, branch) < 1e-9


def test_a_long_chain_of_warm_starts_does_not_drift():
    geometry, pose = lopsided(0.02), lopsided().neutral_pose
    for n in range(20000):
        t = n * 1e-3
        q = [
            0.05 * math.sin(t),
            0.04 * math.cos(t),
            0.95,
            0.1 * math.sin(2 * t),
            0.1,
            0.05 * t / 20,
        ]
        wanted = Pose.from_coordinates(q)
        found = forward(geometry, leg_lengths(geometry, wanted), pose)
        assert found.converged
        pose = found.X_BP
    assert difference(pose, wanted) < 1e-11
    np.testing.assert_allclose(pose.rotation @ pose.rotation.T, np.eye(3), rtol=0, atol=1e-15)


@given(coordinates(), vectors(1.0))
def test_a_far_start_says_the_truth_about_itself(q, far):
    """Whatever it finds, converged means that the lengths are right; else the guess comes back."""
    geometry = lopsided(0.02)
    lengths, guess = leg_lengths(geometry, Pose.from_coordinates(q)), Pose.from_coordinates(q + far)
    found = forward(geometry, lengths, guess)
    if found.converged:
        np.testing.assert_allclose(leg_lengths(geometry, found.X_BP), lengths, rtol=0, atol=2e-12)
    else:
        assert found.X_BP is guess
        assert found.reason


@given(st.tuples(*[anything] * 6))
def test_no_number_makes_it_raise(lengths):
    geometry = paper()
    found = forward(geometry, lengths, geometry.neutral_pose)
    if not np.isfinite(lengths).all():
        assert not found.converged
        assert "is not finite" in found.reason
    if not found.converged:
        assert found.reason
        assert found.X_BP is geometry.neutral_pose


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_impossible_numbers_are_told_with_the_leg(leg, bad):
    lengths = np.ones(6)
    lengths[leg] = bad
    found = forward(paper(), lengths, paper().neutral_pose)
    assert not found.converged
    assert found.iterations == 0
    assert found.reason.startswith(f"leg {leg + 1}: length")


@given(st.integers(0, 5), st.integers(0, 5))
def test_triangle_inequality_is_checked_before_any_step(first, second):
    if first == second:
        return
    geometry = paper()
    below = np.linalg.norm(geometry.base_joints_m[first] - geometry.base_joints_m[second])
    above = np.linalg.norm(geometry.platform_joints_m[first] - geometry.platform_joints_m[second])
    lengths = np.full(6, 1.0)
    lengths[first] = 1.0 + below + above + 1e-6
    found = forward(geometry, lengths, geometry.neutral_pose)
    assert not found.converged
    assert found.iterations == 0
    assert math.isnan(found.residual_m)
    assert "their joints allow" in found.reason
    assert f"{first + 1}" in found.reason


def test_two_legs_too_short_to_span_their_joints_are_named():
    geometry = HexapodGeometry.from_circles(1.0, 14 * DEG, 0.3, 0.0, 0.8, 0.8)
    short = np.full(6, 1.1)
    short[0] = short[3] = 0.3
    found = forward(geometry, short, geometry.neutral_pose)
    assert "legs 1 and 4: 0.3 m and 0.3 m are 0.6 m together; their joints need" in found.reason
    need = float(geometry.pair_limits_m[2, 1])
    apart = np.linalg.norm(geometry.base_joints_m[0] - geometry.base_joints_m[3])
    own = np.linalg.norm(geometry.platform_joints_m[0] - geometry.platform_joints_m[3])
    assert need == pytest.approx(abs(apart - own), abs=1e-15)


@given(vectors(3.0), st.sampled_from([0.0, 0.2, -0.2]))
def test_lengths_of_any_pose_at_all_pass_the_triangle_check(q, lead):
    geometry = lopsided(lead)
    pose = Pose.from_coordinates(q)
    lengths = leg_lengths(geometry, pose)
    found = forward(geometry, lengths, pose, condition_max=math.inf)
    if (lengths > 0.0).all():
        assert found.converged, found.reason
        assert found.iterations == 0


def test_lengths_that_no_pose_has_are_not_converged():
    """They pass every pairwise check, and yet the six do not fit together."""
    geometry = paper()
    lengths = np.array([1.0, 1.38, 1.0, 1.38, 1.0, 1.38])
    found = forward(geometry, lengths, geometry.neutral_pose)
    assert not found.converged
    assert found.X_BP is geometry.neutral_pose
    assert "residual" in found.reason
    assert found.residual_m > 1e-6


def test_the_number_of_steps_is_limited():
    geometry = paper()
    lengths = leg_lengths(geometry, Pose.from_coordinates([0.05, 0, 1.0, 0.1, 0, 0]))
    for limit in range(3):
        found = forward(geometry, lengths, geometry.neutral_pose, max_steps=limit)
        assert not found.converged
        assert found.iterations == limit
        assert f"no convergence in {limit} steps" in found.reason
        assert found.X_BP is geometry.neutral_pose


def test_a_singular_pose_is_refused_with_its_condition():
    geometry = HexapodGeometry.from_circles(
        1.0, 14 * DEG, 0.70, 46 * DEG, 0.9, 0.74, plate_rotation_rad=math.pi / 2
    )
    neutral = geometry.neutral_pose
    found = forward(geometry, leg_lengths(geometry, neutral), neutral)
    assert not found.converged
    assert found.condition > 1e6
    assert "condition number" in found.reason
    assert "1e+06" in found.reason
    lengths = leg_lengths(geometry, neutral) + np.array([1e-3, 0, 0, 0, 0, 0])
    assert not forward(geometry, lengths, neutral).converged


def test_condition_limit_decides():
    geometry = paper()
    lengths = leg_lengths(geometry, geometry.neutral_pose)
    condition = forward(geometry, lengths, geometry.neutral_pose).condition
    assert forward(geometry, lengths, geometry.neutral_pose, condition_max=condition).converged
    lower = math.nextafter(condition, 0.0)
    assert not forward(geometry, lengths, geometry.neutral_pose, condition_max=lower).converged


@given(coordinates())
def test_the_condition_number_is_numpys_one_norm(q):
    geometry, pose = lopsided(0.02), Pose.from_coordinates(q)
    scaled = np.array(leg_jacobian(geometry, pose))
    scaled[:, 3:] /= geometry.length_scale_m
    found = forward(geometry, leg_lengths(geometry, pose), pose)
    assert found.condition == pytest.approx(np.linalg.cond(scaled, 1), rel=1e-9)
    assert condition_number(geometry, pose) == pytest.approx(np.linalg.cond(scaled, 2), rel=1e-9)


def test_the_weakest_direction_at_home_moves_the_legs_by_the_smallest_singular_value():
    geometry, home = paper(), Pose.from_coordinates([0, 0, 0.935, 0, 0, 0])
    values = singular_values(geometry, home)
    assert smallest_singular_value(geometry, home) == values[5]
    assert (np.diff(values) <= 0.0).all()
    scaled = np.array(leg_jacobian(geometry, home))
    scaled[:, 3:] /= geometry.length_scale_m
    directions = np.random.default_rng(5).normal(size=(2000, 6))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    gains = np.linalg.norm(directions @ scaled.T, axis=1)
    assert gains.min() >= values[5]
    assert gains.max() <= values[0]
    assert values[5] == pytest.approx(np.sqrt(np.linalg.eigvalsh(scaled.T @ scaled)[0]), abs=1e-12)


def test_six_numbers_are_asked_for():
    with pytest.raises(ValueError, match=r"must be \(6,\)"):
        forward(paper(), np.ones(5), paper().neutral_pose)

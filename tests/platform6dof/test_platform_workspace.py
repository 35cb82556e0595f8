import math

import numpy as np
import pytest
from hexapods import DEG, lopsided, paper

from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths
from platform6dof.workspace import PoseBox, extremes, sample

T = 10 * DEG
PRINTED = PoseBox(np.array([-0.1, -0.1, 0.73, -T, -T, -T]), np.array([0.1, 0.1, 1.14, T, T, T]))


def length(geometry, q, leg):
    return leg_lengths(geometry, Pose.from_coordinates(q))[leg - 1]


def test_exact_extremes_of_the_published_box():
    geometry = paper()
    found = extremes(geometry, PRINTED)
    assert found.min_m == pytest.approx(0.596954602, abs=1e-9)
    assert found.max_m == pytest.approx(1.436976831, abs=1e-9)
    assert length(geometry, found.min_pose, found.min_leg) == pytest.approx(found.min_m, abs=1e-15)
    assert length(geometry, found.max_pose, found.max_leg) == pytest.approx(found.max_m, abs=1e-15)
    # Legs 3 and 4 are mirror images; both reach both extremes.
    # Of the two, the one whose pose comes first is named: y = -0.1 m both times.
    assert (found.min_leg, found.max_leg) == (4, 3)
    shortest = [-0.1, -0.1, 0.73, -T, -T, T]
    assert length(geometry, shortest, 4) == pytest.approx(0.596954602, abs=1e-9)
    longest = [0.1, -0.1, 1.14, -T, T, T]
    assert length(geometry, longest, 3) == pytest.approx(1.436976831, abs=1e-9)
    np.testing.assert_allclose(found.max_pose, longest, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_random_sample_of_the_published_size_understates_the_range(seed):
    drawn = sample(paper(), PRINTED, 5000, seed)
    assert drawn.min_m == pytest.approx(0.64, abs=0.05)
    assert drawn.max_m == pytest.approx(1.38, abs=0.05)
    assert drawn.min_m > 0.5970 + 0.01
    assert drawn.max_m < 1.4370 - 0.01
    assert drawn.min_m == drawn.lengths.min()
    assert drawn.max_m == drawn.lengths.max()


def test_a_sample_fills_its_box_and_repeats_with_its_seed():
    drawn = sample(paper(), PRINTED, 5000, 7)
    assert drawn.coordinates.shape == drawn.lengths.shape == (5000, 6)
    assert (drawn.coordinates >= PRINTED.lower).all()
    assert (drawn.coordinates <= PRINTED.upper).all()
    middle = 0.5 * (PRINTED.lower + PRINTED.upper)
    spread = (PRINTED.upper - PRINTED.lower) / math.sqrt(12.0)
    np.testing.assert_allclose(drawn.coordinates.mean(axis=0), middle, atol=0.02)
    np.testing.assert_allclose(drawn.coordinates.std(axis=0), spread, rtol=0.03)
    again, other = sample(paper(), PRINTED, 5000, 7), sample(paper(), PRINTED, 5000, 8)
    np.testing.assert_array_equal(drawn.coordinates, again.coordinates)
    assert not np.array_equal(drawn.coordinates, other.coordinates)
    for n in (0, 4999):
        expected = leg_lengths(paper(), Pose.from_coordinates(drawn.coordinates[n]))
        np.testing.assert_allclose(drawn.lengths[n], expected, rtol=0, atol=2e-15)
    with pytest.raises(ValueError, match="read-only"):
        drawn.lengths[0, 0] = 0.0
    with pytest.raises(ValueError, match="count"):
        sample(paper(), PRINTED, 0, 1)


@pytest.mark.parametrize("lead", [0.0, 0.02])
def test_no_random_pose_passes_the_extremes_of_any_leg(lead):
    geometry = lopsided(lead)
    box = PoseBox(
        np.array([-0.3, -0.1, 0.7, -0.3, -0.2, -0.25]), np.array([0.2, 0.35, 1.2, 0.2, 0.3, 0.15])
    )
    found = extremes(geometry, box)
    drawn = sample(geometry, box, 100_000, 11)
    assert (drawn.lengths.min(axis=0) >= found.leg_min_m).all()
    assert (drawn.lengths.max(axis=0) <= found.leg_max_m).all()
    assert found.min_m == found.leg_min_m.min() == found.leg_min_m[found.min_leg - 1]
    assert found.max_m == found.leg_max_m.max() == found.leg_max_m[found.max_leg - 1]


def test_an_extreme_inside_the_box_is_found():
    """Level platform at one height: a leg is shortest where its joints stand over each other."""
    geometry = paper()
    box = PoseBox(np.array([-1, -1, 0.9, 0, 0, 0]), np.array([1, 1, 0.9, 0, 0, 0]))
    found = extremes(geometry, box)
    assert found.leg_min_m == pytest.approx(np.full(6, 0.9), abs=1e-9)
    leg = found.min_leg - 1
    over = geometry.base_joints_m[leg] - geometry.platform_joints_m[leg]
    np.testing.assert_allclose(found.min_pose[:2], over[:2], atol=1e-6)
    corners = max(
        length(geometry, [x, y, 0.9, 0, 0, 0], leg)
        for x in (-1, 1)
        for y in (-1, 1)
        for leg in range(1, 7)
    )
    assert found.max_m == pytest.approx(corners, abs=1e-15)


def test_a_box_whose_centre_is_level_ground_is_searched_from_its_corners():
    """Over its base joint leg 1 is shortest and its gradient level: no way up from there."""
    geometry = paper()
    over = geometry.base_joints_m[0] - geometry.platform_joints_m[0]
    lower, upper = np.zeros(6), np.zeros(6)
    lower[:3] = over + np.array([-1.0, -1.0, 0.9])
    upper[:3] = over + np.array([1.0, 1.0, 0.9])
    found = extremes(geometry, PoseBox(lower, upper))
    assert found.leg_min_m[0] == pytest.approx(0.9, abs=1e-12)
    assert found.leg_max_m[0] == pytest.approx(math.sqrt(0.81 + 2.0), abs=1e-12)


def test_a_box_of_one_pose_has_its_lengths():
    q = np.array([0.05, -0.03, 0.9, 4 * DEG, -6 * DEG, 8 * DEG])
    found = extremes(paper(), PoseBox(q, q))
    assert (found.min_leg, found.max_leg) == (5, 2)
    assert found.min_m == pytest.approx(0.838927058, abs=1e-9)
    assert found.max_m == pytest.approx(1.037681671, abs=1e-9)
    np.testing.assert_array_equal(found.min_pose, q)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_box_must_be_finite_and_the_right_way_round(bad):
    with pytest.raises(ValueError, match=r"upper.*finite"):
        PoseBox(np.zeros(6), np.array([0, 0, bad, 0, 0, 0]))
    with pytest.raises(ValueError, match=r"z: lower bound 1\.0 is above the upper bound 0\.0"):
        PoseBox(np.array([0, 0, 1, 0, 0, 0]), np.zeros(6))
    with pytest.raises(ValueError, match=r"must be \(6,\)"):
        PoseBox(np.zeros(5), np.zeros(6))
    with pytest.raises(ValueError, match="read-only"):
        PRINTED.lower[0] = 0.0

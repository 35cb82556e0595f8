import math

import numpy as np
import pytest
from hexapods import DEG, lopsided, paper

from hil_common.arrays.pose import Pose
from platform6dof.geometry import GeometryError, HexapodGeometry, SingularGeometryError
from platform6dof.inverse import leg_lengths
from platform6dof.jacobian import singular_values

HEXAGON = {
    "base_radius_m": 1.0,
    "base_half_angle_rad": 14 * DEG,
    "platform_radius_m": 0.7,
    "platform_half_angle_rad": 46 * DEG,
    "closed_length_m": 0.64,
    "stroke_m": 0.74,
}


def parts(geometry):
    return {
        "base_joints_m": np.array(geometry.base_joints_m),
        "platform_joints_m": np.array(geometry.platform_joints_m),
        "closed_length_m": np.array(geometry.closed_length_m),
        "stroke_m": np.array(geometry.stroke_m),
    }


def test_base_joints_stand_at_the_printed_angles():
    joints = paper().base_joints_m
    angles = np.degrees(np.arctan2(joints[:, 1], joints[:, 0])) % 360
    np.testing.assert_allclose(angles, [14, 106, 134, 226, 254, 346], atol=1e-9)
    np.testing.assert_allclose(np.hypot(joints[:, 0], joints[:, 1]), 1.0)
    np.testing.assert_array_equal(joints[:, 2], 0.0)


def test_legs_meet_in_the_triangle_of_the_platform():
    joints = paper().platform_joints_m
    for one, other in ((6, 1), (2, 3), (4, 5)):
        np.testing.assert_allclose(joints[one - 1], joints[other - 1], atol=1e-15)
    np.testing.assert_allclose(joints[0], [0.7, 0, 0], atol=1e-15)


def test_plate_rotation_turns_the_platforms_circle():
    turned = HexapodGeometry.from_circles(**HEXAGON, plate_rotation_rad=0.1)
    straight = HexapodGeometry.from_circles(**HEXAGON)
    turn = Pose.from_coordinates([0, 0, 0, 0.1, 0, 0]).rotation
    np.testing.assert_allclose(
        turned.platform_joints_m, straight.platform_joints_m @ turn.T, atol=1e-15
    )
    np.testing.assert_array_equal(turned.base_joints_m, straight.base_joints_m)


def test_similar_hexagons_are_refused_with_rank_and_reason():
    with pytest.raises(SingularGeometryError) as caught:
        HexapodGeometry.from_circles(1.0, 14 * DEG, 0.70, 14 * DEG, 0.64, 0.74)
    text = str(caught.value)
    assert "rank 3 at the neutral pose" in text
    assert "similar" in text
    assert "scale 0.7" in text
    assert "must be 6" in text


@pytest.mark.parametrize("turn_deg", [-35.0, 20.0, 90.0])
def test_turned_similar_hexagons_are_singular_too(turn_deg):
    with pytest.raises(SingularGeometryError, match=f"turned by {turn_deg:.2f} deg"):
        HexapodGeometry.from_circles(
            1.0, 14 * DEG, 0.70, 14 * DEG, 0.9, 0.74, plate_rotation_rad=turn_deg * DEG
        )


def test_half_angles_must_differ_by_more_than_a_hair():
    HexapodGeometry.from_circles(1.0, 14 * DEG, 0.70, 16 * DEG, 0.64, 0.74)
    with pytest.raises(SingularGeometryError):
        HexapodGeometry.from_circles(1.0, 14 * DEG, 0.70, 14.001 * DEG, 0.64, 0.74)


def test_a_pose_that_is_singular_alone_does_not_refuse_the_geometry():
    """Fichter's singularity: the platform turned by 90 degrees; a turn back frees it."""
    geometry = HexapodGeometry.from_circles(
        1.0, 14 * DEG, 0.70, 46 * DEG, 0.9, 0.74, plate_rotation_rad=math.pi / 2
    )
    assert singular_values(geometry, geometry.neutral_pose)[5] < 1e-9
    freed = Pose.from_coordinates([0, 0, geometry.neutral_pose.position_m[2], -0.5, 0, 0])
    assert singular_values(geometry, freed)[5] > 0.05


def test_joints_on_a_line_and_four_legs_in_a_joint_are_named():
    line = parts(lopsided())
    line["closed_length_m"] += 0.5
    line["platform_joints_m"] = np.linspace(0.7, -0.7, 6)[:, None] * [1.0, 0.1, 0.0]
    with pytest.raises(SingularGeometryError, match="joints of the platform stand on one line"):
        HexapodGeometry(**line)
    crowd = parts(lopsided())
    crowd["closed_length_m"] += 0.5
    crowd["base_joints_m"][1:4] = crowd["base_joints_m"][0]
    with pytest.raises(SingularGeometryError, match="more than three legs meet"):
        HexapodGeometry(**crowd)


@pytest.mark.parametrize("name", ["base_joints_m", "platform_joints_m", "closed_length_m"])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused(name, bad):
    numbers = parts(lopsided())
    numbers[name].flat[3] = bad
    with pytest.raises(GeometryError, match=f"{name}.*finite"):
        HexapodGeometry(**numbers)


@pytest.mark.parametrize("name", ["closed_length_m", "stroke_m"])
@pytest.mark.parametrize("bad", [0.0, -0.1])
def test_lengths_must_be_positive(name, bad):
    numbers = parts(lopsided())
    numbers[name][4] = bad
    with pytest.raises(GeometryError, match=f"{name}: leg 5: .*above 0 m"):
        HexapodGeometry(**numbers)


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan])
def test_radii_must_be_positive(radius):
    for name in ("base_radius_m", "platform_radius_m"):
        with pytest.raises(GeometryError, match=f"{name}.*above 0 m"):
            HexapodGeometry.from_circles(**{**HEXAGON, name: radius})


def test_two_legs_in_one_place_are_refused():
    numbers = parts(lopsided())
    for name in ("base_joints_m", "platform_joints_m"):
        numbers[name][4] = numbers[name][1]
    with pytest.raises(GeometryError, match="legs 2 and 5 have both joints in common"):
        HexapodGeometry(**numbers)


def test_wrong_shapes_are_refused():
    numbers = parts(lopsided())
    numbers["base_joints_m"] = numbers["base_joints_m"][:5]
    with pytest.raises(GeometryError, match=r"shape \(5, 3\), must be \(6, 3\)"):
        HexapodGeometry(**numbers)


def test_legs_too_short_for_the_plates_are_refused():
    with pytest.raises(GeometryError, match="cannot reach"):
        HexapodGeometry.from_circles(1.0, 14 * DEG, 0.70, 0.0, 0.1, 0.1)


def test_screw_lead_must_be_finite():
    with pytest.raises(GeometryError, match="screw_lead_m"):
        lopsided(screw_lead_m=math.nan)


def test_the_neutral_pose_is_level_with_the_mean_leg_at_mid_stroke():
    for geometry in (paper(), lopsided()):
        lengths = leg_lengths(geometry, geometry.neutral_pose)
        middle = geometry.closed_length_m + 0.5 * geometry.stroke_m
        assert lengths.mean() == pytest.approx(middle.mean(), abs=1e-12)
        np.testing.assert_array_equal(geometry.neutral_pose.rotation, np.eye(3))
        assert geometry.neutral_pose.position_m[2] > 0.0


def test_default_axes_are_the_neutral_leg_directions_and_given_ones_are_made_unit():
    geometry = lopsided()
    legs = geometry.neutral_pose.position_m + geometry.platform_joints_m - geometry.base_joints_m
    unit = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    np.testing.assert_allclose(geometry.base_axes, unit, atol=1e-15)
    np.testing.assert_allclose(geometry.platform_axes, unit, atol=1e-15)
    given_axes = np.tile([0.0, 0.0, 2.0], (6, 1))
    upright = HexapodGeometry(**parts(geometry), base_axes=given_axes)
    np.testing.assert_array_equal(upright.base_axes, given_axes / 2.0)
    given_axes[2] = 0.0
    with pytest.raises(GeometryError, match="platform_axes: leg 3"):
        HexapodGeometry(**parts(geometry), platform_axes=given_axes)


def test_length_scale_is_the_platforms_radius_and_open_is_closed_plus_stroke():
    geometry = paper()
    assert geometry.length_scale_m == pytest.approx(0.70, abs=1e-15)
    np.testing.assert_allclose(geometry.open_length_m, 1.38)


def test_arrays_are_read_only_and_copied():
    numbers = parts(lopsided())
    geometry = HexapodGeometry(**numbers)
    before = geometry.base_joints_m[0, 0]
    numbers["base_joints_m"][0, 0] = 99.0
    assert geometry.base_joints_m[0, 0] == before
    for name in (
        "base_joints_m",
        "platform_joints_m",
        "closed_length_m",
        "stroke_m",
        "open_length_m",
        "base_axes",
        "platform_axes",
        "neutral_axes",
        "table",
        "pair_limits_m",
    ):
        with pytest.raises(ValueError, match="read-only"):
            getattr(geometry, name)[0] = 0.0

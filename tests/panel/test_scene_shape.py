"""A rig read for its picture is the rig that the bench reads."""

import copy
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from hil.machines.rig.machine import geometry_of, load_rig, park_pose, soft_range_m
from hil.machines.rig.settings import Rig
from hil.stations.platform.scene.platform import PlatformScene
from hil.stations.platform.scene.shape import RigShape
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths

RIGS = {
    path.stem: load_rig(path)
    for path in sorted((Path(__file__).parents[2] / "configs" / "rigs").glob("*.toml"))
}
PAPER = RIGS["paper"].model_dump(mode="json")
SCENE = PlatformScene.from_scenario({"rig": PAPER})
coordinates = st.tuples(
    *[st.floats(-0.05, 0.05)] * 2, st.floats(0.9, 1.0), *[st.floats(-0.08, 0.08)] * 3
)


def changed(*keys: str, to: object) -> dict:
    """The paper's rig with another value, or without the key if it is `...`."""
    table = copy.deepcopy(PAPER)
    place = table
    for key in keys[:-1]:
        place = place[key]
    if to is ...:
        del place[keys[-1]]
    else:
        place[keys[-1]] = to
    return table


def assert_same(shape: RigShape, rig: Rig) -> None:
    geometry = geometry_of(rig)
    np.testing.assert_allclose(shape.base_joints_m, geometry.base_joints_m, atol=1e-14)
    np.testing.assert_allclose(shape.platform_joints_m, geometry.platform_joints_m, atol=1e-14)
    np.testing.assert_array_equal(shape.closed_length_m, geometry.closed_length_m)
    bounds = np.array([soft_range_m(rig, leg) for leg in range(6)])
    np.testing.assert_allclose(shape.soft_min_m, bounds[:, 0], atol=1e-15)
    np.testing.assert_allclose(shape.soft_max_m, bounds[:, 1], atol=1e-15)
    assert shape.neutral_z_m == rig.neutral.pose().position_m[2]


@pytest.mark.parametrize("name", list(RIGS))
def test_a_shipped_rig_is_the_bench_s(name):
    rig = RIGS[name]
    shape = RigShape.from_table(rig.model_dump(mode="json"))
    assert shape.name == name
    assert_same(shape, rig)
    geometry = geometry_of(rig)
    wanted = park_pose(rig, geometry)
    # A screw that winds with its joints is left out: less than a millimetre.
    near = 1e-9 if geometry.screw_lead_m == 0.0 else 1e-3
    np.testing.assert_allclose(shape.level_m, wanted.position_m, atol=near)
    np.testing.assert_allclose(np.eye(3), wanted.rotation, atol=near)


@dear
@given(coordinates, st.floats(-8.0, 8.0))
def test_a_rig_that_is_parked_askew_is_the_bench_s(parked, rotation_deg):
    table = changed("geometry", "plate_rotation_deg", to=rotation_deg)
    geometry = geometry_of(Rig.build(table, "test"))
    lengths_m = leg_lengths(geometry, Pose.from_coordinates(np.array(parked)))
    table["cylinders"]["reference_length_m"] = tuple(lengths_m.tolist())
    shape = RigShape.from_table(table)
    assert_same(shape, Rig.build(table, "test"))
    assert shape.level_m[2] == pytest.approx(parked[2], abs=0.02)


def test_joints_may_be_anywhere_and_what_may_be_left_out_is():
    geometry = geometry_of(RIGS["paper"])
    shift = np.linspace(0.0, 0.02, 18).reshape(6, 3)
    points = {
        "kind": "points",
        "base_joints_m": (geometry.base_joints_m + shift).tolist(),
        "platform_joints_m": (geometry.platform_joints_m - 0.5 * shift).tolist(),
    }
    table = changed("geometry", to=points)
    for axis in "xy":
        table["neutral"].pop(f"{axis}_m")
    table["cylinders"]["closed_length_m"] = 0.64
    shape = RigShape.from_table(table)
    assert_same(shape, Rig.build(table, "test"))
    circles = RigShape.from_table(changed("geometry", "plate_rotation_deg", to=...))
    np.testing.assert_allclose(circles.base_joints_m, geometry.base_joints_m, atol=1e-14)


@pytest.mark.parametrize(
    ("keys", "to", "told"),
    [
        (("geometry",), ..., r"rig.geometry.base_radius_m = None; must be a fin"),
        (("cylinders",), 3, r"rig.cylinders.closed_length_m = None; must be 6 fin"),
        (("geometry", "base_radius_m"), "wide", r"rig.geometry.base_radius_m = 'wide'; must be a"),
        (("cylinders", "stroke_m"), [0.1] * 5, r"rig.cylinders.stroke_m = .*; must be 6 finite"),
        (("limits", "soft_margin_m"), math.nan, r"rig.limits.soft_margin_m = nan; must be a fin"),
        (("neutral", "z_m"), ..., r"rig.neutral.z_m = None; must be a finite number"),
        (("geometry",), {"kind": "points", "base_joints_m": [[0, 0]]}, r"must be 6 by 3 finite"),
    ],
)
def test_what_cannot_be_drawn_is_said_with_its_place(keys, to, told):
    with pytest.raises(ValueError, match=told):
        RigShape.from_table(changed(*keys, to=to))


def test_no_table_at_all_is_said_too():
    with pytest.raises(ValueError, match=r"rig\.cylinders\.closed_length_m = None"):
        RigShape.from_table(None)


@given(st.lists(st.floats(-1.5, 1.5), min_size=6, max_size=6))
def test_a_pose_has_the_same_axes_as_the_platform_s(coordinates):
    found = SCENE.posed(np.array(coordinates)).transforms[1]
    wanted = Pose.from_coordinates(np.array(coordinates))
    np.testing.assert_allclose(found[:3, :3], wanted.rotation, atol=1e-15)
    np.testing.assert_array_equal(found[:3, 3], wanted.position_m)

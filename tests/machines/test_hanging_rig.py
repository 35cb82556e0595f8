"""A rig that hangs is its mirror image at the base: poses, lengths, forces, cones, parking.

The judge is a reflection at z = 0, S = diag(1, 1, -1), written here: places and velocities turn
their z, rotations R become S R S, so that beta, gamma and the turn rates about x and y change sign;
weight, which does not turn with it, pulls where it pushed.
"""

import copy
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from drives.bank import DriveGoal
from drives.sim.bank import SimulatedBank
from drives.sim.coupled_cylinders import CylinderServo
from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.config.settings import read_toml
from hil.machines.rig.machine import (
    check_rig,
    cylinder_model,
    envelope_of,
    geometry_of,
    park_pose,
)
from hil.machines.rig.payload import expected_forces_n
from hil.machines.rig.settings import Rig
from hil.stations.platform.cycle.world import WorldSettings, platform_plant, settled, world_of
from hil.stations.platform.drives.rack_setup import _rod
from hil.stations.platform.scene.shape import RigShape
from hil_common.arrays.pose import Pose
from platform6dof.circles import circle_joints
from platform6dof.forward import forward
from platform6dof.geometry import GeometryError, HexapodGeometry, level_position
from platform6dof.inverse import leg_lengths
from platform6dof.jacobian import leg_jacobian

RIGS = configs_dir() / "rigs"
POSE = np.array([1.0, 1.0, -1.0, 1.0, -1.0, -1.0])
"""What a reflection makes of x, y, z, alpha, beta, gamma."""
PERIOD_S = 0.004
PLACE, TWIST = POSE[:3], np.array([1.0, 1.0, -1.0, -1.0, -1.0, 1.0])


def standing(name: str, spread_m: list[float]) -> dict:
    """A shipped rig with joints anywhere near their own, by their points."""
    table = read_toml(RIGS / f"{name}.toml")
    shape = table["geometry"]
    base = circle_joints(shape["base_radius_m"], math.radians(shape["base_half_angle_deg"]))
    platform = circle_joints(
        shape["platform_radius_m"],
        math.radians(shape["platform_half_angle_deg"]),
        math.radians(shape.get("plate_rotation_deg", 0.0)),
    )
    moved = np.array(spread_m).reshape(2, 6, 3)
    table["geometry"] = {
        "kind": "points",
        "base_joints_m": (base + moved[0]).tolist(),
        "platform_joints_m": (platform + moved[1]).tolist(),
    }
    table["cylinders"]["screw_lead_m"] = 0.0  # its image would be a left-hand thread
    return table


def image(table: dict) -> dict:
    """The same machine in a mirror that lies at z = 0."""
    seen = copy.deepcopy(table)
    for plate in ("base_joints_m", "platform_joints_m"):
        seen["geometry"][plate] = (np.array(table["geometry"][plate]) * PLACE).tolist()
    for key in ("z_m", "beta_deg", "gamma_deg"):
        seen["neutral"][key] = -table["neutral"].get(key, 0.0)
        seen["pose_box"][key] = [-end for end in reversed(table["pose_box"][key])]
    return seen


spreads = st.lists(st.floats(-0.02, 0.02), min_size=36, max_size=36)
names = st.sampled_from(["paper", "training_simulator"])
away = st.tuples(*[st.floats(-0.05, 0.05)] * 3, *[st.floats(-0.1, 0.1)] * 3)


@given(names, spreads, away)
def test_a_mirrored_rig_has_mirrored_poses_lengths_forces_and_cones(name, spread_m, off):
    table = standing(name, spread_m)
    rig, hung = Rig.build(table, "stands"), Rig.build(image(table), "hangs")
    here, there = geometry_of(rig), geometry_of(hung)
    at = rig.neutral.coordinates() + np.array(off)
    pose, seen = Pose.from_coordinates(at), Pose.from_coordinates(at * POSE)
    lengths_m = leg_lengths(here, pose)
    assert leg_lengths(there, seen) == pytest.approx(lengths_m, abs=1e-14)
    assert leg_jacobian(there, seen) == pytest.approx(leg_jacobian(here, pose) * TWIST, abs=1e-13)
    found = forward(there, lengths_m, there.neutral_pose)
    assert found.converged
    assert found.X_BP.coordinates() == pytest.approx(at * POSE, abs=1e-9)
    one, other = (
        envelope_of(r, g).state(p) for r, g, p in ((rig, here, pose), (hung, there, seen))
    )
    assert other.base_angle_rad == pytest.approx(one.base_angle_rad, abs=1e-9)
    assert other.platform_angle_rad == pytest.approx(one.platform_angle_rad, abs=1e-9)
    assert other.clearance_m == pytest.approx(one.clearance_m, abs=1e-12)
    assert other.smallest_singular_value == pytest.approx(one.smallest_singular_value, abs=1e-12)
    for find in (lambda _, geometry: geometry.neutral_pose, park_pose):
        expected = find(rig, here).coordinates() * POSE
        assert find(hung, there).coordinates() == pytest.approx(expected, abs=1e-9)
    assert expected_forces_n(hung, there) == pytest.approx(expected_forces_n(rig, here), rel=1e-9)


@dear
@given(names, spreads)
def test_its_room_is_mirrored(name, spread_m):
    """What is free upwards above the base is free downwards below it."""
    table = standing(name, spread_m)
    rooms = []
    for rig in (Rig.build(table, "stands"), Rig.build(image(table), "hangs")):
        rooms.append(envelope_of(rig, geometry_of(rig)).remaining_travel(rig.neutral.pose()).travel)
    expected = [row if sign > 0 else row[::-1] for row, sign in zip(rooms[0], POSE, strict=True)]
    assert rooms[1] == pytest.approx(np.array(expected), abs=1e-5)


@given(st.floats(-0.02, 0.02), away)
def test_the_image_of_a_right_hand_screw_is_a_left_hand_one(lead_m, off):
    table = standing("paper", (0.02 * np.sin(np.arange(36.0))).tolist())
    joints = [np.array(table["geometry"][f"{plate}_joints_m"]) for plate in ("base", "platform")]
    here = HexapodGeometry(*joints, np.full(6, 0.64), np.full(6, 0.74), screw_lead_m=lead_m)
    there = HexapodGeometry(
        *(one * PLACE for one in joints),
        np.full(6, 0.64),
        np.full(6, 0.74),
        screw_lead_m=-lead_m,
        hanging=True,
    )
    at = here.neutral_pose.coordinates() + np.array(off)
    expected = leg_lengths(here, Pose.from_coordinates(at))
    assert leg_lengths(there, Pose.from_coordinates(at * POSE)) == pytest.approx(
        expected, abs=1e-13
    )


def test_legs_too_short_below_the_base_are_told_so():
    base, platform = circle_joints(1.0, 0.2), circle_joints(0.5, 0.2)
    with pytest.raises(
        GeometryError, match="level platform below the base; the mean must be above"
    ):
        level_position(base, platform, 0.3, hanging=True)


def paper(*, hangs: bool) -> dict:
    table = standing("paper", [0.0] * 36)
    return image(table) if hangs else table


def test_its_weight_pulls_at_simulated_and_at_emulated_rods():
    up, down = (Rig.build(paper(hangs=hangs), "rig") for hangs in (False, True))
    for of in (lambda rig: cylinder_model(rig, 0.002).static_load_n[0], lambda rig: _rod(rig, 0)):
        stood, hung = (getattr(one, "static_load_n", one) for one in (of(up), of(down)))
        assert (stood, hung) == (650.0, -650.0)
    table = paper(hangs=True)
    table["cylinders"]["static_load_n"] = -650.0
    with pytest.raises(ConfigError, match=r"static_load_n = -650.0 of leg 1: .*hangs.*write 650.0"):
        check_rig(Rig.build(table, "rig"), "rig")


def borne_n(rig: Rig) -> np.ndarray:
    """Forces of drives that hold a payload of 200 kg at rest, in the engine [N], shape (6,)."""
    plant = platform_plant(rig, settled(WorldSettings(payload_kg=200.0), rig))
    model = cylinder_model(rig, PERIOD_S)
    bank = SimulatedBank(model, PERIOD_S, plant=plant, servo=CylinderServo())
    bank.configure()
    bank.request(DriveGoal.HOMED)
    while not all(bank.exchange(None).homed):
        pass
    bank.request(DriveGoal.ENABLED)
    return [bank.exchange(None) for _ in range(400)][-1].force_n


def test_a_body_that_hangs_in_the_engine_pulls_as_it_pushed():
    stood, hung = (borne_n(Rig.build(paper(hangs=hangs), "rig")) for hangs in (False, True))
    assert np.mean(stood) > 200.0 * 9.81 / 6.0
    assert hung == pytest.approx(-np.array(stood), rel=2e-3)


@pytest.mark.parametrize("place_m", [(0.0, 0.0, 0.0), (1.0, 2.0, 1.05)])
def test_a_floor_in_its_way_is_told_with_the_place_that_is_free(place_m, tmp_path):
    rig = Rig.build(paper(hangs=True), "rig")
    deep_m = -rig.pose_box.z_m[0]
    file = tmp_path / "low.toml"
    robot = '[[robot]]\nname = "r"\ndocument = "rig:paper"\nposition_m = {}\n'
    file.write_text('scene = "low"\n[floor]\n' + robot.format(list(place_m)))
    with pytest.raises(ConfigError, match=rf"down to {deep_m:g} m below its base") as refused:
        world_of(str(file), rig, key="world")
    free = re.search(r"write position_m = (\[.*?\])", str(refused.value))
    assert free, refused.value
    assert np.array(json.loads(free[1]))[:2] == pytest.approx(place_m[:2])
    file.write_text('scene = "free"\n[floor]\n' + robot.format(free[1]))
    platform_plant(rig, world_of(str(file), rig, key="world"))  # what is told works


def test_the_picture_of_a_hanging_rig_is_drawn_below_its_base():
    for hangs in (False, True):
        rig = Rig.build(paper(hangs=hangs), "rig")
        shape = RigShape.from_table(rig.model_dump(mode="json"))
        assert shape.hanging is hangs
        parked = park_pose(rig, geometry_of(rig)).position_m
        assert shape.level_m == pytest.approx(parked, abs=1e-9)

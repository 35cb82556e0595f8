"""Arms in files: what is shipped, what comes back after writing, what is refused and how."""

import copy
import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arms import (
    SHIPPED,
    arm_path,
    gripper_pose,
    jacobian,
    mass_and_bias,
    random_states,
    relative_error,
    shipped,
)

from hil.config.settings import ConfigError
from hil.machines.space_arm.joints import rotation_of
from hil.machines.space_arm.settings import ArmSettings, load_arm
from sim.world.space_arm.arm import Body, SpaceArmError

every_file = pytest.mark.parametrize("name", SHIPPED)


def test_rpy_turns_about_the_fixed_axes_in_the_order_x_y_z() -> None:
    quarter = 0.5 * math.pi
    x, y, z = np.eye(3)
    assert np.array_equal(rotation_of((quarter, 0.0, 0.0)) @ y, z)
    assert np.array_equal(rotation_of((0.0, quarter, 0.0)) @ z, x)
    assert np.array_equal(rotation_of((0.0, 0.0, quarter)) @ x, y)
    assert np.array_equal(rotation_of((quarter, quarter, 0.0)) @ y, x)  # roll first: y, z, x


@every_file
def test_every_arm_starts_away_from_singular_poses(name: str) -> None:
    settings = shipped(name)
    singular_values = np.linalg.svd(jacobian(settings.arm(), settings.home_rad()))[1]
    assert singular_values[-1] > {"puma560": 0.02}.get(name, 0.5)


def test_bkm_has_the_published_size_and_mass() -> None:
    arm = load_arm(arm_path("bkm"))
    assert arm.mass_kg == pytest.approx(358.5, abs=0.1)
    _, straight = gripper_pose(arm, np.zeros(6))
    assert straight[0] == pytest.approx(15.316, abs=1e-3)  # 50 ft 3 in, from the shoulder pitch
    assert straight[1] == 0.0  # the elbow's offset is taken back at the wrist
    lifted = gripper_pose(arm, np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0]))[1]
    assert lifted[2] > straight[2] + 7.0
    assert {name: body.mass_kg for name, body in shipped("bkm").payloads().items()} == {
        "light": 1000.0,
        "heavy": 14_500.0,
    }
    assert not arm.gravity_m_s2.any()


@pytest.mark.parametrize("name", ["bkm", "shuttle_rms"])
def test_inertia_about_the_link_frame_is_the_published_one(name: str) -> None:
    """The transverse moments of the upper and the lower arm, from which the files' ones follow."""
    arm = load_arm(arm_path(name))
    for number, published in ((1, (3.225, 998.63, 997.18)), (2, (1.59, 632.9, 632.51))):
        link = arm.links[number]
        about_joint = np.diag(link.inertia_kg_m2) + link.mass_kg * link.com_m[0] ** 2 * np.array(
            [0.0, 1.0, 1.0]
        )
        assert about_joint == pytest.approx(np.array(published), rel=1e-6)


def dh_frames(table: list[dict[str, float]], q: np.ndarray) -> list[np.ndarray]:
    """Frames 1 to 6 of a Denavit-Hartenberg table, by the four elementary motions."""
    frames, pose = [], np.eye(4)
    for row, angle in zip(table, q, strict=True):
        c, s = math.cos(angle), math.sin(angle)
        ca, sa = math.cos(row["alpha_rad"]), math.sin(row["alpha_rad"])
        turn = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        shift = np.array([[1, 0, 0, row["a_m"]], [0, 1, 0, 0], [0, 0, 1, row["d_m"]], [0, 0, 0, 1]])
        bend = np.array([[1, 0, 0, 0], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1.0]])
        pose = pose @ turn @ shift @ bend
        frames.append(pose)
    return frames


def test_puma_moves_and_weighs_as_its_table_says() -> None:
    """Pose and mass matrix straight from the table, without the loader's change of frames."""
    with arm_path("puma560").open("rb") as stream:
        joints = tomllib.load(stream)["joint"]
    arm, table = load_arm(arm_path("puma560")), [joint["dh"] for joint in joints]
    for q, _ in random_states(10):
        frames = [np.eye(4), *dh_frames(table, q)]
        rotation, position = gripper_pose(arm, q)
        assert position == pytest.approx(frames[6][:3, 3], abs=1e-14)
        assert rotation == pytest.approx(frames[6][:3, :3], abs=1e-14)
        mass = np.zeros((6, 6))
        for i, joint in enumerate(joints, start=1):
            axes = frames[i][:3, :3]
            com = frames[i][:3, 3] + axes @ joint["com_m"]
            spin, speed = np.zeros((3, 6)), np.zeros((3, 6))
            for k in range(i):
                spin[:, k] = frames[k][:3, 2]
                speed[:, k] = np.cross(spin[:, k], com - frames[k][:3, 3])
            inertia = axes @ np.diag(joint["inertia_kg_m2"]) @ axes.T
            mass += joint["mass_kg"] * speed.T @ speed + spin.T @ inertia @ spin
        assert relative_error(mass_and_bias(arm, q, np.zeros(6))[0], mass) < 1e-13


def test_a_joints_own_angle_of_the_table_is_added() -> None:
    with arm_path("puma560").open("rb") as stream:
        table = tomllib.load(stream)
    turned = copy.deepcopy(table)
    angles = np.array([0.3, -0.2, 0.7, 1.1, -0.4, 0.9])
    for joint, angle in zip(turned["joint"], angles, strict=True):
        joint["dh"]["theta_rad"] = float(angle)
    plain, shifted = (ArmSettings.build(t, "x").arm() for t in (table, turned))
    q, v = random_states(1)[0]
    for one, other in zip(gripper_pose(plain, q + angles), gripper_pose(shifted, q), strict=True):
        assert one == pytest.approx(other, abs=1e-14)
    one, other = mass_and_bias(plain, q + angles, v), mass_and_bias(shifted, q, v)
    assert relative_error(one[0], other[0]) < 1e-13
    assert relative_error(one[1], other[1]) < 1e-12


def changed(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """BKM's table with one value changed (None: taken out)."""
    with arm_path("bkm").open("rb") as stream:
        table = tomllib.load(stream)
    node: Any = table
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return table


ROW = {"d_m": 0.0, "a_m": 1.0, "alpha_rad": 0.0}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("joint", 2, "mas_kg"), 1.0, r"joint\.2\.mas_kg = 1\.0: unknown key .*mass_kg"),
        (("joint", 2, "mass_kg"), None, r"joint\.2\.mass_kg"),
        (("joint", 2, "mass_kg"), -1.0, r"joint\.2\.mass_kg = -1\.0: .*greater than or equal to 0"),
        (("joint", 0, "offset_m"), [0.0, 304.8, 0.0], "offset_m.1 = 304.8: .*20.*millimetres"),
        (("joint", 0, "drive", "resistance_ohm"), 0.0, "drive.resistance_ohm = 0.0: .*than 0"),
        (("joint", 3, "drive", "inductance_h"), 0.0, "3.drive.inductance_h = 0.0: .*than 0"),
        (("joint", 3, "drive", "inductance_h"), -1e-3, "3.drive.inductance_h = -0.001: .*than 0"),
        (("joint", 0, "drive", "clutch_nm"), math.inf, "clutch_nm = inf: must be a finite number"),
        (("joint", 0, "drive", "brake_nm"), None, r"drive\.brake_nm is left out; it is required"),
        (("joint", 0, "position_deg"), [10.0, 5.0], r"10\.0 is not below 5\.0 deg"),
        (("joint", 0, "axis"), [0.0, 0.0, 0.0], "axis must not be 0"),
        (("joint", 0, "axis"), None, "must have either axis or dh"),
        (("joint", 0, "dh"), ROW, "must have either axis or dh"),
        (("joint", 1, "name"), "shoulder_yaw", "joint: names .* must differ"),
        (("joint", 5), None, "joint"),
        (
            ("home_deg",),
            [0.0, -10.0, 0.0, 0.0, 0.0, 0.0],
            r"home_deg\.1 = -10\.0 deg: shoulder_pitch of bkm moves from",
        ),
        (("payload", 0, "mass_kg"), 0.0, r"payload\.0\.mass_kg = 0\.0"),
        (("payload", 1, "name"), "light", "payload: names .* must differ"),
        (("name",), "Big Arm", "name = 'Big Arm'"),
    ],
)
def test_wrong_values_are_refused_by_name(
    path: tuple[str | int, ...], value: Any, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        ArmSettings.build(changed(path, value), "bkm.toml")


def test_a_table_and_axes_are_not_mixed() -> None:
    table = changed(("joint", 0, "dh"), ROW)
    for key in ("axis", "offset_m"):
        del table["joint"][0][key]
    with pytest.raises(ConfigError, match="either all have dh, or none"):
        ArmSettings.build(table, "bkm.toml")
    table["joint"][0]["offset_m"] = [1.0, 0.0, 0.0]
    with pytest.raises(ConfigError, match="offset_m and rpy_rad must be left out"):
        ArmSettings.build(table, "bkm.toml")


def test_impossible_inertia_is_refused_with_the_file(tmp_path: Path) -> None:
    text = arm_path("bkm").read_text()
    broken = tmp_path / "broken.toml"
    entry = "inertia_kg_m2 = [3.225, 250.72477, 249.27477]"
    assert entry in text
    broken.write_text(text.replace(entry, "inertia_kg_m2 = [3.0, 250.0, -1.0]"))
    with pytest.raises(ConfigError, match=r"broken\.toml: joint shoulder_pitch: .* 0 or more"):
        load_arm(broken)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_arm(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axis": [0.0, 0.0, 1.01]}, "joint elbow_pitch: axis .* length 1.01, must be 1"),
        ({"axis": [0.0, 1.0]}, r"axis: shape \(2,\), must be \(3,\)"),
        ({"offset_m": [0.0, math.nan, 0.0]}, "offset_m: .* must be finite"),
        ({"com_m": "middle"}, "com_m: not an array of numbers: 'middle'"),
        ({"rotation": np.diag([1.0, 1.0, -1.0])}, "rotation: .* is no rotation"),
        ({"rotation": 1.001 * np.eye(3)}, "rotation: .* is no rotation"),
        ({"mass_kg": math.nan}, "mass_kg = nan kg, must be finite and 0 or more"),
        ({"inertia_kg_m2": np.triu(np.ones((3, 3)))}, "must be symmetric"),
        ({"inertia_kg_m2": -np.eye(3)}, "principal moment of -1 kg m2, must be 0 or more"),
        ({"position_min_rad": 9.0}, "travel from 9.0 to .* rad, must rise"),
        ({"rate_max_rad_s": 0.0}, "largest rate 0.0 rad/s, must be finite and above 0"),
    ],
)
def test_absurd_links_are_refused(change: dict[str, Any], message: str) -> None:
    link = load_arm(arm_path("bkm")).links[2]
    with pytest.raises(SpaceArmError, match=message):
        replace(link, **change)


def test_absurd_arms_are_refused() -> None:
    arm = load_arm(arm_path("bkm"))
    with pytest.raises(SpaceArmError, match="arm bkm: 2 links, must be 3 to 8"):
        arm.with_links(arm.links[:2])
    with pytest.raises(SpaceArmError, match="arm bkm: 9 links, must be 3 to 8"):
        arm.with_links((*arm.links, *arm.links[:3]))
    with pytest.raises(SpaceArmError, match="arm bkm: 7 drives, must be 6"):
        replace(arm, drives=(*arm.drives, arm.drives[0]))
    with pytest.raises(SpaceArmError, match=r"gravity_m_s2: .* finite"):
        replace(arm, gravity_m_s2=np.full(3, np.inf))
    with pytest.raises(SpaceArmError, match=r"body: mass_kg = -1.0 kg"):
        Body(-1.0, np.zeros(3), np.eye(3))


def test_values_are_copied_and_read_only() -> None:
    com = np.zeros(3)
    body = Body(1.0, com, np.eye(3))
    com[0] = 5.0
    assert body.com_m[0] == 0.0
    link = load_arm(arm_path("bkm")).links[0]
    for array in (body.com_m, body.inertia_kg_m2, link.axis, link.offset_m, link.rotation):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0

"""Files of arms with other joints than six revolute ones: read, refused, moved, found again."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arms import arm_path, gripper_pose, jacobian, shipped
from scipy.spatial.transform import Rotation
from trace_form import gripper_pose as traced_pose

from hil.config.errors import ConfigError
from hil.machines.space_arm.settings import ArmSettings
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.inverse_dynamics import InverseDynamics
from sim.world.space_arm.inverse_kinematics import InverseKinematics
from sim.world.space_arm.programmed_rates import ProgrammedRates, RateSettings, TwistFrame
from sim.world.space_arm.simulator import SpaceArm

OTHERS = ("planar", "crane", "ssrms")
EVERY = (*OTHERS, "bkm", "shuttle_rms")
PARTS = ("x", "y", "z", "wx", "wy", "wz")


def table(name: str) -> dict[str, Any]:
    return tomllib.loads(arm_path(name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", OTHERS)
def test_a_shipped_arm_stands_as_its_file_says(name: str) -> None:
    """Homes and travels of both kinds of joint, straight from the file."""
    raw, settings = table(name), shipped(name)
    homes = {"revolute": iter(np.radians(raw.get("home_deg", []))),
             "prismatic": iter(raw.get("home_m", []))}  # fmt: skip
    expected = [next(homes[joint.get("type", "revolute")]) for joint in raw["joint"]]
    assert settings.home_rad() == pytest.approx(expected)
    arm = settings.arm()
    assert [link.unit for link in arm.links] == [
        "m" if joint.get("type") == "prismatic" else "rad" for joint in raw["joint"]
    ]
    rotation, position = gripper_pose(arm, settings.home_rad())
    pose = traced_pose(arm, settings.home_rad())
    assert rotation == pytest.approx(pose[:3, :3], abs=1e-13)
    assert position == pytest.approx(pose[:3, 3], abs=1e-12)


def test_the_ssrms_is_as_long_as_published() -> None:
    """All in a line: shoulder offsets, two booms of 7.11 m, the hand (Nguyen and Hughes 1994)."""
    _, position = gripper_pose(shipped("ssrms").arm(), np.zeros(7))
    assert position == pytest.approx([7.11 + 7.11 + 1.3589, -0.5692 - 0.475 - 0.5692, 0.0])


def test_motors_of_the_crane_hold_it_with_its_load() -> None:
    crane = shipped("crane")
    at_rest = np.zeros(4)
    for load in (None, crane.payloads()["crate"]):
        dynamics = InverseDynamics(crane.arm(), load)
        for luff in (5.0, 40.0, 75.0):
            q = np.array([0.0, 0.3, np.radians(luff), np.radians(-60.0)])
            found = dynamics.torques(q, at_rest, at_rest)
            assert (np.abs(found.motor_nm) < dynamics.limits_nm).all()
            assert found.gravity_nm[0] == pytest.approx(0.0, abs=1e-9)  # the rail is level


@pytest.mark.parametrize("name", EVERY)
def test_a_place_is_found_again(name: str) -> None:
    settings = shipped(name)
    arm, counts = settings.arm(), np.array(settings.followed())
    solver = InverseKinematics(arm)
    rng = np.random.default_rng(7)
    for _ in range(5):
        q = settings.home_rad() + rng.uniform(-0.25, 0.25, arm.joints)
        q = np.clip(q, [link.position_min_rad for link in arm.links],
                    [link.position_max_rad for link in arm.links])  # fmt: skip
        pose = traced_pose(arm, q)
        found, left_m, left_rad = solver.solve(pose[:3, 3], pose[:3, :3], settings.home_rad())
        assert left_m < 1e-8
        assert left_rad < 1e-9
        again = traced_pose(arm, found)
        turn = Rotation.from_matrix(again[:3, :3] @ pose[:3, :3].T).as_rotvec()
        off = np.concatenate([again[:3, 3] - pose[:3, 3], turn])
        assert np.abs(off[counts]).max() < 1e-7
        for link, angle in zip(arm.links, found, strict=True):
            assert link.position_min_rad <= angle <= link.position_max_rad


def test_a_place_out_of_reach_tells_what_is_left() -> None:
    planar = shipped("planar")
    solver = InverseKinematics(planar.arm())
    _, left_m, _ = solver.solve(np.array([5.0, 0.0, 0.0]), np.eye(3), planar.home_rad())
    assert left_m == pytest.approx(5.0 - 3.1, abs=1e-3)


@pytest.mark.parametrize("name", OTHERS)
def test_rates_follow_what_the_file_says(name: str) -> None:
    """The components that are followed come out as asked; the judge is the trace form's slope."""
    settings = shipped(name)
    arm, counts = settings.arm(), np.array(settings.followed())
    fast = RateSettings(acceleration_max_rad_s2=10.0)
    rates = ProgrammedRates(arm, 0.35, fast)
    wanted = np.where(counts, [0.01, -0.02, 0.015, 0.002, -0.003, 0.004], 0.0)
    found = rates.rates(settings.home_rad(), wanted, TwistFrame.BASE)
    assert found.scale == 1.0
    q, step = settings.home_rad(), 1e-6 * found.rates_rad_s
    before, after = traced_pose(arm, q - step), traced_pose(arm, q + step)
    speed = (after - before)[:3, 3] / 2e-6
    spin = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec() / 2e-6
    assert np.concatenate([speed, spin])[counts] == pytest.approx(wanted[counts], abs=1e-7)
    assert found.twist_attained == pytest.approx(jacobian(arm, q) @ found.rates_rad_s, abs=1e-12)


def test_a_redundant_arm_takes_the_least_rates() -> None:
    """Of all rates for a velocity the pseudo-inverse gives the shortest."""
    ssrms = shipped("ssrms")
    arm, q = ssrms.arm(), ssrms.home_rad()
    wanted = np.array([0.01, 0.0, -0.01, 0.001, 0.0, 0.002])
    rates = ProgrammedRates(arm, 0.35, RateSettings(acceleration_max_rad_s2=10.0))
    found = rates.rates(q, wanted, TwistFrame.BASE).rates_rad_s
    assert found == pytest.approx(np.linalg.pinv(jacobian(arm, q)) @ wanted, abs=1e-10)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("model", [one for one in DriveModel if one is not DriveModel.F])
def test_every_drive_moves_it_and_stops_it(name: str, model: DriveModel) -> None:
    settings = shipped(name)
    arm = settings.arm()
    space = SpaceArm(arm, model, settings.home_rad())
    command = 0.1 * np.array([link.rate_max_rad_s for link in arm.links])
    for _ in range(10):
        moving = space.advance(command)
    assert moving.q_rad - settings.home_rad() == pytest.approx(3.5 * command, rel=0.35)
    for _ in range(20):
        still = space.advance(np.zeros(arm.joints))
    assert (np.abs(still.v_rad_s) < 0.6 * command).all()  # what is left floats in its gaps
    assert (np.abs(still.motor_rate_rad_s) < 0.1 * command).all()


def changed(name: str, change: Any) -> dict[str, Any]:
    raw = table(name)
    change(raw)
    return raw


def _in_degrees(raw: dict[str, Any]) -> None:
    raw["joint"][0]["position_deg"] = raw["joint"][0].pop("position_m")


def _eighth_and_ninth(raw: dict[str, Any]) -> None:
    raw["joint"] += [{**raw["joint"][6], "name": f"more_{k}"} for k in range(2)]


def _without_mass(raw: dict[str, Any]) -> None:
    raw["joint"][2].update(mass_kg=0.0, inertia_kg_m2=[0.0, 0.0, 0.0])


def _same_axis(raw: dict[str, Any]) -> None:
    raw["joint"][1]["offset_m"] = [0.0, 0.0, 0.0]
    raw["joint"][0].update(mass_kg=0.0, inertia_kg_m2=[0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("crane", _in_degrees, r"joint\.0.*is prismatic: position_deg must be left out"),
        ("crane", lambda raw: raw["joint"][0].pop("slide_drive"), "slide_drive is missing"),
        ("crane", lambda raw: raw["joint"][1].update(type="prismatic"), "prismatic: position_deg"),
        ("crane", lambda raw: raw.update(home_m=[7.0]), r"home_m\.0 = 7\.0 m: carriage of crane"),
        ("crane", lambda raw: raw.update(home_m=[0.0, 1.0]), "home_m: 2 values, must be 1"),
        ("crane", lambda raw: raw.pop("follow"), "4 joints follow 1 to 4 of x, y, z, wx, wy, wz"),
        ("crane", lambda raw: raw.update(follow=["x", "x"]), "follow: x, x: each once"),
        ("crane", lambda raw: raw.update(follow=list(PARTS[:5])), "4 joints follow 1 to 4"),
        ("planar", lambda raw: raw["joint"].pop(), "joint"),
        ("planar", lambda raw: raw.update(home_deg=[0.0, 1.0]), "home_deg: 2 values, must be 3"),
        ("ssrms", _eighth_and_ninth, "joint"),
        ("planar", _without_mass, "joint wrist: the mass matrix is singular"),
        ("planar", _same_axis, "joint elbow: the mass matrix is singular"),
    ],
)  # fmt: skip
def test_what_is_no_such_arm_is_refused(name: str, change: Any, said: str) -> None:
    raw, source = changed(name, change), f"{name}.toml"
    with pytest.raises(ConfigError, match=f"(?s){said}"):
        ArmSettings.build(raw, source).check(source)


def test_eight_joints_are_an_arm() -> None:
    raw = table("ssrms")
    last = {**raw["joint"][6], "name": "eighth", "axis": [0.0, 1.0, 0.0]}
    raw["joint"].append(last)
    raw["home_deg"].append(0.0)
    assert ArmSettings.build(raw, "eight.toml").arm().joints == 8


def test_a_file_of_another_arm_is_read_from_anywhere(tmp_path: Path) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text(arm_path("crane").read_text(encoding="utf-8"), encoding="utf-8")
    assert ArmSettings.load(copy).prismatic == (True, False, False, False)

"""``hil arm id`` and ``hil arm cost``: what scripts and people get, and what is refused."""

import json
import sys

import numpy as np
import pytest
from arms import shipped
from typer.testing import CliRunner

from hil.cli.main import app
from hil.stations.arm.commands.space_arms import beyond_torque
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.inverse_dynamics import TERMS, InverseDynamics
from sim.world.space_arm.motion_torques import CommandedMotion, motion_torques

BKM = shipped("bkm")
GIVEN = (
    "--q", "10,55,-90,25,20,0", "--v", "0,0.5,0.5,0,0,1", "--a", "0,0.1,0,0.2,0,0",
    "--wrench", "0,0,-50,1,2,3", "--payload", "light",
)  # fmt: skip


def call(*arguments):
    """Exit status, standard output and standard error."""
    result = CliRunner().invoke(app, ["arm", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_torques_are_those_of_the_library():
    status, text, _ = call("id", "bkm", *GIVEN, "--json")
    assert status == 0
    found = json.loads(text)
    q, v, a = (np.radians([float(one) for one in GIVEN[k].split(",")]) for k in (1, 3, 5))
    expected = InverseDynamics(BKM.arm(), BKM.payloads()["light"]).torques(
        q, v, a, np.array([0.0, 0.0, -50.0, 1.0, 2.0, 3.0])
    )
    assert list(found["terms_nm"]) == list(TERMS)
    for name, row in zip(TERMS, expected.terms(), strict=True):
        assert found["terms_nm"][name] == row.tolist()
    assert found["motor_nm"] == expected.motor_nm.tolist()
    assert found["gear_nm"] == expected.gear_nm.tolist()
    assert found["payload_kg"] == 1000.0
    assert found["limit_nm"][0] == pytest.approx(1570.0, abs=1.0)


def test_what_is_left_out_is_zero_and_home():
    found = json.loads(call("id", "bkm", "--json")[1])
    assert found["q_deg"] == pytest.approx(np.degrees(BKM.home_rad()).tolist())
    assert found["motor_nm"] == [0.0] * 6
    assert found["wrench"] == found["v_deg_s"] == found["a_deg_s2"] == [0.0] * 6


def test_people_read_that_nothing_weighs_in_orbit():
    status, text, _ = call("id", "bkm", *GIVEN)
    assert status == 0
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert rows["gravity"] == ["none"] * 6
    assert [len(rows[name]) for name in (*TERMS, "gear", "motor", "limit")] == [6] * 10
    assert "none" not in call("id", "puma560")[1]


def test_a_torque_beyond_the_motor_gives_status_1():
    status, text, _ = call("id", "bkm", "--a", "5,0,0,0,0,0", "--payload", "heavy", "--json")
    assert status == 1
    found = json.loads(text)
    assert found["ok"] is False
    assert any(line.startswith("shoulder_yaw: ") for line in found["violations"])


def test_a_motor_gives_its_limit_both_ways_and_no_more():
    names, limits = list("abcd"), np.full(4, 100.0)
    said = beyond_torque(names, np.array([100.0, 100.1, -100.1, -99.9]), limits)
    assert [line[0] for line in said] == ["b", "c"]


def test_a_joint_beyond_its_range_gives_status_1():
    status, text, _ = call("id", "bkm", "--q", "0,170,0,0,0,0")
    assert status == 1
    assert "shoulder_pitch: 170.000 deg is above" in text


def test_a_whole_motion_of_the_study():
    from hil_arm_study.motions import motions

    status, text, _ = call("id", "bkm", "--motion", "sideways", "--payload", "light", "--json")
    assert status == 0
    found = json.loads(text)
    slow = motions(BKM.arm(), BKM.home_rad(), 4)[3]
    motion = CommandedMotion(slow.q_start_rad, slow.commands_rad_s)
    motor = motion_torques(InverseDynamics(BKM.arm(), BKM.payloads()["light"]), motion).motor_nm
    assert found["duration_s"] == pytest.approx(19.6)
    for j, row in enumerate(found["joints"]):
        assert row["motor_min_nm"] == motor[:, j].min()
        assert row["motor_max_nm"] == motor[:, j].max()
        assert abs(motor[:, j]).mean() <= row["motor_rms_nm"] <= abs(motor[:, j]).max()
        assert list(row["terms_rms_nm"]) == list(row["terms_largest_nm"]) == list(TERMS)


def test_a_whole_motion_of_a_scenario_with_a_picture(tmp_path):
    folder = tmp_path / "new"
    status, text, _ = call(
        "id", "bkm", "--motion", "bkm_on_rm01", "--pictures", str(folder), "--json"
    )
    assert status == 0
    found = json.loads(text)
    assert found["payload_kg"] == 1000.0
    assert found["duration_s"] > 30.0
    assert found["joints"][0]["motor_max_nm"] > 500.0
    assert found["written"] == [str(folder / "torques.png")]
    assert (folder / "torques.png").read_bytes().startswith(b"\x89PNG")


def test_a_motion_for_people():
    status, text, _ = call("id", "bkm", "--motion", "wrist")
    assert status == 0
    assert text.splitlines()[0] == "wrist: 19.60 s, payload 0 kg"
    assert "gravity" not in text
    assert "wrist_roll" in text


def test_without_the_study_a_slow_motion_is_no_scenario(monkeypatch):
    monkeypatch.setitem(sys.modules, "hil_arm_study.motions", None)
    status, _, said = call("id", "bkm", "--motion", "wrist")
    assert status == 2
    assert "no such file" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "no such file"),
        (("rm01",), "is a robot; ARM must be a space arm"),
        (("bkm", "--q", "1,2,3,4,5"), "5 numbers; 6 are needed"),
        (("bkm", "--v", "1,2,3,4,5,6,7"), "7 numbers; 6 are needed"),
        (("bkm", "--a", "0,0,0,0,0,nan"), "'nan' is no finite number"),
        (("bkm", "--q", "0,0,0,inf,0,0"), "'inf' is no finite number"),
        (("bkm", "--wrench", "1,2,3,4,5"), "5 numbers; 6 are needed: fx,fy,fz,mx,my,mz in N"),
        (("bkm", "--wrench", "1,2,3,x,5,6"), "'x' is no finite number"),
        (("bkm", "--payload", "-5"), "above 0"),
        (("bkm", "--payload", "nan"), "above 0"),
        (("bkm", "--payload", "feather"), "none, light, heavy"),
        (("bkm", "--payload", "none,light"), "one payload is needed"),
        (("bkm", "--pictures", "x"), "only with --motion"),
        (("bkm", "--motion", "up", "--v", "0,0,0,0,0,0"), "--v: a motion has its own states"),
        (("bkm", "--motion", "nothing"), "no such file"),
        (("bkm", "--motion", "heave"), "must be an arm scenario"),
        (("shuttle_rms", "--motion", "bkm_on_rm01"), "is for bkm"),
    ],
)
def test_wrong_torques_are_refused(arguments, said):
    status, text, told = call("id", *arguments)
    assert status == 2
    assert said in " ".join(told.split())
    assert not text


def test_a_live_motion_has_no_plan(tmp_path):
    scenario = tmp_path / "live.toml"
    scenario.write_text(
        'station = "arm"\nname = "live"\nclock = "real"\n[source]\nkind = "keyboard"\n'
        "[mapping]\nstart = {position_m = [0.5, 0.0, 0.5], oat_deg = [0, 0, 0]}\n"
        "start_joints_deg = [0, 45, -180, 0, 45, 0]\n"
    )
    status, _, said = call("id", "bkm", "--motion", str(scenario))
    assert status == 2
    assert "keyboard" in said


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "pictures")
    status, _, said = call("id", "bkm", "--motion", "wrist", "--pictures", folder)
    assert status == 2
    assert "--pictures" in said


def test_cost_as_json():
    status, text, _ = call("cost", "bkm", "--json")
    assert status == 0
    found = json.loads(text)
    kernels = {row["what"]: row for row in found["kernels"]}
    assert kernels["D and h"]["operations"] == {
        "multiplications": 1503, "additions": 1212, "divisions": 0, "roots": 0, "trigonometric": 12,
    }  # fmt: skip
    assert [row["published_1993"] for row in found["kernels"] if row["published_1993"]] == [
        "4375 + 3406, BKM 3479 + 2503", "837", "1269", "951",
    ]  # fmt: skip
    assert [row["model"] for row in found["models"]] == [model.value for model in DriveModel]
    for row in [*found["kernels"], *found["models"]]:
        assert row["time_us"] > 0.0
    for row in found["models"]:
        whole = sum(row["operations"].values())
        assert row["per_step"] == pytest.approx(whole / row["steps"])


def test_cost_for_people_with_a_payload():
    status, text, _ = call("cost", "puma560", "--payload", "5")
    assert status == 0
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert {"a", "b", "c", "d", "e"} <= rows.keys()
    assert "f" not in rows  # no inductance is known
    assert "1503  1212" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "no such file"),
        (("bkm", "--payload", "-1"), "above 0"),
        (("bkm", "--payload", "light,heavy"), "one payload is needed"),
    ],
)
def test_wrong_costs_are_refused(arguments, said):
    status, text, told = call("cost", *arguments)
    assert status == 2
    assert said in " ".join(told.split())
    assert not text

"""Verbs of the virtual environment, as a person and a script use them."""

import json
import math
import re
import xml.etree.ElementTree as ET

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.machines.world.documents import machine_names, machine_robot
from hil.stations.world.commands import arguments, show
from sim.world.robots.losses import rank
from sim.world.robots.robot_toml_reader import read_toml

SHIPPED = sorted(path.stem for path in (configs_dir() / "world" / "robots").glob("*.toml"))


def said(*arguments, status=0):
    done = CliRunner().invoke(app, ["world", *arguments])
    assert status is None or done.exit_code == status, done.output
    return done


def told(*arguments, status=0):
    return json.loads(said(*arguments, "--json", status=status).stdout)


def test_the_list_counts_what_the_documents_have():
    rows = {row["name"]: row for row in told("list")["robots"]}
    assert list(rows) == [*SHIPPED, *machine_names()]
    wanted = {"links": 7, "joints": 6, "loops": 0, "freedoms": 6, "drives": 6}
    assert {key: rows["robot_a"][key] for key in wanted} == wanted
    wanted = {"links": 4, "joints": 4, "loops": 1, "freedoms": 3, "drives": 1}
    assert {key: rows["four_bar"][key] for key in wanted} == wanted
    wanted = {"links": 14, "joints": 19, "loops": 6, "freedoms": 24, "drives": 6}
    assert {key: rows["rig:paper"][key] for key in wanted} == wanted
    assert rows["rig:paper"]["file"].endswith("configs/rigs/paper.toml")
    assert "four_bar" in said("list").stdout
    assert "arm:bkm" in said("list").stdout


@pytest.mark.parametrize("name", ["rig:paper", "robot:rm01", "arm:bkm"])
def test_a_machine_is_taken_like_a_document_and_its_losses_are_told(name, tmp_path):
    assert told("show", name)["gap_max_m"] < 1e-9
    (end,) = told("fk", name)["ends"]
    checked = told("check", name)
    assert checked["engine"] == "ok"
    losses = sorted(machine_robot(name).losses, key=rank)
    assert checked["losses"] == [str(loss) for loss in losses]
    assert f"not said: {checked['losses'][-1]}" in said("check", name).stdout
    written = tmp_path / "written.toml"
    said("convert", name, "--to", "toml", "-o", str(written))
    np.testing.assert_allclose(
        told("fk", str(written))["ends"][0]["position_m"], end["position_m"], atol=1e-15
    )
    assert told("check", "robot_a")["losses"] == []
    assert told("convert", name, "--to", "toml")["losses"] == checked["losses"]
    for verb in (["check"], ["convert", "--to", "toml"]):
        refused = told(*verb, name, "--strict", status=1)
        assert checked["losses"][-1] in refused["error"]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_robot_is_shown_and_taken_by_the_engine(name):
    whole = told("show", name)
    assert whole["ok"]
    assert whole["gap_max_m"] < 1e-6
    assert whole["mass_kg"] == pytest.approx(sum(link["mass_kg"] for link in whole["links"]))
    assert told("check", name)["engine"] == "ok"
    assert said("show", name, "--frames").stdout


def test_shells_are_offered_documents_and_machines():
    rigs = ["rig:paper", "rig:paper_cabin", "rig:training_simulator"]
    assert arguments._robots("r")[:4] == [*rigs, "robot:rm01"]
    assert {"robot_a", "robot_b"} <= set(arguments._robots("r"))
    assert arguments._robots("arm:b") == ["arm:bkm"]


def test_frames_are_those_of_the_dh_product():
    links = {link["number"]: link for link in told("show", "robot_a")["links"]}
    pose = np.eye(4)
    for number, q in enumerate(np.radians([0, 0, 20, -20, 30, 60, 0])):
        alpha, d, theta, r = links[number]["dh"]
        one, two = np.eye(4), np.eye(4)
        one[:3, :3], one[0, 3] = Rotation.from_euler("x", alpha).as_matrix(), d
        two[:3, :3], two[2, 3] = Rotation.from_euler("z", theta + q).as_matrix(), r
        pose = pose @ one @ two
        np.testing.assert_allclose(links[number]["position_m"], pose[:3, 3], atol=1e-9)
        np.testing.assert_allclose(links[number]["rotation"], pose[:3, :3], atol=1e-9)


def test_forward_kinematics_take_degrees_and_millimetres(tmp_path):
    (tool,) = told("fk", "robot_a")["ends"]
    np.testing.assert_allclose(tool["position_m"], (0.78101, 0.05196, 0.82985), atol=5e-6)
    (turned,) = told("fk", "robot_a", "--q", "1=90")["ends"]
    x, y, z = tool["position_m"]
    np.testing.assert_allclose(turned["position_m"], (-y, x, z), atol=1e-9)
    slide = tmp_path / "slide.txt"
    slide.write_text(
        "units m rad kg/m3\n"
        "link [0, (0, 0, 0, 0), 0, (1), sphere, (0.1), (1, 0, 0), 1000]\n"
        "link [1, (0, 0, 0, 0), 1, (), sphere, (0.1), (1, 0, 0), 1000]\n"
        "joint [0, fixed, (0, 0, 1), -1, 0]\njoint [1, slide, (1, 0, 0), 0, 1]\n"
    )
    (last,) = told("fk", str(slide), "--q", "1=250")["ends"]
    assert last["position_m"] == [0.25, 0.0, 0.0]


def test_a_joint_beyond_its_limits_is_told_with_both(tmp_path):
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text()
    text = text.replace("start_rad = [0]", "start_rad = [0]\nlimits_rad = [[-1, 1]]", 1)
    own = tmp_path / "own.toml"
    own.write_text(text)
    found = told("fk", str(own), "--q", "1=60", status=1)
    wanted = f"joint 1: 60.000 deg is beyond its limits of {-math.degrees(1):.3f} to 57.296 deg"
    assert found["violations"] == [wanted]
    assert told("fk", str(own), "--q", "1=57")["ok"]


NAMED = """<robot name="two"><link name="base"/><link name="arm"/><link name="hand"/>
<joint name="shoulder=x" type="revolute"><parent link="base"/><child link="arm"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint>
<joint name="elbow" type="revolute"><parent link="arm"/><child link="hand"/>
<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="5" velocity="1"/>
</joint></robot>"""


@pytest.fixture
def named(tmp_path):
    path = tmp_path / "two.urdf"
    path.write_text(NAMED)
    return str(path)


def test_joints_are_called_by_the_names_of_the_document(named):
    by_name = told("fk", named, "--q", "shoulder=x=30", "--q", "elbow=-20")
    by_number = told("fk", named, "--q", "1=30", "--q", "2=-20")
    assert by_name == by_number
    assert by_name["q"]["1"] == [pytest.approx(math.radians(30))]
    beyond = told("fk", named, "--q", "elbow=120", status=1)["violations"]
    assert beyond[0].startswith("joint 2 elbow: 120.000 deg is beyond")
    shown = said("fk", named, "--q", "elbw=1", status=2).stderr
    assert "'elbw': no such joint; JOINT=VALUE with one of 1 shoulder=x, 2 elbow" in shown
    shown = said("fk", named, "--q", "elbow=1", "--q", "2=1", status=2).stderr
    assert "'2=1': joint 2 elbow is given twice" in shown


def test_a_name_of_two_joints_is_asked_for_by_number(tmp_path):
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text()
    own = tmp_path / "own.toml"
    own.write_text(text.replace('type = "hinge"', 'type = "hinge"\nname = "same"', 2))
    shown = said("fk", str(own), "--q", "same=1", status=2).stderr
    assert "'same': 2 joints have this name; say 1, 2" in shown


def test_an_end_and_the_joints_of_an_inverse_are_called_by_name(tmp_path):
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text()
    own = tmp_path / "own.toml"
    own.write_text(
        text.replace('type = "hinge"', 'type = "hinge"\nname = "waist"', 1)
    )  # fmt: skip
    pose = ("--pose", "700,100,800,0,90,0")
    found = said("ik", str(own), *pose, "--end", "tool", "--q", "waist=5").stdout
    assert "joint 1 waist: " in found
    shown = said("ik", str(own), *pose, "--end", "hand", status=2).stderr
    assert "'hand': no such joint; one of 7 tool" in shown


@pytest.mark.parametrize("given", ["7=1", "1", "=", "x=3", "1=nan", "1=1,2", "²=1"])
def test_a_coordinate_that_is_none_is_refused(given):
    assert "--q" in said("fk", "robot_a", "--q", given, status=2).stderr


def test_faults_of_a_document_stand_with_line_and_column(tmp_path):
    own = tmp_path / "own.txt"
    own.write_text(
        "units m rad kg/m3\nlink [0, (0, 0, nan, 0), 0, (), sphere, (0.1), (1, 0, 0), 1]\n"
    )
    error = told("check", str(own), status=2)["error"]
    assert re.search(rf"{own}: 2:\d+: .*nan", error)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in told("check", str(binary), status=2)["error"]
    assert "no such file" in told("check", "robot_z", status=2)["error"]


def test_without_the_engine_a_document_is_checked_all_the_same(monkeypatch):
    from sim.world.engine import library, world

    def absent():
        raise library.EngineMissingError("absent")

    monkeypatch.setattr(world, "engine", absent)
    assert told("check", "robot_a")["engine"] == show.NO_ENGINE


@pytest.mark.parametrize("name", SHIPPED)
def test_toml_is_written_without_loss(name, tmp_path):
    own = tmp_path / "own.toml"
    done = told("convert", name, "--to", "toml", "--strict", "-o", str(own))
    assert done == {"format": 1, "ok": True, "to": "toml", "file": str(own), "text": "",
                    "losses": []}  # fmt: skip
    shipped = (configs_dir() / "world" / "robots" / f"{name}.toml").read_text()
    assert read_toml(own.read_text(), "own") == read_toml(shipped, "shipped")


def test_losses_are_told_and_strict_refuses_them(tmp_path):
    done = said("convert", "robot_a", "--to", "dh")
    assert "lost: joint 1 armature = 0.1" in done.stderr
    assert done.stdout.startswith("units m rad kg/m3")
    own = tmp_path / "own.txt"
    refused = told("convert", "robot_a", "--to", "dh", "--strict", "-o", str(own), status=1)
    assert "joint 1 armature" in refused["error"]
    assert not own.exists()


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    there = tmp_path / "absent" / "own.toml"
    done = told("convert", "robot_a", "--to", "toml", "-o", str(there), status=2)
    assert "cannot be written" in done["error"]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_engines_text_keeps_all_digits(name):
    """The engine's own reader gives the numbers of the text bit by bit."""
    text = told("convert", name, "--to", "mjcf")["text"]
    model = mujoco.MjModel.from_xml_string(text)
    for body in ET.fromstring(text).iter("body"):
        position = [float(one) for one in body.get("pos", "0 0 0").split()]
        assert model.body(body.get("name")).pos.tolist() == position
        if (inertial := body.find("inertial")) is not None:
            assert model.body(body.get("name")).mass == float(inertial.get("mass"))


def test_a_urdf_is_read_wherever_a_robot_is_named_and_its_losses_are_told(tmp_path):
    own = tmp_path / "own.urdf"
    said("convert", "robot_a", "--to", "urdf", "-o", str(own))
    (wanted,), (found,) = told("fk", "robot_a")["ends"], told("fk", str(own))["ends"]
    np.testing.assert_allclose(found["position_m"], wanted["position_m"], atol=1e-12)
    assert told("check", str(own), "--strict")["losses"] == []
    text = own.read_text().replace('damping="1.0"', 'dampng="1.0"', 1)
    own.write_text(text)
    line = 1 + text[: text.index("dampng")].count("\n")
    done = said("check", str(own))
    assert f"lost: {own}:{line}:5: joint joint1 dampng = 1.0: <dynamics> has no such" in done.stderr
    assert told("check", str(own))["losses"][0].startswith(f"{own}:{line}:5: ")
    assert f"{own}:{line}:5: " in told("check", str(own), "--strict", status=1)["error"]
    assert (
        f"{own}:{line}:5: "
        in told("convert", str(own), "--to", "toml", "--strict", status=1)["error"]
    )
    assert told("convert", str(own), "--to", "toml")["losses"] != []


@pytest.mark.parametrize("method", ["dls", "ccd"])
def test_inverse_kinematics_come_back_to_the_place(method):
    """Told joints put the tool there, by a forward kinematics that shares nothing with them."""
    pose = "700,100,800,10,80,-5"
    inverse = told("ik", "robot_a", "--pose", pose, "--method", method)
    assert inverse["ok"]
    near = 1e-8 if method == "dls" else 1e-6
    (tool,) = told("fk", "robot_a", *(
        word for number, value in inverse["q"].items()
        for word in ("--q", f"{number}={math.degrees(value)!r}")
    ))["ends"]  # fmt: skip
    np.testing.assert_allclose(tool["position_m"], (0.7, 0.1, 0.8), atol=near)
    wanted = Rotation.from_euler("xyz", [10, 80, -5], degrees=True).as_matrix()
    np.testing.assert_allclose(tool["rotation"], wanted, atol=10 * near)


def test_a_pose_out_of_reach_is_told_with_what_is_left():
    found = told("ik", "robot_a", "--pose", "5000,0,0,0,0,0", status=1)
    assert not found["ok"]
    assert found["error_m"] > 3.0
    assert (
        "no inverse kinematics" in said("ik", "four_bar", "--pose", "0,0,0,0,0,0", status=2).stderr
    )
    assert (
        "there are: 7"
        in said("ik", "robot_a", "--pose", "0,0,0,0,0,0", "--end", "3", status=2).stderr
    )

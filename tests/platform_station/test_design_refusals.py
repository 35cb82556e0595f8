"""`hil platform design`: what is refused before anything is computed or written, and how."""

# ruff: noqa: E501 a row of a table is longer than a line of text
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from platform6dof.design import search

SPEC = (configs_dir() / "designs" / "like_paper.toml").read_text()
BOX = """
[box]
x_m = [-0.1, 0.1]
y_m = [-0.1, 0.1]
z_m = [0.8, 1.0]
alpha_deg = [-5.0, 5.0]
beta_deg = [-5.0, 5.0]
gamma_deg = [-5.0, 5.0]
"""


def refused(tmp_path, before, after, status, box=""):
    """Words of the refusal of the shipped design with one text of it replaced."""
    assert (SPEC + box).count(before) >= 1
    file = tmp_path / "spec.toml"
    file.write_text((SPEC + box).replace(before, after, 1))
    words = ["platform", "design", str(file), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == status, done.output[:3000] + repr(done.exception)
    assert not (tmp_path / "out").exists(), "nothing is written before all is known"
    text = "".join(done.output.split())
    assert "".join(str(file).split()) in text, "the file is named"
    return text


def with_motions(*names):
    return "seed = 1", f"seed = 1\nmotions = {list(names)}"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("dead_length_m = 0.25", "dead_length_m = 250.0"), "dead_length_m = 250.0 : is the value in millimetres"),
        (("[3.0, 57.0]", "[57.0, 3.0]"), "base_half_angle_deg from 57 to 3: the first must not be the greater"),
        (("[3.0, 57.0]", "[3.0, nan]"), "base_half_angle_deg must be a finite number"),
        (("mass_kg = 300.0", "mass_kg = nan"), "load.mass_kg must be a finite number"),
        (("mass_kg = 300.0", "mass_kg = 0.0"), "load.mass_kg = 0"),
        (("[0.0, 0.0, 0.35]", "[0.0, 0.0, inf]"), "load.centre_m must be a finite number"),
        (("acceleration_m_s2 =", "inertia_kg_m2 = [1, 1, 9, 0, 0, 0]\nacceleration_m_s2 ="), "load.inertia_kg_m2 = principal moments the greatest is above the sum of the others"),
        (("acceleration_m_s2 =", "inertia_kg_m2 = [1, 1, nan, 0, 0, 0]\nacceleration_m_s2 ="), "load.inertia_kg_m2 must be a finite number"),
        (("acceleration_m_s2 =", "# acceleration ="), "load.acceleration_m_s2 is missing: give it, or name motions"),
        (('["stroke_m", "error", "force_n"]', "[]"), "objectives at least 1"),
        (('"error", ', '"beauty", '), "objectives beauty stroke_m force_n error footprint_m"),
        (('"error", ', '"force_n", '), "objectives = each may stand there once"),
        (('rig = "paper"', 'rig = "papre"'), "rig = papre no such file did you mean paper"),
        (("height_m = [0.6, 1.9]", "heigth_m = [0.6, 1.9]"), "heigth_m did you mean height_m"),
        (("seed = 1", "sead = 1"), "sead unknown key did you mean seed"),
        (("height_m = [0.6, 1.9]", "height_m = 0.2"), "pose_box.z_m of the rig = lowest pose is 0.005 m under the base no machine reaches that variables.height_m"),
        (with_motions("no_such_ride"), "motions = no_such_ride no such file did you mean street_ride?"),
        (with_motions("demoo"), "motions = demoo no such file did you mean demo?"),
        (with_motions("no_ride.csv"), "motions = no_ride.csv no such file"),
        (with_motions("joint_move"), "motions = joint_move its station, world, moves no platform name a scenario or a recorded motion of a platform"),
        (with_motions("demo", "demo"), "motions = each may stand there once"),
        (with_motions("/etc/hostname.csv"), "motions = /etc/hostname.csv"),
        (with_motions(""), "motions"),
        (with_motions("paper"), "motions = paper.toml is a rig must be a platform scenario"),
    ],
)  # fmt: skip
def test_bad_designs_are_refused_before_anything_is_computed(tmp_path, monkeypatch, change, said):
    def computed(*_):
        raise AssertionError("a machine was computed")

    monkeypatch.setattr("platform6dof.kernels.design.scores", computed)
    text = refused(tmp_path, *change, status=2)
    for word in said.split():
        assert word in text, (word, text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("z_m = [0.8, 1.0]", "z_m = [1.0, 0.8]"), "box.z_m 1 0.8"),
        (("x_m = [-0.1, 0.1]", "x_m = [nan, 0.1]"), "box.x_m must be a finite number"),
        (("z_m = [0.8, 1.0]", "z_m = [-1.2, 2.9]"), "box.z_m = lowest pose is 0.150 m under the base no machine reaches that greater variables.height_m"),
        (("y_m = [-0.1, 0.1]\n", ""), "box.y_m"),
    ],
)  # fmt: skip
def test_bad_boxes_are_refused(tmp_path, change, said):
    text = refused(tmp_path, *change, status=2, box=BOX)
    for word in said.split():
        assert word in text, (word, text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("dead_length_m = 0.25", "dead_length_m = 3.0"), r"closed length is"),
        (("seed = 1", "seed = 1\nsingular_value_min = 0.95"), "singular value is"),
        (("seed = 1", "seed = 1\njoint_cone_base_deg = 2.0"), "beyond joint_cone_base_deg = 2"),
        (("seed = 1", "seed = 1\njoint_cone_platform_deg = 2.0"), "beyond joint_cone_platform_deg = 2"),
    ],
)  # fmt: skip
def test_a_design_without_solution_names_what_binds(tmp_path, monkeypatch, change, said):
    monkeypatch.setattr(search, "GENERATIONS", 4)
    text = refused(tmp_path, *change, status=1)
    assert "nomachinewithintherangeskeepsallconstraints" in text
    assert said.replace(" ", "") in text, text

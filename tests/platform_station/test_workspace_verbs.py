"""``hil platform map`` and ``prove`` as a user or a script meets them."""

import json
import re

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.stations.platform.proof import workspace_request
from hil.stations.platform.proof.workspace_summaries import POSE_KEYS
from platform6dof.workspace.quantities import Quantity

runner = CliRunner()
PAPER = configs_dir() / "rigs" / "paper.toml"
FEW = ("--points", "12")


def platform(*words, status=0):
    result = runner.invoke(app, ["platform", *map(str, words)])
    assert result.exit_code == status, result.output + repr(result.exception)
    return result


def found(*words, status=0):
    return json.loads(platform(*words, "--json", status=status).stdout)


def test_a_map_of_places_has_its_numbers():
    answer = found("map", "paper", *FEW)
    assert answer["ok"] is True
    assert (answer["of"], answer["unit"], answer["over"]) == ("travel", "m", "places")
    assert answer["volume_m3"] == pytest.approx(0.636, abs=0.06)
    assert answer["volume_deg3"] is None
    assert answer["lower"]["z_m"] < 0.73 < 1.14 < answer["upper"]["z_m"]
    assert answer["grid_lower"]["x_m"] < answer["lower"]["x_m"] < 0 < answer["upper"]["x_m"]
    assert sum(answer["bound_by"].values()) == pytest.approx(1.0)
    assert sum(answer["outside_by"].values()) == pytest.approx(1.0)
    assert 0.0 <= answer["least"] < answer["greatest"] < 0.37
    assert answer["singular_cells"] == 0


def test_a_map_of_turns_is_in_degrees():
    answer = found("map", "paper", "--at", "0,0,0.935", "--of", "sigma", *FEW)
    assert answer["over"] == "turns"
    assert answer["volume_m3"] is None
    assert answer["volume_deg3"] > 1e4
    assert -60 < answer["lower"]["alpha_deg"] < -30
    assert answer["lower"]["z_m"] == pytest.approx(0.935)
    assert answer["greatest"] > answer["least"] >= 0.1


def test_lines_for_people_name_what_ends_it():
    text = platform("map", "paper", "--over", "-1,1,-1,1,0.4,1.5", *FEW).output
    assert re.search(r"inside all limits: [\d.]+ m³, [\d.]+ % of 12³ cells", text)
    assert "its rim is made by leg too long" in text
    assert "base joint angle" in text
    speeds = platform(
        "map", "paper", "--of", "speed", "--rates", "0.1,0.1,0.1,10,10,10", *FEW
    ).output
    assert "fastest leg at the wished rates" in speeds


def test_pictures_are_written(tmp_path):
    answer = found("map", "paper", "--of", "sigma", "--pictures", tmp_path / "new", *FEW)
    proof = found(
        "prove", "paper", "--scale", "0.2", "--no-largest", "--pictures", tmp_path / "new"
    )
    names = ["map_sigma.png", "map_sigma_limits.png", "proof.png"]
    written = [*answer["written"], *proof["written"]]
    assert written == [str(tmp_path / "new" / name) for name in names]
    for path in written:
        pixels = np.asarray(Image.open(path).convert("L"), dtype=float)
        assert pixels.std() > 5.0


def test_singular_cells_are_black_in_the_picture(tmp_path):
    rig = PAPER.read_text("utf-8").replace("singular_value_min = 0.10", "singular_value_min = 1e-9")
    rig = rig.replace("stroke_m = 0.74", "stroke_m = 1.5")
    rig = rig.replace("joint_cone_base_deg = 40.0", "joint_cone_base_deg = 89.0")
    rig = rig.replace("joint_cone_platform_deg = 45.0", "joint_cone_platform_deg = 89.0")
    (tmp_path / "wide.toml").write_text(rig, "utf-8")
    given = ("map", tmp_path / "wide.toml", "--at", "0,0,0.935", "--over", "60,110,-5,5,-5,5",
             "--of", "sigma", *FEW)  # fmt: skip
    answer = found(*given, "--pictures", tmp_path)
    assert answer["singular_cells"] > 0
    assert answer["least"] >= 1e-3
    assert "singular poses: in or beside" in platform(*given).output
    pixels = np.asarray(Image.open(answer["written"][0]).convert("L"))
    assert (pixels[80:360] < 20).sum() > 500


def test_a_box_inside_its_travel_holds():
    answer = found("prove", "paper", "--scale", "0.4", "--no-largest")
    assert (answer["ok"], answer["verdict"]) == (True, "holds")
    assert (answer["proved_share"], answer["undecided_share"]) == (1.0, 0.0)
    assert answer["lower"]["x_m"] == pytest.approx(-0.04)
    assert answer["violating"] == []
    assert answer["largest"] is None
    assert answer["boxes"] > 0
    text = platform("prove", "paper", "--scale", "0.4", "--no-largest").output
    assert "holds: all limits, in every pose of the box" in text
    assert "none undecided" in text


def test_the_simulators_box_is_not_inside_its_travel():
    answer = found("prove", "training_simulator", status=1)
    assert answer["verdict"] == "violated"
    assert {one["quantity"] for one in answer["violating"]} == {"length"}
    assert answer["length_min_m"] == pytest.approx(0.8808, abs=1e-4)
    assert answer["length_max_m"] == pytest.approx(1.9586, abs=1e-4)
    assert answer["largest"]["scale"] == pytest.approx(0.5283, abs=1e-3)
    assert answer["largest"]["limited_by"]["limit"] == pytest.approx(1.69)
    text = platform("prove", "training_simulator", status=1).output
    assert "leg 6: length 1.95855 m, limit 1.69 m" in text
    assert "largest proved box: scale 0.528" in text


def test_a_budget_says_what_is_undecided():
    answer = found("prove", "paper", "--scale", "0.8", "--no-largest", "--boxes", 300, status=1)
    assert (answer["ok"], answer["verdict"]) == (False, "undecided")
    assert answer["undecided_share"] > 0.0
    text = platform("prove", "paper", "--scale", "0.8", "--no-largest", "--boxes", 300, status=1)
    assert "(--seconds)" in text.output


def test_a_rig_with_bodies_is_judged_by_its_forces(tmp_path):
    answer = found("map", "paper_cabin", "--of", "force", "--pictures", tmp_path, *FEW)
    assert (answer["of"], answer["unit"]) == ("force", "N")
    assert 700.0 < answer["least"] < answer["greatest"] <= 3600.0
    assert answer["bound_by"]["leg force"] > 0.2
    assert answer["written"][0].endswith("map_force.png")
    proved = found("prove", "paper_cabin", "--scale", "0.4", "--no-largest")
    assert proved["verdict"] == "holds"
    assert 700.0 < proved["force_max_n"] < 3600.0
    assert abs(proved["force_max_pose"]["alpha_deg"]) <= 4.0 + 1e-9
    text = platform("prove", "paper_cabin", "--scale", "0.4", "--no-largest").output
    assert f"holding force {proved['force_max_n']:.0f} N" in text
    assert "force_max_n" not in found("prove", "paper", "--scale", "0.4", "--no-largest")


def test_a_box_that_a_drive_does_not_hold_is_named_with_pose_leg_force_and_limit(tmp_path):
    rig = PAPER.with_name("paper_cabin.toml").read_text("utf-8")
    rig = rig.replace("[supervision]\n", "[supervision]\nforce_max_n = 2100.0\n")
    rig = rig.replace("alpha_deg = [-10.0, 10.0]", "alpha_deg = [-1.0, 1.0]")
    (tmp_path / "weak.toml").write_text(rig, "utf-8")
    box = "-0.25,0.25,-0.2,0.2,0.9,1.0,-1,1,-1,1,-1,1"
    given = ("prove", tmp_path / "weak.toml", "--box", box, "--pictures", tmp_path)
    answer = found(*given, status=1)
    (one,) = answer["violating"]
    assert (one["quantity"], one["unit"], one["limit"]) == ("holding force", "N", 2100.0)
    assert one["value"] > 2100.0
    assert one["message"].startswith(f"leg {one['leg']}: holding force ")
    assert answer["largest"]["limited_by"]["quantity"] == "holding force"
    text = platform(*given, status=1).output
    assert re.search(r"x -?0\.25 m, .* holding force \d+\.?\d* N, limit 2100 N", text)


def test_stiffness_and_error_are_those_of_the_other_verbs(tmp_path):
    stiff = found("map", "paper_cabin", "--of", "stiffness", *FEW)
    assert stiff["unit"] == "N/m"
    pose = ",".join(f"{stiff['least_pose'][key]:.17g}" for key in POSE_KEYS)
    matrix = found("forces", "paper_cabin", "--pose", pose)["stiffness"]["matrix"]
    quarter = np.linalg.inv(np.array(matrix))[:3, :3]
    assert stiff["least"] == pytest.approx(1.0 / np.linalg.eigvalsh(quarter)[2], rel=1e-9)
    error = found("map", "paper_cabin", "--of", "error", *FEW)
    pose = ",".join(f"{error['greatest_pose'][key]:.17g}" for key in POSE_KEYS)
    exact = found("accuracy", "paper_cabin", "--pose", pose, "--machines", "10")
    assert error["unit"] == "m"
    assert error["greatest"] == pytest.approx(exact["at_pose"]["three_sigma"]["place_m"], rel=1e-9)


FAR = "2,2.1,0,0.1,0.9,1.0,0,1,0,1,0,1"
REFUSED = [
    (("map", "paper", "--of", "colour"), 2, "'colour' is unknown; there are travel, sigma, speed"),
    (("map", "paper", "--of", "speed"), 2, "speed needs the rates that are wished: give --rates"),
    (("map", "paper", "--of", "force"), 2, "paper.toml: body is left out: forces need the masses"),
    (("map", "paper", "--of", "stiffness"), 2, "cylinders.drive.axial_stiffness_n_m is left out"),
    (("map", "paper", "--at", "0,0,1", "--turned", "0,0,0"), 2, "not both"),
    (("map", "paper", "--at", "0,0,nan"), 2, "'nan' is no finite number"),
    (("map", "paper", "--at", "0,0,935"), 2, "further than 20 m; positions are in metres"),
    (("map", "paper", "--turned", "0,0,400"), 2, "400° is more than a whole turn"),
    (("map", "paper", "--over", "1,0,0,1,0,1"), 2, "1 comes before 0: lower ends come first"),
    (("map", "paper", "--at", "0,0,3"), 1, "limit 1.375 m; give another --at (neutral: x 0 m"),
    (("map", "paper", "--rates", "0.1,0,0,0,0,-1"), 2, "greatest rates are 0 or more"),
    (("prove", "paper", "--box", "0,1"), 2, "2 numbers; 12 are needed"),
    (("prove", "paper", "--box", FAR), 1, "none is inside all limits, for instance not x"),
    (("prove", "paper", "--box", FAR.replace("2,2.1", "inf,2")), 2, "'inf' is no finite number"),
    (("prove", "no_such_rig"), 2, "no_such_rig"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "status", "text"), REFUSED)
def test_what_cannot_be_is_refused_with_the_remedy(words, status, text):
    result = platform(*words, *(FEW if words[0] == "map" else ()), status=status)
    assert text in result.output
    answer = found(*words, *(FEW if words[0] == "map" else ()), status=status)
    assert answer["ok"] is False
    assert text in answer["error"]


def test_a_rigs_key_is_named(tmp_path):
    rig = PAPER.read_text("utf-8").replace("z_m = [0.73, 1.14]", "z_m = [1.14, 0.73]")
    (tmp_path / "wrong.toml").write_text(rig, "utf-8")
    assert "pose_box.z_m" in platform("prove", tmp_path / "wrong.toml", status=2).output


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    text = platform("map", "paper", *FEW, "--pictures", tmp_path / "file", status=2).output
    assert "cannot be written" in text


def test_a_quantity_that_needs_the_rig_is_made_of_it(monkeypatch):
    def load(rig, geometry, source):
        assert (rig.name, source) == ("paper", str(PAPER))
        return Quantity("load", "load", "N", "greatest", lambda _, poses: 100.0 * poses[:, 2])

    monkeypatch.setitem(workspace_request.MAKERS, "load", load)
    answer = found("map", "paper", "--of", "load", *FEW)
    assert (answer["of"], answer["unit"]) == ("load", "N")
    assert answer["greatest"] == pytest.approx(100.0 * answer["greatest_pose"]["z_m"])

"""`hil platform accuracy`: what it prints, its pictures, and what it refuses."""

import json

import pytest
from typer.testing import CliRunner

from hil.cli.main import app

PICTURES = {
    "accuracy_random_machines.png", "accuracy_shares.png", "accuracy_slice.png",
    "accuracy_geometry.png",
}  # fmt: skip


def accuracy(*words, status=0, rig="paper"):
    arguments = ["platform", "accuracy", rig, "--machines", "500", *map(str, words)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == status, done.output + repr(done.exception)
    return done


def summary(*words, **options):
    return json.loads(accuracy(*words, "--json", **options).stdout)


def test_the_paper_is_as_exact_as_its_lengths_say():
    found = summary()
    assert found["at_pose"]["place_per_length"] == pytest.approx(3.413, abs=5e-4)
    assert found["at_pose"]["turn_per_length_deg_m"] == pytest.approx(175.3, abs=0.1)
    assert found["worst"]["place_per_length"] == pytest.approx(4.24, abs=0.01)
    assert 1000 < found["poses_within"] < found["poses_tried"] == 1077
    assert all(one["assumed"] for one in found["tolerances"].values())
    assert sum(found["at_pose"]["shares"].values()) == pytest.approx(1.0)
    assert found["budget"] is None
    assert found == summary(), "the same seed, the same machines"


def test_given_tolerances_are_used_and_said(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("leg_length_m = 3e-3\nplay_m = 0.0\n")
    words = "--tolerances", file, "--tolerance", "play_m=1e-3"
    found = summary(*words)
    given = {name: one["value"] for name, one in found["tolerances"].items() if not one["assumed"]}
    assert given == {"leg_length_m": 3e-3, "play_m": 1e-3}
    assert found["at_pose"]["three_sigma"]["place_m"] > 3e-3 * 3.41
    shown = accuracy(*words).stdout
    assert "given: leg_length_m 0.003, play_m 0.001" in shown
    assert "assumed: scale 5e-05, base_joint_m 0.0003" in shown


def test_a_budget_gives_tolerances_that_keep_it():
    found = summary("--budget", "0.2mm@0.3,0,1.2")["budget"]
    assert found["wanted_m"] == pytest.approx(0.2e-3)
    assert found["reached_m"] == pytest.approx(0.2e-3)
    assert found["drawn_m"] == pytest.approx(0.2e-3, rel=0.1)
    words = [f"--tolerance={name}={value}" for name, value in found["tolerances"].items()]
    again = summary("--at", "0.3,0,1.2", *words)
    assert again["worst"]["three_sigma"]["place_m"] == pytest.approx(0.2e-3, rel=1e-6)
    stiff = ("--tolerance", "leg_expansion_per_k=0.0", "--tolerance", "plate_expansion_per_k=0.0")
    without = summary("--budget", "200um", *stiff)["budget"]
    assert without["tolerances"]["temperature_k"] is None
    assert "temperature_k        any" in accuracy("--budget", "200 um", *stiff).stdout


def test_pictures_are_written_and_the_same_again(tmp_path):
    found = summary("--pictures", tmp_path / "a")
    assert {path.name for path in (tmp_path / "a").iterdir()} == PICTURES
    assert [path.rsplit("/", 1)[1] for path in found["written"]] == [
        "accuracy_random_machines.png", "accuracy_shares.png", "accuracy_slice.png",
        "accuracy_geometry.png",
    ]  # fmt: skip
    summary("--pictures", tmp_path / "b")
    for name in PICTURES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    (tmp_path / "file").write_text("")
    assert "cannot be written" in accuracy("--pictures", tmp_path / "file", status=2).output


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        (["--budget", "0.2"], "write a number and its unit, as 0.2mm", 2),
        (["--budget", "0.2inch"], "write a number and its unit", 2),
        (["--budget", "1e5e5mm"], "'1e5e5' is no number", 2),
        (["--budget", "0mm"], "must be from 1e-9 m to 1 m", 2),
        (["--budget", "1e9m"], "must be from 1e-9 m to 1 m", 2),
        (["--budget", "1mm@1,2"], "2 numbers; 3 are needed", 2),
        (["--budget", "1mm@1,2,3", "--at", "0,0,0"], "give one", 2),
        (["--at", "1,nan,2"], "'nan' is no finite number", 2),
        (["--at", "300,0,1200"], "positions are in metres", 2),
        (["--tolerance", "play_m=nan"], "play_m = nan: must be a finite number", 2),
        (["--tolerance", "play_m=0.2"], "is the value in millimetres", 2),
        (["--tolerance", "paly_m=0.002"], "did you mean play_m", 2),
        (["--tolerance", "scale=-1"], "scale = -1", 2),
        (["--tolerances", "nowhere.toml"], "nowhere.toml: cannot be read", 2),
        (["--pose", "0,0,0,0,0,0"], "this pose is singular", 1),
    ],
)
def test_bad_input_is_refused_before_anything_is_computed(words, said, status):
    refused = accuracy(*words, status=status)
    assert said in " ".join(refused.output.split())


def test_a_box_outside_all_limits_has_no_worst_pose(tmp_path):
    from hil.config.file_search import configs_dir

    text = (configs_dir() / "rigs" / "paper.toml").read_text()
    file = tmp_path / "high.toml"
    file.write_text(text.replace("z_m = [0.73, 1.14]", "z_m = [2.73, 3.14]"))
    assert summary(rig=str(file))["worst"] is None
    assert "none of these is within the limits (0 of 1077" in accuracy(rig=str(file)).stdout
    refused = accuracy("--budget", "1mm", rig=str(file), status=1)
    assert "none of 1077 poses" in refused.output

"""Which names of files a setting is offered."""

from pathlib import Path

from hil.config.file_search import configs_dir, find_file
from hil.panel.scenarios.models.form_files import offered
from hil.run.file_kinds import TOGETHER
from hil.stations.arm.station import SCENARIO as ARM
from hil.stations.platform.station import SCENARIO as PLATFORM

CONFIGS = configs_dir()


def test_what_lies_beside_comes_before_what_is_shipped(tmp_path):
    (tmp_path / "mine.toml").write_text((CONFIGS / "rigs" / "paper.toml").read_text())
    (tmp_path / "other.toml").write_text("[nothing]\n")
    scenario = tmp_path / "run.toml"
    scenario.write_text((CONFIGS / "scenarios" / "demo.toml").read_text())
    rigs = ("mine.toml", "paper", "paper_cabin", "training_simulator")
    assert offered(PLATFORM, ("rig",), scenario) == rigs
    assert offered(ARM, ("robot",), scenario) == ("rm01",)
    assert "bkm" in offered(ARM, ("space_arm", "arm"), scenario)
    parts = offered(TOGETHER, ("part", 3, "scenario"), scenario)
    assert "demo" in parts
    assert "platform_and_arm" not in parts  # stations together hold no stations together


def test_every_name_that_is_offered_is_found():
    demo = CONFIGS / "scenarios" / "demo.toml"
    for kind, place, folder in (
        (PLATFORM, ("rig",), "rigs"), (ARM, ("robot",), "robots"),
        (ARM, ("space_arm", "arm"), "arms"), (PLATFORM, ("motion", "file"), "motions"),
        (TOGETHER, ("part", 0, "scenario"), "scenarios"),
        (PLATFORM, ("motion", "diagram"), "diagrams"),
    ):  # fmt: skip
        names = offered(kind, place, demo)
        assert names
        for name in names:
            assert find_file(name, beside=demo, folder=folder, key="file").is_file()


def test_diagrams_are_offered_and_no_scenario_beside_them(tmp_path):
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('rig = "paper"\n')
    (tmp_path / "other.toml").write_text('rig = "paper"\n')
    (tmp_path / "law.toml").write_text("format = 1\n")
    names = offered(PLATFORM, ("motion", "diagram"), scenario)
    assert names[0] == "law.toml"
    assert "heave" in names
    assert "other.toml" not in names


def test_a_recorded_source_lies_beside_its_scenario_only(tmp_path):
    (tmp_path / "stick.csv").write_text("t_s\n")
    assert offered(ARM, ("source", "file"), tmp_path / "arm.toml") == ("stick.csv",)


def test_other_settings_and_folders_that_are_not_there_offer_nothing(tmp_path):
    assert offered(PLATFORM, ("name",), CONFIGS / "scenarios" / "demo.toml") == ()
    assert offered(ARM, ("source", "file"), Path("/nowhere/at/all.toml")) == ()

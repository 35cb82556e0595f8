"""Which names of files a setting is offered."""

from pathlib import Path

from hil.config.shipped import configs_dir, find_file
from hil.panel.scenarios.models.form_files import offered

CONFIGS = configs_dir()


def test_what_lies_beside_comes_before_what_is_shipped(tmp_path):
    (tmp_path / "mine.toml").write_text((CONFIGS / "rigs" / "paper.toml").read_text())
    (tmp_path / "other.toml").write_text("[nothing]\n")
    scenario = tmp_path / "run.toml"
    scenario.write_text((CONFIGS / "scenarios" / "demo.toml").read_text())
    assert offered(("rig",), scenario) == ("mine.toml", "paper", "training_simulator")
    assert offered(("robot",), scenario) == ("rm01",)
    assert "bkm" in offered(("space_arm", "arm"), scenario)
    parts = offered(("part", 3, "scenario"), scenario)
    assert "demo" in parts
    assert "platform_and_arm" not in parts  # stations together hold no stations together


def test_every_name_that_is_offered_is_found():
    demo = CONFIGS / "scenarios" / "demo.toml"
    for place, folder in (
        (("rig",), "rigs"), (("robot",), "robots"), (("space_arm", "arm"), "arms"),
        (("motion", "file"), "motions"), (("part", 0, "scenario"), "scenarios"),
    ):  # fmt: skip
        names = offered(place, demo)
        assert names
        for name in names:
            assert find_file(name, beside=demo, folder=folder, key="file").is_file()


def test_a_recorded_source_lies_beside_its_scenario_only(tmp_path):
    (tmp_path / "stick.csv").write_text("t_s\n")
    assert offered(("source", "file"), tmp_path / "arm.toml") == ("stick.csv",)


def test_other_settings_and_folders_that_are_not_there_offer_nothing(tmp_path):
    assert offered(("name",), CONFIGS / "scenarios" / "demo.toml") == ()
    assert offered(("source", "file"), Path("/nowhere/at/all.toml")) == ()

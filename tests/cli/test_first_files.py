"""Files as newcomers write them: the refusal names file, key or line, and the remedy."""

from pathlib import Path

import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.machines.rig.drive_file import canopen_type, read_drive_table
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.simulator.sources.emulated_host_source import EmulatedSettings

SCENARIOS = configs_dir() / "scenarios"
PLATFORM, ARM = "heave", "bkm_on_rm01"
LOADED = {PLATFORM: load_plan, ARM: load_arm_plan}
HEAVE = (SCENARIOS / "heave.toml").read_text(encoding="utf-8")

NO_TOML = {
    "a comma for a point": ("15.0", "15,0", "line 8, column 16): a number has a point"),
    "a path of Windows": (
        '"../rigs/paper.toml"', r'"C:\Users\me\rig.toml"', "line 4, column 12): write a path of",
    ),
    "a word of Python": ("[motion]", "fit = True\n[motion]", "true and false have small letters"),
    "no value": ("[motion]", "rate_hz = None\n[motion]", "leave a key out that has no value"),
    "a unit": ("15.0", "15.0 s", "line 8, column 19): a number has no unit"),
    "no quotes": ('"multi_sine"', "multi_sine", "line 7, column 8): text stands in quotes"),
    "YAML": ('name = "heave"', "name: heave", "line 2, column 5): write key = value"),
}  # fmt: skip
WRONG = {
    "a unit in quotes": (
        PLATFORM, "15.0", '"15 s"', "motion.duration_s = '15 s': must be a number, without quotes",
    ),
    "a key below a table": (
        PLATFORM, "duration_s", "rate_hz = 100\nduration_s",
        "motion.rate_hz = 100: unknown key here (it belongs at the top of the file",
    ),
    "a name with blanks": (
        PLATFORM, '"heave"', '"My heave"', "name = 'My heave': must be 1 to 60 of the characters",
    ),
    "a list that is a number": (
        ARM, "[0.0, 0.0, 0.04]", "0.04", "velocity_m_s = 0.04: must be a list in square brackets",
    ),
    "a number for text": (
        ARM, '"light"', "1000", "space_arm.payload = 1000: must be text in quotes",
    ),
    "a frame that nobody places": (ARM, '"base"', '"world"', "source.frame = 'world': where the"),
}  # fmt: skip
DRIVE = {
    "an index": ('"1006h"', '"1006"', "objects.lacks.0 = '1006': must be an object such as 1006h"),
    "a unit": ('"rpm"', '"RPM"', "units.speed: 'RPM' is no unit here: write one of counts/s"),
    "a type": ('"epos4"', '"epso4"', "drives.type = 'epso4': no such file"),
}


def refused(path: Path, text: str | bytes, kind: str = PLATFORM) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as found:
        LOADED[kind](path)
    assert str(found.value).startswith(f"{path}: ")
    return str(found.value)


@pytest.mark.parametrize("case", NO_TOML)
def test_what_is_no_toml_is_told_with_its_line_and_what_would_be(case, tmp_path):
    good, bad, words = NO_TOML[case]
    assert HEAVE.count(good) == 1
    assert words in refused(tmp_path / "my.toml", HEAVE.replace(good, bad))


def test_a_file_of_another_encoding_is_to_be_saved_as_utf_8(tmp_path):
    told = refused(tmp_path / "my.toml", HEAVE.encode("utf-16"))
    assert "is not UTF-8 (byte 1 is 0xFF): save it as UTF-8" in told


@pytest.mark.parametrize("case", WRONG)
def test_a_value_that_is_wrong_is_told_with_its_key_and_what_would_be_right(case, tmp_path):
    kind, good, bad, words = WRONG[case]
    text = (SCENARIOS / f"{kind}.toml").read_text(encoding="utf-8")
    assert good in text
    assert words in refused(tmp_path / "my.toml", text.replace(good, bad, 1), kind)


def test_a_feed_that_is_none_is_told_with_those_there_are(tmp_path):
    with pytest.raises(ConfigError, match="feed = 'fligth': no such file, and none of auto, "):
        EmulatedSettings(feed="fligth").make_feed(tmp_path / "my.toml")


def test_a_range_upside_down_is_told_by_the_keys_of_the_file(tmp_path):
    robot = (configs_dir() / "robots" / "rm01.toml").read_text(encoding="utf-8")
    mine = tmp_path / "mine.toml"
    mine.write_text(robot.replace("[-160.0, ", "[170.0, "), encoding="utf-8")
    text = (SCENARIOS / f"{ARM}.toml").read_text(encoding="utf-8")
    scenario = tmp_path / "my.toml"
    scenario.write_text(text.replace('robot = "rm01"', 'robot = "mine.toml"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"position_min_deg\.0 = 170: must be below") as found:
        load_arm_plan(scenario)
    assert str(mine) in str(found.value)


@pytest.mark.parametrize("case", DRIVE)
def test_a_drive_file_is_told_by_its_keys(case, tmp_path):
    good, bad, words = DRIVE[case]
    rig, mine = tmp_path / "rig.toml", tmp_path / "mine.toml"
    text = (configs_dir() / "drives" / "epos4.toml").read_text(encoding="utf-8")
    mine.write_text(text.replace(good, bad, 1), encoding="utf-8")
    name = bad.strip('"') if case == "a type" else "mine.toml"
    with pytest.raises(ConfigError) as found:
        drive_type(name, rig)
    assert words in str(found.value)


def drive_type(name, rig):
    table, path = read_drive_table(name, "canopen", beside=rig)
    return canopen_type(table, str(path))

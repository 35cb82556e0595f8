"""What can be picked, and what may be written."""

import tomllib

import pytest

from hil.config.file_search import configs_dir
from hil.machines.kinds import SPACE_ARM
from hil.panel.scenarios.models.catalogue import (
    SaveError,
    Writer,
    catalogue,
    entry_of,
    relocated,
    table_of,
)
from hil.panel.scenarios.models.form_check import problems_of
from hil.stations.arm.station import SCENARIO as ARM_SCENARIO
from hil.stations.platform.station import SCENARIO as PLATFORM_SCENARIO
from hil.stations.world.station import DOCUMENT

SCENARIOS = configs_dir() / "scenarios"


def read(path):
    return tomllib.loads(path.read_text())


def test_every_shipped_file_is_there_with_its_station_and_description():
    entries = {entry.path: entry for entry in catalogue()}
    for folder in ("scenarios", "rigs", "robots", "arms"):
        for path in (configs_dir() / folder).glob("*.toml"):
            entry = entries.pop(path.resolve())
            assert (entry.shipped, entry.problem) == (True, "")
            assert entry.name == read(path)["name"]
            assert bool(entry.station) == (folder == "scenarios")
    for path in (configs_dir() / "cueing").glob("*.toml"):
        entry = entries.pop(path.resolve())
        assert (entry.shipped, entry.problem, entry.station) == (True, "", "")
    robots = configs_dir() / "world" / "robots"
    for path in (*robots.glob("*.toml"), *robots.glob("*.txt")):
        entry = entries.pop(path.resolve())
        assert (entry.shipped, entry.problem, entry.station) == (True, "", "")
        assert entry.name == (path.stem if path.suffix == ".toml" else path.name)
        table, kind = table_of(path)
        assert kind is entry.kind is DOCUMENT
        assert problems_of(kind, table, path) == ()
    assert not entries


def test_stations_and_order():
    entries = catalogue()
    by_name = {entry.name: entry for entry in entries}
    assert by_name["demo"].station == "platform"
    assert by_name["bkm_on_rm01"].station == "arm"
    assert by_name["platform_and_arm"].station == "together"
    assert by_name["demo"].description.startswith("Multi-sine")
    kinds = [entry.kind for entry in entries]
    assert kinds.index(ARM_SCENARIO) > kinds.index(PLATFORM_SCENARIO)
    assert kinds[-1] is DOCUMENT
    assert kinds.index(DOCUMENT) > kinds.index(SPACE_ARM)


def test_a_folder_of_ones_own_shows_settings_only_and_says_what_cannot_be_read(tmp_path):
    (tmp_path / "mine.toml").write_text((SCENARIOS / "demo.toml").read_text())
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "broken.toml").write_text("name = ")
    mine = [entry for entry in catalogue([tmp_path, tmp_path / "absent"]) if not entry.shipped]
    assert [entry.path.name for entry in mine] == ["mine.toml"]
    assert "not valid TOML" in entry_of(tmp_path / "broken.toml").problem
    assert "kind" in entry_of(tmp_path / "pyproject.toml").problem


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_shipped_scenario_saved_elsewhere_still_works(path, tmp_path):
    target = tmp_path / "own" / path.name
    moved = Writer().save(read(path), target, path)
    assert read(target) == moved
    kind = entry_of(path).kind
    assert kind is not None
    assert problems_of(kind, read(target), target) == ()


def test_names_of_ones_own_files_lead_to_them_from_the_new_folder(tmp_path):
    source = tmp_path / "a" / "one.toml"
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "ride.csv").write_text("t_s\n")
    table = {"rig": "paper", "motion": {"file": "ride.csv", "kind": "recorded"}, "name": "ride.csv"}
    target = tmp_path / "b" / "two.toml"
    moved = relocated(table, source, target)
    assert moved["motion"]["file"] == "../a/ride.csv"
    assert (moved["rig"], moved["name"]) == ("paper", "ride.csv")
    assert relocated(table, source, tmp_path / "a" / "three.toml") == table


def test_shipped_and_foreign_files_are_never_written(tmp_path):
    writer, source = Writer(), SCENARIOS / "demo.toml"
    before = source.read_bytes()
    with pytest.raises(SaveError, match="came with the program"):
        writer.save({"name": "x"}, source, source)
    with pytest.raises(SaveError, match="came with the program"):
        writer.save({"name": "x"}, SCENARIOS / ".." / "rigs" / "new.toml", source)
    assert source.read_bytes() == before
    other = tmp_path / "theirs.toml"
    other.write_text("# a comment\nname = 'y'\n")
    with pytest.raises(SaveError, match="is there already"):
        writer.save({"name": "x"}, other, source)
    assert other.read_text().startswith("# a comment")


def test_a_link_to_a_shipped_file_is_not_written_through(tmp_path):
    link = tmp_path / "link.toml"
    link.symlink_to(SCENARIOS / "demo.toml")
    with pytest.raises(SaveError):
        Writer().save({"name": "x"}, link, SCENARIOS / "demo.toml")


def test_what_it_wrote_itself_it_may_write_again(tmp_path):
    writer, path = Writer(), tmp_path / "mine.toml"
    writer.save({"name": "one"}, path, path)
    writer.save({"name": "two"}, path, path)
    assert read(path) == {"name": "two"}
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(SaveError):
        Writer().save({"name": "three"}, path, path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SaveError, match="cannot be written"):
        Writer().save({"name": "x"}, tmp_path / "file" / "x.toml", tmp_path / "y.toml")

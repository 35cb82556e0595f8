"""The model of robots' documents beside their reader: schema, form and file say the same."""

import copy
import tomllib

import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.stations.world.robots.robot_file import robot_from_table, robot_table, robot_text
from hil.stations.world.robots.robot_settings import (
    AxisBoundsSettings,
    RobotDocumentSettings,
    RobotDriveSettings,
    RobotJointSettings,
    RobotLinkSettings,
)
from sim.world.robots import dh, toml_keys
from sim.world.robots.body import BodyShape
from sim.world.robots.model import JointType
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.text import read_text

ROBOTS = configs_dir() / "world" / "robots"
SHIPPED = sorted([*ROBOTS.glob("*.toml"), *ROBOTS.glob("*.txt")])
TURNS, SLIDES = JointType.HINGE, JointType.SLIDE


def keys(model):
    return set(model.model_fields)


def choices(model, field):
    return set(model.model_json_schema()["properties"][field]["enum"])


def test_the_model_has_the_readers_keys_and_words():
    """Judge: the reader's own tables."""
    assert keys(RobotLinkSettings) == set(toml_keys.LINK.values())
    assert keys(RobotJointSettings) == {
        key for kind in JointType for key in toml_keys.joint_keys(kind).values()
    }
    for model, of in (
        (RobotDriveSettings, toml_keys.drive_keys), (AxisBoundsSettings, toml_keys.bounds_keys)
    ):  # fmt: skip
        assert keys(model) == {*of(TURNS).values(), *of(SLIDES).values()}
    assert tuple(RobotLinkSettings.model_fields["dh"].annotation.model_fields) == dh.NAMES
    assert choices(RobotLinkSettings, "shape") == set(BodyShape)
    assert choices(RobotJointSettings, "type") == set(JointType)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_document_is_one_and_comes_back_whole(path):
    table = robot_table(path)
    RobotDocumentSettings.build(table, path.name)
    read = read_toml if path.suffix == ".toml" else read_text
    robot = read(path.read_text(), path.name)
    assert robot_from_table(table, path) == robot
    text, lost = robot_text(table, path.with_suffix(".toml"))
    assert lost == ()
    assert read_toml(text, "again") == robot
    text, lost = robot_text(table, path.with_suffix(".txt"))
    again = read_text(text, "again")
    assert (write_toml(again) == write_toml(robot)) == (not lost)


WRONG = (
    (("link", 2, "shape"), "ball", "one of none, box"),
    (("link", 1, "dh"), {"alpha_rad": 0.0}, "D-H numbers"),
    (("link", 4, "density_kg_m3"), -1.0, "density_kg_m3 = -1.0"),
    (("joint", 5, "start_rad"), [0.1, 0.2], "start"),
    (("joint", 3, "armature_kg_m2"), "much", "not a number"),
    (("joint", 7, "at_parent_m"), [0.0, 1.0], "2 numbers"),
    (("drive", 1, "effort_max_nm"), -5.0, "effort_max"),
    (("drive", 1, "effort"), 1.0, "no such key"),
)


@pytest.mark.parametrize(("place", "value", "told"), WRONG, ids=lambda one: str(one)[:30])
def test_a_fault_stands_at_its_key(place, value, told):
    table = tomllib.loads((ROBOTS / "robot_a.toml").read_text())
    wrong = copy.deepcopy(table)
    wrong[place[0]][place[1]][place[2]] = value
    with pytest.raises(ConfigError) as refused:
        robot_from_table(wrong, ROBOTS / "robot_a.toml")
    places = {one.place: one.message for one in refused.value.problems}
    assert told in places[place]

"""Every shipped robot and machine in every form and back: it moves and weighs the same.

Two hinges in a model, or in what was read of one, stand for a universal joint that is driven.
"""

from dataclasses import replace

import numpy as np
import pytest
from robot_documents import coordinates

from hil.machines.world.robot_documents import robot_of, shipped_robots
from sim.world.engine.mjcf import model_text, robot_text
from sim.world.engine.mjcf_losses import mjcf_losses
from sim.world.engine.mjcf_robot import PlacedRobot, joint_names
from sim.world.engine.world import World
from sim.world.mjcf.mjcf_reader import read_mjcf
from sim.world.robots.driven_universals import SECOND, driven_universals, with_hinges
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.text import read_text, text_losses, write_text
from sim.world.robots.tree import spanning_tree
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.urdf_writer import urdf_losses, write_urdf

ROBOTS = [*shipped_robots()]
UNSAID = {
    "text": {"armature", "damping", "drives", "friction", "limits", "machine", "mass_kg", "mimic",
             "name", "place", "sensors", "start"},
    "toml": set(),
    "urdf": {"density_kg_m3", "kind"},
    "mjcf": {"axis", "density_kg_m3", "machine", "name", "type"},
}  # fmt: skip
"""Fields that a form may lose of a shipped robot; losses of sensors aside."""


def there_and_back(robot, form):
    """What comes back, and the fields that were told as lost."""
    match form:
        case "text":
            return read_text(write_text(robot), "again"), text_losses(robot)
        case "toml":
            return read_toml(write_toml(robot), "again"), ()
        case "urdf":
            found, losses = read_urdf(write_urdf(robot), "again")
            return found, (*losses, *urdf_losses(robot))
        case _:
            found, losses = read_mjcf(robot_text(robot), "again")
            kept = [one for one in losses if not one.reason.startswith(("sensors", "links of"))]
            return found, (*kept, *mjcf_losses(robot))


def mass_matrix(robot, at):
    """With the freedoms in the order of joint numbers; where the robot has these coordinates."""
    world = World(model_text([PlacedRobot(replace(robot, machine=None, sensors=()))]))
    world.robots[0].move_to(at)
    world.settle()
    moving = [joint.number for joint in with_hinges(robot).joints
              if joint_names(joint) and not joint.closes]  # fmt: skip
    order = sorted(moving, key=lambda number: (number % SECOND, number))
    freedoms = [at for number in order for at in world.robots[0].freedoms(number)]
    assert len(freedoms) == len(world.mass_matrix())
    return world.mass_matrix()[np.ix_(freedoms, freedoms)]


def poses(robot, at):
    """Poses of the links of a document; a universal joint's coordinates are those of its hinges."""
    numbers = {joint.number for joint in robot.joints}
    spread = dict(at)
    for number in [one for one in at if one + SECOND in numbers]:
        spread[number], spread[number + SECOND] = at[number][:1], at[number][1:]
    found = spanning_tree(robot).poses(spread)
    return {number: pose for number, pose in found.items() if number < SECOND}


@pytest.mark.parametrize("form", UNSAID)
@pytest.mark.parametrize("name", ROBOTS)
def test_it_moves_and_weighs_the_same(name, form):
    """Rotors' inertias, which the text has no column for and tells, are put back for the judge."""
    robot = robot_of(name)[0]
    found, losses = there_and_back(robot, form)
    told = {one.field for one in losses if not one.subject.startswith("sensor")}
    assert told <= UNSAID[form]
    assert driven_universals(robot) or "type" not in told
    tree = spanning_tree(robot)
    for seed in (7, 8):
        at = tree.coordinates(coordinates(robot, seed))
        one, other = (poses(each, at) for each in (robot, found))
        assert one.keys() == other.keys()
        for number, pose in one.items():
            np.testing.assert_allclose(other[number], pose, atol=1e-12)
        ends = [spanning_tree(each).end_poses(links) for each, links in
                ((robot, one), (found, other))]  # fmt: skip
        assert ends[0].keys() == ends[1].keys()
        for number, pose in ends[0].items():
            np.testing.assert_allclose(ends[1][number], pose, atol=1e-12)
        if "armature" in told:
            rotors = {joint.number: joint.armature for joint in robot.joints}
            joints = (replace(each, armature=rotors[each.number]) for each in found.joints)
            found = replace(found, joints=tuple(joints))
        wanted, mass = (mass_matrix(each, at) for each in (robot, found))
        np.testing.assert_allclose(mass, wanted, atol=1e-9 * max(1.0, float(np.abs(wanted).max())))


@pytest.mark.parametrize("name", ROBOTS)
def test_toml_says_every_digit(name):
    robot = robot_of(name)[0]
    assert read_toml(write_toml(robot), "again") == robot


@pytest.mark.parametrize("name", ROBOTS)
def test_urdf_keeps_drives_and_their_axes(name):
    robot = robot_of(name)[0]
    found = read_urdf(write_urdf(robot), "again")[0]
    assert {*found.drives} == {*robot.drives}
    assert driven_universals(found) == driven_universals(robot)


def test_a_model_has_two_hinges_for_a_driven_universal_joint_and_tells_it():
    robot = robot_of("continuum")[0]
    told = {one.subject: str(one) for one in mjcf_losses(robot) if one.field == "type"}
    assert told.keys() == {f"joint {number}" for number in range(1, 31)}
    assert "hinges 5 and 10005 stand for it" in told["joint 5"]
    found = read_mjcf(robot_text(robot), "again")[0]
    assert [joint.type for joint in found.joints if joint.number in (5, 10005)] == ["hinge"] * 2
    still = replace(robot, drives=())
    assert not [one for one in mjcf_losses(still) if one.field == "type"]
    assert {j.type for j in read_mjcf(robot_text(still), "x")[0].joints if j.axis} == {"universal"}


@pytest.mark.parametrize("name", ROBOTS)
def test_the_long_way_round_is_the_same_robot(name):
    """Document, URDF, MJCF, document: loops, drives and limits stay those of the first."""
    robot = robot_of(name)[0]
    urdf, _ = read_urdf(write_urdf(robot), "way")
    mjcf, _ = read_mjcf(robot_text(urdf), "way")
    found = read_toml(write_toml(mjcf), "way")
    at = spanning_tree(robot).coordinates(coordinates(robot, 9))
    one, other = (poses(each, at) for each in (robot, found))
    assert one.keys() == other.keys()
    for number, pose in one.items():
        np.testing.assert_allclose(other[number], pose, atol=1e-12)
    loops = [[(j.number, j.type, j.at_parent_m, j.at_child_m) for j in each.joints if j.closes]
             for each in (robot, found)]  # fmt: skip
    assert loops[0] == loops[1]
    hinged = with_hinges(robot)
    drives = [[(one.joint, one.control) for one in each.drives] for each in (hinged, found)]
    assert sorted(drives[0]) == sorted(drives[1])
    limits = [{j.number: j.limits for j in each.joints if j.limits and not j.closes}
              for each in (hinged, found)]  # fmt: skip
    assert limits[0] == limits[1]

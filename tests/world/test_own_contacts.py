"""Links of one robot that touch each other, where its document wants it."""

from dataclasses import replace

import pytest

from sim.world.engine.mjcf import model_text, robot_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.urdf_writer import urdf_losses

HAMMER = """
name = "hammer"
own_contacts = true
link = [
    { number = 0, dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0 }, leaving = [1], shape = "box", size_m = [1.0, 1.0, 0.1], mass_kg = 5.0, place = { position_m = [0, 0, 0] } },
    { number = 1, dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0.5 }, leaving = [2], shape = "sphere", size_m = [0.02], mass_kg = 0.1, place = { position_m = [0, 0, 0] } },
    { number = 2, dh = { alpha_rad = 1.5707963267948966, d_m = 0.0, theta_rad = 0, r_m = 0 }, leaving = [3], shape = "capsule", size_m = [0.03], mass_kg = 0.5 },
]
joint = [
    { number = 0, type = "fixed", parent = -1, child = 0 },
    { number = 1, type = "hinge", axis = [0, 0, 1], parent = 0, child = 1, damping_nm_s = 0.1 },
    { number = 2, type = "hinge", axis = [0, 0, 1], parent = 1, child = 2, damping_nm_s = 0.05 },
    { number = 3, type = "end", axis = [0, 0, 1], parent = 2, child = -1, at_parent_m = [0.6, 0, 0] },
]
"""  # noqa: E501  a line of a table is a line


def hammer():
    return read_toml(HAMMER, "hammer.toml")


def fallen(robot):
    """Angle of the hammer below the horizontal after 3 s [rad], and whether it was ever lower."""
    world = World(model_text([PlacedRobot(robot)]))
    lowest = 0.0
    for _ in range(1500):
        world.step()
        lowest = min(lowest, world.robots[0].coordinates()[2][0])
    return world.robots[0].coordinates()[2][0], lowest


def test_a_hammer_rests_on_the_base_that_it_would_fall_through():
    at_rest, lowest = fallen(hammer())
    # Its axis ends 0.03 m above the base's top, which is 0.45 m below the hinge: sin = 0.42 / 0.6.
    assert at_rest == pytest.approx(-0.7754, abs=0.01)
    assert lowest > -0.85
    assert fallen(replace(hammer(), own_contacts=False))[1] < -1.4


def test_no_document_has_it_by_itself_and_it_goes_with_the_document():
    text = HAMMER.replace("own_contacts = true\n", "")
    assert not read_toml(text, "hammer.toml").own_contacts
    assert read_toml(write_toml(hammer()), "hammer.toml") == hammer()
    assert "own_contacts" in str(list(urdf_losses(hammer())))
    assert robot_text(hammer()).count("<pair ") == 1
    assert "<pair " not in robot_text(replace(hammer(), own_contacts=False))

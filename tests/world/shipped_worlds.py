"""Worlds of one shipped robot."""

from dataclasses import replace

from robot_documents import shipped_text

from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.robot_toml_reader import read_toml


def documented(name):
    return read_toml(shipped_text(name, "toml"), name)


def a_world(robot, **stepping):
    return World(model_text([PlacedRobot(robot)], Stepping(**stepping)))


def on_a_floor(robot):
    """The same world with a level floor at height 0."""
    made = model_text([PlacedRobot(robot)], Stepping())
    floor = '<worldbody><geom type="plane" size="0 0 0.1" contype="1" conaffinity="1" />'
    return World(replace(made, text=made.text.replace("<worldbody>", floor)))

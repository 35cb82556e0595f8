"""The paper's rig as a plant, for the tests."""

from dataclasses import replace

import numpy as np

from hil.config.file_search import find_file
from hil.machines.rig.machine import geometry_of, load_rig
from hil.machines.world.rig_document import ACTUATOR, PLATFORM, rig_robot
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.plants.platform_plant import PlatformPlant
from sim.world.robots.body import BodyPlace
from sim.world.robots.model import Robot
from sim.world.scenes.model import Stepping

HEIGHT_M = 0.935
FREE = (False,) * 6
HELD = (True,) * 6
RIG = load_rig(find_file("paper", folder="rigs", key="rig"))
GEOMETRY = geometry_of(RIG)
TUBE_M = float(GEOMETRY.closed_length_m[0]) - 3.0 * ACTUATOR.eye_m
"""Length of cylinder and rod."""
CENTRE_M = ACTUATOR.eye_m + 0.5 * TUBE_M
"""Of either, from its joint."""


def paper_robot(payload_kg=300.0, centre_m=(0.0, 0.0, 0.0)) -> Robot:
    """Its platform and payload are one plate."""
    robot, _ = rig_robot(RIG, platform_kg=payload_kg)
    links = list(robot.links)
    links[PLATFORM] = replace(links[PLATFORM], place=BodyPlace(centre_m))
    return replace(robot, links=tuple(links))


def plant_of(robot: Robot) -> PlatformPlant:
    return PlatformPlant(model_text([PlacedRobot(robot)], Stepping(step_s=0.001)))


def paper_plant(payload_kg=300.0, centre_m=(0.0, 0.0, 0.0)) -> PlatformPlant:
    return plant_of(paper_robot(payload_kg, centre_m))


def weight_forces_n(payload_kg: float, z_m: float = HEIGHT_M) -> float:
    """Of each rod of the level platform: the plate's sixth, the rod's along the leg, and what
    cylinder and rod push across it, N = sum(m g l sin) / L, of whose vertical part the legs bear a
    sixth each."""
    length_m, cos, sin = _leg(z_m)
    arms = ACTUATOR.cylinder_kg * CENTRE_M
    arms += ACTUATOR.rod_kg * (length_m - CENTRE_M)
    across_n = 9.81 * arms * sin / length_m
    return payload_kg * 9.81 / (6.0 * cos) + ACTUATOR.rod_kg * 9.81 * cos + across_n * sin / cos


def heave_mass_kg(payload_kg: float, z_m: float = HEIGHT_M) -> float:
    """At each rod, of twice the kinetic energy in heave."""
    length_m, cos, sin = _leg(z_m)
    turning = ACTUATOR.cylinder_kg * CENTRE_M**2
    turning += ACTUATOR.rod_kg * (length_m - CENTRE_M) ** 2
    for mass, long, radius in (
        (ACTUATOR.cylinder_kg, TUBE_M, ACTUATOR.cylinder_radius_m),
        (ACTUATOR.rod_kg, TUBE_M, ACTUATOR.rod_radius_m),
    ):
        turning += mass * (3.0 * radius**2 + long**2) / 12.0
    own_kg = ACTUATOR.rod_kg + ACTUATOR.rotor_kg
    return payload_kg / (6.0 * cos**2) + own_kg + turning * (sin / (cos * length_m)) ** 2


def _leg(z_m: float) -> tuple[float, float, float]:
    across_m = np.linalg.norm((GEOMETRY.base_joints_m - GEOMETRY.platform_joints_m)[0, :2])
    length_m = float(np.hypot(across_m, z_m))
    return length_m, z_m / length_m, float(across_m) / length_m

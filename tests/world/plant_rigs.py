"""The paper's rig as a plant, for the tests."""

import numpy as np

from hil.config.shipped import find_file
from hil.machines.machine import geometry_of, load_rig
from sim.world.plants.hexapod import HexapodFrame, LegParts, PlatformBody, hexapod_robot
from sim.world.plants.platform import PlatformPlant

HEIGHT_M = 0.935
PARTS = LegParts()
FREE = (False,) * 6
HELD = (True,) * 6
RIG = load_rig(find_file("paper", folder="rigs", key="rig"))
GEOMETRY = geometry_of(RIG)


def paper_frame() -> HexapodFrame:
    return HexapodFrame(
        GEOMETRY.base_joints_m,
        GEOMETRY.platform_joints_m,
        GEOMETRY.closed_length_m,
        GEOMETRY.stroke_m,
        HEIGHT_M,
        np.array(RIG.cylinders.force_max_n),
    )


def paper_robot(payload_kg=300.0, centre_m=(0.0, 0.0, 0.0)):
    return hexapod_robot(paper_frame(), PlatformBody(payload_kg, centre_m), PARTS)


def paper_plant(payload_kg=300.0, centre_m=(0.0, 0.0, 0.0)) -> PlatformPlant:
    return PlatformPlant(paper_robot(payload_kg, centre_m))


def weight_forces_n(payload_kg: float, z_m: float = HEIGHT_M) -> float:
    """Of each rod of the level platform: the plate's sixth, the rod's along the leg, and what
    cylinder and rod push across it, N = sum(m g l sin) / L, of whose vertical part the legs bear a
    sixth each."""
    length_m, cos, sin = _leg(z_m)
    arms = PARTS.cylinder_kg * PARTS.cylinder_centre_m
    arms += PARTS.rod_kg * (length_m - PARTS.rod_centre_m)
    across_n = 9.81 * arms * sin / length_m
    return payload_kg * 9.81 / (6.0 * cos) + PARTS.rod_kg * 9.81 * cos + across_n * sin / cos


def heave_mass_kg(payload_kg: float, z_m: float = HEIGHT_M) -> float:
    """At each rod, of twice the kinetic energy in heave."""
    length_m, cos, sin = _leg(z_m)
    turning = PARTS.cylinder_kg * PARTS.cylinder_centre_m**2
    turning += PARTS.rod_kg * (length_m - PARTS.rod_centre_m) ** 2
    for mass, long, radius in (
        (PARTS.cylinder_kg, 2.0 * PARTS.cylinder_centre_m, PARTS.cylinder_radius_m),
        (PARTS.rod_kg, 2.0 * PARTS.rod_centre_m, PARTS.rod_radius_m),
    ):
        turning += mass * (3.0 * radius**2 + long**2) / 12.0
    return payload_kg / (6.0 * cos**2) + PARTS.own_kg + turning * (sin / (cos * length_m)) ** 2


def _leg(z_m: float) -> tuple[float, float, float]:
    across_m = np.linalg.norm((GEOMETRY.base_joints_m - GEOMETRY.platform_joints_m)[0, :2])
    length_m = float(np.hypot(across_m, z_m))
    return length_m, z_m / length_m, float(across_m) / length_m

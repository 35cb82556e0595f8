"""An arm on a platform that is led: the engine against the principle of equivalence.

A base that is accelerated by a does to the arm what gravity g - a does to one that stands still;
one that is tilted by R what gravity turned back, R^T g.
"""

import math

import numpy as np
import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.machines.robot.settings import RobotSettings
from hil.machines.world.documents import puma_class_robot
from hil.machines.world.scene_documents import scene_of
from hil.machines.world.scene_machine import MachineScene, scene_around
from hil.stations.arm.run.world import emulated_gears
from sim.world.plants.arm_plant import STEP_S, ArmPlant, geared
from sim.world.plants.platform_ride import Ride, platform_alone
from sim.world.robots.model import JointType

RM01 = RobotSettings.load(find_file("rm01", folder="robots", key="ROBOT"))
ARM = geared(puma_class_robot(RM01)[0], emulated_gears())
SCENE = scene_of("arm_on_platform")
Q_RAD = np.radians((10.0, 45.0, -150.0, 20.0, 45.0, 0.0)).tolist()
TORQUES = (60.0, -80.0, 40.0, 5.0, -3.0, 2.0)
"""Above friction at every joint: all of them move."""
G = np.array([0.0, 0.0, -9.81])
UP_M = np.array([0.0, 0.0, 1.2])


def placed() -> MachineScene:
    return scene_around(SCENE, "robot", "rm01", borne=True)


def riding(pose) -> ArmPlant:
    place = placed()
    bearer = platform_alone(SCENE.robots[place.bearer])
    plant = ArmPlant(place.text(ARM, STEP_S, 0, bearer), 1, Ride(0, pose))
    plant.begin(Q_RAD)
    return plant


def standing(gravity_m_s2) -> ArmPlant:
    plant = ArmPlant(scene_around(scene_of("empty"), "robot", "rm01").text(ARM, STEP_S))
    plant.world.pull(gravity_m_s2.tolist())
    plant.begin(Q_RAD)
    return plant


def frame(position_m, rotation=None):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.eye(3) if rotation is None else rotation, position_m
    return pose


def after(plant: ArmPlant, steps: int = 160) -> np.ndarray:
    for _ in range(steps):
        plant.advance(TORQUES, False, STEP_S)
    return np.array(plant.angles_rad()) - Q_RAD


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
def test_an_accelerated_base_does_what_gravity_would(direction):
    """The base has its acceleration from t = 0; the weld takes it up within two steps or so."""
    a = 4.0 * np.array(direction)
    found = after(riding(lambda t: frame(UP_M + 0.5 * a * max(t, 0.0) ** 2)))
    wanted, still = after(standing(G - a)), after(standing(G))
    effect = np.abs(wanted - still).max()
    assert effect > 2e-3
    np.testing.assert_allclose(found, wanted, atol=0.04 * effect)
    np.testing.assert_allclose(after(riding(lambda t: frame(UP_M))), still, atol=1e-6)


def test_a_tilted_base_does_what_turned_gravity_would():
    c, s = math.cos(0.3), math.sin(0.3)
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    found = after(riding(lambda t: frame(UP_M, R)))
    np.testing.assert_allclose(found, after(standing(R.T @ G)), atol=2e-6)
    assert np.abs(found - after(standing(G))).max() > 1e-3


def test_the_platform_goes_as_it_is_told_whatever_the_arm_does():
    """An even motion, 3 m/s2 and turning, the arm thrown about on it."""

    def way(t):
        c, s = math.cos(0.4 * t), math.sin(0.4 * t)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return frame(UP_M + np.array([0.3 * t + 1.5 * t * t, 0.0, 0.1 * math.sin(6.0 * t)]), turn)

    plant = riding(way)
    for step in range(300):
        push = 1.0 if step % 60 < 30 else -1.0
        plant.advance([push * one for one in TORQUES], False, STEP_S)
        if step < 20:  # it has stood until t = 0
            continue
        plant.world.settle()
        apart = plant.world.robots[0].pose(1) - way(plant.world.time_s)
        assert np.abs(apart[:3, 3]).max() < 40e-6
        assert np.abs(apart[:3, :3]).max() < 1e-4


def test_braked_on_a_moving_platform_no_joint_gives_way():
    plant = riding(lambda t: frame(UP_M + np.array([0.05 * math.sin(8.0 * t), 0.0, 0.0])))
    for _ in range(2000):
        plant.advance(TORQUES, True, STEP_S)
    np.testing.assert_allclose(plant.angles_rad(), Q_RAD, atol=5e-6)


def test_of_the_rig_its_platform_is_left():
    platform = platform_alone(SCENE.robots["rig"])
    assert [one.type for one in platform.joints] == [JointType.FIXED, JointType.FREE]
    assert [link.number for link in platform.links] == [0, 1]
    assert platform.links[1].mass_kg == SCENE.robots["rig"].links[1].mass_kg
    with pytest.raises(ValueError, match="0 free joints: one, from the base, is needed"):
        platform_alone(ARM)


def test_who_stands_on_what_is_told_apart():
    place = placed()
    assert (place.robot, place.bearer, place.left_out) == ("robot", "rig", ())
    assert [one.name for one in place.scene.robots] == ["rig", "robot"]
    with pytest.raises(ConfigError, match="robot stands on rig, which nobody moves here"):
        scene_around(SCENE, "robot", "rm01")
    with pytest.raises(ConfigError, match="a robot: on a robot is needed, for there is a ride"):
        scene_around(scene_of("table"), "robot", "rm01", borne=True)
    rig = scene_around(SCENE, "rig", "training_simulator")
    assert (rig.bearer, rig.left_out) == ("", ("robot",))

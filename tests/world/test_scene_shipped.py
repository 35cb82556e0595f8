"""Shipped scenes with the robots that fit: all that is at rest stays where it is."""

from dataclasses import replace

import numpy as np
import pytest

from hil.machines.world.robot_documents import robot_of, shipped_robots
from hil.machines.world.scene_documents import FurnishedScene, scene_of, shipped_scenes
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.engine.world_robot import WorldRobot
from sim.world.robots.model import JointType
from sim.world.scenes.model import SceneRobot

SCENES = tuple(shipped_scenes())
FITTING = [
    *(("empty", name) for name in shipped_robots()),
    *(("table", name) for name in ("robot_a", "robot_b")),
    ("hangar", "mf4"),
    ("airlock", "torso"),
    ("airlock", "anthropomorph"),
]
RAISED = ("four_bar", "robot:", "arm:")
"""Beginnings of the names of robots that would reach below a floor."""
RIGS = ("paper_cabin", "beam_over_platform", "arm_on_platform")


def with_robot(scene: str, robot: str) -> FurnishedScene:
    found = scene_of(scene)
    height_m = 20.0 if robot.startswith(RAISED) else 0.0
    x_m = 0.35 if scene == "airlock" else 0.0
    one = SceneRobot("guest", robot, position_m=(x_m, 0.0, height_m))
    robots = {**found.robots, "guest": robot_of(robot)[0]}
    return replace(
        found, scene=replace(found.scene, robots=(*found.scene.robots, one)), robots=robots
    )


def hold(robot: WorldRobot, stiffness: float, damping: float) -> None:
    """Keep a robot where it starts."""
    if robot.drives and robot.drives[0].control == "torque":
        held = np.array([robot.start[one.joint][0] for one in robot.drives])
        law = stiffness * (held - robot.positions()) - damping * robot.speeds()
        robot.command(robot.bias() + law)


def rested(found: FurnishedScene, seconds: float = 2.0) -> World:
    """Run with torque drives held, after the bodies' places are noted; they may not move."""
    world = World(scene_text(found.scene, found.robots, seed=5))
    assert all(contact.depth_m < 2e-4 for contact in world.contacts()), world.contacts()
    places = {name: body.pose()[:3, 3] for name, body in world.bodies.items()}
    for _ in range(round(seconds / world.step_s)):
        for robot in world.robots:
            slides = JointType.SLIDE in {one.type for one in robot.placed.robot.joints}
            hold(robot, *((1e6, 2e4) if slides and found.scene.name in RIGS else (200.0, 5.0)))
        world.step()
    world.settle()
    for name, body in world.bodies.items():
        assert np.linalg.norm(body.pose()[:3, 3] - places[name]) < 1e-3, name
    return world


@pytest.mark.parametrize("name", SCENES)
def test_bodies_at_rest_stay(name):
    world = rested(scene_of(name))
    assert world.energy_j()[1] < 1e-6


@pytest.mark.parametrize(("scene", "robot"), FITTING)
def test_a_scene_holds_the_robots_that_fit(scene, robot):
    world = rested(with_robot(scene, robot))
    assert len(world.robots[-1].coordinates()) > 0
    assert world.time_s == pytest.approx(2.0)


def test_legs_carry_platform_and_cabin():
    """Mean of the six, as their inclination is the same, and masses as the scene has them."""
    found = scene_of("paper_cabin")
    world = rested(found)
    masses = world._model.body_mass
    names = [world._model.body(k).name for k in range(world._model.nbody)]
    assert masses[names.index("rig/l1")] == 60.0
    assert masses[names.index("cabin")] == 300.0
    inertia = found.scene.bodies[0].inertia
    assert inertia is not None
    principal = np.linalg.eigvalsh([[48.0, 0.0, 1.5], [0.0, 52.0, 0.0], [1.5, 0.0, 45.0]])
    np.testing.assert_allclose(np.sort(world._model.body_inertia[names.index("cabin")]), principal)
    # 300 kg ask 526.12 N of a leg in this pose; its own rod and cylinder 73.17 N and 18.01 N.
    (rig,) = world.robots
    assert rig.efforts().mean() == pytest.approx(526.12 * 360.0 / 300.0 + 73.17 + 18.01, rel=1e-3)
    # The cabin's centre is 20 mm in front of the middle: the legs there bear more.
    assert rig.efforts()[[0, 5]].min() > rig.efforts()[[2, 3]].max()


def test_the_beam_is_over_the_edge_and_stops_the_platform():
    found = scene_of("beam_over_platform")
    world = World(scene_text(found.scene, found.robots))
    (rig,) = world.robots
    beam = world.bodies["beam"].pose()[:3, 3]
    assert rig.pose(1)[2, 3] + 0.025 < beam[2] - 0.05
    for _ in range(1500):
        held = np.array([rig.start[one.joint][0] for one in rig.drives])
        rising = held + min(0.2 * world.time_s, 0.15)
        rig.command(1e5 * (rising - rig.positions()) - 1e4 * rig.speeds())
        world.step()
    pairs = {frozenset(contact.bodies) for contact in world.contacts()}
    assert frozenset(("rig/l1", "beam")) in pairs
    assert not any("cabin" in pair and "beam" in pair for pair in pairs)


def test_the_valve_wheel_has_its_radius_and_friction():
    found = scene_of("airlock")
    world = World(scene_text(found.scene, found.robots))
    centre = world.bodies["valve_wheel"].pose()[:3, 3]
    model = world._model
    for number in range(1, 9):
        geom = model.geom(f"rim_{number}")
        ends = world._data.geom(f"rim_{number}")
        axis = ends.xmat.reshape(3, 3)[:, 2]
        for side in (-1.0, 1.0):
            corner = ends.xpos + side * geom.size[1] * axis
            assert np.linalg.norm(corner - centre) == pytest.approx(0.12, abs=2e-6)
    world.push("valve_wheel", (0.0, 0.0, 0.0), 10.0, (7.0, 0.0, 0.0))
    world.step(2000)
    assert world.bodies["valve_wheel"].speeds()[0] == pytest.approx((7.0 - 4.0) / 2.0, rel=1e-3)


def test_the_container_weighs_two_kilograms():
    world = rested(scene_of("hangar"), 1.0)
    weight = 0.0
    for contact in world.contacts():
        if set(contact.bodies) == {"stand", "container"}:
            weight += contact.force_n[2] * (1.0 if contact.bodies[1] == "container" else -1.0)
    assert weight == pytest.approx(2.0 * 9.81, rel=1e-3)


def test_the_hatch_opens_inwards_and_no_further():
    found = scene_of("airlock")
    world = World(scene_text(found.scene, found.robots))
    world.push("hatch", (0.0, 0.0, 0.0), 20.0, (0.0, 0.0, -30.0))
    world.step(5000)
    assert world.bodies["hatch"].coordinates()[0] == pytest.approx(-1.6, abs=0.02)
    assert world.bodies["hatch_grip"].pose()[0, 3] > -1.0

"""The whole text of a model: robots, their surroundings, and how the engine steps it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final
from xml.etree.ElementTree import Element

from sim.world.engine.mjcf_meshes import MeshAssets
from sim.world.engine.mjcf_robot import (
    MjcfParts,
    PlacedRobot,
    add_robot,
    joint_names,
    link_name,
)
from sim.world.engine.mjcf_sensors import add_sensors
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.own_bodies import own_pairs
from sim.world.engine.world import World
from sim.world.robots.body import Numbers
from sim.world.robots.model import AT_REST, Robot
from sim.world.robots.xml_writer import add, document
from sim.world.scenes.model import SceneBody, Stepping

DEFAULT: Final = Stepping()
"""Default stepping: 2 ms, gravity on."""


def stepping_of(robot: Robot) -> Stepping:
    """Stepping of a robot alone in a world, with the gravity of its document."""
    gravity = robot.gravity_m_s2
    return DEFAULT if gravity is None else replace(DEFAULT, gravity_m_s2=gravity)


def model_text(robots: Sequence[PlacedRobot], stepping: Stepping = DEFAULT) -> ModelText:
    """Write the text of a model of robots on nothing."""
    root, parts = begun(stepping)
    starts = tuple(add_robot(parts, robot, stepping.step_s) for robot in robots)
    return ended(root, robots, starts, files=parts.meshes.files)


def begun(stepping: Stepping) -> tuple[Element, MjcfParts]:
    """Start a text without bodies, and its sections.

    The engine's restart of a model that diverges is switched off: it would go on from the
    beginning without a word.
    """
    root = Element("mujoco")
    add(root, "compiler", angle="radian", autolimits="false", balanceinertia="false",
        inertiafromgeom="false", fusestatic="false")  # fmt: skip
    option = add(root, "option", timestep=stepping.step_s, integrator=stepping.integrator,
                 gravity=stepping.gravity_m_s2, magnetic=stepping.magnetic_t,
                 cone="elliptic", impratio=stepping.friction_ratio)  # fmt: skip
    add(option, "flag", autoreset="disable")
    sections = ("worldbody", "equality", "actuator", "sensor", "contact")
    world, equality, actuator, sensor, contact = (add(root, tag) for tag in sections)
    return root, MjcfParts(world, equality, actuator, sensor, contact, MeshAssets(root))


def ended(
    root: Element,
    robots: Sequence[PlacedRobot],
    starts: tuple[Mapping[int, Numbers], ...],
    bodies: tuple[SceneBody, ...] = (),
    files: Mapping[str, bytes] | None = None,
) -> ModelText:
    """Complete the text; sensors come last, as they measure what touches anything.

    Raises:
        SensorTargetError: if one is for contact with nothing.
        EngineMissingError: without the engine, for a robot whose links touch each other.
    """
    for robot in robots:
        add_sensors(root, robot)
        machine = robot.robot.machine
        if robot.robot.own_contacts or (machine is not None and machine.own_bodies):
            _keep_apart(root, robot)
    return ModelText(document(root), tuple(robots), starts, bodies, files or {})


def _keep_apart(root: Element, placed: PlacedRobot) -> None:
    """Let the links of a robot touch each other, where its document wants it."""
    contact = root.find("contact")
    assert contact is not None  # noqa: S101  # every text has it
    bare = replace(placed.robot, machine=None, sensors=(), own_contacts=False)
    alone = model_text([PlacedRobot(bare)])
    named = {body.get("name"): body for body in root.iter("body")}
    for pair in own_pairs(placed.robot, World(alone)):
        bodies = [named[link_name(link, placed.prefix)] for link in pair]
        shapes = ([one for one in body.findall("geom") if one.get("contype") != "0"]
                  for body in bodies)  # fmt: skip
        for one, other in product(*shapes):
            add(contact, "pair", geom1=one.get("name"), geom2=other.get("name"))


def robot_model(robot: Robot) -> ModelText:
    """Make the engine's text of one robot alone, with a key where it starts, its loops closed."""
    root, parts = begun(stepping_of(robot))
    placed = PlacedRobot(robot)
    start = add_robot(parts, placed, DEFAULT.step_s)
    values: dict[str, Sequence[float]] = {}
    for joint in placed.robot.joints:
        names, coordinates = joint_names(joint), start.get(joint.number, ())
        for name, (kind, _) in zip(names, joint.motions, strict=True):
            values[name], coordinates = (
                coordinates[: len(AT_REST[kind])],
                coordinates[len(AT_REST[kind]) :],
            )
    order = (joint.get("name", "") for joint in parts.world.iter("joint"))
    positions = [one for name in order for one in values[name]]
    if positions:
        add(add(root, "keyframe"), "key", name="start", qpos=positions)
    return ended(root, (placed,), (start,), files=parts.meshes.files)


def robot_text(robot: Robot) -> str:
    """Write the engine's text of one robot alone."""
    return robot_model(robot).text

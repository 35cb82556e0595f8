"""A scene as elements of MJCF: bodies, floor, lights, cameras; robots stand where it says.

Elements of a robot have its name and a slash before theirs; a body's geom has its name, its joint
``name/joint``. A body that a robot bears touches what the robot's links touch: not those.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from xml.etree.ElementTree import Element

import numpy as np

from sim.world.engine.mjcf import begun, ended
from sim.world.engine.mjcf_robot import (
    EVERYTHING,
    TIE_STEPS,
    MjcfParts,
    PlacedRobot,
    add_robot,
    engine_moments,
    half_sizes,
    joint_attributes,
    link_name,
)
from sim.world.engine.mjcf_text import place
from sim.world.engine.model_compiler import ModelText
from sim.world.robots.body import BodyShape, Numbers
from sim.world.robots.model import Robot
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.xml_writer import add
from sim.world.scenes.bodies import MOVED, joint_of, placed_body, pose_of_body
from sim.world.scenes.checks import check_scene
from sim.world.scenes.fields import all_bodies
from sim.world.scenes.model import (
    BodyMotion,
    Floor,
    Light,
    Scene,
    SceneBody,
    SceneCamera,
    SceneRobot,
)

BODIES: Final = 1
"""Bit of what is no robot's."""
STICKING: Final = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""``solimpfriction`` of joints: a wheel of 0.014 kg m2 at 3.9 of its 4 N m creeps at 0.25 rad/s
with the engine's own values, below 1e-4 rad/s with these and a time constant of two steps."""


def scene_text(scene: Scene, robots: Mapping[str, Robot], seed: int = 0) -> ModelText:
    """The text of a scene with its robots.

    Args:
        robots: those that stand in it, checked, by their names there.
        seed: of the run, for fields without a seed of their own.

    Raises:
        SceneError: with all that is wrong.
        FieldFullError: if a field's bodies find no places.
    """
    check_scene(scene, robots)
    root, parts = begun(scene.stepping)
    if scene.floor is not None:
        _floor(root, parts.world, scene.floor)
    for light in scene.lights:
        _light(parts.world, light)
    bodies = all_bodies(scene, seed)
    placed = {
        one.name: PlacedRobot(
            _with_scene_masses(robots[one.name], one), f"{one.name}/",
            pose_of_body(one.position_m, one.quaternion), group,
        )
        for group, one in enumerate(scene.robots)
    }  # fmt: skip
    starts = _build(parts, scene, bodies, placed)
    for camera in scene.cameras:
        bearer = _bearer(parts.world, camera, placed)
        _camera(bearer, camera)
    in_order = tuple(placed[one.name] for one in scene.robots)
    return ended(root, in_order, tuple(starts[one.name] for one in scene.robots), bodies,
                 parts.meshes.files)  # fmt: skip


def _build(
    parts: MjcfParts,
    scene: Scene,
    bodies: Sequence[SceneBody],
    placed: Mapping[str, PlacedRobot],
) -> dict[str, Mapping[int, Numbers]]:
    """Add robots and bodies, each after what bears it; where the robots start."""
    groups: dict[str, int] = {"": BODIES}
    starts: dict[str, Mapping[int, Numbers]] = {}
    waiting: list[SceneBody | SceneRobot] = [*scene.robots, *bodies]
    while waiting:
        for row in [one for one in waiting if one.on in groups]:
            bearer = _bearer(parts.world, row, placed)
            if isinstance(row, SceneBody):
                groups[row.name] = groups[row.on]
                _body(bearer, row, groups[row.name], scene.stepping.step_s)
            else:
                groups[row.name] = placed[row.name].contact_bit
                starts[row.name] = add_robot(parts, placed[row.name], scene.stepping.step_s, bearer)
        waiting = [one for one in waiting if one.name not in groups]
    return starts


def _bearer(
    world: Element, row: SceneBody | SceneRobot | SceneCamera, placed: Mapping[str, PlacedRobot]
) -> Element:
    """The element on which a row of a scene stands."""
    if not row.on:
        return world
    name = link_name(row.link, f"{row.on}/") if row.on in placed else row.on
    return next(body for body in world.iter("body") if body.get("name") == name)


def _with_scene_masses(robot: Robot, placed: SceneRobot) -> Robot:
    """A robot with the masses that a scene gives its links."""
    masses = dict(placed.link_mass_kg)
    links = tuple(
        replace(link, mass_kg=masses[link.number], density_kg_m3=0.0, inertia=None)
        if link.number in masses
        else link
        for link in robot.links
    )
    return replace(robot, links=links)


def _body(bearer: Element, body: SceneBody, bit: int, step_s: float) -> None:
    """A body with its joint, its mass, and what it looks like."""
    pose = pose_of_body(body.position_m, body.quaternion)
    element = add(bearer, "body", name=body.name, **place(pose))
    if body.motion is BodyMotion.FREE:
        add(element, "joint", name=f"{body.name}/joint", type="free")
    elif body.motion in MOVED:
        (joint,) = joint_attributes(joint_of(body), "")
        add(element, "joint", **{**joint, "name": f"{body.name}/joint"},
            solreffriction=(TIE_STEPS * step_s, 1.0), solimpfriction=STICKING)  # fmt: skip
    what = placed_body(body)
    if what.mass.mass_kg > 0.0:
        add(element, "inertial", pos=what.mass.centre_m, mass=what.mass.mass_kg,
            **engine_moments(what.mass.inertia_kg_m2))  # fmt: skip
    if what.shape is BodyShape.NONE:
        return
    coefficients = (body.friction, body.friction_torsion_m, body.friction_rolling_m)
    soft: dict[str, Any] = {}
    if body.contact_time_s:
        soft = {"solref": (body.contact_time_s, body.contact_damping), "priority": 1}
    add(element, "geom", name=body.name, type=what.shape.value,
        size=half_sizes(what.shape, what.size_m), pos=what.position_m,
        quat=quaternion_of(what.rotation), rgba=(*body.colour, 1.0), friction=coefficients,
        condim=6 if coefficients[2] else 4 if coefficients[1] else 3, contype=bit,
        conaffinity=EVERYTHING if bit == BODIES else EVERYTHING & ~bit, **soft)  # fmt: skip


def _floor(root: Element, world: Element, floor: Floor) -> None:
    """An endless plane of squares."""
    assets = add(root, "asset")
    add(assets, "texture", name="floor", type="2d", builtin="checker", width=256, height=256,
        rgb1=floor.colour, rgb2=floor.other_colour)  # fmt: skip
    across = 0.5 / floor.square_m  # a picture is two squares wide
    add(assets, "material", name="floor", texture="floor", texuniform=True,
        texrepeat=(across, across))  # fmt: skip
    add(world, "geom", name="floor", type="plane", size=(0.0, 0.0, floor.square_m),
        material="floor", friction=(floor.friction, 0.0, 0.0), contype=BODIES,
        conaffinity=EVERYTHING)  # fmt: skip


def _light(world: Element, light: Light) -> None:
    add(world, "light", type="directional" if light.parallel else "spot", pos=light.position_m,
        dir=light.direction, diffuse=light.colour, castshadow=light.shadows)  # fmt: skip


def _camera(bearer: Element, camera: SceneCamera) -> None:
    """Right and up of a picture whose middle is a point; x is right if it looks along z."""
    ahead = np.array(camera.looks_at_m) - camera.position_m
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(right))
    right = np.array([1.0, 0.0, 0.0]) if length < 1e-9 else right / length
    add(bearer, "camera", name=camera.name, pos=camera.position_m,
        xyaxes=(*right, *np.cross(right, ahead)), fovy=math.degrees(camera.fov_rad))  # fmt: skip

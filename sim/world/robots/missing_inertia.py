"""Moments of inertia that a document leaves out.

Links that fixed joints tie are one rigid body (parallel axes), so that a mass at a point needs no
moments of its own there. A body that moves and has none gets those of a ball, and a joint that
moves nothing that weighs gets a rotor, since no force tells how fast they would turn.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sim.world.robots.body import BodyShape, LinkInertia
from sim.world.robots.model import REST, JointType, Robot, RobotLink
from sim.world.robots.tree import RobotTree, spanning_tree

ROTOR: Final = 1e-3
"""Inertia [kg m2] or [kg] of a joint that moves nothing that weighs."""
LEAST: Final = 1e-9
"""The same of one whose own link weighs nothing and carries others that do."""
DENSITY_KG_M3: Final = 1000.0
"""Of the ball whose moments stand for those that are not told."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value that stands for one that a document does not tell."""

    kind: str
    """Of what: ``link`` or ``joint``."""
    index: int
    """Which of the robot's."""
    field: str
    """Of it."""
    reason: str
    """What was given, and why."""


@dataclass(slots=True)
class RigidBody:
    """Links that fixed joints tie to one that moves."""

    root: int
    """The link that moves, or the base."""
    links: list[int]
    """All of them, by their numbers."""
    mass_kg: float = 0.0
    """Of all; a body that has a density counts as 1 kg."""
    has_moments: bool = False
    """Whether one of them has."""
    carried_kg: float = 0.0
    """With all that it carries by joints that move."""


def rigid_bodies(tree: RobotTree) -> dict[int, RigidBody]:
    """Of a robot, by their roots, each after the one that carries it."""
    root_of: dict[int, int] = {}
    found: dict[int, RigidBody] = {}
    for link in tree.links:
        joint = tree.drivers[link.number]
        root = link.number if is_moved(joint.type) else root_of.get(joint.parent, link.number)
        root_of[link.number] = root
        body = found.setdefault(root, RigidBody(root, []))
        mass_kg, has_moments = _weight(link)
        body.links.append(link.number)
        body.mass_kg += mass_kg
        body.has_moments |= has_moments
    for body in reversed(found.values()):
        body.carried_kg += body.mass_kg
        carrier = root_of.get(tree.drivers[body.root].parent)
        if carrier is not None:
            found[carrier].carried_kg += body.carried_kg
    return found


def is_moved(kind: JointType) -> bool:
    """Whether a joint of this type moves its link."""
    return bool(REST[kind])


def with_moments(robot: Robot) -> tuple[Robot, tuple[Given, ...]]:
    """The robot with moments and rotors where nothing tells any, and what was given."""
    tree = spanning_tree(robot)
    links, joints = list(robot.links), list(robot.joints)
    given: list[Given] = []
    for body in rigid_bodies(tree).values():
        driver = tree.drivers[body.root]
        if body.has_moments or not is_moved(driver.type):
            continue
        if body.mass_kg > 0.0:
            index = max((at for at, one in enumerate(links) if one.number in body.links),
                        key=lambda at: _weight(links[at])[0])  # fmt: skip
            links[index] = _as_ball(links[index])
            reason = "a moving body has none: those of a ball of its mass and of 1000 kg/m3"
            given.append(Given("link", index, "inertia", reason))
        elif driver.armature == 0.0 and (body.carried_kg == 0.0 or _has_body(links, body)):
            index = joints.index(driver)
            rotor, what = (LEAST, "its own link weighs nothing")
            if body.carried_kg == 0.0:
                rotor, what = ROTOR, "it moves nothing that weighs"
            joints[index] = replace(driver, armature=rotor)
            unit = "kg" if driver.type is JointType.SLIDE else "kg m2"
            reason = f"{what}: a rotor of {rotor:g} {unit} stands instead"
            given.append(Given("joint", index, "armature", reason))
    return replace(robot, links=tuple(links), joints=tuple(joints)), tuple(given)


def _has_body(links: list[RobotLink], body: RigidBody) -> bool:
    """Whether the link that moves has a shape, of which a mass is asked."""
    return any(one.number == body.root and one.shape is not BodyShape.NONE for one in links)


def pointlike(robot: Robot) -> Iterator[int]:
    """Numbers of links that move masses at points alone, so that nothing tells how they turn."""
    tree = spanning_tree(robot)
    for body in rigid_bodies(tree).values():
        driver = tree.drivers[body.root]
        if is_moved(driver.type) and body.mass_kg > 0.0 and not body.has_moments:
            yield body.root


def _weight(link: RobotLink) -> tuple[float, bool]:
    """Mass, and whether it has moments."""
    if link.inertia is not None:
        return link.inertia.mass_kg, any(link.inertia.inertia_kg_m2)
    has_mass = bool(link.density_kg_m3 or link.mass_kg)
    return float(has_mass), has_mass


def _as_ball(link: RobotLink) -> RobotLink:
    inertia = link.inertia
    assert inertia is not None  # noqa: S101  # a body without moments has its mass from there
    radius_m = (inertia.mass_kg / DENSITY_KG_M3 * 0.75 / math.pi) ** (1.0 / 3.0)
    moment = 0.4 * inertia.mass_kg * radius_m**2
    moments = (moment, moment, moment, 0.0, 0.0, 0.0)
    return replace(link, inertia=LinkInertia(inertia.mass_kg, inertia.centre_m, moments))

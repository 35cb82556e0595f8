"""A platform that bears an arm and goes its own way, whatever the arm does: one way only.

Not modelled: what the arm does to the platform, and what holds the platform up, which the arm could
touch.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.leader_frame import LEADS_STEPS, Leader, with_leader
from sim.world.engine.mjcf_robot import link_name
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import World
from sim.world.robots.model import BASE, JointType, Robot, RobotJoint
from sim.world.robots.rotations import quaternion_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ride:
    """On what an arm stands, and how that moves."""

    robot: int
    """Which of a text's robots; it has one free joint, from its base."""
    pose: Callable[[float], Array]
    """Of its free link in its base's axes at a time of the world [s], shape (4, 4)."""


def platform_alone(robot: Robot) -> Robot:
    """Base and free platform of a robot, without what holds the platform up.

    Raises:
        ValueError: if it has not one free joint, from its base.
    """
    free = _free(robot)
    joints = tuple(one for one in robot.joints if one is free or one.child == BASE)
    links = tuple(
        replace(link, leaving=(free.number,) if link.number == BASE else ())
        for link in robot.links
        if link.number in (BASE, free.child)
    )
    return Robot(links, joints, robot.name)


def with_ride_leader(text: ModelText, ride: Ride) -> ModelText:
    """The text of a world in which a platform is led.

    Raises:
        ValueError: if it has not one free joint, from its base.
    """
    return with_leader(text, _body(text, ride))


class Riding:
    """Leads a platform of a world along its motion.

    Args:
        text: of the world, with the ride.
    """

    def __init__(self, world: World, text: ModelText, ride: Ride) -> None:
        self._world, self._ride = world, ride
        self._placed = world.robots[ride.robot]
        self._base = self._placed.placed.pose
        self._joint = _free(self._placed.placed.robot).number
        self._leader = Leader(world, _body(text, ride))
        self._ahead_s = LEADS_STEPS * world.step_s

    def begin(self) -> None:
        """Put the platform where it is at this time of the world."""
        pose = self._ride.pose(self._world.time_s)
        position, turn = pose[:3, 3].tolist(), quaternion_of(pose[:3, :3])
        self._placed.move_to({self._joint: (*position, *turn)})
        self.lead()

    def lead(self) -> None:
        """Lead it on; before every step."""
        self._leader.move_to(self._base @ self._ride.pose(self._world.time_s + self._ahead_s))


def _free(robot: Robot) -> RobotJoint:
    free = [one for one in robot.joints if one.type is JointType.FREE]
    if len(free) != 1 or free[0].parent != BASE:
        raise ValueError(f"{robot.name}: {len(free)} free joints: one, from the base, is needed")
    return free[0]


def _body(text: ModelText, ride: Ride) -> str:
    placed = text.robots[ride.robot]
    return link_name(_free(placed.robot).child, placed.prefix)

"""An arm of six hinges in its scene as its motors move it: torques in, where the joints are out.

It fits what an emulated controller asks of a plant, and does not know it. All of the scene is
there: bodies that the arm touches stop it, bear it or are pushed away. Torques and rates are those
of the joints, on their side of the gears; what the rotors add is the joints' armature.

Not modelled: links that touch links of the same arm, elasticity and backlash of gears, a brake that
slips under load.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.brakes import Brakes, with_brakes
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.engine.world_bodies import Contact
from sim.world.robots.model import JointType, Robot, RobotDrive
from sim.world.scenes.model import Scene

Array = NDArray[np.float64]

STEP_S: Final = 0.875e-3
"""Longest step of the engine: a period of the joint servos."""
ROUNDING_S: Final = 1e-9
"""A step may be so much longer than `STEP_S`: times are sums of binary fractions."""


DEPTH_MAX_M: Final = 1e-3
"""The arm may begin so deep in what it touches."""


class ArmPlaceError(ValueError):
    """The arm cannot stand where it is to begin; the text says in what it would."""

    def __init__(self, angles_rad: Sequence[float], body: str, depth_m: float) -> None:
        self.body: str = body
        told = ", ".join(f"{math.degrees(angle):.1f}" for angle in angles_rad)
        super().__init__(
            f"joints at {told} deg: the arm would stand {1e3 * depth_m:.1f} mm deep in {body}, at "
            f"most {1e3 * DEPTH_MAX_M:g} mm are possible; begin elsewhere, or move {body}"
        )


@dataclass(frozen=True, slots=True)
class ArmGears:
    """What motors and gears do to each joint, on its side of the gears, shape (6,)."""

    damping_nm_s: tuple[float, ...]
    """Viscous friction."""
    friction_nm: tuple[float, ...]
    """Coulomb friction."""
    torque_max_nm: tuple[float, ...]
    """Largest torque of the motors, and of the brakes."""


def geared(robot: Robot, gears: ArmGears) -> Robot:
    """An arm with other friction and torques; its rotors stay, as armature of its joints.

    Raises:
        ValueError: if it has not as many hinges.
    """
    hinges = [one for one in robot.joints if one.type is JointType.HINGE]
    if len(hinges) != len(gears.torque_max_nm):
        raise ValueError(f"{robot.name}: {len(hinges)} hinges, {len(gears.torque_max_nm)} needed")
    rows = zip(hinges, gears.damping_nm_s, gears.friction_nm, strict=True)
    changed = {
        one.number: replace(one, damping=damping, friction=friction)
        for one, damping, friction in rows
    }
    drives = (
        RobotDrive(one.number, "torque", most)
        for one, most in zip(hinges, gears.torque_max_nm, strict=True)
    )
    joints = tuple(changed.get(one.number, one) for one in robot.joints)
    return replace(robot, joints=joints, drives=tuple(drives))


class ArmPlant:
    """An arm in a scene, its joints turned by torques and held by brakes.

    Until `begin` it stands where its document starts, all brakes closed.

    Args:
        scene: that has it.
        robots: documents of the robots there, by their names; the drives of the others do nothing.
        arm: its name there.

    Raises:
        EngineMissingError: if the physics engine is not installed.
        SceneError: if the scene and its robots do not go together.
        ValueError: if a drive of the arm is not one of torque, or the document cannot be stepped.
    """

    def __init__(self, scene: Scene, robots: Mapping[str, Robot], arm: str) -> None:
        drives = robots[arm].drives
        if wrong := [one for one in drives if one.control != "torque"]:
            text = f"{arm}: drive of joint {wrong[0].joint} ({wrong[0].control})"
            raise ValueError(f"{text}: drives of torque are needed")
        step = min(scene.stepping.step_s, STEP_S)
        scene = replace(scene, stepping=replace(scene.stepping, step_s=step))
        names = [f"{arm}/j{drive.joint}" for drive in drives]
        self.world: World = World(with_brakes(scene_text(scene, robots), names, step))
        """Where it is."""
        self.name: str = arm
        """Of the arm in its scene."""
        index = [one.name for one in scene.robots].index(arm)
        self._arm = self.world.robots[index]
        self._joints = [drive.joint for drive in drives]
        self._brakes = Brakes(self.world, names, [drive.effort_max for drive in drives])
        self._step_s = step
        self._brakes.close((True,) * len(names))

    def begin(self, angles_rad: Sequence[float]) -> None:
        """Put the arm there at rest, all brakes closed; the rest of the scene goes on.

        Raises:
            ArmPlaceError: if it would stand in something; it stays where it was.
        """
        before = self.angles_rad()
        self._put(angles_rad)
        for contact in self.world.contacts():
            name, _ = self._other(contact)
            if name and contact.depth_m > DEPTH_MAX_M:
                self._put(before)
                raise ArmPlaceError(angles_rad, name, contact.depth_m)

    def _put(self, angles_rad: Sequence[float]) -> None:
        self._brakes.close((False,) * len(self._joints))
        angles = zip(self._joints, angles_rad, strict=True)
        self._arm.move_to({number: (float(angle),) for number, angle in angles})
        self._arm.stop()
        self.world.settle()
        self._brakes.close((True,) * len(self._joints))

    def advance(self, torques_nm: Sequence[float], braked: bool, dt_s: float) -> None:
        """Go on by a time, in equal steps.

        Args:
            torques_nm: of the motors; with closed brakes they do nothing.
            braked: whether the brakes are closed; a joint in motion is slowed down first.
            dt_s: Time [s]; 0 or less does nothing.

        Raises:
            DivergedError: if the engine comes to no good number.
        """
        if dt_s <= 0.0:
            return
        count = max(1, math.ceil((dt_s - ROUNDING_S) / self._step_s))
        self.world.set_step(dt_s / count)
        held = (braked,) * len(self._joints)
        self._arm.command((0.0,) * len(self._joints) if braked else torques_nm)
        for _ in range(count):
            self._brakes.close(held)
            self.world.step()

    def angles_rad(self) -> tuple[float, ...]:
        """Of the joints [rad]."""
        return tuple(self._arm.positions().tolist())

    def rates_rad_s(self) -> tuple[float, ...]:
        """Of the joints [rad/s]."""
        return tuple(self._arm.speeds().tolist())

    def touching(self) -> dict[str, float]:
        """What the arm touches, and with which force altogether [N], the strongest first."""
        found: dict[str, Array] = {}
        for contact in self.world.contacts():
            other, force_n = self._other(contact)
            if other:
                found[other] = found.get(other, np.zeros(3)) + force_n
        forces = {name: float(np.linalg.norm(force)) for name, force in found.items()}
        return dict(sorted(forces.items(), key=lambda item: -item[1]))

    def _other(self, contact: Contact) -> tuple[str, Array]:
        """Of a contact the body that is not the arm's, and the force on it; "" if none of it is."""
        own = [name.startswith(f"{self.name}/") for name in contact.bodies]
        if own[0] == own[1]:
            return "", contact.force_n
        return (
            (contact.bodies[1], contact.force_n)
            if own[0]
            else (contact.bodies[0], -contact.force_n)
        )

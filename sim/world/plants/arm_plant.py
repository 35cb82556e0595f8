"""An arm of six hinges in its scene as its motors move it: torques in, where the joints are out.

It fits what an emulated controller asks of a plant, and does not know it. All of the scene is
there: bodies that the arm touches stop it, bear it or are pushed away. Torques and rates are those
of the joints, on their side of the gears; what the rotors add is the joints' armature.

Not modelled: links that touch links of the same arm, elasticity and backlash of gears, a brake that
slips under load.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sim.world.engine.brakes import Brakes, with_brakes
from sim.world.engine.contact_forces import ContactForces
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import World
from sim.world.plants.platform_ride import Ride, Riding, with_ride_leader
from sim.world.robots.model import JointType, Robot, RobotDrive

STEP_S: Final = 0.875e-3
"""Longest step of the engine: a period of the joint servos."""
ROUNDING_S: Final = 1e-9
"""A step may be so much longer than `STEP_S`: times are sums of binary fractions."""


DEPTH_MAX_M: Final = 1e-3
"""The arm may begin so deep in what it touches."""


class ArmPlaceError(ValueError):
    """The arm cannot stand where it is to begin; the text says in what it would."""

    def __init__(self, angles_rad: Sequence[float], own: str, other: str, depth_m: float) -> None:
        self.other: str = other
        text = ", ".join(f"{math.degrees(angle):.1f}" for angle in angles_rad)
        super().__init__(
            f"joints at {text} deg: {own} would be {1e3 * depth_m:.1f} mm inside {other}, at most "
            f"{1e3 * DEPTH_MAX_M:g} mm are borne; begin elsewhere, or move {other} in the scene"
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
        text: of a world, stepped by at most `STEP_S`; every drive of the arm is one of torque, on a
            hinge.
        robot: which one of the text's robots it is.
        ride: on what it stands, if that moves.

    Raises:
        EngineMissingError: if the physics engine is not installed.
        ValueError: if a drive is another one, or what it stands on is no platform.
    """

    def __init__(self, text: ModelText, robot: int = 0, ride: Ride | None = None) -> None:
        self.robot: Robot = text.robots[robot].robot
        """Its document."""
        hinges = {one.number for one in self.robot.joints if one.type is JointType.HINGE}
        for drive in self.robot.drives:
            if drive.control != "torque" or drive.joint not in hinges:
                problem = f"drive of joint {drive.joint} ({drive.control})"
                raise ValueError(f"{problem}: an arm's drives are torques on hinges")
        self._numbers = tuple(drive.joint for drive in self.robot.drives)
        names = [f"{text.robots[robot].prefix}j{number}" for number in self._numbers]
        text = with_brakes(text, names)
        text = text if ride is None else with_ride_leader(text, ride)
        self.world: World = World(text)
        """Where it is."""
        self._riding = None if ride is None else Riding(self.world, text, ride)
        self._step_s: float = self.world.step_s
        self._placed = self.world.robots[robot]
        self._still = (0.0,) * len(names)
        self._brakes = Brakes(self.world, names, [one.effort_max for one in self.robot.drives])
        self._close(True)
        self._touching = ContactForces(self.world, self._placed)

    def begin(self, angles_rad: Sequence[float]) -> None:
        """Put the arm there at rest, all brakes closed; the rest of the scene goes on.

        Raises:
            ArmPlaceError: if it would stand in something; it stays where it was.
        """
        before = self.angles_rad()
        if self._riding is not None and self.world.time_s == 0.0:
            self._riding.begin()
        self._put(angles_rad)
        for (other, own), depth_m in self._touching.depths_m().items():
            if depth_m > DEPTH_MAX_M:
                self._put(before)
                raise ArmPlaceError(angles_rad, own, other, depth_m)

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
        self._placed.command(self._still if braked else torques_nm)
        for _ in range(count):
            self._close(braked)
            if self._riding is not None:
                self._riding.lead()
            self.world.step()

    def angles_rad(self) -> tuple[float, ...]:
        """Of the joints [rad]."""
        return tuple(self._placed.positions().tolist())

    def rates_rad_s(self) -> tuple[float, ...]:
        """Of the joints [rad/s]."""
        return tuple(self._placed.speeds().tolist())

    def touches(self) -> tuple[tuple[str, float], ...]:
        """What presses on the arm, and with which force [N], the strongest first."""
        forces = ((f"{other} on {own}", force) for (other, own), force in self._forces())
        return tuple(sorted(forces, key=lambda pair: -pair[1]))

    def _forces(self) -> Iterable[tuple[tuple[str, str], float]]:
        return self._touching.forces_n().items() if self._touching.any else ()

    def _close(self, braked: bool) -> None:
        self._brakes.close((braked,) * len(self._numbers))

    def _put(self, angles_rad: Sequence[float]) -> None:
        self._close(False)
        angles = zip(self._numbers, angles_rad, strict=True)
        self._placed.move_to({number: (float(angle),) for number, angle in angles})
        self._placed.stop()
        self.world.settle()
        self._close(True)

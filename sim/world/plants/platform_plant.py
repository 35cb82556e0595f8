"""A platform and its payload, driven by six motors: forces in, positions of rods out.

It fits what emulated drives and simulated banks ask of a plant, and knows neither. Rods are in the
order of the document's drives; extensions count from the inner end of each rod.

Not modelled: friction and backlash of the screws, current loops, a brake that slips under load.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from xml.etree.ElementTree import fromstring

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.brakes import Brakes, with_brakes
from sim.world.engine.contact_forces import ContactForces
from sim.world.engine.mjcf_robot import PlacedRobot, link_name
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.world import World
from sim.world.plants.touch_log import TouchLog, TouchRow
from sim.world.robots.loops import CLOSED_M, closed_loops
from sim.world.robots.model import BASE, JointType, Robot
from sim.world.robots.tree import spanning_tree
from sim.world.robots.xml_writer import add, document

Array = NDArray[np.float64]

RANK: Final = 1e-9
"""Ratio to the greatest singular value below which one is rounding."""
ROUNDING_S: Final = 1e-9
"""Tolerance of a step beyond the engine's: times are sums of binary fractions."""
OVERLAP_M: Final = 1e-3
"""Greatest penetration of bodies where a plant begins."""


class PlantPlaceError(ValueError):
    """Impossible positions of the rods; the text says which, and what is possible."""


@dataclass(frozen=True, slots=True, eq=False)
class PlatformInertia:
    """Inertia of a machine in its pose, seen by its platform.

    A twist is the speed of the platform's origin in the base's axes [m/s] and its turning in its
    own [rad/s].
    """

    J: Array
    """Jacobian of the rods: speeds = J twist, shape (rods, 6)."""
    H: Array
    """Inertia of the whole machine, shape (6, 6)."""
    H_load: Array
    """Inertia of the platform and all it bears, shape (6, 6)."""
    load_kg: float
    """Mass of the platform and all it bears."""
    weight: Array
    """Generalised force that holds the whole machine still against gravity, shape (6,)."""
    weight_load: Array
    """Generalised force that holds the platform and all it bears, shape (6,)."""

    def with_load(self, load_kg: float) -> Array:
        """Inertia of the whole machine with another mass of its load, of the same shape."""
        return self.H + (load_kg / self.load_kg - 1.0) * self.H_load


def _on_its_floor(text: ModelText, placed: PlacedRobot) -> ModelText:
    """Exclude contacts of the floor with links on joints of the base, which stand on it.

    Tubes that begin at such a joint may lean so far that their edges would be in the floor.
    """
    root = fromstring(text.text)  # noqa: S314  # our own text
    contact = root.find("contact")
    for joint in placed.robot.joints:
        if contact is not None and joint.parent == BASE and joint.type is JointType.UNIVERSAL:
            name = link_name(joint.child, placed.prefix)
            add(contact, "exclude", body1="world", body2=name)
    return replace(text, text=document(root))


class PlatformPlant:
    """A robot whose slides are driven by forces and held by brakes.

    Until `begin` it rests where its document starts, all brakes closed.

    Args:
        text: of a world, stepped by at most 1 ms; every drive of the robot is one of forces, on a
            slide.
        robot: which one of the text's robots.
        brake_force_n: with which a closed brake slows a moving rod down; the greatest force of the
            rod's drive if left out.

    Raises:
        EngineMissingError: if the physics engine is not installed.
        ValueError: if a drive is another one.
    """

    def __init__(self, text: ModelText, robot: int = 0, brake_force_n: float | None = None) -> None:
        self.robot: Robot = text.robots[robot].robot
        """Document of the machine."""
        slides = {one.number for one in self.robot.joints if one.type is JointType.SLIDE}
        for drive in self.robot.drives:
            if drive.control != "torque" or drive.joint not in slides:
                problem = f"drive of joint {drive.joint} ({drive.control})"
                raise ValueError(f"{problem}: a plant's drives are forces (torque) on slides")
        self._numbers = tuple(drive.joint for drive in self.robot.drives)
        prefix = text.robots[robot].prefix
        names = [f"{prefix}j{number}" for number in self._numbers]
        self.world: World = World(_on_its_floor(with_brakes(text, names), text.robots[robot]))
        """World of the machine."""
        self._step_s = self._now_step_s = self.world.step_s
        self._placed = self.world.robots[robot]
        friction = [brake_force_n or drive.effort_max for drive in self.robot.drives]
        self._write = self._placed.claim()
        self._brakes = Brakes(self.world, names, friction)
        self._closed = (True,) * len(names)
        self._brakes.close(self._closed)
        self._extensions_m, self._speeds_m_s = self._placed.driven()
        self._touching = ContactForces(self.world, self._placed)
        self._touched = TouchLog()

    def begin(self, extensions_m: Sequence[float]) -> None:
        """Rest with the rods at these extensions, all brakes closed; time starts again.

        Raises:
            PlantPlaceError: if the platform cannot be where its rods are so long, or an obstacle is
                there.
        """
        self.place_at(extensions_m)
        for (other, own), depth_m in self._touching.depths_m().items():
            if depth_m > OVERLAP_M:
                raise PlantPlaceError(
                    f"where the platform begins, {other} is {depth_m * 1e3:.3g} mm inside {own}, "
                    f"at most {OVERLAP_M * 1e3:g} mm are borne: move {other} in the scene"
                )
        self._touched = TouchLog()

    def place_at(self, extensions_m: Sequence[float]) -> None:
        """Rest as after `begin`, whatever the obstacles.

        Raises:
            PlantPlaceError: if the platform cannot be where its rods are so long.
        """
        wanted = dict(zip(self._numbers, extensions_m, strict=True))
        joints = tuple(
            one
            if one.number not in wanted
            else replace(one, start=(at := float(wanted[one.number]),), limits=((at, at),))
            for one in self.robot.joints
        )
        found = closed_loops(spanning_tree(replace(self.robot, joints=joints)))
        if found.gap_max_m > CLOSED_M:
            lengths = ", ".join(f"{value:.4f}" for value in extensions_m)
            raise PlantPlaceError(
                f"rods at {lengths} m: the least gap at the platform is "
                f"{found.gap_max_m * 1e3:.3g} mm, at most {CLOSED_M * 1e3:g} mm is needed"
            )
        self._brakes.close((False,) * len(self._numbers))
        self.world.restart()
        self._placed.move_to(found.coordinates)
        self.world.settle()
        self._brakes.close(self._closed)
        self._extensions_m, self._speeds_m_s = self._placed.driven()

    def inertia(self) -> PlatformInertia:
        """Compute the inertia of the whole machine in its pose, other moving things excluded.

        Velocities that keep the loops closed are N z, z the platform's twist; H = N^T M N.

        Raises:
            ValueError: if the document has no free platform, or its rods do not decide its motion.
        """
        free = [one for one in self.robot.joints if one.type is JointType.FREE]
        if len(free) != 1:
            raise ValueError(f"{len(free)} free joints: one platform is needed")
        own = self._placed.all_freedoms()
        places = {int(freedom): at for at, freedom in enumerate(own)}
        closing = self.world.tie_jacobian()[:, own]
        _, sizes, rows = np.linalg.svd(closing)
        motions = rows[int((sizes > RANK * sizes[0]).sum()) :].T  # of its freedoms, loops closed
        platform = [places[int(one)] for one in self._placed.freedoms(free[0].number)]
        twist = motions[platform]
        if twist.shape != (6, 6):
            raise ValueError(f"{motions.shape[1]} freedoms with closed loops: a platform has 6")
        motions = motions @ np.linalg.inv(twist)
        rods = [places[int(self._placed.freedoms(number)[0])] for number in self._numbers]
        H = motions.T @ self.world.mass_matrix()[np.ix_(own, own)] @ motions
        load_kg, H_load = self._placed.borne(free[0].child)
        weight = motions.T @ self.world.holding_forces()[own]
        weight_load = -H_load[:, :3] @ self.world.gravity_m_s2
        return PlatformInertia(motions[rods], H, H_load, load_kg, weight, weight_load)

    def advance(self, forces_n: Sequence[float], locked: Sequence[bool], dt_s: float) -> None:
        """Advance by a time, in equal steps of at most the engine's.

        Args:
            forces_n: of the motors, positive outwards; those of locked rods do nothing.
            locked: which brakes are closed; a rod in motion is slowed down first.
            dt_s: Time [s]; 0 or less does nothing.

        Raises:
            DivergedError: if the engine comes to no good number.
        """
        if dt_s <= 0.0:
            return
        count = max(1, math.ceil((dt_s - ROUNDING_S) / self._step_s))
        if dt_s / count != self._now_step_s:
            self._now_step_s = dt_s / count
            self.world.set_step(self._now_step_s)
        if any(locked):
            pairs = zip(forces_n, locked, strict=True)
            forces_n = [0.0 if held else push for push, held in pairs]
        self._write(forces_n)
        for _ in range(count):
            self._brakes.close(locked)
            self.world.step()
            if self._touching.any:
                self._touched.note(self.world.time_s, self._touching.forces_n())
        self._extensions_m, speeds_m_s = self._placed.driven()
        if any(self._brakes.locked):
            pairs = zip(speeds_m_s, self._brakes.locked, strict=True)
            speeds_m_s = [0.0 if held else speed for speed, held in pairs]
        self._speeds_m_s = speeds_m_s

    def touches(self) -> tuple[TouchRow, ...]:
        """Contacts that have pressed on the machine since `begin`."""
        return self._touched.rows()

    def extensions_m(self) -> Sequence[float]:
        """Extension of each rod [m]."""
        return self._extensions_m

    def speeds_m_s(self) -> Sequence[float]:
        """Speed of each rod, outwards positive [m/s]; 0 of a locked one."""
        return self._speeds_m_s

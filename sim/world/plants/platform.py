"""A platform and its payload as six drives move it: forces of motors in, places of rods out.

It fits what emulated drives and simulated banks ask of a plant, and knows neither. Rods are in the
order of the document's drives; extensions count from the inner end of each rod.

Not modelled: friction and backlash of the screws, current loops, a brake that slips under load.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.brakes import Brakes, with_brakes
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.loops import CLOSED_M, closed_loops
from sim.world.robots.model import JointType, Numbers, Robot
from sim.world.robots.tree import spanning_tree

Array = NDArray[np.float64]

STEP_S = 1e-3
"""Longest step of the engine."""
RANK = 1e-9
"""Singular values below so many parts of the greatest are rounding."""
ROUNDING_S = 1e-9
"""A step may be so much longer than `STEP_S`: times are sums of binary fractions."""


class PlantPlaceError(ValueError):
    """The rods cannot stand where they are wanted; the text says which, and what is possible."""


class PlatformPlant:
    """A robot whose slides are driven by forces and held by brakes.

    Until `begin` it stands where its document starts, all brakes closed.

    Args:
        robot: its document; every drive is one of forces, on a slide.
        brake_force_n: with which a closed brake slows a moving rod down; the greatest force of the
            rod's drive if left out.

    Raises:
        EngineMissingError: if the physics engine is not installed.
        ValueError: if a drive is another one, or the document cannot be stepped.
    """

    def __init__(self, robot: Robot, brake_force_n: float | None = None) -> None:
        slides = {one.number for one in robot.joints if one.type is JointType.SLIDE}
        for drive in robot.drives:
            if drive.control != "torque" or drive.joint not in slides:
                text = f"drive of joint {drive.joint} ({drive.control})"
                raise ValueError(f"{text}: a plant's drives are forces (torque) on slides")
        self.robot = robot
        """Its document."""
        self._numbers = tuple(drive.joint for drive in robot.drives)
        names = [f"j{number}" for number in self._numbers]
        text = with_brakes(model_text([PlacedRobot(robot)], Stepping(step_s=STEP_S)), names, STEP_S)
        self.world: World = World(text)
        """Where it is."""
        self._placed = self.world.robots[0]
        friction = [brake_force_n or drive.effort_max for drive in robot.drives]
        self._brakes = Brakes(self.world, names, friction)
        self._closed = (True,) * len(names)
        self._brakes.close(self._closed)

    def begin(self, extensions_m: Sequence[float]) -> None:
        """Stand at rest with the rods at these extensions, all brakes closed.

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
            told = ", ".join(f"{value:.4f}" for value in extensions_m)
            raise PlantPlaceError(
                f"rods at {told} m: the least gap at the platform is {found.gap_max_m * 1e3:.3g} "
                f"mm, at most {CLOSED_M * 1e3:g} mm is needed"
            )
        self._brakes.close((False,) * len(self._numbers))
        self.world.restart()
        self._placed.move_to(found.coordinates)
        self.world.settle()
        self._brakes.close(self._closed)

    def inertia(self) -> tuple[Array, Array]:
        """Of the whole machine where it is, seen by its platform.

        Velocities that keep the loops closed are N z, z the platform's twist: its speed in the
        base's axes [m/s], its turning in its own [rad/s].

        Returns:
            J of the rods, speeds = J z, shape (rods, 6); and H = N^T M N, shape (6, 6).

        Raises:
            ValueError: if the document has no free platform, or its rods do not decide its motion.
        """
        closing = self.world.tie_jacobian()
        free = [one.number for one in self.robot.joints if one.type is JointType.FREE]
        if len(free) != 1:
            raise ValueError(f"{len(free)} free joints: one platform is needed")
        _, sizes, rows = np.linalg.svd(closing)
        motions = rows[int((sizes > RANK * sizes[0]).sum()) :].T  # of all freedoms, loops closed
        twist = motions[self._placed.freedoms(free[0])]
        if twist.shape != (6, 6):
            raise ValueError(f"{motions.shape[1]} freedoms with closed loops: a platform has 6")
        motions = motions @ np.linalg.inv(twist)
        rods = [int(self._placed.freedoms(number)[0]) for number in self._numbers]
        return motions[rods], motions.T @ self.world.mass_matrix() @ motions

    def advance(self, forces_n: Sequence[float], locked: Sequence[bool], dt_s: float) -> None:
        """Go on by a time, in equal steps of at most 1 ms.

        Args:
            forces_n: of the motors, positive outwards; those of locked rods do nothing.
            locked: which brakes are closed; a rod in motion is slowed down first.
            dt_s: Time [s]; 0 or less does nothing.

        Raises:
            DivergedError: if the engine comes to no good number.
        """
        if dt_s <= 0.0:
            return
        count = max(1, math.ceil((dt_s - ROUNDING_S) / STEP_S))
        self.world.set_step(dt_s / count)
        pushes = [0.0 if held else push for push, held in zip(forces_n, locked, strict=True)]
        self._placed.command(pushes)
        for _ in range(count):
            self._brakes.close(locked)
            self.world.step()

    def extensions_m(self) -> tuple[float, ...]:
        """How far each rod is out [m]."""
        return tuple(self._placed.positions().tolist())

    def speeds_m_s(self) -> tuple[float, ...]:
        """Of each rod, outwards positive [m/s]; 0 of a locked one."""
        found: Numbers = tuple(self._placed.speeds().tolist())
        return tuple(0.0 if held else v for v, held in zip(found, self._brakes.locked, strict=True))

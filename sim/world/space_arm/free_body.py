"""A rigid body that drifts freely: no force, no moment, as in orbit near the arm.

Its frame F is that of its fixture, where a gripper takes hold of it. The centre of mass moves along
a line; the angular momentum stays what it is, to the last bit, and the attitude follows from it by
a method of fourth order on the group of rotations (Munthe-Kaas 1998).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.rotation import rotation_about
from sim.world.space_arm.links import (
    Body,
    SpaceArmError,
    numbers,
    rotate_tensor,
    rotation_matrix,
)

Array = NDArray[np.float64]

TURN_OF_STEP_RAD = 0.02
"""Largest turn of a step of the attitude [rad]."""
STEPS_MAX = 100_000
"""Most steps of the attitude in one span of time."""


@dataclass(frozen=True, slots=True, eq=False)
class ForbiddenBall:
    """A part of a body that nothing may touch: a ball around it. Arrays are read-only.

    Raises:
        SpaceArmError: not finite, or no radius.
    """

    centre_m: Array
    """Centre in the body's frame F [m], shape (3,)."""
    radius_m: float
    """Radius [m]."""

    def __post_init__(self) -> None:
        centre = numbers(self.centre_m, (3,), "forbidden: centre_m")
        object.__setattr__(self, "centre_m", centre)
        if not (math.isfinite(self.radius_m) and self.radius_m > 0.0):
            raise SpaceArmError(
                f"forbidden: radius_m = {self.radius_m!r} m, must be finite and above 0 m"
            )


@dataclass(slots=True, eq=False)
class FreeBody:
    """A body that drifts, or stands if its twist is 0.

    Raises:
        SpaceArmError: not finite, wrong shape, no rotation, or a body without mass or inertia.
    """

    body: Body
    """Mass, centre of mass and tensor in the frame F of its fixture."""
    rotation_BF: Array
    """Axes of F in the base, as columns, shape (3, 3)."""
    position_BF_m: Array
    """Origin of F in the base [m], shape (3,)."""
    twist: Array
    """Linear velocity of that origin [m/s], then angular [rad/s], in base axes, shape (6,)."""
    forbidden: Sequence[ForbiddenBall] = ()
    """Parts that nothing may touch."""
    name: str = "body"
    """Name of the body."""
    _spin: Array = field(init=False, repr=False)
    """Angular momentum about the centre of mass, in base axes [N m s]."""
    _drift: Array = field(init=False, repr=False)
    """Velocity of the centre of mass [m/s]."""

    def __post_init__(self) -> None:
        place = f"body {self.name}"
        least = float(np.linalg.eigvalsh(self.body.inertia_kg_m2)[0])
        if not (self.body.mass_kg > 0.0 and least > 0.0):
            raise SpaceArmError(
                f"{place}: mass {self.body.mass_kg:g} kg, least moment of inertia {least:g} kg m2: "
                "what drifts freely has both above 0"
            )
        self.rotation_BF = rotation_matrix(self.rotation_BF, f"{place}: rotation_BF")
        self.position_BF_m = numbers(self.position_BF_m, (3,), f"{place}: position_BF_m")
        self.twist = numbers(self.twist, (6,), f"{place}: twist")
        self._spin = rotate_tensor(self.rotation_BF, self.body.inertia_kg_m2) @ self.twist[3:]
        lever = self.rotation_BF @ self.body.com_m
        self._drift = self.twist[:3] + np.cross(self.twist[3:], lever)

    @property
    def momentum(self) -> Array:
        """Linear momentum [N s], then angular about the base's origin [N m s], shape (6,)."""
        linear = self.body.mass_kg * self._drift
        centre = self.position_BF_m + self.rotation_BF @ self.body.com_m
        return np.concatenate([linear, np.cross(centre, linear) + self._spin])

    @property
    def energy_j(self) -> float:
        """Kinetic energy [J]."""
        speed = float(self._drift @ self._drift)
        return 0.5 * (self.body.mass_kg * speed + float(self.twist[3:] @ self._spin))

    def advance(self, span_s: float) -> None:
        """Let the body drift for a time [s].

        Raises:
            SpaceArmError: if the time is not finite or negative, or the body turns too far in it;
                nothing has moved then.
        """
        turn_rad = float(np.linalg.norm(self.twist[3:])) * span_s
        if not (span_s >= 0.0 and turn_rad <= STEPS_MAX * TURN_OF_STEP_RAD and span_s < math.inf):
            raise SpaceArmError(
                f"body {self.name}: {span_s!r} s with a turn of {turn_rad:.6g} rad, must be finite "
                f"and at most {STEPS_MAX * TURN_OF_STEP_RAD:g} rad: advance in shorter spans"
            )
        centre = self.position_BF_m + self.rotation_BF @ self.body.com_m + span_s * self._drift
        steps = max(1, math.ceil(turn_rad / TURN_OF_STEP_RAD))
        inverse = np.linalg.inv(self.body.inertia_kg_m2).astype(np.float64, copy=False)
        rotation = self.rotation_BF
        for _ in range(steps):
            rotation = self._turned(rotation, inverse, span_s / steps)
        rate = rotation @ (inverse @ (rotation.T @ self._spin))
        lever = rotation @ self.body.com_m
        self.rotation_BF, self.position_BF_m = rotation, centre - lever
        self.twist = np.concatenate([self._drift - np.cross(rate, lever), rate])

    def _turned(self, rotation: Array, inverse: Array, h: float) -> Array:
        """Turn an attitude for a step ``h`` [s] at constant angular momentum."""

        def rate(turn: Array) -> Array:
            there = rotation_about(turn) @ rotation
            w = there @ (inverse @ (there.T @ self._spin))
            # dexp^-1 to the order of the method.
            return w - 0.5 * np.cross(turn, w) + np.cross(turn, np.cross(turn, w)) / 12.0

        one = rate(np.zeros(3))
        two = rate(0.5 * h * one)
        three = rate(0.5 * h * two)
        four = rate(h * three)
        turned = rotation_about(h / 6.0 * (one + 2.0 * two + 2.0 * three + four)) @ rotation
        return turned @ (1.5 * np.eye(3) - 0.5 * turned.T @ turned)  # rounding does not add up

    def clearance_m(self, point_m: Array) -> float:
        """Compute the distance of a place in the base from what may not be touched [m].

        Returns:
            It is negative inside a forbidden ball, and infinite without any.
        """
        seen = self.rotation_BF.T @ (point_m - self.position_BF_m)
        return min(
            (float(np.linalg.norm(seen - one.centre_m)) - one.radius_m for one in self.forbidden),
            default=math.inf,
        )

    def in_gripper(self, rotation_BG: Array, position_BG_m: Array) -> tuple[Body, Array]:
        """Return the body in a gripper's frame G, and its twist at the origin of G, base axes."""
        turn = rotation_BG.T @ self.rotation_BF
        offset = rotation_BG.T @ (self.position_BF_m - position_BG_m)
        held = Body(
            self.body.mass_kg,
            offset + turn @ self.body.com_m,
            rotate_tensor(turn, self.body.inertia_kg_m2),
        )
        twist, lever = np.array(self.twist), position_BG_m - self.position_BF_m
        twist[:3] += np.cross(twist[3:], lever)
        return held, twist

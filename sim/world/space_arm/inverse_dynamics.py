"""Inverse dynamics: the joint torques that a motion needs, term by term.

    torque = D(q) q'' + h(q, q') + p(q) - J^T w + c q'        through each gear, on its link
    motor  = torque + Jr q'' + Fc sign(q')                    at each motor, on the joint's side

D: mass matrix, h: Coriolis and centrifugal torques, p: gravity, J: Jacobian of the gripper, w: what
acts on the gripper, c: drag of the bearings, Jr = N^2 Jm: inertia of the rotor, Fc: dry friction.
Link and motor turn as one: play and elasticity of the gears are left out, and so is what a rotor's
spin does to the link that carries it, as in the simulation.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DRAG, FRICTION, INERTIA, TORQUE_MAX, DriveModel, drive_table
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.drive_law import STUCK_RATE_RAD_S
from sim.world.space_arm.links import numbers

Array = NDArray[np.float64]

TERMS = ("inertia", "coriolis", "gravity", "wrench", "drag", "rotor", "friction")
"""Names of the terms, in the order in which they are added."""
_LINK_TERMS = 5


@dataclass(frozen=True, slots=True, eq=False)
class JointTorques:
    """Torques that a motion needs, each term apart; all of shape (n,), read-only."""

    inertia_nm: Array
    """Torques of the links' and the payload's inertia, D q'' [N m]."""
    coriolis_nm: Array
    """Coriolis and centrifugal torques [N m]."""
    gravity_nm: Array
    """Torques against gravity [N m]; zeros in orbit."""
    wrench_nm: Array
    """Torques against the wrench on the gripper [N m]."""
    drag_nm: Array
    """Torques against the drag of the joints' bearings [N m]."""
    rotor_nm: Array
    """Torques of the rotors' inertia, on the joint's side [N m]."""
    friction_nm: Array
    """Torques against the dry friction of motor and gear [N m]; 0 at rest (to 1 nrad/s), where it
    may hold."""

    @property
    def gear_nm(self) -> Array:
        """Torques through the gears: all that moves the links [N m]."""
        return np.sum(self.terms()[:_LINK_TERMS], axis=0)

    @property
    def motor_nm(self) -> Array:
        """Torques of the motors on the joint's side: the sum of all terms [N m]."""
        return np.sum(self.terms(), axis=0)

    def terms(self) -> Array:
        """Stack the terms in the order of `TERMS`, shape (7, n)."""
        return np.array([getattr(self, f"{name}_nm") for name in TERMS])

    @classmethod
    def of(cls, terms: Array) -> Self:
        """Return torques of a stack of terms, shape (7, n)."""
        held = np.array(terms, dtype=np.float64)
        held.setflags(write=False)
        return cls(*held)


class InverseDynamics:
    """Inverse dynamics of an arm with what it holds.

    Args:
        arm: the arm, empty.
        payload: what the gripper holds.
    """

    def __init__(self, arm: Arm, payload: Body | None = None) -> None:
        self.arm: Arm = arm if payload is None else arm.with_payload(payload)
        """Arm with the payload as a part of its last link."""
        self._arrays = self.arm.arrays()
        self._weightless = self._arrays._replace(gravity=np.zeros(3))
        self._drive = drive_table(arm.drives, DriveModel.E.effects)
        self._scratch = dynamics.make_scratch()

    @property
    def limits_nm(self) -> Array:
        """Largest torques of the motors on the joint's side, N Kt Imax [N m], shape (n,)."""
        return self._drive[TORQUE_MAX].copy()

    def torques(
        self, q_rad: Array, v_rad_s: Array, a_rad_s2: Array, wrench: Array | None = None
    ) -> JointTorques:
        """Compute the torques of a motion at one moment.

        Args:
            q_rad: joint angles [rad], shape (n,).
            v_rad_s: joint rates [rad/s], shape (n,).
            a_rad_s2: joint accelerations [rad/s2], shape (n,).
            wrench: what acts on the gripper from outside: force [N], then moment about the origin
                of G [N m], in base axes, shape (6,); None for nothing.

        Raises:
            SpaceArmError: wrong shape or not finite.
        """
        n = self.arm.joints
        q, v, a = (
            numbers(value, (n,), name)
            for value, name in ((q_rad, "q_rad"), (v_rad_s, "v_rad_s"), (a_rad_s2, "a_rad_s2"))
        )
        terms = np.zeros((len(TERMS), n))
        mass = np.empty((n, n))
        dynamics.mass_and_bias(self._weightless, q, v, self._scratch, mass, terms[1])
        terms[0] = mass @ a
        if self.arm.gravity_m_s2.any():
            dynamics.gravity_torque(self._arrays, q, self._scratch, terms[2])
        if wrench is not None:
            jacobian = np.empty((6, n))
            dynamics.gripper_jacobian(self._arrays, q, self._scratch, jacobian)
            terms[3] = -jacobian.T @ numbers(wrench, (6,), "wrench")
        terms[4] = self._drive[DRAG] * v
        terms[5] = self._drive[INERTIA] * a
        turning = np.abs(v) > STUCK_RATE_RAD_S
        terms[6] = self._drive[FRICTION] * np.where(turning, np.sign(v), 0.0)
        return JointTorques.of(terms + 0.0)  # no -0

    def accelerations(
        self, q_rad: Array, v_rad_s: Array, motor_nm: Array, wrench: Array | None = None
    ) -> Array:
        """Compute the joint accelerations that the motors' torques cause [rad/s2], shape (n,).

        The inverse of `torques`, with link and motor as one.

        Args:
            q_rad: joint angles [rad], shape (n,).
            v_rad_s: joint rates [rad/s], shape (n,).
            motor_nm: torques of the motors on the joint's side [N m], shape (n,).
            wrench: as in `torques`.

        Raises:
            SpaceArmError: wrong shape or not finite.
        """
        n = self.arm.joints
        still = self.torques(q_rad, v_rad_s, np.zeros(n), wrench).motor_nm
        mass = np.empty((n, n))
        q = numbers(q_rad, (n,), "q_rad")
        dynamics.mass_matrix(self._arrays, q, self._scratch, mass)
        mass += np.diag(self._drive[INERTIA])
        left: Array = numbers(motor_nm, (n,), "motor_nm") - still
        return np.linalg.solve(mass, left).astype(np.float64, copy=False)

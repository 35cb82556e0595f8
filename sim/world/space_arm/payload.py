"""Grappling and releasing of a body: the joints' rates afterwards.

The gripper closes in no time and the body sticks to it (a plastic impact). The gripper's impulse on
the body and the body's on the gripper cancel; the base answers with an impulse of its own. So the
total momentum of arm and body changes by the base's impulse. What stays is the generalized momentum
of each joint, because no joint passes a torque about its own axis in no time: the angular momentum
about axis i of all that lies beyond joint i, body included, and of its rotor through the gear.

Letting go exerts no impulse: every rate stays, and so does the momentum of arm and body.
"""

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm, SpaceArmError
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.links import Body, numbers, rotate_tensor, steiner

Array = NDArray[np.float64]


def grapple_rates(
    arm: Arm,
    q_rad: Array,
    v_rad_s: Array,
    body: Body,
    twist: Array,
    rotor_inertia_kg_m2: Array | None = None,
) -> Array:
    """Compute the joint rates after the gripper has grappled a body.

        (D + Jr + J^T M J) v+ = (D + Jr) v + J^T M V

    D, J: mass matrix and Jacobian of the arm as it was, M: the body's inertia about G's origin.

    Args:
        arm: the arm before; it may hold something already.
        q_rad: joint angles [rad], shape (n,).
        v_rad_s: joint rates before [rad/s], shape (n,).
        body: what is caught, in the gripper's frame G.
        twist: of the body before: velocity of its point at G's origin [m/s], then angular [rad/s],
            base axes, shape (6,).
        rotor_inertia_kg_m2: N^2 Jm of the rotors if they are firmly geared to their joints, shape
            (n,); None if springs lie between.

    Returns:
        Joint rates after [rad/s], shape (n,).

    Raises:
        SpaceArmError: wrong shape or not finite.
    """
    n = arm.joints
    q, v = numbers(q_rad, (n,), "q_rad"), numbers(v_rad_s, (n,), "v_rad_s")
    speed = numbers(twist, (6,), "twist")
    mass, jacobian = np.zeros((n, n)), np.zeros((6, n))
    scratch = dynamics.make_scratch()
    dynamics.mass_matrix(arm.arrays(), q, scratch, mass)
    dynamics.gripper_jacobian(arm.arrays(), q, scratch, jacobian)
    if rotor_inertia_kg_m2 is not None:
        rotors = numbers(rotor_inertia_kg_m2, (n,), "rotor_inertia_kg_m2")
        if (rotors < 0.0).any():
            raise SpaceArmError(f"rotor_inertia_kg_m2: {rotors.tolist()} kg m2, must be 0 or more")
        mass += np.diag(rotors)
    carried = jacobian.T @ inertia_at_gripper(arm, q, body)  # (6, 6)
    # Solved for the change: a body that moves with the gripper changes nothing, to the last bit.
    change = carried @ (speed - jacobian @ v)
    return v + np.linalg.solve(mass + carried @ jacobian, change)


def inertia_at_gripper(arm: Arm, q_rad: Array, body: Body) -> Array:
    """Compute a body's inertia at the gripper: its momenta about G's origin of a twist.

    Args:
        q_rad: joint angles [rad], shape (n,).
        body: the body, in the gripper's frame G.

    Returns:
        In base axes [kg; kg m; kg m2], shape (6, 6).

    Raises:
        SpaceArmError: wrong shape or not finite.
    """
    q = numbers(q_rad, (arm.joints,), "q_rad")
    rotation, position = np.zeros((3, 3)), np.zeros(3)
    dynamics.gripper_pose(arm.arrays(), q, dynamics.make_scratch(), rotation, position)
    com = rotation @ body.com_m
    x, y, z = body.mass_kg * com
    moment = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # m c x
    inertia = np.zeros((6, 6))
    inertia[:3, :3] = body.mass_kg * np.eye(3)
    inertia[:3, 3:] = -moment
    inertia[3:, :3] = moment
    central = rotate_tensor(rotation, body.inertia_kg_m2)
    inertia[3:, 3:] = central + body.mass_kg * steiner(com)
    return inertia

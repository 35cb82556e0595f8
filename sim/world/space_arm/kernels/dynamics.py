"""Dynamics and kinematics of an arm of six revolute joints: D(q) q'' + h(q, q') = torque.

Composite rigid bodies for the mass matrix D and Newton and Euler's recursion for the bias h, both
in base axes (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5 and 6; Luh, Walker and
Paul, 1980). The base axes need one turn of each link's inertia and no other change of axes; moments
are taken about each joint's own origin, so that a long arm costs the wrist no digits.

The motion of each link by itself is computed for all links at once, in the lanes of `vectors`; what
passes from link to link, one after the other.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.kernels.chain import (
    AXIS,
    FORCE,
    FRAME,
    INERTIA,
    LEVER,
    MASS,
    MOMENT,
    PULL,
    RATE,
    SEEN_INERTIA,
    SEEN_MOMENT,
    SPIN,
    TORQUE,
    ArmArrays,
    Scratch,
    lay_out,
    make_scratch,
)
from sim.world.space_arm.kernels.vectors import (
    LANES,
    Frame,
    Vector,
    add,
    cross,
    dot,
    frame_at,
    put_tensor,
    put_vector,
    scaled,
    seen,
    tensor_at,
    tensor_in_base,
    times,
    vector_at,
)

__all__ = [
    "ArmArrays",
    "Scratch",
    "gravity_torque",
    "gripper_jacobian",
    "gripper_pose",
    "gripper_twist",
    "inverse_torque",
    "make_scratch",
    "mass_and_bias",
    "mass_matrix",
]

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy", forceinline=True)
def _turn_masses(lanes: int, links: Array, t: Scratch) -> None:
    """Compute first and second moments of the links' masses."""
    for i in range(lanes):
        frame = frame_at(t, FRAME, i)
        put_vector(t, SEEN_MOMENT, i, seen(frame, vector_at(links, MOMENT, i)))
        put_tensor(t, SEEN_INERTIA, i, tensor_in_base(frame, tensor_at(links, INERTIA, i)))


@njit(cache=True, error_model="numpy", forceinline=True)
def _swing(arm: ArmArrays, v: Array, t: Scratch) -> None:
    """Compute each link's motion at rates ``v`` without joint accelerations.

    The base is accelerated against gravity instead of each link being pulled by it.
    """
    w, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    pull = (-arm.gravity[0], -arm.gravity[1], -arm.gravity[2])
    for i in range(6):
        pull = add(pull, _swept(w, spin, vector_at(t, LEVER, i)))
        own = scaled(v[i], vector_at(t, AXIS, i))
        spin = add(spin, cross(w, own))
        w = add(w, own)
        put_vector(t, RATE, i, w)
        put_vector(t, SPIN, i, spin)
        put_vector(t, PULL, i, pull)


@njit(cache=True, error_model="numpy", forceinline=True)
def _swept(w: Vector, spin: Vector, lever: Vector) -> Vector:
    """Compute the acceleration of a lever's end relative to its origin: spin x r + w x (w x r)."""
    return add(cross(spin, lever), cross(w, cross(w, lever)))


@njit(cache=True, error_model="numpy", forceinline=True)
def _accelerate(a: Array, t: Scratch) -> None:
    """Add what joint accelerations ``a`` do to each link's motion."""
    spin, pull = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(6):
        pull = add(pull, cross(spin, vector_at(t, LEVER, i)))
        spin = add(spin, scaled(a[i], vector_at(t, AXIS, i)))
        put_vector(t, SPIN, i, add(vector_at(t, SPIN, i), spin))
        put_vector(t, PULL, i, add(vector_at(t, PULL, i), pull))


@njit(cache=True, error_model="numpy", forceinline=True)
def _push_links(lanes: int, links: Array, t: Scratch) -> None:
    """Compute the force and the torque of each link's own motion."""
    for i in range(lanes):
        w, spin, pull = vector_at(t, RATE, i), vector_at(t, SPIN, i), vector_at(t, PULL, i)
        moment, inertia = vector_at(t, SEEN_MOMENT, i), tensor_at(t, SEEN_INERTIA, i)
        mass = links[LANES * MASS + i]
        put_vector(t, FORCE, i, add(scaled(mass, pull), _swept(w, spin, moment)))
        turning = add(times(inertia, spin), cross(w, times(inertia, w)))
        put_vector(t, TORQUE, i, add(turning, cross(moment, pull)))


@njit(cache=True, error_model="numpy", forceinline=True)
def _gather(t: Scratch, bias_out: Array) -> None:
    """Sum forces and torques of the links from the tip to each joint, about that joint."""
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(6):
        i = 5 - k
        force = add(force, vector_at(t, FORCE, i))
        torque = add(torque, vector_at(t, TORQUE, i))
        bias_out[i] = dot(vector_at(t, AXIS, i), torque)
        torque = add(torque, cross(vector_at(t, LEVER, i), force))


@njit(cache=True, error_model="numpy", forceinline=True)
def _composite(links: Array, t: Scratch, mass_out: Array) -> None:
    """Compute the mass matrix from what lies beyond each joint taken as one body.

    Turning joint j at 1 rad/s^2 needs the force z x s and the torque I z about its origin (s: mass
    times centre of mass); seen from each joint i before it, that is a column of D.
    """
    mass, s = 0.0, (0.0, 0.0, 0.0)
    xx = yy = zz = xy = xz = yz = 0.0
    for k in range(6):
        j = 5 - k
        mass += links[LANES * MASS + j]
        s = add(s, vector_at(t, SEEN_MOMENT, j))
        own = tensor_at(t, SEEN_INERTIA, j)
        xx, yy, zz = xx + own[0], yy + own[1], zz + own[2]
        xy, xz, yz = xy + own[3], xz + own[4], yz + own[5]
        axis = vector_at(t, AXIS, j)
        force, torque = cross(axis, s), times((xx, yy, zz, xy, xz, yz), axis)
        mass_out[j, j] = dot(axis, torque)
        for m in range(j):
            i = j - 1 - m
            torque = add(torque, cross(vector_at(t, LEVER, i + 1), force))
            entry = dot(vector_at(t, AXIS, i), torque)
            mass_out[i, j] = entry
            mass_out[j, i] = entry
        # The body about the joint before, by the parallel axis theorem.
        r = vector_at(t, LEVER, j)
        h = (s[0] + 0.5 * mass * r[0], s[1] + 0.5 * mass * r[1], s[2] + 0.5 * mass * r[2])
        px, py, pz = 2.0 * r[0] * h[0], 2.0 * r[1] * h[1], 2.0 * r[2] * h[2]
        xx, yy, zz = xx + (py + pz), yy + (px + pz), zz + (px + py)
        xy -= r[0] * h[1] + r[1] * h[0]
        xz -= r[0] * h[2] + r[2] * h[0]
        yz -= r[1] * h[2] + r[2] * h[1]
        s = add(s, scaled(mass, r))


@njit(cache=True, error_model="numpy")
def mass_and_bias(
    arm: ArmArrays, q: Array, v: Array, scratch: Scratch, mass_out: Array, bias_out: Array
) -> None:
    """Compute mass matrix and bias of ``D(q) q'' + bias = torque`` (no allocation).

    Args:
        q: joint angles [rad], shape (6,).
        v: joint rates [rad/s], shape (6,).
        mass_out: gets D, full and symmetric [kg m2], shape (6, 6).
        bias_out: gets Coriolis, centrifugal and gravity torques [N m], shape (6,).
    """
    lay_out(arm, q, scratch)
    _turn_masses(arm.lanes, arm.links, scratch)
    _swing(arm, v, scratch)
    _push_links(arm.lanes, arm.links, scratch)
    _gather(scratch, bias_out)
    _composite(arm.links, scratch, mass_out)


@njit(cache=True, error_model="numpy")
def inverse_torque(
    arm: ArmArrays, q: Array, v: Array, a: Array, scratch: Scratch, out: Array
) -> None:
    """Compute the torques ``D(q) a + bias`` that a motion needs, without D (no allocation).

    Args:
        q: joint angles [rad], shape (6,).
        v: joint rates [rad/s], shape (6,).
        a: joint accelerations [rad/s2], shape (6,).
        out: gets the torques through the gears [N m], shape (6,).
    """
    lay_out(arm, q, scratch)
    _turn_masses(arm.lanes, arm.links, scratch)
    _swing(arm, v, scratch)
    _accelerate(a, scratch)
    _push_links(arm.lanes, arm.links, scratch)
    _gather(scratch, out)


@njit(cache=True, error_model="numpy")
def mass_matrix(arm: ArmArrays, q: Array, scratch: Scratch, mass_out: Array) -> None:
    """Compute the mass matrix D(q) alone.

    Args:
        q: joint angles [rad], shape (6,).
        mass_out: gets D, full and symmetric [kg m2], shape (6, 6).
    """
    lay_out(arm, q, scratch)
    _turn_masses(arm.lanes, arm.links, scratch)
    _composite(arm.links, scratch, mass_out)


@njit(cache=True, error_model="numpy")
def gravity_torque(arm: ArmArrays, q: Array, scratch: Scratch, out: Array) -> None:
    """Compute the torques that hold the arm at rest against gravity (0 in orbit).

    Args:
        q: joint angles [rad], shape (6,).
        out: gets the torques [N m], shape (6,).
    """
    up = (-arm.gravity[0], -arm.gravity[1], -arm.gravity[2])
    lay_out(arm, q, scratch)
    for i in range(6):
        frame = frame_at(scratch, FRAME, i)
        moment = seen(frame, vector_at(arm.links, MOMENT, i))
        put_vector(scratch, FORCE, i, scaled(arm.links[LANES * MASS + i], up))
        put_vector(scratch, TORQUE, i, cross(moment, up))
    _gather(scratch, out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _tool_lever(arm: ArmArrays, frame: Frame) -> Vector:
    """Lever from the last joint to the gripper [m], base axes."""
    return seen(frame, (arm.tool_offset[0], arm.tool_offset[1], arm.tool_offset[2]))


@njit(cache=True, error_model="numpy")
def gripper_pose(
    arm: ArmArrays, q: Array, scratch: Scratch, rotation_out: Array, position_out: Array
) -> None:
    """Compute the pose of the gripper frame G in the base B.

    Args:
        q: joint angles [rad], shape (6,).
        rotation_out: gets the axes of G as columns, shape (3, 3).
        position_out: gets the origin of G [m], shape (3,).
    """
    frame = lay_out(arm, q, scratch)
    place = _tool_lever(arm, frame)
    for k in range(6):  # from the tip: short levers first, so that they keep their digits
        place = add(place, vector_at(scratch, LEVER, 5 - k))
    for k in range(3):
        tool = arm.tool_rotation
        axis = seen(frame, (tool[0, k], tool[1, k], tool[2, k]))
        rotation_out[0, k], rotation_out[1, k], rotation_out[2, k] = axis
        position_out[k] = place[k]


@njit(cache=True, error_model="numpy")
def gripper_jacobian(arm: ArmArrays, q: Array, scratch: Scratch, jacobian_out: Array) -> None:
    """Compute the gripper's Jacobian: linear velocity of G's origin, then angular, base axes.

    Args:
        q: joint angles [rad], shape (6,).
        jacobian_out: gets the Jacobian [m/rad; 1], shape (6, 6), one column a joint.
    """
    frame = lay_out(arm, q, scratch)
    lever = _tool_lever(arm, frame)
    for k in range(6):
        i = 5 - k
        axis = vector_at(scratch, AXIS, i)
        speed = cross(axis, lever)
        for m in range(3):
            jacobian_out[m, i] = speed[m]
            jacobian_out[3 + m, i] = axis[m]
        lever = add(lever, vector_at(scratch, LEVER, i))


@njit(cache=True, error_model="numpy")
def gripper_twist(arm: ArmArrays, q: Array, v: Array, scratch: Scratch, twist_out: Array) -> None:
    """Compute the gripper's velocity: linear of G's origin [m/s], then angular [rad/s], base axes.

    Args:
        q: joint angles [rad], shape (6,).
        v: joint rates [rad/s], shape (6,).
        twist_out: gets the velocity, shape (6,).
    """
    frame = lay_out(arm, q, scratch)
    w, speed = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(6):
        speed = add(speed, cross(w, vector_at(scratch, LEVER, i)))
        w = add(w, scaled(v[i], vector_at(scratch, AXIS, i)))
    speed = add(speed, cross(w, _tool_lever(arm, frame)))
    for m in range(3):
        twist_out[m] = speed[m]
        twist_out[3 + m] = w[m]

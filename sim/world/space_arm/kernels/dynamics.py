"""Dynamics and kinematics of an arm of up to eight joints: D(q) q'' + h(q, q') = torque.

Composite rigid bodies for the mass matrix D and Newton and Euler's recursion for the bias h, both
in base axes (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5 and 6; Luh, Walker and
Paul, 1980). The base axes need one turn of each link's inertia and no other change of axes; moments
are taken about each joint's own origin, so that a long arm costs the wrist no digits.

The motion of each link by itself is computed for all links at once, in the lanes of `vectors`; what
passes from link to link, one after the other.

Of a prismatic joint the coordinate is its travel [m] and the torque a force [N]. What is said of
angles, rates and torques below holds for both. The count ``n`` of joints is that of the arrays.
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
    slides,
)
from sim.world.space_arm.kernels.vectors import (
    COMMON_JOINTS,
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
from sim.world.space_arm.kernels.wrench import take_wrench

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
def _swing(n: int, mixed: bool, arm: ArmArrays, v: Array, t: Scratch) -> None:
    """Compute each link's motion at rates ``v`` without joint accelerations.

    The base is accelerated against gravity instead of each link being pulled by it.
    """
    w, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    pull = (-arm.gravity[0], -arm.gravity[1], -arm.gravity[2])
    for i in range(n):
        pull = add(pull, _swept(w, spin, vector_at(t, LEVER, i)))
        own = scaled(v[i], vector_at(t, AXIS, i))
        if slides(mixed, arm.links, i):
            pull = add(pull, scaled(2.0, cross(w, own)))
        else:
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
def _accelerate(n: int, mixed: bool, links: Array, a: Array, t: Scratch) -> None:
    """Add what joint accelerations ``a`` do to each link's motion."""
    spin, pull = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(n):
        pull = add(pull, cross(spin, vector_at(t, LEVER, i)))
        own = scaled(a[i], vector_at(t, AXIS, i))
        if slides(mixed, links, i):
            pull = add(pull, own)
        else:
            spin = add(spin, own)
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
def _gather(n: int, mixed: bool, links: Array, t: Scratch, bias_out: Array) -> None:
    """Sum forces and torques of the links from the tip to each joint, about that joint."""
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(n):
        i = n - 1 - k
        force = add(force, vector_at(t, FORCE, i))
        torque = add(torque, vector_at(t, TORQUE, i))
        bias_out[i] = dot(vector_at(t, AXIS, i), force if slides(mixed, links, i) else torque)
        torque = add(torque, cross(vector_at(t, LEVER, i), force))


@njit(cache=True, error_model="numpy", forceinline=True)
def _composite(n: int, mixed: bool, links: Array, t: Scratch, mass_out: Array) -> None:
    """Compute the mass matrix from what lies beyond each joint taken as one body.

    Turning joint j at 1 rad/s^2 needs the force z x s and the torque I z about its origin (s: mass
    times centre of mass), sliding it at 1 m/s^2 the force m z and the torque s x z; seen from each
    joint i before it, that is a column of D.
    """
    mass, s = 0.0, (0.0, 0.0, 0.0)
    xx = yy = zz = xy = xz = yz = 0.0
    for k in range(n):
        j = n - 1 - k
        mass += links[LANES * MASS + j]
        s = add(s, vector_at(t, SEEN_MOMENT, j))
        own = tensor_at(t, SEEN_INERTIA, j)
        xx, yy, zz = xx + own[0], yy + own[1], zz + own[2]
        xy, xz, yz = xy + own[3], xz + own[4], yz + own[5]
        axis = vector_at(t, AXIS, j)
        force, torque = cross(axis, s), times((xx, yy, zz, xy, xz, yz), axis)
        if slides(mixed, links, j):
            force, torque = scaled(mass, axis), cross(s, axis)
        mass_out[j, j] = dot(axis, force if slides(mixed, links, j) else torque)
        for m in range(j):
            i = j - 1 - m
            torque = add(torque, cross(vector_at(t, LEVER, i + 1), force))
            entry = dot(vector_at(t, AXIS, i), force if slides(mixed, links, i) else torque)
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


@njit(cache=True, error_model="numpy", forceinline=True)
def _move_links(n: int, mixed: bool, arm: ArmArrays, q: Array, v: Array, t: Scratch) -> None:
    """Compute frames, masses and motion of the links without joint accelerations."""
    lay_out(n, mixed, arm, q, t)
    _turn_masses(arm.lanes, arm.links, t)
    _swing(n, mixed, arm, v, t)


@njit(cache=True, error_model="numpy", forceinline=True)
def _mass_and_bias(
    n: int, mixed: bool, arm: ArmArrays, q: Array, v: Array, t: Scratch, mass: Array, bias: Array
) -> None:
    """Compute `mass_and_bias`."""
    _move_links(n, mixed, arm, q, v, t)
    _push_links(arm.lanes, arm.links, t)
    _gather(n, mixed, arm.links, t, bias)
    take_wrench(n, mixed, arm, t, bias)
    _composite(n, mixed, arm.links, t, mass)


@njit(cache=True, error_model="numpy")
def mass_and_bias(
    arm: ArmArrays, q: Array, v: Array, scratch: Scratch, mass_out: Array, bias_out: Array
) -> None:
    """Compute mass matrix and bias of ``D(q) q'' + bias = torque`` (no allocation).

    Args:
        q: joint angles [rad], shape (n,).
        v: joint rates [rad/s], shape (n,).
        mass_out: gets D, full and symmetric [kg m2], shape (n, n).
        bias_out: gets Coriolis, centrifugal and gravity torques less those of the wrench on the
            gripper [N m], shape (n,).
    """
    if arm.mixed is None:
        _mass_and_bias(COMMON_JOINTS, False, arm, q, v, scratch, mass_out, bias_out)
    else:
        _mass_and_bias(q.shape[0], True, arm, q, v, scratch, mass_out, bias_out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _inverse_torque(
    n: int, mixed: bool, arm: ArmArrays, q: Array, v: Array, a: Array, t: Scratch, out: Array
) -> None:
    """Compute `inverse_torque`."""
    _move_links(n, mixed, arm, q, v, t)
    _accelerate(n, mixed, arm.links, a, t)
    _push_links(arm.lanes, arm.links, t)
    _gather(n, mixed, arm.links, t, out)


@njit(cache=True, error_model="numpy")
def inverse_torque(
    arm: ArmArrays, q: Array, v: Array, a: Array, scratch: Scratch, out: Array
) -> None:
    """Compute the torques ``D(q) a + bias`` that a motion needs, without D (no allocation).

    The wrench on the gripper is not counted.

    Args:
        q: joint angles [rad], shape (n,).
        v: joint rates [rad/s], shape (n,).
        a: joint accelerations [rad/s2], shape (n,).
        out: gets the torques through the gears [N m], shape (n,).
    """
    if arm.mixed is None:
        _inverse_torque(COMMON_JOINTS, False, arm, q, v, a, scratch, out)
    else:
        _inverse_torque(q.shape[0], True, arm, q, v, a, scratch, out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _mass_matrix(n: int, mixed: bool, arm: ArmArrays, q: Array, t: Scratch, mass: Array) -> None:
    """Compute `mass_matrix`."""
    lay_out(n, mixed, arm, q, t)
    _turn_masses(arm.lanes, arm.links, t)
    _composite(n, mixed, arm.links, t, mass)


@njit(cache=True, error_model="numpy")
def mass_matrix(arm: ArmArrays, q: Array, scratch: Scratch, mass_out: Array) -> None:
    """Compute the mass matrix D(q) alone.

    Args:
        q: joint angles [rad], shape (n,).
        mass_out: gets D, full and symmetric [kg m2], shape (n, n).
    """
    if arm.mixed is None:
        _mass_matrix(COMMON_JOINTS, False, arm, q, scratch, mass_out)
    else:
        _mass_matrix(q.shape[0], True, arm, q, scratch, mass_out)


@njit(cache=True, error_model="numpy")
def gravity_torque(arm: ArmArrays, q: Array, scratch: Scratch, out: Array) -> None:
    """Compute the torques that hold the arm at rest against gravity (0 in orbit).

    Args:
        q: joint angles [rad], shape (n,).
        out: gets the torques [N m], shape (n,).
    """
    n = q.shape[0]
    up = (-arm.gravity[0], -arm.gravity[1], -arm.gravity[2])
    lay_out(n, True, arm, q, scratch)
    for i in range(n):
        frame = frame_at(scratch, FRAME, i)
        moment = seen(frame, vector_at(arm.links, MOMENT, i))
        put_vector(scratch, FORCE, i, scaled(arm.links[LANES * MASS + i], up))
        put_vector(scratch, TORQUE, i, cross(moment, up))
    _gather(n, True, arm.links, scratch, out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _tool_lever(arm: ArmArrays, frame: Frame) -> Vector:
    """Lever from the last joint to the gripper [m], base axes."""
    return seen(frame, (arm.tool_offset[0], arm.tool_offset[1], arm.tool_offset[2]))


@njit(cache=True, error_model="numpy", forceinline=True)
def _gripper_pose(
    n: int, mixed: bool, arm: ArmArrays, q: Array, t: Scratch, rotation: Array, position: Array
) -> None:
    """Compute `gripper_pose`."""
    frame = lay_out(n, mixed, arm, q, t)
    place = _tool_lever(arm, frame)
    for k in range(n):  # from the tip: short levers first, so that they keep their digits
        place = add(place, vector_at(t, LEVER, n - 1 - k))
    for k in range(3):
        tool = arm.tool_rotation
        axis = seen(frame, (tool[0, k], tool[1, k], tool[2, k]))
        rotation[0, k], rotation[1, k], rotation[2, k] = axis
        position[k] = place[k]


@njit(cache=True, error_model="numpy")
def gripper_pose(
    arm: ArmArrays, q: Array, scratch: Scratch, rotation_out: Array, position_out: Array
) -> None:
    """Compute the pose of the gripper frame G in the base B.

    Args:
        q: joint angles [rad], shape (n,).
        rotation_out: gets the axes of G as columns, shape (3, 3).
        position_out: gets the origin of G [m], shape (3,).
    """
    if arm.mixed is None:
        _gripper_pose(COMMON_JOINTS, False, arm, q, scratch, rotation_out, position_out)
    else:
        _gripper_pose(q.shape[0], True, arm, q, scratch, rotation_out, position_out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _gripper_jacobian(
    n: int, mixed: bool, arm: ArmArrays, q: Array, t: Scratch, jacobian: Array
) -> None:
    """Compute `gripper_jacobian`."""
    frame = lay_out(n, mixed, arm, q, t)
    lever = _tool_lever(arm, frame)
    for k in range(n):
        i = n - 1 - k
        axis = vector_at(t, AXIS, i)
        speed, turn = cross(axis, lever), axis
        if slides(mixed, arm.links, i):
            speed, turn = axis, (0.0, 0.0, 0.0)
        for m in range(3):
            jacobian[m, i] = speed[m]
            jacobian[3 + m, i] = turn[m]
        lever = add(lever, vector_at(t, LEVER, i))


@njit(cache=True, error_model="numpy")
def gripper_jacobian(arm: ArmArrays, q: Array, scratch: Scratch, jacobian_out: Array) -> None:
    """Compute the gripper's Jacobian: linear velocity of G's origin, then angular, base axes.

    Args:
        q: joint angles [rad], shape (n,).
        jacobian_out: gets the Jacobian [m/rad; 1], shape (6, n), one column a joint.
    """
    if arm.mixed is None:
        _gripper_jacobian(COMMON_JOINTS, False, arm, q, scratch, jacobian_out)
    else:
        _gripper_jacobian(q.shape[0], True, arm, q, scratch, jacobian_out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _gripper_twist(
    n: int, mixed: bool, arm: ArmArrays, q: Array, v: Array, t: Scratch, twist: Array
) -> None:
    """Compute `gripper_twist`."""
    frame = lay_out(n, mixed, arm, q, t)
    w, speed = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(n):
        speed = add(speed, cross(w, vector_at(t, LEVER, i)))
        own = scaled(v[i], vector_at(t, AXIS, i))
        if slides(mixed, arm.links, i):
            speed = add(speed, own)
        else:
            w = add(w, own)
    speed = add(speed, cross(w, _tool_lever(arm, frame)))
    for m in range(3):
        twist[m] = speed[m]
        twist[3 + m] = w[m]


@njit(cache=True, error_model="numpy")
def gripper_twist(arm: ArmArrays, q: Array, v: Array, scratch: Scratch, twist_out: Array) -> None:
    """Compute the gripper's velocity: linear of G's origin [m/s], then angular [rad/s], base axes.

    Args:
        q: joint angles [rad], shape (n,).
        v: joint rates [rad/s], shape (n,).
        twist_out: gets the velocity, shape (6,).
    """
    if arm.mixed is None:
        _gripper_twist(COMMON_JOINTS, False, arm, q, v, scratch, twist_out)
    else:
        _gripper_twist(q.shape[0], True, arm, q, v, scratch, twist_out)

"""Dynamics and kinematics of an arm of six revolute joints: D(q) q'' + h(q, q') = torque.

Composite rigid bodies for the mass matrix D and Newton and Euler's recursion for the bias h, both
in base axes (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5 and 6; Luh, Walker and
Paul, 1980). The base axes need one turn of each link's inertia and no other change of axes; moments
are taken about each joint's own origin, so that a long arm costs the wrist no digits.

Frames: K_i sits on joint i, turns with link i, and has the joint's axis as its z.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.kernels.trigonometry import sine_cosine
from sim.world.space_arm.kernels.vectors import (
    Frame,
    Vector,
    add,
    column_seen,
    cross,
    dot,
    put,
    put_tensor,
    row,
    scaled,
    seen,
    tensor_row,
    tensor_seen,
    times,
)

Array = NDArray[np.float64]


class ArmArrays(NamedTuple):
    """An arm in the frames K of the kernels; see :meth:`sim.world.space_arm.arm.Arm.arrays`."""

    rotation: Array  # axes of K_i at q_i = 0 in K_(i-1) (the base for joint 1), shape (6, 3, 3)
    offset: Array  # origin of K_i in K_(i-1) [m], shape (6, 3)
    mass: Array  # of the links [kg], shape (6,)
    com: Array  # centres of mass in K_i [m], shape (6, 3)
    inertia: Array  # about the origins of K_i, in K_i [kg m2], shape (6, 3, 3)
    tool_rotation: Array  # axes of the gripper frame G in K_6, shape (3, 3)
    tool_offset: Array  # origin of G in K_6 [m], shape (3,)
    gravity: Array  # in base axes [m/s2], shape (3,)


class Scratch(NamedTuple):
    """What the kernels write down on their way; all in base axes, one row a joint."""

    axis: Array  # of the joint, unit vector, shape (6, 3)
    lever: Array  # from the joint before (the base) to this one [m], shape (6, 3)
    moment: Array  # mass times centre of mass, from the joint's origin [kg m], shape (6, 3)
    inertia: Array  # about the joint's origin: xx, yy, zz, xy, xz, yz [kg m2], shape (6, 6)
    force: Array  # of the link's motion [N], shape (6, 3)
    torque: Array  # the same, about the joint's origin [N m], shape (6, 3)


def make_scratch() -> Scratch:
    """Working room for the kernels; one for each thread that calls them."""
    return Scratch(
        axis=np.zeros((6, 3)),
        lever=np.zeros((6, 3)),
        moment=np.zeros((6, 3)),
        inertia=np.zeros((6, 6)),
        force=np.zeros((6, 3)),
        torque=np.zeros((6, 3)),
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _turned(parent: Frame, arm: ArmArrays, i: int, angle: float) -> Frame:
    """Frame K_i of joint ``i`` at an angle [rad], from the frame before it."""
    x = column_seen(parent, arm.rotation, i, 0)
    y = column_seen(parent, arm.rotation, i, 1)
    z = column_seen(parent, arm.rotation, i, 2)
    s, c = sine_cosine(angle)
    return (
        (c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2]),
        (c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]),
        z,
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _base() -> Frame:
    return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@njit(cache=True, error_model="numpy", forceinline=True)
def _lay_out(arm: ArmArrays, q: Array, with_masses: bool, scratch: Scratch) -> Frame:
    """Write down where joints and masses are; return the last link's frame."""
    frame = _base()
    for i in range(6):
        put(scratch.lever, i, seen(frame, row(arm.offset, i)))
        frame = _turned(frame, arm, i, q[i])
        put(scratch.axis, i, frame[2])
        if with_masses:
            put(scratch.moment, i, scaled(arm.mass[i], seen(frame, row(arm.com, i))))
            put_tensor(scratch.inertia, i, tensor_seen(frame, arm.inertia, i))
    return frame


@njit(cache=True, error_model="numpy", forceinline=True)
def _newton(arm: ArmArrays, v: Array, scratch: Scratch) -> None:
    """Write down each link's force and torque at rates ``v`` without joint accelerations.

    The base is accelerated against gravity instead of each link being pulled by it.
    """
    w, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)  # rate and acceleration of rotation
    a = (-arm.gravity[0], -arm.gravity[1], -arm.gravity[2])  # of the joint's origin
    for i in range(6):
        a = add(a, _swept(w, turn, row(scratch.lever, i)))
        own = scaled(v[i], row(scratch.axis, i))
        turn = add(turn, cross(w, own))
        w = add(w, own)
        moment, inertia = row(scratch.moment, i), tensor_row(scratch.inertia, i)
        put(scratch.force, i, add(scaled(arm.mass[i], a), _swept(w, turn, moment)))
        spin = add(times(inertia, turn), cross(w, times(inertia, w)))
        put(scratch.torque, i, add(spin, cross(moment, a)))


@njit(cache=True, error_model="numpy", forceinline=True)
def _swept(w: Vector, turn: Vector, lever: Vector) -> Vector:
    """Acceleration of a lever's end relative to its origin: turn x r + w x (w x r)."""
    return add(cross(turn, lever), cross(w, cross(w, lever)))


@njit(cache=True, error_model="numpy", forceinline=True)
def _gather(scratch: Scratch, bias_out: Array) -> None:
    """Sum forces and torques of the links from the tip to each joint, about that joint."""
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(6):
        i = 5 - k
        force = add(force, row(scratch.force, i))
        torque = add(torque, row(scratch.torque, i))
        bias_out[i] = dot(row(scratch.axis, i), torque)
        torque = add(torque, cross(row(scratch.lever, i), force))


@njit(cache=True, error_model="numpy", forceinline=True)
def _composite(arm: ArmArrays, scratch: Scratch, mass_out: Array) -> None:
    """Mass matrix from what lies beyond each joint taken as one body.

    Turning joint j at 1 rad/s^2 needs the force z x s and the torque I z about its origin (s: mass
    times centre of mass); seen from each joint i before it, that is a column of D.
    """
    mass, s = 0.0, (0.0, 0.0, 0.0)
    xx = yy = zz = xy = xz = yz = 0.0
    for k in range(6):
        j = 5 - k
        mass += arm.mass[j]
        s = add(s, row(scratch.moment, j))
        own = tensor_row(scratch.inertia, j)
        xx, yy, zz = xx + own[0], yy + own[1], zz + own[2]
        xy, xz, yz = xy + own[3], xz + own[4], yz + own[5]
        axis = row(scratch.axis, j)
        force, torque = cross(axis, s), times((xx, yy, zz, xy, xz, yz), axis)
        mass_out[j, j] = dot(axis, torque)
        for m in range(j):
            i = j - 1 - m
            torque = add(torque, cross(row(scratch.lever, i + 1), force))
            entry = dot(row(scratch.axis, i), torque)
            mass_out[i, j] = entry
            mass_out[j, i] = entry
        # The body about the joint before, by the parallel axis theorem.
        r = row(scratch.lever, j)
        t = (s[0] + 0.5 * mass * r[0], s[1] + 0.5 * mass * r[1], s[2] + 0.5 * mass * r[2])
        px, py, pz = 2.0 * r[0] * t[0], 2.0 * r[1] * t[1], 2.0 * r[2] * t[2]
        xx, yy, zz = xx + (py + pz), yy + (px + pz), zz + (px + py)
        xy -= r[0] * t[1] + r[1] * t[0]
        xz -= r[0] * t[2] + r[2] * t[0]
        yz -= r[1] * t[2] + r[2] * t[1]
        s = add(s, scaled(mass, r))


@njit(cache=True, error_model="numpy")
def mass_and_bias(
    arm: ArmArrays, q: Array, v: Array, scratch: Scratch, mass_out: Array, bias_out: Array
) -> None:
    """Mass matrix and bias of ``D(q) q'' + bias = torque`` (no allocation).

    Args:
        arm: the arm.
        q: joint angles [rad], shape (6,).
        v: joint rates [rad/s], shape (6,).
        scratch: working room.
        mass_out: gets D, full and symmetric [kg m2], shape (6, 6).
        bias_out: gets Coriolis, centrifugal and gravity torques [N m], shape (6,).
    """
    _lay_out(arm, q, True, scratch)
    _newton(arm, v, scratch)
    _gather(scratch, bias_out)
    _composite(arm, scratch, mass_out)


@njit(cache=True, error_model="numpy")
def mass_matrix(arm: ArmArrays, q: Array, scratch: Scratch, mass_out: Array) -> None:
    """Mass matrix D(q) alone.

    Args:
        arm: the arm.
        q: joint angles [rad], shape (6,).
        scratch: working room.
        mass_out: gets D, full and symmetric [kg m2], shape (6, 6).
    """
    _lay_out(arm, q, True, scratch)
    _composite(arm, scratch, mass_out)


@njit(cache=True, error_model="numpy")
def gravity_torque(arm: ArmArrays, q: Array, scratch: Scratch, out: Array) -> None:
    """Torques that hold the arm at rest against gravity (0 in orbit).

    Args:
        arm: the arm.
        q: joint angles [rad], shape (6,).
        scratch: working room.
        out: gets the torques [N m], shape (6,).
    """
    up = (-arm.gravity[0], -arm.gravity[1], -arm.gravity[2])
    frame = _base()
    for i in range(6):
        put(scratch.lever, i, seen(frame, row(arm.offset, i)))
        frame = _turned(frame, arm, i, q[i])
        put(scratch.axis, i, frame[2])
        moment = scaled(arm.mass[i], seen(frame, row(arm.com, i)))
        put(scratch.force, i, scaled(arm.mass[i], up))
        put(scratch.torque, i, cross(moment, up))
    _gather(scratch, out)


@njit(cache=True, error_model="numpy", forceinline=True)
def _tool_lever(arm: ArmArrays, frame: Frame) -> Vector:
    """From the last joint to the gripper [m], base axes."""
    return seen(frame, (arm.tool_offset[0], arm.tool_offset[1], arm.tool_offset[2]))


@njit(cache=True, error_model="numpy")
def gripper_pose(
    arm: ArmArrays, q: Array, scratch: Scratch, rotation_out: Array, position_out: Array
) -> None:
    """Pose of the gripper frame G in the base B.

    Args:
        arm: the arm.
        q: joint angles [rad], shape (6,).
        scratch: working room.
        rotation_out: gets the axes of G as columns, shape (3, 3).
        position_out: gets the origin of G [m], shape (3,).
    """
    frame = _lay_out(arm, q, False, scratch)
    place = _tool_lever(arm, frame)
    for k in range(6):  # from the tip: short levers first, so that they keep their digits
        place = add(place, row(scratch.lever, 5 - k))
    for k in range(3):
        tool = arm.tool_rotation
        axis = seen(frame, (tool[0, k], tool[1, k], tool[2, k]))
        rotation_out[0, k], rotation_out[1, k], rotation_out[2, k] = axis
        position_out[k] = place[k]


@njit(cache=True, error_model="numpy")
def gripper_jacobian(arm: ArmArrays, q: Array, scratch: Scratch, jacobian_out: Array) -> None:
    """Jacobian of the gripper: linear velocity of G's origin, then angular velocity, base axes.

    Args:
        arm: the arm.
        q: joint angles [rad], shape (6,).
        scratch: working room.
        jacobian_out: gets the Jacobian [m/rad; 1], shape (6, 6), one column a joint.
    """
    frame = _lay_out(arm, q, False, scratch)
    lever = _tool_lever(arm, frame)
    for k in range(6):
        i = 5 - k
        axis = row(scratch.axis, i)
        speed = cross(axis, lever)
        for m in range(3):
            jacobian_out[m, i] = speed[m]
            jacobian_out[3 + m, i] = axis[m]
        lever = add(lever, row(scratch.lever, i))


@njit(cache=True, error_model="numpy")
def gripper_twist(arm: ArmArrays, q: Array, v: Array, scratch: Scratch, twist_out: Array) -> None:
    """Velocity of the gripper: linear of G's origin [m/s], then angular [rad/s], base axes.

    Args:
        arm: the arm.
        q: joint angles [rad], shape (6,).
        v: joint rates [rad/s], shape (6,).
        scratch: working room.
        twist_out: gets the velocity, shape (6,).
    """
    frame = _lay_out(arm, q, False, scratch)
    w, speed = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(6):
        speed = add(speed, cross(w, row(scratch.lever, i)))
        w = add(w, scaled(v[i], row(scratch.axis, i)))
    speed = add(speed, cross(w, _tool_lever(arm, frame)))
    for m in range(3):
        twist_out[m] = speed[m]
        twist_out[3 + m] = w[m]

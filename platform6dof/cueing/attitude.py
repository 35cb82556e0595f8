"""Rotations as unit quaternions (w, x, y, z), as hosts give them and watchdogs compare them.

From body axes forward, right, down to north, east, down; Euler angles are yaw, pitch, roll about
z, y, x of the turned body (ISO 1151-1).
"""

from __future__ import annotations

import math

from platform6dof.cueing.vehicle import Quaternion, Vector3


def from_euler(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Quaternion:
    """Rotation of an attitude; turns of more than half a circle are taken as they are."""
    cr, sr = math.cos(0.5 * roll_rad), math.sin(0.5 * roll_rad)
    cp, sp = math.cos(0.5 * pitch_rad), math.sin(0.5 * pitch_rad)
    cy, sy = math.cos(0.5 * yaw_rad), math.sin(0.5 * yaw_rad)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def to_euler(attitude: Quaternion) -> Vector3:
    """Roll, pitch and yaw of an attitude [rad]; `from_euler` backwards."""
    w, x, y, z = attitude
    return (
        math.atan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(max(-1.0, min(1.0, 2.0 * (w * y - x * z)))),
        math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z)),
    )


def body_rates(roll_rad: float, pitch_rad: float, euler_rates_rad_s: Vector3) -> Vector3:
    """Angular velocity in body axes of rates of roll, pitch and yaw [rad/s].

    Source: Stevens, Lewis, Johnson, Aircraft Control and Simulation, 3rd ed., equation 1.4-3.
    """
    roll_rate, pitch_rate, yaw_rate = euler_rates_rad_s
    sr, cr = math.sin(roll_rad), math.cos(roll_rad)
    sp, cp = math.sin(pitch_rad), math.cos(pitch_rad)
    return (
        roll_rate - yaw_rate * sp,
        pitch_rate * cr + yaw_rate * sr * cp,
        -pitch_rate * sr + yaw_rate * cr * cp,
    )


def product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation b, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def conjugate(q: Quaternion) -> Quaternion:
    """The rotation back."""
    return q[0], -q[1], -q[2], -q[3]


def cross(a: Vector3, b: Vector3) -> Vector3:
    """A × b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def rotated(attitude: Quaternion, vector: Vector3) -> Vector3:
    """A vector of body axes in north, east, down."""
    w, axis = attitude[0], attitude[1:]
    once = cross(axis, vector)
    twice = cross(axis, once)
    x, y, z = (v + 2.0 * (w * a + b) for v, a, b in zip(vector, once, twice, strict=True))
    return x, y, z


def to_body(q: Quaternion, vector: Vector3) -> Vector3:
    """A vector of north, east, down, in body axes."""
    return rotated(conjugate(q), vector)


def rotated_by(turn_rad: Vector3) -> Quaternion:
    """Rotation about a vector by its length [rad]."""
    angle = math.hypot(*turn_rad)
    scale = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), scale * turn_rad[0], scale * turn_rad[1], scale * turn_rad[2]


def vector_between(a: Quaternion, b: Quaternion) -> Vector3:
    """Rotation vector in body axes of a that leads from a to b, by the shorter way [rad]."""
    aw, ax, ay, az = a[0], -a[1], -a[2], -a[3]
    bw, bx, by, bz = b
    w = aw * bw - ax * bx - ay * by - az * bz  # of the rotation back, then b
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.hypot(x, y, z)
    scale = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, w) / sine
    return scale * x, scale * y, scale * z


def angle_between(a: Quaternion, b: Quaternion) -> float:
    """Angle of the shortest rotation from a to b [rad]."""
    return math.hypot(*vector_between(a, b))

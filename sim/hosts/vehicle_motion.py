"""What an emulated vehicle does at one moment, and the rotations that its wires need.

Body axes are forward, right, down (FRD), the earth's north, east, down (NED).
Not modelled: the earth's curvature and rotation; it is flat, and gravity the same everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

GRAVITY_M_S2: Final = 9.80665
"""Standard gravity (ISO 80000-3)."""


@dataclass(frozen=True, slots=True)
class VehicleMotion:
    """A vehicle at one moment; every value fits the others."""

    f_m_s2: Vector
    """Specific force, acceleration minus gravity, in body axes [m/s²]."""
    omega_rad_s: Vector
    """Angular velocity in body axes [rad/s]."""
    domega_rad_s2: Vector
    """Its derivative in body axes [rad/s²]."""
    attitude: Quaternion
    """Rotation from body axes to north, east, down: w, x, y, z, of length 1."""
    v_m_s: Vector
    """Velocity over ground in body axes [m/s]."""
    position_m: Vector
    """North, east, down [m]."""
    ground: bool = False
    """Whether its wheels are on the ground."""


AT_REST: Final = VehicleMotion(
    (0.0, 0.0, -GRAVITY_M_S2),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    True,
)
"""A vehicle that stands, level and pointing north."""


def add(a: Vector, b: Vector) -> Vector:
    """Sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def scaled(a: Vector, factor: float) -> Vector:
    """A vector times a number."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def multiplied(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton's product: first the rotation b, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def to_earth(q: Quaternion, v: Vector) -> Vector:
    """A vector of body axes in north, east, down."""
    w, x, y, z = q
    t = scaled(cross((x, y, z), v), 2.0)
    return add(add(v, scaled(t, w)), cross((x, y, z), t))


def to_body(q: Quaternion, v: Vector) -> Vector:
    """A vector of north, east, down in body axes."""
    return to_earth((q[0], -q[1], -q[2], -q[3]), v)


def from_euler(phi: float, theta: float, psi: float) -> Quaternion:
    """Attitude of roll, pitch and heading [rad]: first the heading, then pitch, then roll."""
    cr, sr = math.cos(phi / 2.0), math.sin(phi / 2.0)
    cp, sp = math.cos(theta / 2.0), math.sin(theta / 2.0)
    cy, sy = math.cos(psi / 2.0), math.sin(psi / 2.0)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def to_euler(q: Quaternion) -> Vector:
    """Roll in ±pi, pitch in ±pi/2 and heading in ±pi of an attitude [rad], as simulators say it.

    Roll and heading jump by half a turn where the pitch passes 90 degrees.
    """
    w, x, y, z = q
    sine = max(-1.0, min(1.0, 2.0 * (w * y - x * z)))
    return (
        math.atan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(sine),
        math.atan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z)),
    )


def euler_rates(omega: Vector, phi: float, theta: float) -> Vector:
    """Derivatives of roll, pitch and heading [rad/s]; large near a pitch of 90 degrees."""
    p, q, r = omega
    turn = q * math.sin(phi) + r * math.cos(phi)
    cosine = math.cos(theta)
    psidot = turn / math.copysign(max(abs(cosine), 1e-6), cosine)
    return (
        p + psidot * math.sin(theta),
        q * math.cos(phi) - r * math.sin(phi),
        psidot,
    )


def acceleration(motion: VehicleMotion) -> Vector:
    """Acceleration over ground in body axes, without gravity [m/s²]."""
    return add(motion.f_m_s2, to_body(motion.attitude, (0.0, 0.0, GRAVITY_M_S2)))


def moved(motion: VehicleMotion, by_m: Vector) -> VehicleMotion:
    """The same elsewhere [m]."""
    return replace(motion, position_m=add(motion.position_m, by_m))

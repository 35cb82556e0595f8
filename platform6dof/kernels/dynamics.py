"""Forces of the drives for a motion of platform, bodies, tubes and rods: inverse dynamics.

Frames and legs are those of `platform6dof.kernels.legs`, whose states and rows come in. A leg is a
tube on a universal joint at the base, whose first axis f is horizontal at the neutral pose, and a
rod that slides along the leg's direction u and ends in a ball joint under the platform. With l the
distance of the joints, c the joint's arm, V and A its velocity and acceleration:

    u' = (V - u l') / l,    u'' = (A - u l'' - 2 l' u') / l

Angular momentum of tube and rod about the base's joint, with the moment I(l) across the leg and
the small I_s about it: L = I (u x u') + I_s s u, where the universal joint makes them spin with
s = (u.f) f.(u x u') / (1 - (u.f)^2). The joint bears no moment about its two axes, so L' less the
moment of their weight, but for its part along the joint's third axis, is what the platform has to
give by a force across the leg; what it feels is the opposite. The forces P along the legs then
follow from

    J^T P = W - sum [F; c x F]

(principle of virtual work; Merlet, Parallel Robots, 2nd ed., section 9), W the wrench that moves
the bodies, F the forces across, as the platform feels them. A drive adds what its rod takes along
the leg, m_r (l'' - (l - s_r) |u'|^2 - u.g), and its rotor and screw, a mass at the rod, times l''.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

Vector = tuple[float, float, float]

LEG_COLUMNS = 14
"""Columns of the legs' table of `platform6dof.kernels.legs`."""
# Columns of a leg's bodies.
TUBE_KG = 0
TUBE_M = 1  # its centre from the base's joint
ROD_KG = 2
ROD_M = 3  # its centre back from the platform's joint
TUBE_SWING = 4  # moment of the tube about the base's joint, across
ROD_SWING = 5  # moment of the rod about its centre, across
SPIN = 6  # moment of both about the leg
ROTOR_KG = 7  # rotor and screw, as a mass at the rod
BODY_COLUMNS = 8

# Numbers of the load: mass, first moment (3), tensor about the platform's origin (3, 3).
LOAD_SIZE = 13

# Rows of the parts of a force.
BODIES = 0
ACROSS = 1
ROD = 2
ROTOR = 3
PARTS = 4

SMALLEST_PIVOT = 1e-12
"""A pivot below this is a singular pose: its forces are not numbers."""
SMALLEST_SQUARE = 1e-12
"""Square of the sine between a leg and its joint's first axis below which it has no spin."""


@njit(cache=True, error_model="numpy", forceinline=True)
def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def _turned(r: Array, x: float, y: float, z: float) -> Vector:
    """Vector of platform axes in base axes."""
    return (
        r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _turned_back(r: Array, v: Vector) -> Vector:
    """Vector of base axes in platform axes."""
    return (
        r[0, 0] * v[0] + r[1, 0] * v[1] + r[2, 0] * v[2],
        r[0, 1] * v[0] + r[1, 1] * v[1] + r[2, 1] * v[2],
        r[0, 2] * v[0] + r[1, 2] * v[1] + r[2, 2] * v[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _by_tensor(load: Array, v: Vector) -> Vector:
    return (
        load[4] * v[0] + load[5] * v[1] + load[6] * v[2],
        load[7] * v[0] + load[8] * v[1] + load[9] * v[2],
        load[10] * v[0] + load[11] * v[1] + load[12] * v[2],
    )


@njit(cache=True, error_model="numpy")
def _solve_pair(matrix: Array, right: Array) -> bool:
    """Replace ``right`` (6, 2) by the solution of ``matrix @ x = right``; false if singular."""
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if not abs(matrix[pivot, k]) > SMALLEST_PIVOT:
            return False
        if pivot != k:
            for j in range(k, 6):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
            for j in range(2):
                right[k, j], right[pivot, j] = right[pivot, j], right[k, j]
        scale = 1.0 / matrix[k, k]
        for i in range(k + 1, 6):
            factor = matrix[i, k] * scale
            for j in range(k + 1, 6):
                matrix[i, j] -= factor * matrix[k, j]
            right[i, 0] -= factor * right[k, 0]
            right[i, 1] -= factor * right[k, 1]
    for k in range(5, -1, -1):
        scale = 1.0 / matrix[k, k]
        for j in range(2):
            total = right[k, j]
            for i in range(k + 1, 6):
                total -= matrix[k, i] * right[i, j]
            right[k, j] = total * scale
    return True


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_wrench(load: Array, gravity: Array, r: Array, v: Array, a: Array, right: Array) -> None:
    """Write the wrench [force; moment about P] that moves the bodies, column 0 of ``right``."""
    omega, omega_dot = (v[3], v[4], v[5]), (a[3], a[4], a[5])
    h = _turned(r, load[1], load[2], load[3])  # first moment
    free = (a[0] - gravity[0], a[1] - gravity[1], a[2] - gravity[2])
    tangential = _cross(omega_dot, h)
    carried = _cross(omega, h)
    central = _cross(omega, carried)
    arm = _cross(h, free)
    w, w_dot = _turned_back(r, omega), _turned_back(r, omega_dot)
    momentum, rising = _by_tensor(load, w), _by_tensor(load, w_dot)
    gyration = _cross(w, momentum)
    moment = _turned(r, rising[0] + gyration[0], rising[1] + gyration[1], rising[2] + gyration[2])
    for k in range(3):
        right[k, 0] = load[0] * free[k] + tangential[k] + central[k]
        right[3 + k, 0] = arm[k] + moment[k]


@njit(cache=True, error_model="numpy", forceinline=True)
def _across(
    bodies: Array, f: Vector, gravity: Vector, u: Vector, du: Vector, ddu: Vector,
    length: float, rate: float,
) -> Vector:  # fmt: skip
    """Force across a leg that its tube and rod exert on the platform."""
    reach = length - bodies[ROD_M]
    moment = bodies[TUBE_SWING] + bodies[ROD_SWING] + bodies[ROD_KG] * reach * reach
    growth = 2.0 * bodies[ROD_KG] * reach * rate
    first = bodies[TUBE_KG] * bodies[TUBE_M] + bodies[ROD_KG] * reach
    turning, rising, tipping = _cross(u, du), _cross(u, ddu), _cross(u, gravity)
    g = _dot(u, f)
    square = 1.0 - g * g
    spin = spin_dot = wound = 0.0
    if bodies[SPIN] > 0.0 and square > SMALLEST_SQUARE:
        k, dg = _dot(f, turning), _dot(f, du)
        dk = _dot(f, rising)
        spin = g * k / square
        spin_dot = (dg * k + g * dk) / square + 2.0 * g * g * dg * k / (square * square)
        # Along the third axis of the joint, e = (g u - f) / sqrt(square), no moment is borne.
        wound = -g * bodies[SPIN] * spin_dot / square
        spin *= bodies[SPIN]
    n = (
        growth * turning[0] + moment * rising[0] - first * tipping[0] + spin * du[0]
        + wound * (g * u[0] - f[0]),
        growth * turning[1] + moment * rising[1] - first * tipping[1] + spin * du[1]
        + wound * (g * u[1] - f[1]),
        growth * turning[2] + moment * rising[2] - first * tipping[2] + spin * du[2]
        + wound * (g * u[2] - f[2]),
    )  # fmt: skip
    push = _cross(u, n)
    return push[0] / length, push[1] / length, push[2] / length


@njit(cache=True, error_model="numpy")
def _write_parts(
    table: Array, bodies: Array, load: Array, gravity: Array, setpoint: Array, states: Array,
    rows: Array, matrix: Array, right: Array, out: Array,
) -> None:  # fmt: skip
    """Write the parts of the drives' forces of one pose, shape (4, 6).

    A leg whose rod does not wind has its state and its row of the Jacobian written as well.
    """
    p, r = setpoint[:3], setpoint[3:12].reshape(3, 3)
    v, a = setpoint[12:18], setpoint[18:24]
    omega, omega_dot = (v[3], v[4], v[5]), (a[3], a[4], a[5])
    fall = (gravity[0], gravity[1], gravity[2])
    _write_wrench(load, gravity, r, v, a, right)
    for k in range(6):
        right[k, 1] = 0.0
    for i in range(6):
        c = _turned(r, table[i, 3], table[i, 4], table[i, 5])
        leg = (p[0] + c[0] - table[i, 0], p[1] + c[1] - table[i, 1], p[2] + c[2] - table[i, 2])
        length = math.sqrt(_dot(leg, leg))
        u = (leg[0] / length, leg[1] / length, leg[2] / length)
        e, h = _cross(omega, c), _cross(omega_dot, c)
        q = _cross(omega, e)
        joint = (v[0] + e[0], v[1] + e[1], v[2] + e[2])
        push = (a[0] + h[0] + q[0], a[1] + h[1] + q[1], a[2] + h[2] + q[2])
        rate = _dot(u, joint)
        du = (
            (joint[0] - rate * u[0]) / length,
            (joint[1] - rate * u[1]) / length,
            (joint[2] - rate * u[2]) / length,
        )
        square = _dot(du, du)
        second = _dot(u, push) + length * square
        ddu = (
            (push[0] - second * u[0] - 2.0 * rate * du[0]) / length,
            (push[1] - second * u[1] - 2.0 * rate * du[1]) / length,
            (push[2] - second * u[2] - 2.0 * rate * du[2]) / length,
        )
        own = bodies[i]
        f = (table[i, 6], table[i, 7], table[i, 8])
        force = _across(own, f, fall, u, du, ddu, length, rate)
        moment = _cross(c, force)
        for k in range(3):
            right[k, 1] -= force[k]
            right[3 + k, 1] -= moment[k]
        if table[i, 13] == 0.0:
            w = _cross(c, u)
            states[0, i], states[1, i], states[2, i] = length, rate, second
            for k in range(3):
                rows[i, k], rows[i, 3 + k] = u[k], w[k]
        reach = length - own[ROD_M]
        out[ROD, i] = own[ROD_KG] * (second - reach * square - _dot(u, fall))
        out[ROTOR, i] = own[ROTOR_KG] * states[2, i]
        for k in range(6):
            matrix[k, i] = rows[i, k]
    held = _solve_pair(matrix, right)
    for i in range(6):
        out[BODIES, i] = right[i, 0] if held else np.nan
        out[ACROSS, i] = right[i, 1] if held else np.nan


@njit(cache=True, error_model="numpy")
def force_parts(
    table: Array, bodies: Array, load: Array, gravity: Array, setpoint: Array, states: Array,
    rows: Array, out: Array,
) -> None:  # fmt: skip
    """Write the parts of the drives' forces of one packed setpoint [N], shape (4, 6).

    States and rows of legs whose rods do not wind are written, of others they are read.

    Args:
        table: constants of the legs, shape (6, 14).
        bodies: of the legs, shape (6, 8).
        load: mass, first moment, tensor about the platform's origin, shape (13,).
        gravity: in base axes [m/s²], shape (3,).
        setpoint: packed, shape (24,).
        states: lengths, speeds and accelerations of the legs, shape (3, 6).
        rows: rows of the Jacobian, shape (6, 6).
    """
    matrix, right = np.empty((6, 6)), np.empty((6, 2))
    _write_parts(table, bodies, load, gravity, setpoint, states, rows, matrix, right, out)


@njit(cache=True, error_model="numpy", nogil=True)
def force_parts_of(
    table: Array, bodies: Array, load: Array, gravity: Array, setpoints: Array, states: Array,
    rows: Array, out: Array,
) -> None:  # fmt: skip
    """`force_parts` of packed setpoints, shape (N, 24).

    Args:
        states: shape (N, 3, 6).
        rows: rows of the Jacobian, in (N, 7, 6) behind the lengths.
        out: shape (N, 4, 6).
    """
    matrix, right = np.empty((6, 6)), np.empty((6, 2))
    for n in range(setpoints.shape[0]):
        _write_parts(
            table,
            bodies,
            load,
            gravity,
            setpoints[n],
            states[n],
            rows[n, 1:],
            matrix,
            right,
            out[n],
        )


@njit(cache=True, error_model="numpy", nogil=True)
def accelerate_legs(
    setpoints: Array, states: Array, rows: Array, wanted: Array, out_setpoints: Array,
    out_states: Array,
) -> None:  # fmt: skip
    """Copy setpoints and states, with other accelerations of the legs.

    The twist stays; the platform's acceleration becomes the one that these legs have, J A = l'' -
    (l'' of the twist alone). A pose where the legs decide nothing gives not a number.

    Args:
        wanted: accelerations of the legs [m/s²], shape (N, 6).
        out_setpoints: shape (N, 24).
        out_states: shape (N, 3, 6).
    """
    matrix, right = np.empty((6, 6)), np.empty((6, 2))
    for n in range(setpoints.shape[0]):
        for i in range(6):
            along = 0.0
            for k in range(6):
                matrix[i, k] = rows[n, 1 + i, k]
                along += rows[n, 1 + i, k] * setpoints[n, 18 + k]
            right[i, 0] = wanted[n, i] - (states[n, 2, i] - along)
            right[i, 1] = 0.0
        held = _solve_pair(matrix, right)
        for k in range(18):
            out_setpoints[n, k] = setpoints[n, k]
        for k in range(6):
            out_setpoints[n, 18 + k] = right[k, 0] if held else np.nan
            out_states[n, 0, k] = states[n, 0, k]
            out_states[n, 1, k] = states[n, 1, k]
            out_states[n, 2, k] = wanted[n, k]


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table, bodies, load = np.ones((6, LEG_COLUMNS)), np.ones((6, 8)), np.ones(LOAD_SIZE)
    gravity, setpoint = np.ones(3), np.zeros(24)
    for array in (table, bodies, load, gravity):
        array.setflags(write=False)
    constants = (table, bodies, load, gravity)
    force_parts(*constants, setpoint, np.zeros((3, 6)), np.zeros((6, 6)), np.empty((PARTS, 6)))
    none = np.zeros((0, 24)), np.zeros((0, 3, 6)), np.zeros((0, 7, 6))
    force_parts_of(*constants, *none, np.empty((0, PARTS, 6)))
    accelerate_legs(*none, np.zeros((0, 6)), np.empty((0, 24)), np.empty((0, 3, 6)))

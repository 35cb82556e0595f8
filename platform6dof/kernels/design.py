"""What hexapods on two circles do over a box of poses and in motions: very many machines.

One machine is six sizes: radius and half angle of the base, radius and half angle of the platform,
turn of the platform's pairs, height of the box's middle. At a pose of the box it holds and
accelerates the load as the design says; at one of a motion it exerts the wrench that the motion
takes, which is the same for all machines: W = J^T f (Merlet, Parallel Robots, 2nd ed., 9.2).
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

SIZES = 6
"""Numbers of a machine."""
SHORTEST, LONGEST, ERROR, FORCE, SINGULAR, BASE_CONE, PLATFORM_CONE, CLEARANCE = range(8)
"""Columns of what is found; see `scores`."""
COLUMNS = 8
MOVING = 18
"""Numbers of a pose in motion: place from the middle, rotation by rows, force and moment."""
LEAST_PIVOT = 1e-9
BEYOND = 1e12
"""Error and force of a machine that is singular at a pose."""
APART = 1e3
"""Clearance of a machine without a pair of legs that counts [m]."""


@njit(cache=True, error_model="numpy")
def _joints(radius: float, half: float, turn: float, out: Array) -> None:
    """Write joints on a circle, as `platform6dof.circles.circle_joints` has them, shape (6, 3)."""
    third = 2.0 * math.pi / 3.0
    for i in range(6):
        middle = third * ((i + 1) // 2)
        angle = turn + middle + (half if i % 2 == 0 else -half)
        out[i, 0], out[i, 1], out[i, 2] = radius * math.cos(angle), radius * math.sin(angle), 0.0


@njit(cache=True, error_model="numpy")
def _rotation(q: Array, r: Array) -> None:
    """Write M = Rz(alpha) Ry(beta) Rx(gamma) of a pose's coordinates."""
    sa, ca = math.sin(q[3]), math.cos(q[3])
    sb, cb = math.sin(q[4]), math.cos(q[4])
    sg, cg = math.sin(q[5]), math.cos(q[5])
    r[0, 0], r[0, 1], r[0, 2] = ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg
    r[1, 0], r[1, 1], r[1, 2] = sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg
    r[2, 0], r[2, 1], r[2, 2] = -sb, cb * sg, cb * cg


@njit(cache=True, error_model="numpy")
def _legs(base: Array, top: Array, q: Array, height: float, r: Array, out: Array) -> None:
    """Write the six legs at a place and a rotation as vectors and their lengths, shape (6, 4)."""
    for i in range(6):
        square = 0.0
        for k in range(3):
            arm = r[k, 0] * top[i, 0] + r[k, 1] * top[i, 1] + r[k, 2] * top[i, 2]
            out[i, k] = q[k] + arm - base[i, k] + (height if k == 2 else 0.0)
            square += out[i, k] * out[i, k]
        out[i, 3] = math.sqrt(square)


@njit(cache=True, error_model="numpy")
def _inverse_jacobian(legs: Array, top: Array, r: Array, work: Array) -> bool:
    """Write the inverse of the Jacobian into the right half of ``work``, shape (6, 12)."""
    for i in range(6):
        ux, uy, uz = legs[i, 0] / legs[i, 3], legs[i, 1] / legs[i, 3], legs[i, 2] / legs[i, 3]
        cx = r[0, 0] * top[i, 0] + r[0, 1] * top[i, 1] + r[0, 2] * top[i, 2]
        cy = r[1, 0] * top[i, 0] + r[1, 1] * top[i, 1] + r[1, 2] * top[i, 2]
        cz = r[2, 0] * top[i, 0] + r[2, 1] * top[i, 1] + r[2, 2] * top[i, 2]
        work[i, 0], work[i, 1], work[i, 2] = ux, uy, uz
        work[i, 3], work[i, 4] = cy * uz - cz * uy, cz * ux - cx * uz
        work[i, 5] = cx * uy - cy * ux
        for k in range(6):
            work[i, 6 + k] = 1.0 if i == k else 0.0
    for column in range(6):
        best = column
        for row in range(column + 1, 6):
            if abs(work[row, column]) > abs(work[best, column]):
                best = row
        if not abs(work[best, column]) > LEAST_PIVOT:
            return False
        for k in range(12):
            work[column, k], work[best, k] = work[best, k], work[column, k]
        scale = 1.0 / work[column, column]
        for k in range(12):
            work[column, k] *= scale
        for row in range(6):
            factor = work[row, column]
            if row != column and factor != 0.0:
                for k in range(12):
                    work[row, k] -= factor * work[column, k]
    return True


@njit(cache=True, error_model="numpy")
def _force(inverse: Array, r: Array, load: Array) -> float:
    """Greatest force of a leg that bears a load and accelerates it either way [N].

    Args:
        inverse: inverse of the Jacobian, shape (6, 6).
        r: rotation of the platform.
        load: mass, centre (3), greatest accelerations along x and y, and that upwards with gravity.
    """
    mass, most = load[0], 0.0
    ax = r[0, 0] * load[1] + r[0, 1] * load[2] + r[0, 2] * load[3]
    ay = r[1, 0] * load[1] + r[1, 1] * load[2] + r[1, 2] * load[3]
    az = r[2, 0] * load[1] + r[2, 1] * load[2] + r[2, 2] * load[3]
    for i in range(6):
        k = inverse[:, i]
        along_x = k[0] + az * k[4] - ay * k[5]
        along_y = k[1] - az * k[3] + ax * k[5]
        upwards = k[2] + ay * k[3] - ax * k[4]
        force = abs(along_x) * load[4] + abs(along_y) * load[5] + abs(upwards) * load[6]
        most = max(most, mass * force)
    return most


@njit(cache=True, error_model="numpy")
def _force_of_wrench(inverse: Array, wrench: Array) -> float:
    """Greatest force of a leg that exerts a wrench about the platform's origin, W = J^T f [N]."""
    most = 0.0
    for i in range(6):
        force = 0.0
        for k in range(6):
            force += inverse[k, i] * wrench[k]
        most = max(most, abs(force))
    return most


@njit(cache=True, error_model="numpy")
def _from_end(start: Array, a: Array, along: Array, b: Array) -> float:
    """Squared distance of an end ``start + a`` from the segment ``along + t b``, t in 0..1."""
    dot, square = 0.0, 0.0
    for k in range(3):
        dot += (start[k] + a[k] - along[k]) * b[k]
        square += b[k] * b[k]
    t = min(1.0, max(0.0, dot / square))
    found = 0.0
    for k in range(3):
        gap = start[k] + a[k] - along[k] - t * b[k]
        found += gap * gap
    return found


@njit(cache=True, error_model="numpy")
def _distance(start: Array, a: Array, other: Array, b: Array, none: Array) -> float:
    """Distance of the segments ``start + s a`` and ``other + t b``, s and t in 0..1."""
    aa, bb, ab, ao, bo = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        gap = other[k] - start[k]
        aa += a[k] * a[k]
        bb += b[k] * b[k]
        ab += a[k] * b[k]
        ao += a[k] * gap
        bo += b[k] * gap
    area = aa * bb - ab * ab
    if area > 1e-14 * aa * bb:
        s, t = (ao * bb - bo * ab) / area, (ao * ab - bo * aa) / area
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            square = 0.0
            for k in range(3):
                gap = other[k] + t * b[k] - start[k] - s * a[k]
                square += gap * gap
            return math.sqrt(square)
    least = min(_from_end(start, none, other, b), _from_end(start, a, other, b))
    least = min(least, _from_end(other, none, start, a), _from_end(other, b, start, a))
    return math.sqrt(least)


@njit(cache=True, error_model="numpy")
def _apart(one: Array, other: Array) -> float:
    return math.sqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2)


@njit(cache=True, error_model="numpy")
def _cones(neutral: Array, legs: Array, r: Array, row: Array) -> None:
    """Widen the greatest angles of the legs from their neutral directions, at both ends [rad]."""
    for i in range(6):
        scale = 1.0 / (neutral[i, 3] * legs[i, 3])
        at_base, at_top = 0.0, 0.0
        for k in range(3):
            at_base += neutral[i, k] * legs[i, k]
            turned = r[0, k] * legs[i, 0] + r[1, k] * legs[i, 1] + r[2, k] * legs[i, 2]
            at_top += neutral[i, k] * turned
        row[BASE_CONE] = max(row[BASE_CONE], math.acos(min(1.0, at_base * scale)))
        row[PLATFORM_CONE] = max(row[PLATFORM_CONE], math.acos(min(1.0, at_top * scale)))


@njit(cache=True, error_model="numpy")
def _at_pose(
    base: Array, top: Array, legs: Array, r: Array, radius: float, meeting: float, work: Array,
    none: Array, row: Array,
) -> bool:  # fmt: skip
    """Widen a machine's figures, but for the force, by those of one pose; false if singular."""
    for i in range(6):
        row[SHORTEST] = min(row[SHORTEST], legs[i, 3])
        row[LONGEST] = max(row[LONGEST], legs[i, 3])
    if not _inverse_jacobian(legs, top, r, work):
        row[ERROR], row[FORCE], row[SINGULAR] = BEYOND, BEYOND, 0.0
        return False
    place, turn = 0.0, 0.0
    for i in range(6):
        for k in range(3):
            place += work[k, 6 + i] * work[k, 6 + i]
            turn += work[3 + k, 6 + i] * work[3 + k, 6 + i]
    row[ERROR] = max(row[ERROR], math.sqrt(place))
    row[SINGULAR] = min(row[SINGULAR], 1.0 / math.sqrt(place + radius * radius * turn))
    for i in range(6):
        for j in range(i + 1, 6):
            if _apart(base[i], base[j]) >= meeting and _apart(top[i], top[j]) >= meeting:
                found = _distance(base[i], legs[i, :3], base[j], legs[j, :3], none)
                row[CLEARANCE] = min(row[CLEARANCE], found)
    return True


@njit(cache=True, error_model="numpy")
def _clear(row: Array) -> None:
    """Write figures that those of any pose widen."""
    row[SHORTEST], row[LONGEST], row[ERROR], row[FORCE] = np.inf, 0.0, 0.0, 0.0
    row[SINGULAR], row[BASE_CONE], row[PLATFORM_CONE], row[CLEARANCE] = np.inf, 0.0, 0.0, APART


@njit(cache=True, error_model="numpy")
def _machine(one: Array, middle: Array, base: Array, top: Array, r: Array, neutral: Array) -> None:
    """Write a machine's joints, and its legs in the middle of the box."""
    _joints(one[0], one[1], 0.0, base)
    _joints(one[2], one[3], one[4], top)
    _rotation(middle, r)
    _legs(base, top, middle, one[5], r, neutral)


@njit(cache=True, error_model="numpy")
def _in_motion(
    base: Array, top: Array, neutral: Array, one: Array, moving: Array, meeting: float, r: Array,
    legs: Array, work: Array, none: Array, row: Array,
) -> None:  # fmt: skip
    """Widen a machine's figures by those of one pose in motion."""
    for i in range(3):
        for k in range(3):
            r[i, k] = moving[3 + 3 * i + k]
    _legs(base, top, moving, one[5], r, legs)
    _cones(neutral, legs, r, row)
    if _at_pose(base, top, legs, r, one[2], meeting, work, none, row):
        row[FORCE] = max(row[FORCE], _force_of_wrench(work[:, 6:], moving[12:]))


@njit(cache=True, error_model="numpy", nogil=True)
def scores(
    sizes: Array, poses: Array, load: Array, moving: Array, meeting: float, out: Array
) -> None:
    """Find the worst figures of machines over poses of a box and poses in motion.

    Args:
        sizes: machines [m, rad], shape (N, 6); see the module.
        poses: x, y, z, alpha, beta, gamma of the box, z from its middle [m, rad], shape (M, 6).
        load: mass [kg], its centre in platform axes (3) [m], greatest accelerations along x and y
            and upwards with gravity [m/s²], shape (7,).
        moving: places from the middle of the box, rotations, wrenches about the platform's origin
            [m, N, N m], shape (K, 18).
        meeting: pairs of legs with joints nearer than this at a plate meet there [m].
        out: shortest and longest leg [m], error of the platform's origin per error of all lengths
            (root of the sum of squares) [m/m], greatest force [N], a lower bound of the smallest
            singular value (1 over the Frobenius norm of the scaled inverse), greatest angles of a
            leg from its direction at the middle, at base and platform [rad], least distance of two
            legs that do not meet [m], shape (N, 8).
    """
    base, top, legs, r = np.empty((6, 3)), np.empty((6, 3)), np.empty((6, 4)), np.empty((3, 3))
    neutral, work, middle, none = np.empty((6, 4)), np.empty((6, 12)), np.zeros(6), np.zeros(3)
    for n in range(sizes.shape[0]):
        one, row = sizes[n], out[n]
        _machine(one, middle, base, top, r, neutral)
        _clear(row)
        for m in range(poses.shape[0]):
            _rotation(poses[m], r)
            _legs(base, top, poses[m], one[5], r, legs)
            _cones(neutral, legs, r, row)
            if _at_pose(base, top, legs, r, one[2], meeting, work, none, row):
                row[FORCE] = max(row[FORCE], _force(work[:, 6:], r, load))
        for m in range(moving.shape[0]):
            _in_motion(base, top, neutral, one, moving[m], meeting, r, legs, work, none, row)


@njit(cache=True, error_model="numpy", nogil=True)
def worst_rows(sizes: Array, moving: Array, meeting: float, out: NDArray[np.int64]) -> None:
    """Find for each machine and figure the pose in motion that is the worst of all, shape (N, 8).

    Args:
        sizes: machines [m, rad], shape (N, 6).
        moving: as of `scores`, at least one.
        meeting: as of `scores`.
        out: rows of ``moving`` in the order of the figures of `scores`.
    """
    base, top, legs, r = np.empty((6, 3)), np.empty((6, 3)), np.empty((6, 4)), np.empty((3, 3))
    neutral, work, middle, none = np.empty((6, 4)), np.empty((6, 12)), np.zeros(6), np.zeros(3)
    row, worst = np.empty(COLUMNS), np.empty(COLUMNS)
    for n in range(sizes.shape[0]):
        one = sizes[n]
        _machine(one, middle, base, top, r, neutral)
        _clear(worst)
        for k in range(COLUMNS):
            out[n, k] = 0
        for m in range(moving.shape[0]):
            _clear(row)
            _in_motion(base, top, neutral, one, moving[m], meeting, r, legs, work, none, row)
            for k in range(COLUMNS):
                least = k in (SHORTEST, SINGULAR, CLEARANCE)
                if (row[k] < worst[k]) if least else (row[k] > worst[k]):
                    worst[k], out[n, k] = row[k], m


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    poses, load, moving = np.zeros((1, 6)), np.zeros(7), np.zeros((1, MOVING))
    for array in (poses, load, moving):
        array.setflags(write=False)
    sizes = np.array([[1.0, 0.2, 0.7, 0.0, 0.0, 0.9]])
    scores(sizes, poses, load, moving, 0.1, np.empty((1, COLUMNS)))
    worst_rows(sizes, moving, 0.1, np.empty((1, COLUMNS), np.int64))

"""The PUMA 560 class in closed form: all eight inverse solutions, a path's joints.

Rows of the table of constants (see ``PumaGeometry.table``): 0 lengths a2, a3, d3, d4, base
height, tool [m]; 1 and 2 lowest and highest angles [rad]; 3 weights of nearness; 4 elbow-to-wrist
length [m], its angle against the elbow's x axis [rad], largest and smallest distance of the wrist
centre from the shoulder point [m]; 5 largest rates [rad/s]; 6 largest accelerations [rad/s²].

A branch is a number 0..7: 4 if the shoulder is left, 2 if the elbow is down, 1 if the wrist is
flipped. A packed pose is position (3), then rotation row by row (9).
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

BRANCHES = 8
SOLUTION_SIZE = 8
"""Numbers of one solution: six angles, joints outside their limits as bits, weighted
square distance."""

ROUNDING_M = 1e-12
"""A wrist centre this far out of reach is in reach but for rounding."""
WRIST_ROUNDING = 1e-12
"""Sine of joint 5 below which the axes of joints 4 and 6 are one line but for rounding."""
LIMIT_ROUNDING_RAD = 1e-9
"""An angle this far outside its limit is at the limit but for rounding."""
REACHED = 0
TOO_FAR = 1
TOO_NEAR = 2
INSIDE_SHOULDER = 3
NOT_FINITE = 4

TURN = 2.0 * math.pi


@njit(cache=True, error_model="numpy", forceinline=True)
def _atan2(y: float, x: float) -> float:
    """Angle of (x, y) [rad], within 5e-16 of the library's and twice as fast or more.

    The smaller part over the larger, taken to |t| <= tan(pi/8) by atan t = pi/4 + atan((t - 1) /
    (t + 1)), then an odd polynomial interpolated at Chebyshev's nodes in extended precision.
    """
    ax, ay = abs(x), abs(y)
    large, small = (ax, ay) if ax > ay else (ay, ax)
    upper = small > 0.41421356237309503 * large
    top = small - large if upper else small
    bottom = small + large if upper else large
    t = top / bottom if bottom > 0.0 else 0.0
    u = t * t
    p = 0.039257139440330956 - 0.019204078958352414 * u
    p = 0.058583832757522235 + u * (-0.050864789597452366 + u * p)
    p = 0.07692186167327605 + u * (-0.06664544476916148 + u * p)
    p = 0.11111111021317228 + u * (-0.09090904749194291 + u * p)
    p = 0.1999999999999674 + u * (-0.14285714284789278 + u * p)
    angle = t + t * (u * (-0.3333333333333333 + u * p))
    angle = angle + 0.25 * math.pi if upper else angle
    angle = 0.5 * math.pi - angle if ay > ax else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@njit(cache=True, error_model="numpy", forceinline=True)
def _outside(angle: float, low: float, high: float) -> float:
    """Distance of an angle outside its limits [rad]; below 0 inside."""
    below, above = low - angle, angle - high
    return below if below > above else above


@njit(cache=True, error_model="numpy", forceinline=True)
def _turned(table: Array, joint: int, angle: float, near: Array) -> float:
    """``angle`` of a joint plus whole turns: of those inside the limits the nearest to ``near``.

    If no turn fits, the turn that is least outside.
    """
    low, high = table[1, joint] - LIMIT_ROUNDING_RAD, table[2, joint] + LIMIT_ROUNDING_RAD
    angle += TURN * np.rint((near[joint] - angle) * (1.0 / TURN))
    excess = _outside(angle, low, high)
    if excess <= 0.0:
        return angle
    side = -TURN if angle > high else TURN
    inner = angle + side * np.ceil(excess * (1.0 / TURN))
    outer = inner - side
    return inner if _outside(inner, low, high) <= _outside(outer, low, high) else outer


@njit(cache=True, error_model="numpy", forceinline=True)
def _finish(table: Array, near: Array, row: Array) -> None:
    """Write the joints outside their limits and the weighted square distance from ``near``."""
    outside, distance = 0, 0.0
    for j in range(6):
        angle, step = row[j], row[j] - near[j]
        outside |= int(_outside(angle, table[1, j], table[2, j]) > LIMIT_ROUNDING_RAD) << j
        distance += table[3, j] * step * step
    row[6], row[7] = outside, distance


@njit(cache=True, error_model="numpy", forceinline=True)
def _reach(table: Array, wx: float, wy: float, wz: float) -> tuple[int, float]:
    """Whether the wrist centre, from the shoulder point [m], can be reached; if not, how far off.

    It reaches what lies between two spheres about the shoulder point and outside the cylinder
    of radius d3 about the waist's axis.
    """
    radius = math.sqrt(wx * wx + wy * wy)
    distance = math.sqrt(radius * radius + wz * wz)
    status, worst = REACHED, ROUNDING_M
    if distance - table[4, 2] > worst:
        status, worst = TOO_FAR, distance - table[4, 2]
    if table[4, 3] - distance > worst:
        status, worst = TOO_NEAR, table[4, 3] - distance
    if table[0, 2] - radius > worst:
        status, worst = INSIDE_SHOULDER, table[0, 2] - radius
    return status, worst if status != REACHED else 0.0


@njit(cache=True, error_model="numpy", forceinline=True)
def _wrist(
    table: Array,
    pose: Array,
    c1: float,
    s1: float,
    c23: float,
    s23: float,
    near: Array,
    rows: Array,
) -> None:
    """Write angles 4 to 6 of both wrists, rows (2, :): not flipped (sin q5 >= 0), flipped.

    M = R03ᵀ R = Rz(q4) Ry(-q5) Rz(q6). Angle 6 is taken from M turned back by angle 4, so that
    an angle 4 that rounding has decided is made good by it. In the singularity, where only their
    sum counts, angle 4 stays where ``near`` has it and both wrists are one.
    """
    x, y = c1 * c23, s1 * c23
    m00 = x * pose[3] + y * pose[6] + s23 * pose[9]
    m01 = x * pose[4] + y * pose[7] + s23 * pose[10]
    m02 = x * pose[5] + y * pose[8] + s23 * pose[11]
    m10 = -s1 * pose[3] + c1 * pose[6]
    m11 = -s1 * pose[4] + c1 * pose[7]
    m12 = -s1 * pose[5] + c1 * pose[8]
    m22 = -c1 * s23 * pose[5] - s1 * s23 * pose[8] + c23 * pose[11]
    sine = math.sqrt(m02 * m02 + m12 * m12)
    singular = sine <= WRIST_ROUNDING
    if singular:
        q4, c4, s4, half = near[3], math.cos(near[3]), math.sin(near[3]), 0.0
    else:
        q4, c4, s4, half = _atan2(-m12, -m02), -m02 / sine, -m12 / sine, math.pi
    q5 = _atan2(sine, m22)
    q6 = _atan2(c4 * m10 - s4 * m00, c4 * m11 - s4 * m01)
    for flip in range(2):
        rows[flip, 3] = _turned(table, 3, q4 + flip * half, near)
        rows[flip, 4] = _turned(table, 4, -q5 if flip else q5, near)
        rows[flip, 5] = _turned(table, 5, q6 + flip * half, near)


@njit(cache=True, error_model="numpy")
def solve(table: Array, pose: Array, near: Array, out: Array) -> tuple[int, float]:
    """Write all eight solutions of a packed pose near given angles, shapes (12,), (6,), (8, 8).

    Returns REACHED, or why not and by how much [m]; ``out`` is then untouched.

    In the plane of upper arm and forearm the wrist centre is at ``along`` (its sign is the
    shoulder's) and ``wz``. The elbow's angle has tan²(angle / 2) = num / den, exact to rounding
    also where the arm is stretched; no sine or cosine of a found angle is taken again.
    """
    a2, d3, forearm, phi = table[0, 0], table[0, 2], table[4, 0], table[4, 1]
    wx = pose[0] - table[0, 5] * pose[5]
    wy = pose[1] - table[0, 5] * pose[8]
    wz = pose[2] - table[0, 5] * pose[11] - table[0, 4]
    status, excess = _reach(table, wx, wy, wz)
    total = 0.0
    for k in range(12):
        total += pose[k]
    if not math.isfinite(total):
        return NOT_FINITE, np.nan
    if status != REACHED:
        return status, excess
    radius = math.sqrt(wx * wx + wy * wy)
    plane = max(0.0, (radius - d3) * (radius + d3))
    square = plane + wz * wz
    num = max(0.0, (a2 + forearm) ** 2 - square)
    den = max(0.0, square - (a2 - forearm) ** 2)
    bend = 2.0 * _atan2(math.sqrt(num), math.sqrt(den))
    cos_bend, sin_bend = (den - num) / (num + den), 2.0 * math.sqrt(num * den) / (num + den)
    cos_phi, sin_phi = table[0, 1] / forearm, table[0, 3] / forearm
    u = a2 + forearm * cos_bend
    for left in range(2):
        along = -math.sqrt(plane) if left else math.sqrt(plane)
        length = math.sqrt(along * along + d3 * d3) * radius
        if length > 0.0:
            c1, s1 = (along * wx - d3 * wy) / length, (along * wy + d3 * wx) / length
            q1 = _turned(table, 0, _atan2(s1, c1), near)
        else:  # on the waist's axis every angle will do: joint 1 stays
            q1, c1, s1 = near[0], math.cos(near[0]), math.sin(near[0])
        for down in range(2):
            sign = 1.0 if left != down else -1.0
            v, x, y = sign * forearm * sin_bend, along, wz
            c2, s2 = x * u + y * v, y * u - x * v
            size = math.sqrt(c2 * c2 + s2 * s2)
            c2, s2 = (c2 / size, s2 / size) if size > 0.0 else (1.0, 0.0)
            c3 = cos_bend * cos_phi + sign * sin_bend * sin_phi
            s3 = sign * sin_bend * cos_phi - cos_bend * sin_phi
            q2 = _turned(table, 1, _atan2(s2, c2), near)
            q3 = _turned(table, 2, sign * bend - phi, near)
            rows = out[4 * left + 2 * down : 4 * left + 2 * down + 2]
            _wrist(table, pose, c1, s1, c2 * c3 - s2 * s3, s2 * c3 + c2 * s3, near, rows)
            for flip in range(2):
                rows[flip, 0], rows[flip, 1], rows[flip, 2] = q1, q2, q3
                _finish(table, near, rows[flip])
    return status, excess


@njit(cache=True, error_model="numpy")
def nearest(
    table: Array, pose: Array, near: Array, branch: int, out: Array
) -> tuple[int, float, int]:
    """Like ``solve``; also the branch of the nearest solution inside the limits, -1 if none.

    Only ``branch`` is looked at unless it is -1.
    """
    status, excess = solve(table, pose, near, out)
    chosen = -1
    if status == REACHED:
        for b in range(BRANCHES):
            allowed = (branch in (-1, b)) and out[b, 6] == 0.0
            if allowed and (chosen < 0 or out[b, 7] < out[chosen, 7]):
                chosen = b
    return status, excess, chosen


@njit(cache=True, error_model="numpy")
def solve_batch(
    table: Array,
    poses: Array,
    near: Array,
    joints: Array,
    outside: Codes,
    status: Codes,
    excess: Array,
) -> None:
    """Solutions of N poses, shape (N, 12), each near its own row of ``near``, shape (N, 6).

    Writes angles (N, 8, 6), joints outside as bits (N, 8), status (N,), excess (N,) [m]; angles
    of a pose out of reach are nan, their bits -1.
    """
    rows = np.empty((BRANCHES, SOLUTION_SIZE))
    for n in range(poses.shape[0]):
        status[n], excess[n] = solve(table, poses[n], near[n], rows)
        for b in range(BRANCHES):
            for j in range(6):
                joints[n, b, j] = rows[b, j] if status[n] == REACHED else np.nan
            outside[n, b] = int(rows[b, 6]) if status[n] == REACHED else -1


@njit(cache=True, error_model="numpy")
def follow(
    table: Array, poses: Array, branch: int, start: Array, joints: Array, excess: Array
) -> int:
    """Follow packed poses, shape (N, 12), in one branch, each angle's turn nearest to the last.

    Writes angles (N, 6), the last ones again where a pose is out of reach, and how far out of
    reach [m] (N,); returns how many poses are reached. Limits mean nothing: an angle that leaves
    its range continues outside, and does not turn back by a whole turn.
    """
    rows, near = np.empty((BRANCHES, SOLUTION_SIZE)), np.empty(6)
    reached = 0
    for j in range(6):
        near[j] = start[j]
    for n in range(poses.shape[0]):
        status, excess[n] = solve(table, poses[n], near, rows)
        if status == REACHED:
            reached += 1
            for j in range(6):
                turns = np.rint((near[j] - rows[branch, j]) * (1.0 / TURN))
                near[j] = rows[branch, j] + TURN * turns
        for j in range(6):
            joints[n, j] = near[j]
    return reached


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table = np.ones((7, 6))
    q, row, pose = np.zeros((1, 6)), np.zeros(6), np.ones(12)
    table.setflags(write=False)
    pose.setflags(write=False)
    solve(table, pose, row, np.empty((BRANCHES, SOLUTION_SIZE)))
    nearest(table, pose, row, -1, np.empty((BRANCHES, SOLUTION_SIZE)))
    poses = np.ones((1, 12))
    solve_batch(
        table,
        poses,
        q,
        np.empty((1, 8, 6)),
        np.empty((1, 8), np.int64),
        np.empty(1, np.int64),
        np.empty(1),
    )
    follow(table, poses, 0, row, np.empty((1, 6)), np.empty(1))

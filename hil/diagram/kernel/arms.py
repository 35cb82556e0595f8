"""Kinematics of serial arms by their D-H rows, and of the hexapod."""

import math

from numba import njit

from hil.diagram.kernel.codes import FAST, Array, Places
from hil.diagram.kernel.numbers import clipped

HEAD = 2
"""Numbers before the rows of an arm: how many rows, how many of them turn."""
ROW = 6
"""Numbers of a row: theta, d, a, cosine and sine of alpha, whether it turns."""
POSE = 12


@njit(**FAST)
def first_pose(v: Array, p: int) -> int:
    """Find an arm's first pose: behind its rows; of axes before each row, and after."""
    return p + HEAD + ROW * int(v[p])


@njit(**FAST)
def arm_poses(v: Array, p: int, q: int) -> int:
    """Compute the poses of an arm, as matrix and place each; return the place of the end's."""
    g = first_pose(v, p)
    for n in range(POSE):
        v[g + n] = 1.0 if n == 0 or n == 4 or n == 8 else 0.0
    joint = q
    for i in range(int(v[p])):
        r, angle = p + HEAD + ROW * i, v[p + HEAD + ROW * i]
        if v[r + 5] != 0.0:
            angle = angle + v[joint]
            joint += 1
        c, s = math.cos(angle), math.sin(angle)
        d, a, ca, sa = v[r + 1], v[r + 2], v[r + 3], v[r + 4]
        for k in range(3):
            x, y, z = v[g + 3 * k], v[g + 3 * k + 1], v[g + 3 * k + 2]
            h = g + POSE + 3 * k
            v[h] = x * c + y * s
            v[h + 1] = (y * (c * ca) - x * (s * ca)) + z * sa
            v[h + 2] = (x * (s * sa) - y * (c * sa)) + z * ca
            v[g + 21 + k] = v[g + 9 + k] + ((x * (a * c) + y * (a * s)) + z * d)
        g += POSE
    return g


@njit(**FAST)
def write_jacobian(v: Array, p: int, q: int, o: int) -> None:
    """Columns of an arm: axis times arm, and axis, of each row that turns."""
    joints, end = int(v[p + 1]), arm_poses(v, p, q) + 9
    angular, g, n = o + 3 * joints, first_pose(v, p), 0
    for i in range(int(v[p])):
        if v[p + HEAD + ROW * i + 5] != 0.0:
            a, b, c = v[g + 2], v[g + 5], v[g + 8]
            x, y, z = v[end] - v[g + 9], v[end + 1] - v[g + 10], v[end + 2] - v[g + 11]
            v[o + n] = b * z - c * y
            v[o + joints + n] = c * x - a * z
            v[o + 2 * joints + n] = a * y - b * x
            v[angular + n], v[angular + joints + n], v[angular + 2 * joints + n] = a, b, c
            n += 1
        g += POSE


@njit(**FAST)
def solve_damped(v: Array, x: Places, q: int, o: int, p: int) -> None:
    """Solve by Cholesky's factor of J J^T + damping^2 1, which is kept behind the numbers."""
    joints, damping, length = int(v[p]), v[p + 1], v[p + 2]
    m, e = p + 3, p + 39
    for j in range(6):
        for k in range(j + 1):
            total = damping * damping if j == k else 0.0
            for n in range(joints):
                first = v[x[q + j // 3] + (j % 3) * joints + n]
                other = v[x[q + k // 3] + (k % 3) * joints + n]
                first = first / length if j < 3 else first
                other = other / length if k < 3 else other
                total = total + first * other
            for n in range(k):
                total = total - v[m + 6 * j + n] * v[m + 6 * k + n]
            v[m + 6 * j + k] = math.sqrt(total) if j == k else total / v[m + 7 * k]
    for j in range(6):
        total = v[x[q + 2 + j // 3] + j % 3]
        total = total / length if j < 3 else total
        for n in range(j):
            total = total - v[m + 6 * j + n] * v[e + n]
        v[e + j] = total / v[m + 7 * j]
    for j in range(5, -1, -1):
        total = v[e + j]
        for n in range(j + 1, 6):
            total = total - v[m + 6 * n + j] * v[e + n]
        v[e + j] = total / v[m + 7 * j]
    for n in range(joints):
        total = 0.0
        for j in range(6):
            one = v[x[q + j // 3] + (j % 3) * joints + n]
            total = total + (one / length if j < 3 else one) * v[e + j]
        v[o + n] = total


@njit(**FAST)
def next_angles(v: Array, p: int) -> int:
    """Find a descent's next angles: behind its arm, its poses, three numbers and limits."""
    return first_pose(v, p) + POSE * (int(v[p]) + 1) + 3 + 2 * int(v[p + 1])


@njit(**FAST)
def descend(v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Sweeps from the last joint to the first; the end's pose is turned along."""
    rows, joints, place, matrix = int(v[p]), int(v[p + 1]), x[q] + 9, x[q]
    f = first_pose(v, p)
    w = f + POSE * (rows + 1)
    low, high, angles = w + 3, w + 3 + joints, next_angles(v, p)
    for n in range(joints):
        v[angles + n] = v[s + n]
    weight, end = 0.5 * (v[w + 2] * v[w + 2]), f + POSE * rows
    for _ in range(int(v[w])):
        arm_poses(v, p, angles)
        n = joints
        for i in range(rows - 1, -1, -1):
            if v[p + HEAD + ROW * i + 5] == 0.0:
                continue
            n, g = n - 1, f + POSE * i
            a, b = turn_gains(v, g, place, g + 9, end + 9, g + 9, 1)
            if weight > 0.0:
                for k in range(3):
                    more, turned = turn_gains(v, g, matrix + k, -1, end + k, -1, 3)
                    a, b = a + weight * more, b + weight * turned
            turn = math.atan2(b, a) if a != 0.0 or b != 0.0 else 0.0
            turn = clipped(turn, -v[w + 1], v[w + 1])
            wanted = clipped(v[angles + n] + turn, v[low + n], v[high + n])
            turn = wanted - v[angles + n]
            v[angles + n] = wanted
            c, t = math.cos(turn), math.sin(turn)
            turn_about(v, g, end + 9, g + 9, 1, c, t)
            for k in range(3):
                turn_about(v, g, end + k, -1, 3, c, t)
    total = 0.0
    for k in range(3):
        apart = v[end + 9 + k] - v[place + k]
        total = total + apart * apart
    for n in range(joints):
        v[o + n] = v[angles + n]
    v[o + joints] = math.sqrt(total)


@njit(**FAST)
def turn_gains(v: Array, g: int, t: int, less: int, r: int, from_: int, step: int
           ) -> tuple[float, float]:  # fmt: skip
    """Return the gains of cosine and sine for a turn of r about a pose's z along t."""
    x, y, z = v[r], v[r + step], v[r + 2 * step]
    i, j, k = v[t], v[t + step], v[t + 2 * step]
    if less >= 0:
        x, y, z = x - v[from_], y - v[from_ + 1], z - v[from_ + 2]
        i, j, k = i - v[less], j - v[less + 1], k - v[less + 2]
    a, b, c = v[g + 2], v[g + 5], v[g + 8]
    along = (a * x + b * y) + c * z
    upon = (a * i + b * j) + c * k
    both = (x * i + y * j) + z * k
    sine = (i * (b * z - c * y) + j * (c * x - a * z)) + k * (a * y - b * x)
    return both - along * upon, sine


@njit(**FAST)
def turn_about(v: Array, g: int, r: int, from_: int, step: int, c: float, t: float) -> None:
    """Turn a place, or an axis, about a pose's z."""
    x, y, z = v[r], v[r + step], v[r + 2 * step]
    i, j, k = 0.0, 0.0, 0.0
    if from_ >= 0:
        i, j, k = v[from_], v[from_ + 1], v[from_ + 2]
    x, y, z = x - i, y - j, z - k
    a, b, d = v[g + 2], v[g + 5], v[g + 8]
    along = ((a * x + b * y) + d * z) * (1.0 - c)
    v[r] = i + ((c * x + t * (b * z - d * y)) + along * a)
    v[r + step] = j + ((c * y + t * (d * x - a * z)) + along * b)
    v[r + 2 * step] = k + ((c * z + t * (a * y - b * x)) + along * d)


@njit(**FAST)
def write_lengths(v: Array, a: int, b: int, o: int, p: int, size: int) -> None:
    """Lengths of a hexapod's legs.

    Args:
        a: place of the position.
        b: place of the rotation.
        p: place of the lower joints, then the upper ones.
    """
    for j in range(size):
        low, high = p + 3 * j, p + 3 * size + 3 * j
        total = 0.0
        for k in range(3):
            x, y, z = v[b + 3 * k], v[b + 3 * k + 1], v[b + 3 * k + 2]
            turned = (x * v[high] + y * v[high + 1]) + z * v[high + 2]
            apart = (v[a + k] + turned) - v[low + k]
            total = total + apart * apart
        v[o + j] = math.sqrt(total)

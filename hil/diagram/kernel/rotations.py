"""Forms of a rotation."""

import math

from numba import njit

from hil.diagram.kernel.codes import FAST, ROTATIONS_FIRST, Array
from hil.diagram.kernel.numbers import length_of

# Kinds in capitals.
(
    TRANSPOSE, ROTATIONFROMANGLES, ANGLESFROMROTATION, ROTATIONVECTOR, ROTATIONFROMVECTOR,
    QUATERNIONFROMROTATION, ROTATIONFROMQUATERNION,
    *_,
) = range(ROTATIONS_FIRST, ROTATIONS_FIRST + 100)  # fmt: skip


@njit(**FAST)
def turn_forms(code: int, v: Array, u: int, o: int) -> None:
    """Forms of a rotation."""
    if code == TRANSPOSE:
        for j in range(3):
            for k in range(3):
                v[o + 3 * j + k] = v[u + 3 * k + j]
    elif code == ROTATIONFROMANGLES:
        ca, sa = math.cos(v[u]), math.sin(v[u])
        cb, sb = math.cos(v[u + 1]), math.sin(v[u + 1])
        cc, sc = math.cos(v[u + 2]), math.sin(v[u + 2])
        v[o] = cc * cb
        v[o + 1] = cc * sb * sa - sc * ca
        v[o + 2] = cc * sb * ca + sc * sa
        v[o + 3] = sc * cb
        v[o + 4] = sc * sb * sa + cc * ca
        v[o + 5] = sc * sb * ca - cc * sa
        v[o + 6] = -sb
        v[o + 7] = cb * sa
        v[o + 8] = cb * ca
    elif code == ANGLESFROMROTATION:
        v[o] = math.atan2(v[u + 7], v[u + 8])
        v[o + 1] = math.atan2(-v[u + 6], length_of(abs(v[u]), abs(v[u + 3])))
        v[o + 2] = math.atan2(v[u + 3], v[u])
    elif code == ROTATIONVECTOR:
        write_logarithm(v, u, o)
    elif code == ROTATIONFROMVECTOR:
        a, b, c = v[u], v[u + 1], v[u + 2]
        angle = math.sqrt(a * a + b * b + c * c)
        first, half = 1.0, 0.5
        if angle > 0.0:
            first, half = math.sin(angle) / angle, math.sin(0.5 * angle) / angle
        second = 2.0 * half * half
        v[o] = 1.0 - second * (b * b + c * c)
        v[o + 1] = second * (a * b) - first * c
        v[o + 2] = second * (a * c) + first * b
        v[o + 3] = second * (a * b) + first * c
        v[o + 4] = 1.0 - second * (a * a + c * c)
        v[o + 5] = second * (b * c) - first * a
        v[o + 6] = second * (a * c) - first * b
        v[o + 7] = second * (b * c) + first * a
        v[o + 8] = 1.0 - second * (a * a + b * b)
    elif code == QUATERNIONFROMROTATION:
        write_quaternion(v, u, o)
    else:
        w, a, b, c = v[u], v[u + 1], v[u + 2], v[u + 3]
        second = 2.0 / (w * w + a * a + b * b + c * c)
        v[o] = 1.0 - second * (b * b + c * c)
        v[o + 1] = second * (a * b - w * c)
        v[o + 2] = second * (a * c + w * b)
        v[o + 3] = second * (a * b + w * c)
        v[o + 4] = 1.0 - second * (a * a + c * c)
        v[o + 5] = second * (b * c - w * a)
        v[o + 6] = second * (a * c - w * b)
        v[o + 7] = second * (b * c + w * a)
        v[o + 8] = 1.0 - second * (a * a + b * b)


@njit(**FAST)
def write_quaternion(v: Array, u: int, o: int) -> None:
    """Write a rotation's quaternion, by the greatest of its four numbers (Shepperd 1978)."""
    trace = v[u] + v[u + 4] + v[u + 8]
    most, value = -1, trace
    for n in range(3):
        if v[u + 4 * n] > value:
            most, value = n, v[u + 4 * n]
    if most < 0:
        root = math.sqrt(1.0 + trace)
        part = 0.5 / root
        v[o] = 0.5 * root
        v[o + 1] = part * (v[u + 7] - v[u + 5])
        v[o + 2] = part * (v[u + 2] - v[u + 6])
        v[o + 3] = part * (v[u + 3] - v[u + 1])
    else:
        j, k = (most + 1) % 3, (most + 2) % 3
        root = math.sqrt(1.0 + (v[u + 4 * most] - v[u + 4 * j] - v[u + 4 * k]))
        part = 0.5 / root
        v[o] = part * (v[u + 3 * k + j] - v[u + 3 * j + k])
        v[o + 1 + most] = 0.5 * root
        v[o + 1 + j] = part * (v[u + 3 * j + most] + v[u + 3 * most + j])
        v[o + 1 + k] = part * (v[u + 3 * k + most] + v[u + 3 * most + k])


@njit(**FAST)
def write_logarithm(v: Array, u: int, o: int) -> None:
    """Axis times angle of a rotation; near half a turn by the greatest column of R + 1."""
    a = 0.5 * (v[u + 7] - v[u + 5])
    b = 0.5 * (v[u + 2] - v[u + 6])
    c = 0.5 * (v[u + 3] - v[u + 1])
    sine = math.sqrt(a * a + b * b + c * c)
    cosine = 0.5 * (v[u] + v[u + 4] + v[u + 8] - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine > -0.99:
        part = angle / sine if sine > 0.0 else 1.0
        v[o], v[o + 1], v[o + 2] = part * a, part * b, part * c
        return
    most = 0
    for n in range(1, 3):
        if v[u + 4 * n] > v[u + 4 * most]:
            most = n
    total = 0.0
    for n in range(3):
        one = 0.5 * (v[u + 3 * n + most] + v[u + 3 * most + n])
        if n == most:
            one = one - cosine
        v[o + n] = one
        total = total + one * one
    along = v[o] * a + v[o + 1] * b + v[o + 2] * c
    part = angle / math.sqrt(total)
    if along < 0.0:
        part = -part
    for n in range(3):
        v[o + n] = part * v[o + n]


@njit(**FAST)
def write_rotation(v: Array, o: int, axis: int, c: float, s: float) -> None:
    """Rows of a rotation about x, y or z."""
    for n in range(9):
        v[o + n] = 0.0
    after, last = (axis + 1) % 3, (axis + 2) % 3
    v[o + 4 * axis] = 1.0
    v[o + 4 * after] = c
    v[o + 4 * last] = c
    v[o + 3 * after + last] = -s
    v[o + 3 * last + after] = s

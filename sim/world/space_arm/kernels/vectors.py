"""Vectors, frames and symmetric tensors as tuples of numbers, which stay in registers.

A frame is three vectors: its axes x, y, z seen in the base. A tensor is its six entries xx, yy, zz,
xy, xz, yz. Tables of them have a row a number and a lane a joint: what is done to every joint alike
then runs over neighbouring numbers, and the compiler does four joints with one instruction.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
Frame = tuple[Vector, Vector, Vector]
Tensor = tuple[float, float, float, float, float, float]

LANES = 8
"""Numbers of a row: six joints, and two that stay idle so that rows are whole machine vectors."""


@njit(cache=True, error_model="numpy", forceinline=True)
def vector_at(table: Array, row: int, i: int) -> Vector:
    """The vector of joint ``i`` in three rows of a flat table."""
    k = LANES * row + i
    return (table[k], table[k + LANES], table[k + 2 * LANES])


@njit(cache=True, error_model="numpy", forceinline=True)
def put_vector(table: Array, row: int, i: int, a: Vector) -> None:
    """Write the vector of joint ``i`` into three rows of a flat table."""
    k = LANES * row + i
    table[k] = a[0]
    table[k + LANES] = a[1]
    table[k + 2 * LANES] = a[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def frame_at(table: Array, row: int, i: int) -> Frame:
    """The frame of joint ``i`` in nine rows of a flat table, one axis after the other."""
    return (
        vector_at(table, row, i),
        vector_at(table, row + 3, i),
        vector_at(table, row + 6, i),
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def tensor_at(table: Array, row: int, i: int) -> Tensor:
    """The tensor of joint ``i`` in six rows of a flat table."""
    a, b = vector_at(table, row, i), vector_at(table, row + 3, i)
    return (a[0], a[1], a[2], b[0], b[1], b[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def put_tensor(table: Array, row: int, i: int, t: Tensor) -> None:
    """Write the tensor of joint ``i`` into six rows of a flat table."""
    put_vector(table, row, i, (t[0], t[1], t[2]))
    put_vector(table, row + 3, i, (t[3], t[4], t[5]))


@njit(cache=True, error_model="numpy", forceinline=True)
def add(a: Vector, b: Vector) -> Vector:
    """The sum a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def scaled(factor: float, a: Vector) -> Vector:
    """The product of a number and a vector."""
    return (factor * a[0], factor * a[1], factor * a[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def dot(a: Vector, b: Vector) -> float:
    """The scalar product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def seen(frame: Frame, a: Vector) -> Vector:
    """A vector of a frame seen in the base."""
    x, y, z = frame
    return (
        x[0] * a[0] + y[0] * a[1] + z[0] * a[2],
        x[1] * a[0] + y[1] * a[1] + z[1] * a[2],
        x[2] * a[0] + y[2] * a[1] + z[2] * a[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def times(t: Tensor, a: Vector) -> Vector:
    """The product of a symmetric tensor and a vector."""
    return (
        t[0] * a[0] + t[3] * a[1] + t[4] * a[2],
        t[3] * a[0] + t[1] * a[1] + t[5] * a[2],
        t[4] * a[0] + t[5] * a[1] + t[2] * a[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def tensor_in_base(frame: Frame, t: Tensor) -> Tensor:
    """The tensor of a frame seen in the base, R I R^T."""
    x, y, z = frame
    a = seen(frame, (t[0], t[3], t[4]))
    b = seen(frame, (t[3], t[1], t[5]))
    c = seen(frame, (t[4], t[5], t[2]))
    return (
        a[0] * x[0] + b[0] * y[0] + c[0] * z[0],
        a[1] * x[1] + b[1] * y[1] + c[1] * z[1],
        a[2] * x[2] + b[2] * y[2] + c[2] * z[2],
        a[0] * x[1] + b[0] * y[1] + c[0] * z[1],
        a[0] * x[2] + b[0] * y[2] + c[0] * z[2],
        a[1] * x[2] + b[1] * y[2] + c[1] * z[2],
    )

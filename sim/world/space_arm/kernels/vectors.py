"""Vectors, frames and symmetric tensors as tuples of numbers, which stay in registers.

A frame is three vectors: its axes x, y, z seen in the base. A tensor is its six entries xx, yy, zz,
xy, xz, yz.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
Frame = tuple[Vector, Vector, Vector]
Tensor = tuple[float, float, float, float, float, float]


@njit(cache=True, error_model="numpy", forceinline=True)
def row(table: Array, i: int) -> Vector:
    """Row ``i`` of a table of three columns."""
    return (table[i, 0], table[i, 1], table[i, 2])


@njit(cache=True, error_model="numpy", forceinline=True)
def put(table: Array, i: int, a: Vector) -> None:
    """Write a vector into row ``i`` of a table of three columns."""
    table[i, 0] = a[0]
    table[i, 1] = a[1]
    table[i, 2] = a[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def put_tensor(table: Array, i: int, t: Tensor) -> None:
    """Write a tensor into row ``i`` of a table of six columns."""
    table[i, 0] = t[0]
    table[i, 1] = t[1]
    table[i, 2] = t[2]
    table[i, 3] = t[3]
    table[i, 4] = t[4]
    table[i, 5] = t[5]


@njit(cache=True, error_model="numpy", forceinline=True)
def tensor_row(table: Array, i: int) -> Tensor:
    """Row ``i`` of a table of six columns."""
    return (table[i, 0], table[i, 1], table[i, 2], table[i, 3], table[i, 4], table[i, 5])


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
def column_seen(frame: Frame, matrices: Array, i: int, k: int) -> Vector:
    """Column ``k`` of matrix ``i``, a vector of a frame, seen in the base."""
    return seen(frame, (matrices[i, 0, k], matrices[i, 1, k], matrices[i, 2, k]))


@njit(cache=True, error_model="numpy", forceinline=True)
def times(t: Tensor, a: Vector) -> Vector:
    """The product of a symmetric tensor and a vector."""
    return (
        t[0] * a[0] + t[3] * a[1] + t[4] * a[2],
        t[3] * a[0] + t[1] * a[1] + t[5] * a[2],
        t[4] * a[0] + t[5] * a[1] + t[2] * a[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def tensor_seen(frame: Frame, matrices: Array, i: int) -> Tensor:
    """The symmetric matrix ``i`` of a frame seen in the base, R I R^T."""
    x, y, z = frame
    a = column_seen(frame, matrices, i, 0)
    b = column_seen(frame, matrices, i, 1)
    c = column_seen(frame, matrices, i, 2)
    return (
        a[0] * x[0] + b[0] * y[0] + c[0] * z[0],
        a[1] * x[1] + b[1] * y[1] + c[1] * z[1],
        a[2] * x[2] + b[2] * y[2] + c[2] * z[2],
        a[0] * x[1] + b[0] * y[1] + c[0] * z[1],
        a[0] * x[2] + b[0] * y[2] + c[0] * z[2],
        a[1] * x[2] + b[1] * y[2] + c[1] * z[2],
    )

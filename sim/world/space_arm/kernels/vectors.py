"""Vectors, frames and symmetric tensors as tuples of numbers, which stay in registers.

A frame is three vectors: its axes x, y, z seen in the base. A tensor is its six entries xx, yy, zz,
xy, xz, yz. Tables of them have a row a number and a lane a joint: what is done to every joint alike
then runs over neighbouring numbers, and the compiler does four joints with one instruction.
"""

from collections.abc import Callable

import numpy as np
from numba import njit, types
from numba.extending import overload
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
Frame = tuple[Vector, Vector, Vector]
Tensor = tuple[float, float, float, float, float, float]

LANES = 8
"""Numbers of a row: as many as an arm may have joints, which makes rows whole machine vectors."""

COMMON_JOINTS = 6
"""Count of joints for which loops are written out."""


def table_of(rows: int, joints: int) -> Array:
    """Make a table of zeros, a column a joint, of which kernels know how many they are.

    One of `COMMON_JOINTS` columns is contiguous, so that kernels are compiled for just these; any
    other is a part of a wider one.
    """
    if joints == COMMON_JOINTS:
        return np.zeros((rows, joints))
    return np.zeros((rows, joints + 1))[:, :joints]


def copied(table: Array) -> Array:
    """Copy a table so that kernels know how many columns it has."""
    copy = table_of(*table.shape)
    copy[:] = table
    return copy


def columns(table: Array) -> int:
    """Return the number of columns of a table of `table_of`, known to the compiler if common."""
    return table.shape[1]


@overload(columns, inline="always", strict=False)
def _columns(table: types.Array) -> Callable[[Array], int]:
    """Choose by the table's layout."""
    if table.layout == "C":

        def common(table: Array) -> int:
            if table.shape[1] != COMMON_JOINTS:
                raise ValueError("a contiguous table of another width: table_of makes tables")
            return COMMON_JOINTS

        return common

    def any_count(table: Array) -> int:
        return table.shape[1]

    return any_count


@njit(cache=True, error_model="numpy", forceinline=True)
def vector_at(table: Array, row: int, i: int) -> Vector:
    """Read the vector of joint ``i`` from three rows of a flat table."""
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
    """Read the frame of joint ``i`` from nine rows of a flat table, one axis after the other."""
    return (
        vector_at(table, row, i),
        vector_at(table, row + 3, i),
        vector_at(table, row + 6, i),
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def tensor_at(table: Array, row: int, i: int) -> Tensor:
    """Read the tensor of joint ``i`` from six rows of a flat table."""
    a, b = vector_at(table, row, i), vector_at(table, row + 3, i)
    return (a[0], a[1], a[2], b[0], b[1], b[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def put_tensor(table: Array, row: int, i: int, t: Tensor) -> None:
    """Write the tensor of joint ``i`` into six rows of a flat table."""
    put_vector(table, row, i, (t[0], t[1], t[2]))
    put_vector(table, row + 3, i, (t[3], t[4], t[5]))


@njit(cache=True, error_model="numpy", forceinline=True)
def add(a: Vector, b: Vector) -> Vector:
    """Compute the sum a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def scaled(factor: float, a: Vector) -> Vector:
    """Compute the product of a number and a vector."""
    return (factor * a[0], factor * a[1], factor * a[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def dot(a: Vector, b: Vector) -> float:
    """Compute the scalar product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def cross(a: Vector, b: Vector) -> Vector:
    """Compute the vector product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def seen(frame: Frame, a: Vector) -> Vector:
    """Rotate a vector of a frame into the base."""
    x, y, z = frame
    return (
        x[0] * a[0] + y[0] * a[1] + z[0] * a[2],
        x[1] * a[0] + y[1] * a[1] + z[1] * a[2],
        x[2] * a[0] + y[2] * a[1] + z[2] * a[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def times(t: Tensor, a: Vector) -> Vector:
    """Compute the product of a symmetric tensor and a vector."""
    return (
        t[0] * a[0] + t[3] * a[1] + t[4] * a[2],
        t[3] * a[0] + t[1] * a[1] + t[5] * a[2],
        t[4] * a[0] + t[5] * a[1] + t[2] * a[2],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def tensor_in_base(frame: Frame, t: Tensor) -> Tensor:
    """Rotate the tensor of a frame into the base, R I R^T."""
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

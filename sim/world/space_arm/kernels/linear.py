"""Linear equations with a symmetric positive definite matrix, without allocation.

Matrix, factor and right-hand side are rows of one table, because a compiled function takes one
array at a fraction of the cost of several. Six equations are written out: loops as short as these
cost more than their bodies.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.kernels.vectors import COMMON_JOINTS, columns

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy")
def _factorise_any(table: Array, matrix: int, diagonal: int, factor: int) -> bool:
    """Compute `factorise` for any count of equations."""
    definite = True
    for i in range(table.shape[1]):
        for j in range(i):
            entry = table[matrix + i, j]
            for k in range(j):
                entry -= table[factor + i, k] * table[factor + j, k]
            table[factor + i, j] = entry * table[factor + j, j]
        pivot = table[matrix + i, i] + table[diagonal, i]
        for k in range(i):
            pivot -= table[factor + i, k] * table[factor + i, k]
        definite = definite and pivot > 0.0
        table[factor + i, i] = 1.0 / math.sqrt(pivot)
    return definite


@njit(cache=True, error_model="numpy")
def _solve_any(table: Array, factor: int, right: int) -> None:
    """Compute `solve` for any count of equations."""
    n = table.shape[1]
    for i in range(n):
        for k in range(i):
            table[right, i] -= table[factor + i, k] * table[right, k]
        table[right, i] *= table[factor + i, i]
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            table[right, i] -= table[factor + k, i] * table[right, k]
        table[right, i] *= table[factor + i, i]


@njit(cache=True, error_model="numpy")
def factorise(table: Array, matrix: int, diagonal: int, factor: int) -> bool:
    """Compute the Cholesky factor of a matrix with a row added to its diagonal.

    The reciprocal of each pivot is kept on the diagonal. Only lower parts are read and written.

    Args:
        table: rows of as many numbers as there are equations.
        matrix: first row of the matrix.
        diagonal: row that is added to its diagonal.
        factor: first row of the result.

    Returns:
        Whether the sum is positive definite.
    """
    if columns(table) != COMMON_JOINTS:
        return _factorise_any(table, matrix, diagonal, factor)
    m, d, f = matrix, diagonal, factor
    d0 = table[m, 0] + table[d, 0]
    p0 = 1.0 / math.sqrt(d0)
    l10 = table[m + 1, 0] * p0
    d1 = table[m + 1, 1] + table[d, 1] - l10 * l10
    p1 = 1.0 / math.sqrt(d1)
    l20 = table[m + 2, 0] * p0
    l21 = (table[m + 2, 1] - l20 * l10) * p1
    d2 = table[m + 2, 2] + table[d, 2] - l20 * l20 - l21 * l21
    p2 = 1.0 / math.sqrt(d2)
    l30 = table[m + 3, 0] * p0
    l31 = (table[m + 3, 1] - l30 * l10) * p1
    l32 = (table[m + 3, 2] - l30 * l20 - l31 * l21) * p2
    d3 = table[m + 3, 3] + table[d, 3] - l30 * l30 - l31 * l31 - l32 * l32
    p3 = 1.0 / math.sqrt(d3)
    l40 = table[m + 4, 0] * p0
    l41 = (table[m + 4, 1] - l40 * l10) * p1
    l42 = (table[m + 4, 2] - l40 * l20 - l41 * l21) * p2
    l43 = (table[m + 4, 3] - l40 * l30 - l41 * l31 - l42 * l32) * p3
    d4 = table[m + 4, 4] + table[d, 4] - l40 * l40 - l41 * l41 - l42 * l42 - l43 * l43
    p4 = 1.0 / math.sqrt(d4)
    l50 = table[m + 5, 0] * p0
    l51 = (table[m + 5, 1] - l50 * l10) * p1
    l52 = (table[m + 5, 2] - l50 * l20 - l51 * l21) * p2
    l53 = (table[m + 5, 3] - l50 * l30 - l51 * l31 - l52 * l32) * p3
    l54 = (table[m + 5, 4] - l50 * l40 - l51 * l41 - l52 * l42 - l53 * l43) * p4
    d5 = table[m + 5, 5] + table[d, 5] - l50 * l50 - l51 * l51 - l52 * l52 - l53 * l53 - l54 * l54
    p5 = 1.0 / math.sqrt(d5)
    table[f, 0] = p0
    table[f + 1, 0], table[f + 1, 1] = l10, p1
    table[f + 2, 0], table[f + 2, 1], table[f + 2, 2] = l20, l21, p2
    table[f + 3, 0], table[f + 3, 1], table[f + 3, 2], table[f + 3, 3] = l30, l31, l32, p3
    table[f + 4, 0], table[f + 4, 1], table[f + 4, 2] = l40, l41, l42
    table[f + 4, 3], table[f + 4, 4] = l43, p4
    table[f + 5, 0], table[f + 5, 1], table[f + 5, 2] = l50, l51, l52
    table[f + 5, 3], table[f + 5, 4], table[f + 5, 5] = l53, l54, p5
    return d0 > 0.0 and d1 > 0.0 and d2 > 0.0 and d3 > 0.0 and d4 > 0.0 and d5 > 0.0


@njit(cache=True, error_model="numpy")
def solve(table: Array, factor: int, right: int) -> None:
    """Solve with a factor of `factorise`; row ``right`` becomes the solution."""
    if columns(table) != COMMON_JOINTS:
        _solve_any(table, factor, right)
        return
    f, r = factor, right
    x0 = table[r, 0] * table[f, 0]
    x1 = (table[r, 1] - table[f + 1, 0] * x0) * table[f + 1, 1]
    x2 = (table[r, 2] - table[f + 2, 0] * x0 - table[f + 2, 1] * x1) * table[f + 2, 2]
    x3 = (table[r, 3] - table[f + 3, 0] * x0 - table[f + 3, 1] * x1 - table[f + 3, 2] * x2) * table[
        f + 3, 3
    ]
    x4 = (
        table[r, 4]
        - table[f + 4, 0] * x0
        - table[f + 4, 1] * x1
        - table[f + 4, 2] * x2
        - table[f + 4, 3] * x3
    ) * table[f + 4, 4]
    x5 = (
        table[r, 5]
        - table[f + 5, 0] * x0
        - table[f + 5, 1] * x1
        - table[f + 5, 2] * x2
        - table[f + 5, 3] * x3
        - table[f + 5, 4] * x4
    ) * table[f + 5, 5]
    x5 = x5 * table[f + 5, 5]
    x4 = (x4 - table[f + 5, 4] * x5) * table[f + 4, 4]
    x3 = (x3 - table[f + 4, 3] * x4 - table[f + 5, 3] * x5) * table[f + 3, 3]
    x2 = (x2 - table[f + 3, 2] * x3 - table[f + 4, 2] * x4 - table[f + 5, 2] * x5) * table[f + 2, 2]
    x1 = (
        x1
        - table[f + 2, 1] * x2
        - table[f + 3, 1] * x3
        - table[f + 4, 1] * x4
        - table[f + 5, 1] * x5
    ) * table[f + 1, 1]
    x0 = (
        x0
        - table[f + 1, 0] * x1
        - table[f + 2, 0] * x2
        - table[f + 3, 0] * x3
        - table[f + 4, 0] * x4
        - table[f + 5, 0] * x5
    ) * table[f, 0]
    table[r, 0], table[r, 1], table[r, 2] = x0, x1, x2
    table[r, 3], table[r, 4], table[r, 5] = x3, x4, x5

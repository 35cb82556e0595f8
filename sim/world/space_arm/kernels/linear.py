"""Six linear equations with a symmetric positive definite matrix, without allocation.

Matrix, factor and right-hand side are rows of one table, because a compiled function takes one
array at a fraction of the cost of several.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy")
def factorise(table: Array, matrix: int, diagonal: int, factor: int) -> bool:
    """Cholesky factor of a matrix and something on its diagonal.

    The reciprocal of each pivot is kept on the diagonal. Only lower parts are read and written.

    Args:
        table: rows of six.
        matrix: first of the six rows of the matrix.
        diagonal: row that is added to its diagonal.
        factor: first of the six rows of the result.

    Returns:
        Whether the sum is positive definite.
    """
    for i in range(6):
        for j in range(i):
            rest = table[matrix + i, j]
            for k in range(j):
                rest -= table[factor + i, k] * table[factor + j, k]
            table[factor + i, j] = rest * table[factor + j, j]
        pivot = table[matrix + i, i] + table[diagonal, i]
        for k in range(i):
            pivot -= table[factor + i, k] * table[factor + i, k]
        if not pivot > 0.0:
            return False
        table[factor + i, i] = 1.0 / math.sqrt(pivot)
    return True


@njit(cache=True, error_model="numpy")
def solve(table: Array, factor: int, right: int) -> None:
    """Solve with a factor of `factorise`; row ``right`` becomes the solution."""
    for i in range(6):
        rest = table[right, i]
        for k in range(i):
            rest -= table[factor + i, k] * table[right, k]
        table[right, i] = rest * table[factor + i, i]
    for i in range(5, -1, -1):
        rest = table[right, i]
        for k in range(i + 1, 6):
            rest -= table[factor + k, i] * table[right, k]
        table[right, i] = rest * table[factor + i, i]

"""Six linear equations with a symmetric positive definite matrix, without allocation."""

import math

from numba import njit
from numpy.typing import NDArray


@njit(cache=True, error_model="numpy")
def factorise(matrix: NDArray, diagonal: NDArray, factor: NDArray) -> bool:
    """Cholesky factor of ``matrix`` + diag(``diagonal``) into the lower part of ``factor``.

    The reciprocal of each pivot is kept on the diagonal. Only the lower part of ``matrix`` is read.

    Args:
        matrix: shape (6, 6).
        diagonal: added to the diagonal, shape (6,).
        factor: the result, shape (6, 6).

    Returns:
        Whether the sum is positive definite.
    """
    for i in range(6):
        for j in range(i):
            rest = matrix[i, j]
            for k in range(j):
                rest -= factor[i, k] * factor[j, k]
            factor[i, j] = rest * factor[j, j]
        pivot = matrix[i, i] + diagonal[i]
        for k in range(i):
            pivot -= factor[i, k] * factor[i, k]
        if not pivot > 0.0:
            return False
        factor[i, i] = 1.0 / math.sqrt(pivot)
    return True


@njit(cache=True, error_model="numpy")
def solve(factor: NDArray, right: NDArray) -> None:
    """Solve in place with a factor of `factorise`; ``right`` of shape (6,) becomes the solution."""
    for i in range(6):
        rest = right[i]
        for k in range(i):
            rest -= factor[i, k] * right[k]
        right[i] = rest * factor[i, i]
    for i in range(5, -1, -1):
        rest = right[i]
        for k in range(i + 1, 6):
            rest -= factor[k, i] * right[k]
        right[i] = rest * factor[i, i]

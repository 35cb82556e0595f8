"""Singular values of a matrix of six rows and the rates of a damped inverse, without allocation.

One-sided Jacobi: columns of A are turned in pairs until they are orthogonal; then A V = U S. Small
singular values come out with full relative accuracy, and the order of operations is ours, so a
replay is exact to the last bit on every machine (a LAPACK picks its code by the processor).
"""

import math

from numba import njit
from numpy.typing import NDArray

MAX_SWEEPS = 40

ORTHOGONAL = 4e-15
"""Cosine of the angle between two columns that counts as none."""

NEGLIGIBLE = 1e-30
"""Squared length of a column that is rounding, as part of the squared length of the matrix."""

LOST = 1e-24
"""Squared singular value (with damping) below which no rate is asked for in a direction."""


@njit(cache=True, error_model="numpy")
def orthogonalise(columns: NDArray, turns: NDArray) -> int:
    """Turn the columns of a matrix A until they are orthogonal: ``columns`` = A ``turns``.

    The lengths of the columns are then A's singular values, ``turns`` holds the right singular
    vectors. Hestenes (1958), "Inversion of matrices by biorthogonalization and related results".

    Args:
        columns: A on entry, its turned columns U S on return, shape (m, n).
        turns: V on return, shape (n, n).

    Returns:
        Sweeps used, or -1 if `MAX_SWEEPS` were not enough (A is then not finite).
    """
    rows, n = columns.shape
    total = 0.0
    for i in range(n):
        for j in range(n):
            turns[i, j] = 1.0 if i == j else 0.0
    for i in range(rows):
        for j in range(n):
            total += columns[i, j] * columns[i, j]
    for sweep in range(MAX_SWEEPS):
        turned = False
        for i in range(n - 1):
            for j in range(i + 1, n):
                turned = _orthogonalise_pair(columns, turns, i, j, NEGLIGIBLE * total) or turned
        if not turned:
            return sweep
    return -1


@njit(cache=True, error_model="numpy", forceinline=True)
def _orthogonalise_pair(
    columns: NDArray, turns: NDArray, i: int, j: int, negligible: float
) -> bool:
    """Turn columns ``i`` and ``j`` against each other; False if they were orthogonal already."""
    a = b = c = 0.0
    for k in range(columns.shape[0]):
        a += columns[k, i] * columns[k, i]
        b += columns[k, j] * columns[k, j]
        c += columns[k, i] * columns[k, j]
    if abs(c) <= ORTHOGONAL * math.sqrt(a * b) or min(a, b) <= negligible:
        return False
    zeta = (b - a) / (2.0 * c)
    t = math.copysign(1.0, zeta) / (abs(zeta) + math.hypot(1.0, zeta))
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    sine = cosine * t
    for k in range(columns.shape[0]):
        x, y = columns[k, i], columns[k, j]
        columns[k, i], columns[k, j] = cosine * x - sine * y, sine * x + cosine * y
    for k in range(turns.shape[0]):
        x, y = turns[k, i], turns[k, j]
        turns[k, i], turns[k, j] = cosine * x - sine * y, sine * x + cosine * y
    return True


@njit(cache=True, error_model="numpy")
def singular_values(columns: NDArray, sigma: NDArray) -> float:
    """Compute the lengths of orthogonal columns; return their product (the manipulability).

    Args:
        columns: as `orthogonalise` left them, shape (m, n).
        sigma: singular values on return, in no order, shape (n,).
    """
    product = 1.0
    for j in range(columns.shape[1]):
        square = 0.0
        for k in range(columns.shape[0]):
            square += columns[k, j] * columns[k, j]
        sigma[j] = math.sqrt(square)
        product *= sigma[j]
    return product


@njit(cache=True, error_model="numpy", forceinline=True)
def squared_damping(sigma: float, below: float, largest: float) -> float:
    """Compute the squared damping of a direction with this singular value; 0 from ``below`` on.

    Chiaverini, Siciliano & Egeland (1994), "Review of the damped least-squares inverse kinematics
    with experiments on an industrial robot manipulator", law of the damping factor.
    """
    if sigma >= below:
        return 0.0
    part = sigma / below
    return (1.0 - part * part) * largest * largest


@njit(cache=True, error_model="numpy")
def damped_rates(
    columns: NDArray, turns: NDArray, sigma: NDArray, twist: NDArray,
    below: float, largest: float, rates: NDArray,
) -> None:  # fmt: skip
    """Solve A rates = twist by damped least squares, each direction damped by its own value.

    Nakamura & Hanafusa (1986) and Wampler (1986) divide by sigma^2 + lambda^2 in every direction;
    here lambda depends on the direction's sigma, so well-conditioned directions stay exact.

    Args:
        columns: U S of `orthogonalise`, shape (m, n).
        turns: V of `orthogonalise`, shape (n, n).
        sigma: of `singular_values`, shape (n,).
        twist: right side, shape (m,).
        below: singular value under which damping begins.
        largest: damping at the singular value 0.
        rates: the solution, shape (n,).
    """
    rows, n = columns.shape
    for k in range(n):
        rates[k] = 0.0
    for j in range(n):
        square = sigma[j] * sigma[j] + squared_damping(sigma[j], below, largest)
        if square < LOST:
            continue
        along = 0.0
        for k in range(rows):
            along += columns[k, j] * twist[k]
        along /= square
        for k in range(n):
            rates[k] += along * turns[k, j]

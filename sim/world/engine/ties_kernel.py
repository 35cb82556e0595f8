"""Least squares of tied joints, compiled: Householder's QR with columns exchanged.

Golub and Van Loan (2013), Matrix Computations, algorithm 5.4.1. The matrix is kept by columns, so
that loops along them are contiguous. The compiler may not reorder sums: their order would be that
of the processor's vectors, and a recording another on each.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@njit(cache=True, error_model="numpy")
def factor_columns(jacobian: Array, others: Indices, least: float, columns: Array, order: Indices,
             scales: Array, diagonal: Array) -> bool:  # fmt: skip
    """Factor the columns of some freedoms; return whether none of them depends on the others.

    Args:
        jacobian: of the ties, shape (rows, freedoms).
        others: the freedoms, shape (count,), no more than rows.
        least: ratio of the last to the first entry of the diagonal that counts as 0.
        columns: Householder's vectors and what is above the diagonal, shape (count, rows); written.
        order: of the columns, shape (count,); written.
        scales: of Householder's vectors, shape (count,); written.
        diagonal: of R, shape (count,); written.
    """
    count, rows = columns.shape
    squares = np.zeros(count)  # of what is left of each column: only the choice hangs on them
    for index in range(count):
        order[index] = index
        for row in range(rows):
            value = jacobian[row, others[index]]
            columns[index, row] = value
            squares[index] += value * value
    for k in range(count):
        longest = k
        for index in range(k + 1, count):
            if squares[index] > squares[longest]:
                longest = index
        square = 0.0
        for row in range(k, rows):
            square += columns[longest, row] * columns[longest, row]
        if longest != k:
            order[k], order[longest] = order[longest], order[k]
            squares[k], squares[longest] = squares[longest], squares[k]
            for row in range(rows):
                columns[k, row], columns[longest, row] = columns[longest, row], columns[k, row]
        length = math.sqrt(square)
        if k == 0 and length == 0.0:
            return False
        if columns[k, k] > 0.0:
            length = -length
        diagonal[k] = length
        if abs(length) <= least * abs(diagonal[0]):
            return False
        columns[k, k] -= length
        scales[k] = -1.0 / (length * columns[k, k])
        vector = columns[k, k:]
        for index in range(k + 1, count):
            other = columns[index, k:]
            _reflect(vector, scales[k], other)
            squares[index] -= other[0] * other[0]
    return True


@njit(cache=True, inline="always", error_model="numpy")
def _reflect(vector: Array, scale: float, other: Array) -> None:
    """Apply one of Householder's reflections to a vector as long as its own."""
    dot = 0.0
    for row in range(len(vector)):
        dot += vector[row] * other[row]
    dot *= scale
    for row in range(len(vector)):
        other[row] -= dot * vector[row]


@njit(cache=True, error_model="numpy")
def follow(
    entries: Array, driven: Indices, others: Indices, least: float, columns: Array,
    order: Indices, scales: Array, diagonal: Array, rates: Array, found: Array,
) -> bool:  # fmt: skip
    """Factor, and compute the rates of the other freedoms; False if they depend on each other.

    Args:
        entries: of the ties' Jacobian, row by row, and perhaps more behind, flat.
        driven: the freedoms that have rates, shape (driven,).
        rates: of them, shape (driven,).
        found: of all freedoms, shape (freedoms,); written.
    """
    count, rows = columns.shape
    jacobian = entries[: rows * len(found)].reshape(rows, len(found))
    if not factor_columns(jacobian, others, least, columns, order, scales, diagonal):
        return False
    wanted = np.zeros(rows)
    for index in range(len(driven)):
        found[driven[index]] = rates[index]
        for row in range(rows):
            wanted[row] -= jacobian[row, driven[index]] * rates[index]
    for k in range(count):
        _reflect(columns[k, k:], scales[k], wanted[k:])
    for k in range(count - 1, -1, -1):
        value = wanted[k] / diagonal[k]
        found[others[order[k]]] = value
        for row in range(k):
            wanted[row] -= columns[k, row] * value
    return True


@njit(cache=True, error_model="numpy")
def bear(
    entries: Array, driven: Indices, others: Indices, columns: Array, order: Indices,
    scales: Array, diagonal: Array, inertial: Array, bias: Array, passive: Array, found: Array,
) -> None:  # fmt: skip
    """Compute the efforts of the driven freedoms, including what the others ask of them.

    Args:
        entries: as of `follow`.
        inertial: of all freedoms, shape (freedoms,), as the next two.
        bias: weight and velocity terms.
        passive: of damping.
        found: at the driven ones, shape (driven,); written.
    """
    count, rows = columns.shape
    jacobian = entries[: rows * len(inertial)].reshape(rows, len(inertial))
    forces = np.zeros(rows)  # of the ties, less those that do nothing
    for k in range(count):
        at = others[order[k]]
        value = inertial[at] + bias[at] - passive[at]
        for row in range(k):
            value -= columns[k, row] * forces[row]
        forces[k] = value / diagonal[k]
    for k in range(count - 1, -1, -1):
        _reflect(columns[k, k:], scales[k], forces[k:])
    for index in range(len(driven)):
        at = driven[index]
        effort = inertial[at] + bias[at] - passive[at]
        for row in range(rows):
            effort -= jacobian[row, at] * forces[row]
        found[index] = effort

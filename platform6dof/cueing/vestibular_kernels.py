"""Compiled loop of the vestibular models: one linear system over a whole record."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy")
def pass_through(
    phi: Array, before: Array, now: Array, output: Array, through: float, signal: Array, x: Array
) -> Array:
    """y[k] = output x[k] + through u[k], x[k] = phi x[k-1] + before u[k-1] + now u[k].

    Args:
        phi: shape (n, n).
        before: shape (n,).
        now: shape (n,).
        output: shape (n,).
        through: feed-through.
        signal: u, shape (N,).
        x: state at the first sample, shape (n,); becomes that at the last.

    Returns:
        y, shape (N,).
    """
    order = before.size
    new = np.zeros(order)
    y = np.empty(signal.size)
    for k in range(signal.size):
        if k > 0:
            for i in range(order):
                total = before[i] * signal[k - 1] + now[i] * signal[k]
                for j in range(order):
                    total += phi[i, j] * x[j]
                new[i] = total
            for i in range(order):
                x[i] = new[i]
        total = through * signal[k]
        for i in range(order):
            total += output[i] * x[i]
        y[k] = total
    return y

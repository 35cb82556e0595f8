"""Distances between capsules: the arm's links, its column and the table."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

PAIRS = 6
"""Column to forearm and hand, upper arm to hand, table to upper arm, forearm and hand."""


@njit(cache=True, error_model="numpy", forceinline=True)
def _dot(a: Array, b: Array) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def _between(value: float) -> float:
    return min(1.0, max(0.0, value))


@njit(cache=True, error_model="numpy")
def _segments(a0: Array, a1: Array, b0: Array, b1: Array, work: Array) -> float:
    """Smallest distance of two segments [m]; either may be a point. ``work`` has shape (3, 3).

    The distance is convex in both parameters: take the best on the first line, clamp it, take
    the best on the second for it, clamp that, and return to the first.
    """
    u, v, w = work[0], work[1], work[2]
    for i in range(3):
        u[i], v[i], w[i] = a1[i] - a0[i], b1[i] - b0[i], a0[i] - b0[i]
    uu, uv, vv, uw, vw = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    gram = uu * vv - uv * uv
    s = _between((uv * vw - vv * uw) / gram) if gram > 1e-12 * uu * vv else 0.0
    t = _between((uv * s + vw) / vv) if vv > 0.0 else 0.0
    s = _between((uv * t - uw) / uu) if uu > 0.0 else 0.0
    square = 0.0
    for i in range(3):
        square += (w[i] + s * u[i] - t * v[i]) ** 2
    return math.sqrt(square)


@njit(cache=True, error_model="numpy")
def clearances(points: Array, column: Array, radii: Array, out: Array) -> None:
    """Write the free distances of each pair of bodies [m], negative inside, shape (N, 6).

    Args:
        points: shoulder, upper arm's ends, forearm's elbow end, wrist, gripper [m], (N, 6, 3).
        column: foot and head of the column's axis [m], shape (2, 3).
        radii: of column, upper arm, forearm and hand [m], shape (4,).
        out: where to write.
    """
    work = np.empty((3, 3))
    for n in range(points.shape[0]):
        p = points[n]
        out[n, 0] = _segments(column[0], column[1], p[3], p[4], work) - radii[0] - radii[2]
        out[n, 1] = _segments(column[0], column[1], p[4], p[5], work) - radii[0] - radii[3]
        out[n, 2] = _segments(p[1], p[2], p[4], p[5], work) - radii[1] - radii[3]
        out[n, 3] = min(p[1, 2], p[2, 2]) - radii[1]
        out[n, 4] = min(p[3, 2], p[4, 2]) - radii[2]
        out[n, 5] = min(p[4, 2], p[5, 2]) - radii[3]


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    column, radii = np.zeros((2, 3)), np.zeros(4)
    clearances(np.zeros((1, 6, 3)), column, radii, np.empty((1, PAIRS)))

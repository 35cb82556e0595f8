"""Lines through reported and expected values: pairs with a memory, and what their slope says."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEAST_PAIRS: Final = 7.0
"""Fewer intervals say nothing."""
SURE_CORRELATION: Final = 0.85
"""A line with less says nothing."""
SCALE_MOST: Final = 1.8
"""Slopes between this and its inverse are no other unit; knots for m/s are 1.94."""
LEAST_RATE_RAD_S: Final = 0.03
"""The same of rates [rad/s]."""
STILL: Final = 1e-8
"""Square of a rate below which an attitude does not turn."""
RELATED: Final = 0.5
"""Correlation on its own axis with which an axis does not report the motion of another one."""
OTHER_SLOPE: Final = 0.5
"""Slope on another axis from which it is not the small part that an askew sensor shows of it."""
FINE, WRONG_SIGN, WRONG_SCALE, WRONG_AXIS, WRONG_MOTION = 0, 1, 2, 3, 4
"""The last one: sign or scale of a force less its gravity."""


@njit(cache=True, error_model="numpy")
def take_pair(row: Array, x: float, y: float, decay: float) -> None:
    """One more pair of a line: count, sums and squares."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return
    for at in range(6):
        row[at] *= decay
    row[0] += 1.0
    row[1] += x
    row[2] += y
    row[3] += x * x
    row[4] += x * y
    row[5] += y * y


@njit(cache=True, error_model="numpy")
def judge_line(row: Array, least: float, out: Array) -> None:
    """Find slope, correlation and verdict of an axis; NaN where nothing can be said.

    What was wrong is so until the line is believed and right.

    Args:
        row: its sums.
        least: standard deviation that one side must have.
        out: what it was before, and then is.
    """
    out[0], out[1] = math.nan, math.nan
    if out[2] not in (WRONG_SIGN, WRONG_SCALE):
        out[2] = FINE
    n = row[0]
    if n < LEAST_PAIRS:
        return
    xx = max(row[3] / n - (row[1] / n) ** 2, 0.0)
    yy = max(row[5] / n - (row[2] / n) ** 2, 0.0)
    if max(xx, yy) < least * least or xx * yy == 0.0:
        return
    scale = math.sqrt(yy / xx)
    r = (row[4] / n - row[1] * row[2] / (n * n)) / math.sqrt(xx * yy)
    out[0], out[1] = r * scale, r
    if abs(r) < SURE_CORRELATION:
        return
    out[2] = FINE
    if r < 0.0:
        out[2] = WRONG_SIGN
    elif r * scale > SCALE_MOST or scale / r < 1.0 / SCALE_MOST:
        out[2] = WRONG_SCALE


@njit(cache=True, error_model="numpy")
def judge_axis(sums: Array, least: float, axis: int, out: Array, other: Array) -> None:
    """Judge a reported axis against its own, and against the others if they are unrelated.

    Args:
        sums: of its group, shape (9, 6).
        axis: 0, 1, 2.
        out: gets slope, correlation, verdict and the axis that it is found on.
        other: scratch.
    """
    held, slope, on = out[2] == WRONG_AXIS, out[0], out[3]
    row = sums[4 * axis]
    judge_line(row, least, out)
    out[3] = axis
    if held and not abs(out[1]) >= SURE_CORRELATION:
        out[0], out[2], out[3] = slope, WRONG_AXIS, on
    if abs(out[1]) >= RELATED or row[0] < LEAST_PAIRS:
        return
    if row[5] / row[0] - (row[2] / row[0]) ** 2 < least * least:
        return  # so little is no axis' motion
    for j in range(3):
        if j == axis:
            continue
        other[2] = FINE
        judge_line(sums[3 * axis + j], least, other)
        if abs(other[1]) >= SURE_CORRELATION and abs(other[0]) >= OTHER_SLOPE:
            out[0], out[1], out[2], out[3] = other[0], other[1], WRONG_AXIS, j


@njit(cache=True, error_model="numpy")
def judge_still(row: Array, out: Array) -> None:
    """Whether an axis turns by its rate, and not at all by its attitude."""
    n = row[0]
    if n < LEAST_PAIRS or row[5] / n - (row[2] / n) ** 2 < LEAST_RATE_RAD_S**2:
        return
    if row[3] <= STILL * row[5]:
        out[0], out[2] = math.inf, WRONG_SCALE

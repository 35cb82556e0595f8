"""Lines of force over the change of speed, and of rates over that of the attitude, with slope 1.

The lines are fitted interval by interval while a vehicle moves, in compiled code, with a memory of
some 40 s. An interval gives the mean specific force in body axes and in level axes, and a pair for
each axis whose expected value follows from the attitude or the speed:
f = dv/dt - g in north, east, down, or dv/dt + ω × v - g if only speed and rates are known.
If there is an attitude, f + g is compared with dv/dt as well: if a wire gives an acceleration
without gravity, the gravity that is added to it would hide a wrong sign.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit

from platform6dof.cueing.line_fit import (
    FINE,
    LEAST_RATE_RAD_S,
    WRONG_MOTION,
    Array,
    judge_axis,
    judge_line,
    judge_still,
    take_pair,
)

SAMPLES: Final = 5
"""Samples of an interval, its ends included."""
COLUMNS: Final = 16
"""Columns of a sample: force, rates, attitude w, x, y, z, velocity, place."""
AXES: Final = ("f_x", "f_y", "f_z", "p", "q", "r")
DECAY: Final = 0.99
"""Share of the earlier sums that remains after an interval."""
LEAST_FORCE_M_S2: Final = 0.3
"""Standard deviation that one side of a pair of forces must have [m/s²]."""
LINES: Final = 21
"""Lines of a memory: three reported axes of force with three expected ones, the same for rates,
and three forces less gravity."""


@njit(cache=True, error_model="numpy")
def turned(q: Array, v: Array, back: bool, out: Array) -> None:
    """Transform a vector from body axes to north, east, down, or back."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    if back:
        x, y, z = -x, -y, -z
    a = y * v[2] - z * v[1]
    b = z * v[0] - x * v[2]
    c = x * v[1] - y * v[0]
    out[0] = v[0] + 2.0 * (w * a + y * c - z * b)
    out[1] = v[1] + 2.0 * (w * b + z * a - x * c)
    out[2] = v[2] + 2.0 * (w * c + x * b - y * a)


@njit(cache=True, error_model="numpy")
def turning(a: Array, b: Array, out: Array) -> None:
    """Rotation vector in body axes that leads from one attitude to another [rad]."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 if size < 1e-12 else 2.0 * math.atan2(size, w) / size
    out[0], out[1], out[2] = scale * x, scale * y, scale * z


@njit(cache=True, error_model="numpy")
def _take_all(sums: Array, first: int, due: Array, recorded: Array, decay: float) -> None:
    """Add pairs of three axes, each reported one with each expected one."""
    for k in range(3):
        for j in range(3):
            take_pair(sums[first + 3 * k + j], due[j], recorded[k], decay)


@njit(cache=True, error_model="numpy")
def posed_all(block: Array) -> bool:
    """Whether each sample has an attitude: a quaternion of about length 1."""
    posed = True
    for row in block:
        size = row[6] * row[6] + row[7] * row[7] + row[8] * row[8] + row[9] * row[9]
        if not abs(size - 1.0) < 0.2:
            posed = False
    return posed


@njit(cache=True, error_model="numpy")
def _heading(q: Array) -> tuple[float, float]:
    """Cosine and sine of the heading of an attitude; 1 and 0 where the nose points straight up."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    c, s = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
    size = math.sqrt(c * c + s * s)
    return (c / size, s / size) if size > 1e-9 else (1.0, 0.0)


@njit(cache=True, error_model="numpy")
def _means(block: Array, posed: bool, work: Array) -> float:
    """Compute means of an interval by the trapezoid rule; return the largest absolute force.

    Args:
        block: samples.
        posed: whether they have an attitude.
        work: gets the mean force in body axes, rates, force in north, east, down, and force in
            level axes; the last row is scratch.
    """
    last = len(block) - 1
    mean, rates, over, level = work[0, :3], work[1, :3], work[2, :3], work[3, :3]
    for k in range(3):
        mean[k] = rates[k] = over[k] = level[k] = 0.0
    most = 0.0
    for at in range(last + 1):
        share = (0.5 if at in (0, last) else 1.0) / last
        row = block[at]
        for k in range(3):
            mean[k] += share * row[k]
            rates[k] += share * row[3 + k]
            most = max(most, abs(row[k])) if row[k] == row[k] else math.inf
        if posed:
            turned(row[6:10], row[0:3], False, work[4])
            c, s = _heading(row[6:10])
            for k in range(3):
                over[k] += share * work[4, k]
            level[0] += share * (c * work[4, 0] + s * work[4, 1])
            level[1] += share * (c * work[4, 1] - s * work[4, 0])
            level[2] += share * work[4, 2]
    return most


@njit(cache=True, error_model="numpy")
def _take_posed(
    block: Array, lasts_s: float, gravity: float, decay: float, sums: Array, out: Array,
    work: Array,
) -> None:  # fmt: skip
    """Add pairs with attitudes: force and dv/dt - g, rates and turn; fill `out` 6, 8 to 11.

    Both sides of force are used without gravity, too. A force that is not given is assumed to be
    that at rest with this attitude, in `out` 0 to 3.

    Args:
        work: its means, as `_means` leaves them; overwritten.
    """
    last = len(block) - 1
    rates, over, due = work[1, :3], work[2, :3], work[5, :3]
    first, end = block[0], block[last]
    turned(first[6:10], first[10:13], False, work[3])
    turned(end[6:10], end[10:13], False, work[4])
    for k in range(3):
        due[k] = (work[4, k] - work[3, k]) / lasts_s
    middle = block[last // 2, 6:10]
    c, s = _heading(middle)
    out[8] = out[3] - (c * due[0] + s * due[1])
    out[9] = out[4] - (c * due[1] - s * due[0])
    out[10] = out[5] - due[2]
    due[2] -= gravity
    out[6] = math.sqrt(due[0] ** 2 + due[1] ** 2 + due[2] ** 2)
    turned(middle, due, True, work[3])
    turned(middle, over, True, work[4])
    for k in range(3):
        if math.isnan(work[4, k]):  # of a force that is told in part nothing can be turned
            work[4, k] = work[0, k]
    _take_all(sums, 0, work[3], work[4], decay)
    due[0], due[1], due[2] = 0.0, 0.0, gravity
    turned(middle, due, True, work[0])
    for k in range(3):
        if math.isnan(out[k]):
            out[k] = -work[0, k]
        take_pair(sums[18 + k], work[3, k] + work[0, k], work[4, k] + work[0, k], decay)
    turning(first[6:10], end[6:10], due)
    for k in range(3):
        due[k] /= lasts_s
    _take_all(sums, 9, due, rates, decay)


@njit(cache=True, error_model="numpy")
def _take_moving(block: Array, lasts_s: float, decay: float, sums: Array, work: Array) -> None:
    """Add pairs of an interval without attitudes: force and dv/dt + ω × v, none along down.

    Args:
        work: its means, as `_means` leaves them; overwritten.
    """
    last = len(block) - 1
    mean, rates, due = work[0, :3], work[1, :3], work[5, :3]
    for k in range(3):
        due[k] = (block[last, 10 + k] - block[0, 10 + k]) / lasts_s
    v = block[last // 2, 10:13]
    vy = v[1] if math.isfinite(v[1]) else 0.0
    vz = v[2] if math.isfinite(v[2]) else 0.0
    side = due[1] if math.isfinite(due[1]) else 0.0
    due[0] += rates[1] * vz - rates[2] * vy
    due[1] = side + rates[2] * v[0] - rates[0] * vz
    due[2] = math.nan
    _take_all(sums, 0, due, mean, decay)


@njit(cache=True, error_model="numpy")
def interval(
    block: Array, lasts_s: float, gravity: float, decay: float, turns: bool, sums: Array,
    lines: Array, out: Array, work: Array,
) -> int:  # fmt: skip
    """Take in one interval.

    Args:
        block: its samples, shape (SAMPLES, COLUMNS).
        lasts_s: from the first to the last [s].
        gravity: [m/s²].
        decay: share of the earlier sums that remains.
        turns: whether an attitude is certainly given, so that one that never turns is wrong.
        sums: memory, shape (LINES, 6), zeros at first.
        lines: gets slope, correlation, verdict and the axis that it follows, for each of `AXES` and
            for three forces less gravity, shape (9, 4).
        out: gets the mean force in body axes, where an axis that is not given has its value at
            rest with the attitude, and in level axes, 0 to 6; the size of the force that
            the change of speed requires, NaN if the speed is not given; the largest absolute force;
            the mean force in level axes without the change of speed, 8 to 11.
        work: scratch, shape (6, 4).

    Returns:
        Number of wrong lines.
    """
    posed = posed_all(block)
    most = _means(block, posed, work)
    for k in range(3):
        out[k] = work[0, k]
        out[3 + k] = work[3, k] if posed else math.nan
        out[8 + k] = math.nan
    out[6], out[7] = math.nan, most
    if posed:
        _take_posed(block, lasts_s, gravity, decay, sums, out, work)
    else:
        _take_moving(block, lasts_s, decay, sums, work)
    wrong = 0
    for k in range(6):
        least = LEAST_FORCE_M_S2 if k < 3 else LEAST_RATE_RAD_S
        judge_axis(sums[9 * (k // 3) : 9 * (k // 3) + 9], least, k % 3, lines[k], work[0])
        if k < 3 and lines[k, 2] == FINE:
            motion = lines[6 + k]
            judge_line(sums[18 + k], least, motion)
            if motion[2] != FINE:
                lines[k, 0], lines[k, 1], lines[k, 2] = motion[0], motion[1], WRONG_MOTION
        elif turns and k >= 3 and lines[k, 2] == FINE:
            judge_still(sums[9 + 4 * (k - 3)], lines[k])
        wrong += lines[k, 2] != FINE
    return wrong


class Slopes:
    """Sums over all intervals of one source so far."""

    def __init__(self) -> None:
        self._sums, self._work = np.zeros((LINES, 6)), np.zeros((6, 4))
        self.block: Array = np.zeros((SAMPLES, COLUMNS))
        """Samples of the last interval."""
        self.lines: Array = np.full((9, 4), math.nan)
        """Slope, correlation, verdict and the axis that it follows, for each of `AXES` and for
        three forces less gravity."""
        self.out: Array = np.zeros(11)
        """Values of the last interval, as `interval` returns them."""
        self.wrong: int = 0
        """Number of lines with a wrong slope."""

    def take(
        self, block: list[tuple[float, ...]], lasts_s: float, gravity: float, *, turns: bool = False
    ) -> None:
        """Take in one more interval of `SAMPLES` samples.

        Args:
            block: samples.
            lasts_s: from the first to the last [s].
            gravity: [m/s²].
            turns: whether an attitude is certainly given, so that one that never turns is wrong.
        """
        self.block[:] = block
        self.wrong = interval(
            self.block, lasts_s, gravity, DECAY, turns, self._sums, self.lines, self.out,
            self._work,
        )  # fmt: skip


def warm() -> None:
    """Compile the kernel, or load it from the cache."""
    Slopes().take([(0.0,) * COLUMNS] * SAMPLES, 1.0, 1.0)

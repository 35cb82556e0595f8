"""Kernels that evaluate motions, called once per cycle.

All of them are in one file, because a compiled kernel is cached by the date of its own file: a
change in another file that it calls into would go unnoticed.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hil.stations.platform.motion.source import Floats


@njit(cache=True)
def _step(u: float, length_s: float) -> tuple[float, float, float]:
    """Return the window at u of its rise, with its first and second derivative to time."""
    v = 1.0 - u
    w = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    return w, 30.0 * u * u * v * v / length_s, 60.0 * u * v * (v - u) / (length_s * length_s)


@njit(cache=True)
def window(t_s: float, fade_s: Floats) -> tuple[float, float, float]:
    """Return the window of a fade, with its first and second derivative to time.

    Args:
        t_s: Time since the lead-in began [s], within the motion.
        fade_s: Lengths of lead-in, own time and lead-out [s], shape (3,).
    """
    lead_in_s, own_s, lead_out_s = fade_s[0], fade_s[1], fade_s[2]
    if t_s < lead_in_s:
        return _step(t_s / lead_in_s, lead_in_s)
    left_s = lead_in_s + own_s + lead_out_s - t_s
    if left_s < lead_out_s:
        w, rate, acceleration = _step(left_s / lead_out_s, lead_out_s)
        return w, -rate, acceleration
    return 1.0, 0.0, 0.0


@njit(cache=True)
def fade_about(values: Floats, neutral: Floats, t_s: float, fade_s: Floats) -> None:
    """Turn deviations into coordinates, faded, by the product rule and in place.

    Args:
        values: Deviation from neutral, its rate and acceleration, shape (3, 6).
        neutral: Neutral coordinates [m, rad], shape (6,).
        t_s: Time since the lead-in began [s].
        fade_s: Lengths of lead-in, own time and lead-out [s], shape (3,).
    """
    w, dw, ddw = window(t_s, fade_s)
    for axis in range(6):
        x, v, a = values[0, axis], values[1, axis], values[2, axis]
        values[0, axis] = neutral[axis] + w * x
        values[1, axis] = w * v + dw * x
        values[2, axis] = w * a + 2.0 * dw * v + ddw * x


@njit(cache=True)
def sum_of_sines(t_s: float, axis: NDArray[np.int64], sines: Floats) -> Floats:
    """Return the sum of the sines, its rate and acceleration, shape (3, 6).

    Args:
        t_s: Time of the law, of any sign [s].
        axis: Coordinate that each sine belongs to, shape (K,).
        sines: Amplitude [m or rad], angular frequency [rad/s], phase [rad], shape (K, 3).
    """
    values = np.zeros((3, 6))
    for k in range(axis.size):
        amplitude, omega = sines[k, 0], sines[k, 1]
        angle = omega * t_s + sines[k, 2]
        s, c = math.sin(angle), math.cos(angle)
        values[0, axis[k]] += amplitude * s
        values[1, axis[k]] += amplitude * omega * c
        values[2, axis[k]] -= amplitude * omega * omega * s
    return values


@njit(cache=True)
def sum_of_sines_faded(
    t_s: float,
    axis: NDArray[np.int64],
    sines: Floats,
    neutral: Floats,
    fade_s: Floats,
    values: Floats,
) -> None:
    """Write the six coordinates with rate and acceleration, faded.

    It writes rather than returns, because an array is dearer to hand out of a kernel than into it.

    Args:
        t_s: Time since the lead-in began [s].
        axis: Coordinate that each sine belongs to, shape (K,).
        sines: Amplitude [m or rad], angular frequency [rad/s], phase [rad], shape (K, 3).
        neutral: Neutral coordinates [m, rad], shape (6,).
        fade_s: Lengths of lead-in, own time and lead-out [s], shape (3,).
        values: Array to write to, shape (3, 6).
    """
    values[:] = sum_of_sines(t_s - fade_s[0], axis, sines)
    fade_about(values, neutral, t_s, fade_s)


@njit(cache=True)
def polynomial(t_s: float, step_s: float, knots: Floats) -> Floats:
    """Return value, rate and acceleration of the six coordinates, shape (3, 6).

    Each interval is the quintic Hermite polynomial through both its ends.

    Args:
        t_s: Time since the first interval began [s]; the end intervals reach beyond the grid.
        step_s: Grid step [s].
        knots: From `fit_quintic`, shape (N, 6, 3).
    """
    interval = min(max(int(t_s / step_s), 0), knots.shape[0] - 2)
    u = (t_s - interval * step_s) / step_s
    values = np.empty((3, 6))
    for axis in range(6):
        x0, v0, a0 = knots[interval, axis]
        x1, v1, a1 = knots[interval + 1, axis]
        c1, c2 = v0 * step_s, 0.5 * a0 * step_s * step_s
        dx = x1 - x0 - c1 - c2
        dv = (v1 - v0 - a0 * step_s) * step_s
        da = (a1 - a0) * step_s * step_s
        c3 = 10.0 * dx - 4.0 * dv + 0.5 * da
        c4 = -15.0 * dx + 7.0 * dv - da
        c5 = 6.0 * dx - 3.0 * dv + 0.5 * da
        rate = c1 + u * (2.0 * c2 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))
        second = 2.0 * c2 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))
        values[0, axis] = x0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))))
        values[1, axis] = rate / step_s
        values[2, axis] = second / (step_s * step_s)
    return values


@njit(cache=True)
def polynomial_faded(
    t_s: float,
    ahead_s: float,
    step_s: float,
    knots: Floats,
    neutral: Floats,
    fade_s: Floats,
    values: Floats,
) -> None:
    """Write the six coordinates with rate and acceleration, faded.

    Args:
        t_s: Time since the lead-in began [s].
        ahead_s: Time by which the grid begins before the lead-in [s].
        step_s: Grid step [s].
        knots: Knots of the deviation from neutral, from `fit_quintic`, shape (N, 6, 3).
        neutral: Neutral coordinates [m, rad], shape (6,).
        fade_s: Lengths of lead-in, own time and lead-out [s], shape (3,).
        values: Array to write to, shape (3, 6).
    """
    values[:] = polynomial(t_s + ahead_s, step_s, knots)
    fade_about(values, neutral, t_s, fade_s)


@njit(cache=True)
def sum_of_sines_rows(
    times_s: Floats, axis: NDArray[np.int64], sines: Floats, neutral: Floats, fade_s: Floats
) -> Floats:
    """Return what `sum_of_sines_faded` writes for many times, shape (N, 3, 6)."""
    rows = np.empty((times_s.size, 3, 6))
    for k in range(times_s.size):
        sum_of_sines_faded(times_s[k], axis, sines, neutral, fade_s, rows[k])
    return rows


@njit(cache=True)
def polynomial_rows(
    times_s: Floats,
    ahead_s: float,
    step_s: float,
    knots: Floats,
    neutral: Floats,
    fade_s: Floats,
) -> Floats:
    """Return what `polynomial_faded` writes for many times, shape (N, 3, 6)."""
    rows = np.empty((times_s.size, 3, 6))
    for k in range(times_s.size):
        polynomial_faded(times_s[k], ahead_s, step_s, knots, neutral, fade_s, rows[k])
    return rows


def warm() -> None:
    """Compile the kernels for the types that a run calls them with."""
    neutral, fade_s = np.zeros(6), np.ones(3)
    axis, sines = np.zeros(1, dtype=np.int64), np.ones((1, 3))
    knots = np.zeros((2, 6, 3))
    for constant in (neutral, fade_s, axis, sines, knots):
        constant.setflags(write=False)  # as those of a motion are
    window(0.0, fade_s)
    sum_of_sines(0.0, axis, sines)
    values = np.empty((3, 6))
    sum_of_sines_faded(0.0, axis, sines, neutral, fade_s, values)
    polynomial(0.0, 1.0, knots)
    polynomial_faded(0.0, 0.0, 1.0, knots, neutral, fade_s, values)
    times_s = np.zeros(1)
    sum_of_sines_rows(times_s, axis, sines, neutral, fade_s)
    polynomial_rows(times_s, 0.0, 1.0, knots, neutral, fade_s)

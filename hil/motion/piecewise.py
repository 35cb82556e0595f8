"""Six coordinates as polynomials on a uniform grid, and their derivatives, in one kernel."""

import math

import numpy as np
from numba import njit
from scipy.interpolate import make_interp_spline

from hil.motion.fade import fade_about
from hil.motion.source import Floats

DEGREE = 5
"""Quintic, so that position, velocity and acceleration are smooth together (C4)."""


def fit_quintic(samples: Floats, step_s: float) -> Floats:
    """Interpolate uniform samples by the quintic spline with four continuous derivatives.

    The ends are "not a knot": nothing is assumed about derivatives there.

    Args:
        samples: Values at 0, step_s, 2 step_s, ..., shape (N, 6), N at least 6.
        step_s: Grid step [s].

    Returns:
        Coefficients of each interval in the time since it began, lowest power first,
        shape (N - 1, 6, 6): interval, coordinate, power.
    """
    t_s = np.arange(len(samples)) * step_s
    spline = make_interp_spline(t_s, samples, k=DEGREE)
    # All knots are samples, so the Taylor series at the beginning of an interval is the spline.
    series = [spline(t_s[:-1], nu=k) / math.factorial(k) for k in range(DEGREE + 1)]
    coefficients = np.ascontiguousarray(np.stack(series, axis=-1))
    coefficients.setflags(write=False)
    return coefficients


@njit(cache=True)
def evaluate(t_s: float, step_s: float, coefficients: Floats) -> Floats:
    """Return value, rate and acceleration of the six coordinates, shape (3, 6).

    Args:
        t_s: Time since the first interval began [s]; the end intervals reach beyond the grid.
        step_s: Grid step [s].
        coefficients: From `fit_quintic`, shape (N, 6, 6).
    """
    interval = min(max(int(t_s / step_s), 0), coefficients.shape[0] - 1)
    s = t_s - interval * step_s
    values = np.empty((3, 6))
    for axis in range(6):
        x = v = a = 0.0
        for power in range(coefficients.shape[2] - 1, -1, -1):
            a = a * s + 2.0 * v
            v = v * s + x
            x = x * s + coefficients[interval, axis, power]
        values[0, axis], values[1, axis], values[2, axis] = x, v, a
    return values


@njit(cache=True)
def evaluate_faded(
    t_s: float, ahead_s: float, step_s: float, coefficients: Floats, neutral: Floats, fade_s: Floats
) -> Floats:
    """Return the six coordinates with rate and acceleration, faded, shape (3, 6).

    Args:
        t_s: Time since the lead-in began [s].
        ahead_s: How long the grid begins before the lead-in [s].
        step_s: Grid step [s].
        coefficients: Of the deviation from neutral, from `fit_quintic`, shape (N, 6, 6).
        neutral: Neutral coordinates [m, rad], shape (6,).
        fade_s: Lengths of lead-in, own time and lead-out [s], shape (3,).
    """
    values = evaluate(t_s + ahead_s, step_s, coefficients)
    fade_about(values, neutral, t_s, fade_s)
    return values


def warm() -> None:
    """Compile the kernels for the types that a run calls them with."""
    coefficients = fit_quintic(np.zeros((8, 6)), 0.1)
    neutral = np.zeros(6)
    fade_s = np.full(3, 0.1)
    for constant in (neutral, fade_s):
        constant.setflags(write=False)
    evaluate(0.0, 0.1, coefficients)
    evaluate_faded(0.0, 0.0, 0.1, coefficients, neutral, fade_s)

"""Six coordinates as polynomials on a uniform grid, from samples."""

import math

import numpy as np

from hil.stations.platform.motion.source import Floats

DEGREE = 5
"""Quintic, so that position, velocity and acceleration are smooth together (C4)."""


def fit_quintic(samples: Floats, step_s: float) -> Floats:
    """Interpolate uniform samples by the quintic spline with four continuous derivatives.

    The ends are "not a knot": nothing is assumed about derivatives there.

    Args:
        samples: Values at 0, step_s, 2 step_s, ..., shape (N, 6), N at least 6.

    Returns:
        Coefficients of each interval in the time since it began, lowest power first,
        shape (N - 1, 6, 6): interval, coordinate, power.
    """
    from scipy.interpolate import make_interp_spline  # slow to load, and seldom needed

    t_s = np.arange(len(samples)) * step_s
    spline = make_interp_spline(t_s, samples, k=DEGREE)
    # All knots are samples, so the Taylor series at the beginning of an interval is the spline.
    coefficients = np.empty((len(samples) - 1, samples.shape[1], DEGREE + 1))
    for k in range(DEGREE + 1):
        coefficients[:, :, k] = spline(t_s[:-1], nu=k) / math.factorial(k)
    coefficients.setflags(write=False)
    return coefficients

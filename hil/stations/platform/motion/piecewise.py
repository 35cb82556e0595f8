"""Six coordinates as polynomials on a uniform grid, from samples."""

from itertools import pairwise

import numpy as np

from hil.stations.platform.motion.source import Floats

DEGREE = 5
"""Quintic, so that position, velocity and acceleration are smooth together (C4)."""
DERIVATIVES = 3
"""Kept at each sample, the value among them."""

BLOCK = 50_000
"""Intervals fitted at once: the equations of a million would take a third of a gigabyte."""
OVERLAP = 200
"""Samples beside a block that are fitted with it. What an end assumes fades to 0.43 of itself with
each sample (the largest root of the quintic B-spline's symbol), here to 1e-73."""
AT_END = 2 * OVERLAP
"""Samples that tell how a motion begins or ends."""


def fit_quintic(samples: Floats, step_s: float) -> Floats:
    """Interpolate uniform samples by the quintic spline with four continuous derivatives.

    The ends are "not a knot": nothing is assumed about derivatives there.

    Args:
        samples: Values at 0, step_s, 2 step_s, ..., shape (N, 6), N at least 6.

    Returns:
        Value, rate and second derivative at each sample, shape (N, 6, 3): those of both its ends
        make the polynomial of an interval.
    """
    from scipy.interpolate import make_interp_spline  # slow to load, and seldom needed

    intervals = len(samples) - 1
    knots = np.empty((*samples.shape, DERIVATIVES))
    edges = [BLOCK * block for block in range(max(1, intervals // BLOCK))] + [intervals]
    for first, last in pairwise(edges):
        begin, end = max(0, first - OVERLAP), min(intervals, last + OVERLAP)
        t_s = np.arange(begin, end + 1) * step_s
        spline = make_interp_spline(t_s, samples[begin : end + 1], k=DEGREE)
        for k in range(DERIVATIVES):
            knots[first : last + 1, :, k] = spline(t_s[first - begin : last - begin + 1], nu=k)
    knots.setflags(write=False)
    return knots

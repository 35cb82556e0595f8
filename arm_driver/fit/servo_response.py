"""Response of an arm to a set-point that begins to move: parabola, interpolation and servos.

A set-point that goes from rest to an even speed in a parabola of duration 2h is a ramp of slope 1,
averaged over 2h. Interpolation between poses a step apart averages again: over the phases that
its clock can have against the motion, twice over a step. A critically damped servo follows: a
double pole at 2 / lag, whose lag at an even speed is the mean of its response. A ramp, integrated
three times, through such a servo has a closed form (the inverse Laplace transform of
w² / (s⁵ (s + w)²), w = 2 / lag), and each average is a difference of integrals.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def ramp_response(t_s: ArrayLike, blend_s: ArrayLike, step_s: float, lag_s: ArrayLike) -> Array:
    """Way of an arm whose set-point takes up a speed of 1 at time 0.

    Args:
        t_s: times since the middle of the blend [s], shape (M,).
        blend_s: duration of the blend, 2h [s], one or as many, above 0.
        step_s: time between two poses of the interpolation [s], above 0.
        lag_s: of the servo at an even speed [s], one or as many, above 0.

    Returns:
        Speed times time: the way for a speed of 1 [s], shape (M,).
    """
    t, blend = np.asarray(t_s, dtype=np.float64), np.asarray(blend_s, dtype=np.float64)
    w = 2.0 / np.asarray(lag_s, dtype=np.float64)
    response = np.zeros_like(t)
    for sense in (1.0, -1.0):
        for steps, times in ((1.0, 1.0), (0.0, -2.0), (-1.0, 1.0)):
            response += sense * times * _integrated(t + 0.5 * sense * blend + steps * step_s, w)
    return response / (blend * step_s * step_s)


def _integrated(t_s: Array, w: Array) -> Array:
    """The ramp's response, integrated three times [s⁴]."""
    t = np.maximum(t_s, 0.0) * w
    even = (((t / 24.0 - 1.0 / 3.0) * t + 1.5) * t - 4.0) * t + 5.0
    return (even - np.exp(-t) * (t + 5.0)) / w**4

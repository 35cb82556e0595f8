"""Channels of the filters: transfer functions as state-space blocks, discretised by Tustin's rule.

Every block has three states, one input and three outputs: a coordinate and its first and second
derivatives. Through Tustin's rule the outputs belong together exactly: over a cycle of T a
coordinate changes by T/2 times the sum of its rates before and after. No block is integrated
outside of itself, so nothing drifts.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.cueing.parameters import Rotation, Tilt, Translation

Array = NDArray[np.float64]
STATES: Final = 3
OUTPUTS: Final = 3
BLOCK_SIZE: Final = 24
"""Numbers of a packed block: A (3, 3), B (3,), C (3, 3), D (3,), row by row."""


def companion(denominator: ArrayLike, numerators: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """State space of 3 transfer functions with one denominator, in controllable canonical form.

    Args:
        denominator: of s, highest power first, leading coefficient 1, degree at most 3.
        numerators: one row per output, highest power first, degree at most that of the
            denominator, shape (3, degree + 1).

    Returns:
        A (3, 3), B (3,), C (3, 3), D (3,); unused states stay 0.
    """
    den = np.asarray(denominator, np.float64)
    num = np.asarray(numerators, np.float64)
    n = len(den) - 1
    A, B, C = np.zeros((STATES, STATES)), np.zeros(STATES), np.zeros((OUTPUTS, STATES))
    D = num[:, 0].copy()
    A[np.arange(n - 1), np.arange(1, n)] = 1.0
    A[n - 1, :n] = -den[:0:-1]
    B[n - 1] = 1.0
    C[:, :n] = num[:, :0:-1] - D[:, None] * den[:0:-1]
    return A, B, C, D


def tustin(A: Array, B: Array, C: Array, D: Array, period_s: float) -> Array:
    """The packed discrete block of a continuous one, s = 2/T (z - 1)/(z + 1), shape (24,).

    Args:
        A: shape (3, 3).
        B: shape (3,).
        C: shape (3, 3).
        D: shape (3,).
    """
    half = 0.5 * period_s * A
    back = np.linalg.inv(np.eye(len(A)) - half)
    Ad, Bd, Cd = back @ (np.eye(len(A)) + half), period_s * (back @ B), C @ back
    return np.concatenate((Ad.ravel(), Bd, Cd.ravel(), D + 0.5 * (C @ Bd)))


def translation_block(one: Translation, period_s: float) -> Array:
    """Displacement, speed, acceleration from a wanted acceleration, shape (24,)."""
    w, z, wb = one.wn_rad_s, one.damping, one.wb_rad_s
    second = (1.0, 2.0 * z * w, w * w)
    if wb == 0.0:  # the integrator that cancels would grow unseen
        return tustin(*companion(second, ((0, 0, 1), (0, 1, 0), (1, 0, 0))), period_s)
    numerators = ((0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0))
    return tustin(*companion(np.polymul(second, (1.0, wb)), numerators), period_s)


def tilt_block(one: Tilt, period_s: float) -> Array:
    """Tilt, its rate and acceleration from the angle whose gravity is the force, shape (24,)."""
    w, z = one.corner_rad_s, one.damping
    gain = w * w
    numerators = ((0, 0, gain), (0, gain, 0), (gain, 0, 0))
    return tustin(*companion((1.0, 2.0 * z * w, gain), numerators), period_s)


def rotation_block(one: Rotation, period_s: float) -> Array:
    """Angle, its rate, and nothing from a wanted rate, shape (24,).

    The angular acceleration would need the derivative of the input: it is the difference of rates.
    """
    w, z = one.wr_rad_s, one.damping
    if one.order == 1:
        return tustin(*companion((1.0, w), ((0, 1), (1, 0), (0, 0))), period_s)
    numerators = ((0, 1, 0), (1, 0, 0), (0, 0, 0))
    return tustin(*companion((1.0, 2.0 * z * w, w * w), numerators), period_s)


def follower_block(bandwidth_rad_s: float, period_s: float) -> Array:
    """A coordinate that follows another one, with its derivatives, shape (24,).

    (3 w² s + w³) / (s + w)³: no error for a lasting speed.
    """
    w = bandwidth_rad_s
    numerators = ((0, 0, 3 * w**2, w**3), (0, 3 * w**2, w**3, 0), (3 * w**2, w**3, 0, 0))
    return tustin(*companion((1.0, 3 * w, 3 * w**2, w**3), numerators), period_s)

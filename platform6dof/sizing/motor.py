"""Motors of cylinders: torque, power, and what flows back into the resistor."""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

HARDEST_S: Final = 10.0
"""Length of the window for which a braking resistor's short-time power is given [s]."""


def motor_torque_nm(
    force_n: ArrayLike,
    speed_m_s: ArrayLike,
    lead_m: float,
    efficiency: float,
    acceleration_m_s2: ArrayLike = 0.0,
    rotor_kg_m2: float = 0.0,
) -> Array:
    """Torque of the motor that moves a rod against a force [N m].

    T = lead / (2 pi) · F / eta where the motor drives (F v > 0), · F eta where it is driven, plus
    the rotor's inertia times its angular acceleration. Source: Shigley, Mechanical Engineering
    Design, power screws; efficiency taken the same in both directions.

    Args:
        force_n: force of the rod on its load, pushing is positive [N].
        speed_m_s: speed of the rod, outwards is positive [m/s].
        lead_m: path per turn [m].
        efficiency: of the screw, above 0 and at most 1.
        acceleration_m_s2: of the rod [m/s²].
        rotor_kg_m2: inertia of rotor, coupling and screw about the screw's axis [kg m²].
    """
    force, speed = np.asarray(force_n, np.float64), np.asarray(speed_m_s, np.float64)
    share = np.where(force * speed >= 0.0, 1.0 / efficiency, efficiency)
    per_turn = lead_m / (2.0 * math.pi)
    return np.asarray(
        per_turn * force * share + rotor_kg_m2 * np.asarray(acceleration_m_s2) / per_turn
    )


def root_mean_square(values: ArrayLike) -> Array:
    """Root of the mean of the squares over equal steps of time, along the first axis."""
    return np.sqrt((np.asarray(values, np.float64) ** 2).mean(axis=0))


def returned_power_w(force_n: ArrayLike, speed_m_s: ArrayLike, efficiency: float) -> Array:
    """Mechanical power that flows back through the screws [W], 0 where the motors drive."""
    power = np.asarray(force_n, np.float64) * np.asarray(speed_m_s, np.float64)
    return np.maximum(-power, 0.0) * efficiency


def hardest_mean(values: ArrayLike, step_s: float, window_s: float = HARDEST_S) -> float:
    """Greatest mean over any window of a length, of values at equal steps of time.

    A record shorter than the window is divided by the window all the same: nothing comes after it.

    Args:
        values: shape (N,), N above 0.
        step_s: of time [s].
        window_s: length of the window [s].
    """
    row = np.asarray(values, np.float64)
    steps = max(1, round(window_s / step_s))
    if len(row) <= steps:
        return float(row.sum() / steps)
    sums = np.concatenate([[0.0], np.cumsum(row)])
    return float((sums[steps:] - sums[:-steps]).max() / steps)

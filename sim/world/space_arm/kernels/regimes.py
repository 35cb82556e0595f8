"""Regimes of one joint's drive in the scheme of 1993, and their boundaries.

In each regime the equations are linear. A motor is linear, at an end of its voltage or at an end of
its current; that depends on its rate alone, so five intervals of the rate say it all (Belousov
1993, drives). A gear is engaged at one of its faces or free; a motor with friction slides one way,
the other way, or sticks, a regime of the same kind that the original did not have.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    BACK_EMF,
    LOOP_GAIN,
    TORQUE_MAX,
    TORQUE_PER_VOLT,
    VOLTAGE_MAX,
)

Array = NDArray[np.float64]

CURRENT_UP, VOLTAGE_UP, LINEAR, VOLTAGE_DOWN, CURRENT_DOWN = 0, 1, 2, 3, 4
"""Regimes of a motor, from the lowest rate to the highest."""


@njit(cache=True, error_model="numpy")
def _rate_at(drive: Array, j: int, command: float, torque: float) -> float:
    """Compute the rate at which motor ``j`` without a limit of current has a torque [rad/s].

    Of the three straight lines of the torque, the one that is valid is in the middle: the loop's
    voltage is bounded from both sides.
    """
    gain, emf, most = drive[LOOP_GAIN, j], drive[BACK_EMF, j], drive[VOLTAGE_MAX, j]
    voltage = torque / drive[TORQUE_PER_VOLT, j]
    rate = (gain * command - voltage) / (gain + emf)
    if most == np.inf or not abs(gain * (command - rate)) > most:
        return rate
    return ((most if command > rate else -most) - voltage) / emf


@njit(cache=True, error_model="numpy")
def lower_bound(drive: Array, j: int, command: float, regime: int) -> float:
    """Compute the lowest rate of a motor's regime [rad/s]; that of the next one is its highest.

    Args:
        command: rate that is asked for [rad/s].
        regime: one of the five, or 5 for what lies above them.
    """
    if regime <= CURRENT_UP:
        return -np.inf
    if regime > CURRENT_DOWN:
        return np.inf
    most = drive[TORQUE_MAX, j]
    first = _rate_at(drive, j, command, most) if most < np.inf else -np.inf
    last = _rate_at(drive, j, command, -most) if most < np.inf else np.inf
    swing = drive[VOLTAGE_MAX, j] / drive[LOOP_GAIN, j]
    if regime == VOLTAGE_UP:
        return first
    if regime == LINEAR:
        return min(max(command - swing, first), last)
    if regime == VOLTAGE_DOWN:
        return min(max(command + swing, first), last)
    return last


@njit(cache=True, error_model="numpy")
def regime_of(drive: Array, j: int, command: float, rate: float) -> int:
    """Find the regime of motor ``j`` at a rate [rad/s]."""
    regime = CURRENT_UP
    while regime < CURRENT_DOWN and rate > lower_bound(drive, j, command, regime + 1):
        regime += 1
    return regime


@njit(cache=True, error_model="numpy")
def line_of(drive: Array, j: int, command: float, regime: int) -> tuple[float, float]:
    """Find the straight line alpha - beta w of a motor's torque in a regime.

    Returns:
        alpha [N m] and beta [N m s/rad].
    """
    per_volt, emf = drive[TORQUE_PER_VOLT, j], drive[BACK_EMF, j]
    if regime == CURRENT_UP:
        return drive[TORQUE_MAX, j], 0.0
    if regime == CURRENT_DOWN:
        return -drive[TORQUE_MAX, j], 0.0
    if regime == VOLTAGE_UP:
        return per_volt * drive[VOLTAGE_MAX, j], per_volt * emf
    if regime == VOLTAGE_DOWN:
        return -per_volt * drive[VOLTAGE_MAX, j], per_volt * emf
    gain = drive[LOOP_GAIN, j]
    return per_volt * gain * command, per_volt * (gain + emf)


@njit(cache=True, error_model="numpy")
def share_to(before: float, after: float, limit: float) -> float:
    """Compute the part of a step after which a linear quantity is at a limit, 0 to 1."""
    if after == before:
        return 0.0
    return min(max((limit - before) / (after - before), 0.0), 1.0)

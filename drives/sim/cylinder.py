"""Six simulated electro-cylinders: the kernel that moves their rods by one bus cycle.

Each rod is one mass behind a position servo of second order with speed feed-forward. Within a
bus cycle the drive interpolates its setpoint linearly, which is what CiA 402 calls cyclic
synchronous position; the servo's acceleration is limited by the drive and by the force left after
the static load, its speed by the drive, its travel by hard stops. Rods do not know of each other.

The kernel knows arithmetic only. States, goals and faults are the affair of
`drives.sim.bank`, which tells each leg which of four `RodMode`s it moves by.
"""

import math
from enum import IntEnum

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hil_common.legs import LEG_COUNT, SixFloats

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HOMING_SHARE = 0.25
"""Acceleration of the homing move, as a share of what drive and force allow."""
IMPACT_SPEED_M_S = 1e-3
"""A rod that reaches its end stop faster than this has hit it; slower, it has settled on it."""


class RodMode(IntEnum):
    """Law by which a rod moves during a cycle."""

    BRAKE = 0
    SERVO = 1
    RAMP = 2
    HOME = 3
    TRIP = 4


class LegEvent(IntEnum):
    """Bits that the kernel raises for a leg."""

    FOLLOWING = 1
    END_STOP = 2
    HOMED = 4


# Columns of the state array, shape (6, STATE_COLUMNS).
X, V, REF, VREF, FORCE, HOME_FROM, HOME_T, OFFSET = range(8)
STATE_COLUMNS = 8
# Columns of the parameter array, shape (6, PARAMETER_COLUMNS).
(
    OMEGA_SQUARED,  # w^2 [1/s2]
    DAMPING_RATE,  # 2 z w [1/s]
    FEED,  # share of the speed feed-forward that the servo uses
    A_LOW,  # most negative acceleration [m/s2]
    A_HIGH,
    A_BRAKE,
    V_MAX,
    CLOSED,
    OPEN,
    MASS,
    LOAD,
    REFERENCE,
    V_HOME,
    WINDOW,  # following error that the drive itself tolerates [m]
    BLOCKED,  # 1 while the rod is jammed
) = range(15)
PARAMETER_COLUMNS = 15


@njit(cache=True)
def trapezoid(
    t: float, distance: float, speed: float, acceleration: float
) -> tuple[float, float, float, bool]:
    """Evaluate a rest-to-rest move of trapezoidal speed.

    Args:
        t: Time since the move began [s].
        distance: Signed way to go [m].
        speed: Cruising speed [m/s].
        acceleration: Acceleration and deceleration [m/s2].

    Returns:
        Way done [m], speed [m/s] and acceleration [m/s2], signed, and whether the move is over.
    """
    travel = abs(distance)
    sign = 1.0 if distance >= 0.0 else -1.0
    top = min(speed, math.sqrt(travel * acceleration))  # short moves never reach the cruising speed
    ramp = top / acceleration
    cruise = (travel - top * ramp) / top if top > 0.0 else 0.0
    left = 2.0 * ramp + cruise - t
    if left <= 0.0:
        return distance, 0.0, 0.0, True
    if t < ramp:
        return (
            sign * 0.5 * acceleration * t * t,
            sign * acceleration * t,
            sign * acceleration,
            False,
        )
    if left < ramp:
        done = travel - 0.5 * acceleration * left * left
        return sign * done, sign * acceleration * left, -sign * acceleration, False
    return sign * (0.5 * top * ramp + top * (t - ramp)), sign * top, 0.0, False


@njit(cache=True)
def _servo(
    state: Floats, p: Floats, length_m: float, speed_m_s: float, period_s: float, substeps: int
) -> int:
    """Follow the setpoint for one cycle by Runge-Kutta steps of fourth order."""
    h = period_s / substeps
    ref0, slope = state[REF], (length_m - state[REF]) / period_s
    vref0, vslope = state[VREF], (speed_m_s - state[VREF]) / period_s
    w2, damp, feed = p[OMEGA_SQUARED], p[DAMPING_RATE], p[FEED]
    low, high, v_max = p[A_LOW], p[A_HIGH], p[V_MAX]
    x, v, a, event = state[X], state[V], 0.0, 0
    for step in range(substeps):
        t = step * h
        dx = dv = kx = kv = 0.0
        for stage in range(4):  # offsets 0, h/2, h/2, h with weights 1, 2, 2, 1
            offset = 0.0 if stage == 0 else (h if stage == 3 else 0.5 * h)
            weight = 2.0 if stage == 1 or stage == 2 else 1.0
            ref = ref0 + slope * (t + offset)
            vref = feed * (vref0 + vslope * (t + offset))
            xs, vs = x + kx * offset, v + kv * offset
            kx = vs
            kv = min(max(w2 * (ref - xs) + damp * (vref - vs), low), high)
            dx += weight * kx
            dv += weight * kv
        a = dv / 6.0
        if p[BLOCKED] != 0.0:
            v = 0.0
            continue
        x += min(max(dx / 6.0, -v_max), v_max) * h
        v = min(max(v + a * h, -v_max), v_max)
        if (x < p[CLOSED] and v <= 0.0) or (x > p[OPEN] and v >= 0.0):
            if abs(v) > IMPACT_SPEED_M_S:
                event |= 2
            v = 0.0  # inelastic
        x = min(max(x, p[CLOSED]), p[OPEN])
    state[X], state[V] = x, v
    state[REF], state[VREF] = length_m, speed_m_s
    state[FORCE] = p[MASS] * a + p[LOAD]
    if abs(length_m - x) > p[WINDOW]:
        event |= 1
    return event


@njit(cache=True)
def _slow_down(
    state: Floats, p: Floats, low: float, high: float, period_s: float
) -> tuple[float, int]:
    """Brake towards standstill for one cycle; return the mean acceleration [m/s2]."""
    v = 0.0 if p[BLOCKED] != 0.0 else state[V]
    a = low if v > 0.0 else high
    needed = -v / a if v != 0.0 else 0.0  # time to standstill
    lasting = min(needed, period_s)
    x = state[X] + v * lasting + 0.5 * a * lasting * lasting
    v_end = 0.0 if needed <= period_s else v + a * lasting
    event = 0
    if x < p[CLOSED] or x > p[OPEN]:
        event = 2 if abs(v) > IMPACT_SPEED_M_S else 0
        x = min(max(x, p[CLOSED]), p[OPEN])
        v_end = 0.0
    mean = (v_end - v) / period_s
    state[X], state[V] = x, v_end
    state[REF], state[VREF] = x, 0.0
    return mean, event


@njit(cache=True)
def _home(state: Floats, p: Floats, period_s: float) -> int:
    """Continue the move to the reference switch for one cycle."""
    if p[BLOCKED] != 0.0:  # starts afresh from here once the rod is free
        state[HOME_FROM], state[HOME_T], state[V] = state[X], 0.0, 0.0
        return 0
    state[HOME_T] += period_s
    acceleration = HOMING_SHARE * min(-p[A_LOW], p[A_HIGH])
    distance = p[REFERENCE] - state[HOME_FROM]
    travel, v, a, over = trapezoid(state[HOME_T], distance, p[V_HOME], acceleration)
    state[X] = p[REFERENCE] if over else state[HOME_FROM] + travel
    state[V] = v
    state[REF], state[VREF] = state[X], 0.0
    state[FORCE] = p[MASS] * a + p[LOAD]
    return 4 if over else 0


@njit(cache=True)
def advance(
    state: Floats,
    mode: Ints,
    parameters: Floats,
    length_m: SixFloats,
    speed_m_s: SixFloats,
    events: Ints,
    frame: Floats,
    period_s: float,
    substeps: int,
) -> int:
    """Move six rods by one bus cycle.

    Args:
        state: State of the rods, shape (6, STATE_COLUMNS), changed in place.
        mode: `RodMode` of each rod, shape (6,).
        parameters: From `CylinderModel.parameters`, shape (6, PARAMETER_COLUMNS).
        length_m: Setpoints for the end of the cycle, in the true lengths of the rods [m], 6.
        speed_m_s: Speeds for the end of the cycle [m/s], 6.
        events: `LegEvent` bits of each rod, shape (6,), overwritten.
        frame: Measured length [m], speed [m/s] and force [N] of each leg, shape (3, 6),
            overwritten.
        substeps: Integration steps in it.

    Returns:
        All bits of `events` together: 0 when nothing happened.
    """
    happened = 0
    for leg in range(6):
        s, p = state[leg], parameters[leg]
        if mode[leg] == 1:
            event = _servo(s, p, length_m[leg], speed_m_s[leg], period_s, substeps)
        elif mode[leg] == 2 or mode[leg] == 4:
            a, event = _slow_down(s, p, p[A_LOW], p[A_HIGH], period_s)
            held_by_brake = mode[leg] == 4 and s[V] == 0.0
            s[FORCE] = 0.0 if held_by_brake else p[MASS] * a + p[LOAD]
        elif mode[leg] == 3:
            event = _home(s, p, period_s)
        else:
            _, event = _slow_down(s, p, -p[A_BRAKE], p[A_BRAKE], period_s)
            s[FORCE] = 0.0
        events[leg] = event
        frame[0, leg] = s[X] + s[OFFSET]
        frame[1, leg] = s[V]
        frame[2, leg] = s[FORCE]
        happened |= event
    return happened


def warm() -> None:
    """Compile the kernels for the types that the bank calls them with."""
    state = np.zeros((LEG_COUNT, STATE_COLUMNS))
    parameters = np.ones((LEG_COUNT, PARAMETER_COLUMNS))
    mode, events = np.zeros(LEG_COUNT, dtype=np.int64), np.zeros(LEG_COUNT, dtype=np.int64)
    six = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    advance(state, mode, parameters, six, six, events, np.zeros((3, LEG_COUNT)), 0.001, 1)

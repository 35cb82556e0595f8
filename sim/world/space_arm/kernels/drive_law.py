"""One joint's drive within an implicit step: the motor's response to a given rate of its link.

With hs the length of the (sub)step, subscript r its reference values, V and W the rates of link and
motor, and L the wind-up of the gear, the motor obeys

    Jr (W - Wr) = hs (tau_m(W) - tau_f(W) - tau_e(L, W - V)),   L = Lr + hs (W - V).

Every term is monotone in W (Belousov 1993, drives; the contact law is this project's), so W is
unique, and the torque tau_e that the gear passes on never rises with V: that is what makes the
equations of the whole arm the gradient of a convex function.

With inductance, the current obeys L di/dt = u - R i - Ke N W below its limit; at the limit the
amplifier takes back as much voltage as keeps it there. In torques T = N Kt i, with T_s(W) what the
same voltage would give without inductance and x = hs R / L, the step makes of that

    T = clip((T_r + x T_s(W)) / (1 + x)),

the implicit Euler method of a current that is held between its limits. It falls with W as T_s does,
so everything above remains true; without inductance, x is infinite.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    BACK_EMF,
    CLUTCH,
    DAMPING,
    ELASTIC,
    HALF_GAP,
    HOLD,
    INERTIA,
    LOOP_GAIN,
    RIGID_GAP,
    STIFFNESS,
    TORQUE_MAX,
    TORQUE_PER_VOLT,
    VOLTAGE_MAX,
    WINDING,
)

Array = NDArray[np.float64]

ONSET = 5.0
"""Largest rise of a contact's torque, in multiples of its spring's; see `_contact`."""
STUCK_RATE_RAD_S = 1e-9
"""Rate below which a firmly held joint counts as stuck by friction [rad/s]."""
SCALAR_ITERATIONS = 40


@njit(cache=True, error_model="numpy", forceinline=True)
def _unbounded_torque(drive: Array, j: int, w: float, command: float) -> tuple[float, float]:
    """Compute `motor_torque` of an amplifier without a limit of current."""
    voltage = drive[LOOP_GAIN, j] * (command - w)
    fall = drive[LOOP_GAIN, j]
    if voltage > drive[VOLTAGE_MAX, j]:
        voltage, fall = drive[VOLTAGE_MAX, j], 0.0
    elif voltage < -drive[VOLTAGE_MAX, j]:
        voltage, fall = -drive[VOLTAGE_MAX, j], 0.0
    torque = drive[TORQUE_PER_VOLT, j] * (voltage - drive[BACK_EMF, j] * w)
    fall = drive[TORQUE_PER_VOLT, j] * (fall + drive[BACK_EMF, j])
    return torque, fall


@njit(cache=True, error_model="numpy", forceinline=True)
def motor_torque(drive: Array, j: int, w: float, command: float) -> tuple[float, float]:
    """Compute motor ``j``'s torque at rate ``w`` [N m], and its fall with the rate (0 or more).

    Args:
        w: rate of the motor on the joint's side [rad/s].
        command: rate that is asked for [rad/s].
    """
    torque, fall = _unbounded_torque(drive, j, w, command)
    if torque > drive[TORQUE_MAX, j]:
        return drive[TORQUE_MAX, j], 0.0
    if torque < -drive[TORQUE_MAX, j]:
        return -drive[TORQUE_MAX, j], 0.0
    return torque, fall


@njit(cache=True, error_model="numpy", forceinline=True)
def torque_after(
    drive: Array, j: int, hs: float, torque_r: float, w: float, command: float
) -> tuple[float, float]:
    """Compute motor ``j``'s torque at the end of a step, and its fall with the rate (0 or more).

    Without inductance it is `motor_torque`, whatever it was before.

    Args:
        hs: length of the step [s].
        torque_r: torque at the step's reference [N m]; of no meaning without inductance.
        w: rate of the motor at the end of the step [rad/s].
        command: rate that is asked for [rad/s].
    """
    if drive[WINDING, j] == 0.0:
        return motor_torque(drive, j, w, command)
    torque, fall = _unbounded_torque(drive, j, w, command)
    share = hs / (drive[WINDING, j] + hs)
    torque = torque_r + share * (torque - torque_r)
    if torque > drive[TORQUE_MAX, j]:
        return drive[TORQUE_MAX, j], 0.0
    if torque < -drive[TORQUE_MAX, j]:
        return -drive[TORQUE_MAX, j], 0.0
    return torque, share * fall


@njit(cache=True, error_model="numpy", forceinline=True)
def torque_rate(drive: Array, j: int, torque: float, w: float, command: float) -> float:
    """Compute how fast the torque of motor ``j``, with inductance, changes [N m/s].

    At the limit of current it goes no further.

    Args:
        torque: present torque of the motor [N m].
        w: rate of the motor [rad/s].
        command: rate that is asked for [rad/s].
    """
    change = (_unbounded_torque(drive, j, w, command)[0] - torque) / drive[WINDING, j]
    outward = torque >= drive[TORQUE_MAX, j] and change > 0.0
    if outward or (torque <= -drive[TORQUE_MAX, j] and change < 0.0):
        return 0.0
    return change


@njit(cache=True, error_model="numpy", forceinline=True)
def gear_torque(drive: Array, j: int, windup: float, rate: float, hs: float) -> tuple[float, float]:
    """Compute the torque through elastic gear ``j`` [N m], and its rise with the rate in a step.

    In the gap there is none. At a face it is spring and mesh damping, never pulling; at the onset,
    where the damping would make it jump, it is bounded by `ONSET` times the spring. All of it is
    the smaller or the larger of straight lines that rise with wind-up and rate, hence monotone.
    Without a gap it is a plain spring with a damper. A clutch passes on no more than its torque.

    Args:
        windup: angle of the motor ahead of the link [rad].
        rate: the motor's rate relative to the link's [rad/s].
        hs: length of the step, through which the wind-up depends on the rate [s].
    """
    gap, stiffness = drive[HALF_GAP, j], drive[STIFFNESS, j]
    side = 1.0 if windup >= 0.0 else -1.0
    if gap == 0.0:
        torque = stiffness * windup + drive[DAMPING, j] * rate
        rise = stiffness * hs + drive[DAMPING, j]
        side = 1.0 if torque >= 0.0 else -1.0
        torque = abs(torque)
    else:
        depth = side * windup - gap
        if depth <= 0.0:
            return 0.0, 0.0
        torque = stiffness * depth + drive[DAMPING, j] * side * rate
        if torque <= 0.0:
            return 0.0, 0.0
        rise = stiffness * hs + drive[DAMPING, j]
        if torque > ONSET * stiffness * depth:
            torque = ONSET * stiffness * depth
            rise = ONSET * stiffness * hs
    if torque > drive[CLUTCH, j]:
        return side * drive[CLUTCH, j], 0.0
    return side * torque, rise


@njit(cache=True, error_model="numpy", forceinline=True)
def _motor_rate(
    drive: Array,
    j: int,
    hs: float,
    reference: float,
    command: float,
    load: float,
    guess: float,
    windup_r: float,
    link: float,
    coupled: bool,
    torque_r: float,
) -> tuple[float, float, float, float]:
    """Solve the motor's equation without its friction: bracketed Newton.

    Every term is made of straight pieces, so the step from within the right pieces is exact; from
    a guess that is exact there is none.

    Args:
        hs: length of the step [s].
        reference: rate at the step's reference [rad/s].
        command: rate that is asked for [rad/s].
        load: torque against the motor besides the gear's, friction for one [N m].
        guess: where to begin [rad/s].
        windup_r: wind-up at the step's reference [rad].
        link: rate of the link [rad/s].
        coupled: whether the elastic gear acts on the motor.
        torque_r: the motor's torque at the step's reference, for `torque_after` [N m].

    Returns:
        The rate [rad/s]; Jr + hs beta [kg m2], the slope without the gear's part; the gear's torque
        [N m] and how it rises with the rate.
    """
    inertia = drive[INERTIA, j]
    low, high = -math.inf, math.inf
    w = guess
    slope, gear, rise = inertia, 0.0, 0.0
    for _ in range(SCALAR_ITERATIONS):
        torque, fall = torque_after(drive, j, hs, torque_r, w, command)
        slope = inertia + hs * fall
        if coupled:
            gear, rise = gear_torque(drive, j, windup_r + hs * (w - link), w - link, hs)
        rest = inertia * (w - reference) - hs * (torque - load) + hs * gear
        if rest > 0.0:
            high = w
        else:
            low = w
        step = rest / (slope + hs * rise)
        if abs(step) <= 1e-14 + 1e-13 * abs(w):
            break
        w -= step
        if not low < w < high:  # as when two straight pieces throw it to and fro
            w = 0.5 * (low + high)
    return w, slope, gear, rise


@njit(cache=True, error_model="numpy", forceinline=True)
def _firm_friction(w: float, dry: float) -> tuple[float, float]:
    """Dry friction of a firm hold [N m] and its slope: sticking is a very slow creep."""
    if dry == 0.0:
        return 0.0, 0.0
    if w > STUCK_RATE_RAD_S:
        return dry, 0.0
    if w < -STUCK_RATE_RAD_S:
        return -dry, 0.0
    return dry * (w / STUCK_RATE_RAD_S), dry / STUCK_RATE_RAD_S


@njit(cache=True, error_model="numpy")
def _firm(
    drive: Array,
    j: int,
    hs: float,
    w: float,
    reference: float,
    command: float,
    dry: float,
    torque_r: float,
) -> tuple[float, float]:
    """Torque [N m] that a motor passes on if it has to run at rate ``w``, and its fall with it."""
    torque, fall = torque_after(drive, j, hs, torque_r, w, command)
    friction, creep = _firm_friction(w, dry)
    passed = torque - friction - drive[INERTIA, j] * (w - reference) / hs
    return passed, drive[INERTIA, j] / hs + fall + creep


@njit(cache=True, error_model="numpy")
def _sprung(
    drive: Array,
    j: int,
    hs: float,
    reference: float,
    windup_r: float,
    command: float,
    dry: float,
    link: float,
    guess: float,
    torque_r: float,
) -> tuple[float, float, float, float]:
    """Compute `gear_torque_of_motor` for an elastic gear."""
    load = 0.0
    if dry > 0.0:
        gear, rise = gear_torque(drive, j, windup_r - hs * link, -link, hs)
        stall_torque = torque_after(drive, j, hs, torque_r, 0.0, command)[0]
        push = drive[INERTIA, j] * reference + hs * stall_torque - hs * gear
        if abs(push) <= hs * dry:
            return gear, rise, 0.0, 0.0
        load = dry if push > 0.0 else -dry
    w, slope, gear, rise = _motor_rate(
        drive, j, hs, reference, command, load, guess, windup_r, link, True, torque_r
    )
    whole = slope + hs * rise
    return gear, rise * slope / whole, w, hs * rise / whole


@njit(cache=True, error_model="numpy")
def free_rate(
    drive: Array,
    j: int,
    hs: float,
    reference: float,
    command: float,
    dry: float,
    load: float,
    torque_r: float,
) -> float:
    """Compute the rate of a motor that a given torque acts on, whatever its link does [rad/s].

    A motor that sticks creeps, as `_firm` has it.

    Args:
        hs: length of the step [s].
        reference: the motor's rate at the step's reference [rad/s].
        command: rate that is asked for [rad/s].
        dry: dry friction of motor and brake [N m].
        load: torque against the motor besides its friction [N m].
        torque_r: the motor's torque at the step's reference, for `torque_after` [N m].
    """
    if dry > 0.0:
        torque, fall = torque_after(drive, j, hs, torque_r, 0.0, command)
        push = drive[INERTIA, j] * reference + hs * (torque - load)
        if abs(push) <= hs * dry:
            return push / (drive[INERTIA, j] + hs * (fall + dry / STUCK_RATE_RAD_S))
        load += dry if push > 0.0 else -dry
    return _motor_rate(
        drive, j, hs, reference, command, load, reference, 0.0, 0.0, False, torque_r
    )[0]


@njit(cache=True, error_model="numpy")
def gear_torque_of_motor(
    drive: Array,
    j: int,
    hs: float,
    reference: float,
    windup_r: float,
    command: float,
    dry: float,
    link: float,
    side: float,
    guess: float,
    torque_r: float,
) -> tuple[float, float, float, float]:
    """Compute the torque of gear ``j`` on its link, its fall with the link's rate, and the motor.

    Args:
        hs: length of the step [s].
        reference: the motor's rate at the step's reference, on the joint's side [rad/s].
        windup_r: wind-up at the step's reference [rad].
        command: rate that is asked for [rad/s].
        dry: dry friction of motor and brake [N m].
        link: rate of the link at the end of the step [rad/s].
        side: which face of a rigid gap may touch: 1, -1, or 0 for none; else of no meaning.
        guess: behind an elastic gear, about the motor's rate; in a rigid gap, exactly the rate at
            which it runs there, `free_rate` without a load; else of no meaning [rad/s].
        torque_r: the motor's torque at the step's reference, for `torque_after` [N m].

    Returns:
        Torque [N m], its fall [N m s/rad] (0 or more), rate of the motor [rad/s], and how much of
        the link's rate that follows (0 to 1).
    """
    if drive[HOLD, j] == ELASTIC:
        return _sprung(drive, j, hs, reference, windup_r, command, dry, link, guess, torque_r)
    w = link
    if drive[HOLD, j] == RIGID_GAP and drive[HALF_GAP, j] > 0.0:
        face = side * drive[HALF_GAP, j]
        if side == 0.0 or side * (windup_r + hs * (guess - link) - face) <= 0.0:
            return 0.0, 0.0, guess, 0.0
        w = link + (face - windup_r) / hs
    torque, fall = _firm(drive, j, hs, w, reference, command, dry, torque_r)
    if abs(torque) <= drive[CLUTCH, j]:
        return torque, fall, w, 1.0
    torque = math.copysign(drive[CLUTCH, j], torque)
    w = free_rate(drive, j, hs, reference, command, dry, torque, torque_r)
    return torque, 0.0, w, 0.0

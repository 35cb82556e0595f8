"""Compiled steps of the cueing filters: no allocation, all memory is passed in.

Inside, axes are forward, right, down; what is written is forward, left, up (`cue`). A kernel is
called from machine code of others as well, so it takes numbers and arrays only.
"""

import math
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Table of numbers of the classical filter, one flat array.
SCALES: Final = 0  # six of: curve, gain, most, input_most, c2, c3
SCALE_SIZE: Final = 6
BLOCKS: Final = 36  # eight packed blocks: x y z, pitch roll by tilt, roll pitch yaw by rates
BLOCK_SIZE: Final = 24
TILT: Final = BLOCKS + 8 * BLOCK_SIZE  # most, rate, acceleration
GRAVITY: Final = TILT + 3
PERIOD: Final = TILT + 4
TURNS: Final = TILT + 5  # 1 if tilt turns the force too
TABLE_SIZE: Final = TILT + 6

# Memory of the classical filter, one flat array of zeros at the beginning.
STATES: Final = 0  # eight of three
LIMITER: Final = 24  # pitch, roll: angle, rate, whether it follows freely, its offset
ANGLES: Final = 32  # roll, pitch, yaw of the rotation channel
RATES: Final = 35  # their rates
MEMORY_SIZE: Final = 38
WORK_SIZE: Final = 48
"""Numbers of scratch memory."""


@njit(cache=True, error_model="numpy")
def _scaled(table: Array, at: int, u: float) -> float:
    """Scale and limit (Reid and Nahon, UTIAS 296): clipped, or a cubic."""
    most = table[at + 2]
    if table[at] == 0.0:
        return min(most, max(-most, table[at + 1] * u))
    size = min(abs(u), table[at + 3])
    y = size * (table[at + 1] + size * (table[at + 4] + size * table[at + 5]))
    return math.copysign(min(y, most), u)


@njit(cache=True, error_model="numpy")
def _block(table: Array, at: int, memory: Array, of: int, u: float, out: Array, to: int) -> None:
    """One step of a packed block; three outputs from ``to`` on."""
    a, b, c = memory[of], memory[of + 1], memory[of + 2]
    for k in range(3):
        row = at + 12 + 3 * k
        out[to + k] = (
            table[row] * a + table[row + 1] * b + table[row + 2] * c + table[at + 21 + k] * u
        )
    for k in range(3):
        row = at + 3 * k
        memory[of + k] = (
            table[row] * a + table[row + 1] * b + table[row + 2] * c + table[at + 9 + k] * u
        )


@njit(cache=True, error_model="numpy")
def _limited(table: Array, memory: Array, of: int, out: Array, at: int) -> None:
    """Follow an angle with its derivatives no faster than allowed; in place.

    Without a limit of acceleration: at most rate · T a cycle. With one: the rate goes to that of
    the angle and what closes the gap by half the acceleration, and then on together; the little
    that is left (a quarter of the acceleration times T²) stays as an offset, so that angle, rate
    and acceleration belong together to rounding all the time.
    """
    rate, most, period = table[TILT + 1], table[TILT + 2], table[PERIOD]
    if math.isinf(rate):
        return
    angle, speed = memory[of], memory[of + 1]
    wanted, wanted_rate = out[at], out[at + 1]
    if math.isinf(most):
        step = wanted - angle
        if abs(step) > rate * period:
            out[at + 1] = math.copysign(rate, step)
            out[at] = angle + out[at + 1] * period
            out[at + 2] = 0.0
        memory[of], memory[of + 1] = out[at], out[at + 1]
        return
    free = abs(wanted_rate) <= rate and abs(wanted_rate - speed) <= most * period
    gap = wanted - (angle + 0.5 * period * (speed + wanted_rate))
    if free and memory[of + 2] == 0.0 and abs(gap) <= 0.25 * most * period * period:
        memory[of + 2], memory[of + 3] = 1.0, -gap
    elif not free:
        memory[of + 2] = 0.0
    if memory[of + 2] == 1.0:
        out[at] = wanted + memory[of + 3]
        out[at + 2] = (wanted_rate - speed) / period if abs(out[at + 2]) > most else out[at + 2]
    else:
        brake = 0.5 * most
        soft = 4.0 * brake * period
        closing = math.copysign(math.sqrt(2.0 * brake * abs(gap) + soft * soft) - soft, gap)
        new = min(rate, max(-rate, wanted_rate + closing))
        new = min(speed + most * period, max(speed - most * period, new))
        out[at] = angle + 0.5 * period * (speed + new)
        out[at + 1] = new
        out[at + 2] = (new - speed) / period
    memory[of], memory[of + 1] = out[at], out[at + 1]


@njit(cache=True, error_model="numpy")
def _body(work: Array, at: int, to: int) -> None:
    """Angular velocity and acceleration in body axes from roll, pitch, yaw and derivatives.

    Args:
        at: of roll, pitch, yaw; their rates and second derivatives follow.
        to: of p, q, r; their derivatives follow.
    """
    s, c = math.sin(work[at]), math.cos(work[at])
    sp, cp = math.sin(work[at + 1]), math.cos(work[at + 1])
    dr, dp, dy = work[at + 3], work[at + 4], work[at + 5]
    ddr, ddp, ddy = work[at + 6], work[at + 7], work[at + 8]
    work[to] = dr - dy * sp
    work[to + 1] = dp * c + dy * s * cp
    work[to + 2] = -dp * s + dy * c * cp
    work[to + 3] = ddr - ddy * sp - dy * dp * cp
    work[to + 4] = ddp * c - dp * dr * s + ddy * s * cp + dy * dr * c * cp - dy * dp * s * sp
    work[to + 5] = -ddp * s - dp * dr * c + ddy * c * cp - dy * dr * s * cp - dy * dp * c * sp


@njit(cache=True, error_model="numpy")
def _turned(angles: Array, at: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of the turned axes in the axes before: Rz(yaw) Ry(pitch) Rx(roll) times it."""
    s, c = math.sin(angles[at]), math.cos(angles[at])
    y, z = c * y - s * z, s * y + c * z
    s, c = math.sin(angles[at + 1]), math.cos(angles[at + 1])
    x, z = c * x + s * z, c * z - s * x
    s, c = math.sin(angles[at + 2]), math.cos(angles[at + 2])
    return c * x - s * y, s * x + c * y, z


@njit(cache=True, error_model="numpy")
def _returned(angles: Array, at: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The other way round: a vector of the axes before in the turned axes."""
    s, c = math.sin(angles[at + 2]), math.cos(angles[at + 2])
    x, y = c * x + s * y, c * y - s * x
    s, c = math.sin(angles[at + 1]), math.cos(angles[at + 1])
    x, z = c * x - s * z, s * x + c * z
    s, c = math.sin(angles[at]), math.cos(angles[at])
    return x, c * y + s * z, c * z - s * y


@njit(cache=True, error_model="numpy")
def compose(work: Array, rows: Array) -> None:
    """Write attitude rows of the product of two rotations; tilt turns about the turned axes.

    Args:
        work: 0 to 8: roll, pitch, yaw of the rotation, their rates, their second derivatives [rad];
            9 to 17: the same of the tilt; the rest is scratch, shape (48,).
        rows: where to write alpha, beta, gamma [rad] and derivatives, columns 3 to 5, shape (3, 6).
    """
    _body(work, 0, 18)
    _body(work, 9, 24)
    tp, tq, tr = work[24], work[25], work[26]
    p, q, r = _returned(work, 9, work[18], work[19], work[20])
    dp, dq, dr = _returned(work, 9, work[21], work[22], work[23])
    dp += work[27] - (tq * r - tr * q)
    dq += work[28] - (tr * p - tp * r)
    dr += work[29] - (tp * q - tq * p)
    p, q, r = p + tp, q + tq, r + tr
    x0, x1, x2 = _turned(work, 9, 1.0, 0.0, 0.0)
    x0, x1, x2 = _turned(work, 0, x0, x1, x2)
    y0, y1, y2 = _turned(work, 9, 0.0, 1.0, 0.0)
    y0, y1, y2 = _turned(work, 0, y0, y1, y2)
    z0, z1, z2 = _turned(work, 9, 0.0, 0.0, 1.0)
    z0, z1, z2 = _turned(work, 0, z0, z1, z2)
    cp = math.hypot(x0, x1)
    sp = -x2
    s, c = y2 / cp, z2 / cp
    roll_rate = p + (q * s + r * c) * sp / cp
    pitch_rate = q * c - r * s
    yaw_rate = (q * s + r * c) / cp
    across = dq * s + dr * c + (q * c - r * s) * roll_rate  # derivative of q s + r c
    ddyaw = (across + yaw_rate * sp * pitch_rate) / cp
    ddpitch = dq * c - dr * s - (q * s + r * c) * roll_rate
    ddroll = dp + ddyaw * sp + yaw_rate * cp * pitch_rate
    rows[0, 3], rows[0, 4], rows[0, 5] = (
        -math.atan2(x1, x0),
        -math.atan2(sp, cp),
        math.atan2(y2, z2),
    )
    rows[1, 3], rows[1, 4], rows[1, 5] = -yaw_rate, -pitch_rate, roll_rate
    rows[2, 3], rows[2, 4], rows[2, 5] = -ddyaw, -ddpitch, ddroll


@njit(cache=True, error_model="numpy")
def _rotation_channels(
    p: float, q: float, r: float, table: Array, memory: Array, work: Array
) -> None:
    """Roll, pitch, yaw of the rotation channels, their rates and second derivatives, 0 to 8."""
    s, c = math.sin(memory[ANGLES]), math.cos(memory[ANGLES])
    sp, cp = math.sin(memory[ANGLES + 1]), math.cos(memory[ANGLES + 1])
    yaw = (q * s + r * c) / cp
    work[18], work[19], work[20] = p + yaw * sp, q * c - r * s, yaw
    for k in range(3):
        most = table[SCALES + SCALE_SIZE * (3 + k) + 2]
        rate = min(most, max(-most, work[18 + k]))
        _block(table, BLOCKS + BLOCK_SIZE * (5 + k), memory, STATES + 15 + 3 * k, rate, work, 21)
        work[k], work[3 + k] = work[21], work[22]
        work[6 + k] = (work[22] - memory[RATES + k]) / table[PERIOD]
        memory[ANGLES + k], memory[RATES + k] = work[21], work[22]


@njit(cache=True, error_model="numpy")
def _tilt_channels(fx: float, fy: float, table: Array, memory: Array, work: Array) -> None:
    """Roll, pitch, yaw of the tilt, their rates and second derivatives, 9 to 17."""
    most, g = table[TILT], table[GRAVITY]
    pitch = math.asin(min(1.0, max(-1.0, fx / g)))
    pitch = min(most, max(-most, pitch))
    roll = -math.asin(min(1.0, max(-1.0, fy / (g * math.cos(pitch)))))
    roll = min(most, max(-most, roll))
    _block(table, BLOCKS + BLOCK_SIZE * 3, memory, STATES + 9, pitch, work, 18)
    _limited(table, memory, LIMITER, work, 18)
    _block(table, BLOCKS + BLOCK_SIZE * 4, memory, STATES + 12, roll, work, 21)
    _limited(table, memory, LIMITER + 4, work, 21)
    for k in range(3):
        work[9 + 3 * k], work[10 + 3 * k], work[11 + 3 * k] = work[21 + k], work[18 + k], 0.0


@njit(cache=True, error_model="numpy")
def classical(
    fx: float, fy: float, fz: float, p: float, q: float, r: float, weight: float,
    table: Array, memory: Array, work: Array, rows: Array,
) -> bool:  # fmt: skip
    """One cycle of the classical filter, six axes.

    Args:
        fx: specific force forward, with fy right and fz down [m/s²].
        p: roll rate, with q pitch and r yaw [rad/s].
        weight: share of what differs from rest that is wanted.
        table: numbers of the filter, shape (TABLE_SIZE,).
        memory: changed, shape (MEMORY_SIZE,).
        work: scratch, shape (WORK_SIZE,).
        rows: where to write the deviation from neutral and derivatives, shape (3, 6).

    Returns:
        Whether the input is finite; nothing is changed if it is not.
    """
    if not (math.isfinite(fx) and math.isfinite(fy) and math.isfinite(fz)):
        return False
    if not (math.isfinite(p) and math.isfinite(q) and math.isfinite(r) and math.isfinite(weight)):
        return False
    g = table[GRAVITY]
    fx = _scaled(table, SCALES, weight * fx)
    fy = _scaled(table, SCALES + SCALE_SIZE, weight * fy)
    fz = _scaled(table, SCALES + 2 * SCALE_SIZE, weight * (fz + g))
    p = _scaled(table, SCALES + 3 * SCALE_SIZE, weight * p)
    q = _scaled(table, SCALES + 4 * SCALE_SIZE, weight * q)
    r = _scaled(table, SCALES + 5 * SCALE_SIZE, weight * r)
    _rotation_channels(p, q, r, table, memory, work)
    _tilt_channels(fx, fy, table, memory, work)
    fz -= g
    if table[TURNS] != 0.0:
        fx, fy, fz = _turned(work, 9, fx, fy, fz)
    fx, fy, fz = _turned(work, 0, fx, fy, fz)
    for k in range(3):
        one = fx if k == 0 else fy if k == 1 else fz + g
        _block(table, BLOCKS + BLOCK_SIZE * k, memory, STATES + 3 * k, one, work, 18)
        sign = 1.0 if k == 0 else -1.0
        rows[0, k], rows[1, k], rows[2, k] = sign * work[18], sign * work[19], sign * work[20]
    compose(work, rows)
    return True


@njit(cache=True, error_model="numpy")
def classical_rows(
    force: Array,
    omega: Array,
    weights: Array,
    table: Array,
    memory: Array,
    work: Array,
    rows: Array,
) -> int:
    """Many cycles of `classical`, one after the other.

    Args:
        force: shape (N, 3) [m/s²].
        omega: shape (N, 3) [rad/s].
        weights: shape (N,).
        rows: where to write, shape (N, 3, 6).

    Returns:
        The first cycle whose input is not finite; N if all are.
    """
    for n in range(len(force)):
        if not classical(
            force[n, 0], force[n, 1], force[n, 2], omega[n, 0], omega[n, 1], omega[n, 2],
            weights[n], table, memory, work, rows[n],
        ):  # fmt: skip
            return n
    return len(force)


def warm() -> None:
    """Compile the kernels for the types that a run calls them with."""
    table = np.zeros(TABLE_SIZE)
    table[PERIOD] = table[GRAVITY] = 1.0
    table.setflags(write=False)
    memory, work = np.zeros(MEMORY_SIZE), np.zeros(WORK_SIZE)
    classical(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, table, memory, work, np.empty((3, 6)))
    rows = np.zeros((1, 3))
    classical_rows(rows, rows, np.ones(1), table, memory, work, np.empty((1, 3, 6)))

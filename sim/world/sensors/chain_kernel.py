"""One reading from the measurements, compiled; `sim.world.sensors.sensor_chain` has the order."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

BIAS, SHARE, QUANTISATION = 0, 1, 2
"""Rows of the defects."""


@njit(cache=True, error_model="numpy")
def begin_values(values: Array, begun: Flags, filtered: Array, history: Array) -> None:
    """Fill the history of values measured for the first time, as if they had held for ever."""
    for index in range(len(values)):
        if not begun[index]:
            filtered[index] = values[index]
            history[:, index] = values[index]


@njit(cache=True, error_model="numpy")
def turn_axes(values: Array, quaternions: Indices, turns: Array) -> None:
    """Turn axes about their own x, y, z.

    Args:
        values: of a reading, shape (values,); written.
        quaternions: places of w, x, y, z, shape (count, 4).
        turns: as quaternions, shape (count, 4).
    """
    for index in range(len(quaternions)):
        at = quaternions[index]
        ow, ox, oy, oz = values[at[0]], values[at[1]], values[at[2]], values[at[3]]
        w, x, y, z = turns[index]
        values[at[0]] = ow * w - ((ox * x + oy * y) + oz * z)
        values[at[1]] = ow * x + w * ox + (oy * z - oz * y)
        values[at[2]] = ow * y + w * oy + (oz * x - ox * z)
        values[at[3]] = ow * z + w * oz + (ox * y - oy * x)


@njit(cache=True, error_model="numpy")
def filter_values(
    values: Array, share: Array, cut_axes: Indices, boundless: bool, filtered: Array
) -> None:
    """Step all low-pass filters; axes turn the shorter way and stay of length 1.

    Args:
        values: of a reading, shape (values,); written.
        share: of the difference that is covered, shape (values,); 1 without a filter.
        cut_axes: places of axes that are filtered, shape (count, 4).
        boundless: whether a value may be infinite, which passes at once.
        filtered: what the filters had last, shape (values,); written.
    """
    for at in cut_axes:
        dot = 0.0
        for part in at:
            dot += values[part] * filtered[part]
        if dot < 0.0:
            for part in at:
                values[part] = -values[part]
    for index in range(len(values)):
        if share[index] < 1.0:
            new, old = values[index], filtered[index]
            change = new - old
            if boundless and not (math.isfinite(new) and math.isfinite(old)):
                old, change = new, 0.0
            filtered[index] = old + share[index] * change
            values[index] = filtered[index]
    for at in cut_axes:
        square = 0.0
        for part in at:
            square += filtered[part] * filtered[part]
        length = math.sqrt(square)
        for part in at:
            filtered[part] /= length
            values[part] = filtered[part]


@njit(cache=True, error_model="numpy")
def read_sensors(
    measured: Array,
    defects: Array,
    delay: Indices,
    quaternions: Indices,
    cut_axes: Indices,
    boundless: bool,
    biased: Array,
    step: int,
    drawn: int,
    noises: Array,
    turnings: Array,
    losses: Flags,
    begun: Flags,
    filtered: Array,
    history: Array,
    readings: Array,
    values: Array,
) -> None:
    """Compute the next reading.

    Args:
        measured: in this step, without defects, shape (values,).
        defects: rows `BIAS`, `SHARE` and `QUANTISATION`, shape (3, values).
        delay: whole steps, shape (values,).
        quaternions: places of axes, shape (axes, 4).
        cut_axes: those of them that are filtered, shape (count, 4).
        boundless: whether a value that is filtered may be infinite.
        biased: of the axes, as quaternions, shape (axes, 4); shape (0, 4) without.
        step: readings taken before.
        drawn: row of this step in the three that follow.
        noises: of each step, shape (steps, values).
        turnings: likewise of the axes, as quaternions, shape (steps, axes, 4); of no axes without.
        losses: values that stay as in the last reading, shape (steps, values).
        begun: which have been measured before, shape (values,).
        filtered: what the filters had last, shape (values,); written.
        history: measured before, shape (depth, values); written.
        readings: the last reading, shape (values,); the next one is written there.
        values: work array, shape (values,).
    """
    bias, noise, turns, lost = defects[BIAS], noises[drawn], turnings[drawn], losses[drawn]
    for index in range(len(values)):
        values[index] = measured[index] + bias[index]
    if len(biased):
        turn_axes(values, quaternions, biased)
    begin_values(values, begun, filtered, history)
    filter_values(values, defects[SHARE], cut_axes, boundless, filtered)
    depth = len(history)
    row = step % depth
    for index in range(len(values)):
        history[row, index] = values[index]
        values[index] = history[row - delay[index], index] + noise[index]  # below 0: from its end
    if len(turns):
        turn_axes(values, quaternions, turns)
    quanta = defects[QUANTISATION]
    for index in range(len(values)):
        if quanta[index] != 0.0:
            values[index] = np.rint(values[index] / quanta[index]) * quanta[index]
        if not (lost[index] and begun[index]):
            readings[index] = values[index]

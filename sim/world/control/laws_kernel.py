"""Efforts of joints from errors, compiled; see `sim.world.control.laws`."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True)
def efforts(
    table: Array, period_s: float, wanted: Array, wanted_speeds: Array, found: Array,
    found_speeds: Array, needed: Array, integral: Array, out: Array,
) -> None:  # fmt: skip
    """Compute PID and the model's effort, within the limits.

    Args:
        table: effort per error, per error and second, per error of speed, and greatest effort,
            shape (4, drives).
        period_s: from call to call.
        wanted: positions, shape (drives,), as all that follow.
        wanted_speeds: their rates.
        found: positions.
        found_speeds: their rates.
        needed: effort of the model.
        integral: of the errors; written. Held where the effort is at its limit.
        out: shape (drives,); written.
    """
    kp, ki, kd, most = table[0], table[1], table[2], table[3]
    for index in range(len(out)):
        error = wanted[index] - found[index]
        slip = wanted_speeds[index] - found_speeds[index]
        asked = kp[index] * error + integral[index] + kd[index] * slip + needed[index]
        effort = min(max(asked, -most[index]), most[index])
        if asked == effort or not asked * error > 0.0:
            integral[index] += ki[index] * error * period_s
        out[index] = effort

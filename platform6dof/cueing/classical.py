"""The classical washout: what is quick by moving, what lasts by tilting, rates by turning.

Conrad and Schmidt, NASA CR-1601, 1970; Reid and Nahon, UTIAS reports 296, 307 and 319, 1985-86.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.cueing import kernels
from platform6dof.cueing.blocks import rotation_block, tilt_block, translation_block
from platform6dof.cueing.cue import Rows
from platform6dof.cueing.parameters import (
    PERIOD,
    ClassicalParameters,
    CueingError,
    Scales,
)
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState

Array = NDArray[np.float64]


def scales_table(force: Scales, rates: Scales) -> Array:
    """Scale and limit of six channels for the kernels, shape (36,)."""
    rows = [
        (float(one.curve), one.gain, one.most, one.input_most, *one.cubic())
        for one in (*force, *rates)
    ]
    return np.array(rows).ravel()


def classical_table(parameters: ClassicalParameters, period_s: float) -> Array:
    """All numbers of the filter for `kernels.classical`, read-only, shape (TABLE_SIZE,).

    Args:
        period_s: of the loop [s].

    Raises:
        CueingError: if the period is out of its bounds.
    """
    PERIOD.check("period_s", period_s)
    tilt = parameters.tilt
    blocks = [translation_block(one, period_s) for one in parameters.translation]
    blocks += [tilt_block(tilt, period_s)] * 2
    blocks += [rotation_block(one, period_s) for one in parameters.rotation]
    last = (
        tilt.most_rad, tilt.rate_rad_s, tilt.acceleration_rad_s2,
        GRAVITY_M_S2, period_s, float(parameters.tilt_turns_force),
    )  # fmt: skip
    table = np.concatenate((scales_table(parameters.force, parameters.rates), *blocks, last))
    table.setflags(write=False)
    return table


class Classical:
    """The classical filter at the rate of a loop.

    Args:
        parameters: its numbers.
        period_s: of the loop [s].

    Raises:
        CueingError: if the period is out of its bounds.
    """

    def __init__(self, parameters: ClassicalParameters, period_s: float) -> None:
        self.parameters: ClassicalParameters = parameters
        """What it was made of."""
        self.period_s: float = period_s
        """Of the loop [s]."""
        self._table: Array = classical_table(parameters, period_s)
        self._memory: Array = np.zeros(kernels.MEMORY_SIZE)
        self._work: Array = np.zeros(kernels.WORK_SIZE)

    def reset(self) -> None:
        """Return to neutral, as if the vehicle had always been level."""
        self._memory[:] = 0.0

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Compute the platform's rows of this cycle; see `cue.CueingFilter`.

        Raises:
            CueingError: if the force, the rates or the weight are not finite; nothing moved.
        """
        rows = np.empty((3, 6))
        x, y, z = state.f_m_s2
        p, q, r = state.omega_rad_s
        if not kernels.classical(  # one type of numbers, so that nothing compiles in a cycle
            float(x), float(y), float(z), float(p), float(q), float(r), float(weight),
            self._table, self._memory, self._work, rows,
        ):  # fmt: skip
            raise not_finite(state, weight)
        return rows

    def ride(
        self, f_m_s2: ArrayLike, omega_rad_s: ArrayLike, weight: ArrayLike = 1.0
    ) -> NDArray[np.float64]:
        """Many cycles at once, one after the other; the same as a `step` for each.

        Args:
            f_m_s2: specific force at the head, shape (N, 3).
            omega_rad_s: angular velocity, shape (N, 3).
            weight: shape (N,), or one for all.

        Returns:
            Deviations from neutral and their derivatives, shape (N, 3, 6).

        Raises:
            CueingError: with the first row that is not finite.
        """
        force = np.ascontiguousarray(f_m_s2, np.float64)
        omega = np.ascontiguousarray(omega_rad_s, np.float64)
        if force.ndim != 2 or force.shape != omega.shape or force.shape[1] != 3:
            text = f"force has shape {force.shape}, rates {omega.shape}"
            raise CueingError(f"{text}: both must be (N, 3)")
        weights = np.ascontiguousarray(np.broadcast_to(np.asarray(weight, float), len(force)))
        if not weights.flags.writeable:
            weights = weights.copy()
        rows = np.empty((len(force), 3, 6))
        args = (self._table, self._memory, self._work, rows)
        bad = kernels.classical_rows(force.copy(), omega.copy(), weights, *args)
        if bad < len(force):
            text = f"row {bad}: force {force[bad].tolist()} m/s2, rates {omega[bad].tolist()} rad/s"
            raise CueingError(f"{text}, weight {weights[bad]}: each must be finite")
        return rows


def not_finite(state: VehicleState, weight: float) -> CueingError:
    """The refusal of an input that is not finite."""
    text = f"force {state.f_m_s2} m/s2, rates {state.omega_rad_s} rad/s, weight {weight}"
    return CueingError(f"{text}: each must be finite")

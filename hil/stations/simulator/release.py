"""What a filter is told while a source fades in and out: the fade is no manoeuvre of the vehicle.

Force and rates are wanted by a weight that falls to 0 in 0.3 s. A filter that is told just that
feels a car lost in a bend straighten at once: it kicks across, and its tilt jumps home. So of what
is faded out, the part of the force that had lasted is let go slowly, along (1 + t/τ) exp(-t/τ); what
was quick, and all rates, end with the weight. A pose that comes in is let go likewise, all of it:
its speed ends with the weight, and the platform comes home after that.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from hil.stations.simulator.head import Floats
from platform6dof.cueing.attitude import rotated_by, vector_between
from platform6dof.cueing.vehicle import REST, VehicleFlags, VehicleState

RELEASE_S: Final = 0.6
"""τ: of what is let go a quarter is left after 2.7 τ, a twentieth after 4.7 τ [s]."""
LASTED_S: Final = 0.2
"""Time constant of the mean that tells what of a force had lasted [s]."""
NOTHING: Final = 1e-12
"""Less than this is not held any more [m/s², m, rad]."""
_REST_FORCE = np.array(REST.f_m_s2)
_LEVEL: Final = (1.0, 0.0, 0.0, 0.0)


class Release:
    """Fades a vehicle's motion in and out, cycle by cycle.

    Args:
        period_s: of a cycle [s].
    """

    def __init__(self, period_s: float) -> None:
        self._step = period_s / RELEASE_S
        self._keep = math.exp(-self._step)
        self._follow = -math.expm1(-period_s / LASTED_S)
        self.reset()

    def reset(self) -> None:
        """Nothing was wanted so far."""
        self._weight = 0.0
        self._lasting: Floats = np.zeros(3)
        self._held: Floats = np.zeros((2, 6))

    def step(self, state: VehicleState, weight: float) -> VehicleState:
        """What the filter is to be told in this cycle.

        Args:
            state: complete and finite.
            weight: share of it that is wanted, 0 to 1.
        """
        posed = VehicleFlags.POSE in state.flags
        whole = _pose(state) if posed else np.array(state.f_m_s2) - _REST_FORCE
        lost, self._weight = self._weight - weight, weight
        held = self._held
        held[1] = self._keep * (held[1] + self._step * held[0])
        held[0] *= self._keep
        if posed:
            held[0] += lost * whole
        else:
            self._lasting += self._follow * (whole - self._lasting)
            held[0, :3] += lost * self._lasting
        if float(np.abs(held).max()) < NOTHING:
            held[:] = 0.0
            if weight == 1.0:
                return state
        if posed:
            told = weight * whole + held[0] + held[1]
            x, y, z, *turn = told.tolist()
            return replace(state, position_m=(x, y, z), attitude=rotated_by(tuple(turn)))
        x, y, z = (_REST_FORCE + weight * whole + held[0, :3] + held[1, :3]).tolist()
        p, q, r = state.omega_rad_s
        rates = (weight * p, weight * q, weight * r)
        return replace(state, f_m_s2=(x, y, z), omega_rad_s=rates)


def _pose(state: VehicleState) -> Floats:
    """Place [m] and turn, axis times angle [rad], shape (6,)."""
    return np.array((*state.position_m, *vector_between(_LEVEL, state.attitude)))

"""The optimal washout at the rate of a loop: the four W(s) of `optimal_washout` as one block."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.classical import not_finite
from platform6dof.cueing.cue import Rows
from platform6dof.cueing.optimal_washout import OptimalParameters, Washout, diagonal, plane
from platform6dof.cueing.parameters import ANGLE_SUM_MAX_RAD, PERIOD, CueingError
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState

Array = NDArray[np.float64]
_SETTLED_S: Final = 200.0
"""Time after which an impulse response has decayed [s]."""


class Optimal:
    """The optimal filter at the rate of a loop; four planes, one block.

    Args:
        parameters: its numbers.
        period_s: of the loop [s].

    Raises:
        CueingError: if the period is out of its bounds, an equation is not solved, or an input
            within its limits could turn the platform too far.
    """

    def __init__(self, parameters: OptimalParameters, period_s: float) -> None:
        PERIOD.check("period_s", period_s)
        self.parameters: OptimalParameters = parameters
        """What it was made of."""
        self.planes: tuple[Washout, Washout, Washout, Washout] = (
            plane(parameters, "pitch"),
            plane(parameters, "roll"),
            plane(parameters, None),
            plane(parameters, "yaw", moves=False),
        )
        """Surge with pitch (q, f_x), sway with roll (-p, f_y), heave, yaw."""
        discrete = [_discrete(one, period_s) for one in self.planes]
        _check_reach(parameters, discrete, period_s)
        self._A, self._B, self._C, self._D = (
            diagonal([one[k] for one in discrete]) for k in range(4)
        )
        self._period_s = period_s
        self._x: Array = np.zeros(len(self._A))
        self._rates: Array = np.zeros(3)

    def reset(self) -> None:
        """Return to neutral, as if the vehicle had always been level."""
        self._x[:] = 0.0
        self._rates[:] = 0.0

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Compute the platform's rows of this cycle; see `cue.CueingFilter`.

        Raises:
            CueingError: if the force, the rates or the weight are not finite; nothing moved.
        """
        six = (*state.f_m_s2, *state.omega_rad_s)
        if not (math.isfinite(weight) and all(map(math.isfinite, six))):
            raise not_finite(state, weight)
        force, rates = self.parameters.force, self.parameters.rates
        fx, fy = force[0].limited(weight * six[0]), force[1].limited(weight * six[1])
        fz = force[2].limited(weight * (six[2] + GRAVITY_M_S2))
        p, q, r = (s.limited(weight * w) for s, w in zip(rates, six[3:], strict=True))
        u = np.array([q, fx, -p, fy, fz, r])
        y = self._C @ self._x + self._D @ u
        self._x = self._A @ self._x + self._B @ u
        rows = np.empty((3, 6))
        rows[:, 0], rows[:, 1], rows[:, 2] = y[:3], -y[5:8], -y[10:13]
        # y: x v a θ θ' of surge, of sway with minus roll; z v a of heave; ψ ψ' of yaw
        rows[:2, 3], rows[:2, 4], rows[:2, 5] = -y[13:], -y[3:5], -y[8:10]
        rows[2, 3:] = (rows[1, 3:] - self._rates) / self._period_s
        self._rates[:] = rows[1, 3:]
        return rows


def _discrete(one: Washout, period_s: float) -> tuple[Array, Array, Array, Array]:
    """The same by Tustin's rule."""
    eye = np.eye(len(one.A))
    back = np.linalg.inv(eye - 0.5 * period_s * one.A)
    Ad, Bd = back @ (eye + 0.5 * period_s * one.A), period_s * (back @ one.B)
    return Ad, Bd, one.C @ back, one.D + 0.5 * (one.C @ Bd)


def _check_reach(
    parameters: OptimalParameters,
    discrete: list[tuple[Array, Array, Array, Array]],
    period_s: float,
) -> None:
    """Refuse what could turn too far: the sum of |impulse response| times the largest inputs."""
    force = [one.most for one in parameters.force]
    rates = [one.most for one in parameters.rates]
    cases = ((0, 3, (rates[1], force[0])), (1, 3, (rates[0], force[1])), (3, 0, (rates[2],)))
    for number, row, most in cases:
        A, B, C, D = discrete[number]
        # the impulse response at every 20 ms represents all that is between
        reach = float(np.abs(D[row]) @ most)
        coarse = max(1, round(0.02 / period_s))
        step = np.linalg.matrix_power(A, coarse)
        x = B.copy()
        for _ in range(round(_SETTLED_S / (coarse * period_s))):
            reach += coarse * float(np.abs(C[row] @ x) @ most)
            x = step @ x
        if reach > ANGLE_SUM_MAX_RAD:
            text = "optimal: its largest force and rate can turn the platform by "
            text += f"{math.degrees(reach):.3g} deg, {math.degrees(ANGLE_SUM_MAX_RAD):g} at most: "
            text += "a smaller force_most_m_s2 or rate_most_deg_s is needed"
            raise CueingError(text, "optimal")

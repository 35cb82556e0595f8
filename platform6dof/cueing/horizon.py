"""A plan's horizon: what does not change from plan to plan, worked out once.

To the accelerations of a motion that is there already, something is added that is straight between
knots, and 0 at the first and the last; what it is at the inner knots are the unknowns. So position,
speed and acceleration of a coordinate at step k are ``free + moves @ unknowns`` with the same
matrices for all six. What the organs feel and should not is linear in them, too: near neutral

    f_x = a_x - g beta,  f_y = a_y + g gamma,  f_z = a_z,  p = gamma',  q = beta',  r = alpha'

in the rider's axes forward, left, up. Each organ is run exactly for errors that are straight
between steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.vehicle import GRAVITY_M_S2
from platform6dof.cueing.vestibular import SensoryModel, VestibularModel, discrete

Array = NDArray[np.float64]

_POSITION, _SPEED, _ACCELERATION = 0, 1, 2
FELT_OF: Final = (
    ((_ACCELERATION, 0, 1.0), (_POSITION, 4, -GRAVITY_M_S2)),
    ((_ACCELERATION, 1, 1.0), (_POSITION, 5, GRAVITY_M_S2)),
    ((_ACCELERATION, 2, 1.0),),
    ((_SPEED, 5, 1.0),),
    ((_SPEED, 4, 1.0),),
    ((_SPEED, 3, 1.0),),
)
"""Per felt axis: order of the derivative, coordinate, factor."""
ORDER: Final = 3
"""States kept per organ; one with fewer leaves the last at 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Organs:
    """The six organs as recursions of one period; see `plan_kernels.sense`."""

    phi: Array
    """Shape (6, 3, 3)."""
    before: Array
    """Shape (6, 3)."""
    now: Array
    """Shape (6, 3)."""
    output: Array
    """Shape (6, 3)."""

    @classmethod
    def of(cls, model: VestibularModel, period_s: float) -> Organs:
        """Those of a model at a period [s].

        Raises:
            ValueError: an organ has more than three states, or passes its input straight through.
        """
        phi, rest = np.zeros((6, ORDER, ORDER)), np.zeros((3, 6, ORDER))
        for axis, organ in enumerate(model.organs):
            _set_organ(organ, period_s, phi[axis], rest[:, axis])
        return cls(phi, rest[0].copy(), rest[1].copy(), rest[2].copy())


def _set_organ(organ: SensoryModel, period_s: float, phi: Array, rest: Array) -> None:
    transition, before, now, output, through = discrete(organ, period_s)
    order = len(output)
    if order > ORDER or through:
        raise ValueError(f"an organ with {order} states and feed-through {through} is not planned")
    phi[:order, :order] = transition
    for row, value in zip(rest, (before, now, output), strict=True):
        row[:order] = value


class Horizon:
    """The constant part of the quadratic program.

    Args:
        parameters: of the algorithm.
        model: of the inner ear.
    """

    def __init__(self, parameters: MpcParameters, model: VestibularModel) -> None:
        step, knots = parameters.step_s, parameters.knots
        self.steps: int = knots[-1]
        self.times_s: Array = step * np.arange(self.steps + 1, dtype=np.float64)
        self.knots_s: Array = step * np.array(knots, dtype=np.float64)
        self.unknowns: int = len(knots) - 2
        """Of one coordinate."""
        self.organs: Organs = Organs.of(model, step)
        hats = np.array([np.interp(self.times_s, self.knots_s, one) for one in np.eye(len(knots))])
        courses = np.stack([_twice_summed(hat, step) for hat in hats], axis=2)
        self.moves: Array = np.ascontiguousarray(courses[:, :, 1:-1])
        """Position, speed, acceleration at each step by the unknowns, shape (N + 1, 3, n)."""
        self._hats = hats.T  # (N + 1, n + 2)
        self._prepare(parameters)

    def _prepare(self, parameters: MpcParameters) -> None:
        """Weighted residuals and the Hessian.

        Residuals: what the organs feel and should not, shape 6 N, then positions, speeds and
        accelerations, shape 18 N.
        """
        n, count = self.unknowns, self.steps
        felt_weight = np.sqrt(
            parameters.step_s * np.array(parameters.force_weight + parameters.rate_weight)
        )
        self._of_state: list[Array] = []
        self._of_error: list[Array] = []
        blocks: list[Array] = []
        for axis, terms in enumerate(FELT_OF):
            by_state, by_error = _responses(self.organs, axis, count)
            by_state *= felt_weight[axis]
            by_error *= felt_weight[axis]
            self._of_state.append(by_state)
            self._of_error.append(by_error)
            block = np.zeros((count, 6 * n))
            for order, coordinate, factor in terms:
                part = by_error @ (factor * self.moves[:, order])
                block[:, coordinate * n : (coordinate + 1) * n] -= part
            blocks.append(block)
        weights = (  # the platform's turns are yaw, pitch, roll
            parameters.position_weight + parameters.angle_weight[::-1],
            parameters.speed_weight + parameters.turning_weight[::-1],
            (parameters.effort_weight,) * 3 + (parameters.turn_effort_weight,) * 3,
        )
        self._effort = np.sqrt(parameters.step_s * np.array(weights))  # (3, 6)
        for order in range(3):
            for coordinate in range(6):
                block = np.zeros((count, 6 * n))
                part = self._effort[order, coordinate] * self.moves[1:, order]
                block[:, coordinate * n : (coordinate + 1) * n] = part
                blocks.append(block)
        self._residuals = np.vstack(blocks)
        self.hessian: Array = np.asfortranarray(self._residuals.T @ self._residuals)

    def spread(self, at_knots: Array) -> Array:
        """Values at all steps of what is straight between knots, (n + 2, 6) to (N + 1, 6)."""
        return self._hats @ at_knots

    def constant(self, free: Array, wanted: Array, organs: Array) -> Array:
        """The residuals while all unknowns are 0.

        Args:
            free: deviation and two derivatives at each step then, shape (N + 1, 3, 6).
            wanted: force and rates less rest, at each step, shape (N + 1, 6).
            organs: what the organs' states are at the beginning, of the errors, shape (6, 3).
        """
        parts: list[Array] = []
        for axis, terms in enumerate(FELT_OF):
            error = wanted[:, axis].copy()
            for order, coordinate, factor in terms:
                error -= factor * free[:, order, coordinate]
            parts.append(self._of_state[axis] @ organs[axis] + self._of_error[axis] @ error)
        effort = (free[1:] * self._effort).transpose(1, 2, 0).reshape(-1)
        return np.concatenate([*parts, effort])

    def gradient(self, constant: Array) -> Array:
        """Gradient of half the sum of squares where all unknowns are 0, shape (6 n,)."""
        return self._residuals.T @ constant

    def cost(self, constant: Array, unknowns: Array) -> float:
        """Half the sum of squares of the weighted residuals."""
        residual = constant + self._residuals @ unknowns
        return 0.5 * float(residual @ residual)


def _twice_summed(acceleration: Array, step_s: float) -> Array:
    """Position, speed, acceleration from rest for one that is straight between steps, (N, 3)."""
    out = np.zeros((len(acceleration), 3))
    out[:, 2] = acceleration
    for k in range(1, len(acceleration)):
        a, b = acceleration[k - 1], acceleration[k]
        x, v = out[k - 1, :2]
        out[k, 0] = x + step_s * v + step_s * step_s * (2.0 * a + b) / 6.0
        out[k, 1] = v + step_s * (a + b) / 2.0
    return out


def _responses(organs: Organs, axis: int, count: int) -> tuple[Array, Array]:
    """Output of an organ at steps 1 to N by its state and by the errors at steps 0 to N."""
    phi, output = organs.phi[axis], organs.output[axis]
    by_state, row = np.empty((count, ORDER)), output
    for k in range(count):
        row = row @ phi
        by_state[k] = row
    said_before = np.concatenate([[output], by_state]) @ organs.before[axis]
    said_now = np.concatenate([[output], by_state]) @ organs.now[axis]
    by_error = np.zeros((count, count + 1))
    for k in range(1, count + 1):
        for j in range(1, k + 1):
            by_error[k - 1, j] += said_now[k - j]
            by_error[k - 1, j - 1] += said_before[k - j]
    return by_state, by_error

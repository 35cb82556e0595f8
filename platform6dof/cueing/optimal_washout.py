"""The optimal washout: the linear filter that costs least in felt error, travel and effort.

Sivan, Ish-Shalom, Huang, "An optimal control approach to the design of moving flight simulators",
IEEE Trans. SMC 12 (1982); Telban, Cardullo, NASA CR-2005-213747. The states are those of the
sensory organs of the error x_e, the platform's x_d (integral of x, x, v, θ) and a coloured noise
x_n for the vehicle's motion, x_n' = −G x_n + G w. Here the vehicle's specific force itself is the
input, not its acceleration, so its attitude need not be known: the error of the otoliths is that of
x" + g θ − f. The Riccati equation gives u_s = −K x, which is reduced to u_s = W(s) u_a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_continuous_are, solve_continuous_lyapunov

from platform6dof.cueing.parameters import (
    CORNER,
    CueingError,
    ParameterRange,
    Scale,
    Scales,
    check_scales,
)
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Array = NDArray[np.float64]
RESIDUAL_MAX: Final = 1e-8
"""Largest entry that the Riccati equation may leave."""
WEIGHT: Final = ParameterRange(1e-6, 1e6, "")
OTOLITH: Final = (0.4, 13.2, 5.33)
"""K, TA, TL of K (TA s + 1) / (TL s + 1) (Young and Meiry; Reid and Nahon), without the short lag:
with it the optimum would answer what is quicker than the lag with kicks that nobody feels."""
CANAL_TL_S: Final = {"roll": 6.1, "pitch": 5.3, "yaw": 10.2}
CANAL_TA_S: Final = 30.0
"""TL and TA of TL TA s² / ((TL s + 1)(TA s + 1)) (Reid and Nahon), likewise without its lag."""


@dataclass(frozen=True, slots=True)
class OptimalWeights:
    """Weights of the cost; each is above 0."""

    force: float = 2.0
    """Weight of the otoliths' error [1/(m/s²)²]."""
    rate: float = 100.0
    """Weight of the canals' error [1/(rad/s)²]."""
    drift: float = 1.0
    """Weight of the integral of the displacement [1/(m s)²]."""
    travel: float = 10.0
    """Weight of the displacement [1/m²]."""
    speed: float = 1.0
    """Weight of the displacement's rate [1/(m/s)²]."""
    angle: float = 6.0
    """Weight of the turn [1/rad²]."""
    turning: float = 5.0
    """Weight of the turn's rate [1/(rad/s)²]."""
    acceleration: float = 0.1
    """Weight of the displacement's acceleration [1/(m/s²)²]."""


_FORCE: Final = Scale(0.3, 3.0)
_RATE: Final = Scale(0.3, math.radians(20.0))


@dataclass(frozen=True, slots=True)
class OptimalParameters:
    """Parameters of the optimal washout.

    Raises:
        CueingError: with the name, the value and its bounds.
    """

    force: Scales = (_FORCE, _FORCE, _FORCE)
    """Scales of f_x, f_y, f_z less what they are at rest [m/s²]."""
    rates: Scales = (_RATE, _RATE, _RATE)
    """Scales of p, q, r [rad/s]."""
    noise_rad_s: float = 1.0
    """G, the corner of the noise that represents the vehicle's motion [rad/s]."""
    weights: OptimalWeights = field(default_factory=OptimalWeights)
    """Weights of the cost."""

    def __post_init__(self) -> None:
        check_scales(self.force, self.rates)
        CORNER.check("optimal.noise_rad_s", self.noise_rad_s)
        for name in OptimalWeights.__slots__:
            WEIGHT.check(f"optimal.{name}_weight", getattr(self.weights, name))


@dataclass(frozen=True, slots=True, eq=False)
class Washout:
    """W(s) of one plane: x' = A x + B u_a; C x + D u_a gives x, v, a and, or, θ, θ'."""

    A: Array
    """Shape (n, n)."""
    B: Array
    """Shape (n, m)."""
    C: Array
    """Shape (outputs, n)."""
    D: Array
    """Shape (outputs, m)."""
    residual: float
    """Largest entry that the Riccati equation leaves."""

    @property
    def slowest_per_s(self) -> float:
        """Largest real part of a pole [1/s]; below 0 of a stable one."""
        return float(np.linalg.eigvals(self.A).real.max())


def plane(parameters: OptimalParameters, turn: str | None, *, moves: bool = True) -> Washout:
    """W(s) of one plane.

    Args:
        turn: "roll", "pitch" or "yaw" as far as it turns; None for heave.
        moves: whether it has a displacement; not for yaw.

    Raises:
        CueingError: if the Riccati equation has no stabilising solution, or too coarse a one.
    """
    A, B, Ce, De, Ad, weights = _stacked(parameters, turn, moves)
    n, m = B.shape
    w = parameters.weights
    Q = np.diag([w.rate] * (turn is not None) + [w.force] * moves)
    R = np.diag([w.turning] * (turn is not None) + [w.acceleration] * moves)
    G = parameters.noise_rad_s * np.eye(m)
    # x = (x_e with x_d, x_n); the error's input is u_s − x_n.
    A = np.block([[A, Ad], [np.zeros((m, n)), -G]])
    B = np.vstack([B, np.zeros((m, m))])
    Cx = np.hstack([Ce, -De])
    R2 = R + De.T @ Q @ De
    R12 = Cx.T @ Q @ De
    cost = Cx.T @ Q @ Cx + np.diag(np.concatenate([weights, np.zeros(m)]))
    P, residual = _riccati(A, B, cost, R2, R12)
    K = np.asarray(np.linalg.solve(R2, B.T @ P + R12.T), np.float64)
    K1, K2 = K[:, :n], K[:, n:]
    inner = A[:n, :n] - B[:n] @ K1
    driven = Ad - B[:n] @ K2
    rows, feed = _outputs(K1, K2, turn is not None, moves)
    made = Washout(inner, driven, rows, feed, residual)
    if not made.slowest_per_s < 0.0:
        raise CueingError("optimal: W(s) is not stable: weights nearer to 1 are needed", "optimal")
    return made


def _stacked(
    parameters: OptimalParameters, turn: str | None, moves: bool
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """A, B of (x_e, x_d); C_e, D_e of the error; how u_a drives them; weights of the states."""
    organs, rows, weights = [], [], []
    if turn is not None:
        organs.append(_canal(CANAL_TL_S[turn]))
    if moves:
        organs.append(_otolith())
    sensed = diagonal([one[0] for one in organs])
    e, m = len(sensed), len(organs)
    Be = diagonal([one[1] for one in organs])
    Ce = diagonal([one[2] for one in organs])
    De = np.diag([one[3] for one in organs])
    w = parameters.weights
    if moves:
        rows += ["drift", "travel", "speed"]
    if turn is not None:
        rows += ["angle"]
    weights = np.array([0.0] * e + [getattr(w, name) for name in rows])
    d = len(rows)
    A, B = np.zeros((e + d, e + d)), np.zeros((e + d, m))
    A[:e, :e], B[:e] = sensed, Be
    Cx = np.hstack([Ce, np.zeros((m, d))])
    if moves:
        A[e, e + 1] = A[e + 1, e + 2] = 1.0
        B[e + 2, m - 1] = 1.0
    if turn is not None:
        B[e + d - 1, 0] = 1.0
        if moves:  # gravity on the tilted head is force
            A[:e, e + d - 1] += GRAVITY_M_S2 * Be[:, 1]
            Cx[:, e + d - 1] += GRAVITY_M_S2 * De[:, 1]
    driven = np.zeros((e + d, m))
    driven[:e] = -Be
    return A, B, Cx, De, driven, weights


def _riccati(A: Array, B: Array, Q: Array, R: Array, S: Array) -> tuple[Array, float]:
    """The stabilising solution and the largest entry of what the equation leaves.

    Newton's step (Kleinman, IEEE Trans. AC 13 (1968) 114) takes off the rounding of the solver.
    """
    try:
        P = solve_continuous_are(A, B, Q, R, s=S)
    except np.linalg.LinAlgError as error:
        raise CueingError(f"optimal: no stabilising solution: {error}", "optimal") from None
    left = _left(A, B, Q, R, S, P)
    for _ in range(3):
        if np.abs(left).max() <= 0.01 * RESIDUAL_MAX:
            break
        closed = A - B @ np.linalg.solve(R, B.T @ P + S.T)
        P = P + solve_continuous_lyapunov(closed.T, -left)
        P = 0.5 * (P + P.T)
        left = _left(A, B, Q, R, S, P)
    residual = float(np.abs(left).max())
    if not residual <= RESIDUAL_MAX:
        text = f"optimal: the Riccati equation leaves {residual:.3g}, {RESIDUAL_MAX:g} at most"
        raise CueingError(f"{text}: weights nearer to each other are needed", "optimal")
    return P, residual


def _left(A: Array, B: Array, Q: Array, R: Array, S: Array, P: Array) -> Array:
    K = P @ B + S
    return A.T @ P + P @ A - K @ np.linalg.solve(R, K.T) + Q


def diagonal(blocks: list[Array]) -> Array:
    """Blocks along the diagonal of a matrix."""
    made = np.zeros(np.sum([one.shape for one in blocks], axis=0))
    row = column = 0
    for one in blocks:
        made[row : row + one.shape[0], column : column + one.shape[1]] = one
        row, column = row + one.shape[0], column + one.shape[1]
    return made


def _otolith() -> tuple[Array, Array, Array, float]:
    gain, lead_s, long_s = OTOLITH
    return _canonical(np.array([long_s, 1.0]), np.array([gain * lead_s, gain]))


def _canal(long_s: float) -> tuple[Array, Array, Array, float]:
    den = np.array([long_s * CANAL_TA_S, long_s + CANAL_TA_S, 1.0])
    return _canonical(den, np.array([long_s * CANAL_TA_S, 0.0, 0.0]))


def _canonical(den: Array, num: Array) -> tuple[Array, Array, Array, float]:
    """Controllable canonical form of a transfer function whose polynomials have one degree."""
    n = len(den) - 1
    num, den = num / den[0], den / den[0]
    A = np.zeros((n, n))
    A[np.arange(n - 1), np.arange(1, n)] = 1.0
    A[n - 1] = -den[:0:-1]
    B = np.zeros((n, 1))
    B[n - 1] = 1.0
    C = num[:0:-1] - num[0] * den[:0:-1]
    return A, B, C.reshape(1, n), float(num[0])


def _outputs(K1: Array, K2: Array, turns: bool, moves: bool) -> tuple[Array, Array]:
    """C and D of x, v, a and of θ, θ', as far as there are any."""
    m, n = K1.shape
    rows, feed = [], []
    if moves:
        first = n - 3 - turns
        rows += [np.eye(n)[first + 1], np.eye(n)[first + 2], -K1[m - 1]]
        feed += [np.zeros(m), np.zeros(m), -K2[m - 1]]
    if turns:
        rows += [np.eye(n)[n - 1], -K1[0]]
        feed += [np.zeros(m), -K2[0]]
    return np.array(rows), np.array(feed)

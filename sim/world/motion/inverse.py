"""Inverse kinematics of a chain: joint variables that bring its place to a pose.

`damped_least_squares` is the fast one. `CoordinateDescent` turns one joint after the other to where
the place comes nearest (Wang and Chen 1991, IEEE Trans. Robotics and Automation 7, 489); it can be
asked for a few sweeps per tick and continues in the next. Both keep the limits of the joints.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.chain import Chain

Array = NDArray[np.float64]

NEAR_M: Final = 1e-9
"""Greatest position error of a reached place."""
NEAR_RAD: Final = 1e-9
"""Greatest angle error of a reached place."""
ARRIVED_M: Final = 1e-6
"""Position error that counts as arrived to a person: no drive holds it better."""
ARRIVED_RAD: Final = 1e-6
"""Angle error that counts as arrived to a person."""
ITERATIONS: Final = 200
"""Most iterations of damped least squares."""
DAMPING: Final = 1e-9
"""Least damping; half of the squared error is added (Sugihara 2011, IEEE Trans. Robotics 27, 984),
which bounds steps near singular poses and vanishes where the pose is reached."""
BETWEEN: Final = 4
"""Number of sweeps between two pattern moves along their common direction."""
STEP_MAX: Final = 0.5
"""Greatest change of a variable in an iteration [rad] or [m]."""
LENGTH_M: Final = 0.25
"""Length that counts as much as a turn by 1 rad in coordinate descent."""


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """Result of an inverse, with its errors."""

    q: Array
    """Variables of the chain, within their limits, shape (n,)."""
    error_m: float
    """Distance of the place from the wanted one."""
    error_rad: float
    """Angle of the turn that is left; 0 if no rotation is wanted."""
    sweeps: int
    """Iterations, or sweeps over all joints."""

    @property
    def reached(self) -> bool:
        """Whether the pose is reached."""
        return self.error_m <= NEAR_M and self.error_rad <= NEAR_RAD

    @property
    def arrived(self) -> bool:
        """Whether the error is below the resolution of any drive."""
        return self.error_m <= ARRIVED_M and self.error_rad <= ARRIVED_RAD


def rotation_left(wanted: Array, found: Array) -> Array:
    """Compute the rotation vector between two rotations in the world's axes [rad], shape (3,)."""
    turn = wanted @ found.T
    vector = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine, cosine = float(np.linalg.norm(vector)), 0.5 * (float(np.trace(turn)) - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine > -0.5:
        return vector * (angle / sine if sine > 1e-6 else 1.0)
    # Near half a turn the sine carries little information: (R + Rᵀ) / 2 = cos 1 + (1 - cos) n nᵀ.
    outer = 0.5 * (turn + turn.T) - cosine * np.eye(3)
    axis = outer[:, int(np.argmax(np.diag(outer)))]
    return axis * math.copysign(angle / float(np.linalg.norm(axis)), float(axis @ vector))


def damped_least_squares(
    chain: Chain, start: Array, wanted: Array, *, iterations: int = ITERATIONS
) -> Reached:
    """Bring a chain to a pose by damped Newton steps, bounded near singular poses.

    A variable at a limit that would be pushed on is left out of the step.

    Args:
        start: variables to begin from, shape (n,).
        wanted: pose of the place, shape (4, 4).
        iterations: at most so many.
    """
    q = chain.within(np.array(start, dtype=np.float64))
    count = 0
    while True:
        frames = chain.frames(q)
        error = _error(wanted, frames[-1])
        found = _reached(q, error, count)
        if found.reached or count == iterations:
            return found
        q = _newton_correction(chain, q, chain.jacobian(frames), error)
        count += 1


def _newton_correction(chain: Chain, q: Array, jacobian: Array, error: Array) -> Array:
    """Make one damped step within the limits."""
    damping = 0.5 * float(error @ error) + DAMPING
    free = np.full(len(q), True)
    while True:
        columns = jacobian[:, free]
        matrix = columns.T @ columns + damping * np.eye(columns.shape[1])
        step = np.zeros(len(q))
        step[free] = np.linalg.solve(matrix, columns.T @ error)
        step *= min(1.0, STEP_MAX / max(1e-300, float(np.abs(step).max())))
        out = (q + step < chain.least) & (q <= chain.least)
        out |= (q + step > chain.greatest) & (q >= chain.greatest)
        if not (out & free).any() or not (free & ~out).any():
            return chain.within(q + step)
        free &= ~out


class CoordinateDescent:
    """Descent that turns one joint after the other to where the place is nearest, the last first.

    Each turn is the exact least of ``|Δp|² / L² + |ΔR|²`` (Frobenius, half of it) over one
    variable, so the sum never grows. Asked again, it continues from its last state.

    Args:
        start: variables to begin from, shape (n,).
        wanted: pose of the place, shape (4, 4).
    """

    def __init__(self, chain: Chain, start: Array, wanted: Array) -> None:
        self._chain, self._wanted = chain, np.array(wanted, dtype=np.float64)
        self._q = chain.within(np.array(start, dtype=np.float64))
        self._sweeps = 0

    def aim(self, wanted: Array) -> None:
        """Set another wanted pose of the place, shape (4, 4), and continue from the present one."""
        self._wanted = np.array(wanted, dtype=np.float64)

    def sweep(self, count: int) -> Reached:
        """Sweep over all joints some times, or until the pose is reached.

        Args:
            count: at most so many sweeps, which bounds the time that this takes.
        """
        for _ in range(count):
            if self.now().reached:
                break
            for variable in reversed(range(len(self._q))):
                self._q[variable] = self._best(variable)
            self._sweeps += 1
        return self.now()

    def settle(self, count: int) -> Reached:
        """Sweep until the pose is reached, with pattern moves along the last sweeps.

        Sweeps alone creep along a valley. After `BETWEEN` of them all variables go on together as
        they went, twice as far each time, as long as that is nearer (Hooke and Jeeves 1961, J. ACM
        8, 212: pattern moves).

        Args:
            count: at most so many sweeps.
        """
        end = self._sweeps + count
        while self._sweeps < end and not self.now().reached:
            before = self._q.copy()
            self.sweep(min(BETWEEN, end - self._sweeps))
            self._go_on(self._q - before)
        return self.now()

    def _go_on(self, step: Array) -> None:
        least, nearest = self.cost(), self._q
        while True:
            self._q = self._chain.within(nearest + step)
            cost = self.cost()
            if not cost < least:
                self._q = nearest
                return
            least, nearest, step = cost, self._q, 2.0 * step

    def now(self) -> Reached:
        """Present result."""
        error = _error(self._wanted, self._chain.pose(self._q))
        return _reached(self._q.copy(), error, self._sweeps)

    def cost(self) -> float:
        """Cost of the present result, which never grows."""
        pose = self._chain.pose(self._q)
        apart = (self._wanted[:3, 3] - pose[:3, 3]) / LENGTH_M
        turned = self._wanted[:3, :3] - pose[:3, :3]
        return float(apart @ apart + np.sum(turned * turned))

    def _best(self, variable: int) -> float:
        """Find the value of one variable that brings the place nearest.

        Moved joints of one variable (followers) are taken together by a step of Newton's, which is
        kept only if it is better.
        """
        frames = self._chain.frames(self._q)
        moved = [one for one in self._chain.axes(frames) if one[0] == variable]
        if len(moved) > 1:
            return self._followed(variable, frames)
        _, slides, axis, origin_m = moved[0]
        pose, wanted = frames[-1], self._wanted
        if slides:
            change = float(axis @ (wanted[:3, 3] - pose[:3, 3]))
        else:
            change = _best_turn(axis, origin_m, pose, wanted)
        best = self._q[variable] + change
        least, greatest = self._limits(variable)
        if least <= best <= greatest:
            return float(best)
        return min((float(self._q[variable]), least, greatest), key=self._cost_at(variable))

    def _followed(self, variable: int, frames: Array) -> float:
        column = self._chain.jacobian(frames)[:, variable]
        error = _error(self._wanted, frames[-1])
        weight = np.array([1.0 / LENGTH_M**2] * 3 + [1.0] * 3)
        least, greatest = self._limits(variable)
        step = float(column @ (weight * error)) / max(1e-12, float(column @ (weight * column)))
        here = float(self._q[variable])
        options = [
            here,
            *(min(max(here + step / factor, least), greatest) for factor in (1.0, 4.0)),
        ]
        return min(options, key=self._cost_at(variable))

    def _limits(self, variable: int) -> tuple[float, float]:
        return float(self._chain.least[variable]), float(self._chain.greatest[variable])

    def _cost_at(self, variable: int) -> Callable[[float], float]:
        def cost(value: float) -> float:
            kept, self._q[variable] = self._q[variable], value
            found = self.cost()
            self._q[variable] = kept
            return found

        return cost


def _best_turn(axis: Array, origin_m: Array, pose: Array, wanted: Array) -> float:
    """Find the angle about an axis that brings a pose nearest another: Wang, Chen, eq. 17-19."""
    here, there = pose[:3, 3] - origin_m, wanted[:3, 3] - origin_m
    moment = np.outer(there, here) / LENGTH_M**2 + wanted[:3, :3] @ pose[:3, :3].T
    cosine = float(np.trace(moment)) - float(axis @ moment @ axis)
    sine = float(
        axis
        @ [
            moment[2, 1] - moment[1, 2],
            moment[0, 2] - moment[2, 0],
            moment[1, 0] - moment[0, 1],
        ]
    )
    return 0.0 if cosine == sine == 0.0 else math.atan2(sine, cosine)


def _error(wanted: Array, found: Array) -> Array:
    error = np.empty(6)
    error[:3] = wanted[:3, 3] - found[:3, 3]
    error[3:] = rotation_left(wanted[:3, :3], found[:3, :3])
    return error


def _reached(q: Array, error: Array, sweeps: int) -> Reached:
    return Reached(q, math.hypot(*error[:3]), math.hypot(*error[3:]), sweeps)

"""Poses of motions for a design: what the load asks of the legs in them, and the few that bind.

Motions have tens of thousands of setpoints, and a search computes tens of thousands of machines. A
setpoint matters only if it is the worst of all for some figure of some machine. So the search
takes those that are the worst for machines drawn over its ranges, and the ends of every number of
the setpoints, in which lengths and forces of legs are nearly linear. Both are bounded. What they
miss is found with all setpoints on the machines that are chosen (`platform6dof.design.search`).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.design.problem import SCALES, DesignProblem
from platform6dof.dynamics.machine import GRAVITY_M_S2, PlatformBody
from platform6dof.kernels import design as kernel

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

DRAWN: Final = 512
"""Machines that are drawn over the ranges, a power of 2 as Sobol's sequence needs it."""
ASKED: Final = 48
"""Machines of them, the nearest to the constraints, whose worst setpoints are kept."""
LOOKED_AT: Final = 20_000
"""Setpoints at most among which these machines look for theirs."""
KEPT: Final = 120
"""Setpoints at most that the search takes: with the 77 poses of a box, less than three times the
work."""


def moving_poses(setpoints: Array, middle_m: Array, body: PlatformBody) -> Array:
    """Places from the middle, rotations, and wrenches that move the load, shape (N, 18).

    The wrench about the platform's origin, in base axes, is that of one rigid body under gravity:
    F = m (a + dw/dt x r + w x (w x r) - g), M = r x F + I dw/dt + w x I w, all legs without weight.

    Args:
        setpoints: packed, shape (N, 24).
        middle_m: place that is the middle of the design's poses [m], shape (3,).
    """
    turns = setpoints[:, 3:12].reshape(-1, 3, 3)
    omega, push, turning = setpoints[:, 15:18], setpoints[:, 18:21], setpoints[:, 21:24]
    arm = turns @ body.centre_m
    tensor = turns @ body.inertia_kg_m2 @ turns.transpose(0, 2, 1)
    whole = push + np.cross(turning, arm) + np.cross(omega, np.cross(omega, arm))
    force = body.mass_kg * (whole + np.array([0.0, 0.0, GRAVITY_M_S2]))
    spin = np.einsum("nij,nj->ni", tensor, turning)
    spin += np.cross(omega, np.einsum("nij,nj->ni", tensor, omega))
    place = setpoints[:, :3] - middle_m
    return np.hstack([place, setpoints[:, 3:12], force, np.cross(arm, force) + spin])


def binding_rows(problem: DesignProblem, seed: int) -> Rows:
    """Find setpoints that bind for machines of the ranges, and the ends of all numbers; rising.

    There are at most `KEPT`: the ends first, then those that bind for most figures and machines.
    """
    from scipy.stats.qmc import Sobol  # slow to load

    moving = problem.moving
    if len(moving) <= KEPT:
        return np.arange(len(moving))
    drawn = Sobol(6, rng=np.random.Generator(np.random.PCG64(seed))).random(DRAWN)
    machines = problem.lower + drawn * (problem.upper - problem.lower)
    broken = (problem.figures_in_box(machines).violations / SCALES).sum(axis=1)
    nearest = machines[np.argsort(broken, kind="stable")[:ASKED]]
    looked_at = np.arange(0, len(moving), -(-len(moving) // LOOKED_AT))
    found = looked_at[worst_rows(problem, nearest, moving[looked_at])]
    ends = np.unique(np.concatenate([moving.argmin(axis=0), moving.argmax(axis=0)]))
    rows, times = np.unique(found, return_counts=True)
    rows = rows[np.argsort(-times, kind="stable")]
    rows = rows[~np.isin(rows, ends)]
    return np.sort(np.concatenate([ends, rows])[:KEPT])


def worst_rows(problem: DesignProblem, machines: Array, moving: Array) -> Rows:
    """Find the setpoint that is the worst of each figure of each machine, shape (N, 8)."""
    machines, moving = np.ascontiguousarray(machines), np.ascontiguousarray(moving)
    out = np.empty((len(machines), kernel.COLUMNS), np.int64)
    kernel.worst_rows(machines, moving, problem.limits.clearance_m, out)
    return out

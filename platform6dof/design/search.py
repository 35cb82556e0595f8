"""Search for the front of a design: differential evolution along many directions, one archive.

Each direction weighs the objectives differently (Chebyshev's distance from the best of each, which
reaches every part of a front, also where it is not convex: Miettinen, Nonlinear Multiobjective
Optimization, section 3.4). The search itself is scipy's (Storn and Price 1997). All machines that
any search met are kept, so the front is that of tens of thousands, not of the last generations. A
library for several objectives would add a dependency for what these lines do.

Motions are searched with few of their setpoints. The machines that are chosen are judged with all
of them; where one is worse than it seemed, its worst setpoints are added, all machines near the
front are judged with these, and the choice is made anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.design.motion_poses import binding_rows, worst_rows
from platform6dof.design.problem import CONSTRAINTS, SCALES, DesignFigures, DesignProblem

Array = NDArray[np.float64]

DIVISIONS: Final = {1: 1, 2: 15, 3: 5, 4: 3}
"""Steps of the lattice of directions, by the number of objectives: about 20 directions."""
POPULATION: Final = 10
"""Machines of a generation, as a multiple of the number of variables."""
GENERATIONS: Final = 45
OUT: Final = 1e6
"""Cost of a machine that breaks a constraint, before the amount is added."""
RHO: Final = 1e-3
"""Part of the sum of the objectives in Chebyshev's distance: no objective is given away."""
NEAR: Final = 1.03
"""Multiple of the front's objectives within which machines are judged anew with more setpoints."""
ROUNDS: Final = 6
"""Choices at most until no setpoint is worse than those that were added before."""


class NoDesignError(ValueError):
    """No machine within the ranges keeps all constraints; the message says what it lacks."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignFront:
    """Machines that no other one is better than in all objectives, spread over the front."""

    figures: DesignFigures
    """The machines and their figures, by the first objective."""
    tried: int
    """Number of machines that were computed."""
    balanced: int
    """Number of the one that is nearest to the best of every objective, as a multiple of it."""


def find_front(
    problem: DesignProblem,
    seed: int,
    count: int,
    generations: int | None = None,
    report: Callable[[float], None] = lambda _share: None,
) -> DesignFront:
    """Find machines on the front; their figures are those of all poses in motion.

    Args:
        seed: the same seed finds the same machines.
        count: number of machines that are wanted; fewer are found if the front is so small.
        generations: of each of about twenty searches; `GENERATIONS` if left out.
        report: takes the share that is done.

    Raises:
        NoDesignError: nothing within the ranges keeps all constraints.
    """
    generations = GENERATIONS if generations is None else generations
    archive: list[DesignFigures] = []
    directions = _directions(len(problem.objectives))
    whole, rows = problem, binding_rows(problem, seed)
    problem = replace(whole, moving=whole.moving[rows])
    feasible = _least_broken(problem, seed, archive, generations)
    low, span = _range(feasible)
    for number, direction in enumerate(directions):
        cost = _towards(direction, low, span)
        _search(problem, archive, seed + 1 + number, cost, generations)
        low, span = _range(_best(np.vstack([one.objectives[one.kept] for one in archive])))
        report((number + 1) / len(directions))
    found = _joined(archive)
    good = found.rows(found.kept)
    all_of_them = len(rows) == len(whole.moving)
    chosen = _chosen(good, count) if all_of_them else _settled(whole, good, count)
    order = np.lexsort(chosen.objectives.T[::-1])
    chosen = chosen.rows(order)
    best = int(np.argmin((chosen.objectives / chosen.objectives.min(axis=0)).max(axis=1)))
    return DesignFront(chosen, len(found.sizes), best)


def _chosen(good: DesignFigures, count: int) -> DesignFigures:
    """Machines of the front, far apart."""
    front = good.rows(_not_dominated(good.objectives))
    return front.rows(_spread(front.objectives, count))


def _settled(whole: DesignProblem, good: DesignFigures, count: int) -> DesignFigures:
    """Machines of the front, far apart, judged with all poses in motion.

    Raises:
        NoDesignError: with all of them none keeps all constraints.
    """
    near = good.rows(_near_front(good.objectives))
    nearest = near
    for _ in range(ROUNDS):
        chosen = _chosen(near, count)
        rows = np.unique(worst_rows(whole, chosen.sizes, whole.moving))
        judged = whole.widened(chosen, whole.moving[rows])
        if (judged.raw == chosen.raw).all():
            return chosen
        nearest = judged
        widened = whole.widened(near, whole.moving[rows])
        near = widened.rows(widened.kept)
        if not len(near.sizes):
            raise NoDesignError(_lacks_least(whole, widened))
    kept = nearest.rows(nearest.kept)
    if not len(kept.sizes):
        raise NoDesignError(_lacks_least(whole, nearest))
    return kept.rows(_not_dominated(kept.objectives))


def _near_front(objectives: Array) -> NDArray[np.bool_]:
    """Rows that a few hundredths more of all objectives would leave on the front, shape (N,)."""
    far = np.zeros(len(objectives), dtype=np.bool_)
    for one in _best(objectives):
        far |= (NEAR * one < objectives).all(axis=1)
    return ~far


def _directions(objectives: int) -> Array:
    """Directions of a lattice on the simplex, corners first, shape (n, objectives)."""
    steps = DIVISIONS[objectives]
    bars = combinations(range(steps + objectives - 1), objectives - 1)
    rows = [np.diff([-1, *bar, steps + objectives - 1]) - 1 for bar in bars]
    weights = np.maximum(np.array(rows) / steps, 0.02)
    return weights[np.argsort(-weights.max(axis=1), kind="stable")]


Cost = Callable[[DesignFigures], Array]


def _towards(direction: Array, low: Array, span: Array) -> Cost:
    """Chebyshev's distance of the logarithms along a direction, with a little of their sum."""

    def cost(found: DesignFigures) -> Array:
        shares = (np.log(found.objectives) - low) / span
        return np.asarray((direction * shares).max(axis=1) + RHO * shares.sum(axis=1))

    return cost


def _search(
    problem: DesignProblem, archive: list[DesignFigures], seed: int, cost: Cost, generations: int
) -> None:
    """One differential evolution; everything that it computes goes into the archive."""
    from scipy.optimize import differential_evolution  # slow to load

    def costs(columns: Array) -> Array:
        found = problem.figures(columns.T)
        archive.append(found)
        broken = (found.violations / SCALES).sum(axis=1)
        return np.where(found.kept, np.minimum(cost(found), OUT), OUT * (1.0 + broken))

    differential_evolution(
        costs, list(zip(problem.lower, problem.upper, strict=True)), maxiter=generations,
        popsize=POPULATION, tol=1e-6, polish=False, init="sobol", updating="deferred",
        vectorized=True, rng=np.random.Generator(np.random.PCG64(seed)),
    )  # fmt: skip


def _least_broken(
    problem: DesignProblem, seed: int, archive: list[DesignFigures], generations: int
) -> Array:
    """Objectives of machines that keep all constraints, after a search for such.

    Raises:
        NoDesignError: there are none.
    """
    _search(problem, archive, seed, lambda found: np.zeros(len(found.sizes)), generations)
    found = _joined(archive)
    if found.kept.any():
        return found.objectives[found.kept]
    raise NoDesignError(_lacks_least(problem, found))


def _lacks_least(problem: DesignProblem, found: DesignFigures) -> str:
    """Say what the machine lacks that is nearest to keeping all constraints."""
    nearest = int(np.argmin((found.violations / SCALES).sum(axis=1)))
    return _lacking(problem, found.violations[nearest], found.sizes[nearest])


def _lacking(problem: DesignProblem, violations: Array, sizes: Array) -> str:
    """Say what a machine lacks, and by how much."""
    limits, degrees = problem.limits, np.degrees
    words = {
        "closed_length_m": f"its closed length is {1e3 * violations[0]:.0f} mm shorter than its "
        f"stroke and dead_length_m = {limits.dead_length_m:g}",
        "singular_value": f"its singular value is {violations[1]:.3f} below singular_value_min = "
        f"{limits.singular_value_min:g}",
        "base_cone_rad": f"its legs lean {degrees(violations[2]):.1f}° beyond joint_cone_base_deg "
        f"= {degrees(limits.base_cone_rad):g}",
        "platform_cone_rad": f"its legs lean {degrees(violations[3]):.1f}° beyond "
        f"joint_cone_platform_deg = {degrees(limits.platform_cone_rad):g}",
        "clearance_m": f"its legs are {1e3 * violations[4]:.0f} mm nearer to each other than "
        f"leg_clearance_m = {limits.clearance_m:g}",
        "level_m": f"its legs are {1e3 * violations[5]:.0f} mm too short at mid stroke to hold the "
        f"platform level",
    }
    order = np.argsort(-violations / SCALES)
    lacks = "; ".join(words[CONSTRAINTS[k]] for k in order.tolist() if violations[k] > 0.0)
    radius, half, top, of_top, turn, height = sizes.tolist()
    return (
        f"no machine within the ranges keeps all constraints; of the nearest one {lacks} (base "
        f"{radius:.3f} m, {degrees(half):.1f}°, platform {top:.3f} m, {degrees(of_top):.1f}°, "
        f"turned {degrees(turn):.1f}°, height {height:.3f} m)"
    )


def _joined(archive: list[DesignFigures]) -> DesignFigures:
    return DesignFigures(
        np.vstack([one.sizes for one in archive]),
        np.vstack([one.objectives for one in archive]),
        np.vstack([one.violations for one in archive]),
        np.vstack([one.raw for one in archive]),
    )


def _best(objectives: Array) -> Array:
    return objectives[_not_dominated(objectives)]


def _not_dominated(objectives: Array) -> NDArray[np.intp]:
    """Rows than which no other one is as good in all and better in one, each value once."""
    _, first = np.unique(objectives, axis=0, return_index=True)
    order = first[np.lexsort(objectives[first].T[::-1])]
    kept: list[int] = []
    front = np.empty((0, objectives.shape[1]))
    for row in order.tolist():
        if not (front <= objectives[row]).all(axis=1).any():
            kept.append(row)
            front = np.vstack([front, objectives[row]])
    return np.array(kept, dtype=np.intp)


def _range(objectives: Array) -> tuple[Array, Array]:
    """Least logarithm of each objective and the range of them: a tenth counts alike everywhere."""
    values = np.log(objectives)
    return values.min(axis=0), np.maximum(np.ptp(values, axis=0), 1e-9)


def _shares(objectives: Array) -> Array:
    """Logarithms of objectives as shares of the front, 0 the best and 1 the worst of each."""
    low, span = _range(objectives)
    return (np.log(objectives) - low) / span


def _spread(objectives: Array, count: int) -> NDArray[np.intp]:
    """Choose rows far apart: the best of each objective, the middle one, then the farthest."""
    shares = _shares(objectives)
    chosen = list(dict.fromkeys(np.argmin(shares, axis=0).tolist()))
    chosen += [n for n in [int(np.argmin(shares.max(axis=1)))] if n not in chosen]
    nearest = np.min([np.linalg.norm(shares - shares[n], axis=1) for n in chosen], axis=0)
    while len(chosen) < min(count, len(objectives)):
        farthest = int(np.argmax(nearest))
        chosen.append(farthest)
        nearest = np.minimum(nearest, np.linalg.norm(shares - shares[farthest], axis=1))
    return np.array(chosen, dtype=np.intp)

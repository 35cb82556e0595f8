"""Leg lengths over a box of poses: the exact extremes, and a random sample for pictures.

Source: Bukharov et al. 2022, section on the experiment (5000 random poses, figures 5-6). A sample
understates the range; the extremes are found by corners and optimisation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import frozen_array
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_setpoints_batch
from platform6dof.kernels import legs, rotation

Array = NDArray[np.float64]

STARTS = 3
"""Corners from which each leg's optimisation starts in each direction, besides the centre."""
TIE_M = 1e-10
"""Difference below which lengths are equal: the optimiser does not tell them apart [m]."""

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class PoseBox:
    """A box in the coordinates x, y, z, alpha, beta, gamma [m, rad].

    Raises:
        ValueError: wrong shape, not finite, or a lower bound above its upper.
    """

    lower: Array
    """Smallest coordinates, shape (6,), read-only."""
    upper: Array
    """Largest coordinates, shape (6,), read-only; equal to ``lower`` where one is fixed."""

    def __post_init__(self) -> None:
        lower = frozen_array(self.lower, (6,), "lower")
        upper = frozen_array(self.upper, (6,), "upper")
        for name, low, high in zip(("x", "y", "z", "α", "β", "γ"), lower, upper, strict=True):
            if low > high:
                raise ValueError(f"{name}: lower bound {low} is above the upper bound {high}")
        _set(self, "lower", lower)
        _set(self, "upper", upper)


@dataclass(frozen=True, slots=True, eq=False)
class LegExtremes:
    """Shortest and longest leg over a box."""

    min_m: float
    """Shortest length [m]."""
    min_leg: int
    """Leg of that length, 1..6; of legs that share it, the one whose pose comes first when
    coordinates are compared in order."""
    min_pose: Array
    """Coordinates where, shape (6,), read-only."""
    max_m: float
    """Longest length [m]."""
    max_leg: int
    """Leg of that length, 1..6; of legs that share it, the one whose pose comes first when
    coordinates are compared in order."""
    max_pose: Array
    """Coordinates where, shape (6,), read-only."""
    leg_min_m: Array
    """Shortest length of each leg [m], shape (6,), read-only."""
    leg_max_m: Array
    """Longest length of each leg [m], shape (6,), read-only."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseSample:
    """Random poses of a box with their leg lengths."""

    coordinates: Array
    """x, y, z, alpha, beta, gamma [m, rad], shape (N, 6), read-only."""
    lengths: Array
    """Leg lengths [m], shape (N, 6), read-only."""
    min_m: float
    """Shortest of all [m]."""
    max_m: float
    """Longest of all [m]."""


def extremes(geometry: HexapodGeometry, box: PoseBox) -> LegExtremes:
    """Shortest and longest leg over a box of poses.

    Each leg is taken by itself: all 64 corners are computed, and from the best of them and from
    the centre a bounded optimisation with the analytic gradient looks for something better inside
    or on a face. A long leg is at a corner as a rule, a short one need not be.
    """
    ends = corners(box)
    lengths = _lengths(geometry, ends)  # (64, 6)
    best = {-1: (np.zeros(6), np.zeros((6, 6))), 1: (np.zeros(6), np.zeros((6, 6)))}
    centre = 0.5 * (box.lower + box.upper)
    for sign, (values, poses) in best.items():
        for leg in range(6):
            order = np.argsort(-sign * lengths[:, leg], kind="stable")
            starts = [*ends[order[:STARTS]], centre]
            values[leg], poses[leg] = _best(geometry, box, leg, sign, starts)
    (low, low_poses), (high, high_poses) = best[-1], best[1]
    shortest = _first_of(low <= low.min() + TIE_M, low_poses)
    longest = _first_of(high >= high.max() - TIE_M, high_poses)
    for array in (low, high, low_poses, high_poses):
        array.setflags(write=False)
    return LegExtremes(
        float(low[shortest]),
        shortest + 1,
        low_poses[shortest],
        float(high[longest]),
        longest + 1,
        high_poses[longest],
        low,
        high,
    )


def _first_of(tied: NDArray[np.bool_], poses: Array) -> int:
    """Choose of legs that a symmetric machine makes equal the one whose pose comes first."""
    return min(np.flatnonzero(tied).tolist(), key=lambda leg: tuple(poses[leg].round(6)))


def sample(geometry: HexapodGeometry, box: PoseBox, count: int, seed: int) -> PoseSample:
    """Uniform random poses of a box, from numpy's PCG64, with their leg lengths.

    Args:
        count: how many, at least 1.
        seed: the same seed gives the same sample.

    Raises:
        ValueError: ``count`` is below 1.
    """
    if count < 1:
        raise ValueError(f"count: {count}, must be at least 1")
    generator = np.random.Generator(np.random.PCG64(seed))
    coordinates = box.lower + (box.upper - box.lower) * generator.random((count, 6))
    lengths = _lengths(geometry, coordinates)
    coordinates.setflags(write=False)
    lengths.setflags(write=False)
    return PoseSample(coordinates, lengths, float(lengths.min()), float(lengths.max()))


def corners(box: PoseBox) -> Array:
    """All corners of a box, shape (64, 6); some are alike where a coordinate is fixed."""
    bits = (np.arange(64)[:, None] >> np.arange(6)) & 1  # (64, 6)
    return np.where(bits == 1, box.upper, box.lower)


def _lengths(geometry: HexapodGeometry, coordinates: Array) -> Array:
    return leg_setpoints_batch(geometry, coordinates, np.zeros_like(coordinates))[0]


def _best(
    geometry: HexapodGeometry, box: PoseBox, leg: int, sign: int, starts: list[Array]
) -> tuple[float, Array]:
    """Largest ``sign * length`` of one leg from several starts: the length and where."""
    from scipy.optimize import minimize  # slow to load, and not needed by a box of poses

    span = np.where(box.upper > box.lower, box.upper - box.lower, 1.0)

    def cost(unit: Array) -> tuple[float, Array]:
        length, gradient = _length_and_gradient(geometry, leg, box.lower + span * unit)
        return -sign * length, -sign * gradient * span

    bounds = [
        (0.0, 1.0 if high > low else 0.0) for low, high in zip(box.lower, box.upper, strict=True)
    ]
    best_value, best_pose = -np.inf, starts[0]
    for start in starts:
        unit = (start - box.lower) / span
        found = minimize(
            cost, unit, jac=True, method="L-BFGS-B", bounds=bounds, options={"gtol": 1e-10}
        )
        # The start itself competes: an optimiser may come back with something worse.
        for candidate in (start, np.clip(box.lower + span * found.x, box.lower, box.upper)):
            value = sign * _length_and_gradient(geometry, leg, candidate)[0]
            if value > best_value:
                best_value, best_pose = value, candidate
    return sign * best_value, best_pose


def _length_and_gradient(geometry: HexapodGeometry, leg: int, q: ArrayLike) -> tuple[float, Array]:
    """Length of a leg [m] and its gradient by the coordinates, shape (6,).

    The gradient's k-th entry is the leg's speed at unit rate of the k-th coordinate.
    """
    line = np.asarray(q, dtype=np.float64).reshape(1, 6)
    zero = np.zeros((6, 6))
    setpoints = rotation.setpoints_of_coordinates(np.repeat(line, 6, axis=0), np.eye(6), zero)
    states = legs.leg_states(geometry.table, setpoints)  # (6, 3, 6)
    return float(states[0, 0, leg]), states[:, 1, leg]

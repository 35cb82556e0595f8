"""Numbers of a map: volume, extents, share inside, what bounds it; and the range worth mapping."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from platform6dof.envelope import Envelope
from platform6dof.kernels import rotation
from platform6dof.workspace.box_search import ViolatingPose, violating_pose
from platform6dof.workspace.grid import TURNS, PoseGrid
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.pose_map import KINDS, SINGULAR_POSE, PoseMap, map_poses

Array = NDArray[np.float64]

COARSE = 36
"""Cells along each coordinate with which the range worth mapping is looked for."""
ZOOMS = 2
TIE = 1e-9
"""Difference, as a share, below which values are equal."""
TURN_RANGE_RAD = (np.pi, 0.5 * np.pi, np.pi)
"""Greatest alpha, beta, gamma looked at; beyond, the same orientations come again."""


@dataclass(frozen=True, slots=True, eq=False)
class MapFigures:
    """Numbers of a map; those of the inside are nan where no cell is inside."""

    share_inside: float
    """Share of the cells inside all limits [1]."""
    volume: float
    """Volume of the cells inside [m³ or rad³]."""
    lower: Array
    """Least coordinates of the cells inside, at their middles [m or rad], shape (3,)."""
    upper: Array
    """Greatest coordinates of the cells inside [m or rad], shape (3,)."""
    parts: int
    """Number of separate parts of the inside, cells joined by their faces."""
    bound_by: dict[str, float]
    """Share of the inside's rim that each limit makes, by name, the greatest first [1]; a rim at
    the end of the grid is `end of the grid`."""
    outside_by: dict[str, float]
    """Share of the cells outside at which each limit binds, the greatest first [1]."""
    singular_cells: int
    """Number of singular cells."""
    least: float
    """Least value of the quantity inside."""
    least_pose: Array
    """Coordinates of the least value, shape (6,)."""
    greatest: float
    """Greatest value of the quantity inside."""
    greatest_pose: Array
    """Coordinates of the greatest value, shape (6,)."""


GRID_END = "end of the grid"


def map_figures(found: PoseMap) -> MapFigures:
    """Compute the numbers of a map."""
    from scipy.ndimage import label

    _, parts = cast("tuple[Array, int]", label(found.inside))
    inside, grid = found.inside, found.grid
    count = int(inside.sum())
    nothing = np.full(3, np.nan)
    lower, upper = nothing, nothing
    if count:
        cells = np.argwhere(inside)
        lower = grid.lower + grid.steps * (cells.min(axis=0) + 0.5)
        upper = grid.lower + grid.steps * (cells.max(axis=0) + 0.5)
    outside = np.bincount(found.limit[~inside], minlength=len(KINDS))
    values = found.values
    known = bool(np.isfinite(values).any())
    ends = [_first_least(np.multiply(sense, values)) for sense in (1.0, -1.0)] if known else [0, 0]
    poses = [grid.pose(np.unravel_index(end, grid.shape)) for end in ends]
    least, greatest = (float(values.reshape(-1)[end]) if known else np.nan for end in ends)
    return MapFigures(
        share_inside=count / inside.size,
        volume=count * float(np.prod(grid.steps)),
        lower=lower,
        upper=upper,
        parts=parts,
        bound_by=_shares(_rim(found), (*KINDS, GRID_END)),
        outside_by=_shares(outside, KINDS),
        singular_cells=int((found.limit == SINGULAR_POSE).sum()),
        least=least,
        least_pose=poses[0],
        greatest=greatest,
        greatest_pose=poses[1],
    )


def _first_least(values: Array) -> int:
    """First of the cells that share the least value: a symmetric machine makes several equal."""
    least = float(np.nanmin(values))
    return int(np.argmax(values.reshape(-1) <= least + TIE * max(1.0, abs(least))))


def _rim(found: PoseMap) -> NDArray[np.int64]:
    """Count the faces of the inside by the limit beyond them, ends of the grid last."""
    padded_inside = np.pad(found.inside, 1)
    padded_limit = np.pad(found.limit, 1, constant_values=len(KINDS))
    counts = np.zeros(len(KINDS) + 1, np.int64)
    for axis in range(3):
        for step in (-1, 1):
            beyond = np.roll(padded_inside, step, axis)
            faces = beyond & ~padded_inside
            counts += np.bincount(padded_limit[faces], minlength=len(counts))
    return counts


def _shares(counts: NDArray[np.int64], names: tuple[str, ...]) -> dict[str, float]:
    """Shares above 0 by name, the greatest first."""
    total = max(int(counts.sum()), 1)
    order = np.argsort(-counts, kind="stable")
    return {names[k]: float(counts[k]) / total for k in order if counts[k] > 0}


@dataclass(frozen=True, slots=True, eq=False)
class MapRange:
    """Range worth mapping."""

    lower: Array
    """Lower ends [m or rad], shape (3,)."""
    upper: Array
    """Upper ends [m or rad], shape (3,)."""
    nearest: ViolatingPose | None
    """The pose that comes nearest to being inside; None if one is inside."""


def find_range(
    envelope: Envelope,
    free: tuple[int, int, int],
    reference: Array,
    rates: Array | None = None,
    holding: HoldingLimits | None = None,
) -> MapRange:
    """Find where a map has cells inside: by coarse grids, the next about what the last one found.

    Args:
        free: coordinates of the map.
        reference: the other coordinates, and a pose on the side of the singular poses that is
            meant, shape (6,).
        rates: see `map_poses`.
        holding: see `map_poses`.
    """
    lower, upper = reachable_ends(envelope, free, reference)
    nearest = np.array(reference)
    for _ in range(1 + ZOOMS):
        if not (lower < upper).all():
            break
        grid = PoseGrid(free, reference, lower, upper, COARSE)
        found = map_poses(envelope, grid, reference, rates=rates, holding=holding)
        wanted = found.inside
        if not wanted.any():
            best = np.unravel_index(int(np.nanargmax(found.share)), grid.shape)
            nearest = grid.pose(best)
            wanted = np.zeros(grid.shape, np.bool_)
            wanted[best] = True
        cells = np.argwhere(wanted)
        lower, upper = (
            np.maximum(lower, lower + grid.steps * (cells.min(axis=0) - 1)),
            np.minimum(upper, lower + grid.steps * (cells.max(axis=0) + 2)),
        )
        if found.inside.any():
            nearest = None
    beyond = None
    if nearest is not None:
        beyond = violating_pose(envelope, nearest, _moving(rates), holding)
    return MapRange(lower, upper, beyond)


def _moving(rates: Array | None) -> Array:
    return np.zeros(6) if rates is None else rates


def reachable_ends(
    envelope: Envelope, free: tuple[int, int, int], reference: Array
) -> tuple[Array, Array]:
    """Ends outside of which no pose is within the legs' reach, (3,) each; all turns, if those."""
    if free == TURNS:
        return -np.array(TURN_RANGE_RAD), np.array(TURN_RANGE_RAD)
    g = envelope.geometry
    zero = np.zeros((1, 6))
    pose = rotation.setpoints_of_coordinates(reference[None, :], zero, zero)[0]
    arms = g.platform_joints_m @ pose[3:12].reshape(3, 3).T  # (6, 3)
    reach = (envelope.bounds[1][:6] + abs(g.screw_lead_m))[:, None]
    middles = g.base_joints_m - arms
    return (middles - reach).max(axis=0), (middles + reach).min(axis=0)

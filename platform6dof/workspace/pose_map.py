"""A map of poses: where a machine holds under all limits, and which limit ends it elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import envelope as envelope_kernel
from platform6dof.kernels import legs, rotation
from platform6dof.kernels import pose_map as kernel
from platform6dof.workspace.grid import PoseGrid
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.quantities import TRAVEL, Quantity

Array = NDArray[np.float64]
Cells = NDArray[np.int8]

SINGULAR = 1e-3
"""Smallest singular value below which a pose is singular: there a leg's error grows a
thousandfold (`platform6dof.architecture`)."""

KINDS = (
    "leg too short", "leg too long", "leg speed", "base joint angle", "platform joint angle",
    "leg clearance", "smallest singular value", "singular pose", "beyond a singular pose",
    "not a number", "leg force",
)  # fmt: skip
"""Names of the limits that may bind in a cell, in the order of their numbers."""
SINGULAR_POSE, BEYOND, NOT_A_NUMBER, FORCE = 7, 8, 9, 10
_KINDS = np.repeat([0, 1, 2, 3, 4, 5, 6, FORCE], [6, 6, 6, 6, 6, 15, 1, 6]).astype(np.int8)
"""Kind of each of the kernel's limits."""
_COLUMN_OF = {
    "travel": kernel.TRAVEL, "sigma": kernel.SINGULAR_VALUE, "speed": kernel.FASTEST,
    "force": kernel.GREATEST_FORCE,
}  # fmt: skip
"""Kernel's column of each quantity that a map computes for its limits."""
_UNLOADED = np.zeros((0, 6)), np.ones(6)
"""Forces and limits of a machine whose forces are not judged."""
_UNLOADED[1].setflags(write=False)


@dataclass(frozen=True, slots=True, eq=False)
class PoseMap:
    """State of every cell of a grid; arrays of the grid's shape."""

    grid: PoseGrid
    quantity: Quantity
    """Quantity of `values`."""
    inside: NDArray[np.bool_]
    """Whether the cell's pose keeps all limits on the reference's side of all singular poses."""
    limit: Cells
    """Limit that binds, a number of `KINDS`: inside, that of which the smallest share is left."""
    leg: Cells
    """Leg of that limit, 1..6; of a clearance the first of the two; 0 for the whole platform."""
    share: Array
    """Share of that limit that is left [1], below 0 beyond it."""
    values: Array
    """Values of the quantity; nan outside and in singular poses."""
    travel_m: Array
    """Travel left of the leg nearest to an end [m]."""
    singular_value: Array
    """Smallest singular value [1]."""


def map_poses(
    envelope: Envelope,
    grid: PoseGrid,
    reference: Array,
    quantity: Quantity = TRAVEL,
    rates: Array | None = None,
    go_on: Callable[[float], None] = lambda _share: None,
    holding: HoldingLimits | None = None,
) -> PoseMap:
    """Judge every cell of a grid under all limits.

    Args:
        envelope: limits of travel, speed, cones, clearance and singular value.
        grid: poses to judge.
        reference: coordinates of a pose on the side of the singular poses that is meant, (6,).
        quantity: what is shown of the cells inside.
        rates: greatest rates of the coordinates, in any combination [m/s, rad/s]; None: at rest.
        go_on: called now and then with the share that is done; it may raise to end the work.
        holding: limits of the forces at rest; None: they are not judged.
    """
    moving = np.zeros(6) if rates is None else np.array(rates, np.float64)
    columns = np.empty((grid.points**3, kernel.COLUMNS))
    for rows, coordinates in grid.blocks():
        go_on(rows.start / len(columns))
        columns[rows] = _judged(envelope, coordinates, moving, holding)
    side = float(_judged(envelope, reference[None, :], moving, holding)[0, kernel.SIDE])
    table = columns.T.reshape((kernel.COLUMNS, *grid.shape))
    limit, leg = _limits(table[kernel.LIMIT].astype(np.int64))
    hold, share = table[kernel.SINGULAR_VALUE], table[kernel.MARGIN]
    sides = table[kernel.SIDE]
    finite = np.isfinite(share)
    singular = finite & ((hold < SINGULAR) | _crossed(sides, hold))
    beyond = finite & ~singular & (sides != side) if side != 0.0 else np.zeros_like(singular)
    for number, where in (
        (BEYOND, beyond & (share >= 0.0)),
        (SINGULAR_POSE, singular),
        (NOT_A_NUMBER, ~finite),
    ):
        limit[where], leg[where] = number, 0
    inside = finite & (share >= 0.0) & ~singular & ~beyond
    values = np.full(grid.shape, np.nan)
    if quantity.values is None:
        values[inside] = table[_COLUMN_OF[quantity.name]][inside]
    else:
        _fill(values.reshape(-1), inside.reshape(-1), envelope, grid, quantity.values)
    return PoseMap(grid, quantity, inside, limit, leg, share, values, table[kernel.TRAVEL], hold)


def shares_left(
    envelope: Envelope, coordinates: Array, rates: Array, holding: HoldingLimits | None = None
) -> Array:
    """Share left of the limit that binds at each pose [1], below 0 beyond it, shape (N,).

    Args:
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
        rates: greatest rates of the coordinates [m/s, rad/s], shape (6,).
        holding: see `map_poses`.
    """
    return _judged(envelope, coordinates, rates, holding)[:, kernel.MARGIN]


def _judged(
    envelope: Envelope, coordinates: Array, rates: Array, holding: HoldingLimits | None
) -> Array:
    """What the kernel says of poses, shape (N, 7)."""
    g = envelope.geometry
    zero = np.zeros_like(coordinates)
    setpoints = rotation.setpoints_of_coordinates(np.ascontiguousarray(coordinates), zero, zero)
    _, rows = legs.leg_states_and_rows(g.table, setpoints)
    # The exact singular value takes longest, and is found here in a quicker way: 0 is enough.
    measured = envelope_kernel.measures(
        g.base_joints_m, g.platform_joints_m, g.neutral_axes[0], g.neutral_axes[1],
        g.length_scale_m, setpoints, rows, 0.0,
    )  # fmt: skip
    low, high = envelope.bounds
    forces, limits = _UNLOADED
    if holding is not None:
        forces, limits = holding.forces_of_legs_n(setpoints, rows), holding.limit_n
    return kernel.judge(
        coordinates, setpoints, rows, measured, low, high, rates, g.length_scale_m, forces, limits
    )


def _limits(numbers: NDArray[np.int64]) -> tuple[Cells, Cells]:
    """Kind and leg of the kernel's limits."""
    first, _ = np.triu_indices(6, 1)
    each = np.arange(1, 7)
    legs_of = np.concatenate([np.tile(each, 5), first + 1, [0], each]).astype(np.int8)
    return _KINDS[numbers], legs_of[numbers]


def _crossed(sides: Array, hold: Array) -> NDArray[np.bool_]:
    """Cells beside which the legs' hold changes its sign: a singular pose lies between.

    Of two neighbours it is the one whose smallest singular value is smaller.
    """
    found = np.zeros(sides.shape, np.bool_)
    for axis in range(3):
        here, there = np.arange(sides.shape[axis] - 1), np.arange(1, sides.shape[axis])
        changed = np.take(sides, here, axis) * np.take(sides, there, axis) <= 0.0
        nearer = np.take(hold, here, axis) <= np.take(hold, there, axis)
        before, after = [slice(None)] * 3, [slice(None)] * 3
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        found[tuple(before)] |= changed & nearer
        found[tuple(after)] |= changed & ~nearer
    return found


def _fill(
    values: Array,
    inside: NDArray[np.bool_],
    envelope: Envelope,
    grid: PoseGrid,
    function: Callable[[HexapodGeometry, Array], Array],
) -> None:
    """Write a quantity at the cells inside; what is no finite number there is none."""
    for rows, coordinates in grid.blocks():
        chosen = inside[rows]
        if chosen.any():
            found = np.asarray(function(envelope.geometry, coordinates[chosen]), np.float64)
            part = values[rows]
            part[chosen] = np.where(np.isfinite(found), found, np.nan)

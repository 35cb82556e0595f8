"""Map and proof of a rig's workspace for the panel: slices and lines, no pictures.

They are those of ``hil platform map`` and ``prove``, of the table of a file that is edited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hil.machines.rig.machine import build_rig
from hil.run.workspace import (
    LimitKind,
    RegionMark,
    Verdict,
    WorkspaceMap,
    WorkspaceProof,
    WorkspaceSlice,
)
from hil.stations.platform.proof.workspace_request import (
    PLACES,
    FoundMap,
    FoundProof,
    MapRequest,
    ProofRequest,
    make_map,
    make_proof,
    quantity_names,
)
from hil.stations.platform.proof.workspace_words import map_lines, proof_lines
from hil.stations.platform.report.map_slices import (
    KIND_COLOURS,
    PLANES,
    SHORT_NAMES,
    ends_of,
    slice_of,
    slice_title,
)
from hil.timing.realtime import RealClock
from platform6dof.workspace.box_search import Budget
from platform6dof.workspace.pose_map import KINDS
from platform6dof.workspace.quantities import SPEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hil.machines.rig.settings import Rig

MARKED_SHARE: Final = 0.015
"""Least share of a slice's cells at which a region bears the number of its limit."""
STILL: Final = np.zeros(6)


def quantities() -> tuple[str, ...]:
    """Names of the quantities of a rig at rest: speed needs the rates that are wished."""
    return tuple(name for name in quantity_names() if name != SPEED.name)


def workspace_map(
    table: Mapping[str, Any],
    file: Path,
    quantity: str,
    points: int,
    go_on: Callable[[float], None],
) -> WorkspaceMap:
    """Map the places of a rig at its neutral turn, and cut it through its neutral pose.

    Raises:
        ConfigError: a table that is no rig, or a quantity that is unknown or lacks what it needs.
        RefusedError: no place of the map is inside all limits.
    """
    rig = build_rig(table, str(file))
    found = make_map(_request(rig, quantity, points), go_on)
    cells, figures = found.cells, found.figures
    return WorkspaceMap(
        quantity, cells.quantity.title, cells.quantity.unit, cells.quantity.worst,
        figures.least, figures.greatest,
        tuple(LimitKind(*one) for one in zip(KINDS, KIND_COLOURS, strict=True)),
        tuple(_slice(found, rig, plane) for plane in PLANES), tuple(map_lines(found)),
    )  # fmt: skip


def _request(rig: Rig, quantity: str, points: int) -> MapRequest:
    return MapRequest(rig, PLACES, rig.neutral.coordinates(), quantity, points, STILL)


def workspace_proof(table: Mapping[str, Any], file: Path, most_s: float) -> WorkspaceProof:
    """Prove a rig's pose box, and find the largest one of its proportions, within a time [s].

    Raises:
        ConfigError: a table that is no rig.
        RefusedError: a box outside of what the machine reaches.
    """
    rig = build_rig(table, str(file))
    now_s = RealClock().now_s
    end_s = now_s() + most_s
    budget = Budget(expired=lambda: now_s() > end_s)
    found = make_proof(ProofRequest(rig, rig.pose_box.box(), 1.0, STILL, budget, largest=True))
    scale = None if found.largest is None else found.largest.scale
    return WorkspaceProof(_verdict(found), scale, tuple(proof_lines(found)))


def _verdict(found: FoundProof) -> Verdict:
    if found.proof.holds:
        return "holds"
    return "violated" if found.proof.violating else "undecided"


def _slice(found: FoundMap, rig: Rig, plane: tuple[int, int]) -> WorkspaceSlice:
    cells, grid, box = found.cells, found.cells.grid, rig.pose_box.box()
    free = list(grid.free)
    ends = ends_of(cells, plane, grid.lower, grid.upper)
    limits = slice_of(cells, cells.limit, plane).astype(np.int8)
    inside = slice_of(cells, cells.inside, plane).astype(np.bool_)
    right, up = (SHORT_NAMES[free[k]] for k in plane)
    return WorkspaceSlice(
        right, up, "m", slice_title(cells, plane), ends,
        ends_of(cells, plane, box.lower[free], box.upper[free]),
        slice_of(cells, cells.values, plane), limits, inside,
        tuple(_marks(limits, inside, ends)),
    )  # fmt: skip


def _marks(
    limits: NDArray[np.int8], inside: NDArray[np.bool_], ends: tuple[float, float, float, float]
) -> Iterator[RegionMark]:
    """Yield the number of each large region's limit, where the region is widest."""
    from scipy.ndimage import distance_transform_edt

    rows, columns = limits.shape
    for kind in np.unique(limits):
        for side in (False, True):
            region = (limits == kind) & (inside == side)
            if region.sum() < MARKED_SHARE * region.size:
                continue
            depth = np.asarray(distance_transform_edt(np.pad(region, 1)))[1:-1, 1:-1]
            row, column = np.unravel_index(int(np.argmax(depth)), region.shape)
            right = ends[0] + (ends[1] - ends[0]) * (float(column) + 0.5) / columns
            up = ends[2] + (ends[3] - ends[2]) * (float(row) + 0.5) / rows
            yield RegionMark(right, up, int(kind))

"""Maps and proofs of a rig's workspace, from what a user asks to what was found.

A quantity that needs more than the geometry (loads, stiffness, tolerances) is made of the rig by a
function in `MAKERS`. Forces at rest are limits of every rig that has bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, RefusedError
from hil.machines.rig.machine import envelope_of, geometry_of
from hil.machines.rig.settings import Rig
from hil.stations.platform.proof.workspace_quantities import (
    error_quantity,
    force_quantity,
    holding_limits,
    stiffness_quantity,
)
from platform6dof.envelope import Envelope
from platform6dof.geometry import HexapodGeometry
from platform6dof.workspace import PoseBox
from platform6dof.workspace.box_search import Budget, ViolatingPose
from platform6dof.workspace.grid import PLACES, TURNS, PoseGrid
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.leg_extremes import corners
from platform6dof.workspace.map_figures import MapFigures, find_range, map_figures
from platform6dof.workspace.pose_map import PoseMap, map_poses
from platform6dof.workspace.pose_proof import (
    LargestBox,
    PoseProof,
    largest_box,
    prove_box,
    scaled_box,
)
from platform6dof.workspace.quantities import BUILT_IN, SPEED, Quantity

Array = NDArray[np.float64]

MAKERS: Final[dict[str, Callable[[Rig, HexapodGeometry, str], Quantity]]] = {
    "force": force_quantity,
    "stiffness": stiffness_quantity,
    "error": error_quantity,
}
"""Makers of quantities that need more of a rig than its geometry, by name; of the rig's source."""
FARTHEST_M: Final = 20.0
"""Farthest place of a box or of a map [m]; one beyond was not given in metres."""
UNITS: Final = ("m", "m", "m", "°", "°", "°")


def quantity_names() -> tuple[str, ...]:
    """Names of all quantities that a map shows."""
    return (*BUILT_IN, *MAKERS)


@dataclass(frozen=True, slots=True, eq=False)
class MapRequest:
    """A map that is asked for."""

    rig: Rig
    free: tuple[int, int, int]
    """Coordinates of the map, `PLACES` or `TURNS`."""
    fixed: Array
    """Coordinates of which the three others are fixed [m, rad], shape (6,)."""
    of: str
    """Name of the quantity."""
    points: int
    """Cells along each coordinate."""
    rates: Array
    """Greatest rates of the coordinates [m/s, rad/s], shape (6,); zeros: speed is not judged."""
    over: Array | None = None
    """Lower and upper ends of the map [m or rad], shape (2, 3); None: found."""
    source: str = "rig"
    """Name of the rig's file, for what is refused."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundMap:
    """A map that was made."""

    cells: PoseMap
    figures: MapFigures


def make_map(request: MapRequest, go_on: Callable[[float], None] = lambda _share: None) -> FoundMap:
    """Make a map of a rig.

    Args:
        go_on: see `map_poses`.

    Raises:
        ConfigError: a quantity that is unknown or lacks what it needs.
        RefusedError: no pose of the map is inside all limits.
    """
    geometry = geometry_of(request.rig)
    envelope = envelope_of(request.rig, geometry)
    quantity = _quantity(request, geometry)
    reference, holding = _reference(request), holding_limits(request.rig, geometry)
    if request.over is None:
        found = find_range(envelope, request.free, reference, request.rates, holding)
        if found.nearest is not None:
            raise RefusedError(_nothing_inside(request, found.nearest))
        lower, upper = found.lower, found.upper
    else:
        lower, upper = request.over
    grid = PoseGrid(request.free, reference, lower, upper, request.points)
    cells = map_poses(envelope, grid, reference, quantity, request.rates, go_on, holding)
    return FoundMap(cells, map_figures(cells))


def _quantity(request: MapRequest, geometry: HexapodGeometry) -> Quantity:
    if request.of in MAKERS:
        return MAKERS[request.of](request.rig, geometry, request.source)
    if request.of not in BUILT_IN:
        names = ", ".join(quantity_names())
        raise ConfigError("--of", [f"{request.of!r} is unknown; there are {names}"])
    if request.of == SPEED.name and not request.rates.any():
        raise ConfigError("--of", ["speed needs the rates that are wished: give --rates"])
    return BUILT_IN[request.of]


def _reference(request: MapRequest) -> Array:
    """The rig's neutral pose with the map's fixed coordinates."""
    pose = request.rig.neutral.coordinates()
    others = [k for k in range(6) if k not in request.free]
    pose[others] = request.fixed[others]
    return pose


def _nothing_inside(request: MapRequest, nearest: ViolatingPose) -> str:
    what, option = ("place", "--turned") if request.free == PLACES else ("turn", "--at")
    return (
        f"no {what} of the map is inside all limits; nearest comes {pose_words(nearest)}; give "
        f"another {option} (neutral: {_words(request.rig.neutral.coordinates(), range(6))}), or "
        "smaller --rates if they were given"
    )


def pose_words(one: ViolatingPose) -> str:
    """A pose and what it violates, for people."""
    return f"{_words(one.coordinates, range(6))}: {one.violation}"


def _words(pose: Array, which: range) -> str:
    shown = np.concatenate([pose[:3], np.degrees(pose[3:])])
    names = ("x", "y", "z", "α", "β", "γ")
    return ", ".join(f"{names[k]} {shown[k] + 0.0:.6g} {UNITS[k]}" for k in which)


@dataclass(frozen=True, slots=True, eq=False)
class ProofRequest:
    """A proof that is asked for."""

    rig: Rig
    box: PoseBox
    """Box before it is scaled."""
    scale: float
    rates: Array
    """See `MapRequest`."""
    budget: Budget
    largest: bool
    """Whether the largest box of these proportions is looked for as well."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundProof:
    """A proof that was made."""

    envelope: Envelope
    proof: PoseProof
    largest: LargestBox | None
    holding: HoldingLimits | None = None
    """Limits of the forces at rest; None of a rig without bodies."""


def make_proof(request: ProofRequest) -> FoundProof:
    """Prove a rig's box, and find the largest one of its proportions if that is asked.

    Raises:
        RefusedError: a box outside of what the machine reaches.
    """
    geometry = geometry_of(request.rig)
    envelope, holding = envelope_of(request.rig, geometry), holding_limits(request.rig, geometry)
    box = scaled_box(request.box, request.scale)
    proof = prove_box(envelope, box, request.budget, request.rates, holding)
    if proof.violating:
        _require_reached(request, envelope, box, proof)
    largest = None
    if request.largest:
        largest = largest_box(envelope, request.box, request.budget, request.rates, holding)
    return FoundProof(envelope, proof, largest, holding)


def _require_reached(
    request: ProofRequest, envelope: Envelope, box: PoseBox, proof: PoseProof
) -> None:
    """Refuse a box none of whose corners, middles or random poses is inside all limits."""
    generator = np.random.Generator(np.random.PCG64(1))
    poses = np.vstack([corners(box), 0.5 * (box.lower + box.upper)])
    random = box.lower + (box.upper - box.lower) * generator.random((4096, 6))
    poses = np.vstack([poses, random])
    if envelope.inside(poses).any():
        return
    raise RefusedError(
        f"the box is outside of what the machine reaches: of {len(poses)} poses of it none is "
        f"inside all limits, for instance not {pose_words(proof.violating[0])}; move the box to "
        f"the neutral pose ({_words(request.rig.neutral.coordinates(), range(6))}), or make it "
        "smaller with --scale"
    )


__all__ = [
    "FARTHEST_M", "MAKERS", "PLACES", "TURNS", "FoundMap", "FoundProof", "MapRequest",
    "ProofRequest", "make_map", "make_proof", "pose_words", "quantity_names",
]  # fmt: skip

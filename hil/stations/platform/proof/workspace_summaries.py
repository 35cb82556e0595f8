"""Output of the verbs about a rig's workspace with ``--json``: keys and their meaning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NotRequired, TypedDict

from hil.stations.platform.proof.summaries import PoseSummary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.stations.platform.proof.workspace_request import FoundMap, FoundProof
    from platform6dof.workspace import PoseBox
    from platform6dof.workspace.box_search import ViolatingPose
    from platform6dof.workspace.pose_proof import LargestBox

    Array = NDArray[np.float64]


class MapSummary(TypedDict):
    """Map of places at a fixed turn, or of turns at a fixed place."""

    ok: bool
    """A pose of the map is inside all limits."""
    of: str
    """Quantity: `travel`, `sigma`, `speed`, `force`, `stiffness` or `error`."""
    unit: str
    """Unit of the quantity; empty if it has none."""
    over: str
    """Coordinates of the map: `places` (x, y, z) or `turns` (alpha, beta, gamma)."""
    grid_lower: PoseSummary
    """Lower ends of the map, and the fixed coordinates."""
    grid_upper: PoseSummary
    """Upper ends of the map, and the fixed coordinates."""
    points: int
    """Number of cells along each coordinate."""
    share_inside: float
    """Share of the cells inside all limits [1]."""
    volume_m3: float | None
    """Volume of the places inside [m³]; null of a map of turns."""
    volume_deg3: float | None
    """Volume of the turns inside, as coordinates [deg³]; null of a map of places."""
    lower: PoseSummary | None
    """Least coordinates inside; null if no cell is, as what follows of the inside."""
    upper: PoseSummary | None
    """Greatest coordinates inside."""
    parts: int
    """Number of separate parts of the inside."""
    bound_by: dict[str, float]
    """Share of the inside's rim that each limit makes, the greatest first [1]."""
    outside_by: dict[str, float]
    """Share of the cells outside at which each limit binds, the greatest first [1]."""
    singular_cells: int
    """Number of cells with a singular pose in or beside them; they have no value."""
    least: float | None
    """Least value of the quantity inside."""
    least_pose: PoseSummary | None
    """Pose of the least value."""
    greatest: float | None
    """Greatest value of the quantity inside."""
    greatest_pose: PoseSummary | None
    """Pose of the greatest value."""
    written: list[str]
    """Paths of the pictures."""


class ViolationSummary(TypedDict):
    """Pose that passes a limit."""

    pose: PoseSummary
    """Pose of the platform in the base."""
    quantity: str
    """Limited quantity."""
    leg: int | None
    """Leg, 1 to 6; null if it is not one leg's."""
    other_leg: int | None
    """Second leg of a clearance; null otherwise."""
    value: float
    """Value of the quantity."""
    limit: float
    """Limit of the quantity."""
    unit: str
    """Unit of value and limit."""
    message: str
    """Violation as a sentence."""


class LargestBoxSummary(TypedDict):
    """Largest proved box of the same proportions."""

    scale: float
    """Scale of the box that was given, or of the rig's pose box [1]."""
    lower: PoseSummary
    """Its least coordinates."""
    upper: PoseSummary
    """Its greatest coordinates."""
    next_scale: float | None
    """Least scale that was tried and not proved [1]; null if all up to 8 holds."""
    limited_by: ViolationSummary | None
    """Pose of that one which passes a limit; null if it is undecided."""
    boxes: int
    """Number of boxes examined."""


class ProveSummary(TypedDict):
    """Proof of a whole box of poses."""

    ok: bool
    """Every pose of the box keeps every limit."""
    verdict: str
    """Verdict: `holds`, `violated` or `undecided`."""
    scale: float
    """Scale of the box that was given, or of the rig's pose box [1]."""
    lower: PoseSummary
    """Least coordinates of the box."""
    upper: PoseSummary
    """Greatest coordinates of the box."""
    proved_share: float
    """Share of the box in which all limits are proved [1]; 0 if a pose violates it at once."""
    undecided_share: float
    """Share of the box that is neither proved nor seen to violate [1]."""
    boxes: int
    """Number of boxes examined."""
    violating: list[ViolationSummary]
    """Poses that pass a limit, of each quantity the farthest beyond."""
    length_min_m: float
    """Shortest leg that was found in the box [m]."""
    length_min_pose: PoseSummary
    """Pose of the shortest leg."""
    length_max_m: float
    """Longest leg that was found in the box [m]."""
    length_max_pose: PoseSummary
    """Pose of the longest leg."""
    singular_value_min: float
    """Least singular value that was found in the box [1]."""
    singular_value_pose: PoseSummary
    """Pose of the least singular value."""
    clearance_min_m: float | None
    """Least clearance of two legs that was found in the box [m]; null if no pair counts."""
    base_angle_max_deg: float
    """Greatest angle of a leg from its base joint's axis that was found in the box [deg]."""
    platform_angle_max_deg: float
    """Greatest angle of a leg from its platform joint's axis that was found in the box [deg]."""
    force_max_n: NotRequired[float]
    """Greatest holding force that was found in the box, of the leg nearest to its limit [N]; left
    out of a rig without bodies, as its pose is."""
    force_max_pose: NotRequired[PoseSummary]
    """Pose of the greatest holding force."""
    largest: LargestBoxSummary | None
    """Largest proved box of the same proportions; null if it was not asked for."""
    written: list[str]
    """Paths of the pictures."""


POSE_KEYS = ("x_m", "y_m", "z_m", "alpha_deg", "beta_deg", "gamma_deg")


def summarize_pose(coordinates: Array) -> PoseSummary:
    """Coordinates in metres and degrees, by their keys."""
    x_m, y_m, z_m = (float(value) + 0.0 for value in coordinates[:3])
    alpha, beta, gamma = (math.degrees(value) + 0.0 for value in coordinates[3:])
    return PoseSummary(x_m=x_m, y_m=y_m, z_m=z_m, alpha_deg=alpha, beta_deg=beta, gamma_deg=gamma)


def summarize_map(found: FoundMap, written: list[str]) -> MapSummary:
    """Summary of a map."""
    cells, figures = found.cells, found.figures
    grid, places = cells.grid, cells.grid.free == (0, 1, 2)
    some, known = bool(cells.inside.any()), math.isfinite(figures.least)

    def pose(ends: Array) -> PoseSummary:
        coordinates = grid.fixed.copy()
        coordinates[list(grid.free)] = ends
        return summarize_pose(coordinates)

    return MapSummary(
        ok=some,
        of=cells.quantity.name,
        unit=cells.quantity.unit,
        over="places" if places else "turns",
        grid_lower=pose(grid.lower),
        grid_upper=pose(grid.upper),
        points=grid.points,
        share_inside=figures.share_inside,
        volume_m3=figures.volume if places else None,
        volume_deg3=None if places else figures.volume * math.degrees(1.0) ** 3,
        lower=pose(figures.lower) if some else None,
        upper=pose(figures.upper) if some else None,
        parts=figures.parts,
        bound_by=figures.bound_by,
        outside_by=figures.outside_by,
        singular_cells=figures.singular_cells,
        least=figures.least if known else None,
        least_pose=summarize_pose(figures.least_pose) if known else None,
        greatest=figures.greatest if known else None,
        greatest_pose=summarize_pose(figures.greatest_pose) if known else None,
        written=written,
    )


def summarize_violation(one: ViolatingPose) -> ViolationSummary:
    """Summary of a pose that passes a limit."""
    violation = one.violation
    return ViolationSummary(
        pose=summarize_pose(one.coordinates),
        quantity=violation.quantity,
        leg=violation.leg,
        other_leg=violation.other_leg,
        value=violation.value,
        limit=violation.limit,
        unit=violation.unit,
        message=str(violation),
    )


def summarize_proof(found: FoundProof, scale: float, written: list[str]) -> ProveSummary:
    """Summary of a proof."""
    proof, search, worst = found.proof, found.proof.search, found.proof.worst
    lower, upper = _ends(proof.box)
    clearance = worst.clearance.value
    summary = ProveSummary(
        ok=proof.holds,
        verdict=search.verdict,
        scale=scale,
        lower=lower,
        upper=upper,
        proved_share=search.proved_share,
        undecided_share=search.undecided_share,
        boxes=search.boxes,
        violating=[summarize_violation(one) for one in proof.violating],
        length_min_m=worst.lengths.min_m,
        length_min_pose=summarize_pose(worst.lengths.min_pose),
        length_max_m=worst.lengths.max_m,
        length_max_pose=summarize_pose(worst.lengths.max_pose),
        singular_value_min=worst.singular_value.value,
        singular_value_pose=summarize_pose(worst.singular_value.coordinates),
        clearance_min_m=clearance if math.isfinite(clearance) else None,
        base_angle_max_deg=math.degrees(worst.base_angle.value),
        platform_angle_max_deg=math.degrees(worst.platform_angle.value),
        largest=None if found.largest is None else summarize_largest(found.largest),
        written=written,
    )
    if found.holding is not None:
        summary["force_max_n"] = worst.force.value
        summary["force_max_pose"] = summarize_pose(worst.force.coordinates)
    return summary


def summarize_largest(found: LargestBox) -> LargestBoxSummary:
    """Summary of the largest proved box."""
    lower, upper = _ends(found.box)
    limited_by = found.limited_by
    return LargestBoxSummary(
        scale=found.scale,
        lower=lower,
        upper=upper,
        next_scale=found.next_scale,
        limited_by=None if limited_by is None else summarize_violation(limited_by),
        boxes=found.boxes,
    )


def _ends(box: PoseBox) -> tuple[PoseSummary, PoseSummary]:
    return summarize_pose(box.lower), summarize_pose(box.upper)

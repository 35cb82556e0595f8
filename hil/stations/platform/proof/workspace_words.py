"""Lines about a rig's workspace for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hil.stations.platform.proof.workspace_request import FoundMap, FoundProof, pose_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from platform6dof.workspace import PoseBox
    from platform6dof.workspace.pose_proof import LargestBox

    Array = NDArray[np.float64]

NAMES = ("x", "y", "z", "α", "β", "γ")


def map_lines(found: FoundMap) -> Iterator[str]:
    """Lines about a map."""
    cells, figures = found.cells, found.figures
    grid, quantity = cells.grid, cells.quantity
    places = grid.free == (0, 1, 2)
    size = figures.volume if places else figures.volume * np.degrees(1.0) ** 3
    yield (
        f"inside all limits: {size:.4g} {'m³' if places else 'deg³'}, "
        f"{100.0 * figures.share_inside:.1f} % of {grid.points}³ cells of the map"
        + (f", in {figures.parts} parts" if figures.parts > 1 else "")
    )
    if cells.inside.any():
        yield f"from the least to the greatest: {ranges(figures.lower, figures.upper, grid.free)}"
        yield f"its rim is made by {_shares(figures.bound_by)}"
    if figures.outside_by:
        yield f"cells outside are ended by {_shares(figures.outside_by)}"
    if figures.singular_cells:
        yield f"singular poses: in or beside {figures.singular_cells} cells, which have no value"
    if np.isfinite(figures.least):
        unit = f" {quantity.unit}" if quantity.unit else ""
        yield (
            f"{quantity.title}: {figures.least:.4g}{unit} at {_pose(figures.least_pose)}, to "
            f"{figures.greatest:.4g}{unit} at {_pose(figures.greatest_pose)}"
        )


def proof_lines(found: FoundProof) -> Iterator[str]:
    """Lines about a proof."""
    proof, search = found.proof, found.proof.search
    yield f"box: {_box(proof.box)}"
    if proof.holds:
        yield f"holds: all limits, in every pose of the box ({search.boxes} boxes, none undecided)"
    elif proof.violating:
        yield "violated, among others by"
        for one in proof.violating:
            yield f"  {pose_words(one)}"
    else:
        yield (
            f"undecided: {100.0 * search.undecided_share:.3g} % of the box after {search.boxes} "
            f"boxes; {100.0 * search.proved_share:.3g} % is proved. More time (--seconds), more "
            "boxes (--boxes) or a smaller box (--scale) decide it"
        )
    worst = proof.worst
    yield (
        f"worst poses found: legs {worst.lengths.min_m:.4f} to {worst.lengths.max_m:.4f} m, "
        f"smallest singular value {worst.singular_value.value:.4f}, joints "
        f"{np.degrees(worst.base_angle.value):.1f}° at the base and "
        f"{np.degrees(worst.platform_angle.value):.1f}° at the platform, clearance "
        + (f"{worst.clearance.value:.3f} m" if np.isfinite(worst.clearance.value) else "free")
        + ("" if found.holding is None else f", holding force {worst.force.value:.0f} N")
    )
    if found.largest is not None:
        yield from _largest_lines(found.largest)


def _largest_lines(largest: LargestBox) -> Iterator[str]:
    if largest.scale > 0.0:
        yield f"largest proved box: scale {largest.scale:.4f}: {_box(largest.box)}"
    else:
        yield "largest proved box: none; the box's centre is not inside"
    if largest.limited_by is not None:
        yield f"  a larger one is ended by {pose_words(largest.limited_by)}"
    elif largest.next_scale is not None:
        yield f"  scale {largest.next_scale:.4f} is undecided within the time and boxes given"


def ranges(lower: Array, upper: Array, which: tuple[int, ...]) -> str:
    """Ranges of coordinates for people, in metres and degrees."""
    words: list[str] = []
    for k, low, high in zip(which, lower, upper, strict=True):
        ends = np.degrees([low, high]) if k > 2 else np.array([low, high])
        unit = "°" if k > 2 else " m"
        words.append(f"{NAMES[k]} {ends[0] + 0.0:.4g} to {ends[1] + 0.0:.4g}{unit}")
    return ", ".join(words)


def _box(box: PoseBox) -> str:
    return ranges(box.lower, box.upper, (0, 1, 2, 3, 4, 5))


def _pose(pose: Array) -> str:
    shown = np.concatenate([pose[:3], np.degrees(pose[3:])])
    return "(" + ", ".join(f"{value + 0.0:.3g}" for value in shown) + ") m, °"


def _shares(shares: dict[str, float]) -> str:
    return ", ".join(f"{name} {100.0 * share:.1f} %" for name, share in shares.items())

"""The worst poses of a box that can be found: corners, a sample, and a search from the best."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from platform6dof.envelope import Envelope
from platform6dof.workspace.box_extremes import TIE, WorstPose, unit_starts, worst_pose
from platform6dof.workspace.box_search import STILL, ViolatingPose, all_violations
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.leg_extremes import LegExtremes, PoseBox, corners, extremes

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class WorstPoses:
    """Worst poses of a box."""

    lengths: LegExtremes
    """Shortest and longest leg."""
    base_angle: WorstPose
    """Greatest angle of a leg from its base joint's axis [rad]."""
    platform_angle: WorstPose
    """The same at the platform [rad]."""
    clearance: WorstPose
    """Least clearance of two legs [m]; inf if no pair counts."""
    singular_value: WorstPose
    """Least singular value."""
    force: WorstPose
    """Greatest force at rest of the leg that is nearest to its limit [N]; nan if not judged."""
    violating: tuple[ViolatingPose, ...]
    """What these poses, and the corners, violate: one for each quantity, the farthest beyond."""


def worst_poses(
    envelope: Envelope,
    box: PoseBox,
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> WorstPoses:
    """Find the worst poses of a box; what is found is attained, what is not found may exist."""
    lengths = extremes(envelope.geometry, box)
    counts = np.isfinite(envelope.bounds[0][30:45])
    unit = unit_starts()

    def worst(measure: Callable[[Array], Array], sense: float) -> WorstPose:
        return worst_pose(box, unit, lambda poses: measure(envelope.quantities(poses)), sense)

    clearance = worst(lambda q: q[:, 30:45][:, counts].min(axis=1, initial=np.inf), 1.0)
    found = WorstPoses(
        lengths,
        worst(lambda q: q[:, 18:24].max(axis=1), -1.0),
        worst(lambda q: q[:, 24:30].max(axis=1), -1.0),
        clearance,
        worst(lambda q: q[:, 45], 1.0),
        _worst_force(holding, box, unit),
        (),
    )
    poses = [
        lengths.min_pose, lengths.max_pose, found.base_angle.coordinates,
        found.platform_angle.coordinates, clearance.coordinates, found.singular_value.coordinates,
        *([] if holding is None else [found.force.coordinates]), *corners(box),
    ]  # fmt: skip
    object.__setattr__(found, "violating", violations_of(envelope, poses, rates, holding))
    return found


def _worst_force(holding: HoldingLimits | None, box: PoseBox, unit: Array) -> WorstPose:
    """Force of the leg that comes nearest to its limit."""
    if holding is None:
        return WorstPose(np.nan, 0.5 * (box.lower + box.upper))

    def shares(poses: Array) -> Array:
        return np.asarray((np.abs(holding.forces_n(poses)) / holding.limit_n).max(axis=1))

    found = worst_pose(box, unit, shares, -1.0)
    forces = np.abs(holding.forces_n(found.coordinates[None, :]))[0]
    return WorstPose(float(forces[np.argmax(forces / holding.limit_n)]), found.coordinates)


def violations_of(
    envelope: Envelope,
    poses: list[Array],
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> tuple[ViolatingPose, ...]:
    """Violations of poses: of each quantity the farthest beyond its limit, at either end."""
    farthest: dict[tuple[str, bool], ViolatingPose] = {}
    for pose in poses:
        for one in all_violations(envelope, pose, rates, holding):
            key = (one.violation.quantity, one.violation.value > one.violation.limit)
            old = farthest.get(key)
            if old is None or _beyond(one) > _beyond(old) + TIE:
                farthest[key] = one
    return tuple(farthest.values())


def _beyond(one: ViolatingPose) -> float:
    return abs(one.violation.value - one.violation.limit)

"""Budget of an error: tolerances of the parts with which a point keeps a wanted accuracy.

Each kind of errors gets the same share of the variance (method of equal effects: Taylor, An
Introduction to Error Analysis, 2nd ed., section 3.11, used backwards): a part to which the pose
hardly answers may be made coarsely.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from hil_common.arrays.pose import Pose
from platform6dof.accuracy.propagation import leg_errors, three_sigma, variances
from platform6dof.accuracy.tolerances import KINDS, NAMES, Tolerances
from platform6dof.geometry import HexapodGeometry

UNITS = Tolerances(
    leg_length_m=1.0, scale=1.0, base_joint_m=1.0, platform_joint_m=1.0, play_m=1.0,
    temperature_k=1.0, leg_temperature_k=1.0,
)  # fmt: skip
"""One of each unit."""


@dataclass(frozen=True, slots=True, eq=False)
class ToleranceBudget:
    """Tolerances that keep an error at all poses that were asked for."""

    tolerances: Tolerances
    """The tolerances; 0.0 of a kind that is not bounded."""
    unbounded: tuple[str, ...]
    """Kinds to which the place does not answer at any of the poses."""
    reached_m: float
    """Three standard deviations of the place at the worst pose with them [m]."""
    worst: int
    """Number of that pose."""


def allocate(
    geometry: HexapodGeometry,
    poses: Sequence[Pose],
    point_m: ArrayLike,
    wanted_m: float,
    properties: Tolerances,
) -> ToleranceBudget:
    """Give each kind of errors a tolerance so that a point's place errs by so much at most.

    Each kind takes the same share at the pose that is worst for it alone; all are then widened
    together until the pose that is worst for all is at the wanted error.

    Args:
        poses: poses at which it has to hold, at least one.
        point_m: in platform axes [m], shape (3,).
        wanted_m: three standard deviations of the place in all directions together [m].
        properties: of which the expansions are taken.

    Raises:
        ValueError: no poses, or a wanted error that is not above 0.
        SingularPoseError: a pose is singular.
    """
    if not poses or not wanted_m > 0.0:
        raise ValueError(f"{len(poses)} poses, {wanted_m} m: at least one pose, and above 0 m")
    units = replace(
        UNITS,
        leg_expansion_per_k=properties.leg_expansion_per_k,
        plate_expansion_per_k=properties.plate_expansion_per_k,
    )
    errors = [leg_errors(geometry, units, pose) for pose in poses]
    squares = np.array(
        [np.trace(variances(one, units, point_m)[:, :3, :3], axis1=1, axis2=2) for one in errors]
    )  # (N, 7)
    of_unit = 3.0 * np.sqrt(squares.max(axis=0))
    share = wanted_m / np.sqrt(len(KINDS))
    # A kind that does nothing, as temperature where nothing expands, is not bounded by this.
    first = {
        name: float(share / size) if size > 0.0 else 0.0
        for name, size in zip(NAMES, of_unit, strict=True)
    }
    reached = [three_sigma(one, replace(units, **first), point_m).place_total_m for one in errors]
    worst = int(np.argmax(reached))
    wider = wanted_m / reached[worst]
    given = replace(units, **{name: wider * value for name, value in first.items()})
    unbounded = tuple(kind for kind, size in zip(KINDS, of_unit, strict=True) if not size > 0.0)
    reached_m = three_sigma(errors[worst], given, point_m).place_total_m
    return ToleranceBudget(given, unbounded, reached_m, worst)

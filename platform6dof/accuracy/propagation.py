"""Propagation of errors, from the parts of a machine to a point of its platform, to first order.

The control knows the nominal machine and gives each leg the length L that its model has. The true
machine differs: joints at a + da and b + db, a length L + dL. Its pose differs by the small twist

    J [dp; dtheta] = e,   e_i = dL_i + h_i . da_i - h_i . M db_i

with h_i the first half of row i of the Jacobian J, the leg's direction where no screw winds. Of a
point c of the platform the place differs by dp + dtheta x M c. Source: Merlet, Parallel Robots, 2nd
ed., section 8.3 (total derivative of the closure equations); the temperature's part is the same
with da = a k dT, db = b k dT, dL = L k dT.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose, frozen_array
from platform6dof.accuracy.tolerances import KINDS, SPREAD, Tolerances
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import legs as kernel

Array = NDArray[np.float64]

SIGNS = 1.0 - 2.0 * ((np.arange(128)[:, None] >> np.arange(7)) & 1)
"""Signs with which six legs and the temperature can err together, shape (128, 7)."""

_set = object.__setattr__


class SingularPoseError(ValueError):
    """A pose in which the legs do not hold the platform, so that no error of it is bounded."""


@dataclass(frozen=True, slots=True, eq=False)
class LegErrors:
    """Errors of a leg's closure per unit of tolerance, at a pose."""

    X_BP: Pose
    """Nominal pose."""
    per_leg: Array
    """Root sum of squares of each leg's own errors, for each of `KINDS`, shape (6, 7)."""
    worst_per_leg: Array
    """Sum of the amounts of each leg's own errors, for each of `KINDS`, shape (6, 7)."""
    common: Array
    """Errors of the legs per kelvin of the whole machine, with their signs, shape (6,)."""
    inverse: Array
    """Inverse of the Jacobian, shape (6, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class PointError:
    """Error of the place of a point of the platform, and of the platform's direction."""

    place_m: Array
    """Error along x, y, z of the base [m], shape (3,), read-only."""
    turn_rad: Array
    """Error about x, y, z of the base [rad], shape (3,), read-only."""
    place_total_m: float
    """Error of the place in all directions together [m]."""
    turn_total_rad: float
    """Error of the direction about all axes together [rad]."""

    def __post_init__(self) -> None:
        _set(self, "place_m", frozen_array(self.place_m, (3,), "place_m"))
        _set(self, "turn_rad", frozen_array(self.turn_rad, (3,), "turn_rad"))

    @property
    def numbers(self) -> Array:
        """Place, turn and their totals, shape (8,)."""
        totals = [self.place_total_m, self.turn_total_rad]
        return np.concatenate([self.place_m, self.turn_rad, totals])


def leg_errors(geometry: HexapodGeometry, tolerances: Tolerances, X_BP: Pose) -> LegErrors:
    """Find what each kind of errors does to the closure of each leg.

    Raises:
        SingularPoseError: the legs do not hold the platform there.
    """
    rows = kernel.leg_rows(geometry.table, X_BP.position_m, X_BP.rotation)
    lengths, jacobian = rows[0], rows[1:]
    try:
        inverse: Array = np.asarray(np.linalg.inv(jacobian), dtype=np.float64)
    except np.linalg.LinAlgError:
        inverse = np.full((6, 6), np.inf)
    if not (np.isfinite(inverse).all() and np.linalg.cond(jacobian) < 1e12):
        raise SingularPoseError("the legs do not hold the platform in this pose: it is singular")
    along = jacobian[:, :3]  # h, in base axes
    in_platform = along @ X_BP.rotation
    size, size_in_platform = np.linalg.norm(along, axis=1), np.linalg.norm(in_platform, axis=1)
    one, per_k = np.ones(6), tolerances.leg_expansion_per_k
    travel = np.abs(lengths - geometry.closed_length_m)
    sums = np.abs(along).sum(axis=1), np.abs(in_platform).sum(axis=1)
    zero, warm = np.zeros(6), per_k * np.abs(lengths)
    plates = np.einsum("ij,ij->i", along, geometry.base_joints_m)
    plates -= np.einsum("ij,ij->i", in_platform, geometry.platform_joints_m)
    return LegErrors(
        X_BP=X_BP,
        per_leg=np.stack([one, travel, size, size_in_platform, one, zero, warm], axis=1),
        worst_per_leg=np.stack([one, travel, *sums, one, zero, warm], axis=1),
        common=per_k * lengths + tolerances.plate_expansion_per_k * plates,
        inverse=inverse,
    )


def at_point(errors: LegErrors, point_m: ArrayLike) -> Array:
    """Map from errors of the legs to place and turn of a point in platform axes, shape (6, 6)."""
    x, y, z = errors.X_BP.rotation @ np.asarray(point_m, dtype=np.float64)
    across = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # dtheta x c
    moved = errors.inverse[:3] + across @ errors.inverse[3:]
    return np.vstack([moved, errors.inverse[3:]])


def variances(errors: LegErrors, tolerances: Tolerances, point_m: ArrayLike) -> Array:
    """Covariance of place and turn that each kind of errors makes, shape (7, 6, 6)."""
    mapped = at_point(errors, point_m)
    found = np.empty((len(KINDS), 6, 6))
    for kind, (tolerance, share) in enumerate(zip(tolerances.of_kinds, SPREAD, strict=True)):
        deviation = mapped * (share * tolerance * errors.per_leg[:, kind])
        found[kind] = deviation @ deviation.T
    common = mapped @ errors.common * (SPREAD[5] * tolerances.temperature_k)
    found[KINDS.index("temperature")] = np.outer(common, common)
    return found


def three_sigma(errors: LegErrors, tolerances: Tolerances, point_m: ArrayLike) -> PointError:
    """Three standard deviations of a point's error, to first order.

    The totals are those of the root mean square of the distance, and of the angle.
    """
    return error_of_covariance(variances(errors, tolerances, point_m).sum(axis=0))


def error_of_covariance(covariance: Array) -> PointError:
    """Three standard deviations of a covariance of place and turn, shape (6, 6)."""
    each = np.diag(covariance)
    sigma = 3.0 * np.sqrt(each)
    place, turn = each[:3].sum(), each[3:].sum()
    return PointError(sigma[:3], sigma[3:], 3.0 * float(place**0.5), 3.0 * float(turn**0.5))


def worst_case(errors: LegErrors, tolerances: Tolerances, point_m: ArrayLike) -> PointError:
    """Greatest error of a point, to first order: all errors at their ends, at their worst signs.

    Each number is the greatest by itself. Those of one leg add up in its length, so that the
    greatest of all is at one of 2⁷ combinations of signs, six legs and the temperature.
    """
    mapped = at_point(errors, point_m)
    legs = errors.worst_per_leg @ np.array(tolerances.of_kinds)  # (6,)
    common = mapped @ errors.common * tolerances.temperature_k
    extremes = SIGNS @ np.column_stack([mapped * legs, common]).T  # (128, 6)
    most = np.abs(extremes).max(axis=0)
    place = float(np.linalg.norm(extremes[:, :3], axis=1).max())
    turn = float(np.linalg.norm(extremes[:, 3:], axis=1).max())
    return PointError(most[:3], most[3:], place, turn)


def spread_per_length(
    geometry: HexapodGeometry, X_BP: Pose, point_m: ArrayLike
) -> tuple[float, float]:
    """Error of a point's place and of its turn per error of every leg's length [m/m, rad/m].

    One standard deviation of equal, independent errors of the six lengths: the root of the sum of
    the squares of the inverse Jacobian.

    Raises:
        SingularPoseError: the legs do not hold the platform there.
    """
    mapped = at_point(leg_errors(geometry, Tolerances(), X_BP), point_m)
    return float(np.linalg.norm(mapped[:3])), float(np.linalg.norm(mapped[3:]))

"""Random machines whose parts err within tolerances, and the poses that they really take.

Nothing is linear here: each machine has its own joints and lengths, and its pose is found by
Newton's method of the forward kinematics, as that of a real one would be.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose
from platform6dof.accuracy.propagation import PointError, error_of_covariance
from platform6dof.accuracy.tolerances import Tolerances
from platform6dof.forward import MAX_STEPS, TOLERANCE_M
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_lengths
from platform6dof.kernels import legs as kernel

Array = NDArray[np.float64]

ANY_PAIR = np.tile([np.inf, 0.0], (15, 1))
"""Limits of pairs of legs that refuse no lengths: Newton's method alone decides."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomMachines:
    """Errors of a point over many random machines."""

    place_m: Array
    """Errors of the place in base axes [m], shape (N, 3); NaN where no pose was found."""
    turn_rad: Array
    """Errors of the direction as rotation vectors in base axes [rad], shape (N, 3)."""
    without_pose: int
    """Number of machines of which no pose was found: their lengths close near no nominal pose."""

    @property
    def three_sigma(self) -> PointError:
        """Three standard deviations about the nominal place and direction."""
        known = np.hstack([self.place_m, self.turn_rad])
        known = known[np.isfinite(known).all(axis=1)]
        return error_of_covariance(known.T @ known / max(1, len(known)))

    @property
    def greatest(self) -> PointError:
        """Greatest errors among them, each number by itself."""
        place, turn = np.nan_to_num(self.place_m), np.nan_to_num(self.turn_rad)
        return PointError(
            np.abs(place).max(axis=0, initial=0.0),
            np.abs(turn).max(axis=0, initial=0.0),
            float(np.linalg.norm(place, axis=1).max(initial=0.0)),
            float(np.linalg.norm(turn, axis=1).max(initial=0.0)),
        )


def random_machines(
    geometry: HexapodGeometry,
    tolerances: Tolerances,
    X_BP: Pose,
    point_m: ArrayLike,
    count: int,
    seed: int,
) -> RandomMachines:
    """Draw machines, command each to a pose by the nominal model, and find where a point is then.

    Args:
        point_m: in platform axes [m], shape (3,).
        count: number of machines, at least 1.
        seed: of numpy's PCG64; the same seed gives the same machines.

    Raises:
        ValueError: ``count`` is below 1.
    """
    if count < 1:
        raise ValueError(f"count: {count}, must be at least 1")
    generator = np.random.Generator(np.random.PCG64(seed))
    tables, lengths = _drawn(geometry, tolerances, leg_lengths(geometry, X_BP), count, generator)
    point = np.asarray(point_m, dtype=np.float64)
    scale, before = geometry.length_scale_m, X_BP.rotation @ point
    place, turn = np.full((count, 3), np.nan), np.full((count, 3), np.nan)
    found = np.empty(17)
    for n in range(count):
        kernel.pose_of_lengths(
            tables[n], ANY_PAIR, lengths[n], X_BP.position_m, X_BP.rotation, scale, TOLERANCE_M,
            MAX_STEPS, found,
        )  # fmt: skip
        if found[15] == kernel.CONVERGED:
            rotation = found[3:12].reshape(3, 3)
            place[n] = found[:3] - X_BP.position_m + rotation @ point - before
            turn[n] = _rotation_vector(rotation @ X_BP.rotation.T)
    return RandomMachines(place, turn, int(np.isnan(place[:, 0]).sum()))


def _drawn(
    geometry: HexapodGeometry,
    tolerances: Tolerances,
    nominal_m: Array,
    count: int,
    generator: np.random.Generator,
) -> tuple[Array, Array]:
    """Tables of constants (N, 6, 14) and true lengths (N, 6) of random machines."""
    of_joints = generator.normal(size=(count, 6, 6)) / 3.0
    of_joints[:, :, :3] *= tolerances.base_joint_m
    of_joints[:, :, 3:] *= tolerances.platform_joint_m
    warm = tolerances.temperature_k * generator.uniform(-1.0, 1.0, (count, 1))
    warmer = tolerances.leg_temperature_k * generator.uniform(-1.0, 1.0, (count, 6))
    grown = tolerances.plate_expansion_per_k * warm
    tables = np.repeat(geometry.table[None], count, axis=0)
    tables[:, :, :6] = (tables[:, :, :6] + of_joints) * (1.0 + grown[:, :, None])
    travel = nominal_m - geometry.closed_length_m
    lengths = nominal_m + tolerances.leg_length_m / 3.0 * generator.normal(size=(count, 6))
    lengths += tolerances.scale / 3.0 * generator.normal(size=(count, 6)) * travel
    lengths += tolerances.play_m * generator.uniform(-1.0, 1.0, (count, 6))
    return tables, lengths * (1.0 + tolerances.leg_expansion_per_k * (warm + warmer))


def _rotation_vector(rotation: Array) -> Array:
    """Axis times angle of a rotation by less than half a turn [rad], shape (3,)."""
    twice_sine = np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = 0.5 * float(np.linalg.norm(twice_sine))
    angle = float(np.arctan2(sine, 0.5 * (np.trace(rotation) - 1.0)))
    return 0.5 * twice_sine * (angle / sine if sine > 0.0 else 1.0)

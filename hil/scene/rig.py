"""A rig as far as a picture shows it, read from a run's header with nothing but NumPy.

The rig's own models and the platform's kernels take longer to load than a picture takes to draw.
Nothing is judged here: the numbers were proved by the bench that wrote the header, and a picture
steers nothing. Formulas are those of `platform6dof` and `hil.machines.machine`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LEGS: Final = 6
STEPS_MOST: Final = 50
"""Newton's iteration for the parked pose doubles its digits in each step, once it is near."""
CLOSE_M: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A pose of the platform P in the base B; its arrays are read-only.

    Args:
        rotation: axes of P as columns in base axes, shape (3, 3).
        position_m: origin of P in base axes [m], shape (3,).
    """

    rotation: Array
    position_m: Array

    def __post_init__(self) -> None:
        _freeze(self)

    @classmethod
    def from_coordinates(cls, coordinates: Array) -> Self:
        """The pose of x, y, z [m], alpha, beta, gamma [rad]: M = Rz(alpha) Ry(beta) Rx(gamma)."""
        x, y, z, alpha, beta, gamma = coordinates.tolist()
        ca, sa, cb, sb = math.cos(alpha), math.sin(alpha), math.cos(beta), math.sin(beta)
        cg, sg = math.cos(gamma), math.sin(gamma)
        turn = [
            [ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg],
            [sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg],
            [-sb, cb * sg, cb * cg],
        ]
        return cls(np.array(turn), np.array([x, y, z]))


@dataclass(frozen=True, slots=True, eq=False)
class RigShape:
    """Where the joints are and how long the legs may be; its arrays are read-only.

    Args:
        name: of the rig.
        base_joints_m: in base axes [m], shape (6, 3).
        platform_joints_m: in the platform's axes [m], shape (6, 3).
        closed_length_m: of each leg with its rod fully in [m], shape (6,).
        soft_min_m: shortest permitted [m], shape (6,).
        soft_max_m: longest permitted [m], shape (6,).
        reference_length_m: where homing leaves each leg [m], shape (6,).
        middle_m: origin of the platform in its neutral pose [m], shape (3,).
    """

    name: str
    base_joints_m: Array
    platform_joints_m: Array
    closed_length_m: Array
    soft_min_m: Array
    soft_max_m: Array
    reference_length_m: Array
    middle_m: Array

    def __post_init__(self) -> None:
        _freeze(self)

    @classmethod
    def from_table(cls, rig: Any) -> Self:
        """Read the rig's table as it is in the header.

        Raises:
            ValueError: naming the key, the value and what would have been right.
        """
        if not isinstance(rig, Mapping):
            raise ValueError(f"rig = {rig!r}; must be a table")
        base, platform = _joints(_table(rig, "geometry"))
        cylinders, limits = _table(rig, "cylinders"), _table(rig, "limits")
        closed = _numbers(cylinders, "cylinders.closed_length_m", (LEGS,))
        stroke = _numbers(cylinders, "cylinders.stroke_m", (LEGS,))
        margin = _numbers(limits, "limits.soft_margin_m", ())
        neutral = _table(rig, "neutral")
        middle = [_numbers(neutral, f"neutral.{axis}_m", (), 0.0) for axis in "xy"]
        return cls(
            name=str(rig.get("name", "")),
            base_joints_m=base,
            platform_joints_m=platform,
            closed_length_m=closed,
            soft_min_m=closed + margin,
            soft_max_m=closed + stroke - margin,
            reference_length_m=_numbers(cylinders, "cylinders.reference_length_m", (LEGS,)),
            middle_m=np.array([*middle, _numbers(neutral, "neutral.z_m", ())]),
        )

    def parked(self) -> Placed:
        """The pose in which every leg has its reference length, found from the level one.

        Newton's method; a leg's length changes by n·v + ((R b) x n)·w with the platform's
        velocities v, w, where n is the leg's direction (J.-P. Merlet, "Parallel Robots", 2nd ed.,
        section 5.2). A screw that winds with its joints is not counted: it is less than is seen.

        Raises:
            ValueError: if there is no such pose.
        """
        rotation, position = np.eye(3), self._level()
        for _ in range(STEPS_MOST):
            arms = self.platform_joints_m @ rotation.T
            along = position + arms - self.base_joints_m
            length = np.linalg.norm(along, axis=1)
            missing = self.reference_length_m - length
            if np.abs(missing).max() < CLOSE_M:
                return Placed(rotation, position)
            if not length.min() > 0.0:
                break
            direction = along / length[:, None]
            jacobian = np.hstack([direction, np.cross(arms, direction)])  # (6, 6)
            try:
                step = np.asarray(np.linalg.solve(jacobian, missing), np.float64)
            except np.linalg.LinAlgError:
                break
            position = position + step[:3]
            rotation = _turn(step[3:]) @ rotation
        lengths = ", ".join(f"{length:.4g}" for length in self.reference_length_m)
        raise ValueError(
            f"rig.cylinders.reference_length_m = {lengths} m: no pose near the level one has "
            "these lengths"
        )

    def _level(self) -> Array:
        """Origin of the platform [m], level over the base, where legs have about these lengths."""
        offset = self.platform_joints_m - self.base_joints_m
        aside = np.linalg.norm(offset[:, :2], axis=1)
        squares = np.maximum(self.reference_length_m**2 - aside**2, 0.0)
        height = float((np.sqrt(squares) - offset[:, 2]).mean())
        return np.array([0.0, 0.0, height])


def _joints(geometry: Mapping[str, Any]) -> tuple[Array, Array]:
    """Joints of the base and of the platform [m], each (6, 3)."""
    if geometry.get("kind") == "points":
        return (
            _numbers(geometry, "geometry.base_joints_m", (LEGS, 3)),
            _numbers(geometry, "geometry.platform_joints_m", (LEGS, 3)),
        )
    turn_deg = float(_numbers(geometry, "geometry.plate_rotation_deg", (), 0.0))
    found: list[Array] = []
    for plate, rotation_deg in (("base", 0.0), ("platform", turn_deg)):
        radius = float(_numbers(geometry, f"geometry.{plate}_radius_m", ()))
        half = float(_numbers(geometry, f"geometry.{plate}_half_angle_deg", ()))
        # At +θ, 120°-θ, 120°+θ, 240°-θ, 240°+θ, -θ: Bukharov et al. 2022, section "Geometry".
        angles = np.radians(
            rotation_deg + np.array([half, 120 - half, 120 + half, 240 - half, 240 + half, -half])
        )
        found.append(radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(LEGS)]))
    return found[0], found[1]


def _turn(vector: Array) -> Array:
    """Rotation by a vector's length [rad] about it, (3, 3): Rodrigues' formula."""
    angle = float(np.linalg.norm(vector))
    x, y, z = (vector / angle if angle > 0.0 else vector).tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


def _table(rig: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = rig.get(key)
    if not isinstance(found, Mapping):
        raise ValueError(f"rig.{key} = {found!r}; must be a table")
    return found


def _numbers(
    table: Mapping[str, Any], place: str, shape: tuple[int, ...], left_out: float | None = None
) -> Array:
    """Finite numbers of a shape; one number may stand for all legs."""
    value = table.get(place.rpartition(".")[2], left_out)
    wanted = " by ".join(map(str, shape)) + " finite numbers" if shape else "a finite number"
    try:
        array = np.array(value, np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if shape == (LEGS,) and array.ndim == 0:
        array = np.full(LEGS, float(array))
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"rig.{place} = {value!r}; must be {wanted}")
    return array


def _freeze(value: Any) -> None:
    """Copies of all arrays of a frozen value, read-only."""
    for row in fields(value):
        array = getattr(value, row.name)
        if isinstance(array, np.ndarray):
            kept = np.array(array, np.float64)
            kept.setflags(write=False)
            object.__setattr__(value, row.name, kept)

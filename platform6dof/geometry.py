"""The geometry of a hexapod: its joints, its legs' lengths, its screws."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose, PoseError, frozen_array
from platform6dof.architecture import analyse
from platform6dof.circles import circle_joints

Array = NDArray[np.float64]

SAME_PLACE_M = 1e-6
"""Two joints nearer than this are one joint."""

_set = object.__setattr__


class GeometryError(ValueError):
    """Numbers that do not describe a hexapod; the message says which and why."""


class SingularGeometryError(GeometryError):
    """A hexapod whose legs cannot hold its platform in any pose."""


@dataclass(frozen=True, slots=True, eq=False)
class HexapodGeometry:
    """A general six-legged platform. Every array is read-only; legs are rows 0..5.

    Raises:
        GeometryError: not finite, wrong shape, not positive, coincident or out of reach.
        SingularGeometryError: architecturally singular.
    """

    base_joints_m: Array
    """a_i, base joints in base axes [m], shape (6, 3)."""
    platform_joints_m: Array
    """b_i, platform joints in platform axes [m], shape (6, 3)."""
    closed_length_m: Array
    """Length of each retracted leg between its joints [m], shape (6,)."""
    stroke_m: Array
    """Travel of each leg [m], shape (6,)."""
    base_axes: Array | None = None
    """Neutral directions of the base joints, base axes, from base to platform, made unit vectors,
    shape (6, 3). None: the leg directions at ``neutral_pose``."""
    platform_axes: Array | None = None
    """The same for the platform joints in platform axes. None: likewise."""
    screw_lead_m: float = 0.0
    """Advance of the screw per turn [m], positive for a right-hand thread. Not 0: the rod is kept
    from turning by its universal joints, so the platform's motion winds the screw, and a leg's
    length is what its encoder counts: ``length = joint distance - lead (twist - neutral twist) / (2
    pi)``, twist the angle about the leg from the base fork's to the platform fork's projected
    direction. Each fork's direction is horizontal at the neutral pose, normal to the joint's
    axis."""
    hanging: bool = False
    """Whether the platform is below its base; the base's z points up either way."""
    neutral_axes: Array = field(init=False, repr=False)
    """Both sets of axes, base first, shape (2, 6, 3)."""
    neutral_pose: Pose = field(init=False)
    """Level pose over the base's origin, or below it if hanging, with the mean leg length at mid
    stroke."""
    open_length_m: Array = field(init=False, repr=False)
    """Closed length plus stroke [m], shape (6,)."""
    length_scale_m: float = field(init=False, repr=False)
    """Root mean square distance of the platform joints from their centroid [m]; divides the
    Jacobian's rotation columns where they are compared with the others."""
    table: Array = field(init=False, repr=False)
    """The legs' constants for the kernels, shape (6, 14)."""
    pair_limits_m: Array = field(init=False, repr=False)
    """Largest difference and smallest sum of joint distances that can close [m], for each pair of
    legs, shape (15, 2)."""

    def __post_init__(self) -> None:
        base = _numbers(self.base_joints_m, (6, 3), "base_joints_m")
        platform = _numbers(self.platform_joints_m, (6, 3), "platform_joints_m")
        closed = _positive(self.closed_length_m, "closed_length_m")
        stroke = _positive(self.stroke_m, "stroke_m")
        if not math.isfinite(self.screw_lead_m):
            raise GeometryError(f"screw_lead_m: {self.screw_lead_m} m, must be finite")
        _refuse_coincident(base, platform)
        middle_m = float((closed + 0.5 * stroke).mean())
        neutral = level_position(base, platform, middle_m, self.hanging)
        _refuse_singular(base, platform, neutral)
        directions = neutral + platform - base
        base_axes = _unit_rows(self.base_axes, directions, "base_axes")
        platform_axes = _unit_rows(self.platform_axes, directions, "platform_axes")
        centred = platform - platform.mean(axis=0)
        table = _table(base, platform, base_axes, platform_axes, neutral, self.screw_lead_m)
        _set(self, "base_joints_m", base)
        _set(self, "platform_joints_m", platform)
        _set(self, "closed_length_m", closed)
        _set(self, "stroke_m", stroke)
        _set(self, "base_axes", base_axes)
        _set(self, "platform_axes", platform_axes)
        _set(self, "neutral_axes", _read_only(np.stack([base_axes, platform_axes])))
        _set(self, "screw_lead_m", float(self.screw_lead_m))
        _set(self, "neutral_pose", Pose(neutral, np.eye(3)))
        _set(self, "open_length_m", _read_only(closed + stroke))
        _set(self, "length_scale_m", float(np.sqrt((centred**2).sum(axis=1).mean())))
        _set(self, "table", _read_only(table))
        _set(self, "pair_limits_m", _read_only(_pair_limits(base, platform)))

    @classmethod
    def from_circles(
        cls,
        base_radius_m: float,
        base_half_angle_rad: float,
        platform_radius_m: float,
        platform_half_angle_rad: float,
        closed_length_m: ArrayLike,
        stroke_m: ArrayLike,
        plate_rotation_rad: float = 0.0,
        screw_lead_m: float = 0.0,
        hanging: bool = False,
    ) -> Self:
        """Geometry with both plates' joints on circles about their origins.

        Both follow `circle_joints`, each with its own half angle; at 0 its joints are a triangle,
        and legs 6 and 1, 2 and 3, 4 and 5 meet.

        Args:
            base_radius_m: radius of the base joints [m].
            base_half_angle_rad: t of the base [rad].
            platform_radius_m: radius of the platform joints [m].
            platform_half_angle_rad: t of the platform [rad].
            closed_length_m: one length for all legs, or six [m].
            stroke_m: one travel for all legs, or six [m].
            plate_rotation_rad: turn of the platform's circle about its z [rad].
            screw_lead_m: see the class [m].
            hanging: see the class.

        Raises:
            GeometryError: a radius that is not positive, and all that the class refuses.
        """
        for name, radius in (
            ("base_radius_m", base_radius_m),
            ("platform_radius_m", platform_radius_m),
        ):
            if not (math.isfinite(radius) and radius > 0.0):
                raise GeometryError(f"{name}: {radius} m, must be finite and above 0 m")
        return cls(
            circle_joints(base_radius_m, base_half_angle_rad),
            circle_joints(platform_radius_m, platform_half_angle_rad, plate_rotation_rad),
            _spread(closed_length_m),
            _spread(stroke_m),
            screw_lead_m=screw_lead_m,
            hanging=hanging,
        )


def _spread(value: ArrayLike) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return np.full(6, float(array)) if array.ndim == 0 else array


def _read_only(array: Array) -> Array:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array


def _numbers(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    try:
        return frozen_array(value, shape, name)
    except PoseError as error:
        raise GeometryError(str(error)) from error


def _positive(value: ArrayLike, name: str) -> Array:
    array = _numbers(value, (6,), name)
    for leg, number in enumerate(array, start=1):
        if number <= 0.0:
            raise GeometryError(f"{name}: leg {leg}: {number} m, must be above 0 m")
    return array


def _refuse_coincident(base: Array, platform: Array) -> None:
    """Legs may share one joint, but not both: they would be one leg."""
    for i in range(6):
        for j in range(i + 1, 6):
            apart = max(
                float(np.linalg.norm(base[i] - base[j])),
                float(np.linalg.norm(platform[i] - platform[j])),
            )
            if apart < SAME_PLACE_M:
                raise GeometryError(
                    f"legs {i + 1} and {j + 1} have both joints in common (within "
                    f"{SAME_PLACE_M:g} m); at least one end must differ"
                )


def level_position(
    base: Array, platform: Array, mean_length_m: float, hanging: bool = False
) -> Array:
    """Position of the level platform over the base's origin with a given mean joint distance.

    The mean is a convex function of the height; the pose above its lowest point is taken, or the
    one below it, for a platform that hangs.

    Args:
        base: base joints [m], shape (6, 3).
        platform: platform joints [m], shape (6, 3).
        mean_length_m: wanted mean distance of the joints [m].
        hanging: whether the pose below is meant.

    Raises:
        GeometryError: the plates are farther apart than that at every height.
    """
    sense = -1.0 if hanging else 1.0
    offset = (platform - base) * np.array([1.0, 1.0, sense])  # (6, 3), with z towards the platform

    def excess(height: float) -> float:
        return _mean_distance(offset, height) - mean_length_m

    low = _lowest_point(excess, float(np.min(-offset[:, 2])), float(np.max(-offset[:, 2])))
    if excess(low) > 0.0:
        raise GeometryError(
            f"legs of {mean_length_m:.4g} m in the mean cannot reach the level platform "
            f"{'below' if hanging else 'over'} the base; the mean must be above "
            f"{mean_length_m + excess(low):.4g} m"
        )
    high = float(np.max(-offset[:, 2])) + mean_length_m  # every leg is at least this long there
    while high - low > 2.0 * math.ulp(high):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) < 0.0 else (low, middle)
    return _read_only(np.array([0.0, 0.0, sense * 0.5 * (low + high)]))


def flattest_height_m(base: Array, platform: Array) -> float:
    """Height of the level platform at which its legs are shortest in the mean [m].

    A platform above it stands on its legs, one below it hangs on them.

    Args:
        base: base joints [m], shape (6, 3).
        platform: platform joints [m], shape (6, 3).
    """
    offset = platform - base  # (6, 3)
    low, high = float(np.min(-offset[:, 2])), float(np.max(-offset[:, 2]))
    return _lowest_point(lambda height: _mean_distance(offset, height), low, high)


def _mean_distance(offset: Array, height: float) -> float:
    up = np.array([0.0, 0.0, height])
    return float(np.linalg.norm(offset + up, axis=1).mean())


def _lowest_point(function: Callable[[float], float], low: float, high: float) -> float:
    """Place where a convex function is lowest, by thirds."""
    while high - low > 1e-9 * (1.0 + abs(low)):
        first, second = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, second) if function(first) < function(second) else (first, high)
    return 0.5 * (low + high)


def _refuse_singular(base: Array, platform: Array, neutral: Array) -> None:
    found = analyse(base, platform, neutral)
    if found.rank < 6:
        raise SingularGeometryError(
            f"architecturally singular: the Jacobian has rank {found.rank_at_neutral} at the "
            f"neutral pose and at most {found.rank} elsewhere, it must be 6: {found.reason}"
        )


def _unit_rows(value: ArrayLike | None, default: Array, name: str) -> Array:
    rows = np.array(default) if value is None else np.array(_numbers(value, (6, 3), name))
    norms = np.linalg.norm(rows, axis=1)
    for leg, norm in enumerate(norms, start=1):
        if norm < SAME_PLACE_M:
            raise GeometryError(
                f"{name}: leg {leg}: a direction of length {norm:.3g}, must not be 0"
            )
    return _read_only(rows / norms[:, None])


def _fork_directions(axes: Array) -> Array:
    """Horizontal unit vectors normal to the axes, shape (6, 3); x for a vertical axis."""
    forks = np.cross([0.0, 0.0, 1.0], axes)
    norms = np.linalg.norm(forks, axis=1)
    forks[norms < SAME_PLACE_M] = (1.0, 0.0, 0.0)
    return forks / np.linalg.norm(forks, axis=1, keepdims=True)


def _table(
    base: Array,
    platform: Array,
    base_axes: Array,
    platform_axes: Array,
    neutral: Array,
    lead_m: float,
) -> Array:
    """Constants of the legs in the kernels' order, shape (6, 14)."""
    base_forks, platform_forks = _fork_directions(base_axes), _fork_directions(platform_axes)
    legs = neutral + platform - base
    u = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    sine = np.einsum("ij,ij->i", u, np.cross(base_forks, platform_forks))
    cosine = np.einsum("ij,ij->i", base_forks, platform_forks) - (
        np.einsum("ij,ij->i", base_forks, u) * np.einsum("ij,ij->i", platform_forks, u)
    )
    twist = np.arctan2(sine, cosine)[:, None]
    lead = np.full((6, 1), lead_m / (2.0 * math.pi))
    return np.hstack([base, platform, base_forks, platform_forks, twist, lead])


def _pair_limits(base: Array, platform: Array) -> Array:
    """Largest difference and smallest sum of two joint distances that close a quadrilateral."""
    first, second = np.triu_indices(6, 1)
    below = np.linalg.norm(base[first] - base[second], axis=1)  # (15,)
    above = np.linalg.norm(platform[first] - platform[second], axis=1)  # (15,)
    return np.column_stack([below + above, np.abs(below - above)])

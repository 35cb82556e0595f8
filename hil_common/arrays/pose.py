"""Pose of a frame in another one: ``Pose``."""

import math
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.legs import SixFloats

Array = NDArray[np.float64]

ORTHONORMAL_TOLERANCE = 1e-6
"""Largest entry of ``R Rᵀ - I`` that still counts as a rotation: far above rounding, far below
what a machine can show (1e-6 rad at 1 m is one micrometre)."""
_QUARTER_TURN = 1e-9
"""Cosine of beta below which alpha and gamma turn about one axis."""

_set = object.__setattr__


class PoseError(ValueError):
    """A pose or a motion that is not one: wrong shape, not finite, or not a rotation."""


def six_coordinates(packed: Array) -> SixFloats:
    """Coordinates of a packed pose as numbers: x, y, z [m], alpha, beta, gamma [rad].

    Args:
        packed: position, then rotation row by row, shape (12,) or longer.
    """
    x, y, z, xx, xy, _, yx, yy, _, zx, zy, zz = packed.tolist()[:12]
    cos_beta = abs(complex(xx, yx))  # hypot of the C library, as kernels have it
    beta = math.atan2(-zx, cos_beta)
    if cos_beta > _QUARTER_TURN:
        return x, y, z, math.atan2(yx, xx), beta, math.atan2(zy, zz)
    return x, y, z, math.atan2(-xy, yy), beta, 0.0


def frozen_array(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Copy ``value`` into a read-only, C-ordered array of finite floats.

    Args:
        value: anything numpy reads as numbers.
        shape: the shape it must have.
        name: what to call it in the message.

    Raises:
        PoseError: wrong shape, not numbers, or not finite.
    """
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise PoseError(f"{name}: not an array of numbers: {value!r}") from error
    if array.shape != shape:
        raise PoseError(f"{name}: shape {array.shape}, must be {shape}")
    # A finite sum has finite parts only; a sum may overflow all the same.
    if not (math.isfinite(sum(array.ravel().tolist())) or np.isfinite(array).all()):
        raise PoseError(f"{name}: {array.tolist()} is not finite; every number must be")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Pose ``X_AB`` of a frame B in a frame A: ``p_A = position_m + rotation @ p_B``.

    Raises:
        PoseError: wrong shape, not finite, or ``rotation`` is not a proper rotation to 1e-6.
    """

    position_m: Array
    """Origin of B in A [m], shape (3,), read-only."""
    rotation: Array
    """Axes of B in A as columns, shape (3, 3), orthonormal, read-only."""
    packed: Array = field(init=False, repr=False)
    """Position, then rotation row by row, for the kernels, shape (12,), read-only."""
    __array_ufunc__: ClassVar[None] = None  # ``pose @ array`` is a TypeError, not numpy's business

    def __post_init__(self) -> None:
        packed = np.empty(12)
        packed[3:] = frozen_array(self.rotation, (3, 3), "rotation").ravel()
        packed[:3] = frozen_array(self.position_m, (3,), "position_m")
        _require_rotation(packed[3:].tolist())
        packed.setflags(write=False)
        _set(self, "packed", packed)
        _set(self, "position_m", packed[:3])
        _set(self, "rotation", packed[3:].reshape(3, 3))

    @classmethod
    def from_packed(cls, packed: Array) -> Self:
        """Wrap a packed pose, shape (12,), that a kernel computed.

        Nothing is copied or checked, and the array becomes read-only: the caller vouches that it
        is finite and holds a rotation. All other callers use ``Pose(...)``.
        """
        pose = object.__new__(cls)
        packed.setflags(write=False)
        _set(pose, "packed", packed)
        _set(pose, "position_m", packed[:3])
        _set(pose, "rotation", packed[3:].reshape(3, 3))
        return pose

    @classmethod
    def identity(cls) -> Self:
        """Pose of a frame in itself."""
        return cls(np.zeros(3), np.eye(3))

    @classmethod
    def from_coordinates(cls, q: ArrayLike) -> Self:
        """Pose of coordinates, M = Rz(alpha) Ry(beta) Rx(gamma).

        Source: Bukharov et al. 2022, eq. 1.

        Args:
            q: x, y, z [m], alpha, beta, gamma [rad], shape (6,).

        Raises:
            PoseError: wrong shape or not finite.
        """
        x, y, z, alpha, beta, gamma = frozen_array(q, (6,), "coordinates").tolist()
        sa, ca = math.sin(alpha), math.cos(alpha)
        sb, cb = math.sin(beta), math.cos(beta)
        sg, cg = math.sin(gamma), math.cos(gamma)
        rotation = (
            ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg,
            sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg,
            -sb, cb * sg, cb * cg,
        )  # fmt: skip
        return cls.from_packed(np.array((x, y, z, *rotation)))

    def coordinates(self) -> Array:
        """Coordinates (x, y, z, alpha, beta, gamma) [m, rad], shape (6,).

        Beta is in [-pi/2, pi/2]. At |beta| = pi/2 alpha and gamma turn about one axis; gamma is
        then given as 0.
        """
        return np.array(self.six_coordinates())

    def six_coordinates(self) -> SixFloats:
        """Coordinates as numbers, for rows and messages; quicker than an array of them."""
        return six_coordinates(self.packed)

    def __matmul__(self, other: "Pose") -> "Pose":
        """``X_AC = X_AB @ X_BC``; PoseError if its place is beyond all numbers."""
        if not isinstance(other, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._trusted(
            self.position_m + self.rotation @ other.position_m,  # (3,)
            self.rotation @ other.rotation,  # (3, 3)
        )

    def inverse(self) -> "Pose":
        """``X_BA`` of this ``X_AB``."""
        return self._trusted(-(self.rotation.T @ self.position_m), self.rotation.T)

    def at(self, position_m: ArrayLike) -> "Pose":
        """Move the frame to another place [m], shape (3,), with the same orientation.

        Raises:
            PoseError: the place is not three finite numbers.
        """
        return self._trusted(frozen_array(position_m, (3,), "position_m"), self.rotation)

    @classmethod
    def _trusted(cls, position_m: Array, rotation: Array) -> Self:
        """Wrap a product of poses unchecked: its rotation is off by the sum of theirs at most."""
        if not all(map(math.isfinite, position_m.tolist())):  # a sum of finite ones may overflow
            raise PoseError(
                f"position_m: {position_m.tolist()} is not finite; every number must be"
            )
        packed = np.empty(12)
        packed[:3], packed[3:] = position_m, rotation.ravel()
        return cls.from_packed(packed)


def _require_rotation(rotation: list[float]) -> None:
    """Refuse nine numbers, row by row, that are no proper rotation."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = rotation
    error = max(  # of R Rᵀ - I; what overflows does so in the squares, which come first
        abs(xx * xx + xy * xy + xz * xz - 1.0),
        abs(yx * yx + yy * yy + yz * yz - 1.0),
        abs(zx * zx + zy * zy + zz * zz - 1.0),
        abs(xx * yx + xy * yy + xz * yz),
        abs(xx * zx + xy * zy + xz * zz),
        abs(yx * zx + yy * zy + yz * zz),
    )
    if not error <= ORTHONORMAL_TOLERANCE:
        raise PoseError(
            f"rotation: not orthonormal, R Rᵀ is off by {error:.3g}; at most "
            f"{ORTHONORMAL_TOLERANCE:g} is allowed"
        )
    if xx * (yy * zz - yz * zy) - xy * (yx * zz - yz * zx) + xz * (yx * zy - yy * zx) < 0.0:
        raise PoseError("rotation: determinant -1, a reflection; it must be +1")


def packed_poses(poses: "list[Pose] | tuple[Pose, ...]") -> Array:
    """Packed poses as rows, shape (N, 12)."""
    return np.array([pose.packed for pose in poses], np.float64).reshape(len(poses), 12)


def angle_between_rad(first: Pose, second: Pose) -> float:
    """Angle of the turn from one orientation to another [rad], 0 to pi, exact near both ends."""
    turn = first.rotation.T @ second.rotation  # (3, 3)
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return float(np.arctan2(np.linalg.norm(skew), np.trace(turn) - 1.0))

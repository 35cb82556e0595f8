"""Where the platform is, and how it moves: ``Pose`` and ``PlatformSetpoint``."""

from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.kernels import rotation as kernel

Array = NDArray[np.float64]

ORTHONORMAL_TOLERANCE = 1e-6
"""Largest entry of ``R R^T - I`` that still counts as a rotation: far above rounding, far below
anything a machine could measure (1e-6 rad at 1 m is one micrometre)."""

_set = object.__setattr__


class PoseError(ValueError):
    """A pose or a setpoint that is not one: wrong shape, not finite, or not a rotation."""


def frozen_array(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Copy ``value`` into a read-only, C-ordered array of floats.

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
    if not np.isfinite(array).all():
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
    __array_ufunc__: ClassVar[None] = None  # ``pose @ array`` is a TypeError, not numpy's business

    def __post_init__(self) -> None:
        position = frozen_array(self.position_m, (3,), "position_m")
        matrix = frozen_array(self.rotation, (3, 3), "rotation")
        error = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
        if error > ORTHONORMAL_TOLERANCE:
            raise PoseError(
                f"rotation: not orthonormal, R Rᵀ is off by {error:.3g}; at most "
                f"{ORTHONORMAL_TOLERANCE:g} is allowed"
            )
        if np.linalg.det(matrix) < 0.0:
            raise PoseError("rotation: determinant -1, a reflection; it must be +1")
        _set(self, "position_m", position)
        _set(self, "rotation", matrix)

    @classmethod
    def from_packed(cls, packed: Array) -> Self:
        """Wrap a read-only packed pose, shape (12,), that a kernel of this package computed.

        Nothing is copied or checked: the caller vouches that the array is finite, read-only and
        holds a rotation. Everybody else uses ``Pose(...)`` or ``Pose.from_coordinates``.
        """
        pose = object.__new__(cls)
        _set(pose, "position_m", packed[:3])
        _set(pose, "rotation", packed[3:12].reshape(3, 3))
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
        coordinates = np.array(frozen_array(q, (6,), "coordinates"), ndmin=2)
        packed = kernel.poses_of_coordinates(coordinates)[0]
        packed.setflags(write=False)
        return cls.from_packed(packed)

    def coordinates(self) -> Array:
        """Coordinates (x, y, z, alpha, beta, gamma) [m, rad], shape (6,).

        Beta is in [-pi/2, pi/2]. At |beta| = pi/2 alpha and gamma turn about one axis; gamma is
        then given as 0.
        """
        coordinates = np.empty(6)
        kernel.coordinates_of_pose(self.position_m, self.rotation, coordinates)
        return coordinates

    def __matmul__(self, other: "Pose") -> "Pose":
        """``X_AC = X_AB @ X_BC``."""
        if not isinstance(other, Pose):
            return NotImplemented
        position = self.position_m + self.rotation @ other.position_m  # (3,)
        return Pose(position, self.rotation @ other.rotation)

    def inverse(self) -> "Pose":
        """``X_BA`` of this ``X_AB``."""
        transposed = self.rotation.T
        return Pose(-(transposed @ self.position_m), transposed)


@dataclass(frozen=True, slots=True, eq=False)
class PlatformSetpoint:
    """Wanted pose of the platform with its motion.

    Raises:
        PoseError: wrong shape or not finite.
    """

    X_BP: Pose
    """Pose of the platform P in the base B."""
    V_BP: Array
    """Twist ``[v; omega]`` of P's origin in base axes [m/s, rad/s], shape (6,), read-only."""
    A_BP: Array
    """Its time derivative ``[a; domega/dt]`` [m/s², rad/s²], shape (6,), read-only."""
    packed: Array = field(init=False, repr=False)
    """All of them for the kernels, shape (24,), read-only."""

    def __post_init__(self) -> None:
        if not isinstance(self.X_BP, Pose):
            raise PoseError(f"X_BP: {type(self.X_BP).__name__}, must be a Pose")
        twist = frozen_array(self.V_BP, (6,), "V_BP")
        acceleration = frozen_array(self.A_BP, (6,), "A_BP")
        pose = self.X_BP
        packed = np.concatenate((pose.position_m, pose.rotation.ravel(), twist, acceleration))
        packed.setflags(write=False)
        _set(self, "V_BP", twist)
        _set(self, "A_BP", acceleration)
        _set(self, "packed", packed)

    @classmethod
    def from_coordinates(cls, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Self:
        """Setpoint of coordinates and their time derivatives; called every tick.

        Euler rates are not angular velocities: they go through the matching matrix, and their
        second derivatives through it and its derivative.

        Args:
            q: x, y, z [m], alpha, beta, gamma [rad], shape (6,).
            dq: first derivatives [m/s, rad/s], shape (6,).
            ddq: second derivatives [m/s², rad/s²], shape (6,).

        Raises:
            PoseError: wrong shape or not finite.
        """
        try:
            rows = np.array((q, dq, ddq), np.float64)
        except (TypeError, ValueError) as error:
            raise _coordinates_error(q, dq, ddq) from error
        if rows.shape != (3, 6):
            raise _coordinates_error(q, dq, ddq)
        return cls.from_rows(rows)

    @classmethod
    def from_rows(cls, rows: Array) -> Self:
        """Like ``from_coordinates``, for what a motion's kernel returned; called every tick.

        Args:
            rows: coordinates, first and second derivatives, C-ordered, shape (3, 6).

        Raises:
            PoseError: not finite.
        """
        packed = np.empty(kernel.SETPOINT_SIZE)
        if not kernel.setpoint_of_coordinates(rows, packed):
            raise _coordinates_error(rows[0], rows[1], rows[2])
        return cls.from_packed(packed)

    @classmethod
    def from_packed(cls, packed: Array) -> Self:
        """Wrap a packed setpoint, shape (24,), that a kernel computed; it becomes read-only.

        Nothing is copied or checked: the caller vouches that it is finite and holds a rotation.
        """
        packed.setflags(write=False)
        setpoint = object.__new__(cls)
        _set(setpoint, "X_BP", Pose.from_packed(packed))
        _set(setpoint, "V_BP", packed[12:18])
        _set(setpoint, "A_BP", packed[18:24])
        _set(setpoint, "packed", packed)
        return setpoint

    @classmethod
    def at_rest(cls, X_BP: Pose) -> Self:
        """Setpoint that stands still at ``X_BP``."""
        return cls(X_BP, np.zeros(6), np.zeros(6))


def _coordinates_error(q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> PoseError:
    shapes = [np.shape(one) for one in (q, dq, ddq)]
    if shapes != [(6,)] * 3:
        return PoseError(f"coordinates: shapes {shapes}, each must be (6,)")
    return PoseError(f"coordinates: {q}, {dq}, {ddq}: all must be numbers, finite, not overflowing")

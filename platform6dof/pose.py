"""The setpoint of the platform, its pose and motion: ``PlatformSetpoint``."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose, PoseError, frozen_array, six_coordinates
from hil_common.legs import SixFloats
from platform6dof.kernels import rotation as kernel

Array = NDArray[np.float64]

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class PlatformSetpoint:
    """Wanted pose of the platform with its motion.

    Made of ``X_BP``, ``V_BP`` and ``A_BP``, which are properties with their frames and units.

    Raises:
        PoseError: wrong shape or not finite.
    """

    packed: Array
    """Pose, twist and acceleration for the kernels, shape (24,), read-only."""

    def __init__(self, X_BP: Pose, V_BP: ArrayLike, A_BP: ArrayLike) -> None:
        if not isinstance(X_BP, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PoseError(f"X_BP: {type(X_BP).__name__}, must be a Pose")
        twist = frozen_array(V_BP, (6,), "V_BP")
        acceleration = frozen_array(A_BP, (6,), "A_BP")
        packed = np.concatenate((X_BP.packed, twist, acceleration))
        packed.setflags(write=False)
        _set(self, "packed", packed)

    def __repr__(self) -> str:
        return f"PlatformSetpoint(X_BP={self.X_BP}, V_BP={self.V_BP}, A_BP={self.A_BP})"

    @property
    def X_BP(self) -> Pose:
        """Pose of the platform P in the base B."""
        return Pose.from_packed(self.packed[:12])

    @property
    def V_BP(self) -> Array:
        """Twist ``[v; omega]`` of P's origin in base axes [m/s, rad/s], shape (6,), read-only."""
        return self.packed[12:18]

    @property
    def A_BP(self) -> Array:
        """Its time derivative ``[a; domega/dt]`` [m/s², rad/s²], shape (6,), read-only."""
        return self.packed[18:24]

    def six_coordinates(self) -> SixFloats:
        """Coordinates of the pose as numbers, as `Pose.six_coordinates` has them."""
        return six_coordinates(self.packed)

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
        _set(setpoint, "packed", packed)
        return setpoint

    @classmethod
    def at_rest(cls, X_BP: Pose) -> Self:
        """Setpoint at rest at ``X_BP``."""
        return cls(X_BP, np.zeros(6), np.zeros(6))


def _coordinates_error(q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> PoseError:
    shapes = [np.shape(one) for one in (q, dq, ddq)]
    if shapes != [(6,)] * 3:
        return PoseError(f"coordinates: shapes {shapes}, each must be (6,)")
    return PoseError(f"coordinates: {q}, {dq}, {ddq}: all must be numbers, finite, not overflowing")

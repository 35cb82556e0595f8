"""Shape of a rig for a picture, read from a run's header with nothing but NumPy.

The rig's own models and the compiled kinematics take longer to load than a picture takes to draw.
Nothing is checked here: the numbers were proved by the bench that wrote the header.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from platform6dof.circles import circle_joints

Array = NDArray[np.float64]

LEGS: Final = 6


@dataclass(frozen=True, slots=True, eq=False)
class RigShape:
    """Places of the joints, and limits of the legs' lengths."""

    name: str
    """Name of the rig."""
    base_joints_m: Array
    """Joints of the base in its axes [m], shape (6, 3)."""
    platform_joints_m: Array
    """Joints of the platform in its axes [m], shape (6, 3)."""
    closed_length_m: Array
    """Length of each leg with its rod fully in [m], shape (6,)."""
    soft_min_m: Array
    """Shortest permitted length of each leg [m], shape (6,)."""
    soft_max_m: Array
    """Longest permitted length of each leg [m], shape (6,)."""
    reference_length_m: Array
    """Length of each leg after homing [m], shape (6,)."""
    neutral_z_m: float
    """Height of the platform in its neutral pose [m]."""

    @classmethod
    def from_table(cls, rig: Any) -> Self:
        """Read the rig's table as it is in the header.

        Raises:
            ValueError: naming the key, the value and what would have been right.
        """
        closed = _numbers(rig, "cylinders.closed_length_m", (LEGS,))
        margin = _numbers(rig, "limits.soft_margin_m")
        return cls(
            name=str(_value(rig, "name") or ""),
            base_joints_m=_joints(rig, "base"),
            platform_joints_m=_joints(rig, "platform"),
            closed_length_m=closed,
            soft_min_m=closed + margin,
            soft_max_m=closed + _numbers(rig, "cylinders.stroke_m", (LEGS,)) - margin,
            reference_length_m=_numbers(rig, "cylinders.reference_length_m", (LEGS,)),
            neutral_z_m=float(_numbers(rig, "neutral.z_m")),
        )

    @property
    def level_m(self) -> Array:
        """Origin of the platform [m], level, where legs have their reference lengths.

        At the mean of six where they cannot all have them; on the side of the base where the
        neutral pose is.
        """
        offset = self.platform_joints_m - self.base_joints_m
        aside = np.linalg.norm(offset[:, :2], axis=1)
        squares = np.maximum(self.reference_length_m**2 - aside**2, 0.0)
        sense = -1.0 if self.hanging else 1.0
        return np.array([0.0, 0.0, float((sense * np.sqrt(squares) - offset[:, 2]).mean())])

    @property
    def hanging(self) -> bool:
        """Whether the neutral pose is below the base."""
        offset = self.platform_joints_m - self.base_joints_m
        return self.neutral_z_m < float(-offset[:, 2].mean())


def _joints(rig: Any, plate: str) -> Array:
    """Joints of a plate in its own axes [m], shape (6, 3)."""
    if _value(rig, "geometry.kind") == "points":
        return _numbers(rig, f"geometry.{plate}_joints_m", (LEGS, 3))
    radius = _numbers(rig, f"geometry.{plate}_radius_m")
    half = np.radians(_numbers(rig, f"geometry.{plate}_half_angle_deg"))
    turned = _numbers(rig, "geometry.plate_rotation_deg", left_out=0.0)
    turn = 0.0 if plate == "base" else float(np.radians(turned))
    return circle_joints(float(radius), float(half), turn)


def _value(rig: Any, place: str) -> Any:
    for key in place.split("."):
        rig = rig.get(key) if isinstance(rig, Mapping) else None
    return rig


def _numbers(
    rig: Any, place: str, shape: tuple[int, ...] = (), left_out: float | None = None
) -> Array:
    """Finite numbers of a shape; one number may stand for all legs."""
    value = _value(rig, place)
    try:
        array = np.array(left_out if value is None else value, np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if shape == (LEGS,) and array.ndim == 0:
        array = np.full(LEGS, float(array))
    if array.shape != shape or not np.isfinite(array).all():
        wanted = " by ".join(map(str, shape)) + " finite numbers" if shape else "a finite number"
        raise ValueError(f"rig.{place} = {value!r}; must be {wanted}")
    return array

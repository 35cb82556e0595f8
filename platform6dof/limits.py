"""Limits of a machine, and margins of a pose to them: values without behaviour."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import frozen_array

Array = NDArray[np.float64]

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class EnvelopeLimits:
    """Limits of a machine; all are required, none has a default.

    Raises:
        ValueError: a limit that is not finite, of the wrong shape or out of its range.
    """

    joint_cone_base_rad: float
    """Largest angle of a leg from its base joint's neutral axis [rad]."""
    joint_cone_platform_rad: float
    """The same at the platform [rad]."""
    leg_clearance_m: float
    """Smallest distance of two legs' centre lines [m]: a leg's diameter and what is wanted
    between. Pairs whose joints are nearer than this at either plate are left out: they meet in
    that joint by construction."""
    singular_value_min: float
    """Smallest singular value of the Jacobian, its rotation columns divided by
    ``geometry.length_scale_m``, no unit."""
    speed_max_m_s: Array
    """Largest speed of each leg [m/s], shape (6,)."""
    acceleration_max_m_s2: Array
    """Largest acceleration of each leg [m/s²], shape (6,)."""
    soft_margin_m: float
    """Distance kept from both ends of the stroke [m]."""

    def __post_init__(self) -> None:
        for name in ("joint_cone_base_rad", "joint_cone_platform_rad"):
            value = getattr(self, name)
            if not 0.0 < value <= math.pi:
                raise ValueError(f"{name}: {value} rad, must be above 0 and at most pi")
        for name in ("leg_clearance_m", "singular_value_min", "soft_margin_m"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{name}: {value}, must be finite and 0 or more")
        for name in ("speed_max_m_s", "acceleration_max_m_s2"):
            array = frozen_array(getattr(self, name), (6,), name)
            if not (array > 0.0).all():
                raise ValueError(f"{name}: {array.tolist()}, every one must be above 0")
            _set(self, name, array)


@dataclass(frozen=True, slots=True)
class EnvelopeViolation:
    """One limit that is passed."""

    quantity: str
    """``stroke``, ``speed``, ``acceleration``, ``base joint angle``, ``platform joint angle``,
    ``leg clearance``, ``smallest singular value``, or ``holding force`` of a proof."""
    leg: int | None
    """1..6, or None if it is not one leg's."""
    value: float
    """Value of the quantity."""
    limit: float
    """Value that it may have."""
    unit: str
    """Unit of value and limit."""
    other_leg: int | None = None
    """The second leg of a clearance, 1..6, or None."""

    def __str__(self) -> str:
        place = "platform" if self.leg is None else f"leg {self.leg}"
        if self.other_leg is not None:
            place = f"legs {self.leg} and {self.other_leg}"
        unit = f" {self.unit}" if self.unit else ""
        return f"{place}: {self.quantity} {self.value:.6g}{unit}, limit {self.limit:.6g}{unit}"


@dataclass(frozen=True, slots=True, eq=False)
class EnvelopeState:
    """State of a pose in the envelope; arrays of shape (6,), read-only."""

    length_m: Array
    """Leg lengths [m]."""
    base_angle_rad: Array
    """Angle of each leg from its base joint's neutral axis [rad]."""
    platform_angle_rad: Array
    """The same at the platform [rad]."""
    clearance_m: float
    """Smallest distance of two legs' centre lines [m]; inf if no pair counts."""
    clearance_legs: tuple[int, int] | None
    """Numbers of these two legs, 1..6; None if no pair counts."""
    smallest_singular_value: float
    """Smallest singular value of the scaled Jacobian, no unit."""


@dataclass(frozen=True, slots=True, eq=False)
class RemainingTravel:
    """Travel of each coordinate alone, the others held."""

    travel: Array
    """Travel of x, y, z [m], alpha, beta, gamma [rad] down and up, shape (6, 2), 0 or more,
    read-only."""
    limit: tuple[tuple[EnvelopeViolation | None, EnvelopeViolation | None], ...]
    """The first limit met on each of these ways, six pairs; None where a whole half turn met
    none."""

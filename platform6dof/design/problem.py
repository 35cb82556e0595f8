"""The problem of a design: sizes that may vary, poses and load, constraints, objectives."""

import math
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import frozen_array
from platform6dof.kernels import design as kernel

Array = NDArray[np.float64]

VARIABLES: Final = (
    "base_radius_m", "base_half_angle_rad", "platform_radius_m", "platform_half_angle_rad",
    "plate_turn_rad", "height_m",
)  # fmt: skip
"""Sizes of a machine, in the order of every array of them."""
OBJECTIVES: Final = ("stroke_m", "force_n", "error", "footprint_m")
"""What may be made small: stroke, peak force, error of the place per error of all lengths, radius
of the greater of both circles of joints."""
CONSTRAINTS: Final = (
    "closed_length_m", "singular_value", "base_cone_rad", "platform_cone_rad", "clearance_m",
    "level_m",
)  # fmt: skip
"""What a machine has to keep, in the order of every array of them."""

_set = object.__setattr__


LEVEL: Final = 1.02
"""Least length at mid stroke, as a multiple of that in the plane of both plates: at it the platform
is level above its base, and is homed."""


def offsets_m(machines: Array) -> Array:
    """Mean distance of the joints of a leg seen from above, platform level [m], shape (N,)."""
    base, half, top, of_top, turn = machines.T[:5]
    squares = [
        base**2 + top**2 - 2.0 * base * top * np.cos(half - of_top + sign * turn)
        for sign in (-1.0, 1.0)
    ]
    return np.asarray(0.5 * (np.sqrt(squares[0]) + np.sqrt(squares[1])))


@dataclass(frozen=True, slots=True, eq=False)
class DesignLimits:
    """Constraints of a design."""

    dead_length_m: float
    """Closed length of a cylinder less its stroke, at least [m]."""
    soft_margin_m: float
    """Distance kept from both ends of the stroke [m]."""
    singular_value_min: float
    """Least singular value of the Jacobian, rotations scaled by the platform's radius."""
    base_cone_rad: float
    """Largest angle of a leg at the base from its direction in the middle [rad]."""
    platform_cone_rad: float
    """The same at the platform [rad]."""
    clearance_m: float
    """Least distance of two legs that do not meet [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class DesignProblem:
    """A design; arrays are read-only.

    Raises:
        ValueError: a range, an objective or a load that cannot be.
    """

    lower: Array
    """Least of each of `VARIABLES`, shape (6,)."""
    upper: Array
    """Greatest of each, shape (6,); equal to ``lower`` where it is fixed."""
    box_lower: Array
    """Least coordinates of the poses, z from the middle [m, rad], shape (6,)."""
    box_upper: Array
    """Greatest coordinates, shape (6,)."""
    load: Array
    """Mass, its centre (3), greatest accelerations along x and y, upwards with gravity, (7,)."""
    limits: DesignLimits
    """Constraints."""
    objectives: tuple[str, ...]
    """Some of `OBJECTIVES`, at least one."""
    moving: Array = field(default_factory=lambda: np.empty((0, kernel.MOVING)))
    """Poses in motion besides the box, as of `platform6dof.design.motion_poses`, shape (K, 18)."""

    def __post_init__(self) -> None:
        _set(self, "moving", frozen_array(self.moving, (len(self.moving), kernel.MOVING), "moving"))
        for name, size in (("lower", 6), ("upper", 6), ("box_lower", 6), ("box_upper", 6)):
            _set(self, name, frozen_array(getattr(self, name), (size,), name))
        _set(self, "load", frozen_array(self.load, (7,), "load"))
        for name, low, high in zip(VARIABLES, self.lower, self.upper, strict=True):
            if low > high:
                raise ValueError(f"{name}: from {low:g} to {high:g}, the first must be the lesser")
        if (self.box_lower > self.box_upper).any():
            raise ValueError("box: a lower bound is above the upper one")
        if not self.objectives or not set(self.objectives) <= set(OBJECTIVES):
            raise ValueError(f"objectives {self.objectives}: some of {', '.join(OBJECTIVES)}")
        if self.load[0] <= 0.0:
            raise ValueError(f"mass {self.load[0]:g} kg: must be above 0 kg")

    @property
    def poses(self) -> Array:
        """Corners of the box, middles of its faces and its middle, shape (77, 6), read-only."""
        bits = (np.arange(64)[:, None] >> np.arange(6)) & 1
        corners = np.where(bits == 1, self.box_upper, self.box_lower)
        middle = 0.5 * (self.box_lower + self.box_upper)
        ends = 0.5 * np.vstack([np.eye(6), -np.eye(6)]) * (self.box_upper - self.box_lower)
        poses = np.vstack([corners, middle + ends, middle])
        poses.setflags(write=False)
        return poses

    def figures(self, sizes: ArrayLike) -> "DesignFigures":
        """Objectives and violations of machines, shape (N, 6)."""
        machines = np.ascontiguousarray(sizes, np.float64).reshape(-1, len(VARIABLES))
        out = np.empty((len(machines), kernel.COLUMNS))
        clearance = self.limits.clearance_m
        kernel.scores(machines, self.poses, self.load, self.moving, clearance, out)
        return self._judged(machines, out)

    def figures_in_box(self, sizes: ArrayLike) -> "DesignFigures":
        """Objectives and violations of machines over the box alone, shape (N, 6)."""
        return replace(self, moving=np.empty((0, kernel.MOVING))).figures(sizes)

    def widened(self, figures: "DesignFigures", moving: Array) -> "DesignFigures":
        """Figures of machines over more poses in motion, shape (K, 18), besides those they have."""
        machines, raw = figures.sizes, figures.raw.copy()
        more = np.empty_like(raw)
        none = np.empty((0, 6))
        kernel.scores(machines, none, self.load, moving, self.limits.clearance_m, more)
        least = [kernel.SHORTEST, kernel.SINGULAR, kernel.CLEARANCE]
        found = np.maximum(raw, more)
        found[:, least] = np.minimum(raw[:, least], more[:, least])
        return self._judged(machines, found)

    def _judged(self, machines: Array, out: Array) -> "DesignFigures":
        return DesignFigures(
            machines, self._objectives(machines, out), self._short(machines, out), out
        )

    def _objectives(self, machines: Array, out: Array) -> Array:
        stroke = out[:, kernel.LONGEST] - out[:, kernel.SHORTEST] + 2.0 * self.limits.soft_margin_m
        known = {
            "stroke_m": stroke,
            "force_n": out[:, kernel.FORCE],
            "error": out[:, kernel.ERROR],
            "footprint_m": np.maximum(machines[:, 0], machines[:, 2]),
        }
        return np.stack([known[name] for name in self.objectives], axis=1)

    def _short(self, machines: Array, out: Array) -> Array:
        """Amounts by which each of `CONSTRAINTS` is broken, 0 or more, shape (N, 6)."""
        limits, margin = self.limits, self.limits.soft_margin_m
        stroke = out[:, kernel.LONGEST] - out[:, kernel.SHORTEST] + 2.0 * margin
        amounts = [
            stroke + limits.dead_length_m - (out[:, kernel.SHORTEST] - margin),
            limits.singular_value_min - out[:, kernel.SINGULAR],
            out[:, kernel.BASE_CONE] - limits.base_cone_rad,
            out[:, kernel.PLATFORM_CONE] - limits.platform_cone_rad,
            limits.clearance_m - out[:, kernel.CLEARANCE],
            LEVEL * offsets_m(machines) - 0.5 * (out[:, kernel.SHORTEST] + out[:, kernel.LONGEST]),
        ]
        return np.maximum(np.stack(amounts, axis=1), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class DesignFigures:
    """Figures of machines over the poses of a problem."""

    sizes: Array
    """The machines, shape (N, 6)."""
    objectives: Array
    """Values of the problem's objectives, shape (N, k)."""
    violations: Array
    """Amounts by which each of `CONSTRAINTS` is broken, 0 or more, shape (N, 6)."""
    raw: Array
    """Columns of `platform6dof.kernels.design.scores`, shape (N, 8)."""

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Machines that keep all constraints, shape (N,)."""
        return np.asarray((self.violations <= 0.0).all(axis=1), dtype=np.bool_)

    def rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> "DesignFigures":
        """Some of the machines."""
        return DesignFigures(
            self.sizes[chosen], self.objectives[chosen], self.violations[chosen], self.raw[chosen]
        )


SCALES: Final = np.array([0.1, 0.1, math.radians(10.0), math.radians(10.0), 0.05, 0.1])
"""Amounts of each of `CONSTRAINTS` that weigh the same [m, 1, rad, rad, m, m]."""

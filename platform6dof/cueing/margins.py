"""Margins of a governed motion: every limit of the envelope, the box of poses, space for a stop.

Each quantity has a number, the first 46 in the order of the envelope's own columns, and a margin
that is 0 on its limit and 1 far from it, so that the smallest of all can be told.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import frozen_array
from platform6dof.envelope import LABELS, meeting_pairs
from platform6dof.geometry import HexapodGeometry
from platform6dof.limits import EnvelopeLimits
from platform6dof.workspace import PoseBox

Array = NDArray[np.float64]

LENGTH, SPEED, ACCELERATION, POSE = 0, 6, 12, 18
"""First numbers of the legs' quantities and of what a pose has."""
BASE_ANGLE, PLATFORM_ANGLE, CLEARANCE, SINGULAR_VALUE, LOWER, UPPER = 18, 24, 30, 45, 46, 52
"""First numbers of the pose's quantities: cones, clearances, hold, both ends of the box."""
NOT_FINITE, UNSOLVED = 58, 59
"""Codes: what was asked is no number; no acceleration was found that keeps all limits."""

COORDINATES = ("x", "y", "z", "alpha", "beta", "gamma")

PASSED, KEPT = 0, 1
"""Rows of a table by strictness: what a motion passes untouched with, what nothing goes below."""

SPEED_SHARE = (0.99, 1.0 - 1e-9)
"""Shares of the legs' greatest speed, passed and kept."""
ACCELERATION_SHARE = (0.96, 1.0 - 1e-9)
"""Shares of the legs' greatest acceleration, passed and kept."""
STROKE_BUFFER_M = (5e-4, 2e-5)
"""Distance kept free at a leg's end besides the travel of a stop [m], passed and kept."""
CONE_BUFFER_RAD = (0.010, 0.002)
CLEARANCE_BUFFER_M = (0.004, 0.001)
HOLD_BUFFER = (0.010, 0.002)
BOX_BUFFER_M = (1e-3, 2e-4)
BOX_BUFFER_RAD = (1e-3, 2e-4)
GENTLE_SHARE = 0.2
"""Share of the weakest leg's greatest acceleration by which a coordinate brakes before its end."""

NEAR_RAD, NEAR_M, NEAR_HOLD, NEAR_BOX = 0.05, 0.02, 0.05, 0.02
"""Distances to the buffer at which a margin of the pose at a stop's end gets a row of its own."""

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class StopLimits:
    """Limits of the gate's stop of six legs, and what it keeps free before their ends.

    Raises:
        ValueError: a number that is not finite or negative, or a deceleration of 0.
    """

    deceleration_m_s2: Array
    """Deceleration of each leg in the controlled stop [m/s²], shape (6,)."""
    window_m: float
    """Kept free before a soft end at standstill [m]: the permitted following error."""
    window_per_speed_s: float
    """Its growth with the commanded speed [m per m/s]: following error and reaction time."""
    start_m: float
    """Distance of a stream's first set-point from where the legs are held, at most [m]."""

    def __post_init__(self) -> None:
        array = frozen_array(self.deceleration_m_s2, (6,), "deceleration_m_s2")
        if not (array > 0.0).all():
            raise ValueError(f"deceleration_m_s2: {array.tolist()}, every one must be above 0")
        for name in ("window_m", "window_per_speed_s", "start_m"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf:
                raise ValueError(f"{name}: {value}, must be finite and 0 or more")
        _set(self, "deceleration_m_s2", array)


@dataclass(frozen=True, slots=True, eq=False)
class MarginTables:
    """Limits as the governor's kernels take them; all arrays are read-only."""

    geometry: HexapodGeometry
    envelope: EnvelopeLimits
    box: PoseBox
    stop: StopLimits
    period_s: float
    """Cycle time [s]."""
    legs: Array = field(init=False, repr=False)
    """Limits of each leg: shortest and longest length [m], greatest speed [m/s] and acceleration
    [m/s²], change of movement per cycle in a stop [m], shape (6, 5)."""
    pose: Array = field(init=False, repr=False)
    """Limits of each quantity of a pose, from number 18 on: sign (margin = sign · (value - limit)),
    limit, length of its scale, within how much of its buffer it is near, shape (40, 4)."""
    buffers: Array = field(init=False, repr=False)
    """Least margins of a pose's quantities, passed and kept, shape (2, 40)."""
    shares: Array = field(init=False, repr=False)
    """Share of speed, share of acceleration, buffer at a leg's end [m]: passed, kept, (2, 3)."""
    joints: Array = field(init=False, repr=False)
    """Base joints, platform joints [m], neutral axes of both, shape (4, 6, 3)."""
    numbers: Array = field(init=False, repr=False)
    """Cycle time [s], following window [m] and its growth in cycles, length scale [m], greatest
    distance of a platform joint from the origin [m], jump of a first row [m], gentle deceleration
    before an end of the box [m/s²], of angles at the length scale, shape (7,)."""

    def __post_init__(self) -> None:
        if not 0.0 < self.period_s < np.inf:
            raise ValueError(f"period_s: {self.period_s} s, must be finite and above 0")
        for name, value in _tables(self).items():
            value = np.ascontiguousarray(value, dtype=np.float64)
            value.setflags(write=False)
            _set(self, name, value)


def _tables(given: MarginTables) -> dict[str, Array]:
    geometry, limits, box, stop, dt = (
        given.geometry, given.envelope, given.box, given.stop, given.period_s
    )  # fmt: skip
    legs = np.column_stack([
        geometry.closed_length_m + limits.soft_margin_m,
        geometry.open_length_m - limits.soft_margin_m,
        limits.speed_max_m_s,
        limits.acceleration_max_m_s2,
        stop.deceleration_m_s2 * dt * dt,
    ])  # fmt: skip
    cones = np.repeat([limits.joint_cone_base_rad, limits.joint_cone_platform_rad], 6)
    clearance = np.where(meeting_pairs(geometry, limits), -np.inf, limits.leg_clearance_m)
    hold = limits.singular_value_min
    half = np.maximum(0.5 * (box.upper - box.lower), 1e-9)
    near_box = np.minimum(np.repeat(NEAR_BOX, 12), 0.5 * np.tile(half, 2))
    rows = [
        (np.full(12, -1.0), cones, cones, np.repeat(NEAR_RAD, 12)),
        (
            np.ones(15),
            clearance,
            np.repeat(max(limits.leg_clearance_m, 1e-3), 15),
            np.repeat(NEAR_M, 15),
        ),
        (np.ones(1), np.array([hold]), np.array([max(hold, 1e-3)]), np.array([NEAR_HOLD])),
        (np.repeat([1.0, -1.0], 6), np.r_[box.lower, box.upper], np.tile(half, 2), near_box),
    ]
    # A box that is thinner than its buffer keeps half of what it has.
    wide = np.array([np.r_[[m] * 3, [a] * 3] for m, a in zip(BOX_BUFFER_M, BOX_BUFFER_RAD)])  # noqa: B905
    box_buffer = np.minimum(np.tile(wide, 2), 0.25 * np.tile(half, 2))  # (2, 12)
    steps = zip(CONE_BUFFER_RAD, CLEARANCE_BUFFER_M, HOLD_BUFFER, box_buffer, strict=True)
    buffers = [np.r_[np.full(12, cone), np.full(15, gap), hold, ends]
               for cone, gap, hold, ends in steps]  # fmt: skip
    reach = float(np.linalg.norm(geometry.platform_joints_m, axis=1).max())
    growth = stop.window_per_speed_s / dt
    gentle = GENTLE_SHARE * float(limits.acceleration_max_m_s2.min())
    return {
        "legs": legs,
        "pose": np.column_stack([np.concatenate(part) for part in zip(*rows, strict=True)]),
        "buffers": np.array(buffers),
        "shares": np.column_stack([SPEED_SHARE, ACCELERATION_SHARE, STROKE_BUFFER_M]),
        "joints": np.stack(
            [geometry.base_joints_m, geometry.platform_joints_m, *geometry.neutral_axes]
        ),
        "numbers": np.array(
            [dt, stop.window_m, growth, geometry.length_scale_m, reach, stop.start_m, gentle]
        ),
    }


def _names() -> tuple[tuple[str, str, int | None, int | None], ...]:
    rows = [*LABELS]
    for end in ("lower", "upper"):
        rows += [
            (f"{end} end of {name}", "m" if k < 3 else "rad", None, None)
            for k, name in enumerate(COORDINATES)
        ]
    rows += [("not finite", "", None, None), ("no way found", "", None, None)]
    return tuple(rows)


QUANTITIES = _names()
"""Name, unit, leg and other leg (1..6) of each number."""

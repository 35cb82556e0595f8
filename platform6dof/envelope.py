"""The envelope of a machine: stroke, speed, acceleration, joint angles, leg clearance, hold.

Every quantity has one margin, the space that is left before its limit; a pose is inside while
every margin is 0 or more. A margin that is not a number is outside.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose
from platform6dof.forward import forward
from platform6dof.geometry import GeometryError, HexapodGeometry, level_position
from platform6dof.inverse import leg_lengths
from platform6dof.kernels import envelope as kernel
from platform6dof.kernels import legs, rotation
from platform6dof.limits import EnvelopeLimits, EnvelopeState, EnvelopeViolation, RemainingTravel
from platform6dof.pose import PlatformSetpoint
from platform6dof.travel import first_exit

Array = NDArray[np.float64]

__all__ = [
    "Envelope",
    "EnvelopeLimits",
    "EnvelopeState",
    "EnvelopeViolation",
    "RemainingTravel",
    "home_pose",
]

ROUNDING_M = 1e-9
"""A home length this far beyond a stroke is on its end: closed + stroke is a rounded sum."""

ABOVE = 1.001
"""Multiple of its limit above which a singular value is not exact, if only the verdict counts."""

PAIRS = tuple((i + 1, j + 1) for i in range(6) for j in range(i + 1, 6))

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """Limits applied to a geometry."""

    geometry: HexapodGeometry
    limits: EnvelopeLimits
    _low: Array = field(init=False, repr=False)
    _high: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        geometry, limits = self.geometry, self.limits
        shortest = geometry.closed_length_m + limits.soft_margin_m
        longest = geometry.open_length_m - limits.soft_margin_m
        if not (shortest < longest).all():
            raise ValueError(
                f"soft_margin_m: {limits.soft_margin_m} m leaves no stroke; it must be below half "
                f"of {float(geometry.stroke_m.min()):.6g} m"
            )
        still = np.concatenate([limits.speed_max_m_s, limits.acceleration_max_m_s2])
        clearance = np.where(meeting_pairs(geometry, limits), -np.inf, limits.leg_clearance_m)
        low = [shortest, -still, np.full(12, -np.inf), clearance, [limits.singular_value_min]]
        cones = np.repeat([limits.joint_cone_base_rad, limits.joint_cone_platform_rad], 6)
        high = [longest, still, cones, np.full(16, np.inf)]
        _set(self, "_low", np.concatenate(low))
        _set(self, "_high", np.concatenate(high))
        self._low.setflags(write=False)
        self._high.setflags(write=False)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and greatest value of each quantity, infinite where there is none, (46,) each.

        Six lengths, speeds, accelerations of the legs, six base and six platform joint angles,
        fifteen clearances, the smallest singular value. Read-only.
        """
        return self._low, self._high

    def check(self, setpoint: PlatformSetpoint) -> tuple[EnvelopeViolation, ...]:
        """Every limit that a setpoint passes; empty if it is inside."""
        values = self._values(np.array(setpoint.packed, ndmin=2))[0]
        if (values >= self._low).all() and (values <= self._high).all():
            return ()
        return self._violations(values)

    def inside(
        self,
        coordinates: ArrayLike,
        rates: ArrayLike | None = None,
        second_rates: ArrayLike | None = None,
    ) -> NDArray[np.bool_]:
        """Return which of many setpoints are inside; non-finite ones are not.

        Args:
            coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
            rates: their first derivatives, shape (N, 6); None: at rest.
            second_rates: their second derivatives, shape (N, 6); None: zero.

        Raises:
            ValueError: a shape is not (N, 6).
        """
        q = np.ascontiguousarray(coordinates, dtype=np.float64)
        dq = np.zeros_like(q) if rates is None else np.ascontiguousarray(rates, np.float64)
        ddq = (
            np.zeros_like(q)
            if second_rates is None
            else np.ascontiguousarray(second_rates, np.float64)
        )
        if q.ndim != 2 or q.shape[1] != 6 or not (q.shape == dq.shape == ddq.shape):
            raise ValueError(f"shapes {q.shape}, {dq.shape}, {ddq.shape}: all must be (N, 6)")
        return self.inside_packed(rotation.setpoints_of_coordinates(q, dq, ddq))

    def inside_packed(self, setpoints: Array) -> NDArray[np.bool_]:
        """Return which of packed setpoints, shape (N, 24), are inside; non-finite ones are not."""
        enough = ABOVE * self.limits.singular_value_min
        states, measured = self._parts(setpoints, enough)
        return kernel.inside(states, measured, self._low, self._high)

    def state(self, X_BP: Pose) -> EnvelopeState:
        """The quantities themselves at a pose."""
        values = self._values(np.array(PlatformSetpoint.at_rest(X_BP).packed, ndmin=2))[0]
        values.setflags(write=False)
        counted = np.where(np.isfinite(self._low[30:45]), values[30:45], np.inf)
        nearest = int(np.argmin(counted))
        legs_of_pair = PAIRS[nearest] if np.isfinite(counted[nearest]) else None
        return EnvelopeState(
            values[:6],
            values[18:24],
            values[24:30],
            float(counted[nearest]),
            legs_of_pair,
            float(values[45]),
        )

    def remaining_travel(self, X_BP: Pose) -> RemainingTravel:
        """Travel of each coordinate in each direction, to 1e-6, and what stops it.

        Found by marching in steps of 2 mm or 2 mrad to the first exit and bisecting that step.
        From a pose that is outside nothing remains.
        """
        start = X_BP.coordinates()
        longest = float(self.geometry.open_length_m.max())
        travel = np.zeros((6, 2))
        stops: list[tuple[EnvelopeViolation | None, EnvelopeViolation | None]] = []
        for axis in range(6):
            reach = 4.0 * longest if axis < 3 else math.pi
            pair: list[EnvelopeViolation | None] = []
            for side, sign in enumerate((-1, 1)):
                found = first_exit(self._worst, start, axis, sign, reach)
                travel[axis, side] = found.travel
                pair.append(None if found.outside is None else self._first(found.outside))
            stops.append((pair[0], pair[1]))
        travel.setflags(write=False)
        return RemainingTravel(travel, tuple(stops))

    def quantities(self, coordinates: Array) -> Array:
        """All quantities of many poses at rest, in the order of ``bounds``, shape (N, 46).

        Args:
            coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
        """
        zero = np.zeros_like(coordinates)
        return self._values(rotation.setpoints_of_coordinates(coordinates, zero, zero))

    def _values(self, setpoints: Array) -> Array:
        """All quantities of packed setpoints (N, 24), in the order of the limits, (N, 46)."""
        return np.hstack(self._parts(setpoints, np.inf))

    def _parts(self, setpoints: Array, enough: float) -> tuple[Array, Array]:
        """States of the legs (N, 18) and measures (N, 28) of packed setpoints (N, 24).

        Args:
            enough: a singular value above this need not be known any better.
        """
        g = self.geometry
        states, rows = legs.leg_states_and_rows(g.table, setpoints)
        measured = kernel.measures(
            g.base_joints_m,
            g.platform_joints_m,
            g.neutral_axes[0],
            g.neutral_axes[1],
            g.length_scale_m,
            setpoints,
            rows,
            enough,
        )
        return states.reshape(len(setpoints), 18), measured

    def _worst(self, coordinates: Array) -> Array:
        """Smallest margin of each pose at rest, shape (N,); nan if not finite."""
        values = self.quantities(coordinates)
        return np.minimum(values - self._low, self._high - values).min(axis=1)

    def _first(self, coordinates: Array) -> EnvelopeViolation:
        zero = np.zeros((1, 6))
        setpoint = rotation.setpoints_of_coordinates(coordinates[None, :], zero, zero)
        return self._violations(self._values(setpoint)[0])[0]

    def _violations(self, values: Array) -> tuple[EnvelopeViolation, ...]:
        found: list[EnvelopeViolation] = []
        for k in range(len(values)):
            value, low, high = float(values[k]), float(self._low[k]), float(self._high[k])
            if low <= value <= high:
                continue
            limit = low if value < low or not math.isfinite(high) else high
            quantity, unit, leg, other = LABELS[k]
            found.append(EnvelopeViolation(quantity, leg, value, limit, unit, other))
        return tuple(found)


def _labels() -> tuple[tuple[str, str, int | None, int | None], ...]:
    """Name, unit and legs of each column of ``Envelope._values``."""
    per_leg = (
        ("length", "m"),
        ("speed", "m/s"),
        ("acceleration", "m/s²"),
        ("base joint angle", "rad"),
        ("platform joint angle", "rad"),
    )
    rows: list[tuple[str, str, int | None, int | None]] = [
        (name, unit, leg, None) for name, unit in per_leg for leg in range(1, 7)
    ]
    rows += [("leg clearance", "m", one, other) for one, other in PAIRS]
    rows.append(("smallest singular value", "", None, None))
    return tuple(rows)


LABELS = _labels()
"""Name, unit, leg and other leg (1..6) of each quantity of an envelope, in its order."""


def meeting_pairs(geometry: HexapodGeometry, limits: EnvelopeLimits) -> NDArray[np.bool_]:
    """Pairs of legs whose joints at a plate are nearer than the clearance, shape (15,)."""
    first, second = np.triu_indices(6, 1)
    nearest = np.minimum(
        np.linalg.norm(geometry.base_joints_m[first] - geometry.base_joints_m[second], axis=1),
        np.linalg.norm(
            geometry.platform_joints_m[first] - geometry.platform_joints_m[second], axis=1
        ),
    )
    return np.asarray(nearest < limits.leg_clearance_m, dtype=np.bool_)


def home_pose(geometry: HexapodGeometry, length_m: float) -> Pose:
    """Pose in which all six legs have one length: level, if the geometry is regular.

    Above the base, or below it if the geometry hangs.

    Args:
        length_m: the common leg length [m], within the stroke of every leg.

    Raises:
        GeometryError: outside a leg's stroke, or no such pose is found.
    """
    low, high = float(geometry.closed_length_m.max()), float(geometry.open_length_m.min())
    if not low - ROUNDING_M <= length_m <= high + ROUNDING_M:
        raise GeometryError(f"home length: {length_m} m outside [{low:.6g}, {high:.6g}] m")
    base, platform = geometry.base_joints_m, geometry.platform_joints_m
    position = level_position(base, platform, length_m, geometry.hanging)
    level = Pose(position, np.eye(3))
    if np.abs(leg_lengths(geometry, level) - length_m).max() < 1e-12:
        return level
    found = forward(geometry, np.full(6, length_m), level)
    if not found.converged:
        raise GeometryError(
            f"no pose near the level one has six legs of {length_m:.6g} m: {found.reason}"
        )
    return found.X_BP

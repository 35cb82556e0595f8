"""Programmed joint rates: from the operator's gripper velocity to joint rates.

Resolved rate (Whitney 1969) with a damped inverse near singularities. One factor scales the whole
twist until every limit holds, so that the gripper keeps the direction that is asked for:

- rates: each joint's largest rate;
- positions: from every tick the smooth stop must end inside the limits, counted in whole ticks;
- singularity: the smallest singular value sigma may sink to the threshold "stop" no faster than
  exponentially (a velocity damper, Faverjon & Tournassoud 1987); what leads out is never slowed;
- accelerations: the rates change by at most a_max * tick.

Where no factor meets the acceleration limit (the operator turns his handle to the other side), all
rates go straight from the old ones to the new ones; where even that would need more travel than
a joint has, they are braked by one factor first.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.rate_limits import (
    ActiveLimit,
    JointLimits,
    LimitKind,
    RateBound,
    RateStep,
)
from sim.world.space_arm.singularity import Damping, Posture, PostureSolver, reach_m
from sim.world.space_arm.smooth_stop import SmoothStop, StopLaw, finite

Array = NDArray[np.float64]

ABSURD_POSITION_RAD = 100.0
ABSURD_TWIST = 100.0
"""Magnitudes beyond which an input cannot be meant [rad; m/s and rad/s]."""


class TwistFrame(Enum):
    """Axes in which a gripper twist is given; it is always the velocity of the gripper's origin."""

    GRIPPER = "gripper"
    BASE = "base"
    WORLD = "world"


@dataclass(frozen=True, slots=True)
class RateSettings:
    """Settings of the programmed rates.

    Raises:
        ValueError: if a value is not finite or outside of its range.
    """

    acceleration_max_rad_s2: float | Sequence[float] = 0.02
    """Largest acceleration of each joint, one number for all or one for each."""
    rounding_ticks: int = 1
    """Ticks over which the smooth stop is rounded, 1 for none."""
    position_margin_rad: float = 0.01
    """Margin kept to each joint's limit, for the lag of the drives."""
    damping: Damping = field(default_factory=Damping)
    """Damping of the inverse near singularities."""
    singular_warn: float = 0.04
    """Smallest singular value under which the command warns."""
    singular_stop: float = 0.02
    """Smallest singular value at which approaching a singularity ends."""
    singular_approach_s: float = 4.0
    """Time constant with which that value is approached, above a tick."""
    characteristic_length_m: float | None = None
    """Length that makes metres and radians commensurable; None for the arm's reach: then no
    element of the scaled Jacobian exceeds about 1."""

    def __post_init__(self) -> None:
        _in_range("position_margin_rad", self.position_margin_rad, "rad", 0.0, math.pi)
        _in_range("damping.below", self.damping.below, "(bare)", 1e-9, 1.0)
        _in_range("damping.largest", self.damping.largest, "(bare)", 0.0, 1.0)
        _in_range("singular_warn", self.singular_warn, "(bare)", 1e-9, 1.0)
        _in_range("singular_stop", self.singular_stop, "(bare)", 0.0, self.singular_warn)
        _in_range("singular_approach_s", self.singular_approach_s, "s", 1e-3, 1e4)
        if self.characteristic_length_m is not None:
            _in_range("characteristic_length_m", self.characteristic_length_m, "m", 1e-3, 1e4)

    def accelerations_rad_s2(self, joints: int) -> Array:
        """Largest acceleration of each joint [rad/s^2], shape (joints,)."""
        if isinstance(self.acceleration_max_rad_s2, int | float):
            return np.full(joints, float(self.acceleration_max_rad_s2))
        return finite("acceleration_max_rad_s2", self.acceleration_max_rad_s2, joints, "rad/s^2")


@dataclass(frozen=True, slots=True, eq=False)
class RateCommand:
    """Joint rates for one tick, and their difference from the request."""

    rates_rad_s: Array
    """Joint rates, to be held for the tick, shape (n,)."""
    scale: float
    """Part of the wanted twist that is commanded, 0 to 1."""
    on_path: bool
    """False while the rates are still turning from an older direction to the new one."""
    twist_wanted: Array
    """Requested twist, in the frame of the request, shape (6,) [m/s, rad/s]."""
    twist_attained: Array
    """Twist of the gripper at these rates, same frame, shape (6,)."""
    limits: tuple[ActiveLimit, ...]
    """Active limits; empty if the request is met in full."""
    smallest_singular_value: float
    """Smallest singular value of the scaled Jacobian."""
    manipulability: float
    """Product of the singular values."""
    damping: float
    """The largest damping factor of all directions; 0: the inverse is exact."""
    near_singularity: bool
    """Whether the smallest singular value is under the warning threshold."""

    def __post_init__(self) -> None:
        for name in ("rates_rad_s", "twist_wanted", "twist_attained"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def deviation(self) -> Array:
        """Attained minus scaled wanted twist, shape (6,): what damping or turning costs."""
        return self.twist_attained - self.scale * self.twist_wanted


class ProgrammedRates:
    """Generator of joint rates for a wanted gripper twist, which remembers the last rates.

    Args:
        settings: see `RateSettings`.
        rotation_WB: base axes in world axes, shape (3, 3), for `TwistFrame.WORLD`.

    Raises:
        ValueError: if an argument is not finite, out of range, or no rotation.
    """

    def __init__(
        self,
        arm: Arm,
        tick_s: float = 0.35,
        settings: RateSettings | None = None,
        rotation_WB: Array | None = None,
    ) -> None:
        self.settings: RateSettings = settings or RateSettings()
        self.length_m: float = self.settings.characteristic_length_m or reach_m(arm)
        self.law: StopLaw = StopLaw(
            self.settings.accelerations_rad_s2(arm.joints), tick_s, self.settings.rounding_ticks
        )
        if tick_s > self.settings.singular_approach_s:
            raise ValueError(
                f"singular_approach_s = {self.settings.singular_approach_s} s: "
                f"at least the tick, {tick_s} s, is needed"
            )
        self._rotation_WB = None if rotation_WB is None else _rotation("rotation_WB", rotation_WB)
        self._solver = PostureSolver(arm, self.length_m)
        margin = self.settings.position_margin_rad
        self.limits: JointLimits = JointLimits(
            self.law,
            lower_rad=np.array([link.position_min_rad for link in arm.links]) + margin,
            upper_rad=np.array([link.position_max_rad for link in arm.links]) - margin,
            rate_max_rad_s=np.array([link.rate_max_rad_s for link in arm.links]),
            units=[link.unit for link in arm.links],
        )
        self._plain_law = StopLaw(self.law.acceleration_max_rad_s2, tick_s)
        self._stopping: SmoothStop | None = None
        self._joints = arm.joints
        self._last = np.zeros(self._joints)

    @property
    def last_rates_rad_s(self) -> Array:
        """Rates commanded last [rad/s], shape (n,)."""
        return self._last.copy()

    def reset(self, rates_rad_s: Sequence[float] | Array | None = None) -> None:
        """Start from given joint rates, or from rest.

        Raises:
            ValueError: if the rates are not finite numbers, one a joint, within the arm's limits.
        """
        rates = np.zeros(self._joints) if rates_rad_s is None else rates_rad_s
        rates = finite("rates_rad_s", rates, self._joints, "rad/s", ABSURD_TWIST)
        for i, most in enumerate(self.limits.rate_max_rad_s):
            if abs(rates[i]) > most:
                raise ValueError(f"rates_rad_s[{i}] = {rates[i]} rad/s: at most {most} is allowed")
        self._last, self._stopping = rates, None

    def rates(
        self,
        q_rad: Sequence[float] | Array,
        twist_wanted: Sequence[float] | Array,
        frame: TwistFrame,
    ) -> RateCommand:
        """Compute the joint rates of the next tick.

        Args:
            q_rad: joint positions, shape (n,).
            twist_wanted: velocity of the gripper's origin [m/s], then angular velocity [rad/s].
            frame: axes of the given twist, and of the twists in the answer.

        Raises:
            ValueError: if an input is not as many finite, plausible numbers, or
                `TwistFrame.WORLD` is asked for and no ``rotation_WB`` was given. The last rates
                then stay as they were.
        """
        q = finite("q_rad", q_rad, self._joints, "rad", ABSURD_POSITION_RAD)
        requested = finite("twist_wanted", twist_wanted, 6, "m/s or rad/s", ABSURD_TWIST)
        posture = self._solver.at(q)
        axes = self._axes(frame, posture)
        wanted, bounds = self._resolved(posture, _turned(axes, requested))
        step = self.limits.step(q, self._last, wanted, bounds)
        self._last, self._stopping = step.rates, None
        return self._command(posture, requested, axes, step)

    def stop(self, q_rad: Sequence[float] | Array) -> RateCommand:
        """Compute the next tick of the smooth stop; at rest after ``law.ticks(rates)`` calls.

        A joint without enough travel for the rounded stop (a stop was broken off and begun again
        just before a limit) makes all take the plain ramp.

        Args:
            q_rad: joint positions, shape (n,).

        Raises:
            ValueError: if the positions are not as many finite, plausible numbers.
        """
        q = finite("q_rad", q_rad, self._joints, "rad", ABSURD_POSITION_RAD)
        posture = self._solver.at(q)
        if self._stopping is None:
            travel_rad = self.law.stopping_distance_rad(self._last) - self._last * self.law.tick_s
            rounded = self.limits.permits(q, travel_rad)
            self._stopping = SmoothStop(self.law if rounded else self._plain_law)
        rates = self._stopping.next(self._last)
        self._last = rates
        step = RateStep(rates, 0.0, False, ())
        return self._command(posture, np.zeros(6), np.eye(3), step)

    def _axes(self, frame: TwistFrame, posture: Posture) -> Array:
        """Axes of a frame in base axes, shape (3, 3)."""
        if frame is TwistFrame.BASE:
            return np.eye(3)
        if frame is TwistFrame.GRIPPER:
            return posture.rotation_BG
        if self._rotation_WB is None:
            raise ValueError("frame = WORLD: rotation_WB must be given to ProgrammedRates")
        return self._rotation_WB.T

    def _resolved(self, posture: Posture, twist_BG: Array) -> tuple[Array, tuple[RateBound, ...]]:
        """Compute the wanted joint rates, and the effect of a singularity on them."""
        damping = self.settings.damping
        wanted = posture.rates(twist_BG, damping)
        middle = (self.limits.lower_rad + self.limits.upper_rad) / 2.0
        motion = self._solver.escape(posture, twist_BG, middle)
        if np.any(motion != 0.0):
            # Both directions lead out, so the approach to the singularity needs no bound here.
            return wanted + damping.escape_gain * motion, ()
        return wanted, self._singular_bound(posture, wanted)

    def _singular_bound(self, posture: Posture, wanted: Array) -> tuple[RateBound, ...]:
        """Bound the factor so that a singularity is approached no faster than exponentially."""
        slope = self._solver.slope(posture, wanted)
        if slope >= 0.0:
            return ()
        sigma, stop = posture.smallest, self.settings.singular_stop
        permitted = max(0.0, sigma - stop) / self.settings.singular_approach_s
        return (
            RateBound(
                permitted / -slope, ActiveLimit(LimitKind.SINGULARITY, None, sigma, stop, "")
            ),
        )

    def _command(
        self, posture: Posture, requested: Array, axes: Array, step: RateStep
    ) -> RateCommand:
        attained = _turned(axes.T, posture.jacobian @ step.rates)
        damping, smallest = self.settings.damping, posture.smallest
        part = min(1.0, smallest / damping.below)
        return RateCommand(
            rates_rad_s=step.rates,
            scale=step.scale,
            on_path=step.on_path,
            twist_wanted=requested,
            twist_attained=attained,
            limits=step.limits,
            smallest_singular_value=smallest,
            manipulability=posture.manipulability,
            damping=damping.largest * math.sqrt(1.0 - part * part),
            near_singularity=smallest < self.settings.singular_warn,
        )


def _turned(rotation: Array, twist: Array) -> Array:
    return np.concatenate((rotation @ twist[:3], rotation @ twist[3:]))


def _in_range(name: str, value: float, unit: str, least: float, most: float) -> None:
    if not (math.isfinite(value) and least <= value <= most):
        raise ValueError(f"{name} = {value!r} {unit}: {least:g} to {most:g} {unit} are possible")


def _rotation(name: str, value: Array) -> Array:
    matrix = np.array(value, dtype=np.float64)
    if matrix.shape != (3, 3) or not np.all(np.isfinite(matrix)):
        raise ValueError(f"{name} = {value!r}: a finite 3x3 matrix is needed")
    error = float(np.max(np.abs(matrix @ matrix.T - np.eye(3))))
    if error > 1e-9 or np.linalg.det(matrix) < 0.0:
        raise ValueError(
            f"{name}: no rotation, R R^T - 1 is up to {error:.3g}, at most 1e-9 allowed"
        )
    return matrix

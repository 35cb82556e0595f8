"""Numbers of the cueing algorithms, frozen and within stated bounds; "base" and "tight" sets.

Angles in rad, rates in rad/s. Axes are those of the vehicle: forward, right, down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from platform6dof.cueing.vehicle import GRAVITY_M_S2

ANGLE_SUM_MAX_RAD: Final = math.radians(80.0)
"""Tilt and rotation together may ask for no more, whatever comes: Euler angles stay away from a
quarter turn."""
BALANCED_DAMPING: Final = 1.0


class CueingError(ValueError):
    """Parameters or an input of a cueing algorithm that cannot be; the text says what would."""

    def __init__(self, text: str, name: str = "") -> None:
        super().__init__(text)
        self.name: str = name
        """Of the parameter that is wrong; empty if it is none."""


@dataclass(frozen=True, slots=True)
class ParameterRange:
    """Range of values that a parameter may have."""

    least: float
    """Smallest value."""
    most: float
    """Largest value."""
    unit: str
    """Unit of both bounds, for people."""

    def check(self, name: str, value: float) -> None:
        """Refuse what is outside.

        Raises:
            CueingError: with the name, the value, the bounds and their unit.
        """
        if not self.least <= value <= self.most:  # a NaN is neither
            text = f"{name} is {value:g} {self.unit}".rstrip()
            limits = f"{self.least:g} to {self.most:g} {self.unit}".rstrip()
            raise CueingError(f"{text}: it must be {limits}", name)


GAIN: Final = ParameterRange(0.0, 2.0, "")
FORCE: Final = ParameterRange(0.01, 50.0, "m/s2")
RATE: Final = ParameterRange(math.radians(0.1), math.radians(400.0), "rad/s")
SLOPE: Final = ParameterRange(0.0, 2.0, "")
CORNER: Final = ParameterRange(0.02, 60.0, "rad/s")
SLOW_CORNER: Final = ParameterRange(0.0, 10.0, "rad/s")
DAMPING: Final = ParameterRange(0.1, 3.0, "")
TILT: Final = ParameterRange(0.0, math.radians(45.0), "rad")
TILT_RATE: Final = ParameterRange(math.radians(0.1), math.radians(60.0), "rad/s")
TILT_ACCELERATION: Final = ParameterRange(math.radians(1.0), math.inf, "rad/s2")
PERIOD: Final = ParameterRange(1e-4, 0.1, "s")


class Curve(IntEnum):
    """Curve by which a channel is kept within its largest value."""

    CLIP = 0
    CUBIC = 1
    """A cubic from slope `gain` at zero to slope `end_slope` where input is `input_most` (Reid and
    Nahon, UTIAS 296, 1985)."""


class TiltBy(IntEnum):
    """Means by which the rate of tilt is kept below what is felt."""

    LIMITER = 0
    """The low-passed tilt is followed no faster than allowed: quick, but not linear."""
    FREQUENCY = 1
    """The low-pass is made so slow that the rate is never asked for: linear, but late."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Scale and limit of one component of force [m/s²] or rate [rad/s]."""

    gain: float
    """Output over input near zero."""
    most: float
    """Largest output."""
    curve: Curve = Curve.CLIP
    """Curve of the approach to it."""
    input_most: float = 0.0
    """Input of `CUBIC` at which the output is `most`."""
    end_slope: float = 0.0
    """Slope of `CUBIC` at that input."""

    def check(self, name: str, most: ParameterRange) -> None:
        """Refuse what cannot be, with the name of the channel.

        Raises:
            CueingError: also where the cubic would not rise all the way.
        """
        GAIN.check(f"{name}.gain", self.gain)
        most.check(f"{name}.most", self.most)
        if self.curve is Curve.CLIP:
            return
        SLOPE.check(f"{name}.end_slope", self.end_slope)
        ParameterRange(most.least, 10.0 * most.most, most.unit).check(
            f"{name}.input_most", self.input_most
        )
        if not self._rises():
            text = f"{name}: the cubic of gain {self.gain:g}, most {self.most:g}, input_most "
            text += f"{self.input_most:g}, end_slope {self.end_slope:g} {most.unit} turns back"
            raise CueingError(f"{text}: most must be nearer to gain * input_most", name)

    def limited(self, u: float) -> float:
        """The output for an input; the compiled filters do the same."""
        if self.curve is Curve.CLIP:
            return min(self.most, max(-self.most, self.gain * u))
        c2, c3 = self.cubic()
        size = min(abs(u), self.input_most)
        return math.copysign(min(self.most, size * (self.gain + size * (c2 + size * c3))), u)

    def cubic(self) -> tuple[float, float]:
        """Factors of the square and the cube of an input; 0 without a cubic."""
        if self.curve is Curve.CLIP:
            return 0.0, 0.0
        u, y, s0, s1 = self.input_most, self.most, self.gain, self.end_slope
        return (3.0 * y - 2.0 * s0 * u - s1 * u) / u**2, (s0 * u - 2.0 * y + s1 * u) / u**3

    def _rises(self) -> bool:
        c2, c3 = self.cubic()
        inner = -c2 / (3.0 * c3) if c3 != 0.0 else -1.0
        low = min(self.gain, self.end_slope)
        if 0.0 < inner < self.input_most:
            low = min(low, self.gain + 2.0 * c2 * inner + 3.0 * c3 * inner**2)
        return low >= 0.0


@dataclass(frozen=True, slots=True)
class Translation:
    """Displacement over acceleration, s / ((s² + 2 z wn s + wn²)(s + wb)), of one axis."""

    wn_rad_s: float
    """Corner of the high-pass of second order."""
    damping: float = BALANCED_DAMPING
    """Its z."""
    wb_rad_s: float = 0.2
    """Corner that brings the displacement back to 0; 0 leaves the high-pass of second order."""


@dataclass(frozen=True, slots=True)
class Tilt:
    """Tilt coordination: lasting force by gravity, wl² / (s² + 2 z wl s + wl²)."""

    wl_rad_s: float = 5.0
    """Corner of the low-pass."""
    damping: float = BALANCED_DAMPING
    """Its z."""
    by: TiltBy = TiltBy.LIMITER
    """Means that keeps its rate small."""
    rate_rad_s: float = math.radians(3.0)
    """Largest rate; infinite for none."""
    acceleration_rad_s2: float = math.inf
    """Largest angular acceleration of the limiter; infinite for none."""
    most_rad: float = math.radians(20.0)
    """Largest tilt of each axis; 0 for no tilt at all."""
    force_m_s2: float = 2.0
    """Scaled force of `FREQUENCY` below which the rate is kept, whatever its course."""

    @property
    def corner_rad_s(self) -> float:
        """The corner that is used.

        Lowered for `FREQUENCY` until no course of a force within ± `force_m_s2` can ask for more
        than the rate. The largest rate that an input within ±1 brings about is the integral of the
        absolute value of the impulse response of s·LP: wl times a number that depends on the
        damping only.
        """
        if self.by is TiltBy.LIMITER or math.isinf(self.rate_rad_s):
            return self.wl_rad_s
        angle = math.asin(min(1.0, self.force_m_s2 / GRAVITY_M_S2))
        return min(self.wl_rad_s, self.rate_rad_s / (angle * _variation(self.damping)))


def _variation(damping: float) -> float:
    """Integral of |dh/dt| for the impulse response h of 1 / (s² + 2 z s + 1), h(0) = 0."""
    z = damping
    if abs(z - 1.0) < 1e-6:
        return 2.0 / math.e
    if z > 1.0:
        root = math.sqrt(z * z - 1.0)
        a, b = z - root, z + root
        peak_s = math.log(b / a) / (b - a)
        return 2.0 * (math.exp(-a * peak_s) - math.exp(-b * peak_s)) / (b - a)
    root = math.sqrt(1.0 - z * z)
    first = math.exp(-z * math.acos(z) / root)  # height of the first extremum
    ratio = math.exp(-math.pi * z / root)  # of each to the one before
    return 2.0 * first / (1.0 - ratio)


@dataclass(frozen=True, slots=True)
class Rotation:
    """Angle over rate, 1 / (s + wr), or s / (s² + 2 z wr s + wr²), of one axis."""

    wr_rad_s: float = 1.0
    """Corner of the high-pass."""
    order: int = 1
    """Order of the high-pass: 1, or 2, which returns the angle to 0 also under a lasting rate."""
    damping: float = BALANCED_DAMPING
    """z of the second order."""

    @property
    def reach_s(self) -> float:
        """Largest angle over largest rate, whatever the course of the rate [s]."""
        if self.order == 1:
            return 1.0 / self.wr_rad_s
        return _variation(self.damping) / self.wr_rad_s


Scales = tuple[Scale, Scale, Scale]


@dataclass(frozen=True, slots=True)
class ClassicalParameters:
    """Parameters of the classical washout (Conrad, Schmidt 1970; Reid, Nahon, UTIAS 296, 1985)."""

    force: Scales
    """Scales of f_x, f_y, f_z less what they are at rest [m/s²]."""
    rates: Scales
    """Scales of p, q, r [rad/s]."""
    translation: tuple[Translation, Translation, Translation]
    """Forward, right, down."""
    tilt: Tilt = field(default_factory=Tilt)
    """One for pitch and roll."""
    rotation: tuple[Rotation, Rotation, Rotation] = (Rotation(), Rotation(), Rotation())
    """Roll, pitch, yaw."""
    tilt_turns_force: bool = False
    """Whether the force is turned to the inertial frame by rotation and tilt; by the rotation alone
    if not. With it, what tilt gives is taken off the translation: less travel, and a deeper hole in
    the middle of the response, for tilt comes late."""

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        check_scales(self.force, self.rates)
        for axis, one in zip("xyz", self.translation, strict=True):
            CORNER.check(f"translation.{axis}.wn_rad_s", one.wn_rad_s)
            DAMPING.check(f"translation.{axis}.damping", one.damping)
            SLOW_CORNER.check(f"translation.{axis}.wb_rad_s", one.wb_rad_s)
        check_tilt(self.tilt)
        for axis, scale, one in zip(("p", "q", "r"), self.rates, self.rotation, strict=True):
            check_rotation(axis, scale, one, self.tilt.most_rad)


def check_scales(force: Scales, rates: Scales) -> None:
    """Refuse gains and limits that cannot be.

    Raises:
        CueingError: with the name, the value and its bounds.
    """
    for axis, one in zip("xyz", force, strict=True):
        one.check(f"force.{axis}", FORCE)
    for axis, one in zip("pqr", rates, strict=True):
        one.check(f"rates.{axis}", RATE)


def check_tilt(tilt: Tilt) -> None:
    """Refuse a tilt that cannot be.

    Raises:
        CueingError: with the name, the value and its bounds.
    """
    CORNER.check("tilt.wl_rad_s", tilt.wl_rad_s)
    DAMPING.check("tilt.damping", tilt.damping)
    TILT.check("tilt.most_rad", tilt.most_rad)
    FORCE.check("tilt.force_m_s2", tilt.force_m_s2)
    if not math.isinf(tilt.rate_rad_s):
        TILT_RATE.check("tilt.rate_rad_s", tilt.rate_rad_s)
    TILT_ACCELERATION.check("tilt.acceleration_rad_s2", tilt.acceleration_rad_s2)
    if not tilt.rate_rad_s > 0.0:
        TILT_RATE.check("tilt.rate_rad_s", tilt.rate_rad_s)


def check_rotation(axis: str, scale: Scale, one: Rotation, tilt_rad: float) -> None:
    """Refuse a rotation channel that cannot be, or that could turn too far.

    Raises:
        CueingError: with the name, the value and its bounds.
    """
    CORNER.check(f"rotation.{axis}.wr_rad_s", one.wr_rad_s)
    DAMPING.check(f"rotation.{axis}.damping", one.damping)
    if one.order not in (1, 2):
        text = f"rotation.{axis}.order is {one.order}"
        raise CueingError(f"{text}: it must be 1 or 2", f"rotation.{axis}.order")
    reach = scale.most * one.reach_s + tilt_rad
    if reach > ANGLE_SUM_MAX_RAD:
        text = f"rates.{axis}.most is {math.degrees(scale.most):g} deg/s: with its high-pass and "
        text += f"the tilt it can turn the platform by {math.degrees(reach):.3g} deg, "
        text += f"{math.degrees(ANGLE_SUM_MAX_RAD):g} at most: a smaller rate, or a faster high-"
        raise CueingError(f"{text}pass, is needed", f"rates.{axis}.most")

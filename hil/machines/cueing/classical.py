"""Tables ``[force]``, ``[rates]``, ``[translation]``, ``[tilt]``, ``[rotation]`` of a preset.

The first two apply to all algorithms but the one that follows poses; the others are the classical
filter's, and translation the adaptive one's, too.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from hil.config.settings import Settings
from hil.machines.cueing.per_axis import per_axis, three_numbers
from platform6dof.cueing import parameters as p
from platform6dof.cueing.parameters import CueingError

_DEG: Final = math.pi / 180.0

Gain = Annotated[float, Field(ge=p.GAIN.least, le=p.GAIN.most)]
Force = Annotated[float, Field(ge=p.FORCE.least, le=p.FORCE.most)]
RateDeg = Annotated[float, Field(ge=0.1, le=400.0)]
Slope = Annotated[float, Field(ge=p.SLOPE.least, le=p.SLOPE.most)]
Corner = Annotated[float, Field(ge=p.CORNER.least, le=p.CORNER.most)]
SlowCorner = Annotated[float, Field(ge=p.SLOW_CORNER.least, le=p.SLOW_CORNER.most)]
Damping = Annotated[float, Field(ge=p.DAMPING.least, le=p.DAMPING.most)]
TiltDeg = Annotated[float, Field(ge=0.0, le=45.0)]
TiltRateDeg = Annotated[float, Field(ge=0.1, le=60.0)]
TiltAccelerationDeg = Annotated[float, Field(ge=1.0, le=10_000.0)]

Gains = Annotated[tuple[Gain, Gain, Gain], BeforeValidator(per_axis), three_numbers(0.0, 2.0)]
Forces = Annotated[tuple[Force, Force, Force], BeforeValidator(per_axis), three_numbers(0.01, 50.0)]
InputForces = Annotated[
    tuple[float, float, float], BeforeValidator(per_axis), three_numbers(0.01, 500.0)
]
RatesDeg = Annotated[
    tuple[RateDeg, RateDeg, RateDeg], BeforeValidator(per_axis), three_numbers(0.1, 400.0)
]
Slopes = Annotated[tuple[Slope, Slope, Slope], BeforeValidator(per_axis), three_numbers(0.0, 2.0)]
Corners = Annotated[
    tuple[Corner, Corner, Corner], BeforeValidator(per_axis), three_numbers(0.02, 60.0)
]
SlowCorners = Annotated[
    tuple[SlowCorner, SlowCorner, SlowCorner], BeforeValidator(per_axis), three_numbers(0.0, 10.0)
]
Dampings = Annotated[
    tuple[Damping, Damping, Damping], BeforeValidator(per_axis), three_numbers(0.1, 3.0)
]
CurveName = Literal["clip", "cubic"]


class ForceScale(Settings):
    """Scaling of the vehicle's specific force to the wanted force."""

    gain: Gains = (0.5, 0.5, 0.5)
    """Ratio of the wanted force to the vehicle's, both as the difference from rest."""
    most_m_s2: Forces = (10.0, 10.0, 10.0)
    """Largest wanted force [m/s²]."""
    curve: CurveName = "clip"
    """Shape of the scaling up to that limit: clipped, or along a cubic of Reid and Nahon."""
    input_most_m_s2: InputForces | None = None
    """Vehicle force at which the cubic reaches the largest wanted one [m/s²]."""
    end_slope: Slopes = (0.0, 0.0, 0.0)
    """Slope of the cubic at that force."""

    def scales(self) -> p.Scales:
        """Convert to the scales of the filters."""
        inputs = self.input_most_m_s2
        return _scales(self.gain, self.most_m_s2, self.curve, inputs, self.end_slope, 1.0, "force")


class RateScale(Settings):
    """Scaling of the vehicle's roll, pitch and yaw rates to the wanted rates."""

    gain: Gains = (0.5, 0.5, 0.5)
    """Ratio of the wanted rate to the vehicle's."""
    most_deg_s: RatesDeg = (40.0, 40.0, 40.0)
    """Largest wanted rate [deg/s]."""
    curve: CurveName = "clip"
    """Shape of the scaling up to that limit: clipped, or along a cubic of Reid and Nahon."""
    input_most_deg_s: RatesDeg | None = None
    """Vehicle rate at which the cubic reaches the largest wanted one [deg/s]."""
    end_slope: Slopes = (0.0, 0.0, 0.0)
    """Slope of the cubic at that rate."""

    def scales(self) -> p.Scales:
        """Convert to the scales of the filters."""
        inputs = self.input_most_deg_s
        return _scales(
            self.gain, self.most_deg_s, self.curve, inputs, self.end_slope, _DEG, "rates"
        )


def _scales(
    gain: tuple[float, ...],
    most: tuple[float, ...],
    curve: CurveName,
    inputs: tuple[float, ...] | None,
    slope: tuple[float, ...],
    unit: float,
    table: str,
) -> p.Scales:
    if curve == "clip":
        if inputs is not None:
            key = f"{table}.input_most_{'m_s2' if table == 'force' else 'deg_s'}"
            raise CueingError('stands beside curve = "clip": leave it out, or write "cubic"', key)
        first, second, third = (p.Scale(g, unit * m) for g, m in zip(gain, most, strict=True))
        return first, second, third
    if inputs is None:
        raise CueingError('is "cubic": input_most must say where it ends', f"{table}.curve")
    rows = zip(gain, most, inputs, slope, strict=True)
    first, second, third = (
        p.Scale(g, unit * m, p.Curve.CUBIC, unit * u, end) for g, m, u, end in rows
    )
    return first, second, third


class TranslationKeys(Settings):
    """Onset of the force, rendered by translation: forward, right, down."""

    wn_rad_s: Corners = (2.5, 2.5, 4.0)
    """Corner of the high-pass of second order [rad/s]."""
    damping: Dampings = (1.0, 1.0, 1.0)
    """Damping ratio z of that high-pass."""
    wb_rad_s: SlowCorners = (0.2, 0.2, 0.2)
    """Corner that brings the displacement back to 0 [rad/s]; 0 for none."""

    def translations(self) -> tuple[p.Translation, p.Translation, p.Translation]:
        """Convert to the parameters of the filters."""
        rows = zip(self.wn_rad_s, self.damping, self.wb_rad_s, strict=True)
        x, y, z = (p.Translation(*row) for row in rows)
        return x, y, z


class TiltKeys(Settings):
    """Sustained part of the force, rendered by tilt against gravity."""

    wl_rad_s: Corner = 5.0
    """Corner of the low-pass [rad/s]."""
    damping: Damping = 1.0
    """Damping ratio z of that low-pass."""
    by: Literal["limiter", "frequency"] = "limiter"
    """Way of bounding the tilt rate: a rate limiter, or a corner so low that no higher rate is
    asked for."""
    rate_deg_s: TiltRateDeg | None = 3.0
    """Largest rate [deg/s]."""
    acceleration_deg_s2: TiltAccelerationDeg | None = None
    """Largest angular acceleration of the limiter [deg/s²]; left out: none, and its corners are
    jumps of the rate."""
    most_deg: TiltDeg = 20.0
    """Largest tilt [deg]; 0 for none at all."""
    force_m_s2: Force = 2.0
    """Largest wanted force for which "frequency" keeps the rate, whatever its course [m/s²]."""

    def tilt(self) -> p.Tilt:
        """Convert to the parameters of the filters."""
        most = self.acceleration_deg_s2
        return p.Tilt(
            wl_rad_s=self.wl_rad_s,
            damping=self.damping,
            by=p.TiltBy[self.by.upper()],
            rate_rad_s=math.inf if self.rate_deg_s is None else _DEG * self.rate_deg_s,
            acceleration_rad_s2=math.inf if most is None else _DEG * most,
            most_rad=_DEG * self.most_deg,
            force_m_s2=self.force_m_s2,
        )


class RotationKeys(Settings):
    """Vehicle rates rendered by rotation: roll, pitch, yaw."""

    wr_rad_s: Corners = (1.0, 1.0, 1.0)
    """Corner of the high-pass [rad/s]."""
    order: Annotated[int, Field(ge=1, le=2)] = 1
    """Order of the high-pass; 2 brings the angle back to 0 also under a lasting rate."""
    damping: Dampings = (1.0, 1.0, 1.0)
    """Damping ratio z of the second order."""

    def rotations(self) -> tuple[p.Rotation, p.Rotation, p.Rotation]:
        """Convert to the parameters of the filters."""
        rows = zip(self.wr_rad_s, self.damping, strict=True)
        roll, pitch, yaw = (p.Rotation(w, self.order, z) for w, z in rows)
        return roll, pitch, yaw

"""A cueing preset: which algorithm lets a rider feel a vehicle, and its numbers.

``configs/cueing/NAME.toml``. Axes are the vehicle's: forward, right, down; roll, pitch, yaw. Where
three axes have a number each, one number may stand for all. A table of an algorithm that the preset
does not name is what `--algorithm` takes instead; left out, it has the values given here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BeforeValidator, Field

from hil.config.errors import ConfigError, about
from hil.config.settings import Settings, read_toml
from hil.config.shipped import find_file
from hil.machines.cueing_mpc import MpcKeys
from hil.machines.cueing_others import AdaptiveKeys, DirectKeys, OptimalKeys
from hil.machines.per_axis import per_axis, three_numbers
from platform6dof.cueing import parameters as p
from platform6dof.cueing.cue import CueingFilter
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.parameters import CueingError

Algorithm = Literal["classical", "adaptive", "optimal", "mpc", "direct"]
FOLDER: Final = "cueing"
_DEG: Final = math.pi / 180.0
_CHECKED_AT_S: Final = 0.002
"""Cycle time for which a filter is made to see that it can be [s]."""


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
Parameters = TypeVar("Parameters")


class ForceScale(Settings):
    """How much of the specific force is wanted."""

    gain: Gains = (0.5, 0.5, 0.5)
    """Wanted force over that of the vehicle, of what differs from rest."""
    most_m_s2: Forces = (10.0, 10.0, 10.0)
    """Largest wanted force [m/s²]."""
    curve: CurveName = "clip"
    """How it gets there: cut off, or along a cubic of Reid and Nahon."""
    input_most_m_s2: InputForces | None = None
    """Of the cubic: force of the vehicle that becomes the largest one [m/s²]."""
    end_slope: Slopes = (0.0, 0.0, 0.0)
    """Of the cubic: its slope there."""

    def scales(self) -> p.Scales:
        """The same for the filters."""
        inputs = self.input_most_m_s2
        return _scales(self.gain, self.most_m_s2, self.curve, inputs, self.end_slope, 1.0, "force")


class RateScale(Settings):
    """How much of the rates of roll, pitch and yaw is wanted."""

    gain: Gains = (0.5, 0.5, 0.5)
    """Wanted rate over that of the vehicle."""
    most_deg_s: RatesDeg = (40.0, 40.0, 40.0)
    """Largest wanted rate [deg/s]."""
    curve: CurveName = "clip"
    """How it gets there: cut off, or along a cubic of Reid and Nahon."""
    input_most_deg_s: RatesDeg | None = None
    """Of the cubic: rate of the vehicle that becomes the largest one [deg/s]."""
    end_slope: Slopes = (0.0, 0.0, 0.0)
    """Of the cubic: its slope there."""

    def scales(self) -> p.Scales:
        """The same for the filters."""
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
    """What is quick in the force, by moving: forward, right, down."""

    wn_rad_s: Corners = (2.5, 2.5, 4.0)
    """Corner of the high-pass of second order [rad/s]."""
    damping: Dampings = (1.0, 1.0, 1.0)
    """Its z."""
    wb_rad_s: SlowCorners = (0.2, 0.2, 0.2)
    """Corner that brings the displacement back to 0 [rad/s]; 0 for none."""

    def translations(self) -> tuple[p.Translation, p.Translation, p.Translation]:
        """The same for the filters."""
        rows = zip(self.wn_rad_s, self.damping, self.wb_rad_s, strict=True)
        x, y, z = (p.Translation(*row) for row in rows)
        return x, y, z


class TiltKeys(Settings):
    """What lasts in the force, by gravity."""

    wl_rad_s: Corner = 5.0
    """Corner of the low-pass [rad/s]."""
    damping: Damping = 1.0
    """Its z."""
    by: Literal["limiter", "frequency"] = "limiter"
    """How the rate is kept small: by following no faster than allowed, or by a corner so low that
    more is not asked for."""
    rate_deg_s: TiltRateDeg | None = 3.0
    """Largest rate [deg/s]."""
    acceleration_deg_s2: TiltAccelerationDeg | None = None
    """Largest angular acceleration of the limiter [deg/s²]; left out: none, and its corners are
    jumps of the rate."""
    most_deg: TiltDeg = 20.0
    """Largest tilt [deg]; 0 for none at all."""
    force_m_s2: Force = 2.0
    """Of "frequency": wanted force up to which the rate is kept, whatever its course [m/s²]."""

    def tilt(self) -> p.Tilt:
        """The same for the filters."""
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
    """Rates by turning: roll, pitch, yaw."""

    wr_rad_s: Corners = (1.0, 1.0, 1.0)
    """Corner of the high-pass [rad/s]."""
    order: Annotated[int, Field(ge=1, le=2)] = 1
    """Of the high-pass; 2 brings the angle back to 0 also under a lasting rate."""
    damping: Dampings = (1.0, 1.0, 1.0)
    """z of the second order."""

    def rotations(self) -> tuple[p.Rotation, p.Rotation, p.Rotation]:
        """The same for the filters."""
        rows = zip(self.wr_rad_s, self.damping, strict=True)
        roll, pitch, yaw = (p.Rotation(w, self.order, z) for w, z in rows)
        return roll, pitch, yaw


class CueingPreset(Settings):
    """Which algorithm lets a rider feel a vehicle, and its numbers."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """What reports call it."""
    about: Annotated[str, Field(max_length=400)] = ""
    """What it is for, and where its numbers come from."""
    algorithm: Algorithm
    """Which one."""
    force: ForceScale = ForceScale()
    """How much of the force."""
    rates: RateScale = RateScale()
    """How much of the rates."""
    translation: TranslationKeys = TranslationKeys()
    """Of the classical filter."""
    tilt: TiltKeys = TiltKeys()
    """Of the classical filter."""
    rotation: RotationKeys = RotationKeys()
    """Of the classical filter."""
    tilt_turns_force: bool = False
    """Whether tilt, too, turns the force to the inertial frame: less travel, a deeper hole in the
    middle of the response."""
    adaptive: AdaptiveKeys = AdaptiveKeys()
    """Of the adaptive filter."""
    optimal: OptimalKeys = OptimalKeys()
    """Of the optimal filter."""
    mpc: MpcKeys = MpcKeys()
    """Of the predictive algorithm."""
    direct: DirectKeys = DirectKeys()
    """Of the algorithm that follows poses."""

    def predictive(self, preview_s: float | None = None) -> MpcParameters:
        """Parameters of the predictive algorithm.

        Args:
            preview_s: in place of its own.

        Raises:
            CueingError: with the key, the value and its bounds.
        """
        return self.mpc.parameters(self.force.scales(), self.rates.scales(), preview_s)

    def classical(self) -> p.ClassicalParameters:
        """Parameters of the classical filter.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        return p.ClassicalParameters(
            self.force.scales(), self.rates.scales(), self.translation.translations(),
            self.tilt.tilt(), self.rotation.rotations(), self.tilt_turns_force,
        )  # fmt: skip

    def check(self, algorithm: Algorithm) -> None:
        """Refuse numbers that an algorithm cannot have.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        if algorithm == "classical":
            self.classical()
        elif algorithm == "mpc":
            self.predictive()
        elif algorithm == "direct":
            self.direct.parameters()
        else:
            self.filter(algorithm, _CHECKED_AT_S)

    def filter(self, algorithm: Algorithm, period_s: float) -> CueingFilter:
        """The filter of an algorithm, other than the predictive one.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        from platform6dof.cueing.adaptive import Adaptive
        from platform6dof.cueing.classical import Classical
        from platform6dof.cueing.direct import Direct
        from platform6dof.cueing.optimal import Optimal

        force, rates = self.force.scales(), self.rates.scales()
        if algorithm == "classical":
            return Classical(self.classical(), period_s)
        if algorithm == "adaptive":
            translation = self.translation.translations()
            return Adaptive(self.adaptive.parameters(force, rates, translation), period_s)
        if algorithm == "optimal":
            return Optimal(self.optimal.parameters(force, rates), period_s)
        if algorithm == "direct":
            return Direct(self.direct.parameters(), period_s)
        raise CueingError(f"is {algorithm!r}: no filter of one cycle", "algorithm")


def preset_from(table: Mapping[str, Any], source: str) -> CueingPreset:
    """The preset that a parsed table describes.

    Args:
        source: its file, for error texts.

    Raises:
        ConfigError: with the file, the key, the value and what would have been right.
    """
    preset = CueingPreset.build(table, source)
    try:
        for algorithm in dict.fromkeys(("classical", "mpc", preset.algorithm)):
            preset.check(algorithm)
    except CueingError as error:
        key = _key_of(error.name)
        said = str(error).removeprefix(error.name).removeprefix(":").strip()
        raise ConfigError(source, [about(key, f"{key} {said}")]) from None
    return preset


_KEYS: Final = {
    "most": ("most_m_s2", "most_deg_s"),
    "input_most": ("input_most_m_s2", "input_most_deg_s"),
}


def _key_of(name: str) -> str:
    """The key of a file whose value a parameter is; `rates.p.most` stands in `rates.most_deg_s`."""
    table, *rest = (part for part in name.split(".") if part not in set("xyzpqr"))
    rest = [_KEYS[one][table == "rates"] if one in _KEYS else one for one in rest]
    return ".".join((table, *rest))


def read_preset(name: str, *, beside: Path | None = None) -> CueingPreset:
    """The preset of a name in ``configs/cueing``, or of a file.

    Args:
        beside: the file that names it.

    Raises:
        ConfigError: if there is no such file, or something in it cannot be.
    """
    path = find_file(name, beside=beside, folder=FOLDER, key="preset")
    return preset_from(read_toml(path), str(path))


def filter_of(
    preset: CueingPreset, period_s: float, algorithm: Algorithm | None = None
) -> CueingFilter:
    """The filter of a preset at the rate of a loop.

    Args:
        period_s: of the loop [s].
        algorithm: in place of the preset's own.

    Raises:
        ConfigError: for "mpc", whose plans are made elsewhere; of an impossible period.
    """
    try:
        return preset.filter(algorithm or preset.algorithm, period_s)
    except CueingError as error:
        key = _key_of(error.name) if error.name else ""
        said = str(error).removeprefix(error.name).removeprefix(":").strip()
        raise ConfigError(preset.name, [about(key, f"{key} {said}".strip())]) from None

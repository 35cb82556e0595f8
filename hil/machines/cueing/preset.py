"""A cueing preset: which algorithm lets a rider feel a vehicle, and its numbers.

``configs/cueing/NAME.toml``. Axes are the vehicle's: forward, right, down; roll, pitch, yaw. Where
three axes have a number each, one number may stand for all. A table of an algorithm that the preset
does not name is what `--algorithm` takes instead; left out, it has the values given here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.config.settings import Settings, read_toml
from hil.machines.cueing.classical import (
    ForceScale,
    RateScale,
    RotationKeys,
    TiltKeys,
    TranslationKeys,
)
from hil.machines.cueing.filter_tables import AdaptiveKeys, DirectKeys, OptimalKeys
from hil.machines.cueing.mpc import MpcKeys
from platform6dof.cueing.cue import CueingFilter
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.parameters import ClassicalParameters, CueingError

Algorithm = Literal["classical", "adaptive", "optimal", "mpc", "direct"]
FOLDER: Final = "cueing"
_CHECKED_AT_S: Final = 0.002
"""Cycle time for which a filter is made to see that it can be [s]."""


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

    def classical(self) -> ClassicalParameters:
        """Parameters of the classical filter.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        return ClassicalParameters(
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
        raise _refused(error, source) from None
    return preset


def _refused(error: CueingError, source: str) -> ConfigError:
    """The same about a key of a file, in place of a parameter's name."""
    key = _key_of(error.name) if error.name else ""
    said = str(error).removeprefix(error.name).removeprefix(":").strip()
    return ConfigError(source, [about(key, f"{key} {said}".strip())])


_KEYS: Final = {
    "most": ("most_m_s2", "most_deg_s"),
    "input_most": ("input_most_m_s2", "input_most_deg_s"),
}


def _key_of(name: str) -> str:
    """The key of a file whose value a parameter is; `rates.p.most` stands in `rates.most_deg_s`."""
    table, *rest = (part for part in name.split(".") if part not in set("xyzpqr"))
    rest = [_KEYS[one][table == "rates"] if one in _KEYS else one for one in rest]
    return ".".join((table, *rest))


def read_preset(
    name: str, *, key: str = "preset", beside: Path | None = None
) -> CueingPreset:  # fmt: skip
    """The preset of a name in ``configs/cueing``, or of a file.

    Args:
        key: where it is named.
        beside: the file that names it.

    Raises:
        ConfigError: if there is no such file, or something in it cannot be.
    """
    path = find_file(name, beside=beside, folder=FOLDER, key=key)
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
        raise _refused(error, preset.name) from None

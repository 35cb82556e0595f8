"""Tolerances of a machine's parts as a file or options have them; what is left out is assumed."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hil.config.settings import Settings, apply_overrides, read_toml
from platform6dof.accuracy.tolerances import NAMES, Tolerances

Fine = Annotated[float, Field(ge=0.0, le=0.05)]
"""Tolerance of a length [m]: with 50 mm there is no machine to speak of, but a wrong unit."""
Warmth = Annotated[float, Field(ge=0.0, le=100.0)]
Expansion = Annotated[float, Field(ge=0.0, le=1e-4)]
ASSUMED = Tolerances()


class ToleranceSettings(Settings):
    """Tolerances ± of a machine's parts; three standard deviations, or ends of uniform errors."""

    leg_length_m: Fine = ASSUMED.leg_length_m
    """Error of a leg's length as homing leaves it [m]."""
    scale: Annotated[float, Field(ge=0.0, le=0.05)] = ASSUMED.scale
    """Error of a screw's lead, as a share of the travel [m/m]."""
    base_joint_m: Fine = ASSUMED.base_joint_m
    """Error of each coordinate of a base joint's place [m]."""
    platform_joint_m: Fine = ASSUMED.platform_joint_m
    """Error of each coordinate of a platform joint's place [m]."""
    play_m: Fine = ASSUMED.play_m
    """Play along a leg, of its two joints and its nut together, ends of a uniform error [m]."""
    temperature_k: Warmth = ASSUMED.temperature_k
    """Difference of the machine's temperature to that of its measurement, ends [K]."""
    leg_temperature_k: Warmth = ASSUMED.leg_temperature_k
    """Difference of one leg's temperature to the machine's, ends [K]."""
    leg_expansion_per_k: Expansion = ASSUMED.leg_expansion_per_k
    """Expansion of a leg [1/K]; steel if left out."""
    plate_expansion_per_k: Expansion = ASSUMED.plate_expansion_per_k
    """Expansion of both plates [1/K]; steel if left out."""

    def tolerances(self) -> Tolerances:
        """Convert to a value of the mathematics."""
        return Tolerances(**self.model_dump())

    @property
    def assumed(self) -> tuple[str, ...]:
        """Names of the tolerances that nobody gave."""
        return tuple(name for name in NAMES if name not in self.model_fields_set)


def load_tolerances(path: Path | None, changes: Iterable[str]) -> ToleranceSettings:
    """Read tolerances.

    Args:
        path: a TOML file; None: all as assumed.
        changes: ``key=value``, laid over the file.

    Raises:
        ConfigError: with the file or option, the key, the value and what would have been right.
    """
    table: dict[str, Any] = {} if path is None else read_toml(path)
    source = "--tolerance" if path is None else str(path)
    return ToleranceSettings.build(apply_overrides(table, changes), source)

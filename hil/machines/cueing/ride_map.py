"""A map from the columns of a recorded ride to a vehicle's motion: ``configs/rides/NAME.toml``.

value = sign · unit · (raw − bias). Axes of the result are forward, right, down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.config.settings import Settings, read_toml
from hil.config.unit_names import unit_key
from platform6dof.cueing.vehicle import GRAVITY_M_S2

FOLDER: Final = "rides"
_DEG: Final = math.pi / 180.0
FORCES: Final = {"m_s2": 1.0, "g": GRAVITY_M_S2, "gal": 0.01, "ft_s2": 0.3048}
RATES: Final = {"rad_s": 1.0, "deg_s": _DEG}
ANGLES: Final = {"rad": 1.0, "deg": _DEG}
_KNOT: Final = 1852.0 / 3600.0
SPEEDS: Final = {
    "m_s": 1.0, "cm_s": 0.01, "km_h": 1.0 / 3.6, "mph": 0.44704, "kn": _KNOT, "ft_s": 0.3048,
}  # fmt: skip
LENGTHS: Final = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048}
NUMBERS: Final = {"1": 1.0}


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a column may hold."""

    column: str
    """What it is called in files of the bench."""
    units: Mapping[str, float]
    """In which units it may be, in SI."""
    rest: float = 0.0
    """What it is at rest, in SI."""


QUANTITIES: Final[dict[str, Quantity]] = (
    {f"f_{a}": Quantity(f"f_{a}_m_s2", FORCES) for a in "xy"}
    | {"f_z": Quantity("f_z_m_s2", FORCES, -GRAVITY_M_S2)}
    | {f"a_{a}": Quantity(f"a_{a}_m_s2", FORCES) for a in "xyz"}
    | {a: Quantity(f"{a}_rad_s", RATES) for a in "pqr"}
    | {a: Quantity(f"{a}_rad", ANGLES) for a in ("roll", "pitch", "yaw")}
    | {a: Quantity(a, NUMBERS) for a in ("qw", "qx", "qy", "qz")}
    | {f"v_{a}": Quantity(f"v_{a}_m_s", SPEEDS) for a in "xyz"}
    | {f"v_{a}": Quantity(f"v_{a}_m_s", SPEEDS) for a in ("north", "east", "down")}
    | {a: Quantity(f"{a}_m", LENGTHS) for a in ("north", "east", "down")}
)
"""Of a vehicle: specific force, acceleration without gravity, rates, Euler angles, quaternion from
body to north, east, down, velocity in body axes or over the earth, position."""


class RideColumn(Settings):
    """Where one quantity stands."""

    column: Annotated[str, Field(min_length=1)]
    """Name of the column."""
    unit: str
    """Of the column: m_s2, g, gal, ft_s2; rad_s, deg_s; rad, deg; m_s, cm_s, km_h, mph, kn or kt,
    ft_s; m, cm, mm, ft; 1; or as people write them, such as km/h."""

    @property
    def key(self) -> str:
        """The unit as `QUANTITIES` call it."""
        return unit_key(self.unit) or self.unit

    sign: Literal[1, -1] = 1
    """-1 where the column points the other way."""
    bias: float | Literal["mean"] = 0.0
    """Raw value that means rest, in the column's unit; "mean": the record's own."""


class TimeColumn(Settings):
    """Where the time stands."""

    column: str = "t_s"
    """Name of the column."""
    unit: Literal["s", "ms", "us", "ns", "iso"] = "s"
    """Of the column; ``iso``: stamps of ISO 8601."""


class RideMap(Settings):
    """Which column of a recorded ride is what of the vehicle's motion."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    """What reports call it."""
    about: str = ""
    """Whose recording it is for, and how its axes were found out."""
    source: str = ""
    """Where the recording comes from, and its licence."""
    time: TimeColumn = TimeColumn()
    """Where the time stands."""
    gap_max_s: Annotated[float, Field(gt=0.0, le=10.0)] = 0.25
    """Longest time between two rows that is bridged [s]."""
    level_s: Annotated[float, Field(gt=0.0, le=600.0)] | None = None
    """The vehicle stands level and still for so long at the beginning: the sensor's axes are turned
    until the mean force of that time points up [s]. Left out: they are the vehicle's."""
    lowpass_hz: Annotated[float, Field(ge=0.1, le=1000.0)] | None = None
    """Corner of a low-pass without delay through all that is told: what is faster shakes the
    recorder on its mount, not the vehicle [Hz]. Below half the record's rate. Left out: none."""
    columns: Annotated[dict[str, RideColumn], Field(min_length=1)]
    """Quantity = where it stands: f_x … f_z, a_x … a_z, p, q, r, roll, pitch, yaw, qw … qz, v_x …
    v_z, v_north …, north, east, down."""

    @property
    def has_heading_alone(self) -> bool:
        """Whether a yaw without roll and pitch is the heading of a vehicle on level ground."""
        return "yaw" in self.columns and not set(self.columns) & _TILTING

    @model_validator(mode="after")
    def _fits(self) -> RideMap:
        for key, one in self.columns.items():
            if key not in QUANTITIES:
                raise ValueError(f"columns.{key}: no such quantity; there are {_NAMES}")
            units = QUANTITIES[key].units
            if one.key not in units:
                text = f"columns.{key}.unit = {one.unit!r}: must be one of {', '.join(units)}"
                raise ValueError(text)
        for group in (("roll", "pitch", "yaw"), ("qw", "qx", "qy", "qz")):
            there = [key for key in group if key in self.columns]
            if there and len(there) < len(group) and not self.has_heading_alone:
                text = f"columns has {', '.join(there)}: an attitude needs {', '.join(group)}"
                raise ValueError(f"{text}; yaw alone is a heading on level ground, without f, p, q")
        if "roll" in self.columns and "qw" in self.columns:
            raise ValueError("columns has an attitude twice: as angles and as a quaternion")
        if not _gives_force(set(self.columns)):
            raise ValueError(
                "columns gives no force: it needs one of f_x, f_y, f_z, a_x, a_y, a_z, v_x, or "
                "north, east and down"
            )
        return self


_NAMES: Final = ", ".join(QUANTITIES)
_TILTING: Final = {"f_x", "f_y", "f_z", "p", "q", "roll", "pitch", "qw", "qx", "qy", "qz"}
"""What tells of a tilt, and so does not go with a heading on level ground."""


def _gives_force(keys: set[str]) -> bool:
    straight = {f"{kind}_{axis}" for kind in "fa" for axis in "xyz"} | {"v_x"}
    over_ground = ({"north", "east", "down"}, {"v_north", "v_east", "v_down"})
    return bool(keys & straight) or any(group <= keys for group in over_ground)


def map_of_header(header: tuple[str, ...], source: str) -> RideMap:
    """The map of a file whose columns bear the bench's own names, such as `f_x_m_s2`, `p_rad_s`.

    Raises:
        ConfigError: if none of them gives a force.
    """
    found = {
        name: {"column": one.column, "unit": next(iter(one.units))}
        for name, one in QUANTITIES.items()
        if one.column in header
    }
    try:
        return RideMap.build({"name": "by the columns' names", "columns": found}, source)
    except ConfigError:
        names = ", ".join(one.column for one in QUANTITIES.values())
        line = f"no column tells a force by its name; name a map, or columns {names}"
        raise ConfigError(source, [line]) from None


def read_ride_map(name: str, *, beside: Path | None = None) -> RideMap:
    """The map of a name in ``configs/rides``, or of a file.

    Raises:
        ConfigError: if there is no such file, or something in it cannot be.
    """
    path = find_file(name, beside=beside, folder=FOLDER, key="map")
    return RideMap.build(read_toml(path), str(path))

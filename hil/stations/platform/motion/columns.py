"""Maps of a recorded file's columns to coordinates and units."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hil.config.errors import MotionError, require_number
from hil.config.times import TIME_UNITS
from hil.stations.platform.motion.source import AXES, Floats

TRANSLATION_UNITS = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "um": 1e-6, "in": 0.0254, "ft": 0.3048
}  # fmt: skip
ROTATION_UNITS = {"rad": 1.0, "deg": math.pi / 180.0, "mrad": 0.001}
GRAVITY_M_S2 = 9.80665
VELOCITY_UNITS = {"m_s": 1.0, "cm_s": 0.01, "mm_s": 0.001}
"""Units of the platform's velocity, for a translation, in m/s."""
ACCELERATION_UNITS = {"m_s2": 1.0, "g": GRAVITY_M_S2, "gal": 0.01}
"""Units of the platform's acceleration, translational, in m/s² (ISO 80000-3, standard gravity)."""
FACTOR_MAX = 1e15
"""Largest scale or bias; beyond it is a mistake, and would overflow."""


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Map of a column to a coordinate: value = unit * (raw - bias) * scale."""

    axis: str
    """Coordinate: x, y, z, alpha, beta or gamma."""
    column: str
    """Name of the column."""
    unit: str
    """Unit: m, cm, mm, um, in, ft, or m_s, cm_s, mm_s, or m_s2, g, gal for a translation; rad, deg
    or mrad for a rotation."""
    scale: float = 1.0
    """Factor, for instance -1 where the recording points the other way."""
    bias: float = 0.0
    """Raw value that means zero, in the unit of the column."""
    file: Path | None = None
    """File of the column, if not the recording's own."""

    def __post_init__(self) -> None:
        """Refuse an axis, a unit or a number that cannot be."""
        if self.axis not in AXES:
            text = f"column {self.column!r}: axis is {self.axis!r}"
            raise MotionError(f"{text}, it must be one of {', '.join(AXES)}")
        units = all_units_of(self.axis)
        if self.unit not in units:
            text = f"column {self.column!r}: unit is {self.unit!r}, the axis {self.axis}"
            raise MotionError(f"{text} takes {', '.join(units)}")
        for name, value in (("scale", self.scale), ("bias", self.bias)):
            require_number(f"column {self.column!r}: {name}", value, "")
            if abs(value) > FACTOR_MAX:
                text = f"column {self.column!r}: {name} is {value:g}"
                raise MotionError(f"{text}, it must be within +-{FACTOR_MAX:g}")

    @property
    def is_acceleration(self) -> bool:
        """Whether it holds the second derivative of its coordinate."""
        return self.unit in ACCELERATION_UNITS

    @property
    def derivative(self) -> int:
        """Order of its coordinate's derivative: 0, 1 or 2."""
        return 2 if self.is_acceleration else int(self.unit in VELOCITY_UNITS)

    def to_si(self, raw: Floats) -> Floats:
        """Return raw values as deviations from neutral [m or rad] or in m/s, m/s², shape (N,)."""
        return (all_units_of(self.axis)[self.unit] * self.scale) * (raw - self.bias)


@dataclass(frozen=True, slots=True)
class TimeMap:
    """Column of the time in a file."""

    column: str = "t_s"
    """Name of the column."""
    unit: str = "s"
    """Unit: s, ms, us, ns or iso."""

    def __post_init__(self) -> None:
        """Refuse an unknown unit."""
        if self.unit not in TIME_UNITS:
            text = f"time column {self.column!r}: unit is {self.unit!r}"
            raise MotionError(f"{text}, it must be one of {', '.join(TIME_UNITS)}")


SECONDS = TimeMap()
"""Seconds in a column `t_s`."""


def units_of(axis: str) -> dict[str, float]:
    """Units that a coordinate itself may have in a column, in m or rad."""
    return TRANSLATION_UNITS if axis in AXES[:3] else ROTATION_UNITS


def all_units_of(axis: str) -> dict[str, float]:
    """Units that a coordinate's column may have: its own, and those of its derivatives."""
    units = TRANSLATION_UNITS | VELOCITY_UNITS | ACCELERATION_UNITS
    return units if axis in AXES[:3] else ROTATION_UNITS


def check_maps(maps: Sequence[ColumnMap]) -> None:
    """Refuse no column at all, and two for one coordinate.

    Raises:
        MotionError: With the coordinate and its columns.
    """
    if not maps:
        raise MotionError(f"no column is mapped: map at least one of {', '.join(AXES)}")
    for each in maps:
        columns = [other.column for other in maps if other.axis == each.axis]
        if len(columns) > 1:
            raise MotionError(f"axis {each.axis} is mapped to {columns}: one column is needed")

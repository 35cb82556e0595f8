"""Fields of a layout: name, unit and group, marks and records."""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Annotated, Final, Literal

from pydantic import Field

from hil.config.settings import Settings
from hil.config.unit_names import unit_key
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Type = Literal["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"]
CODES: Final[dict[str, str]] = {
    "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
    "f32": "f", "f64": "d",
}  # fmt: skip
"""Types and their letters in `struct`."""

_TIME: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_LENGTH: Final = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
_SPEED: Final = {
    "m_s": 1.0, "cm_s": 0.01, "km_h": 1.0 / 3.6, "mph": 0.44704, "kn": 1852.0 / 3600.0,
    "ft_s": 0.3048,
}  # fmt: skip
_ACCELERATION: Final = {"m_s2": 1.0, "g": GRAVITY_M_S2, "gal": 0.01, "ft_s2": 0.3048}
_ANGLE: Final = {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180.0}
_RATE: Final = {"rad_s": 1.0, "deg_s": math.pi / 180.0}
_TURNING: Final = {"rad_s2": 1.0, "deg_s2": math.pi / 180.0}
_PURE: Final = {"1": 1.0}

BODY: Final = ("forward", "right", "down")
WORLD: Final = ("north", "east", "down")
ANGLES: Final = ("roll", "pitch", "heading")
GROUPS: Final[dict[str, tuple[tuple[str, ...], dict[str, float]]]] = {
    "force": (tuple(f"force_{one}" for one in BODY), _ACCELERATION),
    "acceleration": (tuple(f"acceleration_{one}" for one in BODY), _ACCELERATION),
    "world acceleration": (tuple(f"world_acceleration_{one}" for one in WORLD), _ACCELERATION),
    "rates": (("roll_rate", "pitch_rate", "yaw_rate"), _RATE),
    "rates' derivatives": (
        ("roll_acceleration", "pitch_acceleration", "yaw_acceleration"), _TURNING,
    ),
    "angles": (ANGLES, _ANGLE),
    "directions": (
        tuple(f"{axis}_{one}" for axis in ("forward", "right") for one in WORLD), _PURE,
    ),
    "velocity": (tuple(f"velocity_{one}" for one in BODY), _SPEED),
    "world velocity": (tuple(f"world_velocity_{one}" for one in WORLD), _SPEED),
    "position": (tuple(f"position_{one}" for one in WORLD), _LENGTH),
    "pose": (tuple(f"pose_{one}" for one in BODY), _LENGTH),
    "time": (("time",), _TIME),
    "sequence": (("sequence",), _PURE),
    "flags": (("paused", "running", "replay", "reset", "end", "ground"), _PURE),
}  # fmt: skip
"""Groups of fields, each of which is given whole, and their units with the factor to SI."""
PARTLY: Final = frozenset({"force", "acceleration", "flags"})
"""Groups of which some may be left out: missing parts of a force follow from the velocity."""
ONE_OF: Final = (
    ("force", "acceleration", "world acceleration"), ("angles", "directions"),
    ("velocity", "world velocity"), ("position", "pose"),
)  # fmt: skip
UNITS: Final = {name: units for names, units in GROUPS.values() for name in names}
_WRITTEN: Final = {"rad/s2": "rad_s2", "rad/s²": "rad_s2", "deg/s2": "deg_s2", "deg/s²": "deg_s2"}

MOST_BYTES: Final = 65_507
"""Largest datagram [bytes] (RFC 768 and 791)."""
At = Annotated[int, Field(ge=0, lt=MOST_BYTES)]


class PacketMark(Settings):
    """A value that distinguishes packets."""

    at: At
    """Byte offset, or column, from 0."""
    type: Type | None = None
    """Type of a value of bytes; left out for a column of text."""
    value: float | int
    """Value that the packet has there."""


class LayoutField(Settings):
    """Table ``[fields.NAME]``: place of a field, and its unit."""

    at: At
    """Byte offset, or column, from 0; with `record`, from where its record begins."""
    type: Type | None = None
    """Type of a field of bytes: i8 to u64, f32, f64; left out for a column of text."""
    unit: str
    """Unit of the number once it is multiplied by `factor`, such as m/s, g, deg; 1 for none."""
    factor: Annotated[float, Field(ge=-1e9, le=1e9)] = 1.0
    """Factor on the number: -1 where the wire's axis points the other way [1]."""
    record: bool = False
    """Whether each of several records has the field (`[record]`)."""


class RecordSettings(Settings):
    """Table ``[record]``: the byte that selects one of several vehicles in a packet."""

    index_at: At
    """Byte offset of the unsigned byte that has the number of the record, from 0."""
    start: At
    """Byte offset of the first record."""
    bytes: Annotated[int, Field(ge=1, lt=MOST_BYTES)]
    """Length of a record."""
    count: Annotated[int, Field(ge=1, le=256)]
    """Number of records."""


def key_of(unit: str) -> str:
    """Return the key of a unit, of how it is spelled; empty if it is not known."""
    bare = unit.strip()
    return unit_key(bare) or _WRITTEN.get(bare, bare)


def groups_of(fields: Container[str]) -> dict[str, list[str]]:
    """Return the names of fields that are there, by their groups."""
    found = {
        group: [name for name in names if name in fields] for group, (names, _) in GROUPS.items()
    }
    return {group: names for group, names in found.items() if names}

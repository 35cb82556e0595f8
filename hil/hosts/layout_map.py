"""What a map of `kind = "layout"` says: where each field of a packet stands, and what it is.

Nothing is guessed: type, byte order and unit are said, or the map is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from hil.config.settings import Settings
from hil.config.unit_names import unit_key
from hil.hosts.maps import MapSettings
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Type = Literal["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"]
CODES: Final[dict[str, str]] = {
    "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
    "f32": "f", "f64": "d",
}  # fmt: skip
"""Types and their letters in `struct`."""

MOST_BYTES: Final = 65_507
"""No datagram is longer (RFC 768 and 791)."""
At = Annotated[int, Field(ge=0, lt=MOST_BYTES)]

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
"""What fields may be, in groups that are told whole, and their units with what each is in SI."""
_PARTLY: Final = frozenset({"force", "acceleration", "flags"})
"""Groups of which some may be left out: what is not told of a force follows from the velocity."""
_ONE_OF: Final = (
    ("force", "acceleration", "world acceleration"), ("angles", "directions"),
    ("velocity", "world velocity"), ("position", "pose"),
)  # fmt: skip
_UNITS: Final = {name: units for names, units in GROUPS.values() for name in names}
_WRITTEN: Final = {"rad/s2": "rad_s2", "rad/s²": "rad_s2", "deg/s2": "deg_s2", "deg/s²": "deg_s2"}


class PacketMark(Settings):
    """A value that tells packets apart."""

    at: At
    """Byte offset, or column, from 0."""
    type: Type | None = None
    """Of a value of bytes; left out for a column of text."""
    value: float | int
    """What stands there."""


class LayoutField(Settings):
    """Table ``[fields.NAME]``: where a field stands, and its unit."""

    at: At
    """Byte offset, or column, from 0; with `record`, from where its record begins."""
    type: Type | None = None
    """Of a field of bytes: i8 to u64, f32, f64; left out for a column of text."""
    unit: str
    """That the number has once it is multiplied by `factor`, such as m/s, g, deg; 1 for none."""
    factor: Annotated[float, Field(ge=-1e9, le=1e9)] = 1.0
    """What the number is multiplied by: -1 where the wire's axis points the other way [1]."""
    record: bool = False
    """Whether it stands in each of several records (`[record]`)."""


class RecordSettings(Settings):
    """Table ``[record]``: of several vehicles in a packet a byte says which is meant."""

    index_at: At
    """Byte offset of the unsigned byte that has the number of the record, from 0."""
    start: At
    """Byte offset of the first record."""
    bytes: Annotated[int, Field(ge=1, lt=MOST_BYTES)]
    """Length of a record."""
    count: Annotated[int, Field(ge=1, le=256)]
    """How many there are."""


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field as a codec needs it."""

    at: int
    type: Type | None
    record: bool
    scale: float
    """From the number on the wire to SI."""


class LayoutSettings(MapSettings):
    """Map of a wire of one's own."""

    kind: Literal["layout"] = "layout"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    port: Annotated[int, Field(ge=1, le=65535)]
    """UDP port that it is sent to, unless the scenario says another."""
    length: Annotated[int, Field(ge=1, le=MOST_BYTES)]
    """Of a packet: bytes, or columns of text."""
    endian: Literal["little", "big"] | None = None
    """Byte order of packets of bytes."""
    separator: Annotated[str, Field(min_length=1, max_length=4)] | None = None
    """What stands between two columns, of packets that are a line of text; left out: bytes."""
    magic: Annotated[tuple[PacketMark, ...], Field(max_length=16)] = ()
    """Values that every packet of the wire has; others are none of it."""
    only: Annotated[tuple[PacketMark, ...], Field(max_length=16)] = ()
    """Values of the packets that are meant; the wire's others are set aside."""
    record: RecordSettings | None = None
    """Where the fields stand that each of several vehicles has."""
    fields: Annotated[dict[str, LayoutField], Field(min_length=1, max_length=64)]
    """What stands where, by what it is."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        _check_names(self)
        _check_groups(self)
        if self.separator is None:
            _check_bytes(self)
        else:
            _check_columns(self)
        return self


def fields_of(settings: LayoutSettings) -> dict[str, FieldPlace]:
    """Fields by name, in the order in which they stand, those of records last."""
    placed = {
        name: FieldPlace(one.at, one.type, one.record, one.factor * _UNITS[name][_key(one.unit)])
        for name, one in settings.fields.items()
    }
    return dict(sorted(placed.items(), key=lambda pair: (pair[1].record, pair[1].at)))


def tells_by_map(settings: LayoutSettings) -> frozenset[str]:
    """Names of fields of `VehicleState` that packets of a layout tell."""
    of = {
        "force": "f_m_s2", "acceleration": "f_m_s2", "world acceleration": "f_m_s2",
        "rates": "omega_rad_s", "rates' derivatives": "domega_rad_s2", "angles": "attitude",
        "directions": "attitude", "velocity": "v_m_s", "world velocity": "v_m_s",
        "position": "position_m", "pose": "position_m", "time": "t_s", "sequence": "sequence",
    }  # fmt: skip
    there = _groups(settings)
    told = {of[group] for group in there if group in of}
    flags = {"running": "PAUSED"}
    told |= {f"flags.{flags.get(name, name.upper())}" for name in there.get("flags", ())}
    return frozenset(told | ({"flags.POSE"} if "pose" in there else set[str]()))


# --- what is refused ------------------------------------------------------------------------------


def _key(unit: str) -> str:
    """The key of a unit, of how it is spelled; empty if it is not known."""
    bare = unit.strip()
    return unit_key(bare) or _WRITTEN.get(bare, bare)


def _groups(settings: LayoutSettings) -> dict[str, list[str]]:
    """Names of fields that are there, by their groups."""
    found = {
        group: [name for name in names if name in settings.fields]
        for group, (names, _) in GROUPS.items()
    }
    return {group: names for group, names in found.items() if names}


def _written(settings: LayoutSettings) -> list[tuple[str, PacketMark | LayoutField]]:
    """All that stands in a packet, with its key."""
    found: list[tuple[str, PacketMark | LayoutField]] = [
        (f"{key}.{k}", one)
        for key, marks in (("magic", settings.magic), ("only", settings.only))
        for k, one in enumerate(marks)
    ]
    return found + [(f"fields.{name}", one) for name, one in settings.fields.items()]


def _check_names(settings: LayoutSettings) -> None:
    for name, one in settings.fields.items():
        if name not in _UNITS:
            raise ValueError(f"fields.{name}: no field is called so; there are {', '.join(_UNITS)}")
        units = _UNITS[name]
        if _key(one.unit) not in units:
            raise ValueError(
                f"fields.{name}.unit = {one.unit!r}: it must be one of {', '.join(units)}"
            )
        if one.factor == 0.0:
            raise ValueError(f"fields.{name}.factor = 0: nothing would be left; leave it out for 1")
    if {"paused", "running"} <= settings.fields.keys():
        raise ValueError("fields.running: paused says the same; keep one of them")


def _check_groups(settings: LayoutSettings) -> None:
    there = _groups(settings)
    for group, found in there.items():
        missing = [name for name in GROUPS[group][0] if name not in found]
        if missing and group not in _PARTLY:
            raise ValueError(
                f"fields.{missing[0]} is left out: {', '.join(GROUPS[group][0])} go together"
            )
    for one_of in _ONE_OF:
        both = [group for group in one_of if group in there]
        if len(both) > 1:
            name = there[both[1]][0]
            raise ValueError(f"fields.{name}: {both[0]} is told already; keep one of the two")
    turned = "angles" in there or "directions" in there
    for group in ("acceleration", "world acceleration", "world velocity"):
        if group in there and not turned:
            raise ValueError(
                f"fields.{there[group][0]}: where gravity and north are an attitude must tell; add "
                "roll, pitch, heading, or forward_… and right_…"
            )
    if "pose" in there:
        if "angles" not in there or there.keys() & {"force", "rates", "velocity", "acceleration"}:
            raise ValueError(
                "fields.pose_forward: a pose is pose_… and roll, pitch, heading, and no motion "
                "of a vehicle beside it"
            )
        return
    moves = {"force", "acceleration", "world acceleration", "velocity", "world velocity"}
    if not there.keys() & (moves | {"position"}):
        raise ValueError(
            "fields: no motion is told; force_…, acceleration_…, velocity_… or position_… is needed"
        )


def _check_bytes(settings: LayoutSettings) -> None:
    if settings.endian is None:
        raise ValueError('endian is left out: "little" or "big" is needed, or a separator of text')
    record, spans = settings.record, list[tuple[bool, int, int, str]]()
    if record is not None:
        end = record.start + record.count * record.bytes
        if end > settings.length:
            raise ValueError(f"record: it ends at {end}, the packet at length = {settings.length}")
        if record.index_at >= settings.length:
            raise ValueError(
                f"record.index_at = {record.index_at}: it must be below length = {settings.length}"
            )
    for place, one in _written(settings):
        if one.type is None:
            raise ValueError(f"{place}.type is left out; there are {', '.join(CODES)}")
        within, of = settings.length, "length"
        if isinstance(one, LayoutField) and one.record:
            if record is None:
                raise ValueError(f"{place}.record: there is no table [record]")
            within, of = record.bytes, "record.bytes"
        end = one.at + int(one.type[1:]) // 8
        if end > within:
            raise ValueError(
                f"{place}.at = {one.at}: {one.type} ends at {end}, beyond {of} = {within}"
            )
        if isinstance(one, LayoutField):
            spans.append((one.record, one.at, end, place))
    spans.sort()
    for (mine, _, end, first), (other, at, _, second) in pairwise(spans):
        if mine == other and at < end:
            raise ValueError(f"{second}.at = {at}: {first} goes on to {end}")


def _check_columns(settings: LayoutSettings) -> None:
    separator = settings.separator or ""
    if not separator.isascii() or any(one in "0123456789+-.eE" for one in separator):
        raise ValueError(
            f"separator = {separator!r}: ASCII is needed that no number has, such as ',' or '\\t'"
        )
    if settings.endian is not None:
        raise ValueError("endian: a line of text has no byte order; leave it out")
    if settings.record is not None:
        raise ValueError("record: a line of text is of one vehicle; leave it out")
    taken: dict[int, str] = {}
    for place, one in _written(settings):
        if one.type is not None:
            raise ValueError(f"{place}.type: a column of text has none; leave it out")
        if one.at >= settings.length:
            raise ValueError(
                f"{place}.at = {one.at}: it must be below length = {settings.length} columns"
            )
        if place.startswith("fields.") and taken.setdefault(one.at, place) != place:
            raise ValueError(f"{place}.at = {one.at}: {taken[one.at]} is that column")

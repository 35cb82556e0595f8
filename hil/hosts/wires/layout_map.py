"""What a map of `kind = "layout"` says: where each field of a packet stands, and what it is.

Nothing is guessed: type, byte order and unit are said, or the map is refused; so is one that
contradicts itself, or has fields outside of its packet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hil.hosts.maps import MapSettings
from hil.hosts.wires.layout_fields import (
    CODES,
    GROUPS,
    MOST_BYTES,
    ONE_OF,
    PARTLY,
    UNITS,
    LayoutField,
    PacketMark,
    RecordSettings,
    Type,
    groups_of,
    key_of,
)  # fmt: skip
from hil.hosts.wires.unverifiable_signs import fields_without_check, unseen_text


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

    signs_seen: Annotated[str, Field(max_length=1000)] = ""
    """How the signs are known that nothing in a packet can contradict: who looked, and when, or the
    document that says them. Left out, a layout that has such fields is not followed."""

    def unseen(self) -> str:
        """Which signs nothing judges, and nobody has looked at."""
        return "" if self.signs_seen.strip() else unseen_text(fields_without_check(self.fields))

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
        name: FieldPlace(one.at, one.type, one.record, one.factor * UNITS[name][key_of(one.unit)])
        for name, one in settings.fields.items()
    }
    return dict(sorted(placed.items(), key=lambda pair: (pair[1].record, pair[1].at)))


def fields_by_map(settings: LayoutSettings) -> frozenset[str]:
    """Names of fields of `VehicleState` that packets of a layout tell."""
    of = {
        "force": "f_m_s2", "acceleration": "f_m_s2", "world acceleration": "f_m_s2",
        "rates": "omega_rad_s", "rates' derivatives": "domega_rad_s2", "angles": "attitude",
        "directions": "attitude", "velocity": "v_m_s", "world velocity": "v_m_s",
        "position": "position_m", "pose": "position_m", "time": "t_s", "sequence": "sequence",
    }  # fmt: skip
    there = groups_of(settings.fields)
    fields = {of[group] for group in there if group in of}
    flags = {"running": "PAUSED"}
    fields |= {f"flags.{flags.get(name, name.upper())}" for name in there.get("flags", ())}
    return frozenset(fields | ({"flags.POSE"} if "pose" in there else set[str]()))


# --- what in a map cannot be -------------------------------------------------------------------


def _written(settings: LayoutSettings) -> list[tuple[str, PacketMark | LayoutField]]:
    """All that stands in a packet, with its key."""
    found: list[tuple[str, PacketMark | LayoutField]] = [
        (f"{key}.{k}", one)
        for key, marks in (("magic", settings.magic), ("only", settings.only))
        for k, one in enumerate(marks)
    ]
    return found + [(f"fields.{name}", one) for name, one in settings.fields.items()]


def _check_names(settings: LayoutSettings) -> None:
    """Refuse a field or a unit that there is not.

    Raises:
        ValueError: with the key, its value and what would be right.
    """
    for name, one in settings.fields.items():
        if name not in UNITS:
            raise ValueError(f"fields.{name}: no field is called so; there are {', '.join(UNITS)}")
        units = UNITS[name]
        if key_of(one.unit) not in units:
            raise ValueError(
                f"fields.{name}.unit = {one.unit!r}: it must be one of {', '.join(units)}"
            )
        if one.factor == 0.0:
            raise ValueError(f"fields.{name}.factor = 0: nothing would be left; leave it out for 1")
    if {"paused", "running"} <= settings.fields.keys():
        raise ValueError("fields.running: paused says the same; keep one of them")


def _check_groups(settings: LayoutSettings) -> None:
    """Refuse groups that are not whole, that contradict each other, or that tell no motion.

    Raises:
        ValueError: with the key, its value and what would be right.
    """
    there = groups_of(settings.fields)
    for group, found in there.items():
        missing = [name for name in GROUPS[group][0] if name not in found]
        if missing and group not in PARTLY:
            raise ValueError(
                f"fields.{missing[0]} is left out: {', '.join(GROUPS[group][0])} go together"
            )
    for one_of in ONE_OF:
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
    """Refuse bytes that are not in the packet, or stand twice.

    Raises:
        ValueError: with the key, its value and what would be right.
    """
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
    """Refuse columns that are not in the line, or stand twice.

    Raises:
        ValueError: with the key, its value and what would be right.
    """
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

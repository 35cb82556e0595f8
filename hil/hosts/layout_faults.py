"""What in a map of a layout cannot be: what contradicts itself, or stands outside of its packet."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hil.hosts.layout_fields import (
    CODES,
    GROUPS,
    ONE_OF,
    PARTLY,
    UNITS,
    LayoutField,
    PacketMark,
    groups_of,
    key_of,
)

if TYPE_CHECKING:
    from hil.hosts.layout_map import LayoutSettings


def _written(settings: LayoutSettings) -> list[tuple[str, PacketMark | LayoutField]]:
    """All that stands in a packet, with its key."""
    found: list[tuple[str, PacketMark | LayoutField]] = [
        (f"{key}.{k}", one)
        for key, marks in (("magic", settings.magic), ("only", settings.only))
        for k, one in enumerate(marks)
    ]
    return found + [(f"fields.{name}", one) for name, one in settings.fields.items()]


def check_names(settings: LayoutSettings) -> None:
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


def check_groups(settings: LayoutSettings) -> None:
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


def check_bytes(settings: LayoutSettings) -> None:
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


def check_columns(settings: LayoutSettings) -> None:
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

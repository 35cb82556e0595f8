"""What a map of `kind = "layout"` says: where each field of a packet stands, and what it is.

Nothing is guessed: type, byte order and unit are said, or the map is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hil.hosts.layout_faults import check_bytes, check_columns, check_groups, check_names
from hil.hosts.layout_fields import (
    MOST_BYTES,
    UNITS,
    LayoutField,
    PacketMark,
    RecordSettings,
    Type,
    groups_of,
    key_of,
)
from hil.hosts.maps import MapSettings
from hil.hosts.unjudged import unjudged_fields, unseen_text


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
        return "" if self.signs_seen.strip() else unseen_text(unjudged_fields(self.fields))

    @model_validator(mode="after")
    def _whole(self) -> Self:
        check_names(self)
        check_groups(self)
        if self.separator is None:
            check_bytes(self)
        else:
            check_columns(self)
        return self


def fields_of(settings: LayoutSettings) -> dict[str, FieldPlace]:
    """Fields by name, in the order in which they stand, those of records last."""
    placed = {
        name: FieldPlace(one.at, one.type, one.record, one.factor * UNITS[name][key_of(one.unit)])
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
    there = groups_of(settings.fields)
    told = {of[group] for group in there if group in of}
    flags = {"running": "PAUSED"}
    told |= {f"flags.{flags.get(name, name.upper())}" for name in there.get("flags", ())}
    return frozenset(told | ({"flags.POSE"} if "pose" in there else set[str]()))

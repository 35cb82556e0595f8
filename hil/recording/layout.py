"""What the recorder and the reader must know of a station's frame: one value a station."""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hil.recording.frame import Field
from hil.recording.header import RunHeader

STATION_KEY: Final = "station"
"""Fact of a run's header that names the station; a header without it is the platform's."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Binary frame of a station, its JSON, and its names.

    Args:
        station: name of the station, first part of its topics.
        schema_name: name of the cycle's schema in the file.
        fields: the frame's table, `index` and `t_s` first.
        codes: fields whose codes `RunHeader.modes` and `RunHeader.actions` name.
        pose_keys: keys of a pose, of which fields are made whose name ends in `_pose`.
        places: field → group and key in the JSON; what is not here is at the top.
        message: a frame's values and the header → JSON of a cycle.
        schema: → JSON schema of that.
        transforms: a frame's values and its time [ns] → JSON of its poses, None without any.
        column_names: a field of several values that is no pose → its columns' names in a CSV.
        first_index: number of the first cycle of a run.
    """

    station: str
    schema_name: str
    fields: tuple[Field, ...]
    codes: tuple[str, str]
    pose_keys: tuple[str, ...]
    places: Mapping[str, tuple[str | None, str]]
    message: Callable[[tuple[Any, ...], RunHeader], bytes]
    schema: Callable[[], bytes]
    transforms: Callable[[tuple[Any, ...], int], bytes | None]
    column_names: Callable[[Field], list[str]]
    first_index: int = 0
    frame: struct.Struct = field(init=False, repr=False)
    values: int = field(init=False)
    """Numbers in a frame."""

    def __post_init__(self) -> None:
        code = "<" + "".join(f"{row.count}{row.code}" for row in self.fields)
        object.__setattr__(self, "frame", struct.Struct(code))
        object.__setattr__(self, "values", sum(row.count for row in self.fields))

    @property
    def cycle_topic(self) -> str:
        """Where the cycles are."""
        return f"/{self.station}/cycle"

    @property
    def event_topic(self) -> str:
        """Where the events are."""
        return f"/{self.station}/events"

    @property
    def tf_topic(self) -> str:
        """Where the poses are."""
        return f"/{self.station}/tf"

    @property
    def topics(self) -> tuple[str, str, str]:
        """In the order of the channels' numbers, from 1."""
        return self.cycle_topic, self.event_topic, self.tf_topic

    def columns(self) -> list[str]:
        """Names of a CSV's columns, in the order of the frame; each says its unit."""
        names: list[str] = []
        for row in self.fields:
            if row.name.endswith("_pose"):
                names += [f"{row.name.removesuffix('_pose')}_{key}" for key in self.pose_keys]
            elif row.count > 1:
                names += self.column_names(row)
            else:
                names.append(row.name)
        return names

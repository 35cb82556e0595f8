"""The stations whose runs can be recorded, and how a recording tells which it is of."""

from collections.abc import Mapping
from typing import Any, Final

from hil.recording import messages
from hil.recording.arm_frame import ARM
from hil.recording.frame import FIELDS, Field
from hil.recording.header import RecordingError
from hil.recording.layout import STATION_KEY, Layout


def _leg_columns(row: Field) -> list[str]:
    group, quantity, unit = row.name.split("_", 2)
    return [f"{group}_{quantity}_leg{leg}_{unit}" for leg in range(1, row.count + 1)]


def _platform_transforms(flat: tuple[Any, ...], log_time_ns: int) -> bytes | None:
    return messages.transforms_message(flat[8:14], flat[62:68], log_time_ns)


PLATFORM: Final = Layout(
    station="platform",
    schema_name="hil.PlatformCycle",
    fields=FIELDS,
    codes=("mode", "action"),
    pose_keys=messages.POSE_KEYS,
    places=messages.PLACES,
    message=messages.cycle_message,
    schema=messages.cycle_schema,
    transforms=_platform_transforms,
    column_names=_leg_columns,
)
"""Of the platform: `hil.recording.frame`."""

LATER: Final = frozenset({"measured_lag_s", "watched"})
"""Fields that came to a layout after the first recordings of it: absent there, so not a number."""

LAYOUTS: Final = {layout.station: layout for layout in (PLATFORM, ARM)}
"""By the name of the station."""


def told(raw: Mapping[str, Any], layout: Layout, row: Field) -> Any:
    """What the JSON of a cycle tells of a field: a value, or as many as the field has.

    Raises:
        KeyError: if it is not there, and was there in every recording.
    """
    group, key = layout.places.get(row.name, (None, row.name))
    source = raw if group is None else raw[group]
    if row.name in LATER and key not in source:
        return None if row.count == 1 else [None] * row.count
    return source[key]


def layout_of(metadata: Mapping[str, str]) -> Layout:
    """The layout of a run's frames, by the facts of its header.

    Raises:
        RecordingError: if it is of a station that is not known here.
    """
    station = metadata.get(STATION_KEY, PLATFORM.station)
    if station not in LAYOUTS:
        raise RecordingError(f"a recording of station {station!r}; known are {', '.join(LAYOUTS)}")
    return LAYOUTS[station]

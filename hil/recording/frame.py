"""What the loop hands to the recorder: one fixed binary frame per cycle, and events as JSON.

`FIELDS` is the one table from which the binary layout, the reader's columns and the names of the
CSV are all made. Not a number (NaN) in a frame means "not there this cycle".
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum, IntFlag
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import orjson

Six = tuple[float, float, float, float, float, float]

_NAN: Final = math.nan
NAN6: Final[Six] = (_NAN, _NAN, _NAN, _NAN, _NAN, _NAN)
"""Six values that are not there."""


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the frame's table: name, `struct` code, how many, unit of each."""

    name: str
    code: str
    count: int
    unit: str


FIELDS: Final[tuple[Field, ...]] = (
    Field("index", "Q", 1, "1"),  # number of the cycle
    Field("t_s", "d", 1, "s"),  # motion time
    Field("dt_s", "d", 1, "s"),  # time since the last tick
    Field("late_s", "d", 1, "s"),  # wake-up minus deadline
    Field("busy_s", "d", 1, "s"),  # compute time of the previous cycle; 0 on the virtual clock
    Field("mode", "B", 1, "code"),  # mode of the bench, named by the header
    Field("action", "B", 1, "code"),  # what the gate did, named by the header
    Field("flags", "H", 1, "bits"),  # CycleFlag
    Field("wanted_pose", "d", 6, "m,rad"),  # x, y, z, alpha, beta, gamma of X_BP
    Field("asked_length_m", "d", 6, "m"),  # what control asked of the gate
    Field("asked_speed_m_s", "d", 6, "m/s"),
    Field("allowed_length_m", "d", 6, "m"),  # what the gate allowed
    Field("allowed_speed_m_s", "d", 6, "m/s"),
    Field("sent_length_m", "d", 6, "m"),  # what the bank says it put on the wire
    Field("measured_length_m", "d", 6, "m"),
    Field("measured_speed_m_s", "d", 6, "m/s"),
    Field("measured_force_n", "d", 6, "N"),
    Field("reached_pose", "d", 6, "m,rad"),  # forward kinematics of the measured lengths
    Field("reached_residual_m", "d", 1, "m"),  # its largest leg length error
    Field(
        "measured_inputs_bits", "d", 6, "bits"
    ),  # digital inputs of each drive (60FDh); NaN if not read
    Field("measured_lag_s", "d", 1, "s"),  # greatest lag of a leg behind its command
)

FRAME: Final = struct.Struct("<" + "".join(f"{f.count}{f.code}" for f in FIELDS))
"""Little-endian, unpadded: the same bytes on every machine."""

CYCLE_KIND: Final = 1
EVENT_KIND: Final = 2
MAX_EVENT_BYTES: Final = 1000


class CycleFlag(IntFlag):
    """Bits of the frame's `flags`: facts of one cycle that are true or not."""

    OVERRUN = 1  # at least one deadline was given up before this cycle
    FEEDBACK_STALE = 2  # a leg's feedback frame did not arrive
    FORWARD_FAILED = 4  # the reached pose did not converge
    FAULT_LATCHED = 8
    STOP_ASKED = 16  # a signal or the operator asked for the end of the run


class CycleFrame(NamedTuple):
    """One cycle, asked, allowed, sent and measured side by side; units are those of `FIELDS`.

    A named tuple, so that it unpacks into the arguments of `pack_into`.
    """

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]  # hides tuple.index, unused
    t_s: float
    dt_s: float
    late_s: float
    busy_s: float
    mode: int
    action: int
    flags: int = 0
    wanted_pose: Six = NAN6
    asked_length_m: Six = NAN6
    asked_speed_m_s: Six = NAN6
    allowed_length_m: Six = NAN6
    allowed_speed_m_s: Six = NAN6
    sent_length_m: Six = NAN6
    measured_length_m: Six = NAN6
    measured_speed_m_s: Six = NAN6
    measured_force_n: Six = NAN6
    reached_pose: Six = NAN6
    reached_residual_m: float = math.nan
    measured_inputs_bits: Six = NAN6
    measured_lag_s: float = math.nan


def pack_into(
    buffer: bytearray | memoryview,
    offset: int,
    index: int,
    t_s: float,
    dt_s: float,
    late_s: float,
    busy_s: float,
    mode: int,
    action: int,
    flags: int,
    wanted_pose: Sequence[float],
    asked_length_m: Sequence[float],
    asked_speed_m_s: Sequence[float],
    allowed_length_m: Sequence[float],
    allowed_speed_m_s: Sequence[float],
    sent_length_m: Sequence[float],
    measured_length_m: Sequence[float],
    measured_speed_m_s: Sequence[float],
    measured_force_n: Sequence[float],
    reached_pose: Sequence[float],
    reached_residual_m: float,
    measured_inputs_bits: Sequence[float],
    measured_lag_s: float,
) -> None:
    """Write one frame as `FRAME.size` bytes; `pack_into(buffer, offset, *frame)` does for a tuple.

    The bytes go into `buffer` from `offset` on. What follows are the fields of `CycleFrame`; groups
    are tuples or lists of six Python floats (an array's `.tolist()`), which pack several times
    faster than NumPy scalars.

    Raises:
        struct.error: if a group is not of six values, a code does not fit or the buffer is short.
    """
    FRAME.pack_into(
        buffer,
        offset,
        index,
        t_s,
        dt_s,
        late_s,
        busy_s,
        mode,
        action,
        flags,
        *wanted_pose,
        *asked_length_m,
        *asked_speed_m_s,
        *allowed_length_m,
        *allowed_speed_m_s,
        *sent_length_m,
        *measured_length_m,
        *measured_speed_m_s,
        *measured_force_n,
        *reached_pose,
        reached_residual_m,
        *measured_inputs_bits,
        measured_lag_s,
    )


def unpack(payload: bytes | memoryview) -> CycleFrame:
    """Read one frame back.

    Args:
        payload: exactly `FRAME.size` bytes.

    Raises:
        struct.error: if the size is another one.
    """
    flat = FRAME.unpack(payload)
    values: list[Any] = []
    start = 0
    for row in FIELDS:
        values.append(flat[start] if row.count == 1 else flat[start : start + row.count])
        start += row.count
    return CycleFrame._make(values)


class EventKind(Enum):
    """What an event tells of."""

    MODE = "mode"
    VIOLATION = "violation"
    FAULT = "fault"
    NOTE = "note"


class Level(IntEnum):
    """Weight of an event; the numbers are those of Foxglove's `foxglove.Log` schema."""

    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5


@dataclass(frozen=True, slots=True)
class EventRecord:
    """Something that happened in a cycle and is worth a line.

    Args:
        t_s: motion time of the cycle [s].
        index: number of the cycle.
        kind: what sort of thing.
        level: its weight.
        name: who says so, such as "gate" or "loop".
        message: the line for a person.
        data: the same for a program: check, leg, value, limit, unit; JSON scalars only.
    """

    t_s: float
    index: int
    kind: EventKind
    level: Level
    name: str
    message: str
    data: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", MappingProxyType(dict(self.data)))

    def to_bytes(self) -> bytes:
        """Return JSON of at most `MAX_EVENT_BYTES`.

        The rare event that is too long loses its data first and then the end of its message: a
        shortened event is better than one that does not fit into the ring.
        """
        encoded = self._encode(self.message, dict(self.data))
        if len(encoded) <= MAX_EVENT_BYTES:
            return encoded
        without_data = self._encode(self.message, {})
        if len(without_data) <= MAX_EVENT_BYTES:
            return without_data
        message = self.message[:MAX_EVENT_BYTES]
        while len(without_data) > MAX_EVENT_BYTES:
            message = message[: len(message) * 3 // 4]
            without_data = self._encode(message + "…", {}, self.name[:32])
        return without_data

    def _encode(self, message: str, data: dict[str, Any], name: str | None = None) -> bytes:
        return orjson.dumps(
            {
                "t_s": self.t_s,
                "index": self.index,
                "kind": self.kind.value,
                "level": int(self.level),
                "name": _printable(self.name if name is None else name),
                "message": _printable(message),
                "data": data,
            }
        )

    @classmethod
    def from_bytes(cls, payload: bytes | memoryview) -> EventRecord:
        """Read an event back.

        Raises:
            ValueError: if it is not JSON or not an event (a missing key is named).
        """
        return cls.from_mapping(orjson.loads(payload))

    @classmethod
    def from_mapping(cls, raw: Mapping[str, Any]) -> EventRecord:
        """Make an event of JSON values; keys that are not an event's are passed over.

        Raises:
            ValueError: if they are not an event's (a missing key is named).
        """
        try:
            return cls(
                t_s=float(raw["t_s"]),
                index=int(raw["index"]),
                kind=EventKind(raw["kind"]),
                level=Level(raw["level"]),
                name=str(raw["name"]),
                message=str(raw["message"]),
                data=dict(raw["data"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an event of a recording: {error!r} in {raw!r:.200}") from error


def _printable(text: str) -> str:
    """Replace what UTF-8 cannot hold, such as the stray bytes of a file name in an OS error."""
    return text.encode("utf-8", "replace").decode("utf-8")

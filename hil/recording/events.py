"""Events of a run that are worth a line: their bytes in the ring and in the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Final, Self

import orjson

from hil.recording.cdr import CdrReader, CdrWriter
from hil.timing.clock import Moment

ROWS: Final = 1
"""Kind of an entry of a ring, and number of its channel in a file: rows, events, poses."""
EVENTS: Final = 2
POSES: Final = 3

MAX_EVENT_BYTES: Final = 1000
MAX_TIME_S: Final = 2.0**31
"""Seconds of a time stamp are of 31 bits."""

CLOCK_NAME: Final = "clock"
"""Name of the event that dates the first cycle."""
SIMULATED_KEY: Final = "simulated"
"""Key in the data of the event of an emulated controller behind a wire."""


class EventKind(Enum):
    """Kind of an event."""

    MODE = "mode"
    VIOLATION = "violation"
    FAULT = "fault"
    NOTE = "note"


class Level(IntEnum):
    """Weight of an event; the numbers are those of Foxglove's `foxglove_msgs/msg/Log`."""

    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5


KINDS: Final = tuple(EventKind)

EVENT_SCHEMA: Final = "foxglove_msgs/msg/Log"
"""Name under which Foxglove's Log panel knows such messages (docs.foxglove.dev, schemas)."""

TIME_TEXT: Final = f"{'=' * 80}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"


def event_text() -> str:
    """Definition of the message: Foxglove's fields, and the event's own beside them."""
    constants = [f"uint8 {level.name}={int(level)}" for level in Level]
    constants += [f"uint8 KIND_{kind.name}={code}" for code, kind in enumerate(KINDS)]
    fields = [
        "builtin_interfaces/Time timestamp",
        "float64 t_s  # motion time",
        "uint64 index  # number of the row",
        "uint8 level",
        "uint8 kind",
        "uint32 line",
        "string file",
        "string name",
        "string message",
        "string data  # JSON",
    ]
    return "\n".join([*constants, *fields]) + "\n" + TIME_TEXT


@dataclass(frozen=True, slots=True)
class EventRecord:
    """Something that happened in a cycle and is worth a line."""

    t_s: float
    index: int
    kind: EventKind
    level: Level
    name: str
    """Name of the source, such as "gate" or "loop"."""
    message: str
    """The line for a person."""
    data: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)
    """The same for a program: check, leg, value, limit, unit; JSON scalars only."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", MappingProxyType(dict(self.data)))

    def to_bytes(self) -> bytes:
        """The event as CDR, of at most `MAX_EVENT_BYTES`.

        The rare event that is too long loses its data first and then the end of its message: a
        shortened event is better than one that does not fit into the ring.
        """
        encoded = _encoded(self)
        if len(encoded) <= MAX_EVENT_BYTES:
            return encoded
        short, message = replace(self, data={}), self.message[:MAX_EVENT_BYTES]
        while len(encoded := _encoded(short)) > MAX_EVENT_BYTES:
            message = message[: len(message) * 3 // 4]
            short = replace(short, name=self.name[:32], message=message + "…")
        return encoded

    @classmethod
    def from_bytes(cls, payload: bytes | memoryview) -> Self:
        """Read an event back; a `ValueError` if it is none."""
        try:
            reader = CdrReader(payload)
            for code in "iI":  # the time stamp, which the motion time gives
                reader.number(code)
            t_s, index = reader.number("d"), int(reader.number("Q"))
            level, kind = Level(int(reader.number("B"))), KINDS[int(reader.number("B"))]
            reader.number("I")
            _, name, message, data = [reader.text() for _ in range(4)]
            return cls(t_s, index, kind, level, name, message, dict(orjson.loads(data)))
        except (ValueError, IndexError, TypeError) as error:
            text = f"not an event of a recording: {error} in {bytes(payload)[:200]!r}"
            raise ValueError(text) from error


def _encoded(event: EventRecord) -> bytes:
    writer = CdrWriter()
    put_time(writer, stamp_ns(event.t_s))
    writer.put("d", event.t_s)
    writer.put("Q", event.index)
    writer.put("B", event.level, KINDS.index(event.kind))
    writer.put("I", 0)
    for text in ("", event.name, event.message, orjson.dumps(dict(event.data)).decode()):
        writer.text(text)
    return writer.message()


def stamp_ns(t_s: float) -> int:
    """Time stamp of a motion time [ns]; of one that cannot be (NaN, before the start), 0."""
    return round(t_s * 1e9) if 0.0 <= t_s < MAX_TIME_S else 0


def put_time(writer: CdrWriter, time_ns: int) -> int:
    """Add a `builtin_interfaces/Time`; its place."""
    sec, nanosec = divmod(time_ns, 1_000_000_000)
    place = writer.put("i", sec)
    writer.put("I", nanosec)
    return place


def clock_event(t_s: float, index: int, moment: Moment) -> EventRecord:
    """The event that pairs a cycle with the calendar and the monotonic clock at its end."""
    text = f"cycle {index} was at {moment.text}"
    data = {"utc": moment.text, "monotonic_s": moment.monotonic_s}
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, CLOCK_NAME, text, data)

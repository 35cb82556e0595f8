"""How a run was struck, and what is left of it: read by nothing of the product's.

The rods are told by the rack; recordings are read by the public MCAP reader, whatever a writer that
was killed has left; the gate's own record and the result are JSON.
"""

import json
import random
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcap.exceptions import McapError
from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory

ROWS, EVENTS = "/platform/rows", "/platform/events"
MODES = ("IDLE", "HOMING", "STANDBY", "ENGAGING", "ENGAGED", "HOLD", "PARKING")
WITHIN_S = {"HOMING": 4.0, "ENGAGING": 0.2, "ENGAGED": 1.5, "PARKING": 0.2}
"""How far into a mode the moment may be drawn [s]; 0.5 s in those where nothing moves."""


@dataclass(frozen=True)
class Case:
    """Who is struck by what, and when.

    Args:
        process: one of `PROCESSES`.
        number: SIGKILL, or SIGSTOP, which SIGCONT follows.
        mode: in which it is struck.
        into_s: time since the mode began [s].
        stopped_s: time between SIGSTOP and SIGCONT [s].
    """

    process: str
    number: signal.Signals
    mode: str
    into_s: float
    stopped_s: float

    def drawn_anew(self, draw: random.Random) -> "Case":
        """The same pair at another moment."""
        into_s = draw.uniform(0.0, WITHIN_S.get(self.mode, 0.5))
        return Case(self.process, self.number, self.mode, into_s, draw.uniform(0.4, 0.9))


@dataclass
class Seen:
    """What is left of a run.

    Args:
        case: how it was struck.
        struck_s: when [monotonic s].
        acted_s: when a person acted next [s].
        moving: when the rack saw rods begin and cease to move.
        modes: when the gate was in which mode, by recording or else by its own record.
        status: exit status of the run.
        result: its JSON; empty if it gave none.
        words: all that result, console, recording and the gate's record say.
        indices: cycles of all files of the recording.
        powered: drives that had power in the end.
    """

    case: Case
    struck_s: float = 0.0
    acted_s: float = 0.0
    moving: list[tuple[float, bool]] = field(default_factory=list)
    modes: list[tuple[float, str]] = field(default_factory=list)
    status: int = 0
    result: dict[str, Any] = field(default_factory=dict)
    words: str = ""
    indices: list[int] = field(default_factory=list)
    parts: int = 0
    powered: bool = False

    @property
    def mode(self) -> str:
        """In which the signal found the gate."""
        return next((mode for at, mode in reversed(self.modes) if at <= self.struck_s), "")


def messages(path: Path) -> Iterator[tuple[str, Any]]:
    """Topic and message of each row and event, up to where a writer that was killed left off.

    Of a row, `mode` is the name that its schema gives the code.
    """
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    factory = DecoderFactory()
    with path.open("rb") as stream, suppress(McapError):
        for record in StreamReader(stream).records:
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
            elif isinstance(record, Message):
                channel = channels[record.channel_id]
                schema = schemas[channel.schema_id]
                decode = factory.decoder_for(channel.message_encoding, schema)
                if channel.topic in (ROWS, EVENTS) and decode is not None:
                    found = decode(record.data)
                    if channel.topic == ROWS:
                        code = rf"^uint8 MODE_(\w+)={found.mode}$"
                        (found.mode,) = re.findall(code, schema.data.decode(), re.MULTILINE)
                    yield channel.topic, found


def gather(seen: Seen, folder: Path) -> None:
    """Read what the run has left on the disk."""
    console = (folder / "console.txt").read_text("utf-8", "replace")
    result = (folder / "result.json").read_text("utf-8", "replace")
    with suppress(ValueError):
        seen.result = json.loads(result)
    words = [console, result]
    began_s = lost_s = before_s = 0.0  # motion time counts cycles: what they took longer is lost
    for path in sorted((folder / "runs").glob("*/*.mcap"), key=lambda each: len(each.name)):
        seen.parts += 1
        for topic, row in messages(path):
            if topic == EVENTS:
                began_s = began_s or json.loads(row.data).get("monotonic_s", 0.0)
                words.append(row.message)
            elif topic == ROWS:
                if seen.indices and row.index == seen.indices[-1] + 1:
                    lost_s += row.dt_s - (row.t_s - before_s)
                before_s = row.t_s
                seen.indices.append(row.index)
                if not seen.modes or seen.modes[-1][1] != row.mode:
                    seen.modes.append((row.t_s + lost_s, row.mode))
    last = len(seen.indices) and seen.indices[-1]
    for path in (folder / "runs").glob("*/gate.jsonl"):
        for row in map(json.loads, path.read_text().splitlines()):
            words.append(row.get("event", ""))
            newer = "mode" in row and row["cycle"] > last
            if newer and (not seen.modes or row["mode"] != seen.modes[-1][1]):
                seen.modes.append((row["t_s"] + lost_s, row["mode"]))
    seen.modes = [(began_s + at, mode) for at, mode in seen.modes]
    seen.words = "\n".join(words)

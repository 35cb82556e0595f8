"""The journal of a run, for its recorder and its panels: rows of its station, and events.

It never waits: a full ring drops and counts. Events are also kept in memory, so that a run whose
disk is full still says why it stopped.
"""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level, clock_event
from hil.recording.recorder import RecordingSink
from hil.timing.clock import Moment


class Audience(Protocol):
    """Observer of every cycle and event beside the recorder."""

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> None:
        """Take one entry, without waiting."""
        ...


KEPT_WARNINGS: Final = 20
"""Most warnings that are printed at the end."""
KEPT_EVENTS: Final = 1000
"""Events that are kept in memory; the recording has all."""
Scalar = str | int | float | bool | None


class Journal:
    """Writer of a run into the ring of a recorder, and to an audience, such as panels."""

    def __init__(self, sink: RecordingSink, audience: Audience | None = None) -> None:
        self._sink, self._audience = sink, audience
        self._ring = sink.ring
        self._begun = False
        self.dated: Callable[[], Moment] | None = None
        """Gives the instant of the first row, which dates all of them; None in a dry run."""
        self.events: list[EventRecord] = []
        """What happened, in order; at most `KEPT_EVENTS`."""
        self._warnings: dict[str, str] = {}
        self._newest = 0.0, 0
        """Time and number of the newest row."""

    def row(self, payload: bytes, t_s: float, index: int) -> None:
        """Put a row down, packed by the station's table of signals."""
        self._newest = t_s, index
        self._push(ROWS, payload)
        if not self._begun:
            self._begun = True
            if self.dated is not None:
                self.event(clock_event(t_s, index, self.dated()))

    def event(self, event: EventRecord) -> None:
        """Put down what happened."""
        self._push(EVENTS, event.to_bytes())
        if len(self.events) < KEPT_EVENTS:
            self.events.append(event)

    def put(
        self,
        t_s: float,
        index: int,
        message: str,
        data: Mapping[str, Scalar] | None = None,
        *,
        who: str = "loop",
        kind: EventKind = EventKind.NOTE,
        level: Level = Level.INFO,
    ) -> None:
        """Put down what happened, from its parts; ``data`` is the same for a program."""
        self.event(EventRecord(t_s, index, kind, level, who, message, data or {}))

    def warn(
        self,
        t_s: float,
        index: int,
        message: str,
        data: Mapping[str, Scalar] | None = None,
        *,
        key: str = "",
        who: str = "loop",
    ) -> None:
        """Record a warning, which a person is given at the end of the run as well.

        Args:
            key: of several with the same one the last is kept.
        """
        self.put(t_s, index, message, data, who=who, level=Level.WARNING)
        self.remember(key or message, message)

    def mode(self, t_s: float, index: int, before: str, mode: str) -> None:
        """Put down a change of mode; nothing if it is the same."""
        if mode != before:
            words = f"{before} → {mode}"
            self.put(t_s, index, words, {"mode": mode}, who="gate", kind=EventKind.MODE)

    def violation(
        self, t_s: float, index: int, check: str, value: float, limit: float, unit: str
    ) -> None:
        """Put down what a gate has found, as a value against its limit."""
        words = f"{check} {value:.6g} {unit}, limit {limit:.6g} {unit}"
        data: dict[str, Scalar] = {
            "check": check, "value": float(value), "limit": float(limit), "unit": unit,
        }  # fmt: skip
        self.put(t_s, index, words, data, who="gate", kind=EventKind.VIOLATION, level=Level.ERROR)

    def remember(self, key: str, words: str) -> None:
        """Keep words for the end of the run; of several with the same key the last."""
        if key in self._warnings or len(self._warnings) < KEPT_WARNINGS:
            self._warnings[key] = words

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for a person at the end."""
        return tuple(self._warnings.values())

    def service(self) -> None:
        """Give the recorder its turn; what has happened to it since is put down."""
        if said := self._sink.service():
            self.warn(*self._newest, said, who="recorder")

    def _push(self, kind: int, payload: bytes) -> None:
        self._ring.push(kind, payload)
        if self._audience is not None:
            self._audience.push(kind, payload)

"""Warnings of a run that did not stop it: drives that warn, unexpected forces."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from hil.recording.events import EventKind, EventRecord

CHECKS: Final = frozenset({"warning", "force"})
"""Checks, as events have them, whose mildest finding is reported to a person."""
GATE: Final = "gate"
"""Source of such events."""


class RunWarning(NamedTuple):
    """Warning of a run."""

    t_s: float
    """Time of the run at which it came first [s]."""
    message: str
    """Sentence of the first time."""
    times: int
    """Number of times that it came."""

    @property
    def line(self) -> str:
        """Line such as `leg 3: drive warning: warns 0x4310, from 2.41 s on, 3 times`."""
        often = "" if self.times == 1 else f", {self.times} times"
        return f"{self.message}, from {self.t_s:.2f} s on{often}"


class RunWarnings:
    """List with each warning once, in the order in which they came."""

    def __init__(self) -> None:
        self._found: dict[str, RunWarning] = {}

    def take(self, t_s: float, message: str, data: Mapping[str, Any]) -> tuple[str, RunWarning]:
        """Count a warning; returns its key, and the warning with its count.

        Args:
            data: check, leg, value, limit and unit, as the event of a violation has them; a
                recording may have been made by anybody, and lack some.
        """
        check, leg, unit = (data.get(name, "") for name in ("check", "leg", "unit"))
        key = f"{check} {leg} {data.get('limit' if unit else 'value', '')}{unit}"
        known = self._found.get(key, RunWarning(t_s, message, 0))
        self._found[key] = known._replace(times=known.times + 1)
        return key, self._found[key]

    def __iter__(self) -> Iterator[RunWarning]:
        """Iterate over all warnings."""
        return iter(self._found.values())


def warnings_of(events: Iterable[EventRecord]) -> list[RunWarning]:
    """Warnings in the events of a recording."""
    found = RunWarnings()
    for event in events:
        mild = event.name == GATE and event.kind is EventKind.NOTE
        if mild and event.data.get("check") in CHECKS:
            found.take(event.t_s, event.message, event.data)
    return list(found)

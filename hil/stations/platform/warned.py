"""What a run was warned of without being stopped: drives that warn, forces that nobody expects."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from hil.recording.events import EventKind, EventRecord
from hil.stations.platform.told import WarnedTold

CHECKS: Final = frozenset({"warning", "force"})
"""Checks, as events have them, whose mildest finding a person is told of."""
GATE: Final = "gate"
"""Who tells of them."""


def warning_key(data: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two warnings the same: check, leg, and the code or what was above which limit."""
    what = data["limit"] if data["unit"] else data["value"]
    return data["check"], data["leg"], data["unit"], what


def warnings_of(events: Iterable[EventRecord]) -> list[WarnedTold]:
    """Warnings of a recording, each once, in the order in which they came."""
    found: dict[tuple[Any, ...], WarnedTold] = {}
    for event in events:
        if event.name != GATE or event.kind is not EventKind.NOTE:
            continue
        if event.data.get("check") not in CHECKS:
            continue
        one = found.setdefault(
            warning_key(event.data),
            WarnedTold(
                t_s=event.t_s,
                check=str(event.data["check"]),
                leg=None if event.data["leg"] is None else int(event.data["leg"]),
                message=event.message,
                times=0,
            ),
        )
        one["times"] += 1
    return list(found.values())

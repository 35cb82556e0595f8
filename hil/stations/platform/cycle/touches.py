"""Contacts with simulated drives or their load: lines for a person, events of a run."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from drives.bank import Touch
from hil.recording.events import EventKind, EventRecord, Level
from hil.timing.clock import Tick

WHO: Final = "world"
"""Source of such events."""


def touch_line(touch: Touch) -> str:
    """Contact in words."""
    between, start_s, step_s, forces_n = touch
    end_s, most_n = start_s + step_s * len(forces_n), max(forces_n)
    return f"{between}: up to {most_n:.0f} N from {start_s:.2f} to {end_s:.2f} s"


def touch_events(touched: Iterable[Touch], tick: Tick) -> Iterator[EventRecord]:
    """Events of a run, one for each contact.

    Args:
        touched: contacts with times of the run.
        tick: tick of the last cycle: all is known at the end only.
    """
    for touch in touched:
        between, start_s, step_s, forces_n = touch
        data = {
            "between": between,
            "start_s": round(start_s, 6),
            "step_s": step_s,
            "forces_n": " ".join(f"{force_n:g}" for force_n in forces_n),
        }
        line = touch_line(touch)
        yield EventRecord(tick.t_s, tick.index, EventKind.NOTE, Level.WARNING, WHO, line, data)


def touches_of(events: Iterable[EventRecord]) -> list[Touch]:
    """Contacts in the events of a recording; other events are ignored."""
    found: list[Touch] = []
    for event in events:
        if event.name != WHO or "forces_n" not in event.data:
            continue
        data = event.data
        with suppress(KeyError, ValueError):  # of a recording that anybody may have made
            forces_n = tuple(float(one) for one in str(data["forces_n"]).split())
            start_s, step_s = float(data["start_s"] or 0.0), float(data["step_s"] or 0.0)
            found.append((str(data["between"]), start_s, step_s, forces_n))
    return found

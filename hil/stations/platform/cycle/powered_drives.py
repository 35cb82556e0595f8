"""State in which the drives of a run were left: lines for a person, events of the run."""

from collections.abc import Iterator
from typing import Final

from drives.bank import BankEnd
from hil.recording.events import EventKind, EventRecord, Level
from hil.stations.platform.cycle.touches import touch_events
from hil.timing.clock import Tick

UNDER_POWER: Final = "NOT PROVED TO BE OFF, take its power:"
"""Heading of the list of drives that were left so."""


def powered_drives(link: BankEnd) -> str:
    """Drives that are not proved to be off; empty if all are."""
    return "; ".join(link.powered)


def powered_line(link: BankEnd) -> str:
    """Warning that drives are not proved to be off, with their names; empty if all are."""
    return f"{UNDER_POWER} {powered_drives(link)}" if link.powered else ""


def power_events(link: BankEnd, tick: Tick) -> Iterator[EventRecord]:
    """Events of a run: contacts with its drives, and drives not proved to be off.

    Args:
        tick: tick of the last cycle: all is known at the end only.
    """
    yield from touch_events(link.touched, tick)
    if line := powered_line(link):
        yield EventRecord(tick.t_s, tick.index, EventKind.NOTE, Level.ERROR, "drives", line)

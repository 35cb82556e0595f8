"""What a bank waits for, as data: leg, object, value seen, value waited for, and what may help."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


class Wait(NamedTuple):
    """One thing that is not yet as it has to be."""

    object_index: int
    """Index of the object that tells it; 0 if none does."""
    what: str
    """What is looked at, in words, with its object."""
    seen: str
    """Its value."""
    wanted: str
    """The value that is waited for."""
    remedy: str = ""
    """What a person may look at; empty if it only takes its time."""
    leg: int = 0
    """Leg number, 1 to 6; 0 if it concerns no single one."""

    @property
    def key(self) -> tuple[int, str, str]:
        """What stays the same for as long as it is the same wait, whatever is seen."""
        return self.leg, self.what, self.wanted

    def __str__(self) -> str:
        """Text such as `leg 3: heartbeat (1017h) is missing, expected one: supply, cable`."""
        return in_words((self,))


Waits = tuple[Wait, ...]
ReportWaits = Callable[[Waits], None]
"""Takes what is waited for at this moment; called while somebody waits."""


def ignore_waits(waits: Waits) -> None:
    """Tell nobody what is waited for."""


def in_words(waits: Sequence[Wait]) -> str:
    """Return one text for all; legs that wait for the same are named together.

    Args:
        waits: What is waited for.
    """
    legs_of: dict[tuple[int, str, str, str, str], list[int]] = {}
    for wait in waits:
        legs_of.setdefault(wait[:5], []).append(wait.leg)
    return "; ".join(
        f"{_legs(legs)}{what} is {seen}, expected {wanted}{': ' if remedy else ''}{remedy}"
        for (_, what, seen, wanted, remedy), legs in legs_of.items()
    )


def of_leg(leg: int, wait: Wait | None) -> Iterable[Wait]:
    """Return a wait as that of a leg, or nothing.

    Args:
        leg: Leg number, 1 to 6.
        wait: What it waits for, if anything.
    """
    return () if wait is None else (wait._replace(leg=leg),)


def _legs(legs: Sequence[int]) -> str:
    numbers = [str(leg) for leg in legs if leg]
    if not numbers:
        return ""
    return f"leg {', '.join(numbers)}: "

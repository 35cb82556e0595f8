"""Counts of what has happened on a Modbus link, kept by the bank."""

from dataclasses import dataclass

from drives.bank import LinkTally


@dataclass(slots=True)
class ModbusCounts:
    """Counts of the link since the bank was configured."""

    cycles: int
    """Cycles."""
    missing: list[int]
    """Cycles without an answer of each leg, 6."""
    retries: int = 0
    """Requests that were repeated after a garbled answer."""
    busy: int = 0
    """Requests that were repeated because a unit was busy."""
    exceptions: int = 0
    """Exception answers."""
    round_trip_s: float = 0.0
    """Duration of the last cycle that was answered [s]."""
    note: str = ""
    """The last thing that was wrong, in words; empty if nothing was."""

    def tally(self) -> LinkTally:
        """Return the counts by name."""
        return {
            "cycles": self.cycles,
            "missing": tuple(self.missing),
            "retries": self.retries,
            "busy": self.busy,
            "exceptions": self.exceptions,
            "notes": (self.note,) if self.note else (),
        }

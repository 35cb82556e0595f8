"""What has happened on a Modbus link, counted by the bank."""

from dataclasses import dataclass

from drives.bank import LinkTally


@dataclass(slots=True)
class LinkCounts:
    """What has happened on the link since the bank was configured.

    Attributes:
        cycles: Cycles.
        missing: Cycles without an answer of each leg, 6.
        retries: Requests that were repeated after a garbled answer.
        busy: Requests that were repeated because a unit was busy.
        exceptions: Exception answers.
        round_trip_s: Of the last cycle that was answered [s].
        note: The last thing that was wrong, in words; empty if nothing was.
    """

    cycles: int
    missing: list[int]
    retries: int = 0
    busy: int = 0
    exceptions: int = 0
    round_trip_s: float = 0.0
    note: str = ""

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

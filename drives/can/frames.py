"""CAN frames as the cycle sees them, and what a bus must be able to do with them.

A cycle writes all its frames at once and reads whatever has arrived at once: one call each, so that
the number of frames does not become a number of system calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

REMOTE = 0x40000000
"""Bit beside the identifier of a frame that is sent: a remote frame, which asks for data (Linux,
`linux/can.h`, CAN_RTR_FLAG)."""


class Frame(NamedTuple):
    """A classic CAN frame with an 11-bit identifier."""

    can_id: int
    """Identifier, 0 to 0x7FF; with `REMOTE`, of a frame to be sent, it asks for data."""
    data: bytes
    """Payload of up to 8 bytes; of a remote frame only their number counts."""


class BusState(Enum):
    """State of the CAN controller at our end (ISO 11898-1, fault confinement)."""

    ACTIVE = "error active"
    PASSIVE = "error passive"
    BUS_OFF = "bus off"
    UNKNOWN = "not told by this adapter"


@dataclass(frozen=True, slots=True)
class BusHealth:
    """Health of an adapter by its own report, counted since it was opened."""

    state: BusState
    """State of the CAN controller."""
    bad_lines: int = 0
    """Input that was no frame and was thrown away."""
    rejected: int = 0
    """Commands that the adapter refused."""
    overruns: int = 0
    """Frames that the adapter says it lost."""
    other_frames: int = 0
    """Frames that came and were not delivered, because they are no classic data frames with an
    11-bit identifier."""
    note: str = ""
    """The last thing that was wrong, in words; empty if nothing was."""


class FrameBus(Protocol):
    """A CAN bus that is written and read in batches."""

    def send_frames(self, frames: Sequence[Frame]) -> None:
        """Put frames on the wire in this order, in one write; waits a bounded time at most.

        Raises:
            LinkLostError: If the adapter is gone, or does not take them in time.
        """
        ...

    def receive_frames(self, timeout_s: float) -> list[Frame]:
        """Return all frames that have arrived, in order; wait for the first one if there is none.

        Args:
            timeout_s: Longest wait [s]; 0 does not wait.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        ...

    def health(self) -> BusHealth:
        """Return the adapter's report so far; never waits."""
        ...

    def shutdown(self) -> None:
        """Leave the bus; a second call does nothing."""
        ...

"""The ring to a recorder: beside the entries it holds what the recorder says of itself."""

import os
from enum import IntEnum

from hil.ipc.ring import Ring

# Words of the header that the consumer alone writes.
_STATUS, _WRITTEN, _LOST, _PART, _PID = 17, 18, 19, 20, 21


class RecorderStatus(IntEnum):
    """How the recorder is."""

    STARTING = 0
    OK = 1
    DEGRADED = 2  # the disk refuses; entries are taken from the ring and counted as lost
    DONE = 3  # the file is finished and synced
    GONE = 4  # the recorder process ended without finishing


class RecorderRing(Ring):
    """A ring whose consumer records."""

    __slots__ = ()

    def report(self, status: RecorderStatus, written_bytes: int, lost: int) -> None:
        """Tell the producer's side how recording goes.

        Args:
            lost: entries taken from the ring that did not reach the disk.
        """
        self._words[_WRITTEN] = written_bytes
        self._words[_LOST] = lost
        self._words[_STATUS] = status

    def report_part(self, part: int) -> None:
        """Tell which file is being written, by this process.

        Args:
            part: its number, from 1.
        """
        self._words[_PID] = os.getpid()
        self._words[_PART] = part

    @property
    def status(self) -> RecorderStatus:
        """What the recorder last reported."""
        return RecorderStatus(self._words[_STATUS])

    @property
    def written_bytes(self) -> int:
        """Size of the recording's file, as last reported [bytes]."""
        return self._words[_WRITTEN]

    @property
    def lost(self) -> int:
        """Entries that left the ring and did not reach the disk, as last reported."""
        return self._words[_LOST]

    @property
    def part(self) -> int:
        """Number of the file that is being written, from 1; 0 before the first."""
        return self._words[_PART]

    @property
    def recorder_pid(self) -> int:
        """Number of the process that writes it."""
        return self._words[_PID]

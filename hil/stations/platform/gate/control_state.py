"""State of control's process by the kernel, read in a cycle that brought no order.

The end of control's connection comes late: a process that is killed gives its memory back first,
70 ms for 1 GB, and then its descriptors, of which a child may hold copies. The kernel's own record
of the process, `/proc/PID/stat` (proc_pid_stat(5)), has it at once: its state, that SIGKILL is
pending, and among its flags (linux/sched.h) that a signal ends it (PF_SIGNALED), that it dumps its
core (PF_DUMPCORE) or exits (PF_EXITING). Control opens the file of itself and hands the descriptor
down, so nothing is looked up: neither a number that another process may have by then, nor a /proc
that the gate must not see.
"""

from __future__ import annotations

import os
from contextlib import suppress
from enum import Enum
from typing import Final

from hil.timing.realtime_setup import RealtimeItem

OWN_RECORD: Final = "/proc/self/stat"
NOT_OPEN: Final = -1
"""Descriptor of a record that cannot be opened here."""

_PF_EXITING: Final = 0x4
_PF_DUMPCORE: Final = 0x200
_PF_SIGNALED: Final = 0x400
_ENDING: Final = _PF_EXITING | _PF_DUMPCORE | _PF_SIGNALED
_ENDED: Final = b"ZXx"
_FROZEN: Final = b"Tt"
_RECORD_BYTES: Final = 1024
_SIGKILL: Final = 1 << 8
_STATE, _FLAGS, _PENDING = 0, 6, 28
"""Places in the record, counted from after the name, which may contain anything."""


class ControlState(Enum):
    """State of control's process."""

    RUNNING = "running"
    FROZEN = "frozen"
    """Stopped by a signal or a debugger; it may continue."""
    DEAD = "dead"
    """Ended, or irrevocably about to end."""
    UNKNOWN = "unknown"
    """Not available from the kernel; silence and the end of the connection show it later."""


def open_own_record(path: str = OWN_RECORD) -> int:
    """Open the kernel's record of the process that calls, for a gate to read.

    Returns:
        A descriptor, or `NOT_OPEN` where there is no such file, or one without a state.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return NOT_OPEN
    if ControlWatch(fd).poll() is ControlState.RUNNING:
        return fd
    os.close(fd)
    return NOT_OPEN


class ControlWatch:
    """Reader of the record of control's process.

    Args:
        fd: descriptor of the record, owned from now on; `NOT_OPEN` for none.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def poll(self) -> ControlState:
        """State of control's process; never raises, never waits."""
        if self._fd < 0:
            return ControlState.UNKNOWN
        try:
            record = os.pread(self._fd, _RECORD_BYTES, 0)
        except ProcessLookupError:  # its parent has taken note of its end
            return ControlState.DEAD
        except OSError:
            return ControlState.UNKNOWN
        return state_of(record)

    def item(self) -> RealtimeItem:
        """Item of the run's header on how its gate watches control."""
        if self.poll() is not ControlState.UNKNOWN:
            return RealtimeItem("sight of control", True, "by the kernel's record of its process")
        return RealtimeItem(
            "sight of control",
            False,
            f"{OWN_RECORD} does not tell: a dead control is seen by the end of its connection, "
            "some 10 to 100 ms later",
            "mount /proc in this container",
        )

    def close(self) -> None:
        """Close the record; harmless when repeated."""
        if self._fd >= 0:
            with suppress(OSError):
                os.close(self._fd)
        self._fd = NOT_OPEN


def state_of(record: bytes) -> ControlState:
    """Return the state in a record of `/proc/PID/stat`.

    Args:
        record: its bytes, such as ``b"7 (a name) S 1 7 ..."``.
    """
    fields = record[record.rfind(b")") + 1 :].split(None, _PENDING + 1)
    try:
        state, flags, pending = fields[_STATE], int(fields[_FLAGS]), int(fields[_PENDING])
    except (IndexError, ValueError):
        return ControlState.UNKNOWN
    if state in _ENDED or flags & _ENDING or pending & _SIGKILL:
        return ControlState.DEAD
    return ControlState.FROZEN if state in _FROZEN else ControlState.RUNNING

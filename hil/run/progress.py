"""Whether a run still turns, seen by the process that began it: a count in memory that both share.

The loop adds one a turn, which waits for nobody. Before its first turn and after its last one the
count is 0, and says nothing; a process that the kernel has stopped is then still known as such.
"""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from functools import cache
from typing import Final

from hil.ipc.memory import memory_file
from hil.ipc.process_state import is_stopped

VARIABLE: Final = "HIL_PROGRESS_FD"
"""Environment variable that hands the descriptor down, to this child alone."""
STILL_S: Final = 10.0
"""A loop without a turn for so long is frozen [s]."""
STOPPED_S: Final = 2.0
"""A process that was stopped by a signal for so long is frozen [s]."""
_MOST_BETWEEN_LOOKS_S: Final = 0.5
"""Most time that counts since the last poll: the one that polls may have been stopped too [s]."""


class Progress:
    """The count, of the loop or of the one who watches it.

    Args:
        memory: shared by both.
        fd: its descriptor; -1 for none.
    """

    def __init__(self, memory: mmap.mmap | bytearray, fd: int = -1) -> None:
        self._memory, self.fd = memory, fd
        self._word = memoryview(memory)[:8].cast("Q")

    @classmethod
    def shared(cls) -> Progress:
        """Make it, to be handed down by its descriptor (Linux)."""
        return cls(*memory_file("hil-progress", mmap.PAGESIZE))

    @classmethod
    @cache
    def inherited(cls) -> Progress:
        """The count that the parent of this process watches; nobody's if there is none.

        The first call takes it out of the environment: no child of this process has it.
        """
        number = os.environ.pop(VARIABLE, "")
        if not number.isdecimal():
            return cls(bytearray(8))
        fd = int(number)
        with suppress(OSError, ValueError):
            os.set_inheritable(fd, False)
            return cls(mmap.mmap(fd, mmap.PAGESIZE), fd)
        return cls(bytearray(8))

    def turn(self) -> None:
        """One more turn."""
        self._word[0] += 1

    def end(self) -> None:
        """There are no more turns."""
        self._word[0] = 0

    @property
    def turns(self) -> int:
        """Turns so far; 0 before the first and after the last."""
        return self._word[0]

    def release(self) -> None:
        """Let go of the memory."""
        self._word.release()
        if isinstance(self._memory, mmap.mmap):
            self._memory.close()
        if self.fd >= 0:
            os.close(self.fd)


class ProgressWatch:
    """Judges a process by its progress, looked at again and again.

    Args:
        now_s: time of the first look, monotonic [s].
    """

    def __init__(self, progress: Progress, pid: int, now_s: float) -> None:
        self._progress, self._pid = progress, pid
        self._looked_s, self._turns = now_s, 0
        self._still_s = self._stopped_s = 0.0

    def check(self, now_s: float) -> str:
        """Return why it counts as frozen, in words; empty while it does not."""
        passed_s = min(now_s - self._looked_s, _MOST_BETWEEN_LOOKS_S)
        self._looked_s, before = now_s, self._turns
        self._turns = self._progress.turns
        still = self._turns == before and self._turns > 0
        self._still_s = self._still_s + passed_s if still else 0.0
        self._stopped_s = self._stopped_s + passed_s if is_stopped(self._pid) else 0.0
        if self._stopped_s >= STOPPED_S:
            return f"it was frozen: stopped by a signal for {STOPPED_S:g} s"
        if self._still_s >= STILL_S:
            return f"it was frozen: no turn of its loop in {STILL_S:g} s"
        return ""

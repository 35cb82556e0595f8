"""Processor time for nothing, and the rule that holds a loop against it.

What works beside a loop takes processor time from it, as anything would. So the loop is measured in
turns beside that and beside a busy process that takes as much: the rest is what the thing itself
does to it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FACTOR: Final = 1.3
ABOVE_S: Final = 50e-6
"""A loop may be late by so many times what it is beside the busy process, or so much more [s]."""
ALWAYS: Final = "while True: sum(range(10_000))"
"""A program that never stops computing."""
IN_RHYTHM: Final = (
    "import os,sys,time\n"
    "every,busy=float(sys.argv[1]),float(sys.argv[2])\n"
    "os.nice(int(sys.argv[3]))\n"
    "next_s=time.monotonic()\n"
    "while True:\n"
    "    end=time.thread_time()+busy\n"
    "    while time.thread_time()<end: pass\n"
    "    next_s+=every\n"
    "    time.sleep(max(0.0,next_s-time.monotonic()))\n"
)
"""A program that computes for so long [s], so often [s], at a niceness."""


@contextmanager
def beside(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Another Python program while this is entered."""
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def in_rhythm(every_s: float, busy_s: float, niceness: int = 0) -> tuple[str, ...]:
    """Arguments of a program that computes for so long, so often [s]."""
    return "-c", IN_RHYTHM, str(every_s), str(busy_s), str(niceness)


def cpu_s(pid: int) -> float:
    """Processor time that a process has had [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class BesideBusy:
    """99 % lateness of a loop: beside what is judged, and beside the busy process."""

    ours_s: float
    """Median of the pairs [s]."""
    busy_s: float
    """The same beside the busy process [s]."""

    @classmethod
    def of_pairs(cls, pairs: Sequence[tuple[float, float]]) -> BesideBusy:
        """Medians of pairs that were measured in turns [s]."""
        ours, busy = zip(*pairs, strict=True)
        return cls(statistics.median(ours), statistics.median(busy))

    @property
    def bound_s(self) -> float:
        """The most that is allowed [s]."""
        return max(FACTOR * self.busy_s, self.busy_s + ABOVE_S)

    @property
    def holds(self) -> bool:
        """Whether the rule does."""
        return self.ours_s <= self.bound_s

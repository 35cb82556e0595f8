"""What the arm's process asks of the system in real time: the reader first, the computing after it.

The thread that answers the robot goes before the one that computes waypoints, and both go before
ordinary programs; drives' gates and the platform's control keep their places. A thread that
computes hands the interpreter over after `SWITCH_INTERVAL_S` and not after the 5 ms that Python
takes unless told otherwise: that would be more than an answer may take.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hil.timing.realtime_setup import RealtimeItem, RealtimePolicy, RealtimeSetup

READER_PRIORITY: Final = 88
"""SCHED_FIFO priority of the thread that answers: after the gate of drives, before the rest."""
COMPUTING_PRIORITY: Final = 70
"""Of the thread that computes: after the platform's control, whose cycle is a hundredth as long."""
SWITCH_INTERVAL_S: Final = 5e-4


@contextmanager
def arm_in_time(
    reader_thread: int | None, policy: RealtimePolicy | None = None
) -> Iterator[tuple[RealtimeItem, ...]]:
    """Be woken in time while this is entered; the calling thread is the one that computes.

    Args:
        reader_thread: number, as the kernel counts, of the thread that answers; None for none. It
            ends with its link, so nothing is given back for it.

    Yields:
        What was granted and what was refused, with the remedy.
    """
    before_s = sys.getswitchinterval()
    with RealtimeSetup(policy or RealtimePolicy(priority=COMPUTING_PRIORITY)) as granted:
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        try:
            if reader_thread is None:
                yield granted.items
            else:
                yield (*granted.items, _raise_reader(reader_thread))
        finally:
            sys.setswitchinterval(before_s)


def _raise_reader(thread: int) -> RealtimeItem:
    try:
        os.sched_setscheduler(
            thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(READER_PRIORITY)
        )
    except OSError as error:
        return RealtimeItem(
            "priority of the reader",
            False,
            f"SCHED_FIFO {READER_PRIORITY} refused: {error.strerror}",
            "as for the priority above",
        )
    return RealtimeItem("priority of the reader", True, f"SCHED_FIFO {READER_PRIORITY}")

"""A copy of a process that waits, and continues its work if that one is killed."""

import os
import select
import signal
from contextlib import suppress


class TakeOverError(Exception):
    """Raised in the copy: the process it was copied from is gone, and its work is the copy's."""


class Standby:
    """The waiting copy of this process, seen from the one that works.

    It is made by fork(2) of a process that has one thread and nothing to do in time, and waits for
    the end of that process (pidfd_open(2)). A copy that ends is made anew.
    """

    def __init__(self) -> None:
        self._pid = 0

    def keep(self) -> None:
        """See to it that there is a copy, now and then; in it, raise once this process is gone."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0] == 0:
            return
        me = os.pidfd_open(os.getpid())
        self._pid = os.fork()
        if self._pid:
            os.close(me)
            return
        select.select([me], [], [])
        os.close(me)
        raise TakeOverError

    def end(self) -> None:
        """End the copy: there is nothing left to take over."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = 0

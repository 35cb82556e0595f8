"""Two recorders, of which one waits: if the one that writes is killed, the other one goes on.

The copy is made by fork(2) in the recorder's own process, which has one thread and nothing to do in
time; the loop whose run is recorded is not asked for anything. The copy waits for the end of the
process it was copied from (pidfd_open(2)). Each is watched by the other: a copy that ends is made
anew. Both end with the run, the copy by the hand of the one that writes.
"""

import os
import select
import signal
from contextlib import suppress


class TakeOverError(Exception):
    """Raised in the copy: the process it was copied from is gone, and its work is the copy's."""


class Standby:
    """The copy that waits, seen from the process that writes."""

    def __init__(self) -> None:
        self._pid = 0

    def keep(self) -> None:
        """See to it that there is a copy; call it now and then.

        Raises:
            TakeOverError: in the copy, once this process is gone.
        """
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

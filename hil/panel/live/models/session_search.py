"""The search for the next desk of a run whose desk has died: at a modest pace, in a thread.

A bench keeps a desk beside it: where one dies, another one begins at the same place within about a
second. Connecting may wait for an answer, so it is done where no window waits. Whatever answers
must be of the very same run: a place can be taken by another one.
"""

import math
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread
from typing import Final

from hil.desk.client import DeskClient, DeskRefusedError
from hil.desk.endpoints import place_of

TRY_EVERY_S: Final = 0.5
"""Time between the end of the first try and the next one [s]; each time longer by half ..."""
TRY_EVERY_MAX_S: Final = 4.0
"""... up to this [s]."""
SLOWER: Final = 1.5


class DeskSearch:
    """Looks for the next desk of one run.

    Args:
        lost: the client of the desk that is gone.
        bench_lives: whether the bench's process is still there.
        start: begins work that nobody waits for; in a thread of its own if left out.
    """

    def __init__(
        self,
        lost: DeskClient,
        now_s: Callable[[], float],
        bench_lives: Callable[[], bool] | None = None,
        start: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        self._lost, self._now_s = lost, now_s
        self._bench_lives = bench_lives or _life_of(lost.path)
        self._start = start or _in_thread
        self._every_s = TRY_EVERY_S
        self._next_s = -math.inf
        self._trying = self._closed = False
        self._found: DeskClient | None = None
        self._lock = Lock()
        self.tries = 0
        """How often it has tried."""
        self.over = False
        """Whether there is nothing left to be looked for: the bench is gone, too."""

    def poll(self) -> DeskClient | None:
        """Return the client of the next desk once it is there; never waits."""
        with self._lock:
            found, self._found = self._found, None
            idle = not (self._trying or self._closed or self.over)
        if found is not None:
            self.close()
            return found
        if idle and self._now_s() >= self._next_s:
            self._try()
        return None

    def _try(self) -> None:
        if self.tries and not self._bench_lives():
            self.over = True
            return
        self.tries += 1
        self._trying = True
        self._start(self._connect)

    def _connect(self) -> None:
        """One try; in the thread."""
        client = None
        try:
            client = self._lost.again()
        except DeskRefusedError:
            pass  # not yet
        except Exception:
            self._done(None)
            raise
        if client is not None and not self._lost.same_run(client):
            client.close()
            client, self.over = None, True
        self._done(client)

    def _done(self, client: DeskClient | None) -> None:
        with self._lock:
            self._next_s = self._now_s() + self._every_s
            self._every_s = min(SLOWER * self._every_s, TRY_EVERY_MAX_S)
            self._trying = False
            if not self._closed:
                self._found = client
                return
        if client is not None:  # found too late: nobody wants it any more
            client.close()

    def close(self) -> None:
        """Give up; returns at once, and what is found after that is left."""
        with self._lock:
            self._closed = True
            found, self._found = self._found, None
        if found is not None:
            found.close()


def _in_thread(work: Callable[[], None]) -> None:
    Thread(target=work, name="desk search", daemon=True).start()


def _life_of(path: Path) -> Callable[[], bool]:
    """Return a check that the process which a desk's socket is named after still exists."""
    place = place_of(path)
    if place is None:
        return lambda: False
    return Path(f"/proc/{place.pid}").exists

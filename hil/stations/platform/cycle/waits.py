"""Reports to people on what the drives wait for, before it has lasted for two seconds."""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from drives.waits import Waits, in_words

TOLD_AFTER_S: Final = 1.5
"""Wait after which it is reported, and period of repeated reports [s]: with the time of a poll, no
silence lasts 2 s."""
OFTEN_S: Final = 120.0
"""Time for which it is reported as often as that [s]; people come and look by then, or never."""
SELDOM_S: Final = 30.0
"""Period of the reports after that [s]."""
GOES_ON: Final = "…"
"""End of a report on something that takes its time."""


class WaitFollower:
    """Tracker of the beginning of each wait, and of the time to report it."""

    def __init__(self) -> None:
        self._since_s: dict[tuple[int, str, str], float] = {}
        self._quiet_s = self._begun_s = 0.0
        self._said: frozenset[tuple[int, str, str]] = frozenset()
        self.new = False
        """Whether the last result of `step` had not been reported before."""

    def step(self, now_s: float, waits: Waits) -> str:
        """Return the report that is due at this moment; mostly empty."""
        if not self._since_s:
            self._quiet_s = now_s
        if not waits:
            self._since_s, self._said = {}, frozenset()
            return ""
        self._since_s = {wait.key: self._since_s.get(wait.key, now_s) for wait in waits}
        keys = frozenset(self._since_s)
        if keys - self._said:
            self._begun_s = now_s
        often = now_s - self._begun_s < OFTEN_S
        if now_s - self._quiet_s < (TOLD_AFTER_S if often else SELDOM_S):
            return ""
        self.new, self._said, self._quiet_s = bool(keys - self._said), keys, now_s
        return f"waiting for {now_s - min(self._since_s.values()):.0f} s: {in_words(waits)}"


class Announcer:
    """Writer of lines in a thread of its own: a terminal that is stopped stops no cycle.

    A line that ends in … is repeated until there is another one.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)

    def __enter__(self) -> Callable[[str], None]:
        """Begin; returns a function that takes a line without waiting."""
        self._thread.start()
        return self._lines.put

    def __exit__(self, *error: object) -> None:
        """Write what is left, and end; a terminal that takes nothing is not waited for."""
        self._lines.put(None)
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        line = ""
        while line is not None:
            with suppress(queue.Empty):
                line = self._lines.get(timeout=TOLD_AFTER_S if line.endswith(GOES_ON) else None)
            try:
                if line is not None:
                    self._say(line)
            except OSError:
                return  # the terminal has gone

"""Telling people what the drives wait for, once it has lasted for two seconds."""

import queue
import threading
from collections.abc import Callable
from typing import Final

from drives.waits import Waits, in_words

TOLD_AFTER_S: Final = 2.0
"""A wait that lasts longer is told, and again whenever this time has passed [s]."""
OFTEN_S: Final = 60.0
"""For so long it is told as often as that [s]; people come and look by then, or never."""
SELDOM_S: Final = 30.0
"""How often it is told after that [s]."""


class WaitFollower:
    """Knows since when each thing is waited for, and when it is time to say so."""

    def __init__(self) -> None:
        self._since_s: dict[tuple[int, str, str], float] = {}
        self._due_s = self._begun_s = 0.0
        self._told: tuple[tuple[int, str, str], ...] = ()
        self.new = False
        """Whether what `step` returned last had not been told before."""

    def step(self, now_s: float, waits: Waits) -> str:
        """Return what is to be said at this moment; mostly nothing.

        Args:
            now_s: monotonic time [s].
            waits: what is waited for.
        """
        if not waits and not self._since_s:
            return ""
        self._since_s = {wait.key: self._since_s.get(wait.key, now_s) for wait in waits}
        long = tuple(w for w in waits if now_s - self._since_s[w.key] >= TOLD_AFTER_S)
        keys = tuple(wait.key for wait in long)
        self.new = keys != self._told
        if self.new:
            self._told, self._begun_s = keys, now_s
        elif now_s < self._due_s:
            return ""
        if not long:
            return ""
        often = now_s - self._begun_s < OFTEN_S
        self._due_s = now_s + (TOLD_AFTER_S if often else SELDOM_S)
        oldest_s = min(self._since_s[wait.key] for wait in long)
        return f"waiting for {now_s - oldest_s:.0f} s: {in_words(long)}"


class Announcer:
    """Says lines in a thread of its own: a terminal that is stopped stops no cycle.

    Args:
        say: prints a line.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="announcer", daemon=True)

    def __enter__(self) -> Callable[[str], None]:
        """Begin; returns what takes a line without waiting."""
        self._thread.start()
        return self._lines.put

    def __exit__(self, *error: object) -> None:
        """Say what is left, and end; a terminal that takes nothing is not waited for."""
        self._lines.put(None)
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._say(line)
            except OSError:
                return  # the terminal has gone

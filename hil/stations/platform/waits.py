"""Telling people what the drives wait for, before it has lasted for two seconds."""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from drives.waits import Waits, in_words

TOLD_AFTER_S: Final = 1.5
"""A wait that lasts longer is told, and again whenever this time has passed [s]: with what it takes
to look, nobody hears nothing for 2 s."""
OFTEN_S: Final = 120.0
"""For so long it is told as often as that [s]; people come and look by then, or never."""
SELDOM_S: Final = 30.0
"""How often it is told after that [s]."""
GOES_ON: Final = "…"
"""End of a line of something that takes its time."""


class WaitFollower:
    """Knows since when each thing is waited for, and when it is time to say so."""

    def __init__(self) -> None:
        self._since_s: dict[tuple[int, str, str], float] = {}
        self._quiet_s = self._begun_s = 0.0
        self._said: frozenset[tuple[int, str, str]] = frozenset()
        self.new = False
        """Whether what `step` returned last had not been told before."""

    def step(self, now_s: float, waits: Waits) -> str:
        """Return what is to be said at this moment; mostly nothing."""
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
    """Says lines in a thread of its own: a terminal that is stopped stops no cycle.

    A line that ends in … is said again and again until there is another one.
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
        line = ""
        while line is not None:
            with suppress(queue.Empty):
                line = self._lines.get(timeout=TOLD_AFTER_S if line.endswith(GOES_ON) else None)
            try:
                if line is not None:
                    self._say(line)
            except OSError:
                return  # the terminal has gone

"""Typed lines, read without blocking.

Not modelled: editing and history of lines; the terminal does that.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from collections.abc import Callable
from typing import Final, TextIO

_LINE_MAX: Final = 4096


class ConsoleInput:
    """Reader that hands every line to a console, and reports its answer.

    Args:
        console: Where lines come from; it needs a file descriptor. None: no input.
        selector: Where it waits; its data are a function to call with the time.
        execute: Called with a line and the monotonic time [s]; returns the answer.
        say: Called with non-empty answers; None: they are dropped.
    """

    def __init__(
        self,
        console: TextIO | None,
        selector: selectors.BaseSelector,
        execute: Callable[[str, float], str],
        say: Callable[[str], None] | None,
    ) -> None:
        self._console, self._selector = console, selector
        self._execute, self._say = execute, say
        self._typed = b""
        self.ended: bool = False
        """Whether the input has come to its end; the device may run on without it."""
        if console is not None:
            selector.register(console, selectors.EVENT_READ, self._read)

    def _read(self, now_s: float) -> None:
        console = self._console
        if console is None:
            return
        data = b""
        with contextlib.suppress(OSError):  # a terminal that is gone
            data = os.read(console.fileno(), _LINE_MAX)
        if not data:
            self._selector.unregister(console)
            self._console, self.ended = None, True
            return
        *lines, self._typed = (self._typed + data).split(b"\n")
        self._typed = self._typed[-_LINE_MAX:]
        for line in lines:
            answer = self._execute(line.decode("utf-8", "replace"), now_s)
            if answer and self._say is not None:
                self._say(answer)

"""Ctrl-C and SIGTERM as a wish that the loop reads, never as an exception in the middle of it."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Final

_WATCHED: Final = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """While entered, SIGINT and SIGTERM only set a flag; the handlers from before come back after.

    The loop looks at `asked` once a cycle and parks the platform. A second signal does not tear the
    run apart either: it sets `insisted`, which the loop may answer with a quicker, still controlled
    stop.

    Raises:
        ValueError: on entering outside the main thread, where Python delivers no signals.
    """

    __slots__ = ("_asked", "_before", "_count")

    def __init__(self) -> None:
        self._asked: signal.Signals | None = None
        self._count = 0
        self._before: dict[signal.Signals, Any] = {}

    @property
    def asked(self) -> signal.Signals | None:
        """The first signal that asked for the end of the run, or None."""
        return self._asked

    @property
    def insisted(self) -> bool:
        """Whether it was asked more than once."""
        return self._count > 1

    def __enter__(self) -> StopSignals:
        for number in _WATCHED:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            # None stands for a handler that was not installed from Python and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before.clear()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._asked is None:
            self._asked = signal.Signals(number)

"""Ctrl-C, SIGTERM or a closed terminal as a request that the loop reads, not as an exception."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Final, Protocol

_WATCHED: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""SIGHUP is a terminal closed or a connection lost; not every system has it."""


class StopRequest(Protocol):
    """Whether the operator wants the run to end (Ctrl-C, SIGTERM)."""

    @property
    def asked(self) -> object | None:
        """First origin of the request; None while there is none."""
        ...


class StopSignals:
    """While entered, these signals only set a flag; the handlers from before come back after.

    The loop looks at `asked` once a cycle and parks the platform. A second signal changes nothing:
    an impatient operator does not tear the run, or the end of its recording, apart. One inside
    another: both get it, so that several runs one after the other end as one.

    Raises:
        ValueError: on entering outside the main thread, where Python delivers no signals.
    """

    __slots__ = ("_asked", "_before")

    def __init__(self) -> None:
        self._asked: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    @property
    def asked(self) -> signal.Signals | None:
        """The first signal that asked for the end of the run, or None."""
        return self._asked

    def __enter__(self) -> StopSignals:
        for number in _WATCHED:
            self._before[number] = signal.signal(number, self.note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            # None means a handler that was not installed from Python and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before.clear()

    def note(self, number: int, frame: FrameType | None) -> None:
        """Note a signal; the handler that was set around this one gets it, too."""
        if self._asked is None:
            self._asked = signal.Signals(number)
        outer = getattr(self._before.get(signal.Signals(number)), "__self__", None)
        if isinstance(outer, StopSignals):
            outer.note(number, frame)

"""What control tells the panels of the operation: on a change, and ten times a second."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from hil.desk.operation import OPERATION_KIND, Operation
from hil.timing.clock import Tick

Note = Callable[[Tick, str, dict[str, str | bool]], None]
"""Where it is written down what the operator did."""

EVERY_S = 0.1
"""Between two tellings without a change [s]."""


class OperationSink(Protocol):
    """Someone who is told how the operation stands."""

    def publish(self, t_s: float, operation: Operation) -> None:
        """Take the state of one cycle."""
        ...


class TelemetrySink(Protocol):
    """Where telemetry goes."""

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> None:
        """Put one entry in, without waiting."""
        ...


class Publisher:
    """Tells telemetry of the operation."""

    def __init__(self, sink: TelemetrySink) -> None:
        self._sink = sink
        self._last: tuple[object, ...] | None = None
        self._next_s = 0.0

    def publish(self, t_s: float, operation: Operation) -> None:
        """Tell it if something changed that people decide by, or if it is time."""
        facts = (
            operation.held,
            operation.playing,
            operation.motion_serial,
            operation.refused,
            operation.seen,
            operation.cause,
            operation.clear,
            operation.stalled,
            None if operation.end is None else replace(operation.end, left_s=0.0),
        )
        if facts == self._last and t_s < self._next_s:
            return
        self._last, self._next_s = facts, t_s + EVERY_S
        self._sink.push(OPERATION_KIND, operation.to_bytes())

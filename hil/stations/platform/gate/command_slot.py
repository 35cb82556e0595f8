"""Command slot: control's newest order, in memory that it shares with the gate.

The newest wins and nothing queues, so a control that comes back from a stall cannot have old orders
executed; a torn or damaged order counts as silence (`hil.ipc.latest`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from hil.ipc.latest import Latest
from hil.ipc.memory import Buffer
from safety.modes import Request
from safety.verdict import SEQUENCE_MODULUS, Setpoint

_REQUESTS: Final = tuple(Request)
_RESET: Final = 1 << 16
_HAS_SETPOINT: Final = 1 << 17
_LEAVE: Final = 1 << 18
_KNOWN: Final = (1 << len(_REQUESTS)) - 1 | _RESET | _HAS_SETPOINT | _LEAVE
_REQUEST_BIT: Final = {request: 1 << bit for bit, request in enumerate(_REQUESTS)}
_NO_SETPOINT: Final = (math.nan,) * 12


@dataclass(frozen=True, slots=True)
class Order:
    """Order of control for one cycle."""

    sequence: int
    """Number of the cycle for which it is meant, modulo 2^32."""
    stamp_s: float
    """Monotonic time of writing [s]."""
    setpoint: Setpoint | None
    """Setpoint of the six legs, or None."""
    requests: tuple[Request, ...] = ()
    """Requests to the modes."""
    reset: bool = False
    """Whether the operator presses reset."""
    leave: bool = False
    """Whether control wants the drives disabled and the bus left, after a stop if need be."""
    act_s: float = -math.inf
    """Monotonic time of a person's last press for something to begin [s]."""


class CommandSlot(Latest, fields="II2d12d"):
    """Slot for one order in shared memory: sequence, flags, stamp, act, six lengths, six speeds.

    Control calls `write`, the gate `take`; neither ever waits for the other. An order that is there
    when an end begins was never meant for it.
    """

    __slots__ = ()

    def __init__(self, buffer: Buffer, fd: int = -1) -> None:
        super().__init__(buffer, fd)
        self._read = self._word[0]

    def write(self, order: Order) -> None:
        """Replace the slot's order; it is one order to be obeyed once."""
        flags = _RESET * order.reset | _LEAVE * order.leave
        for request in order.requests:
            flags |= _REQUEST_BIT[request]
        numbers = _NO_SETPOINT
        if order.setpoint is not None:
            flags |= _HAS_SETPOINT
            numbers = (*order.setpoint.length_m, *order.setpoint.speed_m_s)
        sequence = order.sequence % SEQUENCE_MODULUS
        self.put(sequence, flags, order.stamp_s, order.act_s, *numbers)

    def take(self) -> Order | None:
        """Return an order that was not taken before; None if there is none that can be trusted."""
        fields = self.get()
        if fields is None:
            return None
        order = _decode(fields)
        if order is None:
            self.corrupt += 1
        return order


def _decode(fields: tuple[Any, ...]) -> Order | None:
    """Return the order of fields whose checksum holds; None if no writer writes such ones."""
    sequence, flags, stamp_s, act_s, *numbers = fields
    if flags & ~_KNOWN:
        return None
    setpoint = None
    if flags & _HAS_SETPOINT:
        a, b, c, d, e, f, u, v, w, x, y, z = numbers
        setpoint = Setpoint(sequence, (a, b, c, d, e, f), (u, v, w, x, y, z))
    requests: tuple[Request, ...] = ()
    if flags & _KNOWN & ~(_RESET | _HAS_SETPOINT | _LEAVE):
        requests = tuple(request for request in _REQUESTS if flags & _REQUEST_BIT[request])
    reset, leave = bool(flags & _RESET), bool(flags & _LEAVE)
    return Order(sequence, stamp_s, setpoint, requests, reset, leave, act_s)

"""The command slot: control's newest wish, in memory that it shares with the gate.

One writer, one reader, one slot: the newest wins and nothing queues, so a control that comes back
from a stall cannot have old wishes executed. A counter that is odd while the writer is at work
(a seqlock) shows a torn slot, a CRC-32 a damaged one; both count, and are as good as silence. What
was taken once is never taken again.

The slot lies in an anonymous memory file (Linux memfd), inherited as a file descriptor.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from binascii import crc32
from dataclasses import dataclass
from typing import Final

from safety.modes import Request
from safety.verdict import SEQUENCE_MODULUS, Setpoint

_COUNTER: Final = struct.Struct("<Q")
_BODY: Final = struct.Struct("<QII2d12d")  # counter, sequence, flags, stamp, act, lengths, speeds
_CRC: Final = struct.Struct("<I")
_CRC_OFFSET: Final = _COUNTER.size + _BODY.size
SLOT_BYTES: Final = _CRC_OFFSET + _CRC.size
"""The seqlock's counter; then the body, which repeats it; then the CRC-32 of the body."""

_REQUESTS: Final = tuple(Request)
_RESET: Final = 1 << 16
_HAS_SETPOINT: Final = 1 << 17
_LEAVE: Final = 1 << 18
_KNOWN: Final = (1 << len(_REQUESTS)) - 1 | _RESET | _HAS_SETPOINT | _LEAVE
_REQUEST_BIT: Final = {request: 1 << bit for bit, request in enumerate(_REQUESTS)}
_NO_SETPOINT: Final = (math.nan,) * 12


@dataclass(frozen=True, slots=True)
class Order:
    """What control wants in one cycle.

    Args:
        sequence: number of the cycle for which it is meant, modulo 2^32.
        stamp_s: monotonic time of writing [s].
        setpoint: what is asked of the six legs, or None.
        requests: what is asked of the modes.
        reset: the operator's reset button.
        leave: control wants the drives disabled and the bus left, after a stop if need be.
        act_s: monotonic time of a person's newest press for something to begin [s].
    """

    sequence: int
    stamp_s: float
    setpoint: Setpoint | None
    requests: tuple[Request, ...] = ()
    reset: bool = False
    leave: bool = False
    act_s: float = -math.inf


class CommandSlot:
    """One order in shared memory.

    Control calls `write`, the gate `take`; neither ever waits for the other.
    """

    __slots__ = ("_buffer", "_fd", "_taken", "_written", "corrupt", "torn")

    def __init__(self, buffer: bytearray | mmap.mmap, fd: int = -1) -> None:
        """Lay the slot over a buffer.

        Args:
            buffer: at least `SLOT_BYTES` bytes; zeros are an empty slot.
            fd: descriptor of its memory, owned from now on; -1 for none.

        Raises:
            ValueError: if the buffer is too short.
        """
        if len(buffer) < SLOT_BYTES:
            raise ValueError(f"a slot of {len(buffer)} bytes; {SLOT_BYTES} are needed")
        self._buffer = buffer
        self._fd = fd
        self._written = self._taken = _COUNTER.unpack_from(buffer)[0]
        self.torn = 0
        """Looks at a slot that was being written, or whose writer died over it."""
        self.corrupt = 0
        """Orders with a wrong checksum or impossible content."""

    @classmethod
    def local(cls) -> CommandSlot:
        """A slot in this process's memory, for tests and a gate that runs inline."""
        return cls(bytearray(SLOT_BYTES))

    @classmethod
    def shared(cls) -> CommandSlot:
        """A slot that another process can attach to by `fileno()` (Linux).

        Raises:
            OSError: if the memory is refused.
        """
        fd = os.memfd_create("hil-slot", os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, SLOT_BYTES)
            return cls(mmap.mmap(fd, SLOT_BYTES), fd)
        except BaseException:
            os.close(fd)
            raise

    @classmethod
    def attach(cls, fd: int) -> CommandSlot:
        """Open the slot of another process by the descriptor inherited from it.

        Raises:
            OSError: if the descriptor is not open or cannot be mapped.
            ValueError: if its memory is too short.
        """
        return cls(mmap.mmap(fd, os.fstat(fd).st_size), fd)

    def fileno(self) -> int:
        """Return the descriptor of shared memory.

        Raises:
            ValueError: if this slot is local or released.
        """
        if self._fd < 0:
            raise ValueError("this slot has no shared memory: make it with CommandSlot.shared()")
        return self._fd

    # --- control -------------------------------------------------------------------------------

    def write(self, order: Order) -> None:
        """Replace the slot's order; it is one order to be obeyed once."""
        flags = _RESET * order.reset | _LEAVE * order.leave
        for request in order.requests:
            flags |= _REQUEST_BIT[request]
        numbers = _NO_SETPOINT
        if order.setpoint is not None:
            flags |= _HAS_SETPOINT
            numbers = (*order.setpoint.length_m, *order.setpoint.speed_m_s)
        buffer, counter = self._buffer, self._written + 2
        sequence = order.sequence % SEQUENCE_MODULUS
        body = _BODY.pack(counter, sequence, flags, order.stamp_s, order.act_s, *numbers)
        _COUNTER.pack_into(buffer, 0, counter - 1)
        buffer[_COUNTER.size : _CRC_OFFSET] = body
        _CRC.pack_into(buffer, _CRC_OFFSET, crc32(body))
        _COUNTER.pack_into(buffer, 0, counter)
        self._written = counter

    # --- gate ----------------------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        """Whether something was written since the last `take`."""
        return _COUNTER.unpack_from(self._buffer)[0] != self._taken

    def take(self) -> Order | None:
        """Return an order that was not taken before; None if there is none that can be trusted."""
        buffer = self._buffer
        counter = _COUNTER.unpack_from(buffer)[0]
        if counter == self._taken:
            return None
        body = bytes(buffer[_COUNTER.size : _CRC_OFFSET])
        checksum = _CRC.unpack_from(buffer, _CRC_OFFSET)[0]
        if counter % 2 or _COUNTER.unpack_from(buffer)[0] != counter:
            self.torn += 1
            return None
        self._taken = counter
        if crc32(body) != checksum:
            self.corrupt += 1
            return None
        order = _decode(body, counter)
        if order is None:
            self.corrupt += 1
        return order

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        if isinstance(self._buffer, mmap.mmap):
            self._buffer.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _decode(body: bytes, counter: int) -> Order | None:
    """Return the order of a body whose checksum holds; None if no writer writes such a one."""
    stored, sequence, flags, stamp_s, act_s, *numbers = _BODY.unpack(body)
    if stored != counter or flags & ~_KNOWN:
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

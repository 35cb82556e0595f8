"""What the operator wants, in memory that the desk shares with control.

One writer (the desk), one reader (control), one slot: the newest wins. A counter that is odd while
the writer is at work (a seqlock) shows a torn slot, a CRC-32 a damaged one; control then keeps what
it had, and its stamp goes stale, which is as good as a released dead-man. Presses are counters, so
a press can neither be lost between two readings nor be obeyed twice.

A new motion's table lies behind the order and is copied only when its number has changed.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from binascii import crc32
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

Six = tuple[float, float, float, float, float, float]


class Button(Enum):
    """What an operator can press; the order of the members is that of the counters."""

    HOME = "home"
    ENGAGE = "engage"
    HOLD = "hold"
    PARK = "park"
    RESET = "reset"
    SHUT_DOWN = "shut_down"
    """End of the run: park if need be, then power off."""
    PLAY = "play"
    POSE = "pose"


BUTTONS: Final = tuple(Button)
NO_PRESSES: Final = (0,) * len(BUTTONS)
NO_STAMPS: Final = (-math.inf,) * len(BUTTONS)
DEAD_MAN_S: Final = 0.15
"""A sign of life older than this [s] is none."""
MOTION_MAX_BYTES: Final = 16 * 1024

_HELD, _TARGET = 1, 2
_COUNTER: Final = struct.Struct("=Q")
NAME_MAX_BYTES: Final = 60
"""Longest name in an order, in UTF-8."""
_BODY: Final = struct.Struct(
    f"=QdQ{len(BUTTONS)}Q{len(BUTTONS)}d{len(BUTTONS)}QQd6d{NAME_MAX_BYTES}s{NAME_MAX_BYTES}sQII"
)
"""Counter again, stamp, flags, presses, their stamps and ownings, the present owning, override,
target, owner, presser, motion's number, size and CRC-32."""
_CRC: Final = struct.Struct("=I")
_CRC_OFFSET: Final = _COUNTER.size + _BODY.size
_MOTION_OFFSET: Final = (_CRC_OFFSET + _CRC.size + 7) // 8 * 8
SLOT_BYTES: Final = _MOTION_OFFSET + MOTION_MAX_BYTES
_NO_TARGET: Final = (math.nan,) * 6


@dataclass(frozen=True, slots=True)
class OperatorOrder:
    """What the operator wants now.

    Args:
        stamp_s: monotonic time of the owner's last sign of life [s]; -inf if there is none.
        held: whether hold-to-run was pressed at that time.
        presses: how often each `Button` was pressed, in the enum's order; a rise is a press.
        override: tempo wanted, 0 to 1.
        target: pose wanted, (x, y, z [m], alpha, beta, gamma [rad]); None if there is none.
        motion_serial: number of the newest motion, 0 for the scenario's own.
        motion_json: its ``[motion]`` table as JSON, proved; empty for number 0.
        owner: who owns the motion; empty if nobody does.
        presser: who pressed last: the owner, or whoever asked for a stop.
        pressed_s: monotonic time of each button's last press [s]; -inf if there was none.
        press_ownings: the owning in which each button was pressed last.
        owning: number of the present owning; another one whenever the owner changes.
    """

    stamp_s: float = -math.inf
    held: bool = False
    presses: tuple[int, ...] = NO_PRESSES
    override: float = 1.0
    target: Six | None = None
    motion_serial: int = 0
    motion_json: bytes = b""
    owner: str = ""
    presser: str = ""
    pressed_s: tuple[float, ...] = NO_STAMPS
    press_ownings: tuple[int, ...] = NO_PRESSES
    owning: int = 0

    def __post_init__(self) -> None:
        for place in ("presses", "pressed_s", "press_ownings"):
            if (count := len(getattr(self, place))) != len(BUTTONS):
                raise ValueError(f"{place}: {count} numbers; {len(BUTTONS)} are needed")
        if not 0.0 <= self.override <= 1.0:
            raise ValueError(f"override = {self.override}: 0 to 1 is needed")
        if self.target is not None and not (
            len(self.target) == 6 and all(map(math.isfinite, self.target))
        ):
            raise ValueError(f"target = {self.target}: six finite numbers are needed")
        if self.motion_json and self.motion_serial < 1:
            raise ValueError(f"motion_serial = {self.motion_serial}: a new motion has 1 or more")
        if len(self.motion_json) > MOTION_MAX_BYTES:
            raise ValueError(
                f"motion_json of {len(self.motion_json)} bytes; at most {MOTION_MAX_BYTES} bytes"
            )
        for place, name in (("owner", self.owner), ("presser", self.presser)):
            if (size := len(name.encode("utf-8"))) > NAME_MAX_BYTES:
                raise ValueError(f"{place} of {size} bytes; at most {NAME_MAX_BYTES} bytes")

    def pressed(self, button: Button) -> int:
        """How often a button was pressed."""
        return self.presses[BUTTONS.index(button)]


def name_of(text: str) -> str:
    """A name as an order can carry it: shortened to whole characters that fit."""
    return text.encode("utf-8", "replace")[:NAME_MAX_BYTES].decode("utf-8", "ignore")


class OperatorSlot:
    """One order in shared memory: the desk calls `write`, control `read`; neither ever waits.

    Args:
        buffer: at least `SLOT_BYTES` bytes; zeros are an empty slot.
        fd: descriptor of its memory, owned from now on; -1 for none.

    Raises:
        ValueError: if the buffer is too short.
    """

    __slots__ = ("_buffer", "_fd", "_motion", "_read", "_serial", "_word", "_written", "corrupt",
                 "torn")  # fmt: skip

    def __init__(self, buffer: bytearray | mmap.mmap, fd: int = -1) -> None:
        if len(buffer) < SLOT_BYTES:
            raise ValueError(f"a slot of {len(buffer)} bytes; {SLOT_BYTES} are needed")
        self._buffer = buffer
        self._fd = fd
        # One aligned 8-byte store and load; packing byte by byte could itself be torn.
        self._word = memoryview(buffer)[: _COUNTER.size].cast("Q")
        # Odd if the last writer died over it; the next order mends that.
        self._written = self._word[0] + self._word[0] % 2
        self._read = 0
        self._serial, self._motion = 0, b""
        self.torn = 0
        """Looks at a slot that was being written, or whose writer died over it."""
        self.corrupt = 0
        """Orders with a wrong checksum or impossible content."""

    @classmethod
    def local(cls) -> OperatorSlot:
        """A slot in this process's memory, for tests; one object writes and reads."""
        return cls(bytearray(SLOT_BYTES))

    @classmethod
    def shared(cls) -> OperatorSlot:
        """A slot that another process can attach to by `fileno()` (Linux).

        Raises:
            OSError: if the memory is refused.
        """
        fd = os.memfd_create("hil-operator", os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, SLOT_BYTES)
            mapping = mmap.mmap(fd, SLOT_BYTES)
        except BaseException:
            os.close(fd)
            raise
        mapping[:] = bytes(SLOT_BYTES)  # touch every page now, not in the loop
        return cls(mapping, fd)

    @classmethod
    def attach(cls, fd: int) -> OperatorSlot:
        """Open the slot of another process by the descriptor inherited from it.

        Args:
            fd: what `fileno()` gave there; this slot owns it from now on.

        Raises:
            OSError: if the descriptor is not open or cannot be mapped.
            ValueError: if its memory is too short.
        """
        size = os.fstat(fd).st_size
        if size < SLOT_BYTES:
            raise ValueError(f"a slot of {size} bytes; {SLOT_BYTES} are needed")
        return cls(mmap.mmap(fd, size), fd)

    def fileno(self) -> int:
        """Return the descriptor of shared memory.

        Raises:
            ValueError: if this slot is local or released.
        """
        if self._fd < 0:
            raise ValueError("this slot has no shared memory: make it with OperatorSlot.shared()")
        return self._fd

    # --- desk ----------------------------------------------------------------------------------

    def write(self, order: OperatorOrder) -> None:
        """Replace the slot's order."""
        motion, counter = order.motion_json, self._written + 2
        flags = _HELD * order.held
        target = _NO_TARGET
        if order.target is not None:
            flags, target = flags | _TARGET, order.target
        body = _BODY.pack(
            counter,
            order.stamp_s,
            flags,
            *order.presses,
            *order.pressed_s,
            *order.press_ownings,
            order.owning,
            order.override,
            *target,
            order.owner.encode("utf-8"),
            order.presser.encode("utf-8"),
            order.motion_serial,
            len(motion),
            crc32(motion),
        )
        buffer = self._buffer
        self._word[0] = counter - 1
        buffer[_COUNTER.size : _CRC_OFFSET] = body
        _CRC.pack_into(buffer, _CRC_OFFSET, crc32(body))
        buffer[_MOTION_OFFSET : _MOTION_OFFSET + len(motion)] = motion
        self._word[0] = counter
        self._written = counter

    # --- control -------------------------------------------------------------------------------

    def read(self) -> OperatorOrder | None:
        """Return the newest order; None if there is nothing new that can be trusted.

        The reader keeps the last one then, whose stamp gets older.
        """
        counter = self._word[0]
        if counter == self._read:
            return None
        buffer = self._buffer
        body = bytes(buffer[_COUNTER.size : _CRC_OFFSET])
        checksum = _CRC.unpack_from(buffer, _CRC_OFFSET)[0]
        fields = _BODY.unpack(body)
        serial, size, motion_crc = fields[-3:]
        motion = self._motion
        if serial != self._serial:
            size = min(size, MOTION_MAX_BYTES)
            motion = bytes(buffer[_MOTION_OFFSET : _MOTION_OFFSET + size])
        if counter % 2 or self._word[0] != counter:
            self.torn += 1
            return None
        self._read = counter
        order = None
        if crc32(body) == checksum and fields[0] == counter:
            order = _decode(fields, motion, None if serial == self._serial else motion_crc)
        if order is None:
            self.corrupt += 1
            return None
        self._serial, self._motion = serial, motion
        return order

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        self._word.release()
        if isinstance(self._buffer, mmap.mmap):
            self._buffer.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _decode(
    fields: tuple[Any, ...], motion: bytes, motion_crc: float | None
) -> OperatorOrder | None:
    """Return the order of a body whose checksum holds; None if no desk writes such a one.

    `motion_crc` is that of a motion just copied, None for one that was read before.
    """
    flags = int(fields[2])
    if flags & ~(_HELD | _TARGET) or (motion_crc is not None and crc32(motion) != motion_crc):
        return None
    presses, pressed_s, press_ownings = (
        fields[3 + nth * len(BUTTONS) : 3 + (nth + 1) * len(BUTTONS)] for nth in range(3)
    )
    owning, override, x, y, z, alpha, beta, gamma, *names = fields[3 + 3 * len(BUTTONS) : -3]
    target: Six | None = (x, y, z, alpha, beta, gamma) if flags & _TARGET else None
    try:
        owner, presser = (name.rstrip(b"\0").decode("utf-8") for name in names)
        return OperatorOrder(
            fields[1], bool(flags & _HELD), presses, override, target, int(fields[-3]), motion,
            owner, presser, pressed_s, press_ownings, owning,
        )  # fmt: skip
    except ValueError:
        return None

"""A bounded ring between the loop, which must never wait, and the recorder, which may be slow.

One producer, one consumer, slots of one size. The producer alone writes `head` and `dropped`; the
consumer alone writes `tail` and the recorder's words. Each word is one aligned 8-byte store, and
the head moves only after its slot is filled, so no lock is needed on processors that keep stores in
order (x86-64, the bench's target). A full ring drops the newest entry and counts it.

In a dry run the ring lies in ordinary memory. In real time it lies in an anonymous memory file
(Linux memfd) that the recorder inherits as a file descriptor: it has no name to collide with or to
leave behind, and it is freed with the last process that holds it, even after `kill -9`.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Final

MAGIC: Final = 0x474E49524C4948  # "HILRING" in memory order
HEADER_BYTES: Final = 256
DEFAULT_SLOTS: Final = 4096
DEFAULT_SLOT_BYTES: Final = 1024

# Words of the header. Producer's and consumer's words lie on cache lines of their own.
_MAGIC, _SLOTS, _SLOT_BYTES = 0, 1, 2
_HEAD, _DROPPED, _CLOSED = 8, 9, 10
_TAIL, _STATUS, _WRITTEN, _LOST, _PART, _PID = 16, 17, 18, 19, 20, 21

_SLOT_HEAD: Final = struct.Struct("<II")  # kind, bytes of payload


class RecorderStatus(IntEnum):
    """How the recorder is."""

    STARTING = 0
    OK = 1
    DEGRADED = 2  # the disk refuses; entries are taken from the ring and counted as lost
    DONE = 3  # the file is finished and synced
    GONE = 4  # the recorder process ended without finishing


class Ring:
    """Single-producer single-consumer ring of fixed-size slots over a writable buffer."""

    __slots__ = ("_fd", "_head", "_mapping", "_payload_bytes", "_slot_bytes", "_slots", "_tail",
                 "_view", "_words")  # fmt: skip

    def __init__(self, buffer: bytearray | mmap.mmap) -> None:
        """Lay the ring over a buffer that `create` or another process has prepared.

        Raises:
            ValueError: if the buffer holds no ring or is too short for the one it announces.
        """
        if len(buffer) < HEADER_BYTES:
            raise ValueError(f"ring of {len(buffer)} bytes: its header alone is {HEADER_BYTES}")
        view = memoryview(buffer)
        words = view[:HEADER_BYTES].cast("Q")
        slots, slot_bytes = words[_SLOTS], words[_SLOT_BYTES]
        if words[_MAGIC] != MAGIC or len(buffer) < HEADER_BYTES + slots * slot_bytes:
            words.release()
            view.release()
            raise ValueError(f"buffer of {len(buffer)} bytes does not hold a ring")
        self._view = view
        self._words = words
        self._slots = slots
        self._slot_bytes = slot_bytes
        self._payload_bytes = slot_bytes - _SLOT_HEAD.size
        self._head = words[_HEAD]
        self._tail = words[_TAIL]
        self._mapping = buffer if isinstance(buffer, mmap.mmap) else None
        self._fd = -1

    @classmethod
    def local(cls, slots: int = DEFAULT_SLOTS, slot_bytes: int = DEFAULT_SLOT_BYTES) -> Ring:
        """Make a ring in this process's memory, for a dry run.

        Args:
            slots: number of entries it can hold, at least 1.
            slot_bytes: size of one slot, its 8-byte head included; a multiple of 8.

        Raises:
            ValueError: if a size is out of range.
        """
        buffer = bytearray(_ring_bytes(slots, slot_bytes))
        _write_header(memoryview(buffer), slots, slot_bytes)
        return cls(buffer)

    @classmethod
    def shared(cls, slots: int = DEFAULT_SLOTS, slot_bytes: int = DEFAULT_SLOT_BYTES) -> Ring:
        """Make a ring that another process can attach to by `fileno()` (Linux).

        Args:
            slots: number of entries it can hold, at least 1.
            slot_bytes: size of one slot, its 8-byte head included; a multiple of 8.

        Raises:
            ValueError: if a size is out of range.
            OSError: if the memory is refused.
        """
        size = _ring_bytes(slots, slot_bytes)
        fd = os.memfd_create("hil-ring", os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, size)
            mapping = mmap.mmap(fd, size)
        except BaseException:
            os.close(fd)
            raise
        mapping[:] = bytes(size)  # touch every page now, so that the loop never faults one in
        with memoryview(mapping) as view:
            _write_header(view, slots, slot_bytes)
        ring = cls(mapping)
        ring._fd = fd
        return ring

    @classmethod
    def attach(cls, fd: int) -> Ring:
        """Open the ring of another process by the file descriptor inherited from it.

        Args:
            fd: what `fileno()` gave there; this ring owns it from now on.

        Raises:
            ValueError: if the memory holds no ring.
            OSError: if the descriptor is not open or cannot be mapped.
        """
        ring = cls(mmap.mmap(fd, os.fstat(fd).st_size))
        ring._fd = fd
        return ring

    def fileno(self) -> int:
        """Return the descriptor of shared memory.

        Raises:
            ValueError: if this ring is local or released.
        """
        if self._fd < 0:
            raise ValueError("this ring has no shared memory: make it with Ring.shared()")
        return self._fd

    # --- producer ------------------------------------------------------------------------------

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> bool:
        """Put one entry in, or count it as dropped; never waits and never raises for lack of room.

        Args:
            kind: what the entry is, 0 to 2³² - 1.
            payload: contiguous bytes, at most `payload_bytes`; longer ones are dropped.

        Returns:
            Whether it is in the ring.
        """
        head = self._head
        words = self._words
        size = len(payload)
        if head - words[_TAIL] >= self._slots or size > self._payload_bytes:
            words[_DROPPED] += 1
            return False
        offset = HEADER_BYTES + (head % self._slots) * self._slot_bytes
        view = self._view
        _SLOT_HEAD.pack_into(view, offset, kind, size)
        offset += 8
        view[offset : offset + size] = payload
        self._head = head + 1
        words[_HEAD] = head + 1
        return True

    def close_producer(self) -> None:
        """Say that nothing more will come; the consumer drains the rest and ends."""
        self._words[_CLOSED] = 1

    # --- consumer ------------------------------------------------------------------------------

    def pop_all(self) -> Iterator[tuple[int, bytes]]:
        """Yield (kind, payload) of what is in the ring at the moment of the call, oldest first.

        A slot is given back to the producer as soon as its entry was copied.
        """
        for position, kind, payload in self.read_on():
            self._words[_TAIL] = position + 1
            yield kind, payload

    def read_on(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield (position, kind, payload) of what was not read yet, oldest first.

        Nothing is given back to the producer: whoever attaches after this consumer has died reads
        the same entries again, from the first that `give_back` left.
        """
        view = self._view
        for position in range(self._tail, self._words[_HEAD]):
            offset = HEADER_BYTES + (position % self._slots) * self._slot_bytes
            kind, size = _SLOT_HEAD.unpack_from(view, offset)
            payload = bytes(view[offset + 8 : offset + 8 + size])
            self._tail = position + 1
            yield position, kind, payload

    def give_back(self, position: int | None = None) -> None:
        """Let the producer have the slots before a position; of all that was read if left out."""
        self._words[_TAIL] = self._tail if position is None else position

    def begin_again(self) -> None:
        """Read on where another consumer of this memory left off when it died."""
        self._tail = self._words[_TAIL]

    def report(self, status: RecorderStatus, written_bytes: int, lost: int) -> None:
        """Tell the producer's side how recording goes.

        Args:
            status: the recorder's state.
            written_bytes: size of the file so far [bytes].
            lost: entries taken from the ring that did not reach the disk.
        """
        self._words[_WRITTEN] = written_bytes
        self._words[_LOST] = lost
        self._words[_STATUS] = status

    def report_part(self, part: int) -> None:
        """Tell which file is being written, by this process.

        Args:
            part: its number, from 1.
        """
        self._words[_PID] = os.getpid()
        self._words[_PART] = part

    # --- both ----------------------------------------------------------------------------------

    @property
    def capacity(self) -> int:
        """Entries it can hold."""
        return self._slots

    @property
    def payload_bytes(self) -> int:
        """Largest payload of one entry [bytes]."""
        return self._payload_bytes

    @property
    def pushed(self) -> int:
        """Entries put in since the start."""
        return self._words[_HEAD]

    @property
    def popped(self) -> int:
        """Entries given back to the producer since the start."""
        return self._words[_TAIL]

    @property
    def pending(self) -> int:
        """Entries waiting, to be taken or to be given back."""
        return self._words[_HEAD] - self._words[_TAIL]

    @property
    def dropped(self) -> int:
        """Entries refused because the ring was full (or they were too long)."""
        return self._words[_DROPPED]

    @property
    def producer_closed(self) -> bool:
        """Whether the producer has said that nothing more will come."""
        return self._words[_CLOSED] != 0

    @property
    def status(self) -> RecorderStatus:
        """What the recorder last reported."""
        return RecorderStatus(self._words[_STATUS])

    @property
    def written_bytes(self) -> int:
        """Size of the recording's file, as last reported [bytes]."""
        return self._words[_WRITTEN]

    @property
    def lost(self) -> int:
        """Entries that left the ring and did not reach the disk, as last reported."""
        return self._words[_LOST]

    @property
    def part(self) -> int:
        """Number of the file that is being written, from 1; 0 before the first."""
        return self._words[_PART]

    @property
    def recorder_pid(self) -> int:
        """Number of the process that writes it."""
        return self._words[_PID]

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        self._words.release()
        self._view.release()
        if self._mapping is not None:
            self._mapping.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _ring_bytes(slots: int, slot_bytes: int) -> int:
    if slots < 1:
        raise ValueError(f"slots = {slots}: at least 1 is needed")
    if slot_bytes <= _SLOT_HEAD.size or slot_bytes % 8:
        raise ValueError(f"slot_bytes = {slot_bytes} bytes: a multiple of 8 above 8 is needed")
    return HEADER_BYTES + slots * slot_bytes


def _write_header(view: memoryview, slots: int, slot_bytes: int) -> None:
    with view[:HEADER_BYTES].cast("Q") as words:
        words[_SLOTS] = slots
        words[_SLOT_BYTES] = slot_bytes
        words[_MAGIC] = MAGIC

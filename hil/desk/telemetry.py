"""What control tells its onlookers: a ring with one writer and any number of readers.

The writer overwrites the oldest entry and never looks at a reader, so no panel, slow, stopped or
gone, can touch the loop. Every slot has a word of its own that is odd while the slot is being
written and else names the entry in it (a seqlock): a reader copies, looks again, and knows whether
what it has is whole. Words are aligned 8-byte stores, and stores keep their order on the bench's
processors (x86-64).

Shared, the ring lies in an anonymous memory file (Linux memfd) that is sealed once it is mapped: it
cannot shrink under a reader, and nobody who is handed the descriptor can map it for writing.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from contextlib import suppress
from typing import Final

OPERATION_KIND: Final = 3
"""Entries that hold an `Operation`; 1 and 2 are the cycles and events of `hil.recording`."""

MAGIC: Final = 0x454C45544C4948  # "HILTELE" in memory order
HEADER_BYTES: Final = 256
HEAD_BYTES: Final = 16
"""Head of a slot: its word, then kind and size."""
DEFAULT_SLOTS: Final = 8192
DEFAULT_SLOT_BYTES: Final = 1024

_MAGIC, _SLOTS, _SLOT_BYTES = 0, 1, 2
_HEAD: Final = 8  # on a cache line of its own
_F_SEAL_FUTURE_WRITE: Final = 0x10  # fcntl(2), Linux 5.1; maps that exist keep their rights
_SIZE_SHIFT: Final = 32
_KIND_MASK: Final = (1 << _SIZE_SHIFT) - 1


class Telemetry:
    """The writer's end.

    Args:
        buffer: memory prepared by `local` or `shared`.
        fd: descriptor of its memory file, owned from now on; -1 for none.
    """

    __slots__ = ("_buffer", "_fd", "_head", "_payload_bytes", "_slot_bytes", "_slots", "_view",
                 "_words", "dropped")  # fmt: skip

    def __init__(self, buffer: bytearray | mmap.mmap, fd: int = -1) -> None:
        self._buffer = buffer
        self._fd = fd
        self._slots, self._slot_bytes = checked_layout(buffer)
        self._payload_bytes = self._slot_bytes - HEAD_BYTES
        self._view = memoryview(buffer)
        self._words = self._view.cast("B").cast("Q")
        self._head = self._words[_HEAD]
        self.dropped = 0
        """Entries that were too long for a slot."""

    @classmethod
    def local(cls, slots: int = DEFAULT_SLOTS, slot_bytes: int = DEFAULT_SLOT_BYTES) -> Telemetry:
        """Make a ring in this process's memory, for tests and dry runs.

        Args:
            slots: entries that it holds, at least 1.
            slot_bytes: size of one slot, its 16-byte head included; a multiple of 8.

        Raises:
            ValueError: if a size is out of range.
        """
        buffer = bytearray(_ring_bytes(slots, slot_bytes))
        _write_header(buffer, slots, slot_bytes)
        return cls(buffer)

    @classmethod
    def shared(cls, slots: int = DEFAULT_SLOTS, slot_bytes: int = DEFAULT_SLOT_BYTES) -> Telemetry:
        """Make a ring that other processes can read by `fileno()` (Linux).

        Args:
            slots: entries that it holds, at least 1.
            slot_bytes: size of one slot, its 16-byte head included; a multiple of 8.

        Raises:
            ValueError: if a size is out of range.
            OSError: if the memory is refused.
        """
        size = _ring_bytes(slots, slot_bytes)
        fd = os.memfd_create("hil-telemetry", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(fd, size)
            mapping = mmap.mmap(fd, size)
            _seal(fd)
        except BaseException:
            os.close(fd)
            raise
        mapping[:] = bytes(size)  # touch every page now, so that the loop never faults one in
        _write_header(mapping, slots, slot_bytes)
        return cls(mapping, fd)

    @property
    def buffer(self) -> bytearray | mmap.mmap:
        """The memory, for a `TelemetryReader` in this process."""
        return self._buffer

    @property
    def payload_bytes(self) -> int:
        """Largest payload of one entry [bytes]."""
        return self._payload_bytes

    @property
    def pushed(self) -> int:
        """Entries put in since the start."""
        return self._head

    def fileno(self) -> int:
        """Return the descriptor of shared memory.

        Raises:
            ValueError: if this ring is local or released.
        """
        if self._fd < 0:
            raise ValueError("this ring has no shared memory: make it with Telemetry.shared()")
        return self._fd

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> None:
        """Put one entry in place of the oldest; never waits.

        Args:
            kind: what the entry is, 0 to 2³² - 1.
            payload: contiguous bytes, at most `payload_bytes`; longer ones are counted as dropped.
        """
        size = len(payload)
        if size > self._payload_bytes:
            self.dropped += 1
            return
        head = self._head
        offset = HEADER_BYTES + (head % self._slots) * self._slot_bytes
        words, word = self._words, offset >> 3
        words[word] = 2 * head + 1
        words[word + 1] = size << _SIZE_SHIFT | kind
        offset += HEAD_BYTES
        self._view[offset : offset + size] = payload
        words[word] = 2 * head + 2
        self._head = words[_HEAD] = head + 1

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        self._words.release()
        self._view.release()
        if isinstance(self._buffer, mmap.mmap):
            with suppress(BufferError):  # a reader in this process still looks at it
                self._buffer.close()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class TelemetryReader:
    """One onlooker's end; it maps the memory read-only and leaves no trace in it.

    It begins with the oldest entry that is still there.

    Args:
        source: descriptor of a shared ring (which stays the caller's), or the buffer of a local
            one.

    Raises:
        ValueError: if there is no ring in it.
        OSError: if the descriptor cannot be mapped.
    """

    __slots__ = ("_mapping", "_next", "_slot_bytes", "_slots", "_view", "_words", "memory",
                 "missed")  # fmt: skip

    def __init__(self, source: int | bytearray | mmap.mmap) -> None:
        self._mapping: mmap.mmap | None = None
        self.memory: tuple[int, int] | None = None
        """Device and number of the memory file, which no other one has while this is mapped."""
        if isinstance(source, int):
            state = os.fstat(source)
            size, self.memory = state.st_size, (state.st_dev, state.st_ino)
            if size < HEADER_BYTES:
                raise ValueError(f"memory of {size} bytes: a ring's header is {HEADER_BYTES}")
            source = self._mapping = mmap.mmap(source, size, access=mmap.ACCESS_READ)
        self._slots, self._slot_bytes = checked_layout(source)
        self._view = memoryview(source).toreadonly()
        self._words = self._view.cast("B").cast("Q")
        self._next = max(0, self._words[_HEAD] - self._slots)
        self.missed = 0
        """Entries that were overwritten before they were read here."""

    def read(self, limit: int = 4096) -> list[tuple[int, bytes]]:
        """Return what came since the last call, oldest first; never waits.

        Args:
            limit: most entries to return; the rest stays for the next call.
        """
        view, words = self._view, self._words
        slots, slot_bytes = self._slots, self._slot_bytes
        found: list[tuple[int, bytes]] = []
        position, head = self._next, words[_HEAD]
        if head - position > slots:
            position = self._skip(head - slots)
        while position < head and len(found) < limit:
            offset = HEADER_BYTES + (position % slots) * slot_bytes
            word, whole = offset >> 3, 2 * position + 2
            if words[word] == whole:
                description = words[word + 1]
                offset += HEAD_BYTES
                payload = bytes(view[offset : offset + (description >> _SIZE_SHIFT)])
                if words[word] == whole:
                    found.append((description & _KIND_MASK, payload))
                    self._next = position = position + 1
                    continue
            # The writer has come round. Part of the ring is left to it, or it would do so again.
            head = words[_HEAD]
            position = self._skip(max(position + 1, head - slots + slots // 8))
        return found

    def _skip(self, position: int) -> int:
        self.missed += position - self._next
        self._next = position
        return position

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        self._words.release()
        self._view.release()
        if self._mapping is not None:
            self._mapping.close()


def checked_layout(buffer: bytearray | mmap.mmap) -> tuple[int, int]:
    """Return slots and bytes of a slot of the ring in a buffer.

    Raises:
        ValueError: if it holds no ring, or is too short for the one it announces.
    """
    size = len(buffer)
    if size >= HEADER_BYTES:
        with memoryview(buffer) as view, view.cast("B")[:HEADER_BYTES].cast("Q") as words:
            magic, slots, slot_bytes = words[_MAGIC], words[_SLOTS], words[_SLOT_BYTES]
        whole = slots >= 1 and slot_bytes > HEAD_BYTES and slot_bytes % 8 == 0
        if magic == MAGIC and whole and size >= HEADER_BYTES + slots * slot_bytes:
            return slots, slot_bytes
    raise ValueError(f"buffer of {size} bytes does not hold a ring of telemetry")


def _ring_bytes(slots: int, slot_bytes: int) -> int:
    if slots < 1:
        raise ValueError(f"slots = {slots}: at least 1 is needed")
    if slot_bytes <= HEAD_BYTES or slot_bytes % 8:
        raise ValueError(
            f"slot_bytes = {slot_bytes} bytes: a multiple of 8 above {HEAD_BYTES} is needed"
        )
    return HEADER_BYTES + slots * slot_bytes


def _write_header(buffer: bytearray | mmap.mmap, slots: int, slot_bytes: int) -> None:
    with memoryview(buffer) as view, view.cast("B")[:HEADER_BYTES].cast("Q") as words:
        words[_SLOTS] = slots
        words[_SLOT_BYTES] = slot_bytes
        words[_MAGIC] = MAGIC


def _seal(fd: int) -> None:
    """Fix the size, and forbid maps for writing that do not exist yet."""
    size_seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
    try:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, size_seals | _F_SEAL_FUTURE_WRITE)
    except OSError:  # an older kernel: there the descriptor handed out is read-only, no more
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, size_seals)

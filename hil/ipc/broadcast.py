"""A broadcast from one process to any number of observers: a ring with one writer, and readers.

The writer overwrites the oldest entry and never looks at a reader, so no reader, slow, stopped or
gone, can touch the loop. Every slot has a word of its own that is odd while the slot is being
written and else names the entry in it (a seqlock): a reader copies, looks again, and knows whether
what it has is whole.

Shared, the memory is sealed once it is mapped: it cannot shrink under a reader, and nobody who is
handed the descriptor can map it for writing.
"""

import mmap
import os
from typing import ClassVar, Final

from hil.ipc.memory import HEADER_BYTES, Buffer, Slots

HEAD_BYTES: Final = 16
"""Head of a slot: its word, then kind and size."""

_HEAD: Final = 8  # on a cache line of its own
_SIZE_SHIFT: Final = 32
_KIND_MASK: Final = (1 << _SIZE_SHIFT) - 1


class _BroadcastSlots(Slots):
    __slots__ = ()

    magic: ClassVar = 0x454C45544C4948  # "HILTELE" in memory order
    head_bytes: ClassVar = HEAD_BYTES
    sealed: ClassVar = True


class Broadcast(_BroadcastSlots):
    """The writer's end."""

    __slots__ = ("_head", "dropped")

    def __init__(self, buffer: Buffer, fd: int = -1) -> None:
        super().__init__(buffer, fd)
        self._head = self._words[_HEAD]
        self.dropped = 0
        """Entries that were too long for a slot."""

    @property
    def pushed(self) -> int:
        """Entries put in since the start."""
        return self._head

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> None:
        """Put one entry in place of the oldest; never waits.

        One that is longer than `payload_bytes` is counted as dropped. A kind is 0 to 2³² - 1.
        """
        size = len(payload)
        if size > self.payload_bytes:
            self.dropped += 1
            return
        head = self._head
        offset = HEADER_BYTES + (head % self.capacity) * self.slot_bytes
        words, word = self._words, offset >> 3
        words[word] = 2 * head + 1
        words[word + 1] = size << _SIZE_SHIFT | kind
        offset += HEAD_BYTES
        self._view[offset : offset + size] = payload
        words[word] = 2 * head + 2
        self._head = words[_HEAD] = head + 1


class BroadcastReader(_BroadcastSlots):
    """One onlooker's end; it maps the memory read-only and leaves no trace in it.

    It begins with the oldest entry that is still there.

    Args:
        source: descriptor of shared memory (which stays the caller's), or the buffer of local one.
    """

    __slots__ = ("_next", "_owned", "memory", "missed")

    def __init__(self, source: int | Buffer) -> None:
        self.memory: tuple[int, int] | None = None
        """Device and number of the memory file, which no other one has while this is mapped."""
        self._owned = isinstance(source, int)
        if isinstance(source, int):
            state = os.fstat(source)
            size, self.memory = state.st_size, (state.st_dev, state.st_ino)
            source = mmap.mmap(source, size, access=mmap.ACCESS_READ) if size else bytearray()
        super().__init__(source)
        self._words.release()
        self._view = self._view.toreadonly()
        self._words = self._view.cast("B").cast("Q")
        self._next = max(0, self._words[_HEAD] - self.capacity)
        self.missed = 0
        """Entries that were overwritten before they were read here."""

    def read(self, limit: int = 4096) -> list[tuple[int, bytes]]:
        """Return what came since the last call, oldest first, at most so many; never waits."""
        view, words = self._view, self._words
        slots, slot_bytes = self.capacity, self.slot_bytes
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
        if not self._owned:  # it is the writer's
            self.buffer = bytearray()
        super().release()

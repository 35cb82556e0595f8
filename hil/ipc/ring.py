"""A bounded ring between a loop, which must never wait, and one reader, which may be slow.

One producer, one consumer, slots of one size. The producer alone writes `head` and `dropped`; the
consumer alone writes `tail`. The head moves only after its slot is filled. A full ring drops the
newest entry and counts it.
"""

import struct
from collections.abc import Iterator
from typing import ClassVar, Final

from hil.ipc.memory import HEADER_BYTES, Buffer, Slots

# Words of the header. Producer's and consumer's words lie on cache lines of their own; those of the
# consumer from 17 on are its own report.
_HEAD, _DROPPED, _CLOSED = 8, 9, 10
_TAIL = 16

_SLOT_HEAD: Final = struct.Struct("<II")  # kind, bytes of payload
HEAD_BYTES: Final = _SLOT_HEAD.size
"""Size of a slot's head, before its payload."""


class Ring(Slots):
    """Single-producer single-consumer ring of fixed-size slots over a writable buffer."""

    __slots__ = ("_head", "_tail")

    magic: ClassVar = 0x474E49524C4948  # "HILRING" in memory order
    head_bytes: ClassVar = HEAD_BYTES

    def __init__(self, buffer: Buffer, fd: int = -1) -> None:
        super().__init__(buffer, fd)
        self._head = self._words[_HEAD]
        self._tail = self._words[_TAIL]

    # --- producer ------------------------------------------------------------------------------

    def push(self, kind: int, payload: bytes | bytearray | memoryview) -> bool:
        """Put one entry in; never waits and never raises for lack of space.

        Args:
            kind: what the entry is, 0 to 2³² - 1.
            payload: contiguous; one of more than `payload_bytes` is dropped.

        Returns:
            Whether it is in the ring; else it is counted as dropped.
        """
        head = self._head
        words = self._words
        size = len(payload)
        if head - words[_TAIL] >= self.capacity or size > self.payload_bytes:
            words[_DROPPED] += 1
            return False
        offset = HEADER_BYTES + (head % self.capacity) * self.slot_bytes
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
        view = self._view
        for position in range(self._tail, self._words[_HEAD]):
            offset = HEADER_BYTES + (position % self.capacity) * self.slot_bytes
            kind, size = _SLOT_HEAD.unpack_from(view, offset)
            payload = bytes(view[offset + 8 : offset + 8 + size])
            self._tail = self._words[_TAIL] = position + 1
            yield kind, payload

    def read_on(self) -> Iterator[tuple[int, memoryview]]:
        """Yield what was not read yet, oldest first, as it lies in the ring's own memory.

        Nothing is given back to the producer: one that attaches after this consumer has died reads
        the same entries again, from the first that `give_back` left.

        Returns:
            Position of the first, and slots: kind and size of the payload (4 bytes each), payload.
        """
        end = self._words[_HEAD]
        while self._tail < end:
            position, place = self._tail, self._tail % self.capacity
            count = min(end - position, self.capacity - place)
            start = HEADER_BYTES + place * self.slot_bytes
            self._tail += count
            yield position, self._view[start : start + count * self.slot_bytes]

    def give_back(self, position: int | None = None) -> None:
        """Let the producer have the slots before a position; of all that was read if left out."""
        self._words[_TAIL] = self._tail if position is None else position

    def begin_again(self) -> None:
        """Read on where another consumer of this memory left off when it died."""
        self._tail = self._words[_TAIL]

    # --- both ----------------------------------------------------------------------------------

    @property
    def pushed(self) -> int:
        """Entries put in since the start."""
        return self._words[_HEAD]

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

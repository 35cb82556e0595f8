"""The newest word of one process to another: it wins, and nothing queues.

One writer, one reader, one slot; neither ever waits for the other. A counter that is odd while the
writer is at work (a seqlock) shows a torn slot, and a CRC-32 over the fields and the counter again
a damaged one; both are counted, and are as good as silence. What was taken is not taken again. So a
writer that comes back from a stall cannot have its old words obeyed.

What the fields mean is its owner's: a subclass names their layout and writes and reads values.
"""

from binascii import crc32
from struct import Struct
from typing import Any, ClassVar, Final, Self

from hil.ipc.memory import Buffer, Memory, memory_file

_WORD_BYTES: Final = 8
_CRC_BYTES: Final = 4
_CRC_RESIDUE: Final = 0x2144DF1C
"""CRC-32 of anything that is followed by its own CRC-32, least byte first."""


class Latest(Memory):
    """One set of fields in shared memory, and behind it an attachment that changes rarely.

    Memory: the counter; then the fields behind the counter again; their CRC-32; the attachment,
    of which number, size and CRC-32 are the last three fields. It is copied only when its number
    has changed.

    Args:
        buffer: at least `slot_bytes` bytes; zeros are an empty slot.
        fd: descriptor of its memory, owned from now on; -1 for none.

    Raises:
        ValueError: if the buffer is too short.
    """

    __slots__ = ("_read", "_serial", "_word", "_written", "attachment", "corrupt", "torn")

    slot_bytes: ClassVar[int]
    _body: ClassVar[Struct]
    _end: ClassVar[int]
    _attachment_offset: ClassVar[int]
    _attachment_max_bytes: ClassVar[int]

    def __init_subclass__(cls, *, fields: str, attachment_max_bytes: int = 0) -> None:
        """Lay out the memory.

        Args:
            fields: as of `struct`, without a mark of order; little-endian.
            attachment_max_bytes: 0 if nothing is ever attached.
        """
        super().__init_subclass__()
        cls._body = Struct(f"<Q{fields}{'QII' if attachment_max_bytes else ''}")
        cls._end = _WORD_BYTES + cls._body.size + _CRC_BYTES
        cls._attachment_max_bytes = attachment_max_bytes
        cls._attachment_offset = -(-cls._end // _WORD_BYTES) * _WORD_BYTES
        attached = cls._attachment_offset + attachment_max_bytes
        cls.slot_bytes = attached if attachment_max_bytes else cls._end

    def __init__(self, buffer: Buffer, fd: int = -1) -> None:
        if len(buffer) < self.slot_bytes:
            raise ValueError(f"a slot of {len(buffer)} bytes; {self.slot_bytes} are needed")
        super().__init__(buffer, fd)
        # One aligned 8-byte store and load; packing byte by byte could itself be torn.
        self._word = memoryview(buffer)[:_WORD_BYTES].cast("Q")
        # Odd if the last writer died over it; the next word mends that.
        self._written = self._word[0] + self._word[0] % 2
        self._read = self._serial = 0
        self.attachment = b""
        """What came with the fields that were read last."""
        self.torn = 0
        """Looks at a slot that was being written, or whose writer died over it."""
        self.corrupt = 0
        """Fields with a wrong checksum or impossible content."""

    @classmethod
    def local(cls) -> Self:
        """A slot in this process's memory, for tests and both ends in one process."""
        return cls(bytearray(cls.slot_bytes))

    @classmethod
    def shared(cls) -> Self:
        """A slot that another process can attach to by `fileno()` (Linux)."""
        return cls(*memory_file(f"hil-{cls.__name__.lower()}", cls.slot_bytes))

    def put(self, *fields: Any, attachment: bytes = b"", serial: int = 0) -> None:
        """Replace what is in the slot: all fields, in the order of the layout.

        Args:
            serial: of the attachment; another one for another attachment.

        Raises:
            ValueError: if the attachment is too long.
        """
        most = self._attachment_max_bytes
        if attachment and len(attachment) > most:
            raise ValueError(f"an attachment of {len(attachment)} bytes; at most {most} bytes")
        if most:
            fields += (serial, len(attachment), crc32(attachment))
        counter, buffer, word = self._written + 2, self.buffer, self._word
        body = self._body.pack(counter, *fields)
        checked = body + crc32(body).to_bytes(_CRC_BYTES, "little")
        word[0] = counter - 1
        buffer[_WORD_BYTES : self._end] = checked
        if attachment:
            begin = self._attachment_offset
            buffer[begin : begin + len(attachment)] = attachment
        word[0] = self._written = counter

    @property
    def pending(self) -> bool:
        """Whether something was put that was not looked at."""
        return self._word[0] != self._read

    def get(self) -> tuple[Any, ...] | None:
        """Return the newest fields; None if there are none that are new and can be trusted."""
        counter = self._word[0]
        if counter == self._read:
            return None
        checked = self.buffer[_WORD_BYTES : self._end]  # a copy
        fields, attachment = self._body.unpack_from(checked), None
        if self._attachment_max_bytes and fields[-3] != self._serial:
            begin, size = self._attachment_offset, min(fields[-2], self._attachment_max_bytes)
            attachment = bytes(self.buffer[begin : begin + size])
        if counter % 2 or self._word[0] != counter:
            self.torn += 1
            return None
        self._read = counter
        if crc32(checked) != _CRC_RESIDUE or fields[0] != counter:
            self.corrupt += 1
            return None
        if attachment is not None:
            if crc32(attachment) != fields[-1]:
                self.corrupt += 1
                return None
            self._serial, self.attachment = fields[-3], attachment
        return fields[1:]

    def release(self) -> None:
        """Let go of the memory; harmless when repeated."""
        self._word.release()
        super().release()

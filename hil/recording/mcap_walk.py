"""Finding the records of an MCAP file that may be damaged anywhere, or cut off.

A record is an opcode byte, an 8-byte length and that many bytes (mcap.dev/spec, "Records"). Every
kind of record has a form in which the lengths of its parts must add up to its own, so a head with a
wrong bit is seen at once; then the next place is looked for at which records fit again. What lies
between is damage, and costs no more than the record that it begins in.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

MAGIC: Final = b"\x89MCAP0\r\n"
HEAD: Final = struct.Struct("<BQ")
"""Of a record: opcode, bytes that follow."""
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX = 1, 2, 3, 4, 5, 6, 7
CHUNK_INDEX, ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA = 8, 9, 10, 11, 12
METADATA_INDEX, SUMMARY_OFFSET, DATA_END = 13, 14, 15

TEXT, LONG = -4, -8
"""A part that tells its length in 4 or in 8 bytes before it."""
FORMS: Final[dict[int, tuple[int, ...]]] = {
    HEADER: (TEXT, TEXT),
    FOOTER: (20,),
    SCHEMA: (2, TEXT, TEXT, TEXT),
    CHANNEL: (4, TEXT, TEXT, TEXT),
    CHUNK: (28, TEXT, LONG),
    MESSAGE_INDEX: (2, TEXT),
    CHUNK_INDEX: (32, TEXT, 8, TEXT, 16),
    ATTACHMENT: (16, TEXT, TEXT, LONG, 4),
    ATTACHMENT_INDEX: (40, TEXT, TEXT),
    STATISTICS: (42, TEXT),
    METADATA: (TEXT, TEXT),
    METADATA_INDEX: (16, TEXT),
    SUMMARY_OFFSET: (17,),
    DATA_END: (4,),
}
"""Parts of each kind of record: so many bytes, or a length and as many."""

_LIKELY: Final = re.compile(rb"(?=[\x01-\x04\x06-\x0f].{5}\x00{3})", re.DOTALL)  # below 1 TB
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Found:
    """A record whose parts fit."""

    opcode: int
    at: int
    """First byte of its head."""
    length: int
    """Bytes behind the head."""

    @property
    def body(self) -> int:
        """First byte behind the head."""
        return self.at + HEAD.size


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes that are no record."""

    at: int
    size: int
    """How many; 0 if what is wrong is at no place of the file."""
    why: str

    def __str__(self) -> str:
        return f"byte {self.at}: {self.why}" if self.size else self.why


class Walk:
    """One pass over the heads of a file's records; nothing is unpacked."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = file.seek(0, 2)
        self.finished = False
        """Whether the file was closed properly; known after `pieces`."""

    def pieces(self) -> Iterator[Found | Damaged]:
        """Yield records and damage, in order, to the end or to where the file was cut off.

        Raises:
            ValueError: if the file does not begin as MCAP; the text is what it begins with.
        """
        begin = self._read(0, len(MAGIC))
        if begin != MAGIC:
            if not MAGIC.startswith(begin) and not (_nearly(begin) and self._fits(len(MAGIC))):
                raise ValueError(repr(begin))
            if len(begin) == len(MAGIC):
                yield Damaged(0, len(MAGIC), "the mark at the beginning is damaged")
        at, closed = len(MAGIC), False
        while at < self._size:
            found = self._fits(at)
            if found is None:
                if closed and self._size - at == len(MAGIC) and _nearly(self._read(at, 8)):
                    self.finished = True
                    if self._read(at, len(MAGIC)) != MAGIC:
                        yield Damaged(at, len(MAGIC), "the mark at the end is damaged")
                    return
                after = self._next_fitting(at + 1)
                if after is None:
                    return  # the last record is not whole: the file was cut off in it
                yield Damaged(at, after - at, "a record is damaged")
                at = after
                continue
            closed = closed or found.opcode in (DATA_END, FOOTER)
            yield found
            at = found.body + found.length

    def _fits(self, at: int) -> Found | None:
        """The record at a place, if it is whole and its parts add up to its length."""
        head = self._read(at, HEAD.size)
        if len(head) < HEAD.size:
            return None
        opcode, length = HEAD.unpack(head)
        place = at + HEAD.size
        end = place + length
        if opcode not in FORMS or end > self._size:
            return None
        for part in FORMS[opcode]:
            if part < 0:
                size_field = self._read(place, -part)
                if len(size_field) < -part:
                    return None
                place += -part + int.from_bytes(size_field, "little")
            else:
                place += part
            if place > end:
                return None
        return Found(opcode, at, length) if place == end else None

    def _next_fitting(self, start: int) -> int | None:
        """The first place from there on at which a record fits and what follows it does, too."""
        for place in self._likely(start):
            found = self._fits(place)
            if found is not None and self._goes_on(found):
                return place
        # Nothing fits any more but, perhaps, the mark at the end of a file whose footer is damaged.
        last = self._size - len(MAGIC)
        return last if start <= last and self._read(last, len(MAGIC)) == MAGIC else None

    def _goes_on(self, found: Found) -> bool:
        after = found.body + found.length
        head = self._read(after, HEAD.size)
        if len(head) < HEAD.size:
            return MAGIC.startswith(head[: len(MAGIC)]) or not head or head[0] in FORMS
        opcode, length = HEAD.unpack(head)
        cut_off = opcode in FORMS and after + HEAD.size + length > self._size
        return cut_off or self._fits(after) is not None

    def _likely(self, start: int) -> Iterator[int]:
        """Places at which there may be a head, in order."""
        while start < self._size:
            block = self._read(start, _BLOCK + HEAD.size - 1)
            for match in _LIKELY.finditer(block):
                if match.start() < _BLOCK:
                    yield start + match.start()
            start += _BLOCK

    def _read(self, at: int, count: int) -> bytes:
        self._file.seek(at)
        return self._file.read(count)


def _nearly(begin: bytes) -> bool:
    """The mark with at most one byte changed."""
    return len(begin) == len(MAGIC) and sum(a != b for a, b in zip(begin, MAGIC, strict=True)) <= 1

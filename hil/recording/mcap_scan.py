"""Walking through an MCAP file that may end anywhere or be damaged, with bounded memory.

The file is a sequence of records, each an opcode byte, an 8-byte length and that many bytes
(mcap.dev/spec, "Records"). Only complete records count; a chunk counts only if it unpacks to the
announced size and checksum. So any prefix of a file gives a prefix of its messages.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Final, NamedTuple

import zstandard
from mcap import records as mcap_records
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode

from hil.recording.header import RecordingError

MAGIC: Final = b"\x89MCAP0\r\n"
_RECORD_HEAD: Final = struct.Struct("<BQ")
_MESSAGE_HEAD: Final = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
_UNREADABLE: Final = (McapError, struct.error, ValueError, zstandard.ZstdError)


@dataclass(frozen=True, slots=True)
class Caps:
    """Most memory a recording may ask for [bytes].

    Args:
        record: one record of the file.
        chunk: one chunk after decompression.
        total: all chunks after decompression.
    """

    record: int = 64 * 1024 * 1024
    chunk: int = 64 * 1024 * 1024
    total: int = 16 * 1024 * 1024 * 1024


class Message(NamedTuple):
    """One message."""

    channel_id: int
    log_time_ns: int
    data: bytes


class Channel(NamedTuple):
    """What a channel number stands for."""

    id: int
    topic: str


class Metadata(NamedTuple):
    """A named table of text."""

    name: str
    values: dict[str, str]


class Attached(NamedTuple):
    """A file within the file."""

    name: str
    data: bytes


Record = Message | Channel | Metadata | Attached


class Scan:
    """One pass over a file.

    Args:
        path: the file.
        caps: most memory to spend.
    """

    def __init__(self, path: Path, caps: Caps) -> None:
        self._path = path
        self._caps = caps
        self._unpacked = 0
        self.finished = False
        """Whether the file was closed properly; known after `records`."""
        self.damage = ""
        """What ended the pass early, other than the end of the file; known after `records`."""

    def records(self) -> Iterator[Record]:
        """Yield what the data section holds, in order, up to the end or the first damage.

        Raises:
            RecordingError: if the file is not MCAP or asks for more memory than the caps.
            OSError: if it cannot be read.
        """
        with self._path.open("rb") as file:
            magic = file.read(len(MAGIC))
            if not MAGIC.startswith(magic):
                raise RecordingError(f"{self._path}: not a recording: it begins with {magic!r}")
            size = file.seek(0, 2)
            file.seek(len(magic))
            while (head := self._next_head(file, size)) is not None:
                opcode, length = head
                at = file.tell()
                if opcode == Opcode.DATA_END:
                    self.finished = _ends_with_magic(file)
                    return
                try:
                    yield from self._parse(opcode, file.read(length))
                except _UNREADABLE as error:
                    self.damage = f"{self._path}: record at byte {at} is damaged: {error!r}"
                    return

    def _next_head(self, file: IO[bytes], size: int) -> tuple[int, int] | None:
        head = file.read(_RECORD_HEAD.size)
        if len(head) < _RECORD_HEAD.size:
            return None
        opcode, length = _RECORD_HEAD.unpack(head)
        if length > size - file.tell():
            return None
        self._check_cap("record", length, self._caps.record)
        return opcode, length

    def _parse(self, opcode: int, payload: bytes) -> list[Record]:
        if opcode == Opcode.CHUNK:
            return self._chunk(mcap_records.Chunk.read(_stream(payload)))
        if opcode == Opcode.METADATA:
            metadata = mcap_records.Metadata.read(_stream(payload))
            return [Metadata(metadata.name, dict(metadata.metadata))]
        if opcode == Opcode.ATTACHMENT:
            if struct.unpack("<I", payload[-4:])[0] != zlib.crc32(payload[:-4]):
                raise ValueError("checksum of the attachment differs")
            attachment = mcap_records.Attachment.read(_stream(payload))
            return [Attached(attachment.name, attachment.data)]
        return []

    def _chunk(self, chunk: mcap_records.Chunk) -> list[Record]:
        size = chunk.uncompressed_size
        self._check_cap("chunk", size, self._caps.chunk)
        self._unpacked += size
        self._check_cap("sum of all chunks", self._unpacked, self._caps.total)
        data = _decompress(chunk.compression, chunk.data, size)
        if len(data) != size:
            raise ValueError(f"chunk does not unpack to the announced {size} bytes")
        if chunk.uncompressed_crc and chunk.uncompressed_crc != zlib.crc32(data):
            raise ValueError("checksum of the chunk differs")
        return list(_inner_records(data))

    def _check_cap(self, what: str, value: int, limit: int) -> None:
        if value > limit:
            raise RecordingError(f"{self._path}: {what} of {value} bytes, limit {limit} bytes")


def _inner_records(data: bytes) -> Iterator[Record]:
    position = 0
    while position < len(data):
        opcode, length = _RECORD_HEAD.unpack_from(data, position)
        position += _RECORD_HEAD.size
        payload = data[position : position + length]
        if len(payload) < length:
            raise ValueError("record reaches beyond its chunk")
        position += length
        if opcode == Opcode.MESSAGE:
            channel_id, _, log_time_ns, _ = _MESSAGE_HEAD.unpack_from(payload)
            yield Message(channel_id, log_time_ns, payload[_MESSAGE_HEAD.size :])
        elif opcode == Opcode.CHANNEL:
            channel = mcap_records.Channel.read(_stream(payload))
            yield Channel(channel.id, channel.topic)


def _decompress(compression: str, data: bytes, size: int) -> bytes:
    if compression == "":
        return data
    if compression != "zstd":
        raise ValueError(f"compression {compression!r}; zstd or none can be read")
    # One byte more than announced is enough to see that a chunk is larger than it says, and no
    # more is ever unpacked, whatever the compressed stream claims of itself.
    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    with decompressor.stream_reader(BytesIO(data)) as stream:
        return stream.read(size + 1)


def _stream(payload: bytes) -> ReadDataStream:
    return ReadDataStream(BytesIO(payload))


def _ends_with_magic(file: IO[bytes]) -> bool:
    file.seek(-len(MAGIC), 2)
    return file.read() == MAGIC

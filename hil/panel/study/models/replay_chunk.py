"""A chunk of a recording: where it is, and its messages once it is unpacked (mcap.dev/spec)."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from hil.recording.mcap_walk import HEAD as RECORD_HEAD
from hil.recording.mcap_walk import MESSAGE

_MESSAGE_HEAD: Final = struct.Struct("<HIQ")  # channel, sequence, log time
MESSAGE_HEAD_BYTES: Final = RECORD_HEAD.size + 22
"""Of a message within a chunk, before its JSON: record's head, channel, sequence, two times."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """One chunk that can be unpacked.

    Args:
        at: first byte of its packed data in the file.
        packed: how many bytes that are.
        size: unpacked [bytes].
        crc: checksum of the unpacked data; 0 if there is none.
        compression: ``"zstd"`` or empty.
        first: number of its first frame in the recording.
        cycles: place of each frame's message within the chunk.
        part: number of its file among those of the run, from 0.
    """

    at: int
    packed: int
    size: int
    crc: int
    compression: str
    first: int
    cycles: NDArray[np.int64]
    events: NDArray[np.int64]
    part: int = 0


class Entry(NamedTuple):
    """Where a message is in a chunk, and what its head says."""

    place: int
    channel: int
    sequence: int
    log_time_ns: int


def entries(data: bytes) -> Iterator[Entry]:
    """The messages of an unpacked chunk, in order."""
    place = 0
    while place + RECORD_HEAD.size <= len(data):
        opcode, length = RECORD_HEAD.unpack_from(data, place)
        if opcode == MESSAGE and place + MESSAGE_HEAD_BYTES <= len(data):
            yield Entry(place, *_MESSAGE_HEAD.unpack_from(data, place + RECORD_HEAD.size))
        place += RECORD_HEAD.size + length


def unpack(file: IO[bytes], chunk: Chunk) -> bytes:
    """The messages of a chunk.

    Raises:
        ValueError: if it is damaged.
        OSError: if it cannot be read.
    """
    file.seek(chunk.at)
    data = file.read(chunk.packed)
    if chunk.compression == "zstd":
        try:
            if zstandard.frame_content_size(data) > chunk.size:
                raise ValueError(f"chunk at byte {chunk.at} is larger than it says")
            data = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(
                data, max_output_size=chunk.size
            )
        except zstandard.ZstdError as error:
            raise ValueError(f"chunk at byte {chunk.at} cannot be unpacked: {error}") from error
    elif chunk.compression:
        raise ValueError(f"compression {chunk.compression!r}; zstd or none can be read")
    if len(data) != chunk.size or (chunk.crc and zlib.crc32(data) != chunk.crc):
        raise ValueError(f"checksum of the chunk at byte {chunk.at} differs")
    return data


def message_json(data: bytes, place: int) -> bytes:
    """JSON of the message at a place of a chunk.

    Raises:
        ValueError: if there is no whole message.
    """
    if not 0 <= place <= len(data) - MESSAGE_HEAD_BYTES:
        raise ValueError(f"message at {place} of a chunk of {len(data)} bytes")
    _, length = RECORD_HEAD.unpack_from(data, place)
    if length > len(data) - place - RECORD_HEAD.size:
        raise ValueError(f"message of {length} bytes reaches beyond its chunk")
    return data[place + MESSAGE_HEAD_BYTES : place + RECORD_HEAD.size + length]

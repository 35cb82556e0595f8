"""The contents of an MCAP file that may end anywhere or be damaged, read with bounded memory.

Only whole records count; a chunk counts only if it unpacks to the announced size and checksum, a
table or an attachment only with its checksum. So a wrong bit costs the chunk that it is in, and any
prefix of a file gives a prefix of its messages.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Final, NamedTuple

import zstandard
from mcap import records
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError

from hil.config.files import open_regular
from hil.recording import mcap_walk as walk
from hil.recording.header import RecordingError
from hil.recording.mcap_walk import Damaged, Found, Walk

CHECKSUM_KEY: Final = "crc32"
"""Key of a table of text with its checksum, as one more entry, because MCAP gives tables none."""

_UNREADABLE: Final = (McapError, struct.error, ValueError, zstandard.ZstdError)
_BLOCK: Final = 1 << 20
_INDICES: Final = (walk.MESSAGE_INDEX, walk.CHUNK_INDEX)


@dataclass(frozen=True, slots=True)
class Caps:
    """Most memory a recording may ask for [bytes]."""

    record: int = 64 * 1024 * 1024
    chunk: int = 64 * 1024 * 1024
    """Size of a chunk after decompression; `total` is the sum of all."""
    total: int = 16 * 1024 * 1024 * 1024
    growth: int = 100
    """Unpacked bytes to one of the file; a platform that rests is packed to a fifth."""
    small: int = 8 * 1024 * 1024
    """Unpacked bytes that are well, however small the file is."""
    objects: int = 100_000
    """Records on their own, events and damaged places, each counted; no bytes."""
    kept: int = 16 * 1024 * 1024
    """Rows in memory; of a platform 58 s at 500 Hz. Of more the places are kept."""
    piece: int = 2 * 1024 * 1024
    """Rows of a longer recording that are looked at at once, about."""
    ahead: int = 192 * 1024 * 1024
    """Columns of a longer recording that are read at once; all of 10 min of a platform."""
    beside: int = 8
    """Records that belong to a chunk: it, its indices and its line in the summary."""

    def unpacked(self, size: int) -> int:
        """Most bytes that the chunks of a file of a size may unpack to."""
        return min(self.total, max(self.small, self.growth * size))


class Unpacked(NamedTuple):
    """A chunk, and what it holds."""

    piece: Found
    data: bytes


class Scan:
    """One look at a file: what it says of its run, then its messages.

    Raises:
        RecordingError: if the file is not MCAP, or asks for more memory than the caps.
        OSError: if it cannot be read.
    """

    def __init__(self, path: Path, caps: Caps) -> None:
        self.path = path
        """The file."""
        self.caps = caps
        self._unpacked = 0
        self.facts: list[records.Metadata | records.Attachment] = []
        """Tables and attachments, wherever they are."""
        self.channels: list[records.Channel] = []
        """Those found outside the chunks, those of the file's end last."""
        self.damage: list[Damaged] = []
        """Damage that is in no chunk."""
        with open_regular(path) as file:
            walker = Walk(file)
            try:
                self._pieces = tuple(self._kept(walker.pieces()))
            except ValueError as error:
                text = f"{path}: not a recording: it begins with {error}"
                raise RecordingError(text) from None
            self.size = max(1, file.seek(0, 2))
            """Bytes of the file."""
            self.finished = walker.finished
            """Whether the file was closed properly."""
            found = [piece for piece in self._pieces if isinstance(piece, Found)]
            for piece in found:
                self._look_at(file, piece)
            if self.finished:
                self.damage += _checked(file, {piece.opcode: piece for piece in found})

    def _kept(self, pieces: Iterable[Found | Damaged]) -> Iterator[Found | Damaged]:
        """Those that are looked at again: an index says nothing that its chunk does not."""
        alone = 0
        for piece in pieces:
            of_chunk = isinstance(piece, Found) and piece.opcode == walk.CHUNK
            alone += 1 - self.caps.beside * of_chunk
            self.check_objects(alone)
            if isinstance(piece, Damaged) or piece.opcode not in _INDICES:
                yield piece

    def chunks(self) -> Iterator[Unpacked | Damaged]:
        """Yield the chunks, in order, and damage where it lies between them; raises as the scan."""
        with open_regular(self.path) as file:
            for piece in self._pieces:
                if isinstance(piece, Damaged):
                    yield piece
                elif piece.opcode == walk.CHUNK:
                    try:
                        data = self._unpack(file, piece)
                    except _UNREADABLE as error:
                        yield _damaged(piece, error)
                        continue
                    self._unpacked += len(data)
                    yield Unpacked(piece, data)

    def unpack_again(self, at: int, length: int) -> bytes:
        """Unpack once more the chunk at a place, which was read before.

        Raises:
            RecordingError: if it is not there any more.
        """
        try:
            with open_regular(self.path) as file:
                return self._unpack(file, Found(walk.CHUNK, at, length), again=True)
        except (*_UNREADABLE, OSError) as error:
            raise RecordingError(f"{self.path}: changed while it was read: {error}") from error

    def check_objects(self, count: int) -> None:
        """Refuse a file that would fill the memory with very many small things."""
        if count > self.caps.objects:
            what = f"records, events and damaged places, limit {self.caps.objects}"
            raise RecordingError(f"{self.path}: {count} or more {what}")

    def _look_at(self, file: IO[bytes], piece: Found) -> None:
        """Keep what a record outside the chunks says."""
        if piece.opcode not in (walk.METADATA, walk.ATTACHMENT, walk.CHANNEL):
            return
        payload = self._payload(file, piece)
        try:
            if piece.opcode == walk.METADATA:
                self.facts.append(_table_of(payload))
            elif piece.opcode == walk.ATTACHMENT:
                self.facts.append(_attached(payload))
            else:
                self.channels.append(channel_of(payload))
        except _UNREADABLE as error:
            if piece.opcode != walk.CHANNEL:  # the copy at the file's other end is as good
                self.damage.append(_damaged(piece, error))

    def _payload(self, file: IO[bytes], piece: Found) -> bytes:
        self._check_cap("record", piece.length, self.caps.record)
        return _read(file, piece.body, piece.length)

    def _unpack(self, file: IO[bytes], piece: Found, *, again: bool = False) -> bytes:
        chunk = records.Chunk.read(_stream(self._payload(file, piece)))
        size = chunk.uncompressed_size
        if size > self.caps.chunk:  # perhaps one wrong bit: it costs this chunk only
            raise ValueError(f"chunk of {size} bytes, limit {self.caps.chunk} bytes")
        if not again:
            most = self.caps.unpacked(self.size)
            self._check_cap("sum of all chunks", self._unpacked + size, most)
        data = _decompress(chunk.compression, chunk.data, size)
        if len(data) != size:
            raise ValueError(f"chunk does not unpack to the announced {size} bytes")
        if chunk.uncompressed_crc and chunk.uncompressed_crc != zlib.crc32(data):
            raise ValueError("checksum of the chunk differs")
        return data

    def _check_cap(self, what: str, value: int, limit: int) -> None:
        if value > limit:
            raise RecordingError(f"{self.path}: {what} of {value} bytes, limit {limit} bytes")


def checksum_of(values: Mapping[str, str]) -> str:
    """Checksum of a table of text, the entry `CHECKSUM_KEY` left out: hexadecimal."""
    pairs = sorted((key, value) for key, value in values.items() if key != CHECKSUM_KEY)
    joined = "\0".join(f"{key}\0{value}" for key, value in pairs)
    return f"{zlib.crc32(joined.encode()):08x}"


def channel_of(payload: bytes) -> records.Channel:
    """Read a channel's record; a `ValueError` if the table beside it is damaged."""
    channel = records.Channel.read(_stream(payload))
    _check_table(channel.metadata, f"what is said of {channel.topic!r}")
    return channel


def _table_of(payload: bytes) -> records.Metadata:
    table = records.Metadata.read(_stream(payload))
    _check_table(table.metadata, f"the table {table.name!r}")
    table.metadata.pop(CHECKSUM_KEY, None)
    return table


def _check_table(values: Mapping[str, str], what: str) -> None:
    """Refuse a table of text whose checksum differs; one without a checksum is believed."""
    if values.get(CHECKSUM_KEY, checksum_of(values)) != checksum_of(values):
        raise ValueError(f"checksum of {what} differs")


def _attached(payload: bytes) -> records.Attachment:
    if struct.unpack("<I", payload[-4:])[0] != zlib.crc32(payload[:-4]):
        raise ValueError("checksum of the attachment differs")
    return records.Attachment.read(_stream(payload))


def _damaged(piece: Found, error: Exception) -> Damaged:
    why = str(error) or repr(error)
    return Damaged(piece.at, walk.HEAD.size + piece.length, f"a record is damaged: {why}")


def _checked(file: IO[bytes], last: Mapping[int, Found]) -> Iterator[Damaged]:
    """Judge both parts of a finished file by the checksums at its end, if it has any (0 is none).

    They show damage that no record shows by itself, and not where it is. Of each kind of
    record the last is given.
    """
    end, footer = last.get(walk.DATA_END), last.get(walk.FOOTER)
    if end is not None and _differs(file, 0, end.at, end.body):
        yield Damaged(0, end.at, "the checksum of the data differs")
    if end is not None and footer is not None:
        start, stated_at = end.body + end.length, footer.body + 16
        if _differs(file, start, stated_at, stated_at):
            yield Damaged(start, stated_at + 4 - start, "the checksum of the summary differs")


def _differs(file: IO[bytes], start: int, end: int, sum_at: int) -> bool:
    """Whether the bytes from start to end have another checksum than the stored one, if any."""
    (stated,) = struct.unpack("<I", _read(file, sum_at, 4))
    crc = 0
    for at in range(start, end, _BLOCK) if stated else ():
        crc = zlib.crc32(_read(file, at, min(_BLOCK, end - at)), crc)
    return stated != crc


def _read(file: IO[bytes], at: int, count: int) -> bytes:
    file.seek(at)
    return file.read(count)


def _decompress(compression: str, data: bytes, size: int) -> bytes:
    if compression == "":
        return data
    if compression != "zstd":
        raise ValueError(f"compression {compression!r}; zstd or none can be read")
    # A frame that gives its size is unpacked to that size, any other to what was announced at most.
    if zstandard.frame_content_size(data) > size:
        raise ValueError(f"chunk does not unpack to the announced {size} bytes")
    return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(data, size)


def _stream(payload: bytes) -> ReadDataStream:
    return ReadDataStream(BytesIO(payload))

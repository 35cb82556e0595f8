"""Pictures of materials (PNG, ISO/IEC 15948): decoded once, kept without what is no picture.

A small file can stand for gigabytes, in its pixels and in texts beside them, and the engine's
decoder trusts it. So a picture is decoded here within a limit, and of its chunks only those go on
that pixels are made of.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

PNG: Final = b"\x89PNG\r\n\x1a\n"
SIDE_MAX: Final = 8192
"""Pixels of a texture's side at most."""
DECODED_MAX: Final = 70_000_000
"""Bytes of its pixels at most: 4096 x 4096 of four bytes, 4800 x 4800 of three."""
KEPT: Final = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
"""Chunks that pixels are made of."""
CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Numbers of a pixel by the colour type (table 11.1)."""
DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""Bits of a number by the colour type."""
PASSES: Final = (
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
    (0, 1, 1, 2),
)  # fmt: skip
"""First column and row, and steps, of the passes of an interlaced picture (section 8.2)."""

_HEAD: Final = struct.Struct(">IIBBBBB")


class TextureError(ValueError):
    """A file that is no picture that can be laid on anything; the text goes on from its name."""


def check_texture(data: bytes) -> bytes:
    """A picture, decoded to see that it is one, as the chunks that its pixels are made of.

    Raises:
        TextureError: if it is no PNG, is damaged, or has more pixels than are taken.
    """
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR" or len(chunks[0][1]) != _HEAD.size:
        raise TextureError("is no PNG; convert it")
    rows = _rows(chunks[0][1])
    if chunks[0][1][9] == 3 and not any(kind == b"PLTE" for kind, _ in chunks):
        raise TextureError("has no palette; export it again")
    _decode(rows, [body for kind, body in chunks if kind == b"IDAT"])
    kept = (_chunk(kind, body) for kind, body in chunks if kind in KEPT)
    return b"".join((PNG, *kept))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and body of each, up to the end of the picture; what follows that is none of it."""
    if not data.startswith(PNG):
        raise TextureError("is no PNG; convert it")
    at = len(PNG)
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        check = data[at + 8 + length : at + 12 + length]
        if len(body) != length or check != struct.pack(">I", zlib.crc32(kind + body)):
            break
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + length
    raise TextureError("is no PNG that is whole; export it again")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _rows(head: bytes) -> list[tuple[int, int]]:
    """Number of rows and bytes of a row, with its filter's, of each pass."""
    width, height, depth, colour, _, _, interlaced = _HEAD.unpack(head)
    if not 0 < width <= SIDE_MAX or not 0 < height <= SIDE_MAX:
        raise TextureError(f"has {width} x {height} pixels; at most {SIDE_MAX} each way")
    if depth not in DEPTHS.get(colour, ()) or head[10:12] != b"\0\0" or interlaced > 1:
        raise TextureError(f"has colours of type {colour}, {depth} bits; a PNG of the standard")
    found: list[tuple[int, int]] = []
    for x, y, dx, dy in PASSES if interlaced else ((0, 0, 1, 1),):
        columns, rows = -(-(width - x) // dx), -(-(height - y) // dy)
        if columns > 0 and rows > 0:
            found.append((rows, 1 + (columns * CHANNELS[colour] * depth + 7) // 8))
    size = sum(rows * row for rows, row in found)
    if size > DECODED_MAX:
        problem = f"has {width} x {height} pixels of {CHANNELS[colour] * depth} bits, {size} bytes"
        raise TextureError(f"{problem}; at most {DECODED_MAX} bytes")
    return found


def _decode(rows: list[tuple[int, int]], parts: list[bytes]) -> None:
    """See that the stream is as long as its rows, each with a filter that there is."""
    size = sum(count * row for count, row in rows)
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(b"".join(parts), size + 1)
    except zlib.error:
        data = b""
    if len(data) != size:
        raise TextureError(f"has not the {size} bytes that its pixels take; export it again")
    at = 0
    for count, row in rows:
        if max(data[at : at + count * row : row]) > 4:
            raise TextureError("has rows of no known filter; export it again")
        at += count * row

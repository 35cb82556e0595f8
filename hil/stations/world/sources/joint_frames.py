"""Frames of joint values over UDP, as copy mode reads them: one datagram is one frame.

Little-endian, without padding:

    offset  type     what
    0       4 bytes  ``HILJ``
    4       u16      version, 1
    6       u16      n, how many values follow
    8       u64      number of the frame, rising from frame to frame
    16      f64      time stamp of the sender [s], any zero, rising with the number
    24      n × f64  values: angles [rad] or ways [m]

A frame is 24 + 8 n bytes, no more and no less. What is not exactly that is dropped and counted.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"HILJ"
VERSION: Final = 1
HEAD: Final = struct.Struct("<4sHHQd")
"""Magic, version, count, number, time stamp."""


@dataclass(frozen=True, slots=True)
class JointFrame:
    """One frame that is whole."""

    number: int
    """Rising from frame to frame."""
    stamp_s: float
    """Of the sender."""
    values: tuple[float, ...]
    """[rad] or [m]."""


def read_frame(data: bytes, count: int) -> JointFrame | str:
    """Read a datagram.

    Args:
        count: how many values are wanted.

    Returns:
        The frame, or why it is none, in a word or two.
    """
    if len(data) < HEAD.size:
        return "truncated"
    magic, version, said, number, stamp_s = HEAD.unpack_from(data)
    if magic != MAGIC:
        return "no frame"
    if version != VERSION:
        return "other version"
    if said != count:
        return "wrong count"
    if len(data) != HEAD.size + 8 * said:
        return "truncated" if len(data) < HEAD.size + 8 * said else "too long"
    values = struct.unpack_from(f"<{said}d", data, HEAD.size)
    if not (math.isfinite(stamp_s) and all(map(math.isfinite, values))):
        return "not finite"
    return JointFrame(number, stamp_s, values)

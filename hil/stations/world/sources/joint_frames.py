"""Frames of joint values over UDP, as copy mode reads them: one datagram is one frame.

Little-endian, without padding:

    offset  type     what
    0       4 bytes  ``HILJ``
    4       u16      version, 1
    6       u16      n, how many values follow
    8       u64      number of the frame, rising from frame to frame
    16      f64      time stamp of the sender [s], any zero, rising with the number and with time
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
STAMP_MAX_S: Final = 1e10
"""No clock says more, whatever its zero [s]."""
AHEAD_S: Final = 600.0
"""A stamp that went on by so much more than time did is no time [s]."""
BEGIN_S: Final = 0.1
"""A sender begins anew when its frames have risen in step with time for so long [s]."""
PACE_S: Final = 0.25
"""So far stamps and time may be apart in it [s]."""


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
    if abs(stamp_s) > STAMP_MAX_S:
        return "no time"
    return JointFrame(number, stamp_s, values)


class FrameOrder:
    """Which frame of one sender is newer than the newest, by number, stamp and the own clock.

    What is delayed on its way is old for ever. A sender that began anew, or whose one wrong stamp
    was taken, is known by frames that rise in step with time while none is fresh.
    """

    def __init__(self) -> None:
        self.newest: JointFrame | None = None
        self._at_s = 0.0
        self._anew: tuple[JointFrame, float] | None = None
        self._last: JointFrame | None = None

    def judge(self, frame: JointFrame, now_s: float, *, fresh: bool) -> str:
        """Take a frame, or say in a word why not.

        Args:
            now_s: monotonic time [s].
            fresh: whether the newest frame is not yet too old.
        """
        why = self._why_not(frame, now_s, fresh)
        if why and (fresh or not self._begins(frame, now_s)):
            self._anew = None if fresh else self._anew
            return why
        self.newest, self._at_s, self._anew = frame, now_s, None
        return ""

    def _why_not(self, frame: JointFrame, now_s: float, fresh: bool) -> str:
        newest = self.newest
        if newest is None:
            return ""
        if frame.stamp_s <= newest.stamp_s or (fresh and frame.number <= newest.number):
            return "old"
        ahead = frame.stamp_s - newest.stamp_s > now_s - self._at_s + AHEAD_S
        return "stamp ahead of time" if ahead else ""

    def _begins(self, frame: JointFrame, now_s: float) -> bool:
        """Whether frames that are not newer have risen in step with time for long enough."""
        last, self._last = self._last, frame
        if self._anew is not None and last is not None:
            first, since_s = self._anew
            apart_s = frame.stamp_s - first.stamp_s - (now_s - since_s)
            rises = frame.number > last.number and frame.stamp_s > last.stamp_s
            if rises and abs(apart_s) <= PACE_S:
                return now_s - since_s >= BEGIN_S
        self._anew = frame, now_s
        return False

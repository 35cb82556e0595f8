"""Frames of joint values over UDP, as copy mode reads them: one datagram is one frame.

Little-endian, without padding:

    offset  type     what
    0       4 bytes  ``HILJ``
    4       u16      version, 1
    6       u16      n, how many values follow
    8       u64      number of the frame, rising from frame to frame
    16      f64      time stamp of the sender [s], any zero, rising with the number and with time
    24      n × f64  values: angles [rad] or positions [m]

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
"""Greatest stamp that a clock can give, whatever its zero [s]."""
AHEAD_S: Final = 600.0
"""Most by which a stamp may run ahead of time; beyond it, it is no time [s]."""
BEGIN_S: Final = 0.1
"""Time for which a restarted sender's frames must rise in step with time [s]."""
BEGIN_FRAMES: Final = 6
"""Number of frames that must have done so."""
PACE_S: Final = 0.1
"""Tolerance between steps of stamps and of time meanwhile, at least [s]."""


@dataclass(frozen=True, slots=True)
class JointFrame:
    """Complete frame."""

    number: int
    """Number of the frame, which rises from frame to frame."""
    stamp_s: float
    """Time stamp of the sender [s]."""
    values: tuple[float, ...]
    """Values of the joints [rad] or [m]."""


def read_frame(data: bytes, count: int) -> JointFrame | str:
    """Read a datagram.

    Args:
        count: number of values expected.

    Returns:
        The frame, or a word or two why it is not one.
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
    """Order of the frames of one sender, by number, stamp and the own clock.

    Delayed frames stay too old for ever. A sender that restarted, or whose one wrong stamp
    was taken, is known by frames that rise in step with time while none is fresh.

    Args:
        stale_s: age from which values are too old; frames may be so far apart [s].
    """

    def __init__(self, stale_s: float) -> None:
        self._pace_s = max(PACE_S, stale_s)
        self.newest: JointFrame | None = None
        self._at_s = 0.0
        self._anew: list[tuple[JointFrame, float]] = []
        """Frames that are not newer and rise in step with time, with their times of arrival [s]."""

    def judge(self, frame: JointFrame, now_s: float, *, fresh: bool) -> str:
        """Take a frame, or return a word why not.

        Args:
            now_s: monotonic time [s].
            fresh: whether the newest frame is not yet too old.
        """
        why = self._why_not(frame, now_s, fresh)
        if fresh or not why:
            self._anew = []
        if why and (fresh or not self._begins(frame, now_s)):
            return why
        self.newest, self._at_s = frame, now_s
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
        if self._anew:
            last, at_s = self._anew[-1]
            step_s, took_s = frame.stamp_s - last.stamp_s, now_s - at_s
            rises = frame.number > last.number and step_s > 0.0
            if not rises or max(took_s, abs(step_s - took_s)) > self._pace_s:
                self._anew = []
        self._anew.append((frame, now_s))
        lasts_s = now_s - self._anew[0][1]
        begins = lasts_s >= BEGIN_S and len(self._anew) >= BEGIN_FRAMES
        if len(self._anew) > BEGIN_FRAMES:
            del self._anew[1]  # the first one tells since when
        return begins

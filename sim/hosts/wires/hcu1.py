"""The bench's own frame, version 1, as its description has it: 112 bytes, or one JSON object.

With a key the first 16 bytes of HMAC-SHA256 over the 112 follow.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
import zlib
from typing import Final

from sim.hosts.telemetry import Packed, Silent, Telemetry

_FRAME: Final = struct.Struct("<4sBBHIQ3f3f3f4f3f3d")
_ANGULAR: Final = 16
_SIGNED: Final = 16


def flags_of(shown: Telemetry) -> int:
    """Flags of a moment: 1 paused, 2 reset, 4 replay, 8 end, 16 angular acceleration valid."""
    return 1 * shown.paused + 2 * shown.reset + 4 * shown.replay + 8 * shown.end + _ANGULAR


class Binary(Silent):
    """Frames of 112 bytes, or 128 with a key."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = key

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One frame."""
        motion = shown.motion
        frame = _FRAME.pack(
            b"HCU1", 1, flags_of(shown), 112, shown.sequence % 2**32, _stamp_ns(shown),
            *motion.f_m_s2, *motion.omega_rad_s, *motion.domega_rad_s2,
            *motion.attitude, *motion.v_m_s, *motion.position_m,
        )  # fmt: skip
        frame += struct.pack("<I", zlib.crc32(frame))
        if self._key:
            frame += hmac.new(self._key, frame, hashlib.sha256).digest()[:_SIGNED]
        return (Packed(frame),)


class Json(Silent):
    """One object a datagram."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One object."""
        motion = shown.motion
        frame = {
            "seq": shown.sequence % 2**32,
            "t_ns": _stamp_ns(shown),
            "flags": flags_of(shown),
            "f": motion.f_m_s2,
            "w": motion.omega_rad_s,
            "dw": motion.domega_rad_s2,
            "q": motion.attitude,
            "v": motion.v_m_s,
            "p": motion.position_m,
        }
        return (Packed(json.dumps(frame, separators=(",", ":")).encode()),)


def _stamp_ns(shown: Telemetry) -> int:
    return max(0, round(1e9 * shown.time_s))

"""The bench's own frame, as its description has it: 112 bytes, or one JSON object.

With a key it is version 2: the first 16 bytes of HMAC-SHA256 over nonce and frame follow. The nonce
is 16 zeros until the listener sends one: `HCUC`, version, 0, length 40, nonce, and the first 16
bytes of HMAC-SHA256 over these 24.
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
_NO_NONCE: Final = bytes(16)
_CHALLENGE: Final = b"HCUC" + bytes((2, 0, 40, 0))


def flags_of(shown: Telemetry) -> int:
    """Flags of a moment: 1 paused, 2 reset, 4 replay, 8 end, 16 angular acceleration valid."""
    return 1 * shown.paused + 2 * shown.reset + 4 * shown.replay + 8 * shown.end + _ANGULAR


class Binary(Silent):
    """Frames of 112 bytes, or 128 with a key."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = key
        self._nonce = _NO_NONCE

    def receive(self, datagram: bytes, peer: str) -> None:
        """Take the nonce of a listener that has the key."""
        challenge, signature = datagram[:24], datagram[24:]
        whole = bool(self._key) and challenge[:8] == _CHALLENGE and len(datagram) == 40
        if whole and hmac.compare_digest(signature, self._signature(challenge)):
            self._nonce = challenge[8:]

    def restart(self) -> None:
        """The simulator began anew, and knows no nonce."""
        self._nonce = _NO_NONCE

    def _signature(self, data: bytes) -> bytes:
        return hmac.new(self._key, data, hashlib.sha256).digest()[:_SIGNED]

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """One frame."""
        motion = shown.motion
        frame = _FRAME.pack(
            b"HCU1", 2 if self._key else 1, flags_of(shown), 112, shown.sequence % 2**32,
            _stamp_ns(shown), *motion.f_m_s2, *motion.omega_rad_s, *motion.domega_rad_s2,
            *motion.attitude, *motion.v_m_s, *motion.position_m,
        )  # fmt: skip
        frame += struct.pack("<I", zlib.crc32(frame))
        if self._key:
            frame += self._signature(self._nonce + frame)
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

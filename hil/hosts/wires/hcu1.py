"""The bench's own frame, HCU1: what a simulator sends that shall be known exactly.

Little-endian, 112 bytes: magic, version, flags, length, sequence, the host's time, specific force,
body rates, their derivatives, attitude, velocity, position, CRC-32. Version 1 bears no signature;
it may be one JSON object in a datagram. Version 2 has 16 bytes more: the first half of the
HMAC-SHA256 over this session's nonce and the frame. The nonce is the bench's and cannot be
foreseen: it sends it, signed, to a sender whose signature does not fit, to each sender another one.
So what was captured in an earlier session, or of another sender, is worth nothing, and within one
session the sequence only rises.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import secrets
import struct
import zlib
from collections.abc import Callable
from typing import Any, Final, Literal

from hil.hosts.kind import HostKind, Packet, Refused
from hil.hosts.maps import MapSettings
from hil.hosts.order import WRAP
from platform6dof.cueing.vehicle import UNKNOWN, VehicleFlags, VehicleState

MAGIC: Final = b"HCU1"
VERSION: Final = 1
SIGNED_VERSION: Final = 2
FRAME: Final = struct.Struct("<4sBBHIQ3f3f3f4f3f3dI")
SIGNATURE_BYTES: Final = 16
NONCE_BYTES: Final = 16
SECRET_BYTES: Final = 32
NOBODY: Final = ("", 0)
"""Sender of a datagram of which it is not known."""
CHALLENGE: Final = struct.Struct("<4sBBH16s16s")
"""What the bench sends: magic, version, 0, length, nonce, first half of HMAC-SHA256 over those."""
CHALLENGE_MAGIC: Final = b"HCUC"
CHALLENGED_EVERY_S: Final = 0.1
"""A sender is told the nonce no more often [s]."""
CHALLENGED_MAX: Final = 64
"""Senders of which that is known; of the one that is longest ago it is forgotten."""
ACCELERATION_VALID: Final = 16
"""Flag: the angular acceleration is told."""
FLAGS: Final = 1 | 2 | 4 | 8
"""Paused, reset, replay, end: the bits of `VehicleFlags` itself."""
LENGTH_OFF: Final = 1e-3
"""How far a quaternion's length may be from 1."""
MOST: Final = 1e9
"""No quantity of a vehicle is larger, in SI units."""
JSON_BYTES: Final = 2048
"""A JSON datagram is no longer than this."""
_KEYS: Final = {"seq", "t_ns", "flags", "f", "w", "dw", "q", "v", "p"}


class Hcu1Settings(MapSettings):
    """Map of the bench's own frame: binary and JSON are told apart by their first byte."""

    kind: Literal["hcu1"] = "hcu1"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Which wire it is for."""
    key: bytes = b""
    """What frames are signed with; comes from a key file, never from a map."""


class Hcu1Codec:
    """Understands HCU1.

    Args:
        key: with it a datagram must bear its signature, and JSON is refused; empty for none.
        secrets_of: gives so many bytes that nobody can foresee; nonces are made of them.
    """

    wanted: Final = (
        "112 bytes from HCU1 on, or JSON of whole numbers seq, t_ns, flags and lists f, w, q, v, p"
    )
    """What a packet is, in words."""

    def __init__(
        self, key: bytes = b"", secrets_of: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._key, self._secrets_of = key, secrets_of
        self._nonce = b""
        self._secret = secrets_of(SECRET_BYTES)
        """Nonces of the next session are made of it."""
        self._newest = 0
        self._challenged_s: dict[tuple[str, int], float] = {}

    def decode(self, datagram: bytes) -> Packet | Refused:
        """What a frame tells, or why it is none."""
        return self.decode_from(datagram, NOBODY)

    def decode_from(self, datagram: bytes, sender: tuple[str, int]) -> Packet | Refused:
        """What a frame of a sender (host and port) tells, or why it is none."""
        if datagram[:1] == b"{":
            return Refused.SIGNATURE if self._key else _json_packet(datagram)
        if datagram[:4] != MAGIC:
            return Refused.MAGIC
        if len(datagram) != FRAME.size + (SIGNATURE_BYTES if self._key else 0):
            unsigned = bool(self._key) and len(datagram) == FRAME.size
            return Refused.SIGNATURE if unsigned else Refused.LENGTH
        frame = datagram[: FRAME.size]
        values = FRAME.unpack(frame)
        if zlib.crc32(frame[:-4]) != values[-1]:
            return Refused.CHECKSUM
        if values[1] != (SIGNED_VERSION if self._key else VERSION):
            return Refused.VERSION
        if values[3] != FRAME.size:
            return Refused.LENGTH
        if self._key and (why := self._judged(datagram, values[4], sender)) is not None:
            return why
        return _packet(values[2], values[4], values[5], values[6:-1])

    def challenge(self, now_s: float, sender: tuple[str, int]) -> bytes | None:
        """The nonce of the next session, signed, for a sender; None without a key, or too soon.

        Whatever others send, each one gets its own: those without the key keep nobody out.
        """
        last_s = self._challenged_s.get(sender, -math.inf)
        if not self._key or now_s - last_s < CHALLENGED_EVERY_S:
            return None
        self._challenged_s.pop(sender, None)
        if len(self._challenged_s) >= CHALLENGED_MAX:
            del self._challenged_s[next(iter(self._challenged_s))]
        self._challenged_s[sender] = now_s
        head = CHALLENGE.pack(
            CHALLENGE_MAGIC, SIGNED_VERSION, 0, CHALLENGE.size, self._nonce_for(sender), b""
        )[:-SIGNATURE_BYTES]
        return head + signature_of(head, self._key)

    def end_session(self) -> None:
        """Take nothing that is signed for a nonce of before: another sender may lead."""
        self._begin(b"")

    def _judged(self, datagram: bytes, sequence: int, sender: tuple[str, int]) -> Refused | None:
        """Why a signed frame is none of this session's; None if it is, or begins the next one."""
        if self._nonce and self._is_signed(datagram, self._nonce):
            if not 0 < (sequence - self._newest) % WRAP < WRAP // 2:
                return Refused.SESSION
        elif self._is_signed(datagram, nonce := self._nonce_for(sender)):
            self._begin(nonce)
        else:
            return Refused.SIGNATURE
        self._newest = sequence
        return None

    def _begin(self, nonce: bytes) -> None:
        """Begin a session; what was signed for a next one, and not used, is worth nothing then."""
        self._nonce, self._secret = nonce, self._secrets_of(SECRET_BYTES)

    def _nonce_for(self, sender: tuple[str, int]) -> bytes:
        """The nonce of the next session of a sender, for no other one."""
        host, port = sender
        address = f"{host} {port}".encode()
        return hmac.new(self._secret, address, hashlib.sha256).digest()[:NONCE_BYTES]

    def _is_signed(self, datagram: bytes, nonce: bytes) -> bool:
        frame, signature = datagram[: FRAME.size], datagram[FRAME.size :]
        return hmac.compare_digest(signature, signature_of(nonce + frame, self._key))

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Nothing: a host of ours sends by itself."""
        del now_s
        return ()


def signature_of(data: bytes, key: bytes) -> bytes:
    """First half of the HMAC-SHA256 over some bytes (RFC 2104)."""
    return hmac.new(key, data, hashlib.sha256).digest()[:SIGNATURE_BYTES]


def _packet(flags: int, sequence: int, time_ns: int, values: tuple[float, ...]) -> Packet | Refused:
    """The packet of the numbers after the time: f, ω, ω̇, quaternion, v, position."""
    if flags & ~(FLAGS | ACCELERATION_VALID):
        return Refused.RANGE
    if not all(map(math.isfinite, values)):
        return Refused.NOT_FINITE
    f, omega, domega = values[0:3], values[3:6], values[6:9]
    q, v, position = values[9:13], values[13:16], values[16:19]
    length = math.hypot(*q)
    if abs(length - 1.0) > LENGTH_OFF or max(map(abs, values)) > MOST:
        return Refused.RANGE
    state = VehicleState(
        t_s=time_ns * 1e-9,
        f_m_s2=(f[0], f[1], f[2]),
        omega_rad_s=(omega[0], omega[1], omega[2]),
        domega_rad_s2=(
            (domega[0], domega[1], domega[2]) if flags & ACCELERATION_VALID else UNKNOWN
        ),
        attitude=(q[0] / length, q[1] / length, q[2] / length, q[3] / length),
        v_m_s=(v[0], v[1], v[2]),
        position_m=(position[0], position[1], position[2]),
        flags=VehicleFlags(flags & FLAGS),
    )
    return Packet(state, sequence)


def _json_packet(datagram: bytes) -> Packet | Refused:
    if len(datagram) > JSON_BYTES:
        return Refused.LENGTH
    try:
        document: Any = json.loads(datagram.decode("utf-8"))
    except (ValueError, RecursionError):
        return Refused.TEXT
    if (
        not isinstance(document, dict)
        or not document.keys() <= _KEYS
        or not document.keys() >= _KEYS - {"dw"}
    ):
        return Refused.TEXT
    sequence, time_ns, flags = document["seq"], document["t_ns"], document["flags"]
    if not all(type(one) is int for one in (sequence, time_ns, flags)):
        return Refused.TEXT
    if not (0 <= sequence < 1 << 32 and 0 <= time_ns < 1 << 64 and 0 <= flags < 256):
        return Refused.RANGE
    values: list[float] = []
    for key, count in (("f", 3), ("w", 3), ("dw", 3), ("q", 4), ("v", 3), ("p", 3)):
        vector = document.get(key, [0.0] * count)
        if not isinstance(vector, list) or len(vector) != count:
            return Refused.TEXT
        if not all(type(one) in (int, float) for one in vector):
            return Refused.TEXT
        if any(abs(one) > MOST for one in vector):
            return Refused.RANGE if all(map(_finite, vector)) else Refused.NOT_FINITE
        values.extend(map(float, vector))
    if "dw" not in document:
        flags &= ~ACCELERATION_VALID
    return _packet(flags, sequence, time_ns, tuple(values))


def _finite(number: float) -> bool:
    return isinstance(number, int) or math.isfinite(number)


KIND: Final = HostKind(
    name="hcu1",
    title="HCU1, the bench's own frame: version 1, binary and JSON; version 2, signed",
    port=47_111,
    fields=frozenset(
        {
            "t_s", "f_m_s2", "omega_rad_s", "domega_rad_s2", "attitude", "v_m_s", "position_m",
            "flags.PAUSED", "flags.RESET", "flags.REPLAY", "flags.END", "sequence",
        }
    ),
    settings=lambda: Hcu1Settings,
    codec=lambda settings: Hcu1Codec(settings.key),
)  # fmt: skip

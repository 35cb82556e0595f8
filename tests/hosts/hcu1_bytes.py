"""Frames of HCU1 written from docs/hosts.md alone, and the sender's part of a session."""

import hashlib
import hmac
import struct
import zlib

NO_NONCE = bytes(16)


def frame(seq, t_s, *, version=1, flags=0, f=(0.0, 0.0, -9.80665), w=(0.0, 0.0, 0.0),
          v=(0.0, 0.0, 0.0), p=(0.0, 0.0, 0.0)):  # fmt: skip
    """A frame of a level vehicle that tells no angular acceleration."""
    head = struct.pack("<4sBBHIQ", b"HCU1", version, flags, 112, seq, round(1e9 * t_s))
    body = struct.pack("<16f3d", *f, *w, 0, 0, 0, 1, 0, 0, 0, *v, *p)
    return head + body + struct.pack("<I", zlib.crc32(head + body))


def mac(key, data):
    """First half of HMAC-SHA256, by its definition (RFC 2104) and not by a library of it."""
    key = hashlib.sha256(key).digest() if len(key) > 64 else key
    inner, outer = (bytes(one ^ pad for one in key.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    return hashlib.sha256(outer + hashlib.sha256(inner + data).digest()).digest()[:16]


class SignedSender:
    """A program of one's own with a key."""

    def __init__(self, key):
        self._key = key
        self.nonce = NO_NONCE

    def signed(self, seq, t_s, **values):
        """A frame of version 2."""
        one = frame(seq, t_s, version=2, **values)
        return one + mac(self._key, self.nonce + one)

    def take(self, datagram):
        """Take what the bench sent; whether it was a challenge of one that has the key."""
        if len(datagram) != 40 or datagram[:8] != b"HCUC\x02\x00\x28\x00":
            return False
        if not hmac.compare_digest(datagram[24:], mac(self._key, datagram[:24])):
            return False
        self.nonce = datagram[8:24]
        return True

"""A serial CAN adapter that speaks the ASCII protocol of the Lawicel CAN232 manual.

Bytes in, bytes out; the wire under it is `sim.devices.can.slcan_server`. Every command ends with
CR; an error is answered with BEL. Setting up is tolerant as common adapters are: an empty line, a
second `O` and a `C` while closed are no errors.

Not modelled: frames with extended identifiers reach no node (they are acknowledged), polling
(`P`, `A`), acceptance filters (accepted, without effect), the speed of a UART.
"""

from __future__ import annotations

from binascii import hexlify, unhexlify
from typing import Final

from sim.devices.can.bus_timing import REMOTE
from sim.devices.can.rack import CanRack
from sim.devices.can.rack_faults import FLAG_BUS_ERROR, FLAG_ERROR_WARNING, Spoil

BITRATES: Final = {
    b"S0": 10_000,
    b"S1": 20_000,
    b"S2": 50_000,
    b"S3": 100_000,
    b"S4": 125_000,
    b"S5": 250_000,
    b"S6": 500_000,
    b"S7": 800_000,
    b"S8": 1_000_000,
}
LINE_MAX: Final = 64
"""Longest line [byte]; the longest frame has 27."""
OUTPUT_MAX: Final = 65_536
"""Bytes that wait for a master that does not read; then frames are lost."""
FLAG_RECEIVE_FULL: Final = 0x01
"""Bit of the answer to `F`: frames from the bus were lost."""

_OK: Final = b"\r"
_BEL: Final = b"\x07"
_GARBAGE: Final = b"tZZ1\xff\x80\x00?g\r"
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")


class _Heads(dict[bytes, tuple[int, int] | None]):
    """First five bytes of a `t` line: identifier and length of the line; None if it is no frame.

    Worked out once for each: a master sends the same few again and again.
    """

    _LIMIT: Final = 4096

    def __missing__(self, head: bytes) -> tuple[int, int] | None:
        if len(self) >= self._LIMIT:
            self.clear()
        self[head] = found = self._decode(head)
        return found

    @staticmethod
    def _decode(head: bytes) -> tuple[int, int] | None:
        if len(head) != 5 or not _HEX.issuperset(head[1:4]):
            return None
        can_id, size = int(head[1:4], 16), head[4] - 0x30
        return (can_id, 5 + 2 * size) if can_id <= 0x7FF and 0 <= size <= 8 else None


_HEADS: Final = _Heads()


class SlcanAdapter:
    """Adapter between a master and one bus of a rack.

    Args:
        bus: Number of its bus.
    """

    def __init__(self, rack: CanRack, bus: int = 0) -> None:
        self._rack = rack
        self._bus = bus
        self._line = bytearray()
        self._skipping = False
        self._open = False
        self._on_air = rack.settings.bitrate in (None, BITRATES[b"S8"])
        """Whether the adapter's bit rate is that of the bus."""
        self._timestamps = False
        self._receive_full = False
        self.output: bytearray = bytearray()
        """Bytes for the master; the wire takes from their front."""
        self.lost_frames: int = 0
        """Frames that the master did not fetch in time."""

    @property
    def is_open(self) -> bool:
        """Whether the master has opened the channel."""
        return self._open

    def reset(self) -> None:
        """Forget everything, as after pulling the plug."""
        self._line.clear()
        self.output.clear()
        self._skipping = self._open = self._timestamps = self._receive_full = False

    def feed(self, data: bytes, now_s: float) -> None:
        """Take bytes of the master.

        Args:
            data: Any bytes at all; lines longer than `LINE_MAX` are answered with BEL.
        """
        *lines, rest = data.split(b"\r")
        for part in lines:
            if self._line or self._skipping or len(part) > LINE_MAX:
                self._end_line(part, now_s)
            else:
                self._answer(self._command(part, now_s))
        self._collect(rest)

    def _end_line(self, part: bytes, now_s: float) -> None:
        """Take the last part of a line that came in pieces, or is too long."""
        self._collect(part)
        skipped, self._skipping = self._skipping, False
        line = bytes(self._line)
        self._line.clear()
        self._answer(_BEL if skipped else self._command(line, now_s))

    def fetch(self, now_s: float) -> None:
        """Move frames of the bus that are complete into the output."""
        items = self._rack.take(now_s, self._bus)
        if not items or not self._open or not self._on_air:
            return
        output = self.output
        for ready_s, can_id, data, spoil in items:
            if len(output) > OUTPUT_MAX:
                self._receive_full = True
                self.lost_frames += 1
            elif spoil is Spoil.NOTHING and not self._timestamps:
                output += b"t%03X%d%b\r" % (can_id, len(data), hexlify(data).upper())
            else:
                output += self._frame_line(ready_s, can_id, data, spoil)

    def _collect(self, part: bytes) -> None:
        if self._skipping or len(self._line) + len(part) > LINE_MAX:
            self._line.clear()
            self._skipping = True
        else:
            self._line += part

    def _answer(self, answer: bytes) -> None:
        if len(self.output) <= OUTPUT_MAX:
            self.output += answer

    def _command(self, line: bytes, now_s: float) -> bytes:
        head = line[:1]
        if head == b"t":
            return self._send(line, now_s)
        if not line:
            return b""
        if head == b"r":
            return self._send_remote(line, now_s)
        if head in b"TR":
            return self._send_elsewhere(line)
        if head in b"SsZmMQX":
            return self._set_up(line)
        if line == b"O":
            self._open = True
            return _OK
        if line == b"C":
            self._open = False
            return _OK
        if line == b"V":
            return b"V1013\r"
        if line == b"N":
            return b"NHIL0\r"
        if line == b"F":
            return self._read_flags()
        return _BEL

    def _set_up(self, line: bytes) -> bytes:
        if self._open:
            return _BEL
        if line in BITRATES:
            self._on_air = self._rack.settings.bitrate in (None, BITRATES[line])
            return _OK
        if line in (b"Z0", b"Z1"):
            self._timestamps = line == b"Z1"
            return _OK
        lengths = {b"s": (5, 7), b"m": (9,), b"M": (9,), b"Q": (2,), b"X": (2,)}
        good = len(line) in lengths.get(line[:1], ()) and _HEX.issuperset(line[1:])
        return _OK if good else _BEL

    def _send(self, line: bytes, now_s: float) -> bytes:
        head = _HEADS[line[:5]]
        if head is None or not self._open or len(line) != head[1] or not self._on_air:
            return _BEL
        try:
            data = unhexlify(line[5:])
        except ValueError:  # not two hexadecimal digits for each byte
            return _BEL
        return b"z\r" if self._rack.receive((head[0], data), now_s, self._bus) else _BEL

    def _send_remote(self, line: bytes, now_s: float) -> bytes:
        """Pass a remote transmission request on; its length is that of the wanted answer."""
        if not self._open or len(line) != 5 or not _HEX.issuperset(line[1:]) or not self._on_air:
            return _BEL
        can_id = int(line[1:4], 16)
        if can_id > 0x7FF or not 0 <= line[4] - 0x30 <= 8:
            return _BEL
        return b"z\r" if self._rack.receive((REMOTE | can_id, b""), now_s, self._bus) else _BEL

    def _send_elsewhere(self, line: bytes) -> bytes:
        """Acknowledge a well-formed frame of a kind that no node listens to."""
        if not self._open or len(line) < 10 or not _HEX.issuperset(line[1:]):
            return _BEL
        size = line[9] - 0x30
        expected = 10 + (2 * size if line[:1] == b"T" else 0)
        return b"Z\r" if 0 <= size <= 8 and len(line) == expected else _BEL

    def _read_flags(self) -> bytes:
        if not self._open:
            return _BEL
        flags = self._rack.faults.flags
        if self._receive_full:
            flags |= FLAG_RECEIVE_FULL
        if not self._on_air:
            flags |= FLAG_BUS_ERROR | FLAG_ERROR_WARNING
        self._receive_full = False
        return b"F%02X\r" % flags

    def _frame_line(self, ready_s: float, can_id: int, data: bytes, spoil: Spoil) -> bytes:
        if spoil is Spoil.GARBLE:
            return _GARBAGE
        line = b"t%03X%d%b" % (can_id, len(data), hexlify(data).upper())
        if spoil is Spoil.TRUNCATE:
            return line[: max(1, min(9, len(line) - 2))] + b"\r"
        if self._timestamps:
            line += b"%04X" % (int(ready_s * 1000.0) % 60_000)
        return line + b"\r"

"""Messages of CDR that are no rows: texts, and structures of which there may be several.

Numbers lie at multiples of their size, counted from behind the mark of four bytes; a text is its
length with the zero byte behind it, in four bytes, and then those bytes (OMG DDS-XTypes 7.4.1).
"""

import struct

from hil.recording.signals import MARK


class CdrWriter:
    """One message being put together."""

    def __init__(self) -> None:
        self._data = bytearray(MARK)

    def put(self, code: str, *values: float) -> int:
        """Add numbers of one type, a code of `struct`; the place of the first."""
        size = struct.calcsize(code)
        self._data += bytes(-(len(self._data) - len(MARK)) % size)
        place = len(self._data)
        self._data += struct.pack(f"<{len(values)}{code}", *values)
        return place

    def text(self, text: str) -> None:
        """Add a text; what UTF-8 cannot hold, such as a file name's stray bytes, becomes `?`."""
        data = text.encode("utf-8", "replace")
        self.put("I", len(data) + 1)
        self._data += data + b"\0"

    def message(self) -> bytes:
        """The whole message."""
        return bytes(self._data)


class CdrReader:
    """One message being taken apart; a `ValueError` wherever it is not of such parts."""

    def __init__(self, data: bytes | memoryview) -> None:
        self._data = bytes(data)
        self._at = len(MARK)
        if not self._data.startswith(MARK):
            raise ValueError(f"begins with {self._data[:4].hex(' ')}, not 00 01 00 00")

    def number(self, code: str) -> float:
        """Take a number of a type, a code of `struct`."""
        size = struct.calcsize(code)
        self._at += -(self._at - len(MARK)) % size
        return struct.unpack(f"<{code}", self._taken(size))[0]

    def text(self) -> str:
        """Take a text."""
        size = int(self.number("I"))
        return self._taken(size)[:-1].decode()

    def _taken(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) < size:
            raise ValueError(f"ends at byte {len(self._data)} of at least {self._at + size}")
        self._at += size
        return part

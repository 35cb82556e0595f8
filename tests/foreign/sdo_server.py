"""An SDO server: expedited and segmented transfers, aborts (CiA 301, 7.2.4)."""

import struct

from object_dictionary import (
    COMMAND_NOT_KNOWN,
    LENGTH_TOO_HIGH,
    TOGGLE_BIT_NOT_ALTERNATED,
    AbortError,
    ObjectDictionary,
)

LONGEST = 1024
"""Of a segmented download [byte]."""


class SdoServer:
    """Answers one request with one response; block transfer is refused.

    Args:
        dictionary: the slave's objects.
        size_told: whether expedited uploads say how many of their four bytes count (bit s).
        busy: abort code of each object's first transfers, and how many of them; 0: none.
    """

    def __init__(
        self,
        dictionary: ObjectDictionary,
        *,
        size_told: bool = True,
        busy: tuple[int, int] = (0, 0),
    ) -> None:
        self._busy_code, self._busy_times = busy
        self._asked: dict[tuple[int, int, int], int] = {}
        self._dictionary = dictionary
        self._size_told = size_told
        self._upload: bytes | None = None
        self._download: bytearray | None = None
        self._toggle = 0
        self._at = (0, 0)

    def answer(self, request: bytes) -> bytes | None:
        """The response to a request of eight bytes; None where there is none to give."""
        if len(request) != 8:
            return None
        command, index, sub = struct.unpack("<BHB", request[:4])
        try:
            if command >> 5 in (1, 2):
                self._refuse_while_busy(command >> 5, index, sub)
            match command >> 5:
                case 1:
                    return self._begin_download(command, index, sub, request)
                case 0:
                    return self._download_segment(command, request)
                case 2:
                    return self._begin_upload(index, sub)
                case 3:
                    return self._upload_segment(command)
                case 4:
                    self._end()
                    return None
            self._at = (index, sub)
            raise AbortError(COMMAND_NOT_KNOWN)
        except AbortError as abort:
            self._end()
            return struct.pack("<BHBI", 0x80, *self._at, abort.code)

    def _refuse_while_busy(self, kind: int, index: int, sub: int) -> None:
        self._asked[kind, index, sub] = self._asked.get((kind, index, sub), 0) + 1
        if self._busy_code and self._asked[kind, index, sub] <= self._busy_times:
            self._at = (index, sub)
            raise AbortError(self._busy_code)

    def _end(self) -> None:
        self._upload = self._download = None

    def _begin_download(self, command: int, index: int, sub: int, request: bytes) -> bytes:
        self._end()
        self._at = (index, sub)
        expedited, size_told = bool(command & 2), bool(command & 1)
        if expedited:
            size = 4 - (command >> 2 & 3) if size_told else 4
            self._dictionary.download(index, sub, request[4 : 4 + size], size_told=size_told)
        else:
            self._dictionary.row(index, sub)
            self._download, self._toggle = bytearray(), 0
        return struct.pack("<BHB4x", 0x60, index, sub)

    def _download_segment(self, command: int, request: bytes) -> bytes:
        if self._download is None:
            raise AbortError(COMMAND_NOT_KNOWN)
        self._alternate(command)
        self._download += request[1 : 8 - (command >> 1 & 7)]
        if len(self._download) > LONGEST:
            raise AbortError(LENGTH_TOO_HIGH)
        if command & 1:
            self._dictionary.download(*self._at, bytes(self._download))
            self._download = None
        return bytes([0x20 | command & 0x10]) + bytes(7)

    def _begin_upload(self, index: int, sub: int) -> bytes:
        self._end()
        self._at = (index, sub)
        data = self._dictionary.upload(index, sub)
        head = struct.pack("<HB", index, sub)
        if 0 < len(data) <= 4:
            command = 0x43 | (4 - len(data)) << 2 if self._size_told else 0x42
            return bytes([command]) + head + data.ljust(4, b"\0")
        self._upload, self._toggle = data, 0
        return b"\x41" + head + struct.pack("<I", len(data))

    def _upload_segment(self, command: int) -> bytes:
        if self._upload is None:
            raise AbortError(COMMAND_NOT_KNOWN)
        self._alternate(command)
        part, self._upload = self._upload[:7], self._upload[7:]
        last = not self._upload
        if last:
            self._upload = None
        code = command & 0x10 | 7 - len(part) << 1 | last
        return bytes([code]) + part.ljust(7, b"\0")

    def _alternate(self, command: int) -> None:
        if (command >> 4 & 1) != self._toggle:
            raise AbortError(TOGGLE_BIT_NOT_ALTERNATED)
        self._toggle ^= 1

"""SDO server of one node, CiA 301 clause "Service data object": expedited and segmented transfers.

Block transfers are refused with 05040001h, as CiA 301 has it for a server without them.

Not modelled: time-outs of a transfer that the client gave up.
"""

from __future__ import annotations

import struct
from typing import Final

from sim.devices.can.object_store import ObjectStore, SdoAbort

TOGGLE_NOT_ALTERNATED: Final = 0x0503_0000
UNKNOWN_COMMAND: Final = 0x0504_0001
_MAX_DOWNLOAD: Final = 256
"""Bytes of a segmented download before it is refused: no object is longer."""
_TOO_LONG: Final = 0x0607_0012

_MULTIPLEXER = struct.Struct("<BHB")


class SdoServer:
    """SDO server that answers one request at a time.

    Args:
        store: Objects that are read and written.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._index = 0
        self._subindex = 0
        self._toggle = 0
        self._upload: bytes | None = None
        self._download: bytearray | None = None

    def reset(self) -> None:
        """Forget a transfer under way."""
        self._upload = self._download = None

    def request(self, data: bytes) -> bytes | None:
        """Serve one request.

        Args:
            data: The eight bytes that the client sent; another length is ignored.

        Returns:
            The eight bytes of the answer, or None when none is due.
        """
        if len(data) != 8:
            return None
        command = data[0]
        service = command >> 5
        if service == 4:  # the client aborts
            self.reset()
            return None
        try:
            if service == 2:
                return self._start_upload(data)
            if service == 1:
                return self._start_download(data)
            if service == 3:
                return self._upload_segment(command)
            if service == 0:
                return self._download_segment(data)
            _, self._index, self._subindex = _MULTIPLEXER.unpack_from(data)
            raise SdoAbort(UNKNOWN_COMMAND)
        except SdoAbort as abort:
            self.reset()
            return struct.pack("<BHBI", 0x80, self._index, self._subindex, abort.code)

    def _start_upload(self, data: bytes) -> bytes:
        self.reset()
        _, self._index, self._subindex = _MULTIPLEXER.unpack_from(data)
        value = self._store.read(self._index, self._subindex)
        size = len(value)
        if 0 < size <= 4:
            head = _MULTIPLEXER.pack(0x43 | (4 - size) << 2, self._index, self._subindex)
            return head + value.ljust(4, b"\x00")
        self._upload, self._toggle = value, 0
        return struct.pack("<BHBI", 0x41, self._index, self._subindex, size)

    def _upload_segment(self, command: int) -> bytes:
        if self._upload is None:
            raise SdoAbort(UNKNOWN_COMMAND)
        self._check_toggle(command)
        part, rest = self._upload[:7], self._upload[7:]
        answer = self._toggle | (7 - len(part)) << 1 | (0 if rest else 1)
        self._toggle ^= 0x10
        self._upload = rest if rest else None
        return bytes((answer,)) + part.ljust(7, b"\x00")

    def _start_download(self, data: bytes) -> bytes:
        self.reset()
        command, self._index, self._subindex = _MULTIPLEXER.unpack_from(data)
        self._store.check_writable(self._index, self._subindex)
        if command & 0x02:  # expedited
            size = 4 - (command >> 2 & 0x03) if command & 0x01 else 4
            self._store.write(self._index, self._subindex, bytes(data[4 : 4 + size]))
        else:
            self._download, self._toggle = bytearray(), 0
        return struct.pack("<BHBI", 0x60, self._index, self._subindex, 0)

    def _download_segment(self, data: bytes) -> bytes:
        if self._download is None:
            raise SdoAbort(UNKNOWN_COMMAND)
        command = data[0]
        self._check_toggle(command)
        self._download += data[1 : 8 - (command >> 1 & 0x07)]
        if len(self._download) > _MAX_DOWNLOAD:
            raise SdoAbort(_TOO_LONG)
        answer = 0x20 | self._toggle
        self._toggle ^= 0x10
        if command & 0x01:
            value, self._download = bytes(self._download), None
            self._store.write(self._index, self._subindex, value)
        return bytes((answer,)).ljust(8, b"\x00")

    def _check_toggle(self, command: int) -> None:
        if command & 0x10 != self._toggle:
            raise SdoAbort(TOGGLE_NOT_ALTERNATED)

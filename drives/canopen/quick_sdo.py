"""SDO transfers of up to four bytes that wait for nobody: asked in one cycle, answered in a later.

CiA 301, clause "SDO download" and "SDO upload", expedited. The cycle reads the bus and hands the
answers on; the asker polls for them once a cycle.
"""

from __future__ import annotations

from queue import Empty
from typing import Final

from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.canopen.service import SDO_TIMEOUT_S, ServiceNode

_UPLOAD: Final = 0x40
_DOWNLOAD: Final = 0x23
_DOWNLOADED: Final = 0x60
_ABORTED: Final = 0x80
_EXPEDITED: Final = 0x02
_SIZED: Final = 0x01


class QuickSdo:
    """Expedited transfers with one node, one at a time, without waiting.

    Args:
        node: The node; its other transfers wait meanwhile.
    """

    def __init__(self, node: ServiceNode) -> None:
        self._node = node
        self._place = b""
        self._until_s = 0.0
        self.busy = False
        """Whether an answer is being waited for."""

    def upload(self, index: int, sub: int) -> bool:
        """Ask for an object.

        Returns:
            Whether it was asked; not while somebody else has a transfer with this node.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        return self._begin(_UPLOAD, index, sub, bytes(4))

    def download(self, index: int, sub: int, data: bytes) -> bool:
        """Write an object of one to four bytes; returns and raises as `upload` does."""
        size = (4 - len(data)) << 2
        return self._begin(_DOWNLOAD | size, index, sub, data.ljust(4, b"\0"))

    def answer(self) -> bytes | None:
        """Return the answer's bytes, empty after a download; None while there is none.

        Raises:
            SdoAbortedError: If the drive refuses.
            SdoCommunicationError: If none came in time, or one that is none of this kind.
        """
        while self.busy:
            try:
                data = bytes(self._node.sdo.responses.get_nowait())
            except Empty:
                if self._node.segment.now_s() < self._until_s:
                    return None
                self._end()
                text = f"no SDO answer within {SDO_TIMEOUT_S} s"
                raise SdoCommunicationError(text) from None
            if data[1:4] == self._place:
                self._end()
                return _content(data)
        return None

    def _begin(self, command: int, index: int, sub: int, data: bytes) -> bool:
        if self.busy or not self._node.lock.acquire(blocking=False):
            return False
        responses = self._node.sdo.responses
        while not responses.empty():
            responses.get_nowait()
        self._place = bytes((index & 0xFF, index >> 8, sub))
        self._until_s = self._node.segment.now_s() + SDO_TIMEOUT_S
        self.busy = True
        self._node.sdo.send_request(bytes((command,)) + self._place + data)
        return True

    def _end(self) -> None:
        self.busy: bool = False
        self._node.lock.release()


def _content(data: bytes) -> bytes:
    command = data[0]
    if command == _ABORTED:
        raise SdoAbortedError(int.from_bytes(data[4:8], "little"))
    if command == _DOWNLOADED:
        return b""
    if command & 0xE0 == _UPLOAD and command & _EXPEDITED:
        unused = command >> 2 & 3 if command & _SIZED else 0
        return data[4 : 8 - unused]
    raise SdoCommunicationError(f"an SDO answer of command 0x{command:02X} to a short transfer")

"""A CAN adapter that speaks the Lawicel protocol (CAN232 manual, V3), on a TCP port of loopback."""

import socket
from collections.abc import Callable

HIGH_WATER = 1 << 20
"""Bytes that a host which does not read may leave behind."""


class SlcanAdapter:
    """Lines in, frames out, and back.

    Args:
        receive: gets identifier, data and whether it is a remote request, of each frame.
        acknowledge: answer each frame with "z" and a carriage return.
    """

    def __init__(
        self, receive: Callable[[int, bytes, bool], None], *, acknowledge: bool = True
    ) -> None:
        self._receive = receive
        self._acknowledge = acknowledge
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self._host: socket.socket | None = None
        self._line = b""
        self._out = bytearray()
        self.opened = False
        self.hosts = 0
        """Connections until now."""

    @property
    def url(self) -> str:
        """As the bench wants it."""
        return f"slcan:socket://127.0.0.1:{self._server.getsockname()[1]}"

    @property
    def readable(self) -> list[socket.socket]:
        """Sockets to wait for."""
        return [self._server, *([self._host] if self._host else [])]

    def read(self) -> None:
        """Take what has come."""
        try:
            host, _ = self._server.accept()
        except BlockingIOError:
            pass
        else:
            self._drop()
            host.setblocking(False)
            host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._host = host
            self.hosts += 1
        if self._host is None:
            return
        try:
            data = self._host.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop()
            return
        *lines, self._line = (self._line + data).split(b"\r")
        for line in lines:
            self._take(line)

    def _drop(self) -> None:
        if self._host is not None:
            self._host.close()
        self._host, self._line, self.opened = None, b"", False
        self._out.clear()

    def _take(self, line: bytes) -> None:
        command = line[:1]
        if command in (b"t", b"r"):
            self._frame(line)
        elif command == b"O":
            self._reply(b"\r" if not self.opened else b"\a")
            self.opened = True
        elif command == b"C":
            self._reply(b"\r" if self.opened else b"\a")
            self.opened = False
        elif command in (b"S", b"s", b"Z", b"X", b"W", b"M", b"m"):
            self._reply(b"\a" if self.opened else b"\r")
        elif command == b"V":
            self._reply(b"V1013\r")
        elif command == b"N":
            self._reply(b"NF012\r")
        elif command == b"F":
            self._reply(b"F00\r" if self.opened else b"\a")
        elif line:
            self._reply(b"\a")

    def _frame(self, line: bytes) -> None:
        try:
            can_id, size = int(line[1:4], 16), int(line[4:5], 16)
            data = bytes.fromhex(line[5:].decode("ascii")) if line[:1] == b"t" else b""
            whole = can_id < 0x800 and size <= 8 and (line[:1] == b"r" or len(data) == size)
        except ValueError:
            whole = False
        if not whole or not self.opened:
            self._reply(b"\a")
            return
        if self._acknowledge:
            self._reply(b"z\r")
        self._receive(can_id, data, line[:1] == b"r")

    def _reply(self, data: bytes) -> None:
        self._out += data

    def send(self, can_id: int, data: bytes) -> None:
        """A frame from the bus to the host."""
        if self.opened:
            self._out += b"t%03X%d%s\r" % (can_id, len(data), data.hex().upper().encode("ascii"))

    def flush(self) -> None:
        """Hand over what waits."""
        if self._host is None or not self._out:
            return
        try:
            sent = self._host.send(self._out)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._drop()
            return
        del self._out[:sent]
        if len(self._out) > HIGH_WATER:
            self._drop()

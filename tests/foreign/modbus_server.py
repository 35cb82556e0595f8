"""A Modbus TCP server (Modbus application protocol V1.1b3, messaging on TCP/IP V1.0b): 3, 6, 16.

It knows neither function 23 nor 43, and carries at most 16 registers a request.
"""

import socket
import struct
from collections.abc import Callable

ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE, DEVICE_FAILURE = 1, 2, 3, 4
BUSY, GATEWAY_TARGET_SILENT = 6, 11
REGISTERS_MAX = 16
LONGEST = 260
"""Bytes of an MBAP header and a PDU."""


class ModbusError(Exception):
    """A request is answered with an exception code (V1.1b3, clause 7)."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


class ModbusFunctions:
    """Functions 3, 6 and 16 of units.

    Args:
        read: gives the registers of a unit from an address on; raises `ModbusError`.
        write: takes them.
        refuse: exception to give to a request instead of an answer, or 0.
    """

    def __init__(
        self,
        read: Callable[[int, int, int], list[int]],
        write: Callable[[int, int, list[int]], None],
        refuse: Callable[[int, int], int],
    ) -> None:
        self._read = read
        self._write = write
        self._refuse = refuse
        self.asked: set[int] = set()
        """Codes of functions that were asked for."""

    def answer(self, unit: int, request: bytes) -> bytes:
        """The answer to a request, both without header."""
        function = request[0]
        self.asked.add(function)
        try:
            refused = self._refuse(unit, function)
            if refused:
                raise ModbusError(refused)
            match function:
                case 3:
                    return self._read_registers(unit, request)
                case 6:
                    return self._write_register(unit, request)
                case 16:
                    return self._write_registers(unit, request)
            raise ModbusError(ILLEGAL_FUNCTION)
        except ModbusError as error:
            return bytes([function | 0x80, error.code])

    def _read_registers(self, unit: int, request: bytes) -> bytes:
        if len(request) != 5:
            raise ModbusError(ILLEGAL_VALUE)
        address, count = struct.unpack(">HH", request[1:])
        if not 1 <= count <= REGISTERS_MAX:
            raise ModbusError(ILLEGAL_VALUE)
        values = self._read(unit, address, count)
        return struct.pack(f">BB{count}H", 3, 2 * count, *values)

    def _write_register(self, unit: int, request: bytes) -> bytes:
        if len(request) != 5:
            raise ModbusError(ILLEGAL_VALUE)
        address, value = struct.unpack(">HH", request[1:])
        self._write(unit, address, [value])
        return request

    def _write_registers(self, unit: int, request: bytes) -> bytes:
        if len(request) < 8:
            raise ModbusError(ILLEGAL_VALUE)
        address, count, size = struct.unpack(">HHB", request[1:6])
        if not 1 <= count <= REGISTERS_MAX or size != 2 * count or len(request) != 6 + size:
            raise ModbusError(ILLEGAL_VALUE)
        self._write(unit, address, list(struct.unpack(f">{count}H", request[6:])))
        return request[:5]


class ModbusServer:
    """One listening port, one master at a time.

    Args:
        functions: answers its requests.
    """

    def __init__(self, functions: ModbusFunctions) -> None:
        self._functions = functions
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self._host: socket.socket | None = None
        self._bytes = b""
        self.hosts = 0
        """Connections until now."""

    @property
    def url(self) -> str:
        """As the bench wants it."""
        return f"modbus-tcp://127.0.0.1:{self._server.getsockname()[1]}"

    @property
    def readable(self) -> list[socket.socket]:
        """Sockets to wait for."""
        return [self._server, *([self._host] if self._host else [])]

    def read(self) -> None:
        """Take what has come, and answer it."""
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
            data = self._host.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop()
            return
        self._bytes += data
        while self._host is not None and len(self._bytes) >= 8:
            transaction, protocol, length, unit = struct.unpack(">HHHB", self._bytes[:7])
            if protocol or not 2 <= length <= LONGEST - 6:
                self._drop()  # out of step: nothing after this can be told apart
                return
            if len(self._bytes) < 6 + length:
                return
            request, self._bytes = self._bytes[7 : 6 + length], self._bytes[6 + length :]
            answer = self._functions.answer(unit, request)
            head = struct.pack(">HHHB", transaction, 0, len(answer) + 1, unit)
            try:
                self._host.sendall(head + answer)
            except OSError:
                self._drop()

    def _drop(self) -> None:
        if self._host is not None:
            self._host.close()
        self._host, self._bytes = None, b""

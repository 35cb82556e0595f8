"""The Modbus end of the emulated rack: a TCP listener on loopback, or a pty, around one core.

pymodbus frames and answers the requests; what is our own is the pty instead of a serial port, the
time that bytes take on a line, and the place where answers are dropped, delayed or damaged.

Not modelled: collisions of several devices on one RS-485 line, and the limit of connections that
real gateways have.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import tty
from collections.abc import Callable
from typing import Any, Final

from pymodbus import FramerType, ModbusDeviceIdentification
from pymodbus.constants import ExcCodes
from pymodbus.pdu import ExceptionResponse
from pymodbus.server import ModbusTcpServer
from pymodbus.server.requesthandler import ServerRequestHandler
from pymodbus.simulator import DataType, SimData, SimDevice

from sim.devices.admission import Admission
from sim.devices.modbus.device import ModbusDevice
from sim.devices.modbus.faults import ModbusFaults

LOOPBACK: Final = "127.0.0.1"
READ_BYTES: Final = 4096
GAP_CHARACTERS: Final = 3.5
GAP_FIXED_S: Final = 0.00175
"""Silence between frames above 19200 Bd [s] (Modbus over Serial Line V1.02, 2.5.1.1)."""
CLOSING_TURNS: Final = 6
"""Turns of the loop within which asyncio makes an accepted connection, and closes one."""


class RackHandler(ServerRequestHandler):
    """Connection whose answers go through the faults and the pace of the line.

    Args:
        owner: The server.
        rtu: Whether this is a serial line.
    """

    def __init__(self, owner: RackServer, *, rtu: bool) -> None:
        self._rack, self._rtu = owner, rtu
        self._asked = 0
        super().__init__(owner, None, None, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admit the client or close the connection; a pty has no peer that could be checked."""
        super().connection_made(transport)
        peer = transport.get_extra_info("socket")
        if peer is not None and not self._rack.admission.lets_in(peer):
            self.close()

    def callback_data(self, data: bytes, addr: tuple[Any, ...] | None = None) -> int:
        """Take in received bytes; a mute device ignores them."""
        self._asked = len(data)
        if self._rack.faults.mute:
            return len(data)
        return super().callback_data(data, addr)

    async def handle_request(self) -> None:
        """Answer the request, unless it is for another unit."""
        request, rack = self.last_pdu, self._rack
        if request is None:
            return
        rack.core.advance(rack.now_s())
        refusal = None
        if request.dev_id not in rack.core.settings.units:
            if self._rtu:
                return  # another device on the line may answer
            refusal = int(ExcCodes.GATEWAY_NO_RESPONSE)
        elif rack.faults.exception:
            refusal = rack.faults.exception
        if refusal is None:
            await super().handle_request()
            return
        answer = ExceptionResponse(request.function_code, refusal)
        answer.transaction_id, answer.dev_id = request.transaction_id, request.dev_id
        self.server_send(answer, self.last_addr)

    def send(self, data: bytes, addr: tuple[Any, ...] | None = None) -> None:
        """Put an answer on the wire when its last byte is due, possibly damaged, or drop it."""
        self.recv_buffer = b""
        delay_s, data = self._rack.faults.on_wire(data, rtu=self._rtu)
        if self._rtu:
            delay_s += self._rack.line_time_s(self._asked + len(data))
        if not data:
            return
        if delay_s > 0.0:
            self._rack.loop.call_later(delay_s, self._emit, data)
        else:
            self._emit(data)

    def _emit(self, data: bytes) -> None:
        if self.transport is not None:
            self.transport.write(data)  # type: ignore[attr-defined]


class RackServer(ModbusTcpServer):
    """Server around a core; to be made inside a running event loop.

    Args:
        faults: What goes wrong.
        port: TCP port, 0 for any free one; it is not opened when a pty is used.
        rtu: Whether frames are those of a serial line.
        admission: Who may connect to the port; the user who runs this if left out.
    """

    def __init__(
        self,
        core: ModbusDevice,
        faults: ModbusFaults,
        now_s: Callable[[], float],
        *,
        port: int = 0,
        rtu: bool = False,
        admission: Admission | None = None,
    ) -> None:
        self.admission: Admission = admission or Admission()
        self.core: ModbusDevice = core
        self.faults: ModbusFaults = faults
        self.now_s: Callable[[], float] = now_s
        self._rtu = rtu
        settings = core.settings
        identity = ModbusDeviceIdentification(
            info_name={
                "VendorName": settings.vendor_name,
                "ProductCode": settings.product_code,
                "MajorMinorRevision": settings.revision,
            }
        )
        framer = FramerType.RTU if rtu else FramerType.SOCKET
        devices = [self._device(unit) for unit in settings.units]
        super().__init__(devices, identity=identity, framer=framer, address=(LOOPBACK, port))
        self._pty: PtyTransport | None = None

    def callback_new_connection(self) -> RackHandler:
        """Return the handler of a new client."""
        return RackHandler(self, rtu=self._rtu)

    def line_time_s(self, count: int) -> float:
        """Return how long so many bytes and two gaps between frames take on the line [s]."""
        settings = self.core.settings
        if not settings.paced:
            return 0.0
        character_s = settings.bits_per_byte / settings.baud
        gap_s = GAP_FIXED_S if settings.baud > 19200 else GAP_CHARACTERS * character_s
        return count * character_s + 2.0 * gap_s

    @property
    def bound_port(self) -> int:
        """TCP port of the listener."""
        transport: Any = self.transport
        return int(transport.sockets[0].getsockname()[1])

    def open_pty(self) -> str:
        """Open a pty instead of a port; return the device that a client opens."""
        handler = RackHandler(self, rtu=True)
        self._pty = PtyTransport(self.loop, handler)
        handler.connection_made(self._pty)
        return self._pty.device

    async def unplug(self) -> None:
        """Take the line away: connections and listener close, a pty hangs up."""
        await self._accept_no_more()
        if self.transport is not None:
            self.transport.close()
        for connection in list(self.active_connections.values()):
            connection.close()

    async def leave(self) -> None:
        """Close everything."""
        await self._accept_no_more()
        await self.shutdown()
        await self._let_run()

    async def _accept_no_more(self) -> None:
        """Hang the pty up, and listen no more; a connection that is being accepted is made yet."""
        if self._pty is not None:
            self._pty.close()
        listener: Any = self.transport
        for each in () if listener is None else listener.sockets:
            self.loop.remove_reader(each.fileno())
        await self._let_run()

    async def _let_run(self) -> None:
        for _ in range(CLOSING_TURNS):
            await asyncio.sleep(0)

    def _device(self, unit: int) -> SimDevice:
        async def action(
            function_code: int,
            start_address: int,
            address: int,
            count: int,
            current_registers: list[int],
            set_values: list[int] | list[bool] | None,
        ) -> ExcCodes | None:
            if function_code not in self.core.functions:
                return ExcCodes.ILLEGAL_FUNCTION
            if set_values is not None:
                values = [int(value) for value in set_values]
                code = self.core.write(unit, address, values, self.now_s())
                return None if code is None else ExcCodes(code)
            found = self.core.read(unit, address, count)
            if isinstance(found, int):
                return ExcCodes(found)
            start = address - start_address
            current_registers[start : start + count] = found
            return None

        registers = SimData(0, count=self.core.registers, values=0, datatype=DataType.REGISTERS)
        return SimDevice(id=unit, simdata=[registers], action=action)


class PtyTransport(asyncio.Transport):
    """The master side of a pty as a transport; the other side is the serial port of a client.

    The slave side is kept open here too, so that clients may come and go.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: RackHandler) -> None:
        super().__init__()
        self._loop, self._protocol = loop, protocol
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.device: str = os.ttyname(self._slave)
        self._open = True
        loop.add_reader(self._master, self._read)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._protocol.data_received(os.read(self._master, READ_BYTES))

    def write(self, data: bytes) -> None:  # type: ignore[override]
        """Send bytes; what a client does not read is lost, as on a real line."""
        if self._open:
            with contextlib.suppress(BlockingIOError):
                os.write(self._master, data)

    def close(self) -> None:
        """Hang up; a second call does nothing."""
        if self._open:
            self._open = False
            self._loop.remove_reader(self._master)
            os.close(self._master)
            os.close(self._slave)

    def is_closing(self) -> bool:
        """Say whether it is hung up."""
        return not self._open

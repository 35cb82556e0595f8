"""One Modbus gateway, one request at a time: answers are judged, errors are told apart.

It blocks, and is therefore used by one worker thread only (`drives.modbus.worker`). The library
under it frames requests and owns the socket or the port; every answer is judged byte for byte
before the library sees it (`drives.modbus.frames`), because the library skips what does not fit
and waits on. It never repeats a request by itself.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from pymodbus import ModbusException
from pymodbus.client import ModbusSerialClient, ModbusTcpClient
from pymodbus.exceptions import ConnectionException
from pymodbus.framer import FramerType
from pymodbus.pdu import ModbusPDU

from drives.bus_budget import rtu_silence_s
from drives.links import ModbusRtuLink, ModbusTcpLink
from drives.modbus.connect import Client, drain, open_client
from drives.modbus.errors import (
    ModbusBusyError,
    ModbusClosedError,
    ModbusError,
    ModbusTimeoutError,
    ModbusWrongAnswerError,
    refusal,
)
from drives.modbus.frames import Framing, bits_per_character, is_whole_answer

logging.getLogger("pymodbus.logging").addHandler(logging.NullHandler())
logging.getLogger("pymodbus.logging").propagate = False  # every cause comes up as an exception

IDENTIFICATION_BASIC = 1
VENDOR_NAME, PRODUCT_CODE, REVISION = 0, 1, 2
"""Objects of device identification (Modbus Application Protocol V1.1b3, 6.21)."""
BUSY_TRIES = 200
"""Most repeated requests to a device that is busy while it is set up."""
BUSY_PAUSE_S = 0.005
"""Pause before each of them [s]."""
SERVER_QUIET_S = 0.005
"""Shortest silence of a line behind a serial server, which holds bytes together for a while [s]."""


class ModbusGateway:
    """A connection to one gateway.

    Use `gateway_at` to make one.

    Args:
        framing: How frames are told apart.
        quiet_s: Silence after which a serial line holds no late answer any more [s].
        make_client: Makes the library's client, given what looks at each packet.
    """

    def __init__(
        self,
        framing: Framing,
        url: str,
        quiet_s: float,
        make_client: Callable[[Callable[[bool, bytes], bytes]], Client],
    ) -> None:
        self._framing, self._url, self._quiet_s = framing, url, quiet_s
        self._client = make_client(self._judge)
        self._request = b""
        self._received = 0
        self._dirty = False
        self._busy_tries = BUSY_TRIES
        self._pause = threading.Event()

    @property
    def url(self) -> str:
        """Return where the gateway is."""
        return self._url

    def begin_cycles(self, timeout_s: float) -> None:
        """End the set-up: from here on a busy device is an error, which the cycle deals with.

        Args:
            timeout_s: Longest wait of the library for an answer and for a connection [s].
        """
        self._busy_tries = 0
        self._client.comm_params.timeout_connect = timeout_s
        self._client.transaction.comm_params.timeout_connect = timeout_s

    def read(self, unit: int, address: int, count: int) -> list[int]:
        """Read holding registers (function 3).

        Args:
            address: First register, counted from 0.

        Returns:
            Their values, 0 to 65535.

        Raises:
            ModbusError: The class says the cause.
        """
        what = f"read {count} from {address}"
        answer = self._ask(
            unit,
            3,
            what,
            lambda: self._client.read_holding_registers(address, count=count, device_id=unit),
        )
        return list(answer.registers)

    def write(self, unit: int, address: int, values: Sequence[int]) -> None:
        """Write holding registers (function 16).

        Args:
            values: What to write, 0 to 65535 each.

        Raises:
            ModbusError: The class says the cause.
        """
        what = f"write {len(values)} to {address}"
        self._ask(
            unit,
            16,
            what,
            lambda: self._client.write_registers(address, list(values), device_id=unit),
        )

    def read_write(
        self, unit: int, read_address: int, read_count: int, write_address: int,
        values: Sequence[int],
    ) -> list[int]:  # fmt: skip
        """Write registers, then read registers, in one request (function 23).

        Args:
            read_address: First register to read.
            read_count: Number of registers to read.
            write_address: First register to write.

        Returns:
            What was read.

        Raises:
            ModbusError: The class says the cause.
        """
        what = f"write {len(values)} to {write_address}, read {read_count} from {read_address}"
        answer = self._ask(
            unit,
            23,
            what,
            lambda: self._client.readwrite_registers(
                read_address=read_address,
                read_count=read_count,
                write_address=write_address,
                values=list(values),
                device_id=unit,
            ),
        )
        return list(answer.registers)

    def identify(self, unit: int) -> tuple[str, str, str]:
        """Read vendor name, product code and revision of a unit (function 43/14, basic).

        Raises:
            ModbusError: The class says the cause; `ModbusExceptionError` if it has none.
        """
        answer: Any = self._ask(
            unit,
            43,
            "identification",
            lambda: self._client.read_device_information(
                read_code=IDENTIFICATION_BASIC, object_id=VENDOR_NAME, device_id=unit
            ),
        )
        objects = answer.information

        def text(number: int) -> str:
            return bytes(objects.get(number, b"")).decode("ascii", "replace")

        return text(VENDOR_NAME), text(PRODUCT_CODE), text(REVISION)

    def connect(self) -> None:
        """Open the connection or the port, if it is not open.

        The library keeps the cause of a failure to itself, so the way is tried here first.

        Raises:
            ModbusClosedError: If the other end refuses, or there is no such port.
        """
        open_client(self._client, self._url)

    def distrust(self) -> None:
        """Clear the line before the next request: the last answer was another request's."""
        self._dirty = True

    def close(self) -> None:
        """Leave the gateway; a second call does nothing."""
        self._client.close()

    def _ask(self, unit: int, function: int, what: str, ask: Callable[[], ModbusPDU]) -> ModbusPDU:
        """Ask, and while the device is set up, ask again for as long as it is busy."""
        for _ in range(self._busy_tries):
            try:
                return self._ask_once(unit, function, what, ask)
            except ModbusBusyError:
                self._pause.wait(BUSY_PAUSE_S)
        return self._ask_once(unit, function, what, ask)

    def _ask_once(
        self, unit: int, function: int, what: str, ask: Callable[[], ModbusPDU]
    ) -> ModbusPDU:
        """Clear the line if needed, ask once, and turn whatever happens into an error of ours."""
        self._clear_line()
        self._dirty = True  # until a whole right answer has come
        self._request, self._received = b"", 0
        try:
            self.connect()
            answer = ask()
        except ModbusError as error:
            raise type(error)(f"{self._url}: unit {unit}, {what}: {error}") from None
        except ConnectionException as error:
            text = f"{self._url}: unit {unit}, {what}: the connection is gone"
            raise ModbusClosedError(text) from error
        except ModbusException as error:
            if self._received:
                text = f"the answer stopped after {self._received} bytes"
                raise ModbusTimeoutError(f"{self._url}: unit {unit}, {what}: {text}") from error
            text = f"{self._url}: unit {unit}, {what}: no answer in time"
            raise ModbusTimeoutError(text) from error
        except OSError as error:
            text = f"{self._url}: unit {unit}, {what}: {error}"
            raise ModbusClosedError(text) from error
        except Exception as error:  # the library lets errors of its decoders out
            text = f"{self._url}: unit {unit}, {what}: the answer cannot be read ({error!r})"
            raise ModbusWrongAnswerError(text) from error
        self._dirty = False
        if answer.isError():
            raise refusal(unit, function, answer.exception_code, what)
        return answer

    def _judge(self, sending: bool, data: bytes) -> bytes:
        """Judge each packet that comes; an answer that is not right never reaches the library."""
        if sending:
            self._request = data
        else:
            self._received = len(data)
            is_whole_answer(self._framing, self._request, data)
        return data

    def _clear_line(self) -> None:
        """Make sure that nothing that is still under way can be taken for the next answer."""
        if not self._dirty:
            return
        if self._framing is Framing.TCP:
            self._client.close()
            return
        drain(self._client, self._quiet_s, self._url)


def tcp_gateway(host: str, port: int, url: str, timeout_s: float) -> ModbusGateway:
    """Return a gateway on Modbus TCP; it connects at the first request.

    Args:
        port: TCP port, usually 502.
    """

    def make(judge: Callable[[bool, bytes], bytes]) -> Client:
        return ModbusTcpClient(host, port=port, timeout=timeout_s, retries=0, trace_packet=judge)

    return ModbusGateway(Framing.TCP, url, 0.0, make)


def rtu_gateway(
    device: str, baud: int, parity: str, stop_bits: int, url: str, timeout_s: float, quiet_s: float
) -> ModbusGateway:
    """Return a gateway on Modbus RTU; it opens the port at the first request.

    Args:
        parity: "N", "E" or "O".
        quiet_s: Silence that is waited for after a request that was not answered rightly [s].
    """

    def make(judge: Callable[[bool, bytes], bytes]) -> Client:
        return ModbusSerialClient(
            device, framer=FramerType.RTU, baudrate=baud, parity=parity, stopbits=stop_bits,
            timeout=timeout_s, retries=0, trace_packet=judge,
        )  # fmt: skip

    gap = rtu_silence_s(baud, bits_per_character(parity, stop_bits))
    return ModbusGateway(Framing.RTU, url, max(quiet_s, gap), make)


def server_gateway(
    host: str, port: int, url: str, timeout_s: float, quiet_s: float
) -> ModbusGateway:
    """Return a gateway on Modbus RTU behind a serial server, which sends bytes on as they are.

    Args:
        port: TCP port of the line.
        quiet_s: Silence that is waited for after a request that was not answered rightly [s].
    """

    def make(judge: Callable[[bool, bytes], bytes]) -> Client:
        return ModbusTcpClient(
            host, framer=FramerType.RTU, port=port, timeout=timeout_s, retries=0,
            trace_packet=judge,
        )  # fmt: skip

    return ModbusGateway(Framing.RTU, url, max(quiet_s, SERVER_QUIET_S), make)


def gateway_at(
    link: ModbusTcpLink | ModbusRtuLink, url: str, timeout_s: float, quiet_s: float
) -> ModbusGateway:
    """Return the gateway at a link; it connects at the first request.

    Args:
        url: The link for texts.
        quiet_s: Silence that is waited for after a request that was not answered rightly [s].
    """
    if isinstance(link, ModbusTcpLink):
        return tcp_gateway(link.host, link.port, url, timeout_s)
    if link.server is not None:
        return server_gateway(*link.server, url, timeout_s, quiet_s)
    return rtu_gateway(link.device, link.baud, link.parity, link.stop_bits, url, timeout_s, quiet_s)

"""The connection to a Modbus gateway, its failure with the cause, and a cleared serial line.

The library keeps the cause of a failed connection to itself, and clears a line only of what has
arrived already.
"""

import os
import socket
from typing import Any

from pymodbus.client import ModbusSerialClient, ModbusTcpClient

from drives.bank import LinkError
from drives.modbus.errors import ModbusClosedError, ModbusTimeoutError
from hil_common.port_lock import claim_terminal

Client = ModbusTcpClient | ModbusSerialClient
DRAIN_BYTES_MAX = 4096
"""Most bytes discarded from a line that never falls silent before it is given up."""


def open_client(client: Client, url: str) -> None:
    """Open the connection or the port of a client, if it is not open.

    Raises:
        ModbusClosedError: If the other end refuses, or there is no such port; with the cause.
    """
    if client.connected:
        return
    place = client.comm_params
    try:
        if isinstance(client, ModbusTcpClient):
            client.socket = socket.create_connection(
                (place.host, place.port), timeout=place.timeout_connect
            )
            return
        os.close(os.open(place.host, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK))
    except OSError as error:
        raise ModbusClosedError(f"{url}: {error.strerror or error}") from error
    if not client.connect():
        text = "another program has it, or it is no serial port"
        raise ModbusClosedError(f"{url}: cannot be opened: {text}")
    port: Any = client.socket
    try:
        claim_terminal(port.fileno(), place.host, url, LinkError)
    except LinkError as error:
        client.close()
        raise ModbusClosedError(str(error)) from error


def _read_some(client: Client, quiet_s: float) -> int:
    """Read what comes within a while, and return how many bytes that were."""
    port: Any = client.socket
    if not isinstance(client, ModbusTcpClient):
        port.timeout = quiet_s
        return len(port.read(max(1, port.in_waiting)))
    port.settimeout(quiet_s)
    try:
        lost = len(port.recv(DRAIN_BYTES_MAX))
    except TimeoutError:
        return 0
    if not lost:
        raise ConnectionResetError("the serial server has closed the connection")
    return lost


def drain(client: Client, quiet_s: float, url: str) -> None:
    """Read a serial line until it has been silent for a while, and throw away what came.

    Args:
        quiet_s: Silence that is waited for [s].

    Raises:
        ModbusTimeoutError: If the line does not fall silent.
        ModbusClosedError: If the port is gone.
    """
    if client.socket is None:
        return
    thrown = 0
    try:
        while lost := _read_some(client, quiet_s):
            thrown += lost
            if thrown > DRAIN_BYTES_MAX:
                break
    except Exception as error:  # a port that is gone raises termios.error besides OSError
        client.close()
        raise ModbusClosedError(f"{url}: the port is gone: {error}") from error
    if thrown > DRAIN_BYTES_MAX:
        text = f"{url}: {thrown} bytes came unasked and more follow"
        raise ModbusTimeoutError(f"{text}; a line that falls silent is needed")

"""Bytes to and from the robot's controller: a serial port or a TCP connection, bounded in time.

A write that is not taken in time leaves half a line behind. On a serial port what of it still waits
here is thrown away, and the next write begins with a carriage return, which ends the half line: its
checksum does not fit, and the robot asks again. A connection cannot take back what it has buffered,
and would deliver it late, when nobody waits for it any more: it is broken off, buffer and all, and
the link is lost.
"""

import contextlib
import os
import select
import socket
import struct
import termios
from collections.abc import Callable
from typing import Final, NoReturn

import serial

from arm_driver.contour.lines import CR
from arm_driver.contour.urls import SerialLink, SocketLink
from arm_driver.link_errors import ArmLinkError, ArmLinkLostError
from hil_common.port_lock import PortLock, claim_terminal, serial_endpoint, tcp_endpoints

WRITE_TIMEOUT_S: Final = 0.1
CONNECT_TIMEOUT_S: Final = 2.0
_READ_BYTES: Final = 4096
_SEND_BUFFER_BYTES: Final = 4096
_BREAK_OFF: Final = struct.pack("ii", 1, 0)
"""SO_LINGER on, for no time: closing then throws the buffer away and resets the connection."""


class ArmPort:
    """Bytes to and from one controller, on a descriptor that does not block.

    Args:
        device: Serial port or socket, owned by the port from here on.
        lock: Lock to give back when the port is closed.
        write_timeout_s: Longest time that one write takes in all [s].
    """

    def __init__(
        self,
        device: serial.Serial | socket.socket,
        url: str,
        now_s: Callable[[], float],
        lock: PortLock | None = None,
        write_timeout_s: float = WRITE_TIMEOUT_S,
    ) -> None:
        self.url = url
        self._device = device
        self._fd = device.fileno()
        self._terminal = os.isatty(self._fd)
        self._now_s = now_s
        self._lock = lock
        self._write_timeout_s = write_timeout_s
        self._lost = ""
        self._cut = False
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._fd, select.POLLIN)
        self._writable.register(self._fd, select.POLLOUT)

    @property
    def cut(self) -> bool:
        """Whether half a line waits at the robot for the carriage return that ends it."""
        return self._cut

    def read(self, timeout_s: float) -> bytes:
        """Return what has arrived; wait for the first byte if there is none.

        Returns:
            Bytes; none if none came in time.

        Raises:
            ArmLinkLostError: If the port is gone.
        """
        self._check()
        try:
            if not self._readable.poll(timeout_s * 1e3):
                return b""
            data = os.read(self._fd, _READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            self._lose("cannot be read", error)
        if not data:
            self._lose("the other end has closed the connection", None)
        return data

    def write(self, data: bytes) -> bool:
        """Write a line, after ending the one that was cut, if there is one.

        Args:
            data: Whole lines; none only ends the one that was cut.

        Returns:
            Whether the port took all of it in time; a connection that did not is lost.

        Raises:
            ArmLinkLostError: If the port is gone, or a connection has taken only a part.
        """
        self._check()
        line = CR + data if self._cut else data
        taken = self._push(line)
        if taken == len(line):
            self._cut = False
        elif not self._terminal:
            self._break_off(taken, len(line))
        elif taken or self._cut:
            self._cut = True
            self._forget_output()
        return taken == len(line)

    def close(self) -> None:
        """Close the port and give its lock back; a second call does nothing."""
        self._lost = self._lost or f"{self.url}: was closed by this program"
        self._close_device()
        if self._lock is not None:
            self._lock.release()

    def _push(self, line: bytes) -> int:
        """Write as much as is taken in time, and return how much."""
        deadline_s = self._now_s() + self._write_timeout_s
        taken = 0
        while taken < len(line):
            try:
                taken += os.write(self._fd, line[taken:])
            except BlockingIOError:
                left_s = deadline_s - self._now_s()
                if left_s <= 0.0 or not self._writable.poll(left_s * 1e3):
                    break
            except OSError as error:
                self._lose("cannot be written", error)
        return taken

    def _forget_output(self) -> None:
        """Throw away what a serial port has taken but not sent."""
        try:
            termios.tcflush(self._fd, termios.TCOFLUSH)
        except termios.error as error:
            self._lose("cannot be flushed", OSError(*error.args))

    def _break_off(self, taken: int, wanted: int) -> NoReturn:
        """Reset a connection whose other end has stopped reading."""
        if isinstance(self._device, socket.socket):
            with contextlib.suppress(OSError):  # it may be gone already
                self._device.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _BREAK_OFF)
        self._close_device()
        within = f"within {self._write_timeout_s:g} s"
        self._lose(f"took {taken} of {wanted} bytes {within}: the other end does not read", None)

    def _close_device(self) -> None:
        if self._fd >= 0:
            self._fd = -1
            with contextlib.suppress(OSError, termios.error):  # it may be gone already
                self._device.close()

    def _check(self) -> None:
        if self._lost:
            raise ArmLinkLostError(self._lost)

    def _lose(self, what: str, cause: OSError | None) -> NoReturn:
        """End the port for good."""
        why = f": {cause.strerror}" if cause is not None else ""
        self._lost = f"{self.url}: {what}{why}; the link is lost until a new start"
        raise ArmLinkLostError(self._lost) from cause


def open_port(link: SerialLink | SocketLink, now_s: Callable[[], float]) -> ArmPort:
    """Open a link for this program alone; what had arrived before is thrown away.

    Returns:
        The port.

    Raises:
        ArmLinkError: If it is absent, taken, or refuses; the text names URL and cause.
    """
    return _open_serial(link, now_s) if isinstance(link, SerialLink) else _open_tcp(link, now_s)


def _open_serial(link: SerialLink, now_s: Callable[[], float]) -> ArmPort:
    lock = PortLock((serial_endpoint(link.device),), link.url, ArmLinkError)
    try:
        # 8 data bits, no parity, one stop bit, raw, no handshake; `exclusive` is flock.
        port = serial.Serial(link.device, link.baud, timeout=0, exclusive=True)
    except (OSError, termios.error, ValueError) as error:
        lock.release()
        text = f"{link.url}: cannot open {link.device}: {error}"
        raise ArmLinkError(f"{text}; look with `ls -l /dev/serial/by-id/`") from error
    try:
        claim_terminal(port.fileno(), link.device, link.url, ArmLinkError)
    except ArmLinkError:
        port.close()
        lock.release()
        raise
    return ArmPort(port, link.url, now_s, lock)


def _open_tcp(link: SocketLink, now_s: Callable[[], float]) -> ArmPort:
    endpoints = tcp_endpoints(link.host, link.port, link.url, ArmLinkError)
    lock = PortLock(endpoints, link.url, ArmLinkError)
    try:
        connection = socket.create_connection((link.host, link.port), timeout=CONNECT_TIMEOUT_S)
    except OSError as error:
        lock.release()
        text = f"{link.url}: nothing answers there: {error.strerror or error}"
        raise ArmLinkError(f"{text}; start the controller, or its emulation") from error
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A robot that stops reading is noticed after some lines and not after a megabyte.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
    return ArmPort(connection, link.url, now_s, lock)

"""A stream of bytes to an adapter: a serial device or a TCP connection, without ever blocking.

The port writes everything or is lost: a write that is not taken within its time limit, as of an
adapter that has stopped reading, ends the port for good. So a line that was cut in the middle is
never continued by the next one, and a port that came back under another name is not picked up.
"""

import os
import select
import socket
import termios
from collections.abc import Callable
from errno import EACCES, EBUSY, ENOENT
from typing import NoReturn

from drives.bank import LinkError, LinkLostError
from hil_common.port_lock import PortLock, claim_terminal, serial_endpoint, tcp_endpoints

WRITE_TIMEOUT_S = 0.005
CONNECT_TIMEOUT_S = 2.0
_READ_BYTES = 65536
_FULL_READ_BYTES = 2048
_READS_AT_ONCE = 16
_SEND_BUFFER_BYTES = 8192

_ADVICE = {
    ENOENT: "plug the adapter in and look for it with `ls -l /dev/serial/by-id/`",
    EACCES: "add the user to the group of the device (`ls -l`), usually dialout",
    EBUSY: "another program has it; stop that one first",
}


class BytePort:
    """Bytes to and from one adapter, on a descriptor that does not block.

    Writes may come from several threads if the caller locks them; reads from one.

    Args:
        fd: Non-blocking descriptor, owned by the port from here on.
        device: What is behind it, for the text of an error.
        locks: Locks to give back when the port is closed.
        write_timeout_s: Longest time that one write takes in all [s].
    """

    def __init__(
        self,
        fd: int,
        url: str,
        device: str,
        now_s: Callable[[], float],
        locks: tuple[PortLock, ...] = (),
        write_timeout_s: float = WRITE_TIMEOUT_S,
    ) -> None:
        self.url: str = url
        self.device: str = device
        self._fd = fd
        self._now_s = now_s
        self._locks = locks
        self._write_timeout_s = write_timeout_s
        self._lost = ""
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(fd, select.POLLIN)
        self._writable.register(fd, select.POLLOUT)

    def fileno(self) -> int:
        """Return the descriptor; -1 once the port is closed."""
        return self._fd

    def check(self) -> None:
        """Raise again what ended the port.

        Raises:
            LinkLostError: If the port is lost or closed.
        """
        if self._lost:
            raise LinkLostError(self._lost)

    def write(self, data: bytes) -> None:
        """Write all bytes, in one call if the adapter takes them.

        Raises:
            LinkLostError: If the port is lost, or does not take them in time.
        """
        self.check()
        try:
            taken = os.write(self._fd, data)
        except BlockingIOError:
            taken = 0
        except OSError as error:
            self._lose(f"cannot be written: {error.strerror}", error)
        if taken < len(data):
            self._write_rest(memoryview(data)[taken:])

    def read(self, timeout_s: float) -> bytes:
        """Return what has arrived; wait for the first byte if there is none.

        Args:
            timeout_s: Longest wait [s]; 0 does not wait.

        Returns:
            Bytes; none if none came in time.

        Raises:
            LinkLostError: If the port is lost.
        """
        self.check()
        return self._take() if self._readable.poll(timeout_s * 1e3) else b""

    def close(self) -> None:
        """Close the port and give its locks back; a second call does nothing."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        self._lost = self._lost or f"{self.url}: {self.device} was closed by this program"
        os.close(fd)
        for lock in self._locks:
            lock.release()

    def _take(self) -> bytes:
        """Read what is there, in few calls, and not for ever from an adapter that floods."""
        chunks: list[bytes] = []
        try:
            for _ in range(_READS_AT_ONCE):
                chunk = os.read(self._fd, _READ_BYTES)
                if not chunk:
                    self._lose("has closed the connection", None)
                chunks.append(chunk)
                if len(chunk) < _FULL_READ_BYTES:
                    break
        except BlockingIOError:
            pass
        except LinkLostError:
            if not chunks:
                raise  # what came before the end is still worth reading; the next call raises
        except OSError as error:
            self._lose(f"cannot be read: {error.strerror}", error)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _write_rest(self, rest: memoryview) -> None:
        """Finish a write that was not taken at once, within its time limit."""
        deadline_s = self._now_s() + self._write_timeout_s
        while rest:
            # Even if it was this program that came late, the adapter is asked once more.
            left_s = max(0.0, deadline_s - self._now_s())
            if not self._writable.poll(left_s * 1e3):
                limit_ms = self._write_timeout_s * 1e3
                self._lose(f"did not take {len(rest)} bytes within {limit_ms:g} ms", None)
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                continue
            except OSError as error:
                self._lose(f"cannot be written: {error.strerror}", error)

    def _lose(self, what: str, cause: OSError | None) -> NoReturn:
        """End the port for good."""
        self._lost = f"{self.url}: {self.device} {what}; the link is lost until a new start"
        raise LinkLostError(self._lost) from cause


def open_serial(
    device: str,
    url: str,
    now_s: Callable[[], float],
    *,
    baud: int = 115200,
    write_timeout_s: float = WRITE_TIMEOUT_S,
) -> BytePort:
    """Open a serial device raw, 8 data bits, no parity, one stop bit, for this program alone.

    Args:
        device: Path, best one under `/dev/serial/by-id/`.
        baud: Speed [Bd]; of no meaning to an adapter that is a USB device itself.
        write_timeout_s: Longest time that one write takes in all [s].

    Returns:
        The port.

    Raises:
        LinkError: If the device is absent, taken, not allowed, or no serial device.
    """
    speed = getattr(termios, f"B{baud}", None)
    if speed is None or baud <= 0:
        raise LinkError(f"{url}: {baud} Bd is no speed of a serial port; 115200 is usual")
    try:
        fd = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "look for adapters with `ls -l /dev/serial/by-id/`")
        raise LinkError(f"{url}: cannot open {device}: {error.strerror}; {advice}") from error
    lock: PortLock | None = None
    try:
        lock = PortLock((serial_endpoint(device),), url, LinkError)
        claim_terminal(fd, device, url, LinkError)
        _set_raw(fd, device, url, speed)
    except LinkError:
        os.close(fd)
        if lock is not None:
            lock.release()
        raise
    return BytePort(fd, url, device, now_s, (lock,), write_timeout_s)


def open_tcp(
    host: str,
    port: int,
    url: str,
    now_s: Callable[[], float],
    *,
    shared: bool = False,
    write_timeout_s: float = WRITE_TIMEOUT_S,
) -> BytePort:
    """Connect to an adapter, or to one that is emulated, over TCP.

    Args:
        shared: Whether several connections are meant to be there; then it is not locked.
        write_timeout_s: Longest time that one write takes in all [s].

    Returns:
        The port.

    Raises:
        LinkError: If nothing answers there, or another controller has it.
    """
    locks = () if shared else (PortLock(tcp_endpoints(host, port, url, LinkError), url, LinkError),)
    try:
        connection = socket.create_connection((host, port), timeout=CONNECT_TIMEOUT_S)
    except OSError as error:
        for lock in locks:
            lock.release()
        cause = error.strerror or str(error)
        text = f"{url}: nothing answers at {host}:{port}: {cause}; start the adapter or the rack"
        raise LinkError(f"{text}, and use the URL that it prints") from error
    connection.setblocking(False)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A peer that stops reading is noticed after a few cycles and not after a megabyte.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
    device = f"{host}:{port}"
    return BytePort(connection.detach(), url, device, now_s, locks, write_timeout_s)


def _set_raw(fd: int, device: str, url: str, speed: int) -> None:
    """Let bytes pass unchanged; VMIN 1 separates an end of file from no data."""
    try:
        attributes = termios.tcgetattr(fd)
        control = attributes[6]
        control[termios.VMIN], control[termios.VTIME] = 1, 0
        local = termios.CS8 | termios.CREAD | termios.CLOCAL
        termios.tcsetattr(fd, termios.TCSANOW, [0, 0, local, 0, speed, speed, control])
        termios.tcflush(fd, termios.TCIOFLUSH)
    except termios.error as error:
        raise LinkError(f"{url}: {device} cannot be set to raw: {error.args[-1]}") from error

"""Wires of emulated devices: a TCP port on this machine, and a pseudo-terminal.

Both are non-blocking: a peer that does not read cannot hold a device up.

Not modelled: the 1 ms frames of USB, baud rates and control lines of a UART, more than one peer.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import tty
from collections.abc import Callable
from typing import Final

from sim.devices.admission import Admission

_BLOCK: Final = 4096
"""Bytes read at once, and at most per turn, so that a flood cannot hold a device up."""

_LAST_BLOCKS: Final = 16
"""Most blocks that are read of a peer when another one connects."""

OnData = Callable[[bytes, float], None]
"""Function of a peer's bytes and the monotonic time [s]."""


class TcpWire:
    """A TCP port on 127.0.0.1 for one peer; a second one is refused while the first is connected.

    Args:
        selector: Where its sockets wait for bytes; their data are functions to call with the time.
        on_data: Called with what the peer wrote.
        forget: Called when the connection is gone, or is cut.
        port: Port number; 0 for any free one.
        admission: Who may be the peer; the user who runs this if left out.

    Raises:
        OSError: If the port cannot be opened.
    """

    def __init__(
        self,
        selector: selectors.BaseSelector,
        on_data: OnData,
        forget: Callable[[], None],
        port: int = 0,
        admission: Admission | None = None,
    ) -> None:
        self._selector, self._on_data, self._forget = selector, on_data, forget
        self._admission = admission or Admission()
        self._client: socket.socket | None = None
        self._plugged = True
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(("127.0.0.1", port))
            self._listener.listen(1)
            self._listener.setblocking(False)
        except OSError:
            self._listener.close()
            raise
        self._port = self._listener.getsockname()[1]
        selector.register(self._listener, selectors.EVENT_READ, self._accept)

    @property
    def address(self) -> str:
        """Address of the port for a peer."""
        return f"socket://127.0.0.1:{self._port}"

    def write(self, data: bytes | bytearray) -> int:
        """Write the part that the connection takes at once; return its length [bytes]."""
        if self._client is None:
            return 0
        try:
            return self._client.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self._drop()
            return 0

    def hold_input(self, held: bool) -> None:
        """Stop reading, or continue."""
        if self._client is not None:
            _hold(self._selector, self._client, self._receive, held)

    def unplug(self) -> None:
        """Close the connection and refuse others."""
        self._plugged = False
        self._drop()

    def plug(self) -> bool:
        """Accept a peer again; return whether the address has changed."""
        self._plugged = True
        return False

    def close(self) -> None:
        """Close connection and port."""
        self._drop()
        self._selector.unregister(self._listener)
        self._listener.close()

    def _receive(self, now_s: float) -> bool:
        """Receive what has arrived; return whether there was something, so that more may follow."""
        if self._client is None:
            return False
        try:
            data = self._client.recv(_BLOCK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self._on_data(data, now_s)
        else:
            self._drop()
        return bool(data)

    def _accept(self, now_s: float) -> None:
        # A peer that left before the next one came shows at the end of what it had written.
        for _ in range(_LAST_BLOCKS):
            if not self._receive(now_s):
                break
        try:
            client, _ = self._listener.accept()
        except OSError:  # no peer
            return
        if self._client is not None or not self._plugged or not self._admission.lets_in(client):
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client = client
        self._selector.register(client, selectors.EVENT_READ, self._receive)

    def _drop(self) -> None:
        if self._client is not None:
            self.hold_input(True)
            self._client.close()
            self._client = None
        self._forget()


class PtyWire:
    """A pseudo-terminal, as a USB adapter shows up.

    Args:
        selector: Where it waits for bytes; its data are a function to call with the time.
        on_data: Called with what the peer wrote.
        forget: Called when the terminal vanishes.

    Raises:
        OSError: If the system has no pseudo-terminals.
    """

    def __init__(
        self, selector: selectors.BaseSelector, on_data: OnData, forget: Callable[[], None]
    ) -> None:
        self._selector, self._on_data, self._forget = selector, on_data, forget
        self._master = self._slave = -1
        self._name = ""
        self._open()

    @property
    def address(self) -> str:
        """Name of the terminal for a peer."""
        return self._name

    def write(self, data: bytes | bytearray) -> int:
        """Write the part that the terminal's buffer takes at once; return its length [bytes]."""
        if self._master >= 0:
            with contextlib.suppress(OSError):  # the buffer is full
                return os.write(self._master, data)
        return 0

    def hold_input(self, held: bool) -> None:
        """Stop reading, or continue."""
        if self._master >= 0:
            _hold(self._selector, self._master, self._receive, held)

    def unplug(self) -> None:
        """Make the terminal vanish: a peer that has it open gets an error."""
        if self._master < 0:
            return
        self.hold_input(True)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._forget()

    def plug(self) -> bool:
        """Reappear; return whether the name has changed, as it can with USB."""
        before = self._name
        if self._master < 0:
            self._open()
        return self._name != before

    def close(self) -> None:
        """Close the terminal."""
        self.unplug()

    def _receive(self, now_s: float) -> None:
        data = b""
        if self._master >= 0:
            with contextlib.suppress(OSError):  # a peer that vanished changes nothing
                data = os.read(self._master, _BLOCK)
        if data:
            self._on_data(data, now_s)

    def _open(self) -> None:
        # The slave stays open here, so that the master side survives a peer that closes it.
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._name = os.ttyname(self._slave)
        self._selector.register(self._master, selectors.EVENT_READ, self._receive)


def _hold(
    selector: selectors.BaseSelector,
    end: socket.socket | int,
    receive: Callable[[float], object],
    held: bool,
) -> None:
    registered = end in selector.get_map()
    if held and registered:
        selector.unregister(end)
    elif not held and not registered:
        selector.register(end, selectors.EVENT_READ, receive)

"""Where a host finds the emulated arm: a TCP port on this machine, or a pseudo-terminal.

Both are non-blocking; what a host does not read is lost, as on a line without handshake.

Not modelled: baud rates (the controller paces its bytes itself), control lines, several hosts.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import tty
from typing import Final

_BLOCK: Final = 4096
_HELD_MAX: Final = 4096
"""Bytes of the host kept between two turns; a flood beyond that is left with the system."""


class TcpPort:
    """A TCP port on 127.0.0.1 for one host; a second one is refused while the first is there.

    Args:
        selector: Where its sockets wait; their data are functions to call with the time.
        port: Port number; 0 for any free one.

    Raises:
        OSError: If the port cannot be opened.
    """

    def __init__(self, selector: selectors.BaseSelector, port: int = 0) -> None:
        self._selector = selector
        self._client: socket.socket | None = None
        self._heard = bytearray()
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
    def url(self) -> str:
        """Where a host finds it."""
        return f"socket://127.0.0.1:{self._port}"

    def fetch(self) -> bytes:
        """Return what the host wrote since the last call."""
        data = bytes(self._heard)
        self._heard.clear()
        return data

    def send(self, data: bytes) -> None:
        """Write to the host; without one, or if it does not read, bytes are lost."""
        if self._client is None or not data:
            return
        try:
            self._client.send(data)
        except BlockingIOError:
            return
        except OSError:
            self._drop()

    def unplug(self) -> None:
        """Close the connection and refuse others."""
        self._plugged = False
        self._drop()

    def plug(self) -> bool:
        """Accept a host again; returns whether the address is another one now."""
        self._plugged = True
        return False

    def close(self) -> None:
        """Close connection and port."""
        self._drop()
        self._selector.unregister(self._listener)
        self._listener.close()

    def _receive(self, _now_s: float) -> None:
        if self._client is None or len(self._heard) >= _HELD_MAX:
            return
        try:
            data = self._client.recv(_BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._heard += data
        else:
            self._drop()

    def _accept(self, now_s: float) -> None:
        self._receive(now_s)  # this shows a host that left before the next one came
        try:
            client, _ = self._listener.accept()
        except OSError:  # nobody there
            return
        if self._client is not None or not self._plugged:
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client = client
        self._selector.register(client, selectors.EVENT_READ, self._receive)

    def _drop(self) -> None:
        if self._client is not None:
            self._selector.unregister(self._client)
            self._client.close()
            self._client = None
        self._heard.clear()


class PtyPort:
    """A pseudo-terminal, as a serial adapter shows up.

    Args:
        selector: Where it waits for bytes; its data are a function to call with the time.
        baud: Bits per second, for the URL.

    Raises:
        OSError: If the system has no pseudo-terminals.
    """

    def __init__(self, selector: selectors.BaseSelector, baud: int) -> None:
        self._selector, self._baud = selector, baud
        self._master = self._slave = -1
        self._name = ""
        self._heard = bytearray()
        self._open()

    @property
    def url(self) -> str:
        """Where a host finds it."""
        return f"serial:{self._name}?baud={self._baud}"

    def fetch(self) -> bytes:
        """Return what the host wrote since the last call."""
        data = bytes(self._heard)
        self._heard.clear()
        return data

    def send(self, data: bytes) -> None:
        """Write to the host; if the terminal's buffer is full, bytes are lost."""
        if self._master >= 0 and data:
            with contextlib.suppress(OSError):
                os.write(self._master, data)

    def unplug(self) -> None:
        """Make the terminal vanish: whoever has it open gets an error."""
        if self._master < 0:
            return
        self._selector.unregister(self._master)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._heard.clear()

    def plug(self) -> bool:
        """Show up again; returns whether the name is another one, as can be with USB."""
        before = self._name
        if self._master < 0:
            self._open()
        return self._name != before

    def close(self) -> None:
        """Close the terminal."""
        self.unplug()

    def _receive(self, _now_s: float) -> None:
        if self._master >= 0 and len(self._heard) < _HELD_MAX:
            with contextlib.suppress(OSError):
                self._heard += os.read(self._master, _BLOCK)

    def _open(self) -> None:
        # The slave stays open here, so that the master side survives a host that closes it.
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._name = os.ttyname(self._slave)
        self._selector.register(self._master, selectors.EVENT_READ, self._receive)

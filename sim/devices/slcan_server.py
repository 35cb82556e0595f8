"""Wires of an emulated SLCAN adapter: a TCP port on this machine, and a pseudo-terminal.

Both are non-blocking: a master that does not read cannot hold the rack up.

Not modelled: the 1 ms frames of USB, baud rates of a UART, more than one master at a time.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import tty
from typing import Final, Protocol

from sim.devices.slcan_adapter import SlcanAdapter

_BLOCK: Final = 4096
"""Bytes read at once, and at most per turn, so that a flood cannot hold the rack up."""


class Wire(Protocol):
    """One wire of an adapter."""

    @property
    def url(self) -> str:
        """Where a master finds it."""
        ...

    def receive(self, now_s: float) -> None:
        """Read what there is, and answer at once (monotonic time [s])."""
        ...

    def send(self, now_s: float) -> None:
        """Write what waits, all of it at once if the wire takes it (monotonic time [s])."""
        ...

    def hold_input(self, held: bool) -> None:
        """Stop reading, or go on."""
        ...

    def unplug(self) -> None:
        """Cut the wire."""
        ...

    def plug(self) -> bool:
        """Mend the wire; returns whether its address is another one now."""
        ...


class TcpWire:
    """A TCP port on 127.0.0.1 for one master; a second one is refused while the first is there.

    Args:
        adapter: The adapter behind it.
        selector: Where its sockets wait for bytes; their data are functions to call with the time.
        port: Port number; 0 for any free one.

    Raises:
        OSError: If the port cannot be opened.
    """

    def __init__(
        self, adapter: SlcanAdapter, selector: selectors.BaseSelector, port: int = 0
    ) -> None:
        self._adapter = adapter
        self._selector = selector
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
    def url(self) -> str:
        """Where a master finds it."""
        return f"slcan:socket://127.0.0.1:{self._port}"

    @property
    def connected(self) -> bool:
        """Whether a master is connected."""
        return self._client is not None

    def receive(self, now_s: float) -> None:
        """Read what there is, and answer at once."""
        if self._client is None:
            return
        try:
            data = self._client.recv(_BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._adapter.feed(data, now_s)
            self.send(now_s)
        else:
            self._drop()

    def send(self, now_s: float) -> None:
        """Write what waits; while nobody listens, frames are lost."""
        self._adapter.fetch(now_s)
        output = self._adapter.output
        if self._client is None or not output:
            return
        try:
            sent = self._client.send(output)
        except BlockingIOError:
            return
        except OSError:
            self._drop()
            return
        del output[:sent]

    def hold_input(self, held: bool) -> None:
        """Stop reading, or go on (fault `stall`)."""
        if self._client is None:
            return
        registered = self._client in self._selector.get_map()
        if held and registered:
            self._selector.unregister(self._client)
        elif not held and not registered:
            self._selector.register(self._client, selectors.EVENT_READ, self.receive)

    def unplug(self) -> None:
        """Close the connection and refuse others."""
        self._plugged = False
        self._drop()

    def plug(self) -> bool:
        """Accept masters again, at the same address."""
        self._plugged = True
        return False

    def close(self) -> None:
        """Close connection and port."""
        self._drop()
        self._selector.unregister(self._listener)
        self._listener.close()

    def _accept(self, now_s: float) -> None:
        self.receive(now_s)  # this shows a master that left before the next one came
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
        self._selector.register(client, selectors.EVENT_READ, self.receive)

    def _drop(self) -> None:
        if self._client is not None:
            with contextlib.suppress(KeyError):
                self._selector.unregister(self._client)
            self._client.close()
            self._client = None
        self._adapter.reset()


class PtyWire:
    """A pseudo-terminal, as a USB adapter shows up.

    Args:
        adapter: The adapter behind it.
        selector: Where it waits for bytes; its data are a function to call with the time.

    Raises:
        OSError: If the system has no pseudo-terminals.
    """

    def __init__(self, adapter: SlcanAdapter, selector: selectors.BaseSelector) -> None:
        self._adapter = adapter
        self._selector = selector
        self._master = self._slave = -1
        self._name = ""
        self._open()

    @property
    def url(self) -> str:
        """Where a master finds it."""
        return f"slcan:{self._name}"

    def receive(self, now_s: float) -> None:
        """Read what there is, and answer at once; a master that vanished changes nothing."""
        if self._master >= 0:
            with contextlib.suppress(OSError):
                self._adapter.feed(os.read(self._master, _BLOCK), now_s)
                self.send(now_s)

    def send(self, now_s: float) -> None:
        """Write what waits."""
        self._adapter.fetch(now_s)
        output = self._adapter.output
        if self._master >= 0 and output:
            with contextlib.suppress(OSError):  # the terminal's buffer is full
                sent = os.write(self._master, output)
                del output[:sent]

    def hold_input(self, held: bool) -> None:
        """Stop reading, or go on (fault `stall`)."""
        if self._master < 0:
            return
        registered = self._master in self._selector.get_map()
        if held and registered:
            self._selector.unregister(self._master)
        elif not held and not registered:
            self._selector.register(self._master, selectors.EVENT_READ, self.receive)

    def unplug(self) -> None:
        """Make the terminal vanish: whoever has it open gets an error."""
        if self._master < 0:
            return
        self.hold_input(True)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._adapter.reset()

    def plug(self) -> bool:
        """Show up again; the name is another one, as with USB."""
        before = self._name
        if self._master < 0:
            self._open()
        return self._name != before

    def close(self) -> None:
        """Close the terminal."""
        self.unplug()

    def _open(self) -> None:
        # The slave stays open here, so that the master side survives a master that closes it.
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._name = os.ttyname(self._slave)
        self._selector.register(self._master, selectors.EVENT_READ, self.receive)

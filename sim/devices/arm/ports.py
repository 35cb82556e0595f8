"""Ports of the emulated arm: a TCP port on this machine, or a pseudo-terminal.

Not modelled: baud rates (the controller paces its bytes itself), control lines, several hosts.
"""

from __future__ import annotations

import selectors

from sim.devices.admission import Admission
from sim.devices.wires import PtyWire, TcpWire


class ControllerPort:
    """The controller's end of the line: received bytes wait until they are fetched.

    What a host does not read is lost, as on a line without handshake.

    Args:
        selector: Where it waits for bytes; its data are functions to call with the time.
        baud: Bits per second, for the URL of a pseudo-terminal.
        port: TCP port; 0 for any free one.
        pty: Whether to use a pseudo-terminal instead of TCP.
        admission: Who may connect to the port; the user who runs this if left out.

    Raises:
        OSError: If the port is taken, or the system has no pseudo-terminals.
    """

    def __init__(
        self,
        selector: selectors.BaseSelector,
        *,
        baud: int,
        port: int = 0,
        pty: bool = False,
        admission: Admission | None = None,
    ) -> None:
        self._received = bytearray()
        self._wire = (
            PtyWire(selector, self._read, self._received.clear)
            if pty
            else TcpWire(selector, self._read, self._received.clear, port, admission)
        )
        self._form = f"serial:{{}}?baud={baud}" if pty else "{}"

    @property
    def url(self) -> str:
        """URL of the port for a host."""
        return self._form.format(self._wire.address)

    def fetch(self) -> bytes:
        """Return the bytes that the host wrote since the last call."""
        data = bytes(self._received)
        self._received.clear()
        return data

    def send(self, data: bytes) -> None:
        """Write to the host; without one, or if it does not read, bytes are lost."""
        if data:
            self._wire.write(data)

    def unplug(self) -> None:
        """Pull the cable out."""
        self._wire.unplug()

    def plug(self) -> bool:
        """Put the cable back in; return whether the URL has changed."""
        return self._wire.plug()

    def close(self) -> None:
        """Close the port for good."""
        self._wire.close()

    def _read(self, data: bytes, _now_s: float) -> None:
        self._received += data

"""Wire of an emulated SLCAN adapter: a TCP port on this machine, or a pseudo-terminal.

Not modelled: more than one master at a time.
"""

from __future__ import annotations

import selectors

from sim.devices.admission import Admission
from sim.devices.can.slcan_adapter import SlcanAdapter
from sim.devices.wires import PtyWire, TcpWire


class SlcanWire:
    """Wire of an adapter.

    Args:
        selector: Where it waits for bytes; its data are functions to call with the time.
        port: TCP port; 0 for any free one.
        pty: Whether to use a pseudo-terminal instead of TCP.
        admission: Who may connect to the port; the user who runs this if left out.

    Raises:
        OSError: If the port is taken, or the system has no pseudo-terminals.
    """

    def __init__(
        self,
        adapter: SlcanAdapter,
        selector: selectors.BaseSelector,
        *,
        port: int = 0,
        pty: bool = False,
        admission: Admission | None = None,
    ) -> None:
        self._adapter = adapter
        self._wire = (
            PtyWire(selector, self._read, adapter.reset)
            if pty
            else TcpWire(selector, self._read, adapter.reset, port, admission)
        )

    @property
    def url(self) -> str:
        """URL of the wire for a master."""
        return f"slcan:{self._wire.address}"

    def send(self, now_s: float) -> None:
        """Write the adapter's output, all at once if the wire takes it (monotonic time [s])."""
        self._adapter.fetch(now_s)
        output = self._adapter.output
        if output:
            sent = self._wire.write(output)
            del output[:sent]

    def hold_input(self, held: bool) -> None:
        """Stop reading, or continue (fault `stall`)."""
        self._wire.hold_input(held)

    def unplug(self) -> None:
        """Cut the wire."""
        self._wire.unplug()

    def plug(self) -> bool:
        """Mend the wire; return whether its address has changed."""
        return self._wire.plug()

    def close(self) -> None:
        """Close the wire for good."""
        self._wire.close()

    def _read(self, data: bytes, now_s: float) -> None:
        """Process bytes of the master, and answer at once."""
        self._adapter.feed(data, now_s)
        self.send(now_s)

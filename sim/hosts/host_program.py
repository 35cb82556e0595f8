"""An emulated simulator as a program: host, sockets and console in one loop.

The loop sleeps in `select` until something is due or comes in, and hands the time of its clock to
everything else. Not modelled: a simulator's own frame, which makes its packets late by itself.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
from collections.abc import Callable
from typing import Final, TextIO

from sim.devices.console_input import ConsoleInput
from sim.hosts.console import HostConsole
from sim.hosts.emulated_host import Arrival, EmulatedHost

_IDLE_S: Final = 0.05
"""Longest sleep of the loop [s]; bounds how soon `stop` is seen."""
_REQUEST_MAX: Final = 2048
_BURST: Final = 256

Address = tuple[str, int]


class Sender:
    """Sockets of an emulated simulator.

    Args:
        host: what is sent.
        to: where to, unless a peer asked for it.
        asked_on: where requests are received; None: nowhere, and any port sends.

    Raises:
        OSError: if the port is taken.
    """

    def __init__(self, host: EmulatedHost, to: Address, asked_on: Address | None = None) -> None:
        self._host, self._to = host, to
        self._peers: dict[str, Address] = {}
        self._socket = _socket(asked_on or (_own(to), 0))
        self._second: socket.socket | None = None

    @property
    def address(self) -> Address:
        """Address that receives requests, and that packets come from."""
        return self._socket.getsockname()[:2]

    def fileno(self) -> int:
        """Descriptor of the socket that receives requests."""
        return self._socket.fileno()

    def receive(self, _now_s: float = 0.0) -> None:
        """Receive all requests that have come."""
        for _ in range(_BURST):
            try:
                datagram, address = self._socket.recvfrom(_REQUEST_MAX)
            except OSError:  # none is left, or a peer has gone
                return
            peer = f"{address[0]}:{address[1]}"
            self._peers[peer] = address[:2]
            self._host.receive(datagram, peer)

    def send(self, now_s: float) -> None:
        """Send all datagrams that are due by a time on the host's clock [s]."""
        for arrival in self._host.sent(now_s):
            with contextlib.suppress(OSError):  # no listener: continue, as a simulator does
                self._from(arrival).sendto(arrival.data, self._peers.get(arrival.peer, self._to))

    def close(self) -> None:
        """Close the sockets."""
        self._socket.close()
        if self._second is not None:
            self._second.close()

    def _from(self, arrival: Arrival) -> socket.socket:
        if arrival.sender == 0:
            return self._socket
        if self._second is None:
            self._second = _socket((_own(self._to), 0))
        return self._second


def run_host(
    host: EmulatedHost,
    to: Address,
    *,
    now_s: Callable[[], float],
    ready: Callable[[Sender], None],
    stop: Callable[[], bool],
    asked_on: Address | None = None,
    console: TextIO | None = None,
    say: Callable[[str], None] | None = None,
    end_with_console: bool = False,
    end_with_feed: bool = False,
) -> None:
    """Send until `stop` ends it.

    Args:
        host: what is sent; its time 0 is now.
        to: where to, unless a peer asked for it.
        now_s: the clock, monotonic [s].
        ready: called once the sockets are there.
        stop: asked at least every 50 ms whether to end.
        asked_on: where requests are received, for wires that have them.
        console: where lines of faults come from; it needs a file descriptor.
        say: called with the answers of the console.
        end_with_console: whether to end with the console's input.
        end_with_feed: whether to end when the feed has, or the simulator has left.

    Raises:
        OSError: if the port is taken.
    """
    with selectors.SelectSelector() as selector:  # epoll would round sleeps up to whole ms
        sender = Sender(host, to, asked_on)
        try:
            begin_s = now_s()
            typed = ConsoleInput(
                console,
                selector,
                lambda line, at_s: HostConsole(host).execute(line, at_s - begin_s),
                say,
            )
            selector.register(sender, selectors.EVENT_READ, sender.receive)
            ready(sender)
            while not (stop() or (end_with_console and typed.ended)):
                elapsed_s = now_s() - begin_s
                sleep_s = max(0.0, min(_IDLE_S, host.next_s() - elapsed_s))
                for key, _ in selector.select(sleep_s):
                    key.data(now_s())
                elapsed_s = now_s() - begin_s
                sender.send(elapsed_s)
                if end_with_feed and (host.simulation.ended or elapsed_s > host.lasts_s):
                    return
        finally:
            sender.close()


def _socket(address: Address) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    try:
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def _own(to: Address) -> str:
    """Find the one address of this machine that reaches another one; sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(to)
        return str(probe.getsockname()[0])

"""The desk's body: one socket that this user alone can reach, and a turn whenever something comes.

Nothing here waits for a client. One whose packets cannot be delivered at once is dropped: it does
not read, and what it would read later would be old.
"""

from __future__ import annotations

import os
import selectors
import socket
import struct
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from hil.desk.endpoints import opened, sweep, through
from hil.desk.messages import MAX_PACKET_BYTES
from hil.desk.parts import OutgoingPacket
from hil.desk.prover import ProverChild
from hil.desk.respawner import OVER
from hil.desk.server import Desk

TURN_S: Final = 0.05
"""Longest time between two looks at the clock while somebody is there [s]."""
IDLE_TURN_S: Final = 1.0
PACKETS_PER_TURN: Final = 64
"""Most packets of one client in a turn, so that none can keep the others from being served."""
_UCRED: Final = struct.Struct("=iII")  # pid, uid, gid: unix(7), SO_PEERCRED
_LISTENER, _PARENT, _PROVER = -1, -2, -3


def listen(place: Path, name: str) -> socket.socket:
    """Listen in a folder of benches, after clearing away what killed benches have left.

    Raises:
        PlaceError: if the folder cannot be trusted.
        OSError: if the socket cannot be made.
    """
    with opened(place, make=True) as fd:
        sweep(place, name)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        try:
            listener.bind(through(fd, name))
            os.chmod(through(fd, name), 0o600)
            listener.listen(8)
        except BaseException:
            listener.close()
            raise
    listener.setblocking(False)
    return listener


def _silent() -> None:
    """Nobody listens for a beat."""


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end, as the kernel saw it at connecting."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    return _UCRED.unpack(raw)[1]


class Service:
    """Carries packets between sockets and the desk until the bench is gone.

    Args:
        parent_fd: says `OVER` when the run is; at its end without that word, the way to the bench
            is lost.
        descriptors: what goes with a welcome: telemetry and header, both read-only.
        prover: who proves; None for a station that has nothing to prove.
        beat: called in every turn, at least each `IDLE_TURN_S`: a sign that turns continue.
    """

    def __init__(
        self,
        desk: Desk,
        listener: socket.socket,
        parent_fd: int,
        descriptors: tuple[int, int],
        prover: ProverChild | None,
        beat: Callable[[], None] = _silent,
    ) -> None:
        self._beat = beat
        self._desk, self._listener, self._prover = desk, listener, prover
        self._descriptors = array("i", descriptors)
        self._clients: dict[int, socket.socket] = {}
        self._next_key = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, _LISTENER)
        self._selector.register(parent_fd, selectors.EVENT_READ, _PARENT)
        self._parent_fd, self._over = parent_fd, False
        self._prover_wire: socket.socket | None = None

    def run(self) -> None:
        """Serve until the bench is gone, or cannot be reached; then inform everyone, and close."""
        try:
            while self.turn(TURN_S if self._clients else IDLE_TURN_S):
                pass
            if self._over:
                self._desk.run_over()
            else:
                self._desk.cut_off()
            self._carry()
        finally:
            self.close()

    def turn(self, timeout_s: float) -> bool:
        """Wait for something, at most so long [s], and deal with it.

        Returns:
            Whether the bench can still be reached.
        """
        alive = True
        self._beat()
        for ready, _ in self._selector.select(timeout_s):
            if ready.data == _LISTENER:
                self._accept()
            elif ready.data == _PARENT:
                said = os.read(self._parent_fd, 4096)
                self._over = OVER in said
                alive = bool(said) and not self._over
            elif ready.data == _PROVER and self._prover is not None:
                self._prover.readable()
            else:
                self._receive(ready.data)
            self._watch_prover()  # before a new connection can get the number of a closed one
        self._desk.tick()
        self._carry()
        self._watch_prover()
        return alive

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        self._next_key += 1
        key = self._next_key
        self._clients[key] = connection
        self._selector.register(connection, selectors.EVENT_READ, key)
        self._desk.connected(key, peer_uid(connection))

    def _receive(self, key: int) -> None:
        connection = self._clients.get(key)
        for _ in range(PACKETS_PER_TURN):
            if connection is None or connection.fileno() < 0:
                return
            try:
                packet = connection.recv(MAX_PACKET_BYTES + 1)
            except BlockingIOError:
                return
            except OSError:
                packet = b""
            if not packet:
                self._drop(key)
                self._desk.disconnected(key)
                return
            self._desk.received(key, packet)

    def _carry(self) -> None:
        """Send what there is to send, and close those who have to go."""
        while packets := self._desk.outbox.take_packets():
            for packet in packets:
                connection = self._clients.get(packet.client)
                if connection is not None and not self._sent(connection, packet):
                    self._drop(packet.client)
                    self._desk.disconnected(packet.client)
        for key in self._desk.outbox.take_leaving():
            self._drop(key)

    def _sent(self, connection: socket.socket, packet: OutgoingPacket) -> bool:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, self._descriptors)]
        try:
            connection.sendmsg([packet.data], rights if packet.with_descriptors else [])
        except OSError:  # it is gone, or its buffer is full
            return False
        if packet.with_descriptors and self._prover is not None:
            with suppress(OSError):  # who is let in may soon ask for something
                self._prover.start()
        return True

    def _watch_prover(self) -> None:
        wire = None if self._prover is None else self._prover.wire
        if wire is self._prover_wire:
            return
        if self._prover_wire is not None:
            # A closed socket has left the selector's epoll, but not its list.
            with suppress(KeyError, ValueError):
                self._selector.unregister(self._prover_wire)
        if wire is not None:
            self._selector.register(wire, selectors.EVENT_READ, _PROVER)
        self._prover_wire = wire

    def _drop(self, key: int) -> None:
        connection = self._clients.pop(key, None)
        if connection is not None:
            self._selector.unregister(connection)
            connection.close()

    def close(self) -> None:
        """Close every socket; harmless when repeated."""
        for key in list(self._clients):
            self._drop(key)
        self._listener.close()
        self._selector.close()
        if self._prover is not None:
            self._prover.close()

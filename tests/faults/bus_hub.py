"""A CAN bus with several adapters and an ear on it: SLCAN in, SLCAN out, every frame written down.

It sits between an emulated rack, which has one adapter, and programs that each believe to have an
adapter of their own. A frame of one is heard by the rack and by all others, as on a wire. It shares
nothing with the drivers or the rack: it passes lines on.
"""

import os
import selectors
import socket
import threading
from contextlib import suppress

PRIORITY = 86
"""SCHED_FIFO priority: above the rack's."""

SETTINGS = (b"C", b"O", b"S", b"Z", b"M", b"m", b"X", b"W", b"Q")


class BusHub:
    """The bus, served by a thread.

    Args:
        url: SLCAN adapter of the rack, `slcan:socket://HOST:PORT`.
        adapters: How many programs can be at the bus.
    """

    def __init__(self, url, adapters=2):
        host, _, port = url.removeprefix("slcan:socket://").rpartition(":")
        self.frames = []
        """(adapter, line) of every frame in order; adapter -1 is the rack."""
        self._rack = socket.create_connection((host, int(port)))
        self._rack.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rack.sendall(b"C\rS8\rO\r")
        self._listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(adapters)]
        self.urls = [
            f"slcan:socket://127.0.0.1:{each.getsockname()[1]}" for each in self._listeners
        ]
        self._clients, self._rest = {}, {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._rack, selectors.EVENT_READ, (self._from_rack, -1))
        for number, listener in enumerate(self._listeners):
            self._selector.register(listener, selectors.EVENT_READ, (self._accept, number))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def sent_by(self, adapter):
        """Identifier and data of every frame that a program has put on the bus."""
        lines = [line for number, line in list(self.frames) if number == adapter]
        return [(int(line[1:4], 16), bytes.fromhex(line[5:].decode())) for line in lines]

    def close(self):
        self._ends.set()
        self._thread.join(10.0)
        for each in (self._rack, *self._listeners, *self._clients.values()):
            each.close()
        self._selector.close()

    def _serve(self):
        with suppress(OSError):  # a wire is never late; without the right it may be
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        while not self._ends.is_set():
            for key, _ in self._selector.select(0.05):
                act, number = key.data
                act(key.fileobj, number)

    def _accept(self, listener, number):
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients[number] = client
        self._selector.register(client, selectors.EVENT_READ, (self._from_client, number))

    def _lines(self, peer, number):
        try:
            data = peer.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(peer)
            peer.close()
            self._clients.pop(number, None)
            return []
        *lines, self._rest[number] = (self._rest.get(number, b"") + data).split(b"\r")
        return lines

    def _from_rack(self, peer, number):
        frames = [line.lstrip(b"\x07z") for line in self._lines(peer, number)]
        frames = [line for line in frames if line[:1] == b"t"]
        self.frames += [(number, line) for line in frames]
        self._tell(frames, number)

    def _from_client(self, peer, number):
        answer, frames = b"", []
        for line in self._lines(peer, number):
            if line[:1] == b"t":
                frames.append(line)
                answer += b"z\r"
            elif line[:1] in SETTINGS:
                answer += b"\r"
            else:
                answer += {b"V": b"V1013\r", b"N": b"NHUB0\r", b"F": b"F00\r", b"": b""}.get(
                    line, b"\x07"
                )
        self.frames += [(number, line) for line in frames]
        if frames:
            self._rack.sendall(b"".join(line + b"\r" for line in frames))
            self._tell(frames, number)
        if answer and number in self._clients:
            with suppress(OSError):  # it has just left
                self._clients[number].sendall(answer)

    def _tell(self, frames, sender):
        data = b"".join(line + b"\r" for line in frames)
        for number, client in list(self._clients.items()):
            if number != sender and data:
                with suppress(OSError):
                    client.sendall(data)

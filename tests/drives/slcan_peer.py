"""The other end of an SLCAN link for tests: a pty or a TCP port with a scripted adapter on it."""

import os
import select
import socket
import threading
import tty

from drives.bank import LinkLostError
from drives.can.slcan_bus import SlcanBus, open_slcan
from drives.can.slcan_port import open_serial, open_tcp
from hil.timing.realtime import MonotonicSleeper

BITRATE = 1_000_000
_SLEEPER = MonotonicSleeper()


def now_s():
    """Monotonic time [s]."""
    return _SLEEPER.now_ns() * 1e-9


def until_lost(call, tries=1_000_000):
    """Call until the link is lost; return the text of the error and how long the last call took."""
    for _ in range(tries):
        before_s = now_s()
        try:
            call()
        except LinkLostError as loss:
            return str(loss), now_s() - before_s
    raise AssertionError(f"the link is not lost after {tries} calls")


class Adapter:
    """An adapter that answers the opening from a thread, and then leaves its end to the test.

    Args:
        kind: `pty` or `tcp`.
        ack: What it says to a command that it takes; nothing for adapters that keep quiet.
        refused: Commands that it answers with BEL.
        version: Its answer to V, with the carriage return; nothing if it does not know V.
        clutter: What it says before it answers anything.
    """

    def __init__(
        self, kind="pty", *, ack=b"\r", refused=(), version=b"V1013\r", clutter=b"", after_open=b""
    ):
        self.ack, self.refused, self.version = ack, refused, version
        self.clutter, self.after_open = clutter, after_open
        self.heard = []
        self.listener = None
        self.fd = -1
        if kind == "pty":
            self.fd, self.slave = os.openpty()
            tty.setraw(self.fd)
            self.channel = os.ttyname(self.slave)
        else:
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.channel = f"socket://127.0.0.1:{self.listener.getsockname()[1]}"
        self.url = f"slcan:{self.channel}"
        self._stop_read, self._stop_write = os.pipe()

    def open(self, clock=now_s, **options) -> SlcanBus:
        """Open a bus on this adapter; its thread is over when the channel is open or refused."""
        thread = threading.Thread(target=self._serve)
        thread.start()
        try:
            if options:
                return SlcanBus(self.port(), bitrate=BITRATE, now_s=clock, **options)
            return open_slcan(self.channel, self.url, bitrate=BITRATE, now_s=clock)
        finally:
            os.write(self._stop_write, b"x")
            thread.join()
            os.read(self._stop_read, 1)

    def port(self, **options):
        """Open the port alone, as `open` does before it speaks."""
        if self.listener is None:
            return open_serial(self.channel, self.url, now_s, **options)
        host, port = self.channel.removeprefix("socket://").split(":")
        return open_tcp(host, int(port), self.url, now_s, **options)

    def accept(self):
        """Take the connection of a port that was opened without `open`."""
        if self.fd < 0:
            self.fd = self.listener.accept()[0].detach()

    def _serve(self):
        if self.fd < 0:
            ready, _, _ = select.select([self.listener, self._stop_read], [], [])
            if self.listener not in ready:
                return
            self.accept()
        if self.clutter:
            self.say(self.clutter)
        rest = b""
        while True:
            ready, _, _ = select.select([self.fd, self._stop_read], [], [])
            if self.fd not in ready:
                return
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                return
            if not data:
                return
            *lines, rest = (rest + data).split(b"\r")
            for line in lines:
                self.answer(line)

    def answer(self, line):
        """Answer one line as an adapter does."""
        self.heard.append(line)
        if line in self.refused:
            self.say(b"\x07")
        elif line == b"V":
            self.say(self.version)
        elif line == b"N":
            self.say(b"NA123\r")
        elif line == b"O":
            self.say(self.ack + self.after_open)
        else:
            self.say(self.ack)

    def say(self, data):
        if data:
            os.write(self.fd, data)

    def hear(self, timeout_s=1.0):
        """Return what has arrived; wait for the first byte."""
        if not select.select([self.fd], [], [], timeout_s)[0]:
            return b""
        return os.read(self.fd, 65536)

    def vanish(self):
        """Go as an unplugged adapter goes."""
        for fd in (self.fd, getattr(self, "slave", -1)):
            if fd >= 0:
                os.close(fd)
        self.fd = self.slave = -1

    def close(self):
        self.vanish()
        if self.listener is not None:
            self.listener.close()
        os.close(self._stop_read)
        os.close(self._stop_write)

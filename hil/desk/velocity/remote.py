"""Velocities that another process of this machine writes: lines of JSON over a socket.

Only who has proved that it knows the token is read (`candidates`, `remote_wire`), and only the
first who did: while it is there, all others are closed at once. What waited in a buffer is as old
as its stamp says. A set-point older than `age_max_s` is worth nothing: the velocity wanted is then
zero, until a fresh one comes. A writer that breaks a line's bound is closed.
"""

import socket
from collections import Counter
from collections.abc import Callable

from hil.desk.velocity.candidates import Candidates
from hil.desk.velocity.listener import listen
from hil.desk.velocity.remote_wire import LINE_MAX, VelocityOrder, parse_order
from hil.desk.velocity.source import Frame, Twist, TwistSource, rest

READ_MAX = 65_536
"""Bytes taken per look, beside those that came with a proof; the rest waits, and its stamps age."""
FUTURE_MAX_S = 0.05
"""A stamp further ahead than this is no stamp of this machine's clock [s]."""


class RemoteSource(TwistSource):
    """Velocities from another process, hold-to-run.

    Args:
        address: path of a UNIX socket to make, or "127.0.0.1:port".
        frame: of the zero velocity wanted while nothing fresh is there.
        age_max_s: age from which a set-point is worth nothing [s].

    Raises:
        SourceUnavailableError: the address cannot be listened on, or is not of this machine.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        now_s: Callable[[], float],
        frame: Frame = "gripper",
        age_max_s: float = 0.2,
    ) -> None:
        super().__init__(frame)
        self._now_s = now_s
        self._age_max_s = age_max_s
        self.counts = Counter[str]()
        """Set-points taken, malformed, or repeated; and connections refused."""
        self._candidates = Candidates(listen(address), token, self.counts)
        self._writer: socket.socket | None = None
        self._buffer = bytearray()
        self._newest: VelocityOrder | None = None

    @property
    def held(self) -> bool:
        """Whether the newest set-point is fresh."""
        newest = self._newest
        if self.end_reason or newest is None or newest.twist is None:
            return False
        return -FUTURE_MAX_S <= self._now_s() - newest.written_s < self._age_max_s

    @property
    def port(self) -> int | None:
        """The TCP port listened on; None for a UNIX socket."""
        return self._candidates.port

    def _listen(self) -> None:
        now_s = self._now_s()
        here = self._writer
        self._receive(now_s)  # first: one that has left frees its place
        self._admit(now_s)
        if self._writer is not here:
            self._receive(now_s)

    def _velocity(self) -> Twist:
        newest = self._newest
        if newest is None or newest.twist is None:
            return rest(self._frame)
        return newest.twist if self.held else rest(newest.twist.frame)

    def _admit(self, now_s: float) -> None:
        """Take the first who proves that it knows the token."""
        if self._writer is not None:
            self._candidates.turn_away()
        elif (proved := self._candidates.poll(now_s)) is not None:
            self._writer, self._buffer = proved
            self._take_lines(now_s)

    def _receive(self, now_s: float) -> None:
        left = READ_MAX
        while self._writer is not None and left > 0 and not self.end_reason:
            try:
                data = self._writer.recv(min(left, 8192))
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                data = b""
            if not data:
                self._drop()
                return
            left -= len(data)
            self._buffer += data
            self._take_lines(now_s)

    def _take_lines(self, now_s: float) -> None:
        *lines, rest_of_it = self._buffer.split(b"\n")
        self._buffer = rest_of_it
        for line in lines:
            if self._writer is None or self.end_reason:
                return
            if len(line) > LINE_MAX:
                self._refuse()
            else:
                self._take(bytes(line), now_s)
        if len(self._buffer) > LINE_MAX:
            self._refuse()

    def _take(self, line: bytes, now_s: float) -> None:
        order = parse_order(line)
        if order is None or order.written_s - now_s > FUTURE_MAX_S:
            self.counts["malformed"] += 1
        elif self._newest is not None and order.sequence <= self._newest.sequence:
            self.counts["repeated"] += 1
        else:
            self._newest = order
            self.counts["taken"] += 1
            if order.twist is None:
                self.end_reason = "ended by the writer"

    def _refuse(self) -> None:
        self.counts["refused"] += 1
        self._drop()

    def _drop(self) -> None:
        """Forget the writer and its lines; the next one begins anew."""
        if self._writer is not None:
            self._writer.close()
        self._writer, self._newest = None, None
        self._buffer = bytearray()

    def close(self) -> None:
        """Close the connection and the socket."""
        self._drop()
        self._candidates.close()
        self.end_reason = self.end_reason or "closed"

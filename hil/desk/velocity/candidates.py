"""Connections to the `remote` source that have not yet proved that they know its token.

Each is asked at once, with a nonce of its own, and has a second to answer; several may be pending,
so that nobody who is silent keeps another out. Where too many come, the one that has been silent
for longest goes.
"""

import secrets
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from hil.desk.messages import proves
from hil.desk.velocity.listener import Listener
from hil.desk.velocity.remote_wire import LINE_MAX, line_of, parse_word

PROVE_WITHIN_S: Final = 1.0
"""Time that a connection has for its proof [s]."""
PENDING_MAX: Final = 64
"""Connections that may be pending at the same time."""
ACCEPT_MAX: Final = 16
"""Connections taken per look, so that a flood of them cannot hold the reader up."""
NONCE_BYTES: Final = 32

Proved = tuple[socket.socket, bytearray]
"""A connection that has proved, and the bytes after that."""


@dataclass(slots=True)
class _Candidate:
    connection: socket.socket
    since_s: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(NONCE_BYTES))
    received: bytearray = field(default_factory=bytearray)

    def receive(self) -> bool:
        """Take a little of what it says, never more than a line's bound; whether it is there."""
        try:
            data = self.connection.recv(LINE_MAX + 1 - len(self.received))
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        self.received += data
        return bool(data)


class Candidates:
    """Connections that wait to be let in.

    Args:
        token: what has to be known.
        counts: where those that are closed count as ``refused``.
    """

    def __init__(self, listener: Listener, token: str, counts: Counter[str]) -> None:
        self._listener, self._token, self._counts = listener, token, counts
        self._pending: list[_Candidate] = []

    @property
    def port(self) -> int | None:
        """The TCP port listened on; None for a UNIX socket."""
        return self._listener.port

    def poll(self, now_s: float) -> Proved | None:
        """Poll all that wait; return the first that proves, close the others; never blocks."""
        self._accept(now_s)
        for candidate in list(self._pending):
            if not candidate.receive():
                self._refuse(candidate)
            elif b"\n" in candidate.received:
                line, _, rest = candidate.received.partition(b"\n")
                if self._proves(candidate, bytes(line)):
                    self._pending.remove(candidate)
                    self.turn_away()
                    return candidate.connection, rest
                self._refuse(candidate)
            elif len(candidate.received) > LINE_MAX or now_s - candidate.since_s > PROVE_WITHIN_S:
                self._refuse(candidate)
        return None

    def turn_away(self) -> None:
        """Close all who wait, and some of those who come: somebody has been let in."""
        while self._pending:
            self._refuse(self._pending[0])
        for _ in range(ACCEPT_MAX):
            connection = self._listener.accept()
            if connection is None:
                return
            self._counts["refused"] += 1
            connection.close()

    def close(self) -> None:
        """Close every connection, and the socket."""
        while self._pending:
            self._pending.pop().connection.close()
        self._listener.close()

    def _accept(self, now_s: float) -> None:
        for _ in range(ACCEPT_MAX):
            connection = self._listener.accept()
            if connection is None:
                return
            if len(self._pending) == PENDING_MAX:
                self._refuse(self._pending[0])
            candidate = _Candidate(connection, now_s)
            self._pending.append(candidate)
            try:
                connection.send(line_of({"nonce": candidate.nonce}), socket.MSG_NOSIGNAL)
            except OSError:  # it has gone again
                self._refuse(candidate)

    def _proves(self, candidate: _Candidate, line: bytes) -> bool:
        proof = parse_word(line, "proof")
        return proof is not None and proves(self._token, candidate.nonce, proof)

    def _refuse(self, candidate: _Candidate) -> None:
        self._counts["refused"] += 1
        self._pending.remove(candidate)
        candidate.connection.close()

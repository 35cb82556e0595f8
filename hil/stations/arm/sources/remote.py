"""Velocities that another process of this machine writes: lines of JSON over a socket.

The first line of a connection is `{"token": "..."}`, the content of a file that only this user may
read. Each line after it is a set-point:

    {"seq": 17, "t_s": 5021.338, "linear_m_s": [0.02, 0, 0], "angular_rad_s": [0, 0, 0],
     "frame": "gripper"}

`seq` rises from line to line. `t_s` is the writer's monotonic clock (CLOCK_MONOTONIC, one for all
processes of a machine) when it wrote the line: what waited in a buffer is as old as it is. A
set-point older than `age_max_s` is worth nothing: the velocity wanted is then zero, until a fresh
one comes. `{"seq": 18, "end": true}` ends the motion. Nothing is ever answered; a connection that
is not authenticated within a second, breaks a line's bound, or comes second, is closed.
"""

import hmac
import math
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import orjson

from hil.stations.arm.sources.listener import listen
from hil.stations.arm.sources.source import FRAMES, Frame, LiveSource, Twist, rest

LINE_MAX = 512
"""Bytes of the longest line, its end not counted."""
READ_MAX = 65_536
"""Bytes taken per look; what is left over waits for the next one, and its stamps age."""
AUTHENTICATE_S = 1.0
"""Time that a connection has for its first line [s]."""
FUTURE_MAX_S = 0.05
"""A stamp further ahead than this is no stamp of this machine's clock [s]."""
SEQUENCE_MAX = 2**53


@dataclass(frozen=True, slots=True)
class _Order:
    sequence: int
    written_s: float
    twist: Twist | None  # None ends the motion


class RemoteSource(LiveSource):
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
        self._token = token.encode("utf-8")
        self._now_s = now_s
        self._age_max_s = age_max_s
        self._listener = listen(address)
        self._writer: socket.socket | None = None
        self._authenticated = False
        self._accepted_s = 0.0
        self._buffer = bytearray()
        self._newest: _Order | None = None
        self.counts = Counter[str]()
        """Set-points taken, malformed, or repeated; and connections refused."""

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
        return self._listener.port

    def _listen(self) -> None:
        now_s = self._now_s()
        self._accept(now_s)
        self._receive(now_s)

    def _velocity(self) -> Twist:
        newest = self._newest
        if newest is None or newest.twist is None:
            return rest(self._frame)
        return newest.twist if self.held else rest(newest.twist.frame)

    def _accept(self, now_s: float) -> None:
        """Take the first who comes, close the others; drop who does not authenticate in time."""
        if self._writer and not self._authenticated and now_s - self._accepted_s > AUTHENTICATE_S:
            self._refuse()
        for _ in range(8):
            connection = self._listener.accept()
            if connection is None:
                return
            if self._writer is not None:
                self.counts["refused"] += 1
                connection.close()
                continue
            self._writer, self._accepted_s = connection, now_s

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
            elif self._authenticated:
                self._take(bytes(line), now_s)
            elif self._knows_token(bytes(line)):
                self._authenticated = True
            else:
                self._refuse()
        if len(self._buffer) > LINE_MAX:
            self._refuse()

    def _knows_token(self, line: bytes) -> bool:
        said = _json(line)
        if said is None or set(said) != {"token"} or not isinstance(said["token"], str):
            return False
        return hmac.compare_digest(said["token"].encode("utf-8", "replace"), self._token)

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
        """Forget the writer and all it said; the next one begins anew."""
        if self._writer is not None:
            self._writer.close()
        self._writer, self._authenticated, self._newest = None, False, None
        self._buffer = bytearray()

    def close(self) -> None:
        """Close the connection and the socket."""
        self._drop()
        self._listener.close()
        self.end_reason = self.end_reason or "closed"


def parse_order(line: bytes) -> _Order | None:
    """Read one set-point; None for anything that is not exactly one."""
    said = _json(line)
    if said is None:
        return None
    sequence = said.get("seq")
    if type(sequence) is not int or not 0 <= sequence <= SEQUENCE_MAX:
        return None
    if set(said) == {"seq", "end"}:
        return _Order(sequence, 0.0, None) if said["end"] is True else None
    if set(said) != {"seq", "t_s", "linear_m_s", "angular_rad_s", "frame"}:
        return None
    if not _is_number(said["t_s"]) or said["frame"] not in FRAMES:
        return None
    vectors = (said["linear_m_s"], said["angular_rad_s"])
    if not all(isinstance(v, list) and len(v) == 3 and all(map(_is_number, v)) for v in vectors):
        return None
    return _Order(sequence, float(said["t_s"]), Twist(*vectors, said["frame"]))


def _json(line: bytes) -> dict[str, Any] | None:
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, Any]", said) if isinstance(said, dict) else None


def _is_number(value: object) -> bool:
    # Far beyond any velocity or stamp, and squares of it are still finite.
    return (
        type(value) in (int, float)
        and abs(cast("float", value)) < 1e12
        and math.isfinite(cast("float", value))
    )

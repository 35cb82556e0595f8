"""A panel's end of the desk: it asks, listens, and never waits once it is let in."""

from __future__ import annotations

import os
import select
import socket
import stat
from array import array
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import orjson

from hil.desk import messages as m
from hil.desk.endpoints import PlaceError, opened, through, token
from hil.desk.service import peer_uid
from hil.ipc.broadcast import BroadcastReader
from hil.recording.header import RunHeader

CONNECT_TIMEOUT_S: Final = 2.0
PACKETS_PER_POLL: Final = 256

Message = m.State | m.Answer | m.SessionRefused | m.CutOff | m.Wanted | m.NewMotion
"""What `DeskClient.poll` returns."""


class DeskRefusedError(Exception):
    """A bench that does not let this client in, or is not there; the text says why."""


@dataclass(frozen=True, slots=True)
class RunWelcome:
    """What a bench says of its run."""

    header: RunHeader
    """Of the run, with the whole plan."""
    period_s: float
    """Cycle time [s]."""
    station: str
    """Name of the station."""
    bench: str
    """Name of the run."""
    dead_man: str
    """What keeps the motion alive, ``"hold"`` or ``"presence"``."""


class DeskClient:
    """A connection to a bench's desk; made by `connect`."""

    def __init__(
        self,
        connection: socket.socket,
        welcome: RunWelcome,
        telemetry: BroadcastReader,
        path: Path,
        name: str,
    ) -> None:
        self._socket = connection
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._open = True
        self._next_id = 0
        self.welcome = welcome
        self.telemetry = telemetry
        self.path, self.name = path, name

    @classmethod
    def connect(cls, path: Path | str, name: str) -> Self:
        """Connect to a bench of this user on this machine.

        Args:
            path: its socket, in a folder of benches with the token beside it.
            name: to be shown to others, 1 to 60 characters.

        Raises:
            DeskRefusedError: if there is none, it is not this user's, or it does not let one in.
        """
        path = Path(path)
        try:
            secret = token(path.parent)
            connection = _connected(path)
        except PlaceError as error:
            raise DeskRefusedError(str(error)) from error
        try:
            welcome, descriptors = _let_in(connection, path, secret, name)
            try:
                telemetry = BroadcastReader(descriptors[0])
                return cls(connection, _run_welcome(welcome, descriptors[1]), telemetry, path, name)
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)
        except (OSError, ValueError, KeyError, IndexError) as error:
            connection.close()
            raise DeskRefusedError(f"{path}: what answers there is no desk: {error}") from error
        except BaseException:
            connection.close()
            raise

    @property
    def open(self) -> bool:
        """Whether the desk is still there, as far as `poll` and `send` have seen."""
        return self._open

    def fileno(self) -> int:
        """Descriptor that becomes readable when there is something to poll; -1 once closed."""
        return self._socket.fileno()

    def next_id(self) -> int:
        """A number for the next question, by which its answer is known; from 1 on."""
        self._next_id += 1
        return self._next_id

    def poll(self) -> list[Message]:
        """What the desk has said since the last call, in order; never waits."""
        found: list[Message] = []
        while self._open and len(found) < PACKETS_PER_POLL:
            try:
                packet = self._socket.recv(m.MAX_PACKET_BYTES + 1)
            except BlockingIOError:
                break
            except OSError:
                packet = b""
            if not packet:
                self._open = False
                break
            try:
                message = m.from_desk(packet)
            except m.MessageError:
                self._open = False  # no desk speaks like this
                break
            if isinstance(message, Message):
                found.append(message)
            if isinstance(message, m.CutOff):
                self._open = False  # it still reads, but passes nothing on
        return found

    def wait(self, timeout_s: float) -> bool:
        """Wait until there is something to poll, at most so long [s]; for tools without a window.

        Returns:
            Whether there is.
        """
        return self._open and bool(self._poll.poll(1000.0 * timeout_s))

    def send(self, message: m.ClientMessage) -> bool:
        """Say something to the desk; never waits.

        Returns:
            Whether it was taken; not so if the desk is gone or so slow that its buffer is full.
        """
        if not self._open:
            return False
        try:
            self._socket.send(message.to_bytes())
        except BlockingIOError:
            return False
        except OSError:
            # What the desk said last can still be read; `poll` then finds the end.
            return False
        return True

    def again(self) -> Self:
        """Another connection to whoever is at the same place now; it takes and holds nothing.

        Raises:
            DeskRefusedError: as of `connect`.
        """
        return type(self).connect(self.path, self.name)

    def same_run(self, other: DeskClient) -> bool:
        """Whether another client is told of the very same run: by the same memory."""
        memory = self.telemetry.memory
        return memory is not None and memory == other.telemetry.memory

    def succeed(self, before: DeskClient) -> None:
        """Go on where the client of an earlier desk of the same run was, and close that one.

        What control tells goes on without a gap, and no question gets a number for the second
        time.
        """
        self._next_id = max(self._next_id, before._next_id)
        self.telemetry, before.telemetry = before.telemetry, self.telemetry
        before.close()

    def close(self) -> None:
        """Leave; what this client owned is free. Harmless when repeated."""
        self._open = False
        self._socket.close()
        self.telemetry.release()


def _connected(path: Path) -> socket.socket:
    """A connection to a socket in a folder of this user's alone.

    Raises:
        PlaceError: if it is no socket, nobody listens, or another user does.
    """
    with opened(path.parent) as fd:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        try:
            state = os.stat(path.name, dir_fd=fd, follow_symlinks=False)
            if not stat.S_ISSOCK(state.st_mode):
                raise PlaceError(f"{path}: is no socket; need one of `hil run --operator`")
            connection.settimeout(CONNECT_TIMEOUT_S)
            connection.connect(through(fd, path.name))
            if (uid := peer_uid(connection)) != os.geteuid():
                raise PlaceError(f"{path}: user {uid} listens there; need {os.geteuid()} (you)")
        except OSError as error:
            connection.close()
            reason = error.strerror or str(error)
            raise PlaceError(f"{path}: {reason}; does that bench still run?") from error
        except BaseException:
            connection.close()
            raise
    return connection


def _let_in(
    connection: socket.socket, path: Path, secret: str, name: str
) -> tuple[m.Welcome, list[int]]:
    """Say hello; return the welcome, and the descriptors that came with it.

    Raises:
        DeskRefusedError: with the desk's reason.
        OSError: if it does not answer in time, or with something else.
    """
    nonce = m.from_desk(connection.recv(m.MAX_PACKET_BYTES))
    if isinstance(nonce, m.Nonce):
        try:
            hello = m.Hello(name=name, proof=m.proof_of(secret, nonce.nonce))
        except ValueError:
            raise DeskRefusedError(
                f"name = {name!r:.80}: need 1 to 60 characters, no control characters"
            ) from None
        with suppress(BrokenPipeError):
            connection.send(hello.to_bytes())
        packet, descriptors = _with_descriptors(connection)
        answer = m.from_desk(packet)
        if isinstance(answer, m.Welcome) and len(descriptors) == 2:
            connection.setblocking(False)
            return answer, descriptors
        for descriptor in descriptors:
            os.close(descriptor)
    else:
        answer = nonce
    if isinstance(answer, m.SessionRefused):
        raise DeskRefusedError(f"{path}: {answer.why}")
    raise OSError(f"it said {answer.type} where welcome was due")


def _with_descriptors(connection: socket.socket) -> tuple[bytes, list[int]]:
    """Receive one packet and what came along (unix(7), SCM_RIGHTS)."""
    received = array("i")
    space = socket.CMSG_SPACE(4 * received.itemsize)
    packet, ancillary, _, _ = connection.recvmsg(m.MAX_PACKET_BYTES, space, socket.MSG_CMSG_CLOEXEC)
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            received.frombytes(data[: len(data) - len(data) % received.itemsize])
    return packet, received.tolist()


def _run_welcome(said: m.Welcome, header_fd: int) -> RunWelcome:
    raw = orjson.loads(os.pread(header_fd, said.header_bytes, 0))
    return RunWelcome(
        RunHeader.from_mapping(raw), said.period_s, said.station, said.bench, said.dead_man
    )

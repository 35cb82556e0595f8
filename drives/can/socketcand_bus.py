"""A CAN bus that a socketcand serves over TCP, in raw mode (socketcand, doc/protocol.md).

Messages are text between `<` and `>`: `< send 201 2 0F 00 >` goes out, and
`< frame 181 1700000000.123456 3706 >` comes in. Python-can has such a bus; this one is for the
cycle, where a batch is one write, a write is bounded, a peer that has gone is noticed at once, and
neither a silent server nor bad text stops the program.
"""

import re
from collections.abc import Callable, Sequence

from drives.bank import LinkError, LinkLostError
from drives.can.frames import REMOTE, BusHealth, Frame
from drives.can.library_bus import ErrorFrames, can_endpoint
from drives.can.slcan_codec import MAX_CAN_ID, check_frames
from drives.can.slcan_port import BytePort, open_tcp
from hil_common.port_lock import PortLock, tcp_endpoints

ANSWER_TIMEOUT_S = 1.0
"""Longest wait for each answer while the bus is opened [s]."""
_LONGEST_MESSAGE_BYTES = 128
_SHOWN_BYTES = 40
_FRAME = re.compile(rb"< frame ([0-9A-Fa-f]{3}|[0-9A-Fa-f]{8}) [0-9.]+ ((?:[0-9A-Fa-f]{2}){0,8}) ?")
_ERROR = re.compile(rb"< error ([0-9A-Fa-f]{1,8}) [0-9.]+ ?")
_STANDARD_ID_DIGITS = 3
_ERROR_CLASSES = 0x1FFFFFFF


class SocketcandBus:
    """A CAN bus behind a socketcand, as a `drives.can.frames.FrameBus`.

    One thread at a time reads, and one at a time writes.

    Args:
        port: Open connection; owned by the bus from here on, whatever happens.
        interface: Name of the CAN interface at the server.
        lock: Lock to give back at the end; None if there is none.
        answer_timeout_s: Longest wait for each answer while opening [s].

    Raises:
        LinkError: If the server does not answer as a socketcand, or has no such interface.
    """

    def __init__(
        self,
        port: BytePort,
        interface: str,
        now_s: Callable[[], float],
        *,
        lock: PortLock | None = None,
        answer_timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self._port = port
        self._now_s = now_s
        self._lock = lock
        self._rest = b""
        self._errors = ErrorFrames()
        self._bad_messages = self._other_frames = 0
        self._bad_note = ""
        try:
            self._expect(b"", b"< hi ", interface, answer_timeout_s)
            opening = f"< open {interface} >".encode("ascii")
            self._expect(opening, b"< ok ", interface, answer_timeout_s)
            self._expect(b"< rawmode >", b"< ok ", interface, answer_timeout_s)
        except BaseException:
            self.shutdown()
            raise

    def send_frames(self, frames: Sequence[Frame]) -> None:
        """Put frames on the wire in this order, in one write.

        Raises:
            LinkLostError: If the server is gone, or does not take them in time.
            ValueError: If a frame is no classic data frame with an 11-bit identifier.
        """
        self._port.write(_encode(frames))

    def receive_frames(self, timeout_s: float) -> list[Frame]:
        """Return all frames that have arrived, in order; wait for the first if there is none.

        Raises:
            LinkLostError: If the server is gone.
        """
        deadline_s = self._now_s() + timeout_s
        frames: list[Frame] = []
        left_s = timeout_s
        while True:
            data = self._port.read(left_s)
            for message in self._split(data):
                self._take(message, frames)
            left_s = deadline_s - self._now_s()
            if frames or not data or left_s <= 0.0:
                return frames

    def health(self) -> BusHealth:
        """Return the health by the error messages of the server."""
        note = self._errors.note or self._bad_note
        state, overruns = self._errors.state, self._errors.overruns
        return BusHealth(
            state,
            bad_lines=self._bad_messages,
            overruns=overruns,
            other_frames=self._other_frames,
            note=note,
        )

    def shutdown(self) -> None:
        """Leave the bus; a second call does nothing."""
        self._port.close()
        if self._lock is not None:
            self._lock.release()

    def _take(self, message: bytes, frames: list[Frame]) -> None:
        """Sort one message; what is none is counted."""
        match = _FRAME.fullmatch(message)
        if match is None:
            error = _ERROR.fullmatch(message)
            if error is not None:
                self._errors.add(int(error[1], 16) & _ERROR_CLASSES, detail=0)
            else:
                self._bad_messages += 1
                self._bad_note = f"no message of the protocol: {message[:_SHOWN_BYTES]!r}"
        elif len(match[1]) == _STANDARD_ID_DIGITS and int(match[1], 16) <= MAX_CAN_ID:
            frames.append(Frame(int(match[1], 16), bytes.fromhex(match[2].decode("ascii"))))
        else:
            self._other_frames += 1

    def _split(self, data: bytes) -> list[bytes]:
        """Cut a stream into messages without their `>`, in bounded memory.

        What is before the last `<` of a message is what a cut message has left.
        """
        *messages, rest = (self._rest + data).split(b">")
        if len(rest) > _LONGEST_MESSAGE_BYTES:
            rest = rest[-_LONGEST_MESSAGE_BYTES:]
        self._rest = rest
        return [message[max(0, message.rfind(b"<")) :] for message in messages]

    def _expect(self, say: bytes, answer: bytes, interface: str, timeout_s: float) -> None:
        """Say something and wait for one answer."""
        if say:
            self._port.write(say)
        deadline_s = self._now_s() + timeout_s
        lines: list[bytes] = []
        while not lines and (left_s := deadline_s - self._now_s()) > 0.0:
            data = self._port.read(left_s)
            if not data:
                break
            lines = self._split(data)
        if not lines or not lines[0].startswith(answer):
            got = lines[0] + b">" if lines else self._rest[:_SHOWN_BYTES] or b"nothing"
            text = f"{self._port.url}: {self._port.device} is no socketcand with interface"
            raise LinkError(
                f"{text} {interface}: {answer + b'>'!r} was due within {timeout_s:g} s after "
                f"{say or b'the connection'!r}, and {got!r} came; `socketcand -i {interface}`"
            )


def _encode(frames: Sequence[Frame]) -> bytes:
    """Write frames as messages, as `< send id length bytes >`."""
    check_frames(frames)
    if any(can_id & REMOTE for can_id, _ in frames):
        raise ValueError("a remote frame: the protocol of a socketcand has none")
    messages = [f"< send {can_id:03X} {len(data)} {data.hex(' ')} >" for can_id, data in frames]
    return "".join(messages).encode("ascii")


def open_socketcand(
    host: str, port: int, interface: str, url: str, now_s: Callable[[], float]
) -> SocketcandBus:
    """Open a CAN interface that a socketcand serves.

    A server may serve several interfaces, so that the lock is on this one of them.

    Args:
        host: Host of the socketcand.
        port: Port of the socketcand.
        interface: Name of the interface there, such as `can0`.

    Returns:
        The bus.

    Raises:
        LinkError: If nothing answers there as a socketcand does, or another controller has it.
    """
    lock = PortLock(_endpoints(host, port, interface, url), url, LinkError)
    try:
        stream = open_tcp(host, port, url, now_s, shared=True)
    except LinkError:
        lock.release()
        raise
    try:
        return SocketcandBus(stream, interface, now_s, lock=lock)
    except LinkLostError as error:
        raise LinkError(f"{error}; it closed the connection during the opening") from error


def _endpoints(host: str, port: int, interface: str, url: str) -> list[str]:
    """The interface at that server; of this computer's own, the interface itself as well."""
    places = tcp_endpoints(host, port, url, LinkError)
    found = [f"{place}:{interface}" for place in places]
    own = can_endpoint(interface)
    if any(place.startswith("tcp:local:") for place in places) and own != f"can:{interface}":
        found.append(own)  # else it is an emulated one: there is no such interface here
    return found

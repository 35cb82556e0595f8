"""A CAN bus of python-can behind the interface of the cycle, made to fail at once and for good.

It is meant for `socketcan`. What python-can does not do, is done here: waits are made on the socket
itself, for `recv` measures them by the wall clock; a full queue is waited for a little, and not
for ever; an error frame becomes health; and any error is the end of the link.
"""

import contextlib
import select
import socket
from collections.abc import Callable, Sequence
from errno import EAFNOSUPPORT, ENETDOWN, ENOBUFS, ENODEV
from typing import NoReturn

import can
from can.interfaces.socketcan import SocketcanBus

from drives.bank import LinkError, LinkLostError
from drives.can.frames import REMOTE, BusHealth, BusState, Frame
from drives.can.slcan_codec import MAX_CAN_ID, check_frames
from hil_common.port_lock import PortLock

SEND_TIMEOUT_S = 0.005
_FRAMES_AT_ONCE = 4096
_QUEUE_WAIT_S = 2e-4
_ADVICE = {
    EAFNOSUPPORT: "this kernel has no CAN: `modprobe can_raw`, or use an slcan: link",
    ENODEV: "is the adapter plugged in, and is that its name (`ip link`)?",
    ENETDOWN: "the interface is down",
}

# Classes and details of error frames (Linux, uapi/linux/can/error.h).
_ERR_CONTROLLER, _ERR_BUS_OFF, _ERR_RESTARTED = 0x004, 0x040, 0x100
_DETAIL_RX_OVERFLOW, _DETAIL_TX_OVERFLOW = 0x01, 0x02
_DETAIL_PASSIVE, _DETAIL_ACTIVE = 0x30, 0x40


class ErrorFrames:
    """State of the controller by its error frames (Linux, `linux/can/error.h`)."""

    __slots__ = ("note", "overruns", "state")

    def __init__(self) -> None:
        self.state: BusState = BusState.UNKNOWN
        self.overruns: int = 0
        self.note = ""

    def add(self, kind: int, detail: int) -> None:
        """Take account of one error frame.

        Args:
            kind: Its identifier without flags: a bit for each class of error.
            detail: Its second byte, about the controller; 0 if it is not given.
        """
        if kind & _ERR_BUS_OFF:
            self.state = BusState.BUS_OFF
        elif kind & _ERR_RESTARTED or (kind & _ERR_CONTROLLER and detail & _DETAIL_ACTIVE):
            self.state = BusState.ACTIVE
        elif kind & _ERR_CONTROLLER and (detail & _DETAIL_PASSIVE or not detail):
            self.state = BusState.PASSIVE  # or it says that something is wrong and not what
        if kind & _ERR_CONTROLLER and detail & (_DETAIL_RX_OVERFLOW | _DETAIL_TX_OVERFLOW):
            self.overruns += 1
        self.note: str = f"error frame {kind:X}h, detail {detail:02X}h"


class PythonCanFrames:
    """A bus of python-can as a `drives.can.frames.FrameBus`.

    One thread at a time reads, and one at a time writes.

    Args:
        bus: Open bus; owned by this object from here on.
        sock: Socket of the bus, to wait on; None if it has none.
        locks: Locks to give back at the end.
        send_timeout_s: Longest time that one batch takes to be written [s].
    """

    def __init__(
        self,
        bus: can.BusABC,
        url: str,
        now_s: Callable[[], float],
        *,
        sock: socket.socket | None = None,
        locks: tuple[PortLock, ...] = (),
        send_timeout_s: float = SEND_TIMEOUT_S,
    ) -> None:
        self._bus = bus
        self._url = url
        self._now_s = now_s
        self._sock = sock
        self._locks = locks
        self._send_timeout_s = send_timeout_s
        self._lost = ""
        self._errors = ErrorFrames()
        self._other_frames = 0
        self._poll = select.poll()
        if sock is not None:
            self._poll.register(sock, select.POLLIN)

    def send_frames(self, frames: Sequence[Frame]) -> None:
        """Put frames on the wire in this order.

        Raises:
            LinkLostError: If the bus is gone, or does not take them in time.
            ValueError: If a frame is no classic data frame with an 11-bit identifier.
        """
        self._check()
        check_frames(frames)
        deadline_s = self._now_s() + self._send_timeout_s
        for can_id, data in frames:
            message = _message(can_id, data)
            self._send(message, deadline_s)

    def receive_frames(self, timeout_s: float) -> list[Frame]:
        """Return all frames that have arrived, in order; wait for the first if there is none.

        Raises:
            LinkLostError: If the bus is gone.
        """
        self._check()
        frames = self._drain()
        left_s = timeout_s
        deadline_s = self._now_s() + timeout_s
        while not frames and left_s > 0.0:
            if not self._wait(left_s, frames):
                break
            frames += self._drain()
            left_s = deadline_s - self._now_s()
        return frames

    def health(self) -> BusHealth:
        """Return the health by the error frames of this bus."""
        errors = self._errors
        return BusHealth(
            errors.state,
            overruns=errors.overruns,
            other_frames=self._other_frames,
            note=errors.note,
        )

    def shutdown(self) -> None:
        """Leave the bus; a second call does nothing."""
        self._lost = self._lost or f"{self._url}: the bus was closed by this program"
        with contextlib.suppress(can.CanError, OSError):  # it may be gone already
            self._bus.shutdown()
        for lock in self._locks:
            lock.release()

    def _check(self) -> None:
        if self._lost:
            raise LinkLostError(self._lost)

    def _lose(self, what: str, cause: Exception | None) -> NoReturn:
        """End the link for good."""
        device = self._bus.channel_info
        self._lost = f"{self._url}: {device} {what}; the link is lost until a new start"
        raise LinkLostError(self._lost) from cause

    def _send(self, message: can.Message, deadline_s: float) -> None:
        """Send one frame, and try again while the queue of the interface is full."""
        while True:
            left_s = deadline_s - self._now_s()
            try:
                self._bus.send(message, timeout=max(0.0, left_s))
            except can.CanOperationError as error:
                if error.error_code != ENOBUFS or left_s <= 0.0:
                    self._lose(self._refusal(error), error)
            except (can.CanError, OSError) as error:
                self._lose(self._refusal(error), error)
            else:
                return
            select.select((), (), (), _QUEUE_WAIT_S)

    def _refusal(self, error: Exception) -> str:
        """Say why a frame was not taken."""
        code = error.error_code if isinstance(error, can.CanError) else None
        if code == ENOBUFS:
            return f"did not take a batch of frames within {self._send_timeout_s * 1e3:g} ms"
        return f"cannot be written: {error}"

    def _drain(self) -> list[Frame]:
        """Take what has come, and not for ever from a bus that floods."""
        frames: list[Frame] = []
        try:
            for _ in range(_FRAMES_AT_ONCE):
                message = self._bus.recv(0.0)
                if message is None:
                    break
                self._take(message, frames)
        except (can.CanError, OSError, ValueError) as error:
            self._lose(f"cannot be read: {error}", error)
        return frames

    def _wait(self, timeout_s: float, frames: list[Frame]) -> bool:
        """Wait until there is something to read; a bus without a socket gives a frame at once."""
        if self._sock is not None:
            return bool(self._poll.poll(timeout_s * 1e3))
        try:
            message = self._bus.recv(timeout_s)
        except (can.CanError, OSError) as error:
            self._lose(f"cannot be read: {error}", error)
        if message is not None:
            self._take(message, frames)
        return message is not None

    def _take(self, message: can.Message, frames: list[Frame]) -> None:
        """Sort one message of python-can."""
        if message.is_error_frame:
            detail = message.data[1] if len(message.data) > 1 else 0
            self._errors.add(message.arbitration_id, detail)
        elif message.is_extended_id or message.is_remote_frame or message.is_fd:
            self._other_frames += 1
        else:
            frames.append(Frame(message.arbitration_id, bytes(message.data)))


def _message(can_id: int, data: bytes) -> can.Message:
    if can_id & REMOTE:
        return can.Message(
            arbitration_id=can_id & MAX_CAN_ID,
            is_remote_frame=True,
            dlc=len(data),
            is_extended_id=False,
        )
    return can.Message(arbitration_id=can_id, data=data, is_extended_id=False)


def can_endpoint(interface: str) -> str:
    """Name a CAN interface by its number, whichever of its names is used, for `PortLock`.

    Args:
        interface: Its name; what is none keeps it, and whoever opens it will tell.
    """
    try:
        return f"can:{socket.if_nametoindex(interface)}"
    except OSError:
        return f"can:{interface}"


def open_socketcan(
    interface: str, url: str, *, bitrate: int, now_s: Callable[[], float]
) -> PythonCanFrames:
    """Open a CAN interface of the Linux kernel.

    Args:
        interface: Its name, such as `can0`.
        bitrate: Bitrate that the interface should have [bit/s]; the system sets it, not this.

    Returns:
        The bus.

    Raises:
        LinkError: If there is no such interface, it is down, or another controller has it.
    """
    lock = PortLock((can_endpoint(interface),), url, LinkError)
    bus: SocketcanBus | None = None
    try:
        bus = SocketcanBus(interface)
        bus.recv(0.0)  # an interface that is down says so now
    except (can.CanError, OSError, AttributeError) as error:
        if bus is not None:
            bus.shutdown()
        lock.release()
        code = error.errno if isinstance(error, OSError) else getattr(error, "error_code", None)
        advice = _ADVICE.get(code or 0, "")
        right = f"`ip link set {interface} up type can bitrate {bitrate}`"
        text = f"{url}: cannot open CAN interface {interface}: {error}"
        raise LinkError(f"{text}; {advice}{'; ' if advice else ''}then {right}") from error
    return PythonCanFrames(bus, url, now_s, sock=bus.socket, locks=(lock,))

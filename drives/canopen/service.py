"""One bus of the bench and the service traffic on it: SDO by `canopen`, without threads of its own.

`canopen` communicates through `FrameNetwork`, which writes to the bench's bus and gets only frames
that the owner of the bus hands on. An SDO client waits in one of two ways: while no cycle runs, it
pumps the bus itself, on the clock that was passed in; once a cycle runs, it waits for the frames
that the cycle hands on, in a thread that is not the cycle's.
"""

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import canopen
from canopen.objectdictionary import ObjectDictionary
from canopen.sdo.client import SdoClient
from canopen.sdo.exceptions import SdoAbortedError, SdoCommunicationError

from drives.can.frames import Frame, FrameBus
from drives.can.socketcand_bus import SocketcandBus

T = TypeVar("T")
SDO_TIMEOUT_S = 0.3
"""Time that a drive has for an SDO answer [s]."""
ABORT = 0x80
"""Command of an aborted transfer (CiA 301, SDO abort)."""
DEVICE_STATE = 0x08000022
"""Abort code: not in the present state of the device."""
TRANSIENT = (0x05040005, 0x08000000, 0x08000020, 0x08000021, DEVICE_STATE)
"""Abort codes that may be transient: out of memory, general error, cannot be transferred, local
control, present state of the device (CiA 301, table of SDO abort codes)."""
TRIES = 4
"""Number of attempts of a transfer that ends with such a code."""
STATE_CHANGE_S = 1.0
"""Time that a device has to enter the commanded NMT state [s]."""
STATE_LOOK_S = 0.02
"""Time between two attempts [s]."""
ANSWERS_KEPT = 8
"""Largest number of unexpected answers that are kept."""
EMCY_KEPT = 64
"""Emergency messages that are kept per node."""


class FrameNetwork(canopen.Network):
    """A `canopen` network without bus object, notifier or thread.

    Args:
        send: Puts frames on the bus.
    """

    def __init__(self, send: Callable[[Sequence[Frame]], None]) -> None:
        super().__init__()
        self._send = send

    def send_message(self, can_id: int, data: bytes, remote: bool = False) -> None:
        """Send a frame at once.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        self._send((Frame(can_id, bytes(data)),))


class Segment:
    """One bus: sends from several threads, one owner that reads, service traffic to `canopen`."""

    def __init__(self, bus: FrameBus, now_s: Callable[[], float]) -> None:
        self.bus = bus
        self.now_s = now_s
        self.pumping = True
        self.swallowed: int = 0
        self.on_frame: Callable[[Frame], None] = lambda frame: None
        self.network: FrameNetwork = FrameNetwork(self.send)
        self._lock = threading.Lock()

    @property
    def can_ask(self) -> bool:
        """Whether the bus carries remote frames; the protocol of socketcand has none."""
        return not isinstance(self.bus, SocketcandBus)

    def send(self, frames: Sequence[Frame]) -> None:
        """Put frames on the bus in one write.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        with self._lock:
            self.bus.send_frames(frames)

    def hand_on(self, frame: Frame) -> None:
        """Pass a frame that is no PDO to `canopen`; exceptions of subscribers are counted."""
        try:
            self.network.notify(frame.can_id, bytearray(frame.data), self.now_s())
        except Exception:  # a subscriber's mistake must not end the cycle
            self.swallowed += 1

    def pump(self, timeout_s: float) -> None:
        """Read the frames that have arrived and hand them on; wait if there are none.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        for frame in self.bus.receive_frames(timeout_s):
            self.on_frame(frame)
            self.hand_on(frame)

    def listen(self, span_s: float) -> None:
        """Pump for a while [s]."""
        end_s = self.now_s() + span_s
        while (left_s := end_s - self.now_s()) > 0.0:
            self.pump(left_s)


class PatientSdoClient(SdoClient):
    """An SDO client that pumps the bus while it waits, unless a cycle does so."""

    RESPONSE_TIMEOUT = SDO_TIMEOUT_S

    def __init__(self, node: int, segment: Segment) -> None:
        super().__init__(0x600 + node, 0x580 + node, ObjectDictionary())
        self._segment = segment
        self._due = 0
        self.surplus: int = 0
        """Number of answers without a request."""

    def send_request(self, request: bytes | bytearray) -> None:
        """Send a request; each but an abort is answered once (CiA 301, SDO protocols)."""
        if request[0] != ABORT:
            self._due += 1
        super().send_request(request)

    def on_response(self, can_id: int, data: bytearray, timestamp: float) -> None:
        """Keep an answer, up to the largest number of possible requests."""
        if self._due:
            self._due -= 1
        else:
            self.surplus += 1
        if len(data) == 8 and self.responses.qsize() < ANSWERS_KEPT:
            super().on_response(can_id, data, timestamp)

    def read_response(self) -> bytes:
        """Return the next answer.

        Raises:
            SdoCommunicationError: If none comes in time.
            SdoAbortedError: If the drive refuses.
        """
        segment = self._segment
        if segment.pumping:
            end_s = segment.now_s() + SDO_TIMEOUT_S
            while self.responses.empty():
                left_s = end_s - segment.now_s()
                if left_s <= 0.0:
                    raise SdoCommunicationError(f"no SDO answer within {SDO_TIMEOUT_S} s")
                segment.pump(left_s)
        return super().read_response()

    def abort(self, abort_code: int = 0x08000000) -> None:
        """Abort the drive's transfer, without a log entry."""
        self.send_request(bytes((ABORT, 0, 0, 0)) + abort_code.to_bytes(4, "little"))


class ServiceNode(canopen.RemoteNode):
    """A drive as `canopen` sees it, with an SDO client that needs no receiving thread."""

    def __init__(self, node: int, segment: Segment) -> None:
        self.segment = segment
        self.number = node
        self.lock: threading.Lock = threading.Lock()
        self.on_transfer: Callable[[int, int], None] = lambda index, sub: None
        self.repeated: int = 0
        """Number of transfers that were repeated because the device was busy."""
        self._posted, self._posts_left = b"", 0
        self.sign_off: tuple[int, int, bytes] = (0x1016, 1, bytes(4))
        """Index, sub-index and value that end its supervision of the bench."""
        super().__init__(node, ObjectDictionary())
        segment.network.add_node(self)
        self.emcy.add_callback(lambda _: self._forget_emergencies())

    def add_sdo(self, rx_cobid: int, tx_cobid: int) -> SdoClient:
        """Add the SDO channel of the predefined connection set."""
        client = PatientSdoClient(rx_cobid - 0x600, self.segment)
        self.sdo_channels.append(client)
        return client

    def read(self, index: int, sub: int = 0) -> bytes:
        """Return the bytes of an object; one transfer at a time, repeated if the device is busy."""
        self.on_transfer(index, sub)
        with self.lock:
            return self._patiently(lambda: self.sdo.upload(index, sub))

    def write(self, index: int, sub: int, data: bytes) -> None:
        """Write the bytes of an object; one transfer at a time.

        The transfer is repeated if the device is busy, and for a while if it is still changing to
        pre-operational.
        """
        self.on_transfer(index, sub)
        with self.lock:
            self._patiently(lambda: self.sdo.download(index, sub, data), writes=True)

    def _patiently(self, transfer: Callable[[], T], *, writes: bool = False) -> T:
        """Do a transfer; repeat it a bounded number of times if its refusal may be transient."""
        segment, tries = self.segment, 1
        end_s = segment.now_s() + STATE_CHANGE_S
        while True:
            try:
                return transfer()
            except SdoAbortedError as error:
                early = writes and error.code == DEVICE_STATE and segment.pumping
                again = segment.now_s() < end_s if early else tries < TRIES
                if error.code not in TRANSIENT or not again:
                    raise
            tries += 1
            self.repeated += 1
            if segment.pumping:
                segment.listen(STATE_LOOK_S)

    def post(self, index: int, sub: int, data: bytes) -> None:
        """Begin to write at most four bytes, and return; `answered` returns whether it is complete.

        For use while a cycle runs. CiA 301, SDO download expedited.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        head = bytes((0x23 | (4 - len(data)) << 2, *index.to_bytes(2, "little"), sub))
        self._posted, self._posts_left = head + data.ljust(4, b"\0"), TRIES
        self._send_posted()

    def _send_posted(self) -> None:
        self.sdo.responses = queue.Queue()  # what came before answers something else
        self._posts_left -= 1
        self.sdo.send_request(self._posted)

    @property
    def surplus_answers(self) -> int:
        """Number of SDO answers from this id without a request of the bench."""
        return sum(client.surplus for client in self.sdo_channels)

    @property
    def answered(self) -> bool:
        """Whether the node has answered the posted write, which is repeated if the node is busy."""
        responses = self.sdo.responses
        if responses.empty():
            return False
        answer = responses.queue[0]
        busy = answer[0] == ABORT and int.from_bytes(answer[4:8], "little") in TRANSIENT
        if busy and self._posts_left:
            self.repeated += 1
            self._send_posted()
            return False
        return True

    def _forget_emergencies(self) -> None:
        if len(self.emcy.log) > EMCY_KEPT:
            self.emcy.reset()

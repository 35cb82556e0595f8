"""A CAN bus behind an SLCAN adapter: all frames of a cycle in one write, all answers in one read.

`SlcanBus` is a `drives.can.frames.FrameBus` for the cycle and a `can.BusABC` for the libraries that
know python-can. One thread at a time reads; any thread may send, and a lock is held around the
write alone, which is bounded in time.
"""

import math
import threading
from collections import deque
from collections.abc import Callable, Sequence

import can

from drives.bank import LinkError, LinkLostError
from drives.can.frames import BusHealth, BusState, Frame
from drives.can.slcan_codec import (
    DATA_OVERRUN,
    RX_FIFO_FULL,
    BadLine,
    ControllerState,
    Flags,
    Line,
    Signal,
    encode_frames,
    parse_line,
)
from drives.can.slcan_lines import SlcanLines
from drives.can.slcan_open import ANSWER_TIMEOUT_S, AdapterId, open_channel
from drives.can.slcan_port import BytePort, open_serial, open_tcp

FLAGS_PERIOD_S = 0.1
"""How often the cycle asks the adapter for its flags [s]."""
FLAGS_BELIEVED_S = 1.0
"""Age after which the last flags say nothing any more [s]."""

_PYTHON_CAN_STATE = {
    BusState.PASSIVE: can.BusState.PASSIVE,
    BusState.BUS_OFF: can.BusState.ERROR,
}


class SlcanBus(can.BusABC):
    """A CAN bus behind an SLCAN adapter (Lawicel CAN232 manual, version 3).

    Args:
        port: Open port of the adapter; owned by the bus from here on, whatever happens.
        answer_timeout_s: Longest wait for each answer while opening [s].

    Raises:
        LinkError: If the adapter does not answer, or refuses the bitrate or to open.
    """

    def __init__(
        self,
        port: BytePort,
        *,
        bitrate: int,
        now_s: Callable[[], float],
        answer_timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self._port = port
        self._now_s = now_s
        self._splitter = SlcanLines()
        self._inbox: deque[Frame] = deque()
        self._send_lock = threading.Lock()
        self._asked_s = self._state_s = -math.inf
        self._open_question_s: float | None = None
        self._state = BusState.UNKNOWN
        self._note = ""
        self._bad_lines = self._rejected = self._overruns = self._other_frames = 0
        self.channel_info: str = f"slcan {port.device}"
        try:
            self.adapter: AdapterId = open_channel(
                port, self._splitter, bitrate, now_s, answer_timeout_s
            )
        except BaseException:
            port.close()
            raise
        super().__init__(channel=port.device)

    @property
    def unanswered_s(self) -> float:
        """How long an adapter that knew the question for its flags has left it unanswered [s]."""
        if self._open_question_s is None or self._state_s == -math.inf:
            return 0.0
        return self._now_s() - self._open_question_s

    @property
    def state(self) -> can.BusState:
        """State of the CAN controller as python-can names it; active if it is not known."""
        return _PYTHON_CAN_STATE.get(self.health().state, can.BusState.ACTIVE)

    @state.setter
    def state(self, new_state: can.BusState) -> None:
        raise NotImplementedError(f"{self.channel_info}: the adapter's state can only be read")

    def fileno(self) -> int:
        """Return the descriptor of the port."""
        return self._port.fileno()

    def send_frames(self, frames: Sequence[Frame]) -> None:
        """Put frames on the wire in one write; now and then the question for the flags with them.

        Raises:
            LinkLostError: If the adapter is gone, or does not take them in time.
            ValueError: If a frame is no classic data frame with an 11-bit identifier.
        """
        self.send_text(encode_frames(frames))

    def send_text(self, lines: bytes) -> None:
        """Put frames on the wire that are lines of text already, as `send_frames` does.

        Args:
            lines: Whole lines as `encode_frames` makes them.

        Raises:
            LinkLostError: If the adapter is gone, or does not take them in time.
        """
        now_s = self._now_s()
        if now_s - self._asked_s >= FLAGS_PERIOD_S:
            self._asked_s = now_s
            if self._open_question_s is None:
                self._open_question_s = now_s
            lines += b"F\r"
        with self._send_lock:
            self._port.write(lines)

    def receive_lines(self, timeout_s: float) -> list[bytes]:
        """Return all lines that have arrived, in order, whatever they are.

        Lines that nobody needs may be thrown away; any other must be given to `take_line`.

        Args:
            timeout_s: Longest wait for something to arrive [s]; 0 does not wait.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        data = self._port.read(timeout_s)
        return self._splitter.feed(data) if data else []

    def take_line(self, line: bytes) -> Frame | None:
        """Return the frame that a line is; count it if it is anything else.

        Args:
            line: A line of `receive_lines`.
        """
        value = parse_line(line)
        if type(value) is Frame:
            return value
        self._count(value)
        return None

    def receive_frames(self, timeout_s: float) -> list[Frame]:
        """Return all frames that have arrived, in order; wait for the first if there is none.

        Raises:
            LinkLostError: If the adapter is gone.
        """
        self._wait_for_frames(timeout_s)
        frames = list(self._inbox)
        self._inbox.clear()
        return frames

    def health(self) -> BusHealth:
        """Return what the adapter has told so far.

        That all is well is believed for `FLAGS_BELIEVED_S`, that it is not until told otherwise.
        """
        state, note, unanswered_s = self._state, self._note, self.unanswered_s
        if unanswered_s > FLAGS_BELIEVED_S:
            note = f"the adapter has not answered F for {unanswered_s:.1f} s; {note}".rstrip("; ")
        if state is BusState.ACTIVE and self._now_s() - self._state_s > FLAGS_BELIEVED_S:
            state = BusState.UNKNOWN
        return BusHealth(
            state=state,
            bad_lines=self._bad_lines + self._splitter.overlong,
            rejected=self._rejected,
            overruns=self._overruns,
            other_frames=self._other_frames,
            note=note,
        )

    def send(self, msg: can.Message, timeout: float | None = None) -> None:
        """Put one frame on the wire, as python-can asks for it; the port bounds the time.

        Raises:
            LinkLostError: If the adapter is gone, or does not take it in time.
            ValueError: If it is no classic data frame with an 11-bit identifier.
        """
        if msg.is_extended_id or msg.is_remote_frame or msg.is_fd or msg.is_error_frame:
            raise ValueError(f"{msg}: only data frames with 11-bit identifiers are sent here")
        data = encode_frames((Frame(msg.arbitration_id, bytes(msg.data)),))
        with self._send_lock:
            self._port.write(data)

    def shutdown(self) -> None:
        """Close the channel and the port; a second call does nothing."""
        if self._is_shutdown:
            return
        super().shutdown()
        try:
            with self._send_lock:
                self._port.write(b"C\r")
        except LinkLostError:
            pass  # nobody is there to be told
        finally:
            self._port.close()

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        """Return one frame as python-can wants it; it filters by itself."""
        while not self._inbox:
            self._wait_for_frames(FLAGS_BELIEVED_S if timeout is None else timeout)
            if timeout is not None and not self._inbox:
                return None, False
        frame = self._inbox.popleft()
        message = can.Message(
            timestamp=self._now_s(),
            arbitration_id=frame.can_id,
            is_extended_id=False,
            data=frame.data,
        )
        return message, False

    def _wait_for_frames(self, timeout_s: float) -> None:
        """Read what is there, and on until a frame is among it or the time is over."""
        data = self._port.read(0.0 if self._inbox else timeout_s)
        if not data:
            return
        self._take(data)
        if self._inbox:
            return
        deadline_s = self._now_s() + timeout_s  # what came was no frame, as an acknowledgement
        while not self._inbox and (left_s := deadline_s - self._now_s()) > 0.0:
            data = self._port.read(left_s)
            if not data:
                return
            self._take(data)

    def _take(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            frame = self.take_line(line)
            if frame is not None:
                self._inbox.append(frame)

    def _count(self, value: Line) -> None:
        """Keep account of what is no frame."""
        match value:
            case Signal.REFUSED:
                self._rejected += 1
                self._note = "the adapter refused a frame or a command (BEL)"
            case Signal.OTHER_FRAME:
                self._other_frames += 1
            case BadLine(text):
                self._bad_lines += 1
                self._note = f"no line of the protocol: '{text}'"
            case Flags(bits):
                self._take_state(value.state)
                self._overruns += bool(bits & (RX_FIFO_FULL | DATA_OVERRUN))
                self._note = f"flags {bits:02X}h: {value.text}" if bits else self._note
            case ControllerState(state, receive_errors, transmit_errors):
                self._take_state(state)
                counters = f"error counters {receive_errors} and {transmit_errors}"
                self._note = f"controller {state.value}, {counters}"
            case _:
                pass  # acknowledged, or an answer that was asked for

    def _take_state(self, state: BusState) -> None:
        self._state_s, self._state, self._open_question_s = self._now_s(), state, None


def open_slcan(
    channel: str, url: str, *, bitrate: int, now_s: Callable[[], float], baud: int = 115200
) -> SlcanBus:
    """Open an SLCAN adapter.

    Args:
        channel: Path of a serial device, or `socket://host:port`.

    Returns:
        The bus, open, with its adapter identified.

    Raises:
        LinkError: If the adapter is absent, taken, silent, or refuses.
    """
    if channel.startswith("socket://"):
        host, _, port = channel.removeprefix("socket://").rpartition(":")
        stream = open_tcp(host.strip("[]"), int(port), url, now_s)
    else:
        stream = open_serial(channel, url, now_s, baud=baud)
    try:
        return SlcanBus(stream, bitrate=bitrate, now_s=now_s)
    except LinkLostError as error:
        raise LinkError(f"{error}; it went while it was being opened") from error

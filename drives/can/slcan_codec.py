"""SLCAN: CAN frames as lines of text, as the Lawicel CAN232 manual (version 3) defines them.

A data frame with an 11-bit identifier is `tiiildd..` and a carriage return: three hexadecimal
digits of identifier, one digit of length, two digits a byte. The adapter answers a command with a
carriage return (after `z` where it has sent a frame), or with BEL (07h) if it refuses it.

Nothing here reads or writes. Any bytes give lines, and any line gives a value: input that is
nothing of the protocol becomes a `BadLine` to be counted, never a frame and never an exception.
"""

from binascii import Error as HexError
from binascii import unhexlify
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from drives.can.frames import REMOTE, BusState, Frame
from drives.can.slcan_lines import BEL

MAX_CAN_ID: Final = 0x7FF
MAX_DATA_BYTES: Final = 8

BITRATE_COMMANDS: Final = {
    10_000: b"S0",
    20_000: b"S1",
    50_000: b"S2",
    100_000: b"S3",
    125_000: b"S4",
    250_000: b"S5",
    500_000: b"S6",
    800_000: b"S7",
    1_000_000: b"S8",
}
"""Bitrate [bit/s] and the command that sets it (CAN232 manual, command `Sn`)."""

RX_FIFO_FULL: Final = 0x01
TX_FIFO_FULL: Final = 0x02
ERROR_WARNING: Final = 0x04
DATA_OVERRUN: Final = 0x08
ERROR_PASSIVE: Final = 0x20
ARBITRATION_LOST: Final = 0x40
BUS_ERROR: Final = 0x80

_FLAG_NAMES = (
    (RX_FIFO_FULL, "receive queue full"),
    (TX_FIFO_FULL, "transmit queue full"),
    (ERROR_WARNING, "error warning"),
    (DATA_OVERRUN, "data overrun"),
    (ERROR_PASSIVE, "error passive"),
    (ARBITRATION_LOST, "arbitration lost"),
    (BUS_ERROR, "bus error"),
)
_STATE_LETTERS = {
    b"a": BusState.ACTIVE,
    b"w": BusState.ACTIVE,  # error warning: still active in the sense of ISO 11898-1
    b"p": BusState.PASSIVE,
    b"b": BusState.BUS_OFF,
}
_ACKNOWLEDGED = (b"", b"z", b"Z")
_SHOWN_BYTES = 40
_COMMANDS = str.maketrans("TR", "tr")


class Signal(Enum):
    """A line that says one thing only."""

    ACKNOWLEDGED = "command or frame accepted"
    REFUSED = "command or frame refused"
    OTHER_FRAME = "remote frame, or frame with a 29-bit identifier"


@dataclass(frozen=True, slots=True)
class Flags:
    """Answer to `F`: what went wrong at the CAN controller since it was last asked."""

    bits: int
    """Sum of the constants `RX_FIFO_FULL` to `BUS_ERROR`."""

    @property
    def state(self) -> BusState:
        """State of the controller, as bad as the bits allow.

        The manual has no bit for bus off. Errors on the bus while the error counters are above a
        limit are what a controller shows on its way there and once it is there.
        """
        if self.bits & BUS_ERROR and self.bits & (ERROR_WARNING | ERROR_PASSIVE):
            return BusState.BUS_OFF
        return BusState.PASSIVE if self.bits & ERROR_PASSIVE else BusState.ACTIVE

    @property
    def text(self) -> str:
        """The bits in words; empty if none is set."""
        return ", ".join(name for bit, name in _FLAG_NAMES if self.bits & bit)


@dataclass(frozen=True, slots=True)
class ControllerState:
    """A line `s..` by which some adapters report a change of state by themselves.

    It is no part of the CAN232 manual; the Linux slcan driver (`slcan-core.c`) knows it too.
    """

    state: BusState
    """State of the controller."""
    receive_errors: int
    """Receive error counter of ISO 11898-1."""
    transmit_errors: int
    """Transmit error counter of ISO 11898-1."""


@dataclass(frozen=True, slots=True)
class Version:
    """Answer to `V`: versions of hardware and software, as text."""

    text: str


@dataclass(frozen=True, slots=True)
class SerialNumber:
    """Answer to `N`."""

    text: str


@dataclass(frozen=True, slots=True)
class BadLine:
    """Input that is nothing of the protocol; its beginning, printable."""

    text: str


Line = Frame | Signal | Flags | ControllerState | Version | SerialNumber | BadLine


def check_frames(frames: Sequence[Frame]) -> None:
    """Refuse a batch with a frame that no classic CAN bus can carry, before any of it is sent.

    Args:
        frames: Data frames, and remote frames.

    Raises:
        ValueError: If an identifier is not 0 to 7FFh, or a frame has more than 8 bytes.
    """
    for can_id, data in frames:
        if not 0 <= can_id & ~REMOTE <= MAX_CAN_ID or len(data) > MAX_DATA_BYTES:
            text = f"frame {can_id:X}h with {len(data)} bytes: identifiers are 0 to 7FFh"
            raise ValueError(f"{text}, and a frame has at most {MAX_DATA_BYTES} bytes")


def encode_frames(frames: Sequence[Frame]) -> bytes:
    """Write frames as lines (CAN232 manual, commands `tiiildd..` and `riiil`).

    Args:
        frames: Frames in the order in which they shall be sent.

    Returns:
        Their lines, each with its carriage return.

    Raises:
        ValueError: If an identifier is not 0 to 7FFh, or a frame has more than 8 bytes.
    """
    check_frames(frames)
    lines = [
        f"R{can_id & MAX_CAN_ID:03X}{len(data)}\r"
        if can_id & REMOTE
        else f"T{can_id:03X}{len(data)}{data.hex()}\r"
        for can_id, data in frames
    ]
    return "".join(lines).upper().translate(_COMMANDS).encode("ascii")


def parse_line(line: bytes) -> Line:
    """Say what a line is.

    Args:
        line: A line without its carriage return, or a BEL; any bytes.

    Returns:
        A data frame with an 11-bit identifier only if every digit of it is there.
    """
    frame = _frame(line)
    if frame is not None:
        return frame
    if line in _ACKNOWLEDGED:
        return Signal.ACKNOWLEDGED
    if line == BEL:
        return Signal.REFUSED
    return _answer(line) or BadLine(_printable(line))


def _frame(line: bytes) -> Frame | None:
    """Read `tiiildd..`; its length must be exactly what its own length digit says."""
    if len(line) < 5 or line[0] != 0x74 or len(line) != 5 + 2 * (line[4] - 0x30):
        return None
    try:
        # unhexlify takes hexadecimal digits only, unlike int() and bytes.fromhex(), which let
        # signs, spaces and underscores pass.
        raw = unhexlify(b"0" + line[1:4] + line[5:])
    except HexError:
        return None
    can_id = raw[0] << 8 | raw[1]
    return Frame(can_id, raw[2:]) if can_id <= MAX_CAN_ID and len(raw) <= 10 else None


def _answer(line: bytes) -> Line | None:
    """Read what is neither a frame of ours nor an acknowledgement."""
    letter, body = line[:1], line[1:]
    if letter == b"F" and len(body) == 2 and _is_hex(body):
        return Flags(int(body, 16))
    if letter in (b"T", b"r", b"R"):
        return _other_frame(letter, body)
    if letter == b"s" and len(body) == 7 and body[1:].isdigit():
        state = _STATE_LETTERS.get(body[:1])
        return None if state is None else ControllerState(state, int(body[1:4]), int(body[4:]))
    if letter in (b"V", b"N") and body and _is_text(body):
        text = body.decode("ascii")
        return Version(text) if letter == b"V" else SerialNumber(text)
    return None


def _other_frame(letter: bytes, body: bytes) -> Signal | None:
    """Check a frame that is not delivered, so that only whole ones count as such."""
    digits = 3 if letter == b"r" else 8
    length = body[digits : digits + 1]
    if not (_is_hex(body) and length.isdigit() and int(length) <= MAX_DATA_BYTES):
        return None
    expected = digits + 1 + (2 * int(length) if letter == b"T" else 0)
    return Signal.OTHER_FRAME if len(body) == expected else None


def _is_hex(text: bytes) -> bool:
    return all(byte in b"0123456789ABCDEFabcdef" for byte in text)


def _is_text(text: bytes) -> bool:
    return all(0x20 <= byte < 0x7F for byte in text)


def _printable(line: bytes) -> str:
    """Show the beginning of a line with what is not printable escaped."""
    text = repr(line[:_SHOWN_BYTES])[2:-1]
    return text if len(line) <= _SHOWN_BYTES else f"{text}.."

"""The contour protocol, version 1, as pure functions between messages and bytes.

Half duplex, ASCII, 8N1; each message is one line that ends with a carriage return. The robot is
the clock: it asks for a waypoint, and what it does not get it does without, at rest.

    robot to host   R,<seq>,<st>,<ck>
                    R,<seq>,<st>,<x>,<y>,<z>,<o>,<a>,<t>,<ck>      the same, with where it is
    host to robot   <seq>,<x>,<y>,<z>,<o>,<a>,<t>,<ck>
                    -1,<reason>,0,0,0,0,0,<ck>                     end of stream

x, y, z are millimetres with two decimals, o, a, t degrees with three. `seq`, `st`, `reason` and
`ck` are plain integers and enter the checksum as they are.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

from arm_driver.contour.location import Location
from arm_driver.link import EndReason

SEQUENCES: Final = 10_000
"""Sequence numbers run from 0 to 9999 and begin again at 0."""
END_SEQUENCE: Final = -1
"""Number in place of a sequence number where the stream ends."""
MODULUS: Final = 997
FACTOR: Final = 31

_MM_DECIMALS: Final = 2
_DEG_DECIMALS: Final = 3
_DECIMALS: Final = (_MM_DECIMALS,) * 3 + (_DEG_DECIMALS,) * 3
_REQUEST_FIELDS: Final = 3
_ANSWER_FIELDS: Final = 8
_NUMBER: Final = re.compile(rb" *+([+-]?)([0-9]{0,5})(?:\.([0-9]{0,3}))? *")


class RobotStatus(IntEnum):
    """Status of the robot in a request (field `st`)."""

    RUNNING = 0
    CHECKSUM_ERROR = 1
    """The last answer did not check: repeat it, please."""
    RAN_DRY = 2
    """The robot is at rest after running dry."""
    HOLD = 3
    """Hold or emergency stop."""
    LIMIT = 4
    """Limit of position or speed."""
    NOT_CALIBRATED = 5


class LineFault(Enum):
    """Reason why a line is no message."""

    UNPARSED = "is no message"
    OUT_OF_RANGE = "has a number out of its range"
    WRONG_CHECKSUM = "has a wrong checksum"


_STATUSES: Final = frozenset(int(status) for status in RobotStatus)
_REASONS: Final = frozenset(int(reason) for reason in EndReason)


@dataclass(frozen=True, slots=True)
class WaypointRequest:
    """The robot asks for a waypoint."""

    seq: int
    """Sequence number, 0..9999."""
    status: RobotStatus
    """Status of the robot."""
    location: Location | None = None
    """Place of the robot; None where the option "feedback" is off."""

    def __post_init__(self) -> None:
        _check_sequence(self.seq)


@dataclass(frozen=True, slots=True)
class Waypoint:
    """The host answers with a place to be at one period later."""

    seq: int
    """Number of the request that it answers, 0..9999."""
    location: Location
    """The place."""

    def __post_init__(self) -> None:
        _check_sequence(self.seq)


@dataclass(frozen=True, slots=True)
class EndOfStream:
    """The host has no more waypoints: finish at the last one, at rest."""

    reason: EndReason
    """Reason of the end."""


def checksum(numbers: Iterable[int]) -> int:
    """Return the check of a message, 0..996.

    Args:
        numbers: n_0 = seq, then the fields in order as scaled integers.

    Returns:
        ck after ck = (31 ck + |n_k| + (1 if n_k < 0)) mod 997 for each n_k, from ck = 0. No
        intermediate value reaches 2^24, so that a controller with 24-bit reals can do the same.
    """
    check = 0
    for number in numbers:
        check = (check * FACTOR + abs(number) + (number < 0)) % MODULUS
    return check


def next_sequence(seq: int) -> int:
    """Return the number after `seq`; 9999 is followed by 0."""
    return (seq + 1) % SEQUENCES


def encode_request(request: WaypointRequest) -> bytes:
    """Write a request as the robot does, for tools and tests.

    Returns:
        One line with its carriage return.
    """
    head = [request.seq, int(request.status)]
    if request.location is None:
        return f"R,{request.seq},{request.status:d},{checksum(head)}\r".encode("ascii")
    check = checksum([*head, *request.location.counts])
    text = _written(request.location)
    return f"R,{request.seq},{request.status:d},{text},{check}\r".encode("ascii")


def encode_answer(answer: Waypoint | EndOfStream) -> bytes:
    """Write an answer of the host.

    Returns:
        One line with its carriage return, of numbers only.
    """
    if isinstance(answer, EndOfStream):
        check = checksum([END_SEQUENCE, int(answer.reason), 0, 0, 0, 0, 0])
        return f"{END_SEQUENCE},{answer.reason:d},0,0,0,0,0,{check}\r".encode("ascii")
    check = checksum([answer.seq, *answer.location.counts])
    return f"{answer.seq},{_written(answer.location)},{check}\r".encode("ascii")


def decode_request(line: bytes) -> WaypointRequest | LineFault:
    """Read a line of the robot.

    Args:
        line: Any bytes without the carriage return; blanks around numbers are allowed, because
            formatted output of a controller pads with them.

    Returns:
        The request, or why it is none. Never raises.
    """
    mark, _, rest = line.partition(b",")
    fields = rest.split(b",")
    if mark.strip(b" ") != b"R" or len(fields) not in (
        _REQUEST_FIELDS,
        _REQUEST_FIELDS + len(_DECIMALS),
    ):
        return LineFault.UNPARSED
    places = (0, 0, *_DECIMALS[: len(fields) - _REQUEST_FIELDS])
    numbers = _numbers(fields, places)
    if isinstance(numbers, LineFault):
        return numbers
    seq, status, *counts = numbers
    if not 0 <= seq < SEQUENCES or status not in _STATUSES:
        return LineFault.OUT_OF_RANGE
    location = _location(counts) if counts else None
    if isinstance(location, LineFault):
        return location
    return WaypointRequest(seq, RobotStatus(status), location)


def decode_answer(line: bytes) -> Waypoint | EndOfStream | LineFault:
    """Read a line of the host, as the robot has to.

    Args:
        line: Any bytes without the carriage return.

    Returns:
        The answer, or why it is none. Never raises.
    """
    fields = line.split(b",")
    if len(fields) != _ANSWER_FIELDS:
        return LineFault.UNPARSED
    ends = fields[0].strip(b" ") == str(END_SEQUENCE).encode("ascii")
    numbers = _numbers(fields, (0,) * 7 if ends else (0, *_DECIMALS))
    if isinstance(numbers, LineFault):
        return numbers
    seq, *counts = numbers
    if ends:
        known = counts[0] in _REASONS and not any(counts[1:])
        return EndOfStream(EndReason(counts[0])) if known else LineFault.OUT_OF_RANGE
    if not 0 <= seq < SEQUENCES:
        return LineFault.OUT_OF_RANGE
    location = _location(counts)
    return location if isinstance(location, LineFault) else Waypoint(seq, location)


def _check_sequence(seq: int) -> None:
    if not 0 <= seq < SEQUENCES:
        raise ValueError(f"sequence number {seq} is not in 0..{SEQUENCES - 1}")


def _written(location: Location) -> str:
    """Write a location without floats, so that each decimal is exact."""
    texts = []
    for count, decimals in zip(location.counts, _DECIMALS, strict=True):
        whole, part = divmod(abs(count), 10**decimals)
        texts.append(f"{'-' if count < 0 else ''}{whole}.{part:0{decimals}d}")
    return ",".join(texts)


def _numbers(fields: list[bytes], places: tuple[int, ...]) -> list[int] | LineFault:
    """Read the fields of a message as scaled integers, and hold them against the last, its check.

    Args:
        fields: All fields; the last one is the checksum.
        places: Decimals of each field but the last.
    """
    numbers = []
    for field, decimals in zip(fields, (*places, 0), strict=True):
        number = _scaled(field, decimals)
        if number is None:
            return LineFault.UNPARSED
        numbers.append(number)
    check = numbers.pop()
    return numbers if check == checksum(numbers) else LineFault.WRONG_CHECKSUM


def _scaled(field: bytes, decimals: int) -> int | None:
    """Read a decimal number as a count of its last decimal place; None if it is no such number."""
    match = _NUMBER.fullmatch(field)
    if match is None:
        return None
    sign, whole, part = match[1], match[2], match[3] or b""
    if not (whole or part) or len(part) > decimals or (match[3] is not None and not decimals):
        return None
    count = int(whole or b"0") * 10**decimals + int(part.ljust(decimals, b"0") or b"0")
    return -count if sign == b"-" else count


def _location(counts: list[int]) -> Location | LineFault:
    x, y, z, o, a, t = counts
    try:
        return Location((x, y, z, o, a, t))
    except ValueError:
        return LineFault.OUT_OF_RANGE

"""The robot's side of the contour protocol, version 1: lines to bytes, bytes to lines, checksum.

Robot to host `R,<seq>,<st>,<ck>` or `R,<seq>,<st>,<x>,<y>,<z>,<o>,<a>,<t>,<ck>`, host to robot
`<seq>,<x>,<y>,<z>,<o>,<a>,<t>,<ck>` or `-1,<reason>,0,0,0,0,0,<ck>`, each ended by CR; x, y, z are
mm with two decimals, o, a, t degrees with three.

Orientations are o, a, t in degrees, convention "VAL" as in the textbook of Fu, Gonzalez and Lee
("Robotics", 1987, section 2.3): rotate the hand about the vertical by o, then about the hand's
own y by a, then about the hand's own z, its approach, by t:

    R = Rz(o) ZERO Ry(a) Rz(t)

The columns of R are the hand's x, y and z (n, o and a vectors). Examples, angles in degrees:

    o    a    t   | hand's x      hand's y      hand's z (approach)
    0    0    0   | (0, 0, -1)    (1, 0, 0)     (0, -1, 0)
    90   0    0   | (0, 0, -1)    (0, 1, 0)     (1, 0, 0)
    0    90   0   | (0, 1, 0)     (1, 0, 0)     (0, 0, -1)
    0    0    90  | (1, 0, 0)     (0, 0, 1)     (0, -1, 0)
    90   90   90  | (0, 1, 0)     (1, 0, 0)     (0, 0, -1)

Not modelled: PROMPT's tolerance for blanks and other number formats: a line that does not have
exactly the form above is no answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SEQ_COUNT: Final = 10_000
"""Sequence numbers are 0 to 9999."""
SIMULATED: Final = b"S,SIMULATED\r"
"""Line of an emulated controller before its requests at rest; a real one never sends it."""
LINE_MAX: Final = 120
"""Longest line that is kept [bytes]; the longest legal one has 72."""
ANSWER_BYTES: Final = 70
"""Length of a usual answer [bytes], for the question whether another one fits into the period."""

REQUEST_BYTES: Final = 14
"""Length of a usual request without position [bytes]."""

ZERO: Final[Array] = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
"""Rotation of the hand at o = a = t = 0."""
ZERO.setflags(write=False)

Location = tuple[int, int, int, int, int, int]
"""x, y, z [0.01 mm] and o, a, t [0.001 deg]."""

_DECIMAL = r"-?\d{1,5}\.\d{%d}"
_WAYPOINT: Final = re.compile(
    ",".join([r"(\d{1,4})", *[f"({_DECIMAL % 2})"] * 3, *[f"({_DECIMAL % 3})"] * 3, r"(\d{1,3})"]),
    re.ASCII,
)
_END: Final = re.compile(r"-1,(-?\d{1,4}),0,0,0,0,0,(\d{1,3})", re.ASCII)


class ArmStatus(IntEnum):
    """Status of a request."""

    RUNNING = 0
    CHECKSUM = 1
    AT_REST = 2
    HELD = 3
    LIMIT = 4
    NOT_CALIBRATED = 5


class LineError(ValueError):
    """Line that is no answer; the text says what would have been right."""


@dataclass(frozen=True, slots=True)
class HostWaypoint:
    """Next waypoint of the gripper, sent by the host."""

    seq: int
    """Number of the answered request."""
    location: Location
    """Scaled integers of the wire."""


@dataclass(frozen=True, slots=True)
class HostEnd:
    """End of the host's stream."""

    reason: int
    """Number that the host gave."""


def checksum(numbers: Sequence[int]) -> int:
    """Return the checksum of a line's scaled integers, 0 to 996."""
    value = 0
    for number in numbers:
        value = (value * 31 + abs(number) + (number < 0)) % 997
    return value


def encode_request(seq: int, status: int, location: Location | None = None) -> bytes:
    """Return a request with its CR.

    Args:
        status: What the robot is doing, see `ArmStatus`.
        location: Where the robot is, or None to leave that out.
    """
    words = ["R", str(seq), str(int(status))]
    numbers = [seq, int(status)]
    if location is not None:
        words += [_decimal(value, 2) for value in location[:3]]
        words += [_decimal(value, 3) for value in location[3:]]
        numbers += location
    return (",".join(words) + f",{checksum(numbers)}\r").encode("ascii")


def decode_answer(line: bytes) -> HostWaypoint | HostEnd:
    """Read a line of the host.

    Args:
        line: The line without its CR.

    Raises:
        LineError: If it has not the form of an answer, or another checksum.
    """
    text = line.decode("ascii", "replace")
    match = _WAYPOINT.fullmatch(text)
    if match is not None:
        seq, *words, check = match.groups()
        x, y, z, o, a, t = (_scaled(word) for word in words)
        _compare(checksum((int(seq), x, y, z, o, a, t)), int(check), text)
        return HostWaypoint(int(seq), (x, y, z, o, a, t))
    match = _END.fullmatch(text)
    if match is not None:
        reason, check = (int(word) for word in match.groups())
        _compare(checksum((-1, reason, 0, 0, 0, 0, 0)), check, text)
        return HostEnd(reason)
    raise LineError(
        f"{text!r} is no answer: seq,x,y,z,o,a,t,ck with two decimals of mm and three of deg"
    )


def location_of(position_m: Array, rotation: Array) -> Location:
    """Return a pose as the wire has it.

    Args:
        position_m: Position of the gripper in the arm's base [m], shape (3,).
        rotation: Its orientation, shape (3, 3).
    """
    x, y, z = (round(float(value) * 1e5) for value in position_m)
    o, a, t = (round(math.degrees(value) * 1e3) for value in oat_of(rotation))
    return x, y, z, o, a, t


def pose_of(location: Location) -> tuple[Array, Array]:
    """Return position [m], shape (3,), and rotation, shape (3, 3), of a location."""
    o, a, t = (math.radians(value / 1e3) for value in location[3:])
    return np.array(location[:3]) / 1e5, rotation_of(o, a, t)


def rotation_of(o_rad: float, a_rad: float, t_rad: float) -> Array:
    """Return the rotation, shape (3, 3), of o, a, t [rad]."""
    return _about_z(o_rad) @ ZERO @ _about_y(a_rad) @ _about_z(t_rad)


def oat_of(rotation: Array) -> tuple[float, float, float]:
    """Return o, a, t [rad] of a rotation; a within a quarter turn, and t = 0 if o and t are one.

    Args:
        rotation: Orientation of the hand, shape (3, 3).
    """
    # The approach is (so ca, -co ca, -sa) and the bottom row (-ca ct, ca st, -sa).
    level = math.hypot(rotation[0, 2], rotation[1, 2])
    a = math.atan2(-rotation[2, 2], level)
    if level < 1e-7:  # the hand points straight down or up
        o = math.atan2(rotation[1, 1], rotation[0, 1])
        return o, a, 0.0
    o = math.atan2(rotation[0, 2], -rotation[1, 2])
    t = math.atan2(rotation[2, 1], -rotation[2, 0])
    return o, a, t


def _about_z(angle_rad: float) -> Array:
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_y(angle_rad: float) -> Array:
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _decimal(value: int, places: int) -> str:
    whole, rest = divmod(abs(value), 10**places)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{places}d}"


def _scaled(word: str) -> int:
    return int(word.replace(".", ""))


def _compare(right: int, found: int, text: str) -> None:
    if right != found:
        raise LineError(f"{text!r}: checksum {found}, it should be {right}")

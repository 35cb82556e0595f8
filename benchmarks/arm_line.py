"""The robot's end of a line, for measuring: it asks, and times the answer at the port.

Time runs from the last byte of a request being handed to the line to the first and to the last byte
of its answer being there: waking up, reading, answering and whatever the machine does meanwhile are
all in it; the wire's own time is not, because a pseudo-terminal has none.
"""

from __future__ import annotations

import os
import select
import time
import tty
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    EndOfStream,
    RobotStatus,
    Waypoint,
    WaypointRequest,
    decode_answer,
    encode_request,
)
from arm_driver.link import PERIOD_S

ANSWER_WITHIN_S: Final = 0.25
BEGIN_WITHIN_S: Final = 180.0
CONSTANT: Final = b"0,400.00,100.00,200.00,0.000,90.000,0.000,424\r"
PEER: Final = """
import sys, serial
port = serial.Serial(sys.argv[1], 9600)
while True:
    port.read_until(b"\\r")
    port.write(sys.argv[2].encode() + b"\\r")
"""
"""What answering costs when nothing is asked of the answer: plain pyserial, nothing else."""


@dataclass
class Timings:
    """What a robot saw.

    Args:
        first_s: from the request to the answer's first byte [s].
        whole_s: to its last [s].
        missed: requests without an answer in time.
        end: reason of the end of the stream that was told; None for none.
    """

    first_s: list[float] = field(default_factory=list)
    whole_s: list[float] = field(default_factory=list)
    missed: int = 0
    end: EndOfStream | None = None

    def figures(self) -> dict[str, float | int | str]:
        """Median, 99th percentile and longest time to the whole answer [ms]."""
        ms = 1e3 * np.array(self.whole_s or [np.nan])
        p50, p99 = np.percentile(ms, [50.0, 99.0])
        return {
            "answers": len(self.whole_s),
            "missed": self.missed,
            "p50_ms": float(p50),
            "p99_ms": float(p99),
            "longest_ms": float(ms.max()),
            "end": "" if self.end is None else self.end.reason.name.lower(),
        }


class Line:
    """A pseudo-terminal with the robot at this end.

    Args:
        period_s: time between two requests [s].
    """

    def __init__(self, period_s: float = PERIOD_S) -> None:
        self._fd, self._other = os.openpty()
        tty.setraw(self._fd)
        tty.setraw(self._other)
        self.url = f"serial:{os.ttyname(self._other)}"
        self.path = os.ttyname(self._other)
        self._period_s = period_s
        self._due_s = time.monotonic()

    def close(self) -> None:
        os.close(self._fd)
        os.close(self._other)

    def exchange(self, request: bytes, timings: Timings | None = None) -> bytes:
        """Ask when a period has passed, and return the line that comes back; b"" for none."""
        self._due_s = max(self._due_s + self._period_s, time.monotonic())
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        os.write(self._fd, request)
        asked_s, first_s, line = time.monotonic(), 0.0, b""
        while not line.endswith(b"\r"):
            left_s = asked_s + ANSWER_WITHIN_S - time.monotonic()
            if left_s <= 0.0 or not select.select([self._fd], [], [], left_s)[0]:
                return b""
            line += os.read(self._fd, 4096)
            first_s = first_s or time.monotonic() - asked_s
        if timings is not None:
            timings.first_s.append(first_s)
            timings.whole_s.append(time.monotonic() - asked_s)
        return line[:-1]


def play_robot(line: Line, start: Location, answers: int) -> Timings:
    """Be a robot that asks for waypoints until the stream ends, or it has had its answers."""
    timings, seq, moving = Timings(), 0, False
    given_up_s = time.monotonic() + BEGIN_WITHIN_S
    while timings.end is None and len(timings.whole_s) < answers:
        request = (
            WaypointRequest(seq, RobotStatus.RUNNING)
            if moving
            else WaypointRequest(seq, RobotStatus.RAN_DRY, start)
        )
        answer = line.exchange(encode_request(request), timings)
        decoded = decode_answer(answer) if answer else None
        if isinstance(decoded, Waypoint) and decoded.seq == seq:
            seq, moving = (seq + 1) % 10_000, True
        elif isinstance(decoded, EndOfStream):
            timings.end = decoded
            line.exchange(encode_request(WaypointRequest((seq + 1) % 10_000, RobotStatus.RAN_DRY)))
        elif moving:
            timings.missed += 1
        elif time.monotonic() > given_up_s:
            break
    return timings


def play_constant(line: Line, answers: int) -> Timings:
    """Ask a peer that answers the same each time; a first answer is not counted."""
    timings = Timings()
    request = encode_request(WaypointRequest(0, RobotStatus.RUNNING))
    given_up_s = time.monotonic() + BEGIN_WITHIN_S
    while not line.exchange(request) and time.monotonic() < given_up_s:
        pass
    while len(timings.whole_s) + timings.missed < answers:
        timings.missed += not line.exchange(request, timings)
    return timings


def constant_peer(line: Line) -> tuple[str, ...]:
    """Arguments of the plain peer on a line."""
    return ("-c", PEER, line.path, CONSTANT[:-1].decode())

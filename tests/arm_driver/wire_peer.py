"""The robot's end of a wire, and the real port thread at the other: for tests in real time."""

import contextlib
import os
import select

from arm_driver.contour.messages import RobotStatus, WaypointRequest, decode_answer, encode_request
from hil.timing.realtime import MonotonicSleeper

_SLEEPER = MonotonicSleeper()
WAIT_S = 5.0


def now_s():
    """Monotonic time [s]."""
    return _SLEEPER.now_ns() * 1e-9


class Peer:
    """The robot's end of a wire: a descriptor on which the test asks and listens."""

    def __init__(self, fd, url, also=()):
        self.fd, self.url = fd, url
        self._also = list(also)
        self._rest = b""

    def say(self, data):
        os.write(self.fd, data)

    def ask(self, seq, status=RobotStatus.RUNNING, location=None):
        self.say(encode_request(WaypointRequest(seq, status, location)))

    def line(self, timeout_s=WAIT_S):
        """The next line of the host without its carriage return; None if there is none."""
        end_s = now_s() + timeout_s
        while b"\r" not in self._rest:
            left_s = end_s - now_s()
            if left_s <= 0 or not select.select([self.fd], [], [], left_s)[0]:
                return None
            data = os.read(self.fd, 4096)
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\r")
        return line

    def answer(self):
        line = self.line()
        assert line is not None, "no answer"
        return decode_answer(line)

    def unplug(self):
        for fd in (self.fd, *self._also):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._also = []
        self.fd = -1


def until(link, wanted):
    """Poll until a report is as wanted; the wait is a select without descriptors."""
    end_s = now_s() + WAIT_S
    while not wanted(report := link.poll()):
        assert now_s() < end_s, report
        select.select([], [], [], 0.002)
    return report

"""The port's promises about lines that are not taken in time, on a pseudo-terminal and over TCP."""

import contextlib
import os
import select
import socket
import tty

import pytest

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.messages import RobotStatus, WaypointRequest, encode_request
from arm_driver.contour.port import WRITE_TIMEOUT_S, ArmPort, open_port
from arm_driver.contour.reader import ContourLine
from arm_driver.contour.urls import parse_arm_link
from arm_driver.link_errors import ArmLinkLostError
from arm_driver.link_states import LinkState, StreamResult
from hil.timing.realtime import MonotonicSleeper

pytestmark = pytest.mark.real_time

_SLEEPER = MonotonicSleeper()
START = Location((40_000, 10_000, 20_000, 0, 90_000, 0))
SMALL_BYTES = 1  # of a buffer; the kernel takes its least
LINES_MAX = 20_000


def now_s():
    """Monotonic time [s]."""
    return _SLEEPER.now_ns() * 1e-9


@pytest.fixture(autouse=True)
def _own_locks(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def numbered(index):
    """A line that can be told from every other, wherever it is cut."""
    return f"<{index:05d}" * 10 + "\r"


def hear(fd, quiet_s=0.2):
    """All that comes until the line is quiet or closed, and whether it was reset."""
    heard = b""
    while select.select([fd], [], [], quiet_s)[0]:
        try:
            data = os.read(fd, 65_536)
        except ConnectionResetError:
            return heard, True
        if not data:
            return heard, False
        heard += data
    return heard, False


def write_until_cut(port):
    """Write numbered lines until one is not taken; its number, and how long it took."""
    for index in range(LINES_MAX):
        before_s = now_s()
        if not port.write(numbered(index).encode()):
            return index, now_s() - before_s
    raise AssertionError("the port takes everything")


@pytest.fixture
def terminals():
    master, slave = os.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    yield master, slave
    for fd in (master, slave):
        with contextlib.suppress(OSError):
            os.close(fd)


def test_nothing_of_a_line_that_was_cut_stays_on_the_wire(terminals):
    """What a robot hears: whole lines, one that ends early and alone, then only the new one."""
    master, slave = terminals
    port = open_port(parse_arm_link(f"serial:{os.ttyname(slave)}"), now_s)
    cut, took_s = write_until_cut(port)
    assert WRITE_TIMEOUT_S <= took_s < WRITE_TIMEOUT_S + 0.5
    assert port.cut
    # Already now, before anything else is written: the flush came with the cut.
    heard, _ = hear(master)
    assert f"<{cut:05d}".encode() not in heard
    assert port.write(b"12,1\r")
    rest, _ = hear(master)
    *whole, torn = heard.split(b"\r")
    assert whole == [numbered(index).encode()[:-1] for index in range(len(whole))]
    assert len(whole) < cut, "what the terminal had taken of earlier lines is thrown away too"
    assert numbered(len(whole)).encode().startswith(torn)
    assert rest == b"\r12,1\r", "the torn line is ended, never continued"
    port.close()


@pytest.fixture
def stalled():
    """A connection with least buffers: the port's socket, and an end that does not read."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BYTES)
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
    near.setblocking(False)
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL_BYTES)
    yield near, far
    near.close()
    far.close()


def test_a_connection_that_is_not_read_is_lost_in_time_and_delivers_nothing_late(stalled):
    near, far = stalled
    port = ArmPort(near, "socket://robot:1", now_s)
    # One write, longer than all buffers: the kernel takes a part of it.
    lines = b"".join(numbered(index).encode() for index in range(100_000))
    before_s = now_s()
    with pytest.raises(ArmLinkLostError, match=r"robot:1: took \d+ of 6100000 bytes within 0.1 s"):
        port.write(lines)
    assert WRITE_TIMEOUT_S <= now_s() - before_s < WRITE_TIMEOUT_S + 0.5
    for attempt in (lambda: port.write(b"12,1\r"), lambda: port.write(b""), lambda: port.read(0.0)):
        with pytest.raises(ArmLinkLostError, match="does not read"):
            attempt()
    heard, reset = hear(far.fileno())
    assert reset, "the connection is broken off, and not ended in order after all was delivered"
    *whole, torn = heard.split(b"\r")
    assert whole == [numbered(index).encode()[:-1] for index in range(len(whole))]
    assert numbered(len(whole)).encode().startswith(torn)
    port.close()


def test_a_small_line_after_a_full_buffer_is_lost_as_well(stalled):
    """Earlier answers wait unread: even a line of which nothing was taken must not follow them."""
    near, far = stalled
    port = ArmPort(near, "socket://robot:1", now_s)
    taken = 0
    with pytest.raises(ArmLinkLostError, match="of 61 bytes"):  # noqa: PT012
        for index in range(LINES_MAX):
            port.write(numbered(index).encode())
            taken += 1
    assert taken > 10
    heard, reset = hear(far.fileno())
    assert reset
    assert heard.count(b"\r") < taken, "what waited in this end's buffer is thrown away"
    port.close()


def test_a_robot_that_asks_and_does_not_read_loses_the_link(stalled, monkeypatch):
    monkeypatch.setattr("arm_driver.contour.answers._REPEATS_ALLOWED", 10**6)
    near, far = stalled
    link = ContourLine(ArmPort(near, "socket://robot:1", now_s), HostSettings(), now_s)
    far.sendall(encode_request(WaypointRequest(0, RobotStatus.RAN_DRY, START)))
    end_s = now_s() + 5.0
    while link.poll().state is not LinkState.SYNCHRONISING:
        assert now_s() < end_s
        select.select([], [], [], 0.002)
    link.start(StreamPlan(START))
    link.offer(START)
    answers = 0
    while (report := link.poll()).result is None and now_s() < end_s:
        far.sendall(encode_request(WaypointRequest(0, RobotStatus.RAN_DRY)))
        while link.poll().counts.answers == answers and link.poll().result is None:
            assert now_s() < end_s
            select.select([], [], [], 2e-4)
        answers = link.poll().counts.answers
    assert report.result is StreamResult.LINK_LOST
    assert "took 0 of" in report.text or "does not read" in report.text
    assert report.counts.repeats >= answers - 1 > 10
    link.close()

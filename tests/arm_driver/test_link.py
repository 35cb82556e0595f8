"""The link on a pseudo-terminal and over TCP; the test plays the robot's controller."""

import contextlib
import os
import select
import socket
import termios
import threading

import pytest
from wire_peer import WAIT_S, Peer, now_s, until

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    EndOfStream,
    RobotStatus,
    Waypoint,
    WaypointRequest,
    encode_request,
)
from arm_driver.contour.port import open_port
from arm_driver.contour.reader import ContourLine, open_line
from arm_driver.contour.urls import SerialLink, SocketLink, parse_arm_link
from arm_driver.link import EndReason, Offer
from arm_driver.link_errors import (
    ArmLinkError,
    ArmLinkLostError,
    ArmLinkUrlError,
    StartRefusedError,
)
from arm_driver.link_states import LinkState, StreamResult
from arm_driver.supervision_settings import SupervisionSettings

pytestmark = pytest.mark.real_time

START = Location((40_000, 10_000, 20_000, 0, 90_000, 0))


def place(steps):
    return Location((40_000, 10_000 + steps, 20_000, 0, 90_000, 0))


@pytest.fixture(autouse=True)
def _own_locks(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def tcp_peer():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        peer = Peer(-1, url)

        def accept():
            connection, _ = server.accept()
            peer.fd = connection.detach()

        thread = threading.Thread(target=accept)
        thread.start()
        peer.accepted = thread.join
        yield peer
        if thread.is_alive():  # nobody came
            socket.create_connection(server.getsockname()).close()
            thread.join()
        peer.unplug()


@pytest.fixture(params=["pty_peer", "tcp_peer"])
def peer(request):
    return request.getfixturevalue(request.param)


@contextlib.contextmanager
def linked(peer, **settings):
    hurried = {  # these peers wait for no period
        "supervision": SupervisionSettings(ahead_s=1e3),
        "speed_max_m_s": 1e9,
        "turn_rate_max_rad_s": 1e9,
    }
    settings = hurried | settings
    link = open_line(peer.url, now_s=now_s, settings=HostSettings(**settings))
    if hasattr(peer, "accepted"):
        peer.accepted()
    try:
        yield link
    finally:
        link.close()


def begin(peer, link, seq=0):
    peer.ask(seq, RobotStatus.RAN_DRY, START)
    until(link, lambda report: report.state is LinkState.SYNCHRONISING)
    link.start(StreamPlan(START))


def test_stream_over_the_wire_with_wrap_repeat_and_end(peer):
    with linked(peer) as link:
        begin(peer, link, seq=9990)
        for index in range(20):
            seq = (9990 + index) % 10_000
            assert link.offer(place(1000 * (index + 1))) is Offer.TAKEN
            peer.ask(seq)
            assert peer.answer() == Waypoint(seq, place(1000 * (index + 1)))
            until(link, lambda report: report.wants)
        peer.ask(9, RobotStatus.CHECKSUM_ERROR)
        assert peer.answer() == Waypoint(9, place(20_000))
        link.end(EndReason.COMPLETED)
        peer.ask(10)
        assert peer.answer() == EndOfStream(EndReason.COMPLETED)
        peer.ask(11)
        report = until(link, lambda report: report.state is LinkState.READY)
    assert report.result is StreamResult.COMPLETED
    assert (report.streamed, report.counts.repeats) == (20, 1)
    assert report.latency.count == 22
    assert 0.0 < report.latency.p50_s <= report.latency.p99_s < 0.1


def test_echo_of_a_terminal_is_swallowed(pty_peer):
    with linked(pty_peer) as link:
        begin(pty_peer, link)
        for seq in range(5):
            link.offer(place(100 * (seq + 1)))
            pty_peer.ask(seq)
            line = pty_peer.line()
            pty_peer.say(line + b"\r\n")
            until(link, lambda report: report.wants)
        report = until(link, lambda report: report.counts.echoes == 5)
        assert report.counts.unparsed == 0


def test_nothing_is_sent_out_of_an_empty_slot_or_unarmed(peer):
    with linked(peer) as link:
        peer.ask(0, RobotStatus.RAN_DRY, START)
        assert peer.line(0.1) is None
        link.start(StreamPlan(START))
        peer.ask(0, RobotStatus.RAN_DRY, START)
        assert peer.line(0.1) is None
        link.offer(place(1000))
        assert peer.line(0.1) is None, "the robot asks, the host never pushes"
        peer.ask(0, RobotStatus.RAN_DRY, START)
        assert peer.answer() == Waypoint(0, place(1000))


def test_silence_is_noticed_by_the_reader_itself(peer):
    with linked(peer, period_s=0.05) as link:
        begin(peer, link)
        report = until(link, lambda report: report.result is not None)
        assert report.result is StreamResult.LINK_LOST
        assert report.silence_s >= 0.15


def test_unplugged_robot_is_noticed(peer):
    with linked(peer) as link:
        begin(peer, link)
        peer.unplug()
        report = until(link, lambda report: report.result is not None)
        assert report.result is StreamResult.LINK_LOST
        assert report.silence_s < 1.0, "noticed by the port and not by the silence"
        assert peer.url.removeprefix("serial:").removeprefix("socket://") in report.text
        assert link.offer(place(1)) is Offer.NO_STREAM
        with pytest.raises(StartRefusedError, match="lost until a new start"):
            link.start(StreamPlan(START), START)


def test_close_is_quick_and_may_be_repeated(peer):
    with linked(peer) as link:
        begin(peer, link)
        before_s = now_s()
        link.close()
        assert now_s() - before_s < 0.5
        link.close()
        report = link.poll()
        assert (report.state, report.result) == (LinkState.OFFLINE, StreamResult.LINK_LOST)
        assert "closed by this program" in report.text
    assert not any(thread.name == "arm link" for thread in threading.enumerate())


class BrokenPort:
    """A port with a bug."""

    url = "serial:/dev/broken"
    cut = False

    def read(self, timeout_s):
        raise ZeroDivisionError("a bug")

    def close(self):
        pass


def test_reader_that_fails_says_so():
    link = ContourLine(BrokenPort(), HostSettings(), now_s)
    with pytest.raises(StartRefusedError, match="a bug"):
        until(link, lambda _: link.start(StreamPlan(START), START))
    link.close()


def test_second_host_is_refused_whatever_its_environment_says(pty_peer, tmp_path, monkeypatch):
    with linked(pty_peer):
        with pytest.raises(ArmLinkError, match=f"process {os.getpid()}"):
            open_line(pty_peer.url, now_s=now_s)
        other_user = tmp_path / "other"
        other_user.mkdir()
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(other_user))
        for _ in range(2):  # a refused open lets go of nothing
            with pytest.raises(ArmLinkError, match="another controller has it"):
                open_line(pty_peer.url, now_s=now_s)
    with linked(pty_peer):
        pass


def test_second_host_is_refused_over_tcp(tcp_peer):
    with linked(tcp_peer), pytest.raises(ArmLinkError, match="another controller has it"):
        open_line(tcp_peer.url, now_s=now_s)


def test_absent_ports_say_what_is_missing(tmp_path):
    with pytest.raises(ArmLinkError, match=r"cannot open .*absent.*by-id"):
        open_line(f"serial:{tmp_path}/absent", now_s=now_s)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ArmLinkError, match="nothing answers there"):
        open_line(f"socket://127.0.0.1:{port}", now_s=now_s)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ArmLinkError, match="cannot open"):
        open_line(f"serial:{file}", now_s=now_s)


def test_line_is_raw_with_eight_data_bits_and_the_speed_of_the_url(pty_peer):
    port = open_port(parse_arm_link(pty_peer.url + "?baud=19200"), now_s)
    attributes = termios.tcgetattr(port._fd)
    assert attributes[4:6] == [termios.B19200, termios.B19200]
    assert attributes[2] & termios.CSIZE == termios.CS8
    assert not attributes[2] & (termios.PARENB | termios.CSTOPB | termios.CRTSCTS)
    assert not attributes[3] & (termios.ECHO | termios.ICANON | termios.ISIG)
    assert not attributes[0] & (termios.IXON | termios.ICRNL)
    port.close()


def fill(port):
    """Write whole lines until the peer takes no more; returns how long the last write took."""
    before_s, wholes = now_s(), 0
    while port.write(b"x" * 60 + b"\r"):
        before_s, wholes = now_s(), wholes + 1
    assert wholes > 10
    return now_s() - before_s


def drain(fd):
    """All that waits at the peer."""
    os.set_blocking(fd, False)
    heard = b""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(fd, 65536):
            heard += data
    return heard


def test_robot_that_stops_reading_bounds_the_write(pty_peer):
    port = open_port(parse_arm_link(pty_peer.url), now_s)
    took_s = fill(port)
    assert 0.08 < took_s < 1.0
    assert port.cut
    drain(pty_peer.fd)
    assert port.write(b"12,1\r")
    assert not port.cut
    assert select.select([pty_peer.fd], [], [], WAIT_S)[0]
    assert drain(pty_peer.fd).split(b"\r")[-2:] == [b"12,1", b""], "the new line stands alone"
    port.close()


def test_half_a_line_is_ended_before_the_next_one(pty_peer):
    port = open_port(parse_arm_link(pty_peer.url), now_s)
    port._cut = True
    assert port.write(b"12,1\r")
    assert not port.cut
    assert port.write(b"12,2\r")
    assert select.select([pty_peer.fd], [], [], WAIT_S)[0]
    assert drain(pty_peer.fd) == b"\r12,1\r12,2\r"
    port.close()


class HalfPort:
    """A port that takes half of the first answer, played without any wire."""

    url = "test:"

    def __init__(self, requests):
        self.cut = False
        self.written = []
        self._requests = list(requests)
        self.more = threading.Event()

    def read(self, timeout_s):
        if not self.more.wait(timeout_s) or not self._requests:
            return b""
        return self._requests.pop(0)

    def write(self, data):
        self.written.append(data)
        whole = self.cut or len(self.written) > 1
        self.cut = not whole
        return whole

    def close(self):
        pass


def test_reader_mends_a_cut_line_without_waiting_for_the_next_request():
    port = HalfPort([encode_request(WaypointRequest(0, RobotStatus.RAN_DRY, START))] * 2)
    link = ContourLine(port, HostSettings(), now_s)
    port.more.set()
    until(link, lambda report: report.state is LinkState.SYNCHRONISING)
    port.more.clear()
    link.start(StreamPlan(START))
    link.offer(place(10))
    port._requests.append(encode_request(WaypointRequest(0, RobotStatus.RAN_DRY, START)))
    port.more.set()
    report = until(link, lambda report: len(port.written) >= 2)
    assert report.counts.cut_answers == 1
    assert port.written[0].startswith(b"0,400.00,")
    assert port.written[1] == b""
    link.close()


def test_port_that_was_closed_says_so(pty_peer):
    port = open_port(parse_arm_link(pty_peer.url), now_s)
    port.close()
    port.close()
    with pytest.raises(ArmLinkLostError, match="closed by this program"):
        port.read(0.0)
    with pytest.raises(ArmLinkLostError, match="closed by this program"):
        port.write(b"x")


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("serial:/dev/ttyS0", SerialLink("/dev/ttyS0")),
        ("serial:/dev/ttyS0?baud=19200", SerialLink("/dev/ttyS0", 19200)),
        ("serial:/dev/serial/by-id/usb-a_b:c", SerialLink("/dev/serial/by-id/usb-a_b:c")),
        ("socket://arm.local:29600", SocketLink("arm.local", 29600)),
        ("socket://[::1]:1", SocketLink("::1", 1)),
    ],
)
def test_urls(url, link):
    assert parse_arm_link(url) == link
    assert parse_arm_link(link.url) == link


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("", "begins like none"),
        ("sim:", "begins like none"),
        ("serial", "no path"),
        ("serial:ttyS0", "'ttyS0' is no path"),
        ("serial:/dev/ttyS0?", "the one option"),
        ("serial:/dev/ttyS0?parity=E", "the one option"),
        ("serial:/dev/ttyS0?baud=9600&baud=9600", "the one option"),
        ("serial:/dev/ttyS0?baud=9601", "'9601' is none of 1200"),
        ("serial:/dev/tty S0", "begins like none"),
        ("socket:127.0.0.1:5", "no //HOST:PORT"),
        ("socket://127.0.0.1", "no //HOST:PORT"),
        ("socket://127.0.0.1:0", "port 0 is not 1"),
        ("socket://127.0.0.1:65536", "port 65536 is not 1"),
    ],
)
def test_wrong_urls_say_where(url, text):
    with pytest.raises(ArmLinkUrlError, match=text):
        parse_arm_link(url)

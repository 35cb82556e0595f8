"""A socketcand over loopback TCP: the cycle, garbage, silence and loss."""

import os
import select
import socket
import threading

import can
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slcan_peer import now_s, until_lost

from drives.bank import LinkError, LinkLostError
from drives.can import socketcand_bus
from drives.can.frames import BusState, Frame
from drives.can.slcan_port import open_tcp
from drives.can.socketcand_bus import SocketcandBus
from drives.links import open_can, parse_link

CYCLE = [*(Frame(0x200 + node, bytes(range(7))) for node in range(1, 7)), Frame(0x080, b"")]
BATCH = b"".join(b"< send 20%d 7 00 01 02 03 04 05 06 >" % node for node in range(1, 7))
BATCH += b"< send 080 0  >"


class Socketcand:
    """A socketcand for one bus; after the opening its connection is the test's."""

    def __init__(self, greeting=b"< hi >", opened=b"< ok >", raw=b"< ok >"):
        self.greeting, self.opened, self.raw = greeting, opened, raw
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"socketcand://127.0.0.1:{self.port}/can0"
        self.connection = None
        self._stop_read, self._stop_write = os.pipe()

    def open(self, opener=None):
        """Serve one opening from a thread."""
        thread = threading.Thread(target=self._serve)
        thread.start()
        try:
            if opener is not None:
                return opener()
            return open_can(parse_link(self.url), bitrate=1_000_000, now_s=now_s)
        finally:
            os.write(self._stop_write, b"x")
            thread.join()
            os.read(self._stop_read, 1)

    def _serve(self):
        if self.listener not in select.select([self.listener, self._stop_read], [], [])[0]:
            return
        self.connection = self.listener.accept()[0]
        self.connection.sendall(self.greeting)
        for due, answer in ((b"< open can0 >", self.opened), (b"< rawmode >", self.raw)):
            if self.connection not in select.select([self.connection, self._stop_read], [], [])[0]:
                return
            if self.connection.recv(64) != due:
                return
            self.connection.sendall(answer)

    def say(self, text):
        self.connection.sendall(text)

    def close(self):
        self.listener.close()
        if self.connection is not None:
            self.connection.close()
        os.close(self._stop_read)
        os.close(self._stop_write)


@pytest.fixture
def daemon():
    daemon = Socketcand()
    yield daemon
    daemon.close()


@pytest.fixture
def bus(daemon):
    bus = daemon.open()
    yield bus
    bus.shutdown()


def python_can(daemon):
    return lambda: can.Bus("can0", interface="socketcand", host="127.0.0.1", port=daemon.port)


def test_a_cycle_goes_both_ways(daemon, bus):
    bus.send_frames(CYCLE)
    heard = b""
    while len(heard) < len(BATCH):
        heard += daemon.connection.recv(4096)
    assert heard == BATCH
    daemon.say(b"< frame 181 1700000000.123456 3706 >< frame 182 1700000000.2")
    assert bus.receive_frames(1.0) == [Frame(0x181, b"\x37\x06")]
    daemon.say(b"00000 0F >\n< frame 080 1.5  >< frame 00000183 1700000000.3 00 >")
    assert bus.receive_frames(1.0) == [Frame(0x182, b"\x0f"), Frame(0x080, b"")]
    assert bus.health().other_frames == 1
    assert bus.health().bad_lines == 0


def test_it_reads_what_python_can_writes_and_the_other_way_round(daemon):
    other = daemon.open(python_can(daemon))
    other.send(can.Message(arbitration_id=0x201, data=b"\x0f\x00", is_extended_id=False))
    written = daemon.connection.recv(64).split()
    assert written == [b"<", b"send", b"201", b"2", b"f", b"0", b">"]
    assert socketcand_bus._encode([Frame(0x201, b"\x0f\x00")]).split() == [
        *written[:4],
        b"0f",
        b"00",
        b">",
    ]
    other.shutdown()


def test_all_frames_of_a_cycle_are_one_write(bus, monkeypatch):
    writes = []
    real_write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: writes.append(data) or real_write(fd, data))
    bus.send_frames(CYCLE)
    assert writes == [BATCH]


def test_waiting_ends(bus):
    before_s = now_s()
    assert bus.receive_frames(0.03) == []
    assert 0.02 <= now_s() - before_s < 0.5


def test_half_a_message_is_no_reason_to_return_early(daemon, bus):
    daemon.say(b"< frame 181 17")
    timer = threading.Timer(0.02, daemon.say, (b"00.5 37 >",))
    timer.start()
    assert bus.receive_frames(2.0) == [Frame(0x181, b"\x37")]
    timer.join()


@pytest.mark.parametrize("timeout_s", [0.0, 5.0])
def test_a_server_that_is_gone_is_noticed_at_once(daemon, bus, timeout_s):
    daemon.say(b"< frame 181 1700000000.123456 3706 >")
    daemon.connection.shutdown(socket.SHUT_RDWR)
    assert bus.receive_frames(1.0) == [Frame(0x181, b"\x37\x06")]
    before_s = now_s()
    with pytest.raises(LinkLostError, match=f"^{daemon.url}: .*has closed the connection"):
        bus.receive_frames(timeout_s)
    assert now_s() - before_s < 0.05
    with pytest.raises(LinkLostError, match="is lost until a new start"):
        bus.send_frames(CYCLE)


def test_python_can_alone_takes_a_server_that_is_gone_for_silence(daemon):
    other = daemon.open(python_can(daemon))
    daemon.connection.close()
    assert [other.recv(0.01) for _ in range(5)] == [None] * 5
    other.shutdown()


def test_a_server_that_stops_reading_does_not_hold_the_cycle(daemon, bus):
    text, took_s = until_lost(lambda: bus.send_frames(CYCLE))
    assert "did not take" in text
    assert took_s < 0.05


@pytest.mark.parametrize(
    "garbage",
    [
        b"< frame zzz 1.0 00 >",
        b"< frame 181 x 00 >",
        b"< frame 181 1.0 0 >",
        b"< frame 181 1.0 001122334455667788 >",
        b"< frame 900 1.0",
        b"\xff<>",
        b"< ok >",
        b"<<<" + b"x" * 1000 + b">",
    ],
)
def test_garbage_is_no_frame_and_the_next_frame_is_whole(daemon, bus, garbage):
    daemon.say(garbage + b"< frame 182 1.0 0F >")
    frames = bus.receive_frames(1.0)
    if garbage.endswith(b">"):
        assert bus.health().bad_lines == 1
        assert "no message of the protocol" in bus.health().note
    assert frames == [Frame(0x182, b"\x0f")]


def test_python_can_alone_loses_what_comes_with_garbage(daemon):
    other = daemon.open(python_can(daemon))
    daemon.say(b"< frame zzz 1.0 00 >< frame 182 1.0 0F >")
    with pytest.raises(can.CanError, match="Failed to receive"):
        other.recv(1.0)
    other.shutdown()


class Silence:
    """A port on which nothing comes."""

    url, device = "test:", "test"

    def __init__(self, answers):
        self.answers = answers

    def read(self, timeout_s):
        return self.answers.pop(0) if self.answers else b""

    def write(self, data):
        pass

    def close(self):
        pass


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_any_bytes_are_frames_or_counted_in_bounded_memory(parts):
    opening = [b"< hi >", b"< ok >", b"< ok >"]
    bus = SocketcandBus(Silence([*opening, *parts]), "can0", lambda: 0.0)
    while bus._port.answers:
        for can_id, data in bus.receive_frames(0.0):
            assert 0 <= can_id <= 0x7FF
            assert len(data) <= 8
        assert len(bus._rest) <= 128
    bus._port.answers.append(b">< frame 181 1.0 37 >")
    assert bus.receive_frames(0.0)[-1] == Frame(0x181, b"\x37")


@pytest.mark.parametrize(
    ("text", "state"), [(b"040", BusState.BUS_OFF), (b"004", BusState.PASSIVE)]
)
def test_error_messages_become_health(daemon, bus, text, state):
    daemon.say(b"< error %s 1700000000.1 >< frame 182 1.0 0F >" % text)
    assert bus.receive_frames(1.0) == [Frame(0x182, b"\x0f")]
    assert bus.health().state is state
    assert bus.health().bad_lines == 0


def test_a_message_that_never_ends_takes_bounded_memory():
    opening = [b"< hi >", b"< ok >", b"< ok >"]
    bus = SocketcandBus(Silence([*opening, *[b"< frame " + b"0" * 1000] * 20]), "can0", lambda: 0.0)
    while bus._port.answers:
        assert bus.receive_frames(0.0) == []
        assert len(bus._rest) <= 128


@pytest.mark.parametrize("frame", [Frame(0x800, b""), Frame(-1, b""), Frame(1, bytes(9))])
def test_a_frame_that_cannot_be_is_refused(bus, frame):
    with pytest.raises(ValueError, match="identifiers are 0 to 7FFh"):
        bus.send_frames([frame])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"greeting": b"SSH-2.0-OpenSSH"}, "and b'SSH-2.0-OpenSSH' came"),
        ({"greeting": b""}, "and b'nothing' came"),
        ({"opened": b"< error no such bus >"}, "and b'< error no such bus >' came"),
        ({"opened": b""}, "within 0.05 s after b'< open can0 >', and b'nothing' came"),
        ({"raw": b""}, "within 0.05 s after b'< rawmode >', and b'nothing' came"),
    ],
)
def test_what_is_no_socketcand_is_refused_in_bounded_time(options, text):
    daemon = Socketcand(**options)

    def open_impatiently():
        port = open_tcp("127.0.0.1", daemon.port, daemon.url, now_s, shared=True)
        return SocketcandBus(port, "can0", now_s, answer_timeout_s=0.05)

    with pytest.raises(LinkError) as refusal:
        daemon.open(open_impatiently)
    assert str(refusal.value).startswith(f"{daemon.url}: 127.0.0.1:{daemon.port} is no socketcand")
    assert text in str(refusal.value)
    daemon.close()


def test_a_server_that_hangs_up_while_opening_is_refused():
    daemon = Socketcand()

    def hang_up():
        connection = daemon.listener.accept()[0]
        connection.close()

    thread = threading.Thread(target=hang_up)
    thread.start()
    with pytest.raises(LinkError, match="it closed the connection during the opening"):
        open_can(parse_link(daemon.url), bitrate=1_000_000, now_s=now_s)
    thread.join()
    daemon.close()


def test_nothing_there_is_named_and_the_lock_is_free_again(daemon):
    daemon.listener.close()
    for _ in range(2):
        with pytest.raises(LinkError, match=f"^{daemon.url}: nothing answers at 127.0.0.1"):
            open_can(parse_link(daemon.url), bitrate=1_000_000, now_s=now_s)


def test_a_second_controller_on_one_interface_is_refused(daemon, bus):
    with pytest.raises(LinkError, match=f"{daemon.url}: another controller has it"):
        open_can(parse_link(daemon.url), bitrate=1_000_000, now_s=now_s)
    bus.shutdown()
    bus.shutdown()
    daemon.connection.close()
    daemon.open().shutdown()

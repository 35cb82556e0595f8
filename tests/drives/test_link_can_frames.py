"""Buses of python-can behind the interface of the cycle: virtual, socketcand, socketcan."""

import os
import socket
import threading
from errno import EAFNOSUPPORT, ENETDOWN, ENOBUFS
from itertools import count

import can
import pytest
from slcan_peer import now_s

from drives.bank import LinkError, LinkLostError
from drives.can import library_bus as can_frames
from drives.can.frames import BusState, Frame
from drives.can.library_bus import PythonCanFrames, open_socketcan
from drives.links import open_can, parse_link

CYCLE = [*(Frame(0x200 + node, bytes(range(7))) for node in range(1, 7)), Frame(0x080, b"")]


@pytest.fixture
def pair():
    near = PythonCanFrames(can.Bus("pair", interface="virtual"), "virtual:pair", now_s)
    far = PythonCanFrames(can.Bus("pair", interface="virtual"), "virtual:pair", now_s)
    yield near, far
    near.shutdown()
    far.shutdown()


class FakeBus(can.BusABC):
    """A bus that says and does what the test wants."""

    def __init__(self, refusals=(), messages=()):
        self.refusals, self.messages, self.sent = list(refusals), list(messages), []
        self.channel_info = "fake bus"
        super().__init__("fake")

    def send(self, msg, timeout=None):
        assert timeout is not None
        assert 0.0 <= timeout <= 0.005
        if self.refusals:
            raise self.refusals.pop(0)
        self.sent.append(msg.arbitration_id)

    def _recv_internal(self, timeout):
        message = self.messages.pop(0) if self.messages else None
        if isinstance(message, Exception):
            raise message
        return message, False


def fake(now_s=now_s, **options):
    bus = FakeBus(**options)
    return bus, PythonCanFrames(bus, "fake:", now_s)


def ticking(step_s):
    """A clock that goes on by one step whenever it is asked, however slow the machine is."""
    ticks = count()
    return lambda: step_s * next(ticks)


def test_frames_pass_in_order(pair):
    near, far = pair
    near.send_frames(CYCLE)
    assert far.receive_frames(1.0) == CYCLE
    assert far.receive_frames(0.0) == []
    assert near.receive_frames(0.001) == []
    assert near.health().state is BusState.UNKNOWN


def test_a_frame_that_comes_while_waiting_is_returned(pair):
    near, far = pair
    timer = threading.Timer(0.02, near.send_frames, (CYCLE[:1],))
    timer.start()
    assert far.receive_frames(2.0) == CYCLE[:1]
    timer.join()


def test_after_the_end_every_call_says_so(pair):
    near, _ = pair
    near.shutdown()
    near.shutdown()
    for call in (lambda: near.send_frames(CYCLE), lambda: near.receive_frames(0.0)):
        with pytest.raises(LinkLostError, match="virtual:pair: the bus was closed"):
            call()


@pytest.mark.parametrize("frame", [Frame(0x800, b""), Frame(-1, b""), Frame(1, bytes(9))])
def test_a_batch_with_a_frame_that_cannot_be_is_not_sent_at_all(pair, frame):
    near, far = pair
    with pytest.raises(ValueError, match="identifiers are 0 to 7FFh"):
        near.send_frames([*CYCLE, frame])
    assert far.receive_frames(0.0) == []


def test_a_full_queue_is_waited_for_a_little():
    full = [can.CanOperationError("Failed to transmit", ENOBUFS) for _ in range(3)]
    bus, frames = fake(refusals=full, now_s=ticking(1e-4))
    frames.send_frames(CYCLE)
    assert bus.sent == [frame.can_id for frame in CYCLE]
    bus.shutdown()


def test_a_queue_that_stays_full_ends_the_link_in_bounded_time():
    full = [can.CanOperationError("Failed to transmit", ENOBUFS)] * 100
    bus, frames = fake(refusals=full, now_s=ticking(1e-4))
    with pytest.raises(LinkLostError, match="did not take a batch of frames within 5 ms"):
        frames.send_frames(CYCLE)
    assert len(bus.refusals) == pytest.approx(50, abs=2), "5 ms of 0.1 ms each"
    bus.shutdown()


@pytest.mark.parametrize(
    "error",
    [can.CanOperationError("Failed to transmit", ENETDOWN), OSError(ENETDOWN, "down")],
)
def test_an_interface_that_is_down_ends_the_link_at_once(error):
    bus, frames = fake(refusals=[error])
    with pytest.raises(LinkLostError, match="fake:: fake bus cannot be written"):
        frames.send_frames(CYCLE)
    assert bus.sent == []
    with pytest.raises(LinkLostError):
        frames.receive_frames(0.0)
    bus.shutdown()


def test_an_error_while_reading_ends_the_link():
    bus, frames = fake(messages=[None, can.CanOperationError("Error receiving", ENETDOWN)])
    with pytest.raises(LinkLostError, match="fake bus cannot be read: Error receiving"):
        frames.receive_frames(0.01)
    bus.shutdown()


def error_frame(kind, detail=0):
    data = bytes([0, detail, 0, 0, 0, 0, 0, 0])
    return can.Message(arbitration_id=kind, is_error_frame=True, is_extended_id=True, data=data)


@pytest.mark.parametrize(
    ("messages", "state", "overruns"),
    [
        ([error_frame(0x040)], BusState.BUS_OFF, 0),
        ([error_frame(0x004, 0x20)], BusState.PASSIVE, 0),
        ([error_frame(0x004, 0x10)], BusState.PASSIVE, 0),
        ([error_frame(0x004, 0x00)], BusState.PASSIVE, 0),
        ([error_frame(0x004, 0x08)], BusState.UNKNOWN, 0),
        ([error_frame(0x004, 0x01)], BusState.UNKNOWN, 1),
        ([error_frame(0x004, 0x02)] * 2, BusState.UNKNOWN, 2),
        ([error_frame(0x008)], BusState.UNKNOWN, 0),
        ([error_frame(0x040), error_frame(0x100)], BusState.ACTIVE, 0),
        ([error_frame(0x004, 0x20), error_frame(0x004, 0x40)], BusState.ACTIVE, 0),
        ([error_frame(0x044, 0x40)], BusState.BUS_OFF, 0),
    ],
)
def test_error_frames_become_health_and_are_not_delivered(messages, state, overruns):
    good = can.Message(arbitration_id=0x181, is_extended_id=False, data=b"\x01")
    bus, frames = fake(messages=[*messages, good])
    assert frames.receive_frames(0.1) == [Frame(0x181, b"\x01")]
    health = frames.health()
    assert (health.state, health.overruns) == (state, overruns)
    assert health.note.startswith("error frame ")
    bus.shutdown()


def test_frames_that_nobody_here_speaks_are_counted():
    others = [
        can.Message(arbitration_id=0x181, is_extended_id=True),
        can.Message(arbitration_id=0x181, is_extended_id=False, is_remote_frame=True),
        can.Message(arbitration_id=0x181, is_extended_id=False, is_fd=True),
    ]
    bus, frames = fake(messages=others)
    assert frames.receive_frames(0.001) == []
    assert frames.health().other_frames == 3
    bus.shutdown()


def test_a_kernel_without_can_is_told_what_to_do(monkeypatch):
    def refuse(channel):
        raise OSError(EAFNOSUPPORT, os.strerror(EAFNOSUPPORT))

    monkeypatch.setattr(can_frames, "SocketcanBus", refuse)
    with pytest.raises(LinkError) as refusal:
        open_can(parse_link("socketcan:can0"), bitrate=500_000, now_s=now_s)
    text = str(refusal.value)
    assert text.startswith("socketcan:can0: cannot open CAN interface can0: [Errno 97]")
    assert "this kernel has no CAN" in text
    assert text.endswith("`ip link set can0 up type can bitrate 500000`")


def test_an_interface_that_does_not_exist_is_refused():
    with pytest.raises(LinkError, match=r"^socketcan:nocan9: cannot open CAN interface nocan9: "):
        open_socketcan("nocan9", "socketcan:nocan9", bitrate=1_000_000, now_s=now_s)


def test_an_interface_that_is_down_is_refused_when_it_is_opened(monkeypatch):
    bus = FakeBus(messages=[can.CanOperationError("Error receiving: down", ENETDOWN)])
    monkeypatch.setattr(can_frames, "SocketcanBus", lambda channel: bus)
    with pytest.raises(LinkError, match="the interface is down; then `ip link set can0 up"):
        open_socketcan("can0", "socketcan:can0", bitrate=1_000_000, now_s=now_s)
    assert bus._is_shutdown


def test_the_socket_of_a_socketcan_is_waited_on(monkeypatch):
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    bus = FakeBus()
    bus.socket = near
    monkeypatch.setattr(can_frames, "SocketcanBus", lambda channel: bus)
    frames = open_socketcan("can0", "socketcan:can0", bitrate=1_000_000, now_s=now_s)
    assert frames.receive_frames(0.01) == []
    bus.messages = [None, can.Message(arbitration_id=0x181, is_extended_id=False)]
    far.send(b"x")
    assert frames.receive_frames(5.0) == [Frame(0x181, b"")]
    frames.shutdown()
    near.close()
    far.close()

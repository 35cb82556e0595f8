"""Frames of joint values on the wire: bytes by hand, a real socket, a clock of the test's own."""

import math
import socket
import struct

import numpy as np
import pytest
from udp_user import know_at_once

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.commands.send import send_frames
from hil.stations.world.sources.frame_stream import FrameStream
from hil.stations.world.sources.joint_frames import JointFrame, read_frame
from hil.timing.clock import VirtualClock
from sim.devices.arm.exoskeleton import JOINTS, Exoskeleton, Silence, angles_rad

WHOLE = bytes.fromhex(
    "48494c4a" "0100" "0200" "0700000000000000" "000000000000f83f"
    "000000000000e03f" "00000000000000c0"
)  # fmt: skip
"""Two values, 0.5 and -2, number 7 at 1.5 s; by IEEE 754 and hand."""


@pytest.fixture(autouse=True)
def _known_at_once(monkeypatch):
    know_at_once(monkeypatch)


def test_the_bytes_are_those_of_the_page():
    assert read_frame(WHOLE, 2) == JointFrame(7, 1.5, (0.5, -2.0))


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_frame_cut_anywhere_is_none(length):
    assert read_frame(WHOLE[:length], 2) == "truncated"


@pytest.mark.parametrize(
    ("data", "count", "why"),
    [
        (b"HILK" + WHOLE[4:], 2, "no frame"),
        (WHOLE[:4] + b"\x02" + WHOLE[5:], 2, "other version"),
        (WHOLE, 3, "wrong count"),
        (WHOLE + b"\0", 2, "too long"),
        (WHOLE[:6] + b"\xff\xff" + WHOLE[8:], 2, "wrong count"),
        *[
            (WHOLE[:at] + struct.pack("<d", value) + WHOLE[at + 8 :], 2, "not finite")
            for at in (16, 24, 32)
            for value in (math.nan, math.inf, -math.inf)
        ],
    ],
    ids=range(14),
)
def test_what_is_not_exactly_a_frame_is_none(data, count, why):
    assert read_frame(data, count) == why


def frame(number, stamp_s, *values):
    return struct.pack(f"<4sHHQd{len(values)}d", b"HILJ", 1, len(values), number, stamp_s, *values)


class ReceivedRequest:
    """A stream on a port of loopback, its clock, and whoever sends to it."""

    def __init__(self, count=2):
        self.t_s = 100.0
        self.stream = FrameStream("127.0.0.1:0", count, 0.1, lambda: self.t_s)
        self.senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]

    def send(self, data, who=0):
        self.senders[who].sendto(data, self.stream.address)

    def values(self):
        found = self.stream.values(0.0)
        return None if found is None else found.tolist()

    def close(self):
        for one in (self.stream, *self.senders):
            one.close()


@pytest.fixture
def heard():
    made = ReceivedRequest()
    yield made
    made.close()


def test_the_newest_frame_counts_until_it_is_too_old(heard):
    assert heard.values() is None
    heard.send(frame(1, 0.0, 0.1, 0.2))
    heard.send(frame(2, 0.1, 0.3, 0.4))
    assert heard.values() == [0.3, 0.4]
    heard.t_s += 0.0999
    assert heard.values() == [0.3, 0.4]
    heard.t_s += 0.0002
    assert heard.values() is None
    heard.send(frame(3, 0.2, 0.5, 0.6))
    assert heard.values() == [0.5, 0.6]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (frame(6, 2.0, 9.0, 9.0), "old"),
        (frame(5, 2.0, 9.0, 9.0), "old"),
        (frame(8, 1.0, 9.0, 9.0), "old"),
        (frame(8, 2.0, 9.0), "wrong count"),
        (frame(8, 2.0, 9.0, math.nan), "not finite"),
        (frame(8, 2.0, 9.0, 9.0)[:-1], "truncated"),
        (frame(8, 2.0, 9.0, 9.0) + b"1", "too long"),
        (b"", "truncated"),
        (b"G" * 2000, "no frame"),
    ],
    ids=range(9),
)
def test_what_must_not_move_is_dropped_and_counted_and_keeps_nothing_alive(heard, data, why):
    heard.send(frame(6, 1.0, 0.1, 0.2))
    assert heard.values() == [0.1, 0.2]
    heard.t_s += 0.08
    heard.send(data)
    assert heard.values() == [0.1, 0.2]
    assert heard.stream.counts == {"taken": 1, why: 1}
    heard.t_s += 0.03
    assert heard.values() is None


def test_one_sender_leads_for_the_whole_run_unless_a_person_chooses_another(heard):
    heard.send(frame(1, 1.0, 0.1, 0.2), 0)
    assert heard.values() == [0.1, 0.2]
    heard.send(frame(50, 50.0, 9.0, 9.0), 1)
    assert heard.values() == [0.1, 0.2]
    assert heard.stream.counts["other sender"] == 1
    heard.stream.choose()  # it is not silent
    for number in range(40):
        heard.t_s += 0.2
        heard.send(frame(number, 60.0 + number, 0.7, 0.8), 1)
        assert heard.values() is None
    heard.stream.choose()
    heard.send(frame(1, 60.0, 0.7, 0.8), 1)
    assert heard.values() == [0.7, 0.8]


def test_after_a_silence_a_sender_begins_anew_with_a_later_stamp_only(heard):
    heard.send(frame(900, 9.0, 0.1, 0.2))
    heard.values()
    heard.t_s += 0.2
    heard.send(frame(901, 8.99, 9.0, 9.0))  # was delayed on its way
    assert heard.values() is None
    heard.send(frame(0, 9.5, 0.3, 0.4))
    assert heard.values() == [0.3, 0.4]


def test_a_flood_costs_no_more_than_a_bounded_look(heard):
    for number in range(1, 151):
        heard.send(frame(number, float(number), 0.0, float(number)))
    looks = [heard.values()[1] for _ in range(3)]
    assert looks == [64.0, 128.0, 150.0]


def test_what_was_dropped_is_told_once_a_second_and_all_of_it_at_the_end(heard):
    for _ in range(3):
        heard.send(b"no")
        heard.values()
    (one,) = heard.stream.news()
    assert one.text == "frames dropped: 3 truncated"
    assert one.warning
    heard.send(b"no")
    heard.values()
    assert heard.stream.news() == ()
    heard.t_s += 1.0
    assert heard.stream.news()[0].text == "frames dropped: 1 truncated"
    heard.stream.close()
    assert heard.stream.news()[0].data == {"truncated": 4}


@pytest.mark.parametrize("address", ["localhost:5577", "127.0.0.1", "127.0.0.1:x", ":1",
                                     "127.0.0.1:70000", "192.0.2.1:5577"])  # fmt: skip
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(RefusedError, match=r"such as 127\.0\.0\.1:5577"):
        FrameStream(address, 2, 0.1, float)


def test_a_port_that_somebody_has_is_refused(heard):
    address = "{}:{}".format(*heard.stream.address)
    with pytest.raises(RefusedError, match="in use"):
        FrameStream(address, 2, 0.1, float)


def test_the_suit_says_the_same_bytes_for_the_same_seed():
    first, second, other = (Exoskeleton(60.0, seed) for seed in (3, 3, 4))
    frames = [first.frame() for _ in range(50)]
    assert frames == [second.frame() for _ in range(50)]
    assert frames != [other.frame() for _ in range(50)]
    times = [read_frame(one, len(JOINTS)).stamp_s for one in frames]
    np.testing.assert_allclose(times, np.arange(50) / 60.0, atol=1e-12)


def test_what_the_suit_sends_is_what_the_reader_reads():
    suit = Exoskeleton(50.0, 0)
    read = [read_frame(suit.frame(1000.0), 26) for _ in range(400)]
    assert [one.number for one in read] == list(range(400))
    true = np.array([angles_rad(0.02 * number) for number in range(400)])
    noise = np.array([one.values for one in read]) - true
    assert np.degrees(noise.std()) == pytest.approx(0.05, rel=0.05)
    assert np.degrees(np.ptp(true, axis=0)).min() > 20.0
    assert np.abs(true[0]).max() == 0.0


def test_the_verb_sends_at_its_rate_and_keeps_its_silences(heard):
    heard.close()
    heard.__init__(26)
    to = "{}:{}".format(*heard.stream.address)
    suit = Exoskeleton(100.0, 0, [Silence(0.045, 0.1)])
    assert send_frames(suit, to, VirtualClock(), 0.3, lambda: False) == 20
    again = Exoskeleton(100.0, 0)
    wanted = [again.frame(0.0) for _ in range(30)]
    got = [heard.stream._socket.recv(4096) for _ in range(20)]
    assert got == wanted[:5] + wanted[15:]


@pytest.mark.parametrize("to", ["nowhere", "127.0.0.1:", "a.example:5"])
def test_the_verb_takes_addresses_only(to):
    with pytest.raises(ConfigError, match=r"such as 127\.0\.0\.1:5577"):
        send_frames(Exoskeleton(60.0, 0), to, VirtualClock(), 0.1, lambda: False)

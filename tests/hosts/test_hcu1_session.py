"""Signed frames of HCU1: what was captured is worth nothing, in no run, not even in its own."""

import socket
import struct
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from hcu1_bytes import NO_NONCE, SignedSender, frame, mac

from hil.config.file_search import configs_dir
from hil.hosts.kind import Packet, Refused
from hil.hosts.link import HostLink, Listening
from hil.hosts.maps import load_map
from hil.hosts.wires.hcu1 import Hcu1Codec
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host_source import HostSource, SocketWire
from sim.hosts.wires.hcu1 import Binary

KEY = b"0123456789abcdef0123456789abcdef"
NONCE = bytes(range(16))
PERIOD_S = 1 / 60
HOST = ("127.0.0.1", 50_000)
SIGNED = bytes.fromhex(
    "48435531021070000700000015cd5b0700000000cdcccc3dcdcc4cbecdcc1cc1"
    + "00" * 24 + "0000803f" + "00" * 12 + "0000f041" + "00" * 29 + "408fc0e53dfdef"
    + "ae0b3cf7066bf25f07ace42405f54dba"
)  # fmt: skip
"""Version 2 of the golden frame, signed for `NONCE`: CRC-32 of zlib's, HMAC of openssl's."""
CHALLENGE = bytes.fromhex(
    "484355430200280000010203" "0405060708090a0b0c0d0e0f" "71aa3014d034feb7c04f801377ae6232"
)  # fmt: skip


@pytest.fixture(autouse=True)
def _stamps_of_the_test_s_clock(monkeypatch):
    """The kernel's stamps are of real time: without them a packet came when it was taken."""
    monkeypatch.setattr("hil.hosts.link.kernel_lead_s", lambda now_s: 3600.0)


def codec_of(*nonces):
    """A codec whose nonces are known."""
    left = list(nonces)
    codec = Hcu1Codec(KEY, bytes)
    codec._nonce_for = lambda sender: left.pop(0) if left else b"x" * 16
    return codec


def heard(codec, datagram, sender=HOST):
    """What a codec takes a datagram of a sender for."""
    return codec.decode_from(datagram, sender)


def test_the_golden_frame_and_challenge_are_those_of_the_page():
    codec = codec_of(NONCE)
    told = heard(codec, SIGNED)
    assert isinstance(told, Packet)
    assert told.sequence == 7
    assert told.state.f_m_s2 == pytest.approx((0.1, -0.2, -9.8), rel=1e-7)
    assert codec_of(NONCE).challenge(0.0, HOST) == CHALLENGE
    assert SIGNED[-16:] == mac(KEY, NONCE + SIGNED[:112])
    assert CHALLENGE[-16:] == mac(KEY, CHALLENGE[:24])


def test_any_flipped_bit_is_refused():
    for bit in range(8 * len(SIGNED)):
        flipped = bytearray(SIGNED)
        flipped[bit // 8] ^= 1 << bit % 8
        assert isinstance(heard(codec_of(NONCE), bytes(flipped)), Refused), bit


def test_a_sender_is_followed_once_it_has_taken_the_challenge():
    codec, sender = Hcu1Codec(KEY), SignedSender(KEY)
    assert heard(codec, sender.signed(1, 0.0)) is Refused.SIGNATURE
    assert sender.take(codec.challenge(0.0, HOST))
    assert isinstance(heard(codec, sender.signed(2, 0.1)), Packet)


def test_what_an_earlier_run_captured_is_refused_by_the_next():
    first, sender = Hcu1Codec(KEY), SignedSender(KEY)
    sender.take(first.challenge(0.0, HOST))
    captured = [sender.signed(number, number * PERIOD_S) for number in range(1, 100)]
    assert all(isinstance(heard(first, one), Packet) for one in captured)
    second = Hcu1Codec(KEY)
    for _ in range(2):
        assert {heard(second, one) for one in captured} == {Refused.SIGNATURE}
        second.challenge(100.0, HOST)  # whoever replays cannot answer it
    sender.take(second.challenge(200.0, HOST))  # the true one, which went on sending, can
    assert isinstance(heard(second, sender.signed(100, 2.0)), Packet)
    assert {heard(second, one) for one in captured} == {Refused.SIGNATURE}


def test_what_was_captured_earlier_in_a_run_is_refused_in_it():
    codec, sender = Hcu1Codec(KEY), SignedSender(KEY)
    sender.take(codec.challenge(0.0, HOST))
    captured = [sender.signed(number, number * PERIOD_S) for number in range(300)]
    assert all(isinstance(heard(codec, one), Packet) for one in captured)
    assert {heard(codec, one) for one in captured} == {Refused.SESSION}
    assert isinstance(heard(codec, sender.signed(300, 5.0)), Packet)


def test_a_sender_that_begins_anew_has_a_new_session_and_the_old_one_is_over():
    codec, sender = Hcu1Codec(KEY), SignedSender(KEY)
    sender.take(codec.challenge(0.0, HOST))
    captured = [sender.signed(number, 0.0) for number in range(5)]
    assert all(isinstance(heard(codec, one), Packet) for one in captured)
    again = SignedSender(KEY)
    assert heard(codec, again.signed(0, 0.0)) is Refused.SIGNATURE
    assert isinstance(heard(codec, sender.signed(5, 0.0)), Packet)  # until the new one begins
    again.take(codec.challenge(1.0, HOST))
    assert isinstance(heard(codec, again.signed(1, 0.0)), Packet)
    assert heard(codec, sender.signed(6, 0.0)) is Refused.SIGNATURE
    assert {heard(codec, one) for one in captured} == {Refused.SIGNATURE}


def test_what_another_sender_signed_is_worth_nothing_for_this_one():
    """Two are told of the next session; what the other one signed for it begins none elsewhere."""
    codec, one, other = Hcu1Codec(KEY), SignedSender(KEY), SignedSender(KEY)
    another = ("10.0.0.9", 5)
    one.take(codec.challenge(0.0, HOST))
    other.take(codec.challenge(0.0, another))
    assert one.nonce != other.nonce
    captured = [other.signed(number, 0.0) for number in range(10)]
    assert heard(codec, captured[0]) is Refused.SIGNATURE
    assert isinstance(heard(codec, one.signed(0, 0.0)), Packet)
    assert {heard(codec, data) for data in captured} == {Refused.SIGNATURE}
    assert {heard(codec, data, another) for data in captured} == {Refused.SIGNATURE}


def test_what_was_signed_and_not_used_is_worth_nothing_once_another_may_lead():
    codec, sender = Hcu1Codec(KEY), SignedSender(KEY)
    sender.take(codec.challenge(0.0, HOST))
    codec.end_session()
    assert heard(codec, sender.signed(1, 0.0)) is Refused.SIGNATURE
    assert sender.take(codec.challenge(1.0, HOST))
    assert isinstance(heard(codec, sender.signed(2, 0.0)), Packet)


def test_a_sequence_wraps_within_a_session():
    codec, sender = Hcu1Codec(KEY), SignedSender(KEY)
    sender.take(codec.challenge(0.0, HOST))
    for number in (2**32 - 2, 2**32 - 1, 0, 1):
        assert isinstance(heard(codec, sender.signed(number, 0.0)), Packet)
    assert heard(codec, sender.signed(2**32 - 1, 0.0)) is Refused.SESSION
    assert heard(codec, sender.signed(1 + 2**31, 0.0)) is Refused.SESSION


def test_challenges_are_few_for_a_sender_and_need_a_key():
    codec = Hcu1Codec(KEY)
    told = [codec.challenge(0.004 * number, HOST) for number in range(250)]
    assert 9 <= sum(one is not None for one in told) <= 11
    assert Hcu1Codec().challenge(0.0, HOST) is None


@pytest.mark.parametrize("strangers", [1, 63, 64, 1000])
def test_strangers_without_the_key_keep_no_sender_from_its_challenge(strangers):
    codec, sender = Hcu1Codec(KEY), SignedSender(KEY)
    unsigned = SignedSender(b"another key, of 32 bytes or more").signed(1, 0.0)
    for cycle in range(1000):
        t_s = 0.002 * cycle
        for one in range(16 * cycle, 16 * cycle + 16):
            assert heard(codec, unsigned) is Refused.SIGNATURE
            codec.challenge(t_s, ("10.0.0.9", 1 + one % strangers))
        if cycle % 8 == 0:
            told = heard(codec, sender.signed(cycle, t_s))
            if isinstance(told, Packet):
                break
            answer = codec.challenge(t_s, HOST)
            assert answer is None or sender.take(answer)
    assert t_s < 0.05


def test_of_very_many_senders_few_are_kept():
    codec = Hcu1Codec(KEY)
    for port in range(1, 64):
        assert codec.challenge(0.0, ("10.0.0.9", port)) is not None
    assert codec.challenge(0.0, HOST) is not None
    assert codec.challenge(0.0, HOST) is None
    tracemalloc.start()
    for port in range(20_000):
        assert codec.challenge(0.0, ("10.0.0.8", port)) is not None
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000
    assert codec.challenge(0.0, HOST) is not None


def telemetry(number):
    """What an emulated simulator shows in its moment of a number."""
    from sim.hosts.telemetry import Telemetry
    from sim.hosts.vehicle_motion import VehicleMotion

    motion = VehicleMotion(
        (0.1, -0.2, -9.8), (0.0,) * 3, (0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (30.0, 0.0, 0.0),
        (0.0, 0.0, -1000.0),
    )  # fmt: skip
    return Telemetry(motion, 0.123456789, number)


def test_the_emulated_simulator_takes_only_a_whole_challenge_of_its_key():
    wire = Binary(KEY)

    def signature():
        return wire.pack(telemetry(7))[0].data[-16:]

    for wrong in (
        CHALLENGE[:-1], CHALLENGE + b"\0", b"HCUX" + CHALLENGE[4:], CHALLENGE[:-1] + b"\0",
        CHALLENGE[:24] + mac(b"another key, of 32 bytes or more", CHALLENGE[:24]), b"",
    ):  # fmt: skip
        wire.receive(wrong, "bench")
        assert signature() == mac(KEY, NO_NONCE + SIGNED[:112])
    wire.receive(CHALLENGE, "bench")
    assert wire.pack(telemetry(7))[0].data == SIGNED
    wire.restart()
    assert signature() == mac(KEY, NO_NONCE + SIGNED[:112])


class Run:
    """One run of the bench that follows signed frames on a socket, and whatever is sent to it."""

    def __init__(self):
        kind, map_ = load_map(configs_dir() / "hosts" / "hcu1.toml")
        self.t_s = 100.0
        self.link = HostLink(Listening(signed=True), lambda: self.t_s)
        around = Surroundings(Path("ride.toml"), 0.004, False, 0, lambda: self.t_s)
        map_ = map_.model_copy(update={"key": KEY})
        self.source = HostSource(kind, map_, SocketWire(self.link, None), around)
        self.captured = []

    def close(self):
        self.link.close()

    def send(self, out, data):
        self.captured.append(data)
        out.sendto(data, self.link.address)
        heard = self.source.poll(self.t_s)
        self.t_s += PERIOD_S
        return heard

    def ride(self, out, sender, frames, begin=0):
        for number in range(begin, begin + frames):
            force = (0.01 * (number % 9), 0.0, -9.8)
            heard = self.send(out, sender.signed(number, number * PERIOD_S, f=force))
            answer = receive(out)
            if answer:
                assert sender.take(answer)
        return heard


def udp():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.setblocking(False)
    return closing(made)


def receive(out):
    try:
        return out.recv(100)
    except BlockingIOError:
        return b""


def test_a_captured_ride_is_ridden_in_no_run_from_no_port():
    with udp() as out, udp() as thief:
        with closing(Run()) as first:
            heard = first.ride(out, SignedSender(KEY), 120)
            assert heard.packets > 100
            captured = list(first.captured)
            for whose in (thief, out):
                for data in captured:
                    assert first.send(whose, data).packets == heard.packets
        for whose in (thief, out):
            with closing(Run()) as second:
                for data in captured:
                    heard = second.send(whose, data)
                assert (heard.packets, heard.state, second.link.owner) == (0, None, None)


def test_a_host_that_runs_on_while_the_bench_begins_anew_is_followed_again():
    sender = SignedSender(KEY)
    with udp() as out:
        for number in range(3):
            with closing(Run()) as run:
                assert run.ride(out, sender, 60, begin=100 * number).packets > 50


def test_an_unsigned_wire_is_as_it_was():
    assert isinstance(Hcu1Codec().decode(frame(1, 0.0)), Packet)
    assert Hcu1Codec().decode(frame(1, 0.0, version=2)) is Refused.VERSION
    assert struct.unpack_from("<B", frame(1, 0.0), 4) == (1,)

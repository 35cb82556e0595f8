"""Who leads in copy mode, and which frames are newer: other users, wrong stamps, new starts."""

import math
import os
import random
import socket
import struct
from contextlib import closing

import pytest
from udp_user import NOBODY, know_at_once, needs_root, other_user

from hil.stations.world.sources.copy_source import HeldStream
from hil.stations.world.sources.frame_stream import FrameStream

PERIOD_S = 1 / 60


def frame(number, stamp_s, *values):
    return struct.pack(f"<4sHHQd{len(values)}d", b"HILJ", 1, len(values), number, stamp_s, *values)


def udp(port=0):
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", port))
    return made


class Stream:
    """A stream on a port of loopback, and a clock of the test's own."""

    def __init__(self, **more):
        self.t_s = 100.0
        self.stream = FrameStream("127.0.0.1:0", 1, 0.1, lambda: self.t_s, **more)

    def value(self):
        found = self.stream.values(0.0)
        self.t_s += PERIOD_S
        return None if found is None else float(found[0])

    def close(self):
        self.stream.close()


@pytest.fixture(autouse=True)
def _known_at_once(monkeypatch):
    know_at_once(monkeypatch)


@pytest.fixture
def heard():
    with closing(Stream()) as made:
        yield made


@pytest.fixture
def suit():
    with closing(udp()) as made:
        yield made


@needs_root
def test_another_user_leads_neither_first_nor_after_a_silence_nor_by_hold_to_run(heard, suit):
    held = [True]
    stream = HeldStream(heard.stream, lambda: held[0], heard.stream.choose)
    with other_user() as other:
        for number in range(20):
            other.send(frame(number, 0.1 * number, 9.0), heard.stream.address)
            assert heard.value() is None
        assert heard.stream.counts["other user"] == 20
        (news,) = heard.stream.news()
        assert f"127.0.0.1:{other.port} (user {NOBODY})" in news.text
        suit.sendto(frame(1, 1.0, 0.5), heard.stream.address)
        assert heard.value() == 0.5
        for silence_s in (0.05, 0.2, 3.0):
            heard.t_s += silence_s
            other.send(frame(5000, 1e6, 9.0), heard.stream.address)
            assert heard.value() in (None, 0.5)
        for now_held in (False, True):
            held[0] = now_held
            other.send(frame(6000, 2e6, 9.0), heard.stream.address)
            assert stream.values(0.0) is None
        suit.sendto(frame(2, 1.1, 0.6), heard.stream.address)
        assert heard.value() == 0.6


@needs_root
def test_another_user_under_the_leader_s_address_or_the_stream_s_own_moves_nothing_for_long(
    heard, suit
):
    with other_user() as other:
        other.bind(heard.stream.address[1], host="127.0.0.2")
        for number in range(20):
            other.forge(frame(number, 0.1 * number, 9.0), heard.stream.address)
            assert heard.value() is None
        suit.sendto(frame(1, 1.0, 0.5), heard.stream.address)
        assert heard.value() == 0.5
        other.bind(suit.getsockname()[1], host="127.0.0.2")
        followed = []
        for number in range(240):
            other.forge(frame(100 + number, 2.0 + number * PERIOD_S, 9.0), heard.stream.address)
            followed.append(heard.value() is not None)
        assert sum(followed) <= 16, "a quarter of a second"


def test_holding_anew_takes_another_sender_where_the_first_is_silent(heard, suit):
    held = [True]
    stream = HeldStream(heard.stream, lambda: held[0], heard.stream.choose)

    def values():
        found = stream.values(0.0)
        return None if found is None else float(found[0])

    with closing(udp()) as second:
        suit.sendto(frame(1, 500.0, 0.5), heard.stream.address)
        assert values() == 0.5
        held[0] = False
        values()
        held[0] = True
        second.sendto(frame(1, 1.0, 0.7), heard.stream.address)
        assert values() == 0.5  # not silent: nothing is chosen
        heard.t_s += 0.7
        second.sendto(frame(2, 1.1, 0.7), heard.stream.address)
        assert values() is None
        held[0] = False
        assert values() is None
        held[0] = True
        second.sendto(frame(3, 1.2, 0.8), heard.stream.address)
        assert values() == 0.8


WRONG = [1e300, -1e300, math.inf, math.nan, 1e11, 9e9, 1e7, 700.0, -5.0, -1e9]


@pytest.mark.parametrize("first", [True, False], ids=["as the first", "in the middle"])
@pytest.mark.parametrize("stamp_s", WRONG)
def test_one_wrong_stamp_locks_nobody_out(heard, suit, stamp_s, first):
    followed = []
    for number in range(60):
        wrong = number == (0 if first else 20)
        stamp = stamp_s if wrong else 50.0 + number * PERIOD_S
        suit.sendto(frame(number, stamp, 100.0 if wrong else float(number)), heard.stream.address)
        followed.append(heard.value())
    missing = [number for number, one in enumerate(followed[1:], 1) if one != float(number)]
    assert followed[-1] == 59.0
    assert len(missing) <= 15, "a quarter of a second"


@pytest.mark.parametrize("number", [2**64 - 1, 2**63])
def test_one_wrong_number_locks_nobody_out(heard, suit, number):
    suit.sendto(frame(number, 50.0, 0.0), heard.stream.address)
    heard.value()
    for at in range(1, 30):
        suit.sendto(frame(at, 50.0 + at * PERIOD_S, float(at)), heard.stream.address)
        last = heard.value()
    assert last == 29.0


def test_a_sender_that_begins_anew_from_0_is_followed_within_a_quarter_of_a_second(heard, suit):
    for number in range(30):
        suit.sendto(frame(900 + number, 900.0 + number * PERIOD_S, 1.0), heard.stream.address)
        assert heard.value() == 1.0
    heard.t_s += 1.0
    for number in range(60):
        suit.sendto(frame(number, number * PERIOD_S, 2.0), heard.stream.address)
        if heard.value() == 2.0:
            break
    assert number * PERIOD_S < 0.25


def test_old_frames_that_come_in_a_bundle_are_no_new_beginning(heard, suit):
    bundle = [frame(number, number * PERIOD_S, 9.0) for number in range(60)]
    suit.sendto(frame(900, 900.0, 1.0), heard.stream.address)
    assert heard.value() == 1.0
    heard.t_s += 5.0
    for data in bundle:
        suit.sendto(data, heard.stream.address)
    for _ in range(30):
        assert heard.value() is None
    assert heard.stream.counts["old"] == 60


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_sent_only_fresh_frames_of_the_one_that_leads_are_shown(seed):
    """Two senders of this user and one of another, silences, replays, holding anew, in any order.

    Values rise from frame to frame, so that one that falls was sent before a newer one.
    """
    draw, uids = random.Random(seed), {}
    with (
        closing(udp()) as a, closing(udp()) as b, closing(udp()) as c,
        closing(Stream(owners=lambda sender: frozenset({uids[sender]}))) as heard,
    ):  # fmt: skip
        senders = {"a": a, "b": b, "c": c}
        ids = {"a": 1, "b": 2, "c": 3}
        uids.update({one.getsockname(): os.geteuid() for one in (a, b)})
        uids[c.getsockname()] = NOBODY
        leads, number, sent, shown, used_s = None, 0, [], -1.0, -math.inf

        def look(whose):
            nonlocal leads, shown, used_s
            at_s = heard.t_s
            value = heard.value()
            if value is None or value == shown:
                return
            assert value > shown, "what is older moved it"
            assert whose != "c"
            assert leads in (None, whose), f"{whose} moved it, where {leads} leads"
            leads, shown, used_s = whose, value, at_s

        for _ in range(400):
            name = draw.choice("aabbc")
            match draw.choice(["send"] * 5 + ["replay", "silence", "choose"]):
                case "send":
                    for _ in range(draw.choice([1, 3, 12])):
                        number += 1
                        value = 10.0 * number + ids[name]
                        sent.append(frame(number, heard.t_s - 90.0, value))
                        senders[name].sendto(sent[-1], heard.stream.address)
                        look(name)
                case "replay" if sent:
                    at = draw.randrange(len(sent))
                    for data in sent[at : at + 4]:
                        senders[name].sendto(data, heard.stream.address)
                        look(name)
                case "silence":
                    heard.t_s += draw.choice([0.05, 0.3, 0.7, 20.0])
                    look("c")
                case "choose":
                    if heard.t_s - used_s > 0.5 and leads is not None:
                        leads, shown = None, -1.0
                        sent.clear()  # what leads next may send what it likes
                    heard.stream.choose()
                case _:
                    pass
        heard.t_s += 1.0
        heard.stream.choose()
        a.sendto(frame(number + 1, heard.t_s - 90.0, 1e6), heard.stream.address)
        assert heard.value() == 1e6

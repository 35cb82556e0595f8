"""Who is followed: one sender of this user for the whole run, whatever others send, and when."""

import contextlib
import math
import os
import random
import socket
from collections import Counter
from pathlib import Path

import pytest
from campaign import share_of
from hcu1_bytes import SignedSender, frame
from udp_user import NOBODY, answer_at_once, closing_reported, know_at_once, needs_root, other_user

from hil.config.file_search import configs_dir
from hil.hosts.link import HostLink, Listening
from hil.hosts.maps import load_map
from hil.hosts.watch.states import Cause, HostState
from hil.stations.simulator.chain.companion import _wait_for
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host_source import HostSource, SocketWire

PERIOD_S = 1 / 60
SIGNED = b"a key of thirty-two bytes, no less"


@pytest.fixture(autouse=True)
def _stamps_of_the_test_s_clock(monkeypatch):
    """The kernel's stamps are of real time: without them a packet came when it was taken."""
    monkeypatch.setattr("hil.hosts.link.kernel_lead_s", lambda now_s: 3600.0)
    know_at_once(monkeypatch)


class Clock:
    t_s = 100.0

    def now_s(self):
        return self.t_s


def udp(port=0, *, reuse=False):
    """A socket of this user on loopback."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setblocking(False)
    if reuse:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    return made


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def link(clock):
    with contextlib.closing(HostLink(Listening(), clock.now_s)) as made:
        yield made


def taken(link):
    """What came through, each sender of it bound as a codec that understands all would."""
    found = link.drain()
    for one in found:
        link.own(one.sender)
    return [one.data for one in found]


@needs_root
def test_another_user_who_sends_first_is_not_followed_and_is_named(link, clock):
    with other_user() as other, contextlib.closing(udp()) as ours:
        for _ in range(20):
            other.send(b"theirs", link.address)
            assert taken(link) == []
            clock.t_s += PERIOD_S
        assert link.owner is None
        assert f"127.0.0.1:{other.port} (user {NOBODY})" in link.other
        assert "another user's" in link.other
        assert f"user {os.geteuid()} (you)" in link.other
        ours.sendto(b"ours", link.address)
        other.send(b"theirs", link.address)
        assert taken(link) == [b"ours"]


@needs_root
def test_another_user_does_not_lead_after_any_silence_nor_by_a_person_s_act(link, clock):
    with other_user() as other, contextlib.closing(udp()) as ours:
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]
        for silence_s in (0.05, 0.2, 0.6, 5.0, 600.0):
            clock.t_s += silence_s
            other.send(b"theirs", link.address)
            assert taken(link) == []
        assert link.choose()
        other.send(b"theirs", link.address)
        assert taken(link) == []
        assert f"user {NOBODY}" in link.other


@needs_root
def test_another_user_who_takes_the_port_of_a_host_that_died_is_not_followed(link, clock):
    with other_user() as other, contextlib.closing(udp()) as ours:
        port = ours.getsockname()[1]
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]
        ours.close()
        clock.t_s += 0.12
        other.bind(port)
        for _ in range(60):
            other.send(b"theirs", link.address)
            assert taken(link) == []
            clock.t_s += PERIOD_S
        other.close()
        taken(link)
        with contextlib.closing(udp(port)) as again:  # the same sender comes back
            clock.t_s += 1.1
            again.sendto(b"ours", link.address)
            assert taken(link) == [b"ours"]


@needs_root
def test_another_user_who_shares_the_port_of_a_host_is_found_within_a_quarter_of_a_second(
    link, clock
):
    with other_user() as other, contextlib.closing(udp(reuse=True)) as ours:
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]
        other.bind(ours.getsockname()[1], reuse=True)
        came_s = clock.t_s
        while clock.t_s < came_s + 1.0:
            clock.t_s += PERIOD_S
            other.send(b"theirs", link.address)
            if taken(link):
                assert clock.t_s < came_s + 0.25 + PERIOD_S
        assert str(NOBODY) in link.other
        other.close()
        taken(link)
        clock.t_s += 1.1
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]


@needs_root
def test_another_user_under_the_address_that_is_listened_on_leads_never(link, clock):
    with other_user() as other, contextlib.closing(udp()) as ours:
        other.bind(link.address[1], host="127.0.0.2")
        for _ in range(120):
            other.forge(b"theirs", link.address)
            assert taken(link) == []
            clock.t_s += PERIOD_S
        assert (link.owner, link.foreign) == (None, 120)
        assert "it bears the address that is listened on" in link.other
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]


@needs_root
@pytest.mark.parametrize("host", ["127.0.0.2", "127.255.255.254"])
def test_another_user_under_the_address_of_an_own_program_does_not_lead_first(link, clock, host):
    with (
        other_user() as other,
        contextlib.closing(udp()) as idle,
        contextlib.closing(udp()) as ours,
    ):
        other.bind(idle.getsockname()[1], host=host)
        for _ in range(120):
            other.forge(b"theirs", link.address)
            assert taken(link) == []
            clock.t_s += PERIOD_S
        assert f"users {os.geteuid()} and {NOBODY}" in link.other
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]


@needs_root
def test_another_user_under_the_address_of_the_leader_is_found_within_a_quarter_of_a_second(
    link, clock
):
    with other_user() as other, contextlib.closing(udp()) as ours:
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]
        other.bind(ours.getsockname()[1], host="127.0.0.2")
        came_s, found = clock.t_s, []
        while clock.t_s < came_s + 5.0:
            other.forge(b"theirs", link.address)
            if b"theirs" in taken(link):
                found.append(clock.t_s - came_s)
            clock.t_s += PERIOD_S
        assert max(found) < 0.25 + PERIOD_S
        assert f"users {os.geteuid()} and {NOBODY}" in link.other
        other.close()
        taken(link)
        clock.t_s += 1.1
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]


@needs_root
def test_another_user_who_has_the_port_of_the_leader_for_moments_only_moves_nothing(link, clock):
    """Between two lists of sockets: the kernel's reports of closed ones show it."""
    with other_user() as other, contextlib.closing(udp()) as ours:
        port = ours.getsockname()[1]
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]
        for _ in range(60):
            other.bind(port, host="127.0.0.2")
            other.forge(b"theirs", link.address)
            with closing_reported(port):
                other.close()
            assert taken(link) == []
            clock.t_s += PERIOD_S
        assert "a socket of its port was closed" in link.other
        clock.t_s += 1.1
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]


@needs_root
@pytest.mark.parametrize("burst", [1, 5, 80])
def test_another_user_who_has_an_own_port_for_moments_only_does_not_lead_first(
    clock, monkeypatch, burst
):
    monkeypatch.undo()
    answer_at_once(monkeypatch)
    with (
        contextlib.closing(HostLink(Listening(), clock.now_s)) as link,
        other_user() as other,
        contextlib.closing(udp()) as idle,
        contextlib.closing(udp()) as ours,
    ):
        port = idle.getsockname()[1]
        for _ in range(20):
            other.bind(port, host="127.0.0.2")
            other.forge(b"theirs", link.address, burst)
            with closing_reported(port):
                other.close()
            for _ in range(4):
                assert taken(link) == []
                clock.t_s += PERIOD_S / 4
        for _ in range(2):
            ours.sendto(b"ours", link.address)
            found = taken(link)
        assert found == [b"ours"]


def test_a_socket_that_has_gone_already_is_nobody_s(link, clock):
    with contextlib.closing(udp()) as brief:
        brief.sendto(b"brief", link.address)
    assert taken(link) == []
    assert "the kernel names no socket of it" in link.other


def test_the_kernel_is_asked_seldom_whoever_sends(clock):
    asked = []

    def owners(sender):
        asked.append(sender)
        return frozenset({os.geteuid()} if sender[1] == port else {NOBODY})

    with contextlib.ExitStack() as opened:
        link = opened.enter_context(contextlib.closing(HostLink(Listening(), clock.now_s, owners)))
        ours, *others = (opened.enter_context(contextlib.closing(udp())) for _ in range(40))
        port = ours.getsockname()[1]
        for _ in range(240):  # cycles of 4 ms
            before = len(asked)
            for one in others[:20]:
                one.sendto(b"theirs", link.address)
            taken(link)
            clock.t_s += 0.004
            assert len(asked) <= before + 1
        ours.sendto(b"ours", link.address)
        assert taken(link) == [b"ours"]
        asked.clear()
        for _ in range(250):  # a second
            ours.sendto(b"ours", link.address)
            taken(link)
            clock.t_s += 0.004
        assert 3 <= len(asked) <= 5


def test_who_signs_is_asked_for_no_user(clock):
    where = Listening(address="127.0.0.1", signed=True)

    def nobody(sender):
        return frozenset()

    made = HostLink(where, clock.now_s, nobody)
    with contextlib.closing(made) as link, contextlib.closing(udp()) as ours:
        ours.sendto(b"signed", link.address)
        assert taken(link) == [b"signed"]


class Follower:
    """A source that follows HCU1 from a socket, in steps of a clock of the test's own."""

    def __init__(self, clock, key=b"", owners=None):
        kind, map_ = load_map(configs_dir() / "hosts" / "hcu1.toml")
        if key:
            map_ = map_.model_copy(update={"key": key})
        where = Listening(signed=bool(key))
        asked = {} if owners is None else {"owners": owners}
        self.link = HostLink(where, clock.now_s, **asked)
        around = Surroundings(Path("ride.toml"), 0.004, False, 0, clock.now_s)
        self.source = HostSource(kind, map_, SocketWire(self.link, None), around)
        self._clock = clock

    def poll(self):
        return self.source.poll(self._clock.now_s())


@needs_root
def test_a_rider_is_not_moved_by_another_user_first_and_the_true_host_is_followed(clock):
    follower = Follower(clock)
    with (
        contextlib.closing(follower.link),
        other_user() as other,
        contextlib.closing(udp()) as ours,
    ):
        for number in range(240):
            t_s = number * PERIOD_S
            shake = 0.3 * math.sin(t_s)
            other.send(frame(number, t_s, f=(3.0, shake, -9.8)), follower.link.address)
            if number >= 120:
                ours.sendto(frame(number, t_s, f=(0.0, shake, -9.8)), follower.link.address)
            heard = follower.poll()
            if number == 100:
                assert heard.host is HostState.WAITING
                assert heard.cause is Cause.OTHER_SENDER
                assert heard.state is None
                assert f"user {NOBODY}" in follower.source.why
            if heard.state is not None:
                assert abs(heard.state.f_m_s2[0]) < 1e-3
            clock.t_s += PERIOD_S
        assert heard.host in (HostState.FADING_IN, HostState.LIVE)
        assert follower.source.leader == "{}:{}".format(*ours.getsockname())
        for number in range(240, 480):  # the true one is silent
            other.send(frame(number, number * PERIOD_S, f=(3.0, 0.0, -9.8)), follower.link.address)
            heard = follower.poll()
            clock.t_s += PERIOD_S
        assert (heard.host, heard.cause) == (HostState.LOST, Cause.OTHER_SENDER)


def test_a_host_that_falls_silent_is_told_with_the_port_that_is_listened_on(clock):
    follower = Follower(clock)
    with contextlib.closing(follower.link):
        for _ in range(round(0.5 / PERIOD_S)):
            heard = follower.poll()
            clock.t_s += PERIOD_S
        assert heard.cause is Cause.NO_PACKET
        assert follower.source.why == "UDP {}:{}".format(*follower.link.address)
        told = str(_wait_for(heard, follower.source.why))
    assert told.startswith(f"the source is silent ({follower.source.why}), expected live for 1 s")


EAST_M = {"a": 0.0, "b": 400.0, "c": -900.0}
"""Where each sender's vehicle is: the follower shows by that whom it follows."""


class Sequence:
    """Senders, silences, ports and replays in an order that is drawn; a model says who may lead.

    `a` and `b` are this user's, `c` is another user's; the kernel's answers are those of the model.
    """

    def __init__(self, seed, key=b""):
        self.draw, self.key = random.Random(seed), key
        self.clock, self.sockets = Clock(), {name: udp() for name in EAST_M}
        self.uid = {"a": os.geteuid(), "b": os.geteuid(), "c": NOBODY}
        self.shared = False
        """Whether another user has the leader's port too."""
        self.follower = Follower(self.clock, key, self.owners)
        self.signers = {name: SignedSender(key) for name in EAST_M}
        self.number = dict.fromkeys(EAST_M, 0)
        self.captured = []
        self.leads, self.used_s, self.sent_s = None, -math.inf, -math.inf
        """Who leads, and when the last datagram of it was used, and was sent."""
        self.packets, self.moved = 0, Counter()

    def owners(self, sender):
        for name, one in self.sockets.items():
            if one.getsockname() == sender:
                more = {NOBODY} if self.shared and name == self.leads else set()
                return frozenset({self.uid[name]} | more)
        return frozenset()

    def close(self):
        for one in (self.follower.link, *self.sockets.values()):
            one.close()

    def fresh(self, name):
        """The next frame of a sender."""
        number = self.number[name] = self.number[name] + 1
        values = {"p": (0.0, EAST_M[name], 0.0), "f": (0.01 * (number % 7), 0.0, -9.8)}
        if self.key:
            return self.signers[name].signed(number, self.clock.t_s, **values)
        return frame(number, self.clock.t_s, **values)

    def send(self, name, data, *, may):
        """One datagram and one cycle; whether it may move anything is the model's word."""
        self.sockets[name].sendto(data, self.follower.link.address)
        ours = bool(self.key) or (self.uid[name] == os.geteuid() and not self.shared)
        may = may and ours and self.leads in (None, name)
        before = self.packets
        self.turn(PERIOD_S, may, f"{name} at {self.clock.t_s} s, where {self.leads} leads")
        owner = self.follower.link.owner
        if owner is not None and self.leads is None:
            assert may, f"{name} leads, and must not"
            self.leads = name
        if name == self.leads:
            self.sent_s = self.clock.t_s - PERIOD_S
        if self.packets > before:
            self.used_s = self.clock.t_s - PERIOD_S
            self.moved[name] += 1

    def turn(self, s, may=False, words="nobody sent"):
        heard = self.follower.poll()
        assert may or heard.packets == self.packets, words
        self.packets = heard.packets
        self.clock.t_s += s
        for name, one in self.sockets.items():
            with contextlib.suppress(BlockingIOError):
                self.signers[name].take(one.recv(100))  # the bench's challenge
        if heard.state is not None and heard.host is HostState.LIVE and self.leads in EAST_M:
            assert abs(heard.state.position_m[1] - EAST_M[self.leads]) < 1.0

    def step(self):
        """One thing that somebody does."""
        draw = self.draw
        name = draw.choice("aabbc")
        match draw.choice(["send"] * 6 + ["replay"] * 3 + ["silence"] * 2
                          + ["choose", "choose", "restart", "share"]):  # fmt: skip
            case "send":
                for _ in range(draw.choice([1, 5, 20, 130])):
                    self.captured.append(self.fresh(name))
                    self.send(name, self.captured[-1], may=True)
            case "replay" if self.captured:
                at = draw.randrange(len(self.captured))
                for data in self.captured[at : at + draw.choice([1, 3, 80])]:
                    self.send(name, data, may=not self.key)
            case "silence":
                self.turn(draw.choice([0.05, 0.2, 0.45, 0.7, 3.0, 40.0]))
            case "choose":
                if self.follower.source.choose():
                    assert self.clock.t_s - self.used_s > 0.5, f"{self.leads} was left"
                    self.leads, self.shared = None, False
                else:
                    assert self.leads is None or self.clock.t_s - self.sent_s <= 0.5 + 1e-9
            case "restart":
                keeps = draw.random() < 0.5
                port = self.sockets[name].getsockname()[1] if keeps else 0
                self.sockets[name].close()
                self.sockets[name] = udp(port)
                self.number[name] = 0
                self.signers[name] = SignedSender(self.key)
                if not keeps and self.leads == name:
                    self.leads = "an address that nobody has"
            case "share":
                self.shared = self.leads in EAST_M and not self.shared
                self.turn(1.1)  # the kernel is asked again after that
            case _:
                pass


@pytest.mark.campaign
@pytest.mark.parametrize("key", [b"", SIGNED], ids=["unsigned", "signed"])
@pytest.mark.parametrize("seed", share_of(range(200), 4))
def test_whatever_is_sent_only_fresh_frames_of_the_one_that_leads_move_the_follower(seed, key):
    with contextlib.closing(Sequence(seed, key)) as one:
        for _ in range(60):
            one.step()
        one.shared = False
        one.turn(3.0)
        one.follower.source.choose()
        one.leads = None
        for _ in range(180):  # and the one that may lead does
            one.send("a", one.fresh("a"), may=True)
        heard = one.follower.poll()
        assert one.leads == "a"
        assert heard.host in (HostState.LIVE, HostState.FADING_IN, HostState.LOST)
        assert one.moved["a"] > 150

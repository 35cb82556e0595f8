"""The one socket of hosts: where it listens, whom it hears, what it never waits for."""

import contextlib
import select
import socket
import struct
from pathlib import Path

import pytest
from udp_user import know_at_once

from hil.config.errors import ConfigError
from hil.hosts.link import MOST_A_CYCLE, HostLink, Listening
from hil.timing.clock import kernel_lead_s
from hil.timing.realtime import RealClock


@pytest.fixture(autouse=True)
def _known_at_once(monkeypatch):
    know_at_once(monkeypatch)


@pytest.fixture
def clock():
    return Hand()


class Hand:
    """A clock that goes on when it is told."""

    def __init__(self):
        self.t_s = 100.0

    def now_s(self):
        return self.t_s


@pytest.fixture
def linked(clock):
    link = HostLink(Listening(), clock.now_s)
    yield link
    link.close()


@pytest.fixture
def sender():
    """Makes sockets that send."""
    with contextlib.ExitStack() as opened:

        def made(host="127.0.0.1"):
            one = opened.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            one.bind((host, 0))
            return one

        yield made


def test_it_listens_on_loopback_only(linked):
    host, port = linked.address
    lines = [line.split() for line in Path("/proc/net/udp").read_text().splitlines()][1:]
    heard_on = [one[1].split(":")[0] for one in lines if int(one[1].split(":")[1], 16) == port]
    assert (host, heard_on) == ("127.0.0.1", ["0100007F"])  # little-endian 127.0.0.1


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"address": "0.0.0.0"}, "address = 0.0.0.0 hears everybody: it needs a key_file"),
        ({"address": "0.0.0.0", "allow": ("10.0.0.2",)}, "hears everybody"),
        ({"address": "10.0.0.1"}, "can be reached from elsewhere: it needs a key_file, or in all"),
        ({"address": "localhost"}, "'localhost': an address such as 127.0.0.1 is needed"),
        ({"address": "::"}, "'::': an address such as 127.0.0.1 is needed"),
        ({"allow": ("any",)}, "allow = 'any': an address"),
        ({"port": 70000}, "port = 70000: 0 to 65535"),
    ],
)
def test_strangers_are_never_heard_by_mistake(keys, words):
    with pytest.raises(ConfigError) as caught:
        Listening(**keys)
    assert words in str(caught.value)


def test_another_address_is_for_keys_and_lists():
    assert Listening(address="0.0.0.0", signed=True).signed
    assert Listening(address="10.0.0.1", allow=("10.0.0.2",)).allow
    assert Listening(address="127.8.0.1").port == 0


def test_a_port_in_use_is_refused_with_its_number(linked, clock):
    port = linked.address[1]
    with pytest.raises(ConfigError, match=f"port = {port}: another program has it"):
        HostLink(Listening(port=port, source="ride.toml"), clock.now_s)


def test_nothing_there_is_nothing_at_once_and_what_came_comes_in_order(linked, sender):
    assert linked.drain() == []
    one = sender()
    for index in range(5):
        one.sendto(bytes([index]), linked.address)
    assert [got.data for got in linked.drain()] == [bytes([index]) for index in range(5)]


def test_a_processor_taken_away_between_two_clocks_shifts_no_stamp():
    told_s = iter([0.0, 0.02, 0.02, 0.02])  # away for 20 ms at the first look
    at_once = kernel_lead_s(lambda: 0.02)
    assert kernel_lead_s(lambda: next(told_s)) == pytest.approx(at_once, abs=0.005)


@pytest.mark.real_time
def test_a_packet_that_comes_while_the_loop_looks_was_not_taken_before(sender):
    now_s, looked_s = RealClock().now_s, []

    def told_s():
        value_s = now_s()
        if not looked_s and one is not None:
            looked_s.append(value_s)
            one.sendto(b"x", link.address)
        return value_s

    one = None
    link = HostLink(Listening(), told_s)
    one = sender()
    with contextlib.closing(link):
        (got,) = link.drain()
    assert looked_s[0] < got.kernel_s < got.taken_s <= now_s()


@pytest.mark.real_time
def test_a_packet_s_time_is_the_kernel_s(sender):
    now_s = RealClock().now_s
    with contextlib.closing(HostLink(Listening(), now_s)) as link:
        one = sender()
        for _ in range(50):  # the kernel begins to stamp some time after it was asked to
            before_s = now_s()
            one.sendto(b"x", link.address)
            after_s = now_s()
            select.select([one], [], [], 0.02)
            (got,) = link.drain()
            if before_s - 0.001 <= got.kernel_s <= after_s + 0.001:  # 20 ms before it was taken
                return
    pytest.fail(f"sent at {before_s} s, stamped {got.kernel_s} s, taken {got.taken_s} s")


def test_a_jump_of_the_calendar_is_no_time_of_a_packet(linked, clock, monkeypatch, sender):
    one = sender()
    one.sendto(b"x", linked.address)
    monkeypatch.setattr("hil.hosts.link.kernel_lead_s", lambda now_s: 3600.0)
    (got,) = linked.drain()
    assert got.kernel_s == clock.t_s


def test_a_second_sender_is_counted_and_leads_for_a_person_s_act_only(linked, clock, sender):
    ours, other = sender(), sender()
    ours.sendto(b"a", linked.address)
    (got,) = linked.drain()
    linked.own(got.sender)
    other.sendto(b"b", linked.address)
    ours.sendto(b"c", linked.address)
    clock.t_s += 0.1
    assert [got.data for got in linked.drain()] == [b"c"]
    assert linked.foreign == 1
    assert linked.owner == ours.getsockname()
    clock.t_s += 0.3
    assert not linked.choose(), "the one that leads is not silent"
    for _ in range(40):
        clock.t_s += 0.6
        other.sendto(b"d", linked.address)
        assert linked.drain() == []
    assert "another sender leads" in linked.other
    assert linked.choose()
    other.sendto(b"e", linked.address)
    assert [got.data for got in linked.drain()] == [b"e"]


def test_only_senders_of_the_list_are_heard(clock, sender):
    link, one = HostLink(Listening(allow=("127.0.0.9",)), clock.now_s), sender()
    one.sendto(b"x", link.address)
    assert (link.drain(), link.foreign) == ([], 1)
    listed = sender("127.0.0.9")
    listed.sendto(b"y", link.address)
    assert [got.data for got in link.drain()] == [b"y"]
    link.close()


def test_a_cycle_takes_a_bounded_number_and_too_large_ones_are_counted(linked, sender):
    one = sender()
    one.sendto(b"z" * 20_000, linked.address)
    for _ in range(2 * MOST_A_CYCLE):
        one.sendto(b"x", linked.address)
    assert len(linked.drain()) == MOST_A_CYCLE - 1
    assert linked.oversized == 1
    assert len(linked.drain()) == MOST_A_CYCLE
    assert len(linked.drain()) == 1


def test_in_a_flood_the_kernel_drops_what_is_not_of_the_sender(linked, clock, sender):
    ours, other = sender(), sender()
    ours.sendto(b"a", linked.address)
    linked.own(linked.drain()[0].sender)
    for _ in range(12):
        for _ in range(MOST_A_CYCLE + 1):
            other.sendto(b"junk", linked.address)
        linked.drain()
    while linked.drain():
        pass
    foreign = linked.foreign
    for _ in range(100):
        with_refusal(other, linked.address)
    ours.sendto(b"b", linked.address)
    assert [got.data for got in linked.drain()] == [b"b"]
    assert linked.foreign == foreign  # they did not even get here
    linked.send(b"ask", ours.getsockname())
    assert ours.recv(10) == b"ask"
    clock.t_s += 1.0
    with_refusal(other, linked.address)
    assert linked.drain() == []
    assert linked.choose()  # silent for a second: a person may choose another, on the same port
    other.sendto(b"c", linked.address)
    assert [got.data for got in linked.drain()] == [b"c"]


def with_refusal(one, address):
    """Send to a port that the kernel may say is closed to us."""
    with contextlib.suppress(ConnectionRefusedError):
        one.sendto(b"junk", address)


def test_a_stamp_is_asked_for_as_the_kernel_knows_it(linked):
    assert linked._socket.getsockopt(socket.SOL_SOCKET, 35) != 0
    assert struct.calcsize("=qq") == 16

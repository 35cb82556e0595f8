"""Whose a UDP socket is, asked of the kernel in both ways, with another user beside."""

import os
import socket
from contextlib import closing
from pathlib import Path

import pytest
from udp_user import NOBODY, needs_root, other_user

from hil.ipc import socket_owner
from hil.ipc.socket_owner import is_of_this_machine, is_own, udp_uids

TABLES = Path("/proc/self/net")
IPV6 = socket.has_ipv6 and Path("/proc/net/if_inet6").exists()


def udp(host="127.0.0.1", family=socket.AF_INET, *, reuse=False, only_v6=False):
    """A bound socket."""
    made = socket.socket(family, socket.SOCK_DGRAM)
    if reuse:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if only_v6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    made.bind((host, 0))
    return closing(made)


def asked(port, host="127.0.0.1"):
    """The answer, which is the same in both ways."""
    found = udp_uids((host, port))
    assert found == udp_uids((host, port), TABLES)
    return found


def test_a_socket_is_its_user_s_until_it_is_closed():
    with udp() as one:
        port = one.getsockname()[1]
        assert asked(port) == {os.geteuid()}
    assert asked(port) == set()


def test_one_that_is_bound_to_any_address_can_send_from_each():
    with udp("") as one:
        assert asked(one.getsockname()[1]) == {os.geteuid()}
        assert asked(one.getsockname()[1], "127.9.9.9") == {os.geteuid()}


@pytest.mark.skipif(not IPV6, reason="no IPv6 here")
def test_one_of_ipv6_sends_ipv4_too_unless_it_is_of_ipv6_only():
    with udp("::", socket.AF_INET6) as both, udp("::", socket.AF_INET6, only_v6=True) as six:
        assert asked(both.getsockname()[1]) == {os.geteuid()}
        assert asked(both.getsockname()[1], "::ffff:127.0.0.1") == {os.geteuid()}
        assert asked(six.getsockname()[1], "::1") == {os.geteuid()}
        assert udp_uids(("127.0.0.1", six.getsockname()[1])) == set()


@needs_root
@pytest.mark.parametrize("host", ["127.0.0.2", "127.255.0.1", "::ffff:127.0.0.2"])
def test_another_user_s_socket_of_the_port_counts_on_whatever_address(host):
    """By IP_PKTINFO it sends from any of them."""
    if ":" in host and not IPV6:
        pytest.skip("no IPv6 here")
    with udp() as ours, other_user() as other:
        port = ours.getsockname()[1]
        other.bind(port, host=host)
        assert asked(port) == {os.geteuid(), NOBODY}
        other.close()
        assert asked(port) == {os.geteuid()}


@needs_root
def test_of_very_many_sockets_of_a_port_few_are_read_once_another_user_has_one(monkeypatch):
    read = []
    whole = socket_owner._can_send
    monkeypatch.setattr(socket_owner, "_can_send", lambda *one: read.append(one) or whole(*one))
    with udp() as ours, other_user() as other:
        port = ours.getsockname()[1]
        other.fill(port, 3000)
        assert not is_own(udp_uids(("127.0.0.1", port)))
    assert len(read) < 1000


@needs_root
def test_a_port_of_another_user_and_one_of_two_users_are_known():
    with udp(reuse=True) as ours, other_user() as other:
        assert asked(other.port) == {NOBODY}
        shared = other.bind(ours.getsockname()[1], reuse=True)
        assert asked(shared) == {os.geteuid(), NOBODY}
        assert not is_own(asked(shared))
        other.close()
        assert is_own(asked(shared))


def test_a_kernel_that_lists_no_sockets_is_asked_by_its_tables(monkeypatch):
    def refused(port):
        raise OSError("no such protocol")

    monkeypatch.setattr(socket_owner, "_by_diag", refused)
    with udp() as one:
        assert udp_uids(one.getsockname()) == {os.geteuid()}


def test_without_tables_nobody_is_known_and_nobody_is_our_own(tmp_path):
    with udp() as one:
        assert udp_uids(one.getsockname(), tmp_path) == set()
    assert not is_own(frozenset())
    assert is_own(frozenset({0}))
    assert not is_own(frozenset({0, os.geteuid() + 1}))


@pytest.mark.parametrize(
    ("host", "ours"),
    [("127.0.0.1", True), ("127.3.4.5", True), ("::1", True), ("::ffff:127.0.0.1", True),
     ("192.0.2.7", False), ("2001:db8::7", False)],
)  # fmt: skip
def test_addresses_of_this_machine_are_known(host, ours):
    assert is_of_this_machine(host) is ours

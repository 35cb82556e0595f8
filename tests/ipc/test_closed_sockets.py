"""What the kernel reports of sockets that are closed, judged by sockets that are."""

import os
import socket
from contextlib import closing

import pytest
from udp_user import closing_reported, needs_root, other_user

from hil.ipc.closed_sockets import ClosedSockets


def udp(host="127.0.0.1", port=0, family=socket.AF_INET):
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.bind((host, port))
    return made


@pytest.fixture
def reports():
    with closing(ClosedSockets()) as made:
        yield made


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::"])
def test_a_closed_socket_of_the_port_is_reported_once_on_whatever_address(reports, host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        one = udp(host, family=family)
    except OSError:
        pytest.skip("no IPv6 here")
    port = one.getsockname()[1]
    reports.watch(port)
    assert not reports.any()
    with closing_reported(port):
        one.close()
    assert reports.any()
    assert not reports.any()


@needs_root
def test_one_of_another_user_is_reported_to_an_ordinary_one(reports):
    with other_user() as other:
        reports.watch(other.port)
        with closing_reported(other.port):
            other.close()
    assert reports.any()
    child = os.fork()
    if not child:  # the groups are joined without a privilege
        try:
            os.setgroups([])
            os.setuid(65534)
            with closing(ClosedSockets()) as theirs:
                one = udp()
                theirs.watch(one.getsockname()[1])
                one.close()
                while not theirs.any():
                    os.sched_yield()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_those_of_other_ports_are_not(reports):
    with closing(udp()) as one:
        reports.watch(one.getsockname()[1])
        for _ in range(300):
            other = udp()
            port = other.getsockname()[1]
            with closing_reported(port):
                other.close()
            assert not reports.any()


def test_more_than_the_kernel_can_keep_is_one_too(reports):
    with closing(udp(port=0)) as one:
        port = one.getsockname()[1]
        reports.watch(port)
        for number in range(2000):
            with closing_reported(port) if number == 1999 else closing(udp()):
                udp("127.0.0.2", port).close()
        assert reports.any()
        while reports.any():  # the kernel reports some of them later than the last; they end
            os.sched_yield()


def test_where_the_kernel_reports_none_there_are_none(monkeypatch):
    def refused(*_):
        raise OSError("no such protocol")

    monkeypatch.setattr(socket, "socket", refused)
    with closing(ClosedSockets()) as none:
        none.watch(5)
        assert not none.any()

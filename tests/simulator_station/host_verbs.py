"""Verbs of hosts in a process of their own, and an emulated host that sends to them."""

import socket
import sys
from contextlib import contextmanager
from threading import Event, Thread

from hil.timing.realtime import RealClock
from sim.hosts.emulated_host import emulated_host
from sim.hosts.host_program import run_host


def free_port():
    """A UDP port that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def sent(kind, feed, port, **more):
    """An emulated host that sends to a port, from a thread; gives where it hears requests."""
    host = emulated_host(kind, feed=feed, **more)
    over, ready, addresses = Event(), Event(), []

    def began(sender):
        addresses.append(sender.address)
        ready.set()

    def run():
        run_host(
            host, ("127.0.0.1", port), now_s=RealClock().now_s, ready=began, stop=over.is_set,
            asked_on=("127.0.0.1", 0),
        )  # fmt: skip

    thread = Thread(target=run)
    thread.start()
    try:
        assert ready.wait(10.0)
        yield addresses[0]
    finally:
        over.set()
        thread.join()


def hil(*arguments):
    """Command line of the program."""
    return [sys.executable, "-m", "hil", *arguments]

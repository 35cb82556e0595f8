"""Emulated simulators over loopback: sockets, requests, the console; a client of others."""

import os
import socket
import struct
import threading

import pytest
from wire_readers import ask_xplane, hcu1, xplane_rref

from hil.timing.realtime import RealClock
from sim.hosts.console import HostConsole
from sim.hosts.emulated_host import emulated_host
from sim.hosts.flight import scripted_flight
from sim.hosts.host_program import Sender, run_host
from sim.hosts.vehicle_motion import GRAVITY_M_S2

FLIGHT = scripted_flight()


@pytest.fixture
def listener():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.bind(("127.0.0.1", 0))
        made.settimeout(5.0)
        yield made


def drained(listener):
    """All that has come; on loopback it is there when it was sent."""
    listener.setblocking(False)
    got = []
    while True:
        try:
            got.append(listener.recvfrom(2048))
        except BlockingIOError:
            return got


def test_what_is_due_goes_to_the_listener(listener):
    host = emulated_host("hcu1", feed=FLIGHT, faults=["second duration_s=0.1@0.5"])
    sender = Sender(host, listener.getsockname())
    try:
        sender.send(1.0)
        got = drained(listener)
    finally:
        sender.close()
    sequences = [hcu1(data)["sequence"] for data, _ in got]
    assert sequences[:30] == list(range(30))
    addresses = {address for _, address in got}
    assert len(addresses) == 2, "another sender has another address"
    own = {address for data, address in got if hcu1(data)["sequence"] < 1000}
    assert own == {got[0][1]}


def test_x_planes_answers_go_to_who_asked(listener):
    host = emulated_host("xplane_rref", feed=FLIGHT)
    sender = Sender(host, ("127.0.0.1", 9), ("127.0.0.1", 0))

    class Asking:
        def receive(self, datagram, peer):
            listener.sendto(datagram, sender.address)

    try:
        ask_xplane(Asking())
        sender.receive()
        sender.send(2.0)
        told = xplane_rref(listener.recv(2048))
    finally:
        sender.close()
    assert told["f"][2] == pytest.approx(-GRAVITY_M_S2, rel=1e-6)


def test_a_port_in_use_is_an_error():
    host = emulated_host("xplane_rref", feed=FLIGHT)
    first = Sender(host, ("127.0.0.1", 9), ("127.0.0.1", 0))
    try:
        with pytest.raises(OSError, match="in use"):
            Sender(host, ("127.0.0.1", 9), first.address)
    finally:
        first.close()


def test_the_console_gives_and_clears_faults():
    host = emulated_host("hcu1", feed=FLIGHT)
    console = HostConsole(host)
    host.due(1.0)
    assert console.execute("", 1.0) == ""
    assert "KIND [value=X]" in console.execute("help", 1.0)
    assert "spike" in console.execute("help", 1.0)
    assert console.execute("pause", 1.0) == "ok: pause"
    assert console.execute("teleport value=9 at_s=5", 1.0) == "ok: teleport value=9 at_s=5"
    host.due(1.5)
    assert console.execute("list", 1.5) == "on: pause\nin 4.500 s: teleport value=9 at_s=5"
    assert hcu1(host.due(2.0)[-1][1])["paused"]
    assert console.execute("clear pause", 2.0) == "ok: 1 cleared"
    assert console.execute("clear", 2.0) == "ok: 1 cleared"
    assert not hcu1(host.due(3.0)[-1][1])["paused"]
    assert console.execute("jump", 3.0).startswith("error: there is no command or fault 'jump'")
    assert console.execute("pause value=2", 3.0).startswith("error: pause: value = 2")
    assert console.execute("clear all", 3.0).startswith("error: 'all'")
    status = console.execute("status", 3.0)
    assert status.startswith("2.0 s of 100.6 s, 181 packets sent, running")


def test_the_loop_sends_hears_its_console_and_stops(listener):
    """Its clock is ours: no time passes but by looking at it."""
    host = emulated_host("hcu1", feed=FLIGHT)
    reading, writing = os.pipe()
    os.write(writing, b"pause at_s=0.5\nlist\n")
    os.close(writing)
    looked, answers, senders = [0.0], [], []

    def now_s():
        looked[0] += 0.002
        return looked[0]

    with os.fdopen(reading) as console:
        run_host(
            host, listener.getsockname(), now_s=now_s, ready=senders.append,
            stop=lambda: looked[0] > 1.2, console=console, say=answers.append,
        )  # fmt: skip
    told = [hcu1(data) for data, _ in drained(listener)]
    assert answers[0] == "ok: pause at_s=0.5"
    assert told[-1]["paused"]
    assert not told[10]["paused"]
    assert len(senders) == 1


def test_it_ends_with_its_feed(listener):
    host = emulated_host("hcu1", feed=FLIGHT, faults=["end@0.1"])
    looked = [0.0]

    def now_s():
        looked[0] += 0.002
        return looked[0]

    run_host(
        host, listener.getsockname(), now_s=now_s, ready=lambda sender: None,
        stop=lambda: looked[0] > 60.0, end_with_feed=True,
    )  # fmt: skip
    assert looked[0] < 1.0


@pytest.mark.real_time
@pytest.mark.parametrize("version", ["11", "12"])
def test_pyxpudpserver_talks_to_our_x_plane(version):
    """References by RREF, and rows by DATA, in its own thread."""
    from pyxpudpserver import XPlaneUDPServer

    at_s = 22.0
    asked = emulated_host("xplane_rref", feed=FLIGHT, version=version)
    rows = emulated_host("xplane_data", feed=FLIGHT, version=version)
    client = XPlaneUDPServer()
    client.daemon = True
    client.XplaneRCVsock, client.mcast_sock = _loopback(), _loopback()
    answers = Sender(asked, ("127.0.0.1", 9), ("127.0.0.1", 0))
    sends = Sender(rows, client.XplaneRCVsock.getsockname())
    client.XPAddress = answers.address
    client.start()
    wanted = {
        "sim/flightmodel/position/theta": 8.0,
        "sim/flightmodel/forces/g_nrml": -FLIGHT.at(at_s).f_m_s2[2] / GRAVITY_M_S2,
        "sim/flightmodel/position/local_y": -FLIGHT.at(at_s).position_m[2],
    }
    try:
        asked.due(at_s - 0.5)
        rows.due(at_s - 0.5)
        clock = RealClock()
        ends_s = clock.now_s() + 20.0
        got = {}
        while got != pytest.approx(wanted, rel=1e-2) and clock.now_s() < ends_s:
            got = {name: client.getData(name) for name in wanted}
            answers.receive()
            for sender, host in ((answers, asked), (sends, rows)):
                sender.send(min(host.next_s(), at_s))
            threading.Event().wait(0.01)
        row = [client.getData((17, column)) for column in range(3)]
    finally:
        client.running = False
        client.join()
        client.quit()
        answers.close()
        sends.close()
        client.sendSock.close()
    assert got == pytest.approx(wanted, rel=1e-2)
    assert row[0] == pytest.approx(8.0, abs=1e-3)
    assert row[2] == pytest.approx(0.0, abs=1e-3)


def _loopback():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.setblocking(False)
    return made


def test_a_request_is_413_bytes_and_nothing_else_is_heard(listener):
    host = emulated_host("xplane_rref", feed=FLIGHT)
    sender = Sender(host, ("127.0.0.1", 9), ("127.0.0.1", 0))
    try:
        for junk in (b"", b"RREF", bytes(413), b"DREF\0" + bytes(504), os.urandom(2000)):
            listener.sendto(junk, sender.address)
        good = b"RREF\0" + struct.pack("<ii", 60, 3) + b"sim/time/paused\0".ljust(400)
        listener.sendto(good, sender.address)
        sender.receive()
        sender.send(1.0)
        answer = listener.recv(2048)
    finally:
        sender.close()
    assert answer == b"RREF," + struct.pack("<if", 3, 0.0)

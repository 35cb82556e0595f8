"""Modbus RTU behind a serial server: the line of the rack, sent on byte by byte over TCP."""

import contextlib
import os
import random
import select
import socket
import threading
import tty

import pytest
from modbus_bench import BenchBank, RackThread, quick_rack, six

from drives.bank import DriveGoal, DriveState, LegCommand, LinkError, LinkLostError
from drives.links import ModbusTcpLink, lock_modbus, parse_link
from drives.modbus.errors import ModbusClosedError, ModbusTimeoutError
from drives.modbus.frames import crc16
from drives.modbus.gateway import gateway_at, server_gateway

pytestmark = pytest.mark.real_time

BAUD = 460800


class SerialServer:
    """What a serial server does: a socket on one side, a serial device on the other, bytes in
    pieces as they come."""

    def __init__(self, device):
        self._random = random.Random(4)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._line = os.open(device, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line)
        self._peer = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        with contextlib.suppress(OSError, ValueError):
            self._peer, _ = self._listener.accept()
            self._peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                ready, _, _ = select.select([self._peer, self._line], [], [])
                if self._peer in ready:
                    data = self._peer.recv(self._random.choice((1, 3, 7, 512)))
                    if not data:
                        return
                    os.write(self._line, data)
                if self._line in ready:
                    self._peer.sendall(os.read(self._line, self._random.choice((1, 2, 5, 512))))

    def close(self):
        for end in (self._listener, self._peer):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._thread.join(5.0)
        os.close(self._line)


class ServedRack(RackThread):
    """An emulated rack on a pseudo-terminal that a serial server has."""

    def __init__(self):
        super().__init__("rtu", quick_rack(baud=BAUD))
        line = parse_link(self.url)
        self.server = SerialServer(line.device)
        place = f"socket://127.0.0.1:{self.server.port}"
        self.url = f"modbus-rtu:{place}?baud={line.baud}&parity=N&stop_bits={line.stop_bits}"

    def close(self):
        self.server.close()
        super().close()


@pytest.fixture
def bank():
    made = BenchBank(ServedRack(), 0.01)
    yield made
    made.close()


def reach(bank, goal, reached):
    bank.request(goal)
    for _ in range(2000):
        feedback = bank.exchange(None)
        if reached(feedback):
            return feedback
    raise AssertionError((feedback, bank.waiting))


def test_six_drives_are_homed_and_moved_through_a_serial_server(bank):
    report = bank.configure()
    assert report.simulated
    assert report.identities[4] == "HIL bench HIL emulated rack 1.0 serial 1005"
    reach(bank, DriveGoal.HOMED, lambda f: all(f.homed))
    feedback = reach(bank, DriveGoal.ENABLED, lambda f: f.state == six(DriveState.ENABLED))
    start = feedback.length_m
    for number in range(1, 101):
        lengths = tuple(length + 0.0002 * number for length in start)
        feedback = bank.exchange(LegCommand(lengths, six(0.02)))
        assert not feedback.failed
    went = [there - here for there, here in zip(feedback.length_m, start, strict=True)]
    assert went == pytest.approx([0.02] * 6, abs=2e-3)


def test_a_serial_server_that_is_gone_ends_the_link(bank):
    bank.configure()
    bank.rack.server.close = lambda: None
    SerialServer.close(bank.rack.server)
    with pytest.raises(LinkLostError, match=r"modbus-rtu:socket://127\.0\.0\.1:"):
        reach(bank, DriveGoal.HOMED, lambda f: all(f.homed))


def test_a_server_that_nobody_is_at_names_url_and_cause():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    link = parse_link(f"modbus-rtu:socket://127.0.0.1:{port}?baud=9600")
    with pytest.raises(ModbusClosedError, match=r"modbus-rtu:socket://.*Connection refused"):
        gateway_at(link, link.url, 0.2, 0.01).read(1, 0, 1)


def test_a_late_answer_is_thrown_away_before_the_next_request():
    """The first answer comes when it has been given up; the second request gets its own."""
    listener = socket.create_server(("127.0.0.1", 0))
    asked = []

    def serve():
        peer, _ = listener.accept()
        asked.append(peer.recv(256))
        peer.sendall(answer(0x1111)[:4])
        given_up.wait(5.0)
        peer.sendall(answer(0x1111)[4:])
        asked.append(peer.recv(256))
        peer.sendall(answer(0x2222))
        peer.recv(1)
        peer.close()

    def answer(value):
        body = bytes((1, 3, 2)) + value.to_bytes(2, "big")
        return body + crc16(body)

    given_up = threading.Event()
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    port = listener.getsockname()[1]
    gateway = server_gateway("127.0.0.1", port, "modbus-rtu:socket://x", 0.1, 0.2)
    with pytest.raises(ModbusTimeoutError, match="stopped after 4 bytes"):
        gateway.read(1, 0, 1)
    given_up.set()
    assert gateway.read(1, 1, 1) == [0x2222]
    gateway.close()
    thread.join(5.0)
    listener.close()
    assert asked[0][1:6] == bytes.fromhex("0300000001")
    assert crc16(asked[1][:-2]) == asked[1][-2:]


def test_a_serial_server_is_locked_as_what_it_is():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    first = lock_modbus(parse_link(f"modbus-rtu:socket://localhost:{port}"))
    for other in (
        parse_link(f"modbus-rtu:socket://127.0.0.1:{port}?baud=9600"),
        ModbusTcpLink("127.0.0.1", port),
    ):
        with pytest.raises(LinkError, match="another controller has it"):
            lock_modbus(other)
    first.release()


def test_the_rack_offers_its_line_on_a_port_as_a_serial_server_does():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    rack = RackThread("rtu", quick_rack(baud=BAUD), port=port)
    try:
        assert rack.url.startswith(f"modbus-rtu:socket://127.0.0.1:{port}?baud={BAUD}&parity=N")
        link = parse_link(rack.url)
        gateway = gateway_at(link, link.url, 1.0, 0.01)
        assert gateway.identify(1)[:2] == ("HIL bench", "HIL emulated rack")
        gateway.close()
    finally:
        rack.close()

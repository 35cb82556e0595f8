"""The emulated Modbus rack on its wire, spoken to by programs that are not ours."""

import contextlib
import os
import shutil
import socket
import subprocess
import threading

import pytest
from modbus_bench import RackThread, quick_rack
from pymodbus.client import ModbusSerialClient, ModbusTcpClient

from drives.links import parse_link
from hil.timing.realtime import RealClock
from sim.devices.modbus.program import run_modbus_rack
from sim.devices.modbus.rack import ModbusRackSettings

pytestmark = pytest.mark.real_time

needs_mbpoll = pytest.mark.skipif(shutil.which("mbpoll") is None, reason="mbpoll is not installed")


@pytest.fixture
def rack(request):
    rack = RackThread(*getattr(request, "param", ("tcp",)))
    yield rack
    rack.close()


def mbpoll(link, *words):
    if hasattr(link, "port"):
        where = ["-m", "tcp", "-p", str(link.port), link.host]
    else:
        where = ["-m", "rtu", "-b", str(link.baud), "-P", "none", "-s", "2", link.device]
    options = [word for word in words if not isinstance(word, int)]
    values = [str(word) for word in words if isinstance(word, int)]
    done = subprocess.run(
        ["mbpoll", "-0", "-1", "-a", "1", *options, *where[:-1], "--", where[-1], *values],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def polled(text):
    """Return the values of mbpoll's lines `[1009]: 	21`."""
    lines = [line.split(":") for line in text.splitlines() if line.startswith("[")]
    return {int(head[1:-1]): tail.strip() for head, tail in lines}


@needs_mbpoll
@pytest.mark.parametrize("rack", [("tcp",), ("rtu",)], indirect=True)
def test_mbpoll_reads_and_writes_the_rack(rack):
    link = parse_link(rack.url)
    code, text = mbpoll(link, "-r", "1032", "-t", "4:int", "-B", "-c", "1")
    assert (code, polled(text)) == (0, {1032: "1001"}), text
    code, text = mbpoll(link, "-r", "1000", "-t", "4:int", "-B")
    assert (code, polled(text)) == (0, {1000: "1000000"}), text
    code, text = mbpoll(link, "-r", "1002", "-t", "4:int", "-B", -250_000, 250_000)
    assert code == 0, text
    code, text = mbpoll(link, "-r", "1002", "-t", "4:int", "-B", "-c", "2")
    assert (code, polled(text)) == (0, {1002: "-250000", 1004: "250000"}), text
    assert rack.core.drives[0].parameters.software_limit_min == -250_000
    code, text = mbpoll(link, "-r", "200", "-t", "4", 75)  # function 6
    assert code == 0, text
    assert rack.core.read(1, 200, 1) == [75]
    code, text = mbpoll(link, "-r", "1", "-t", "4", 6, 8)  # controlword and mode of axis 1
    assert code == 0, text
    code, text = mbpoll(link, "-r", "102", "-t", "4:hex", "-c", "2")
    assert polled(text)[102].startswith("0x0231"), text  # ready to switch on
    assert polled(text)[103] == "0x0008"


@needs_mbpoll
@pytest.mark.parametrize("rack", [("tcp",), ("rtu",)], indirect=True)
def test_mbpoll_is_told_what_there_is_not(rack):
    link = parse_link(rack.url)
    code, text = mbpoll(link, "-r", "5000", "-t", "4")
    assert code != 0
    assert "Illegal data address" in text
    code, text = mbpoll(link, "-r", "0", "-t", "0")
    assert code != 0
    assert "Illegal function" in text


def client_of(rack):
    link = parse_link(rack.url)
    if hasattr(link, "port"):
        return ModbusTcpClient(link.host, port=link.port, timeout=1.0, retries=0)
    return ModbusSerialClient(link.device, baudrate=link.baud, stopbits=2, timeout=0.3, retries=0)


@pytest.mark.parametrize("rack", [("tcp",), ("rtu",)], indirect=True)
def test_the_rack_says_who_it_is(rack):
    with client_of(rack) as client:
        found = client.read_device_information(read_code=1, object_id=0, device_id=1)
        assert found.information == {0: b"HIL bench", 1: b"HIL emulated rack", 2: b"1.0"}


def test_on_tcp_a_missing_unit_is_refused_like_a_gateway_does(rack):
    with client_of(rack) as client:
        answer = client.read_holding_registers(0, count=1, device_id=9)
        assert answer.exception_code == 11


@pytest.mark.parametrize("rack", [("rtu",)], indirect=True)
def test_on_a_line_a_missing_unit_is_silent(rack):
    with client_of(rack) as client:
        with pytest.raises(Exception, match="No response"):
            client.read_holding_registers(0, count=1, device_id=9)
        assert not client.read_holding_registers(0, count=1, device_id=1).isError()


def test_the_rack_listens_on_loopback_only(rack):
    port = parse_link(rack.url).port
    with open("/proc/net/tcp") as table:
        local = [line.split()[1] for line in table if f":{port:04X} " in line]
    assert f"0100007F:{port:04X}" in local
    assert not any(each.startswith("00000000") for each in local)


def test_another_user_is_not_answered_and_changes_nothing(rack, monkeypatch):
    read_one = bytes.fromhex("0001 0000 0006 01 03 0000 0001")  # Modbus application protocol, 6.3
    place = ("127.0.0.1", parse_link(rack.url).port)
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)  # the rack is somebody else's now
    stranger = socket.create_connection(place, timeout=10.0)
    with stranger, contextlib.suppress(ConnectionError):
        stranger.sendall(read_one)
        assert stranger.recv(100) == b""
    monkeypatch.undo()
    with socket.create_connection(place, timeout=10.0) as client:
        client.sendall(read_one)
        assert client.recv(100)[:6] == bytes.fromhex("0001 0000 0005")


@pytest.mark.parametrize("baud", [19200, 57600])
def test_answers_take_the_time_of_their_bytes_on_the_line(baud):
    rack = RackThread("rtu", quick_rack(paced=True, baud=baud))
    clock = RealClock()
    try:
        with client_of(rack) as client:
            client.read_holding_registers(100, count=60, device_id=1)
            began_s = clock.now_s()
            client.read_holding_registers(100, count=60, device_id=1)
            took_s = clock.now_s() - began_s
    finally:
        rack.close()
    wire_s = (8 + 125) * 11 / baud
    assert wire_s < took_s < wire_s + 0.2


def test_a_taken_port_is_an_error(rack):
    settings, port = ModbusRackSettings(), parse_link(rack.url).port
    with pytest.raises(OSError, match=f"port {port} of 127.0.0.1 cannot be opened"):
        run_modbus_rack(
            settings, transport="tcp", port=port, now_s=lambda: 0.0, ready=print, stop=lambda: True
        )


def test_an_unknown_transport_is_refused():
    with pytest.raises(ValueError, match='"tcp" or "rtu"'):
        run_modbus_rack(
            ModbusRackSettings(), transport="udp", now_s=lambda: 0.0, ready=print,
            stop=lambda: True)  # fmt: skip


def test_the_console_begins_faults_and_tells_about_them():
    reading, writing = os.pipe()
    answers, told = [], threading.Event()

    def report(text):
        answers.append(text)
        told.set()

    def type_in(line):
        told.clear()
        os.write(writing, line)
        assert told.wait(5.0)
        return answers[-1]

    with os.fdopen(reading) as console:
        rack = RackThread("tcp", console=console, report=report)
        try:
            assert "estop (an axis)" in type_in(b"help\n")
            assert type_in(b"list\n") == "no faults"
            assert type_in(b"exception 6\n") == "on: exception 6"
            assert "exception" in type_in(b"list\n")
            with client_of(rack) as client:
                answer = client.read_holding_registers(0, count=1, device_id=1)
                assert answer.exception_code == 6
            assert type_in(b"clear\n") == "no faults"
            assert type_in(b"burn\n").startswith("refused: fault 'burn' is unknown; known: drop")
            assert type_in(b"status\n").count("SWITCH_ON_DISABLED") == 6
            os.close(writing)
            with client_of(rack) as client:  # the end of input ends the console only
                assert not client.read_holding_registers(0, count=1, device_id=1).isError()
        finally:
            rack.close()


@pytest.mark.parametrize("rack", [("rtu",)], indirect=True)
def test_a_line_recovers_after_garbage(rack):
    with client_of(rack) as client:
        assert client.connect()
        client.socket.write(b"\x01\x03\xff\x00garbage")
        for _ in range(3):
            try:
                answer = client.read_holding_registers(1032, count=2, device_id=1)
            except Exception:
                continue
            assert answer.registers == [0, 1001]
            return
        raise AssertionError("the rack did not answer any more")


def turns_of_rack(console, *, end_with_console):
    """Run a rack until its console lets it end, or for 20 turns; returns turns and answers."""
    turns, answers = [], []

    def stop():
        turns.append(None)
        return len(turns) > 20

    run_modbus_rack(
        ModbusRackSettings(),
        transport="tcp",
        now_s=lambda: 0.0,
        console=console,
        ready=lambda _: None,
        stop=stop,
        report=answers.append,
        end_with_console=end_with_console,
    )
    return len(turns), answers


@pytest.mark.parametrize("told", [True, False])
def test_a_rack_ends_with_its_console_only_if_told_so(told):
    read_end, write_end = os.pipe()
    os.write(write_end, b"list\n")
    os.close(write_end)
    with open(read_end) as console:
        turns, answers = turns_of_rack(console, end_with_console=told)
    assert answers == ["no faults"]  # what was typed before the end is obeyed
    assert (turns < 10) is told


@pytest.mark.parametrize("kind", ["file", "null"])
def test_a_console_that_cannot_be_waited_for_is_no_console(tmp_path, kind):
    path = os.devnull
    if kind == "file":
        path = tmp_path / "lines"
        path.write_text("list\n")
    with open(path) as console:
        assert turns_of_rack(console, end_with_console=True) == (21, [])

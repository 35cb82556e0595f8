"""The SLCAN adapter against the Lawicel CAN232 manual, and its wires."""

from __future__ import annotations

import os
import select
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rack_thread import running_rack

from sim.devices.can.program import run_can_rack
from sim.devices.can.rack import CanRack
from sim.devices.can.slcan_adapter import LINE_MAX, OUTPUT_MAX, SlcanAdapter
from sim.devices.drive.parameters import RackSettings
from sim.devices.faults import Injection

UPLOAD = b"t60184000100000000000\r"
ANSWER = b"t58184300100092010200\r"


def adapter(settings_: RackSettings | None = None, opened: bool = True) -> SlcanAdapter:
    rack = CanRack(settings_ or RackSettings(), seed=1)
    rack.advance(0.0)
    made = SlcanAdapter(rack)
    made.fetch(0.2)  # boot-up frames pass before the channel is open
    if opened:
        assert say(made, b"O\r") == b"\r"
    return made


def say(made: SlcanAdapter, data: bytes, now_s: float = 0.2) -> bytes:
    made.feed(data, now_s)
    answer = bytes(made.output)
    made.output.clear()
    return answer


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"V\r", b"V1013\r"),
        (b"N\r", b"NHIL0\r"),
        (b"F\r", b"F00\r"),
        (b"O\r", b"\r"),
        (b"C\r", b"\r"),
        (b"\r", b""),
        (b"S8\r", b"\x07"),  # the channel is open
        (b"Z1\r", b"\x07"),
        (b"t0800\r", b"z\r"),
        (b"t20172B0000\r", b"\x07"),  # seven bytes promised
        (b"t8001FF\r", b"\x07"),  # identifier of 12 bits
        (b"t0809112233445566778899\r", b"\x07"),
        (b"t08\r", b"\x07"),
        (b"tZZ1FF\r", b"\x07"),
        (b"t1231 1\r", b"\x07"),
        (b"T000000801AA\r", b"Z\r"),
        (b"r1230\r", b"z\r"),
        (b"R000000800\r", b"Z\r"),
        (b"T00000080\r", b"\x07"),
        (b"q\r", b"\x07"),
        (b"\xff\xfe\r", b"\x07"),
    ],
)
def test_commands_of_an_open_channel(line: bytes, answer: bytes):
    assert say(adapter(), line) == answer


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"S8\r", b"\r"),
        (b"S9\r", b"\x07"),
        (b"s031C\r", b"\r"),
        (b"Z0\r", b"\r"),
        (b"M00000000\r", b"\r"),
        (b"mFFFFFFFF\r", b"\r"),
        (b"m123\r", b"\x07"),
        (b"C\r", b"\r"),
        (b"F\r", b"\x07"),
        (b"t0800\r", b"\x07"),
    ],
)
def test_commands_of_a_closed_channel(line: bytes, answer: bytes):
    assert say(adapter(opened=False), line) == answer


def test_the_opening_of_python_can_is_tolerated():
    assert say(adapter(opened=False), b"C\rS8\r\rO\rO\r") == b"\r\r\r\r"


def test_a_frame_goes_to_the_bus_and_its_answer_comes_back_after_its_bit_time():
    made = adapter()
    assert say(made, UPLOAD) == b"z\r"
    made.fetch(0.2 + 2 * 135e-6 - 1e-6)
    assert made.output == b""
    made.fetch(0.2 + 2 * 135e-6 + 1e-6)
    assert made.output == ANSWER


def test_timestamps_are_milliseconds_in_four_digits():
    made = adapter(opened=False)
    say(made, b"Z1\rO\r")
    say(made, UPLOAD)
    made.fetch(0.21)
    assert made.output == ANSWER[:-1] + b"00C8\r"


def test_a_wrong_bit_rate_lets_nothing_pass():
    made = adapter(opened=False)
    say(made, b"S6\rO\r")
    assert say(made, UPLOAD) == b"\x07"
    assert say(made, b"F\r") == b"F84\r"


@given(st.binary(max_size=300), st.integers(1, 40))
def test_any_bytes_in_any_pieces_leave_a_working_adapter(data: bytes, size: int):
    made = adapter()
    for k in range(0, len(data), size):
        made.feed(data[k : k + size], 0.2)
        assert len(made._line) <= LINE_MAX
    made.feed(b"\rC\rO\r", 0.2)
    made.fetch(0.3)
    made.output.clear()
    made.feed(UPLOAD, 0.3)
    made.fetch(0.31)
    assert made.output.startswith(b"z\r")
    # NMT stop or a reset may have been among the bytes by chance: then no answer is right.
    assert made.output.endswith(ANSWER) or b"t58" not in made.output


def test_a_line_without_end_takes_no_memory_and_is_answered_with_bel():
    made = adapter()
    for _ in range(100):
        made.feed(b"t" * 10_000, 0.2)
        assert len(made._line) <= LINE_MAX
    assert say(made, b"\rV\r") == b"\x07V1013\r"


def test_output_that_nobody_reads_is_bounded_and_flagged():
    made = adapter()
    now_s = 0.2
    for _ in range(8000):
        made.feed(UPLOAD, now_s)
        now_s += 0.0005
        made.fetch(now_s)
    assert len(made.output) <= OUTPUT_MAX + 64
    assert made.lost_frames > 100
    made.output.clear()
    assert say(made, b"F\r", now_s).endswith(b"F01\r")
    assert say(made, b"F\r", now_s).endswith(b"F00\r")


def test_more_frames_than_the_buffer_holds_are_refused():
    made = adapter()
    answers = say(made, UPLOAD * 400)
    assert answers.count(b"\x07") > 0
    assert answers.count(b"z\r") + answers.count(b"\x07") == 400


@pytest.mark.parametrize(
    ("kind", "line"),
    [("truncate", b"t58184300\r"), ("garble", b"tZZ1\xff\x80\x00?g\r")],
)
def test_spoilt_lines(kind: str, line: bytes):
    made = adapter()
    made._rack.faults.start(Injection(kind, 1), 0.2)
    say(made, UPLOAD)
    made.fetch(0.21)
    assert made.output == line


def test_bus_off_is_answered_with_bel_and_flags():
    made = adapter()
    made._rack.faults.start(Injection("bus_off"), 0.2)
    assert say(made, UPLOAD) == b"\x07"
    assert say(made, b"F\r") == b"FA4\r"


# -- wires --------------------


def connect(url: str) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), 2.0)
    client.settimeout(2.0)
    return client


def ask(client: socket.socket, line: bytes, until: bytes) -> bytes:
    client.sendall(line)
    got = b""
    while until not in got:
        part = client.recv(4096)
        assert part, got
        got += part
    return got


def test_a_second_master_on_the_port_is_refused_and_a_later_one_served():
    with running_rack() as urls:
        url = urls.get(timeout=5.0)
        assert url.startswith("slcan:socket://127.0.0.1:")
        with connect(url) as first:
            ask(first, b"O\rV\r", b"V1013\r")
            with connect(url) as second:
                assert second.recv(10) == b""
            ask(first, b"V\r", b"V1013\r")
        with connect(url) as third:
            third.sendall(b"V\r")
            assert third.recv(100) == b"V1013\r"


def test_unplug_ends_the_connection_and_plug_brings_it_back():
    script = (Injection("unplug", at_s=0.3, duration_s=0.3),)
    with running_rack(script=script) as urls:
        url = urls.get(timeout=5.0)
        with connect(url) as client:
            ask(client, b"O\rV\r", b"V1013\r")
            while client.recv(1000):
                pass
        for _ in range(100):
            with connect(url) as client:
                client.sendall(b"V\r")
                try:
                    if client.recv(100) == b"V1013\r":
                        break
                except ConnectionResetError:
                    pass
                select.select([], [], [], 0.02)
        else:
            pytest.fail("the port did not come back")


def test_an_unplugged_terminal_comes_back_under_another_url():
    read_end, write_end = os.pipe()
    answers: list[str] = []
    with running_rack(pty=True, console_fd=read_end, answers=answers) as urls:
        first = urls.get(timeout=5.0)
        fd = os.open(first.removeprefix("slcan:"), os.O_RDWR | os.O_NOCTTY)
        os.write(write_end, b"unplug duration_s=0.1\n")
        second = urls.get(timeout=5.0)
        with pytest.raises(OSError, match="Input/output"):
            os.write(fd, b"V\r")
        os.close(fd)
        fd = os.open(second.removeprefix("slcan:"), os.O_RDWR | os.O_NOCTTY)
        os.write(fd, b"V\r")
        assert select.select([fd], [], [], 2.0)[0]
        assert os.read(fd, 100) == b"V1013\r"
        os.close(fd)
    os.close(write_end)
    os.close(read_end)
    assert answers == ["ok: unplug duration_s=0.1"]


def test_a_stalled_adapter_reads_nothing_and_goes_on_afterwards():
    read_end, write_end = os.pipe()
    silent = RackSettings(boot_time_s=3600.0)
    with (
        running_rack(silent, console_fd=read_end, answers=[]) as urls,
        connect(urls.get(timeout=5.0)) as client,
    ):
        ask(client, b"O\rV\r", b"V1013\r")
        os.write(write_end, b"stall duration_s=0.4\n")
        select.select([], [], [], 0.1)
        client.sendall(b"V\r")
        client.settimeout(0.15)
        with pytest.raises(TimeoutError):
            client.recv(100)
        client.settimeout(2.0)
        assert client.recv(100) == b"V1013\r"
    os.close(write_end)
    os.close(read_end)


def test_a_flood_of_input_does_not_stop_the_heartbeat():
    with running_rack() as urls, connect(urls.get(timeout=5.0)) as client:
        ask(client, b"O\rt60182B17100014000000\r", b"t58186017100000000000\r")
        client.setblocking(False)
        got = b""
        for _ in range(30_000):
            readable, writable, _ = select.select([client], [client], [], 0.01)
            if writable:
                client.send(b"\xffgarbage\r" * 50)
            if readable:
                got += client.recv(65536)
            if got.count(b"t70117F\r") >= 5:
                break
        assert got.count(b"t70117F\r") >= 5


def test_two_buses_are_two_urls():
    two = RackSettings(buses=(0, 0, 0, 1, 1, 1), boot_time_s=0.0)
    with running_rack(two) as urls:
        first, second = urls.get(timeout=5.0).split(" ")
        with connect(first) as left, connect(second) as right:
            for client, node in ((left, 1), (right, 4)):
                answer = ask(client, b"O\rt60%d84000100000000000\r" % node, b"92010200\r")
                assert b"t58%d8" % node in answer
            left.sendall(b"t60484000100000000000\r")
            left.settimeout(0.1)
            assert left.recv(100) == b"z\r"
            with pytest.raises(TimeoutError):
                left.recv(100)


def test_a_taken_port_is_told():
    with running_rack() as urls:
        port = int(urls.get(timeout=5.0).rsplit(":", 1)[1])
        with pytest.raises(OSError, match="in use"):
            run_can_rack(
                RackSettings(),
                port=port,
                now_s=lambda: 0.0,
                ready=lambda _: None,
                stop=lambda: True,
            )


@pytest.mark.parametrize("told", [True, False])
def test_a_rack_ends_with_its_console_only_if_told_so(told: bool):
    read_end, write_end = os.pipe()
    os.write(write_end, b"status\n")
    os.close(write_end)
    turns: list[None] = []

    def stop() -> bool:
        turns.append(None)
        return len(turns) > 50

    answers: list[str] = []
    with open(read_end) as console:
        run_can_rack(
            RackSettings(),
            now_s=lambda: 0.0,
            ready=lambda _: None,
            stop=stop,
            console=console,
            say=answers.append,
            end_with_console=told,
        )
    assert len(answers) == 1  # what was typed before the end is obeyed
    assert (len(turns) < 10) is told


def test_the_answer_to_sync_is_one_write_before_the_timers_are_looked_at():
    rack = CanRack(RackSettings(bitrate=None, boot_time_s=0.0), seed=1)
    made = SlcanAdapter(rack)
    rack.advance(0.0)
    made.fetch(0.01)
    say(made, b"O\r", 0.01)
    for node in range(1, 7):
        configuration = (
            b"t60%d82300180180010080\r" % node,  # 1800h:1, no TPDO1 while it is changed
            b"t60%d82F00180201000000\r" % node,  # 1800h:2 = 1, with every SYNC
            b"t60%d8230018018%d010000\r" % (node, node),
        )
        for line in configuration:
            made.feed(line, 0.01)
            made.fetch(0.01)
    say(made, b"t00020100\r", 0.01)
    made.fetch(0.02)
    made.output.clear()
    made.feed(b"t0800\r", 0.0205)
    made.fetch(0.0205)
    lines = bytes(made.output).split(b"\r")
    assert [line[:4] for line in lines] == [b"z", *(b"t18%d" % n for n in range(1, 7)), b""]
    due_s = rack.next_due_s()
    assert due_s is not None
    assert 0.0205 < due_s < 0.02151

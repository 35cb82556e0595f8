"""Rows 29 to 31 and 33 to 35 of the fault catalogue, at the link.

Each row is a check, a test that runs it, and a control: with the reaction patched out the check
fails, and where a library is known to behave wrongly, it does.
"""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import can
import pytest
import serial
from slcan_peer import BITRATE, Adapter, now_s, until_lost

from drives.bank import LinkError, LinkLostError
from drives.can import slcan_bus, slcan_port
from drives.can.frames import Frame
from drives.can.slcan_bus import open_slcan
from drives.can.slcan_port import BytePort

pytestmark = pytest.mark.real_time

ROOT = Path(__file__).parents[2]
CYCLE = [*(Frame(0x200 + node, bytes(range(7))) for node in range(1, 7)), Frame(0x080, b"")]
TRUNCATED = b"t18180011\r"
GARBAGE = [
    b"tZZ1..\r",
    b"\xff\r",
    b"\xff\xfe\x00\r",
    b"t1819001122\r",
    b"t18\r",
    b"\xfft1812AABB\r",
    b"x" * 5000 + b"\r",
    b"t181\x07",
]
GOOD_LINE, GOOD = b"t18224B00\r", Frame(0x182, b"\x4b\x00")
REACTION_S = 0.05


def python_can(adapter):
    """Python-can's own bus on a pty; it waits for no answer while it opens."""
    return can.Bus(adapter.channel, interface="slcan", bitrate=BITRATE, sleep_after_open=0)


def careless_line(line):
    """Read a line as python-can's slcan reads it."""
    count = int(line[4:5])
    return Frame(int(line[1:4], 16), bytes.fromhex(line[5 : 5 + 2 * count].decode()))


# Row 29: a truncated frame.


def check_row_29(adapter, bus):
    before = bus.health().bad_lines
    adapter.say(TRUNCATED + GOOD_LINE)
    assert bus.receive_frames(1.0) == [GOOD]
    assert bus.health().bad_lines == before + 1
    assert "t18180011" in bus.health().note


def test_row_29_a_truncated_frame_is_dropped_and_counted(adapter, bus):
    check_row_29(adapter, bus)


def test_row_29_control(adapter, bus, monkeypatch):
    monkeypatch.setattr(slcan_bus, "parse_line", careless_line)
    with pytest.raises(AssertionError):
        check_row_29(adapter, bus)


def test_row_29_python_can_delivers_two_bytes_of_eight():
    adapter = Adapter("pty")
    with python_can(adapter) as other:
        adapter.say(TRUNCATED)
        message = other.recv(1.0)
        assert (message.dlc, len(message.data)) == (8, 2)
    adapter.close()


# Row 30: garbage.


def check_row_30(adapter, bus, garbage):
    before = bus.health()
    adapter.say(garbage)
    adapter.say(GOOD_LINE)
    frames = []
    while not frames:
        more = bus.receive_frames(1.0)
        assert more, "the receiver hears nothing any more"
        frames += more
    assert frames == [GOOD]
    assert bus.health().bad_lines == before.bad_lines + 1
    bus.send_frames(CYCLE)


@pytest.mark.parametrize("garbage", GARBAGE)
def test_row_30_garbage_is_counted_and_the_next_line_is_whole(adapter, bus, garbage):
    check_row_30(adapter, bus, garbage)


def test_row_30_control(adapter, bus, monkeypatch):
    monkeypatch.setattr(slcan_bus, "parse_line", careless_line)
    with pytest.raises((AssertionError, ValueError)):
        check_row_30(adapter, bus, GARBAGE[0])


@pytest.mark.parametrize("garbage", GARBAGE[:2])
def test_row_30_python_can_dies_of_it(garbage):
    adapter = Adapter("pty")
    with python_can(adapter) as other:
        adapter.say(garbage)
        with pytest.raises((can.CanError, ValueError)):
            other.recv(1.0)
    adapter.close()


# Row 31: an adapter that stops reading.


def check_row_31(adapter, bus):
    text, took_s = until_lost(lambda: bus.send_frames(CYCLE))
    assert took_s <= REACTION_S
    assert re.search(r"did not take \d+ bytes within", text)
    assert text.startswith(adapter.url)
    with pytest.raises(LinkLostError):
        bus.send_frames(CYCLE)


def test_row_31_a_write_that_is_not_taken_ends_the_link_within_50_ms(adapter, bus):
    check_row_31(adapter, bus)


def test_row_31_control(adapter, bus):
    bus._port._write_timeout_s = 0.2
    with pytest.raises(AssertionError):
        check_row_31(adapter, bus)


def test_row_31_python_can_waits_for_ever():
    adapter = Adapter("pty")
    other = python_can(adapter)
    message = can.Message(arbitration_id=0x201, data=bytes(8), is_extended_id=False)
    sender = threading.Thread(target=lambda: [other.send(message) for _ in range(5000)])
    sender.start()
    sender.join(0.5)
    assert sender.is_alive()
    while sender.is_alive():
        adapter.hear(timeout_s=0.01)
    other.shutdown()
    adapter.close()


# Row 33: the adapter is unplugged.


def check_row_33(adapter, bus):
    adapter.vanish()
    before_s = now_s()
    with pytest.raises(LinkLostError, match=re.escape(bus._port.device)) as loss:
        bus.receive_frames(1.0)
    assert now_s() - before_s <= REACTION_S
    assert str(loss.value).startswith(adapter.url)
    with pytest.raises(LinkLostError):
        bus.send_frames(CYCLE)


def test_row_33_an_unplugged_adapter_is_noticed_within_50_ms(adapter, bus):
    check_row_33(adapter, bus)


def test_row_33_control(adapter, bus, monkeypatch):
    monkeypatch.setattr(BytePort, "_take", lambda port: b"")
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_row_33(adapter, bus)


def test_row_33_pyserial_believes_that_the_port_is_open():
    adapter = Adapter("pty")
    with serial.Serial(adapter.channel, timeout=0) as port:
        adapter.vanish()
        assert port.is_open
    adapter.close()


# Row 34: it is plugged in again, under another name.


def check_row_34(bus, by_id, adapter, again):
    """Even if the name that was opened leads to the adapter again, the link stays lost."""
    adapter.vanish()
    until_lost(lambda: bus.receive_frames(0.0), tries=2)
    by_id.unlink()
    by_id.symlink_to(again.channel)
    for call in (lambda: bus.send_frames(CYCLE), lambda: bus.receive_frames(0.0)):
        with pytest.raises(LinkLostError, match="the link is lost until a new start"):
            call()
    assert again.hear(timeout_s=0.0) == b"", "something was said to the adapter that came back"


@pytest.fixture
def replugged(tmp_path):
    """A name as under by-id, a bus opened by it, the adapter, and the one that comes back."""
    adapter, again = Adapter("pty"), Adapter("pty")
    by_id = tmp_path / "usb-Example_Adapter_0042-if00"
    by_id.symlink_to(adapter.channel)
    real, adapter.channel = adapter.channel, str(by_id)
    bus = adapter.open()
    yield bus, by_id, adapter, again
    bus.shutdown()
    adapter.close()
    again.close()
    assert real != again.channel


def test_row_34_an_adapter_that_comes_back_is_not_picked_up(replugged):
    check_row_34(*replugged)


def test_row_34_only_a_new_start_opens_it_by_its_name(replugged):
    bus, by_id, adapter, again = replugged
    check_row_34(bus, by_id, adapter, again)
    bus.shutdown()
    again.channel = str(by_id)
    again.open().shutdown()


def test_row_34_control(replugged, monkeypatch):
    _, by_id, _, _ = replugged

    def reconnect(port):
        if port._lost and by_id.exists():
            fd = os.open(by_id, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            os.dup2(fd, port._fd)
            os.close(fd)
            port._lost = ""

    monkeypatch.setattr(BytePort, "check", reconnect)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_row_34(*replugged)


# Row 35: two controllers on one port.


def check_row_35(adapter):
    with pytest.raises(LinkError, match=r"another controller has it|is in use by another"):
        open_slcan(adapter.channel, adapter.url, bitrate=BITRATE, now_s=now_s)
    assert adapter.hear(timeout_s=0.0) == b"", "the second controller spoke to the adapter"


def test_row_35_a_second_controller_is_refused_before_it_says_anything(adapter, bus):
    check_row_35(adapter)
    bus.send_frames(CYCLE)
    assert adapter.hear().startswith(b"t201")


def test_row_35_another_process_is_refused(adapter, bus):
    script = (
        "import sys; from drives.links import open_can, parse_link\n"
        "try: open_can(parse_link(sys.argv[1]), bitrate=1000000, now_s=lambda: 0.0)\n"
        "except OSError as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, adapter.url],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    who = f"process {os.getpid()}, user {os.getuid()}"
    expected = f"LinkError {adapter.url}: another controller has it ({who})"
    assert done.stdout.startswith(expected)
    assert adapter.hear(timeout_s=0.0) == b""


class _NoLock:
    def __init__(self, *_):
        pass

    def release(self):
        pass


def test_row_35_control_without_the_lock_file_the_device_itself_is_locked(monkeypatch):
    adapter = Adapter("pty")
    bus = adapter.open()
    monkeypatch.setattr(slcan_port, "PortLock", _NoLock)
    check_row_35(adapter)
    bus.shutdown()
    adapter.close()


def test_row_35_control(monkeypatch):
    adapter = Adapter("pty")
    bus = adapter.open()
    monkeypatch.setattr(slcan_port, "PortLock", _NoLock)
    monkeypatch.setattr(slcan_port, "claim_terminal", lambda *_: None)
    with pytest.raises(AssertionError, match="gave no answer to V"):
        check_row_35(adapter)  # it was let in, and spoke: its question got no answer here
    bus.shutdown()
    adapter.close()


def test_row_35_pyserial_opens_a_port_twice():
    adapter = Adapter("pty")
    with serial.Serial(adapter.channel) as first, serial.Serial(adapter.channel) as second:
        assert first.is_open
        assert second.is_open
    adapter.close()

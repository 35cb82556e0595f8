"""Ports: bounded writes, ends that are noticed, and one holder at a time."""

import os
import select
import socket
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from slcan_peer import Adapter, now_s, until_lost

from drives.bank import LinkError, LinkLostError
from drives.can.slcan_port import WRITE_TIMEOUT_S, BytePort, open_serial, open_tcp
from drives.port_lock import PortLock, tcp_endpoints

pytestmark = pytest.mark.real_time

LINE = b"t2018000102030405060708\r"


@pytest.fixture
def port(adapter):
    port = adapter.port()
    adapter.accept()
    yield port
    port.close()


def fill(port):
    """Write until the adapter, which reads nothing, is full and the port gives up."""
    return until_lost(lambda: port.write(LINE * 13))


def test_bytes_pass_unchanged_both_ways(adapter, port):
    every_byte = bytes(range(256))
    port.write(every_byte)
    assert adapter.hear() == every_byte
    adapter.say(every_byte)
    assert port.read(1.0) == every_byte
    assert port.read(0.0) == b""


def test_a_write_that_is_not_taken_ends_the_port_in_bounded_time(adapter, port):
    text, took_s = fill(port)
    assert text.startswith(f"{adapter.url}: {port.device} did not take ")
    assert text.endswith("bytes within 5 ms; the link is lost until a new start")
    assert took_s < 10 * WRITE_TIMEOUT_S


def test_after_a_line_was_cut_nothing_follows_it_even_when_there_is_room_again(adapter, port):
    fill(port)
    heard = b""
    while select.select([adapter.fd], [], [], 0.05)[0]:
        heard += os.read(adapter.fd, 65536)
    with pytest.raises(LinkLostError, match="did not take"):
        port.write(b"t0800\r")
    assert adapter.hear(timeout_s=0.05) == b""
    assert (LINE * (len(heard) // len(LINE) + 1)).startswith(heard)


def test_a_write_that_is_taken_in_parts_is_finished(adapter):
    port = adapter.port(write_timeout_s=5.0)
    adapter.accept()
    port._writable = _Room(port._writable, adapter)
    sent = LINE * 13
    for _ in range(1000):
        port.write(sent)
        if port._writable.drained:
            break
    assert port._writable.drained, "the adapter never was full"
    everything = port._writable.drained
    while select.select([adapter.fd], [], [], 0.1)[0]:
        everything += os.read(adapter.fd, 65536)
    assert set(everything[:-1].split(b"\r")) == {LINE[:-1]}
    assert len(everything) % len(sent) == 0
    port.close()


def test_a_program_that_comes_late_itself_does_not_lose_an_adapter_that_has_room():
    adapter, times = Adapter("pty"), iter([0.0, 99.0, 199.0])
    fd = os.open(adapter.channel, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    port = BytePort(fd, "test:", "a pty", lambda: next(times))
    port._write_rest(memoryview(LINE))
    assert adapter.hear() == LINE
    port.close()
    adapter.close()


class _Room:
    """A poll that lets the adapter read a little before it waits for room."""

    def __init__(self, poll, adapter):
        self.real, self.adapter, self.drained = poll, adapter, b""

    def poll(self, timeout_ms):
        self.drained += self.adapter.hear()
        return self.real.poll(timeout_ms)


def test_an_adapter_that_vanishes_is_noticed_by_reading(adapter, port):
    adapter.vanish()
    before_s = now_s()
    with pytest.raises(LinkLostError, match=f"^{adapter.url}: .*(has closed|cannot be read)"):
        port.read(5.0)
    assert now_s() - before_s < 0.05


def test_an_adapter_that_vanishes_is_noticed_by_writing(adapter, port):
    adapter.vanish()
    text, _ = until_lost(lambda: port.write(LINE), tries=2)  # TCP learns by the first one's answer
    assert text.startswith(f"{adapter.url}: ")
    assert "cannot be written" in text


def test_a_waiting_read_wakes_up_when_the_adapter_goes(adapter, port):
    command = [sys.executable, "-c", "import sys; sys.stdin.read(1)"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(adapter.fd,))
    adapter.vanish()  # the child still holds the other end
    assert port.read(0.02) == b""
    child.kill()
    child.communicate()
    with pytest.raises(LinkLostError):
        port.read(5.0)


def test_a_flood_does_not_keep_a_read_for_ever(adapter, port, monkeypatch):
    adapter.say(b"x")  # there is something to read
    monkeypatch.setattr(os, "read", lambda fd, size: b"x" * size)
    assert len(port.read(1.0)) == 16 * 65536


def test_a_closed_port_says_so_and_closes_once(port):
    port.close()
    port.close()
    for call in (lambda: port.read(0.0), lambda: port.write(b"x"), port.check):
        with pytest.raises(LinkLostError, match="was closed by this program"):
            call()
    assert port.fileno() == -1


def test_a_second_opener_in_this_process_is_refused_until_the_first_one_closes(adapter, port):
    holder = f"another controller has it .process {os.getpid()}."
    with pytest.raises(LinkError, match=holder) as refusal:
        adapter.port()
    assert adapter.url in str(refusal.value)
    port.close()
    adapter.port().close()


def test_a_device_that_another_program_has_locked_is_refused():
    adapter = Adapter("pty")
    script = (
        "import fcntl, os, sys; fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); "
        "fcntl.flock(fd, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    )
    with _child("-c", script, adapter.channel) as child:
        with pytest.raises(LinkError, match="is in use by another program"):
            adapter.port()
        child.kill()
    adapter.port().close()
    adapter.close()


def test_a_serial_device_is_claimed_for_this_program_alone(monkeypatch):
    adapter, claims = Adapter("pty"), []
    monkeypatch.setattr("drives.port_lock._PTY_MAJORS", ())
    monkeypatch.setattr("fcntl.ioctl", lambda fd, request, *_: claims.append(request))
    adapter.port().close()
    assert claims[-1] == termios.TIOCEXCL
    adapter.close()


def _child(*arguments):
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdout.readline() == b"held\n"
    return child


@pytest.mark.parametrize(
    ("device", "text"),
    [
        ("/dev/serial/by-id/usb-none", "No such file or directory; plug the adapter in"),
        ("/dev/null", "/dev/null is no serial device; give one, such as /dev/ttyACM0"),
        ("/", "cannot open /: Is a directory; look for adapters"),
    ],
)
def test_what_is_no_serial_device_is_refused(device, text):
    with pytest.raises(LinkError) as refusal:
        open_serial(device, f"slcan:{device}", now_s)
    assert str(refusal.value).startswith(f"slcan:{device}: ")
    assert text in str(refusal.value)


def test_a_device_that_this_user_may_not_open_is_told_how(monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(LinkError, match="Permission denied; add the user to the group"):
        open_serial("/dev/ttyACM0", "slcan:/dev/ttyACM0", now_s)


@pytest.mark.parametrize("baud", [0, 12345])
def test_a_speed_that_no_port_has_is_refused(baud):
    with pytest.raises(LinkError, match=f"{baud} Bd is no speed of a serial port"):
        open_serial("/dev/null", "slcan:/dev/null", now_s, baud=baud)


def test_a_device_that_cannot_be_set_up_is_free_again(monkeypatch):
    adapter = Adapter("pty")
    with monkeypatch.context() as patch:
        patch.setattr(termios, "tcsetattr", _refuse_setup)
        with pytest.raises(LinkError, match="cannot be set to raw: Invalid argument"):
            adapter.port()
    adapter.port().close()
    adapter.close()


def _refuse_setup(*_):
    raise termios.error(22, "Invalid argument")


def test_a_host_where_nothing_listens_is_named():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.getsockname()[1]
    url = f"slcan:socket://127.0.0.1:{number}"
    with pytest.raises(LinkError, match=f"^{url}: nothing answers at 127.0.0.1:{number}: Conn"):
        open_tcp("127.0.0.1", number, url, now_s)
    PortLock(tcp_endpoints("127.0.0.1", number, url), url).release()


def test_a_host_without_an_address_is_named():
    with pytest.raises(LinkError, match="no address for host 'no such host'"):
        open_tcp("no such host", 1, "slcan:socket://no such host:1", now_s)


def test_no_wait_uses_a_clock_that_stands_still_for_ever():
    adapter = Adapter("pty")
    fd = os.open(adapter.channel, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    port = BytePort(fd, "test:", "a pty", lambda: 0.0)
    text, _ = fill(port)
    assert "did not take" in text
    port.close()
    adapter.close()

"""One holder per device: whatever the environment, the folder, the user and the name of it."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import termios
import uuid
from pathlib import Path

import pytest

import arm_driver.port_lock
import drives.port_lock
from arm_driver.link_errors import ArmLinkError
from drives.bank import LinkError
from drives.can.library_bus import can_endpoint
from drives.can.socketcand_bus import _endpoints

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import os, sys
sys.path.insert(0, {root!r})
from {package}.port_lock import PortLock, serial_endpoint, tcp_endpoints
if {user!r} is not None:
    os.setgroups([]); os.setgid({user!r}); os.setuid({user!r})
how, *what = sys.argv[1:]
ends = dict(
    serial=lambda: (serial_endpoint(what[0]),),
    tcp=lambda: tcp_endpoints(what[0], int(what[1]), "theirs:"),
    plain=lambda: what,
)[how]()
try:
    lock = PortLock(ends, "theirs:")
except OSError as error:
    sys.exit("refused: " + str(error))
print("held", flush=True)
sys.stdin.read()
"""
NOBODY = 65534


class Holder:
    """Another program that takes a lock, or is refused."""

    def __init__(self, *what, package="drives", prefix=(), user=None, **environment):
        program = HOLDER.format(root=str(ROOT), package=package, user=user)
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-c", program, *what],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            env={"PATH": os.environ["PATH"], **environment},
        )  # fmt: skip
        self.held = self.process.stdout.readline() == b"held\n"
        self.said = "" if self.held else self.process.stderr.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(params=[drives.port_lock, arm_driver.port_lock], ids=["drives", "arm_driver"])
def port_lock(request):
    return request.param


@pytest.fixture
def pty():
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


def endpoint():
    """One that no other test, worker or checkout has."""
    return f"test:{uuid.uuid4()}"


def test_both_copies_are_the_same_but_for_the_error_that_they_raise():
    ours, theirs = (
        Path(module.__file__).read_text() for module in (drives.port_lock, arm_driver.port_lock)
    )
    mine = "from drives.bank import LinkError\n"
    other = "from arm_driver.link_errors import ArmLinkError as LinkError\n"
    assert ours.count(mine) == 1
    assert ours.replace(mine, other) == theirs


def test_a_second_holder_is_refused_and_told_who_has_it(port_lock):
    mine = endpoint()
    lock = port_lock.PortLock((mine,), "test:")
    who = rf"\(process {os.getpid()}, user {os.getuid()}\)"
    right = rf"^test:: another controller has it {who}; stop"
    with pytest.raises((LinkError, ArmLinkError), match=right):
        port_lock.PortLock((mine,), "test:")
    port_lock.PortLock((endpoint(),), "test:").release()
    lock.release()
    lock.release()
    port_lock.PortLock((mine,), "test:").release()


def test_an_arm_and_drives_exclude_each_other_at_one_device(port_lock):
    mine = endpoint()
    lock = port_lock.PortLock((mine,), "test:")
    for package in ("drives", "arm_driver"):
        with Holder("plain", mine, package=package) as other:
            assert not other.held
            assert f"process {os.getpid()}" in other.said
    lock.release()


def test_one_name_of_several_is_enough_to_be_refused_and_nothing_is_kept(port_lock):
    first, second, third = (endpoint() for _ in range(3))
    lock = port_lock.PortLock((first, second), "test:")
    with pytest.raises((LinkError, ArmLinkError)):
        port_lock.PortLock((second, third), "test:")
    port_lock.PortLock((third,), "test:").release()
    lock.release()


def test_a_lock_outlives_no_process_however_it_ends(port_lock):
    mine = endpoint()
    with Holder("plain", mine) as other:
        assert other.held
        with pytest.raises((LinkError, ArmLinkError), match=f"process {other.process.pid},"):
            port_lock.PortLock((mine,), "test:")
        other.process.send_signal(signal.SIGKILL)
        other.process.wait()
        port_lock.PortLock((mine,), "test:").release()


@pytest.mark.parametrize("name", ["XDG_RUNTIME_DIR", "TMPDIR", "HOME"])
def test_no_variable_of_the_environment_makes_two_locks_of_one(name, pty, tmp_path):
    with Holder("serial", pty, **{name: str(tmp_path)}) as first, Holder("serial", pty) as second:
        assert first.held
        assert f"process {first.process.pid}" in second.said
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can become somebody else")
@pytest.mark.parametrize("first_is_root", [True, False])
def test_users_exclude_each_other(first_is_root, pty):
    mine = endpoint()
    users = (None, NOBODY) if first_is_root else (NOBODY, None)
    with Holder("plain", mine, user=users[0]) as first, Holder("plain", mine, user=users[1]) as two:
        assert first.held
        assert f"process {first.process.pid}, user {users[0] or 0}" in two.said


def test_two_names_of_a_serial_device_are_one(port_lock, pty, tmp_path):
    link, second = tmp_path / "usb-adapter", tmp_path / "by-id"
    link.symlink_to(pty)
    second.symlink_to(link)
    names = [pty, str(link), str(second), f"/dev/../{pty}"]
    assert len({port_lock.serial_endpoint(name) for name in names}) == 1
    other = os.openpty()
    assert port_lock.serial_endpoint(os.ttyname(other[1])) != port_lock.serial_endpoint(pty)
    for end in other:
        os.close(end)


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can make devices")
def test_two_nodes_of_a_serial_device_are_one(port_lock, tmp_path):
    """As a container gets them: made anew, with the number of the host's."""
    made = []
    for name in ("ttyUSB0", "of-a-container"):
        made.append(tmp_path / name)
        try:
            os.mknod(made[-1], 0o20600, os.makedev(188, 7))
        except PermissionError:
            pytest.skip("no devices can be made here")
    assert {port_lock.serial_endpoint(str(node)) for node in made} == {"tty:188:7"}


def test_what_is_no_device_is_left_to_whoever_opens_it(port_lock, tmp_path):
    (tmp_path / "file").touch()
    assert port_lock.serial_endpoint(str(tmp_path / "file")).startswith("file:")
    assert port_lock.serial_endpoint("/dev/no-such") == "path:/dev/no-such"


def test_all_names_and_addresses_of_this_computer_are_one(port_lock):
    spellings = ["localhost", "127.0.0.1", "127.0.0.2", "0.0.0.0", socket.gethostname()]
    if socket.has_ipv6 and Path("/proc/net/if_inet6").exists():
        spellings += ["::1", "::ffff:127.0.0.1", "::"]
    for spelling in spellings:
        try:
            found = port_lock.tcp_endpoints(spelling, 502, "test:")
        except (LinkError, ArmLinkError):
            assert spelling == socket.gethostname(), spelling  # a machine need not know its name
            continue
        assert found == ("tcp:local:502",), spelling
    assert port_lock.tcp_endpoints("127.0.0.1", 503, "test:") == ("tcp:local:503",)


def test_other_computers_are_their_addresses(port_lock, monkeypatch):
    two = [
        (socket.AF_INET, 1, 6, "", ("192.0.2.7", 502)),
        (socket.AF_INET6, 1, 6, "", ("2001:db8::7", 502, 0, 0)),
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: two)
    found = port_lock.tcp_endpoints("gateway", 502, "test:")
    assert found == ("tcp:192.0.2.7:502", "tcp:2001:db8::7:502")
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: two[:1])
    assert set(port_lock.tcp_endpoints("192.0.2.7", 502, "test:")) < set(found)


def test_a_host_without_an_address_is_named(port_lock):
    with pytest.raises((LinkError, ArmLinkError), match="no address for host 'no such host'"):
        port_lock.tcp_endpoints("no such host", 1, "test:")


def test_an_interface_is_its_number_and_one_served_by_this_computer_is_the_same():
    number = socket.if_nametoindex("lo")
    assert can_endpoint("lo") == f"can:{number}"
    assert can_endpoint("nocan9") == "can:nocan9"
    assert f"can:{number}" in _endpoints("localhost", 29536, "lo", "test:")
    assert _endpoints("localhost", 29536, "nocan9", "test:") == ["tcp:local:29536:nocan9"]
    assert _endpoints("192.0.2.7", 29536, "lo", "test:") == ["tcp:192.0.2.7:29536:lo"]


def test_an_endpoint_of_any_length_and_kind_is_one_lock(port_lock):
    for mine in ("/dev/" + "x" * 4000, "a/\n b\0c", "\udc80" * 60):
        lock = port_lock.PortLock((mine,), "test:")
        with pytest.raises((LinkError, ArmLinkError)):
            port_lock.PortLock((mine,), "test:")
        lock.release()


def test_an_exclusive_device_is_refused_to_the_superuser_as_well(port_lock, pty, monkeypatch):
    """Another namespace has no common lock; the mode of the device is common to all."""
    monkeypatch.setattr(port_lock, "_PTY_MAJORS", ())
    first, second = (os.open(pty, os.O_RDWR | os.O_NOCTTY) for _ in range(2))
    port_lock.claim_terminal(first, pty, "test:")
    fcntl.flock(first, fcntl.LOCK_UN)  # as if it were held through another node of the device
    with pytest.raises((LinkError, ArmLinkError), match="in use by another program"):
        port_lock.claim_terminal(second, pty, "test:")
    fcntl.ioctl(first, termios.TIOCNXCL)
    port_lock.claim_terminal(second, pty, "test:")
    fcntl.ioctl(second, termios.TIOCNXCL)
    for fd in (first, second):
        os.close(fd)


@pytest.mark.skipif(not shutil.which("unshare") or os.getuid() != 0, reason="no namespaces here")
def test_a_namespace_of_networks_has_locks_of_its_own():
    """What the manual warns of: seen, so that nobody relies on the opposite."""
    mine = endpoint()
    with Holder("plain", mine) as first, Holder("plain", mine, prefix=("unshare", "-n")) as second:
        assert first.held
        if "unshare" in second.said:
            pytest.skip(second.said)
        assert second.held

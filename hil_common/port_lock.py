"""One controller per device: a lock on the device itself, that ends with its holder.

Two programs at one device would both command it, and a second open succeeds by default. The lock is
a socket with an abstract name (unix(7)) made of what the device is, and not of what it is called:
the number of a serial device, address and port of a connection. There is no file, and so no folder,
variable or right that could lead two programs to different places; it holds between users, and
the kernel takes it back when its holder ends, for whatever reason. It does not hold between network
namespaces, such as those of containers: a serial device is therefore claimed by itself as well, and
what else there is on a bus is for the bus to show.

Drives and arms raise an error of their own, which each gives along.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import socket
import stat
import struct
import termios
from collections.abc import Sequence

_PREFIX = "\0hil-bench/"
_LONGEST_NAME = 80
_TRIES = 3
"""Attempts to take a lock; a holder may end between an attempt and the question who it is."""
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group of the other end (SO_PEERCRED, unix(7))."""
_TIOCGEXCL = 0x80045440
"""Request whether a terminal is in exclusive mode (ioctl_tty(2)); no word in `termios` for it."""

# Device numbers of pseudo terminals: their exclusive mode would outlive the program that set it.
_PTY_MAJORS = range(136, 144)


class PortLock:
    """The exclusive right to use one device, held until `release` or the end of the process.

    Args:
        endpoints: All that the device is, from `serial_endpoint` or `tcp_endpoints`: another holder
            of one of them has the device.
        url: What an error calls it.
        refusal: Error type of the caller.

    Raises:
        refusal: If another holder has it; names its process and user.
    """

    __slots__ = ("_descriptors",)

    def __init__(self, endpoints: Sequence[str], url: str, refusal: type[Exception]) -> None:
        self._descriptors: list[int] = []
        try:
            for endpoint in sorted(set(endpoints)):
                self._descriptors.append(_hold(endpoint, url, refusal))
        except refusal:
            self.release()
            raise

    def release(self) -> None:
        """Give the device back; a second call does nothing."""
        while self._descriptors:
            os.close(self._descriptors.pop())


def serial_endpoint(device: str) -> str:
    """Name a serial device by what it is, whichever of its names and links led to it.

    Returns:
        Its number, for `PortLock`; the path if there is nothing, which opening it will report.
    """
    try:
        found = os.stat(device)
    except OSError:
        return f"path:{os.path.realpath(device)}"
    if not stat.S_ISCHR(found.st_mode):
        return f"file:{found.st_dev}:{found.st_ino}"
    major, minor = os.major(found.st_rdev), os.minor(found.st_rdev)
    if major in _PTY_MAJORS:  # each file system of pseudo terminals counts its own
        return f"pty:{found.st_dev}:{major}:{minor}"
    return f"tty:{major}:{minor}"


def tcp_endpoints(host: str, port: int, url: str, refusal: type[Exception]) -> tuple[str, ...]:
    """Give a connection the same name for every spelling of its host.

    All addresses of this computer are one: ``localhost``, ``::1``, its own name.

    Returns:
        ``tcp:ADDRESS:PORT`` for each address of the host, for `PortLock`.

    Raises:
        refusal: If the name has no address.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        text = f"{url}: no address for host {host!r}: {error.strerror}"
        raise refusal(f"{text}; a name of this network or an address is needed") from error
    addresses = {
        "local" if _is_of_this_computer(family, place) else str(place[0])
        for family, _, _, _, place in found
    }
    return tuple(sorted(f"tcp:{address}:{port}" for address in addresses))


def claim_terminal(fd: int, device: str, url: str, refusal: type[Exception]) -> None:
    """Take an open serial device for this program: other opens fail, other holders are refused.

    It holds in every namespace: the exclusive mode is the device's own.

    Args:
        device: Its path, for the text of an error.

    Raises:
        refusal: If it is no serial device, or another program has claimed it.
    """
    if not os.isatty(fd):
        raise refusal(f"{url}: {device} is no serial device; give one, such as /dev/ttyACM0")
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.major(os.fstat(fd).st_rdev) not in _PTY_MAJORS:
            _refuse_exclusive(fd)
            fcntl.ioctl(fd, termios.TIOCEXCL)
    except OSError as error:
        text = f"{url}: {device} is in use by another program"
        raise refusal(f"{text} ({error.strerror}); stop that one first") from error


def _refuse_exclusive(fd: int) -> None:
    """Refuse a device in another program's exclusive mode, which lets the superuser in."""
    answer = bytearray(4)
    with contextlib.suppress(OSError):  # a kernel or driver that cannot tell
        fcntl.ioctl(fd, _TIOCGEXCL, answer)
    if any(answer):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def _is_of_this_computer(family: int, place: Sequence[object]) -> bool:
    """Whether an address is one of this computer's: a socket can be bound to those alone."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.bind((place[0], 0, *place[2:]))
    except OSError:
        return False
    return True


def _hold(endpoint: str, url: str, refusal: type[Exception]) -> int:
    """Take the lock of one endpoint; return the descriptor that it ends with."""
    name = endpoint if len(endpoint) <= _LONGEST_NAME else _digest(endpoint)
    holder = ""
    for _ in range(_TRIES):
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            lock.bind(_PREFIX + name)
            lock.listen()  # so that others can ask who holds it; nobody is ever let in
        except OSError as error:
            lock.close()
            if error.errno != errno.EADDRINUSE:
                raise refusal(f"{url}: cannot be locked: {error.strerror}") from error
        else:
            return lock.detach()
        if holder := _holder(name):
            break
    text = f"{url}: another controller has it ({holder or 'process unknown'})"
    raise refusal(f"{text}; stop that one first, a machine has one controller")


def _holder(name: str) -> str:
    """Describe the holder of a lock; empty if it is not known, or nobody holds it any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as question:
        question.setblocking(False)
        try:
            question.connect(_PREFIX + name)
            raw = question.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        except OSError:
            return ""
    process, user, _ = _CREDENTIALS.unpack(raw)
    return f"process {process or 'of another container'}, user {user}"


def _digest(endpoint: str) -> str:
    return hashlib.sha256(endpoint.encode("utf-8", "surrogateescape")).hexdigest()

"""One controller per port: a lock that the kernel gives back when its holder dies.

Two programs on one bus would both send setpoints, and a second open of a serial port succeeds by
default. The lock is a file with `flock` on it: whoever holds the lock holds the file open, and a
process that ends in whatever way closes its files. The file itself stays, and means nothing.

The lock keeps out programs that ask for it, of the same user. A serial device is also locked by
itself (see `drives.slcan_port`), which keeps out programs of every user.
"""

import fcntl
import os
import socket
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

from drives.bank import LinkError

_LONGEST_NAME = 200
_READ_BYTES = 64


def lock_directory() -> Path:
    """Return the folder for lock files of this user, made if it is missing.

    It is `$XDG_RUNTIME_DIR/hil-bench`, or `hil-bench-UID` in the folder for temporary files.

    Raises:
        LinkError: If it is a link, belongs to somebody else, or cannot be made.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    parent = Path(runtime) if runtime else Path(tempfile.gettempdir())
    directory = parent / ("hil-bench" if runtime else f"hil-bench-{os.getuid()}")
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
    except OSError as error:
        text = f"{directory}: cannot keep lock files there: {error.strerror}"
        raise LinkError(f"{text}; a folder that only this user can write is needed") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        text = f"{directory}: is not a folder of user {os.getuid()}; remove it and start again"
        raise LinkError(text)
    return directory


class PortLock:
    """The exclusive right to use one port, held until `release` or the end of the process.

    Args:
        endpoint: What is locked, written the same way by everybody: a device with all links
            resolved, or protocol, address and port.
        url: The link as the user wrote it, for the text of an error.
        directory: Folder of the lock files; None for `lock_directory`.

    Raises:
        LinkError: If another holder has it, or the lock file cannot be made.
    """

    __slots__ = ("_fd", "path")

    def __init__(self, endpoint: str, url: str, directory: Path | None = None) -> None:
        folder = lock_directory() if directory is None else directory
        self.path = folder / f"{quote(endpoint, safe='')[-_LONGEST_NAME:]}.lock"
        self._fd = -1
        fd = _open(self.path, url)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, _READ_BYTES, 0).decode("ascii", "replace").strip()
            os.close(fd)
            text = f"{url}: another controller has it (process {holder or 'unknown'})"
            raise LinkError(f"{text}; stop that one first, a bus has one controller") from None
        except OSError as error:
            os.close(fd)
            raise LinkError(f"{url}: cannot lock {self.path}: {error.strerror}") from error
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        self._fd = fd

    def release(self) -> None:
        """Give the port back; a second call does nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def serial_endpoint(device: str) -> str:
    """Name a serial device the same way for each of its names, such as those under by-id.

    Args:
        device: Path.

    Returns:
        Its path with all links resolved, for `PortLock`.
    """
    return os.path.realpath(device)


def tcp_endpoint(host: str, port: int, url: str) -> str:
    """Name an endpoint the same way for every spelling of its host.

    Args:
        host: Name or address.
        port: Port.
        url: The link as the user wrote it, for the text of an error.

    Returns:
        `tcp:ADDRESS:PORT`, for `PortLock`.

    Raises:
        LinkError: If the name has no address.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        text = f"{url}: no address for host {host!r}: {error.strerror}"
        raise LinkError(f"{text}; a name of this network or an address is needed") from error
    return f"tcp:{found[0][4][0]}:{port}"


def _open(path: Path, url: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise LinkError(f"{url}: cannot make lock file {path}: {error.strerror}") from error

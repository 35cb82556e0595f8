"""One host per controller: a lock that the kernel gives back when its holder dies.

A second open of a serial port succeeds by default, and two hosts would both answer. The lock is a
file with `flock` on it in a folder of this user; a process that ends in whatever way closes it.
The file itself stays, and means nothing.
"""

import fcntl
import os
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

from arm_driver.link_errors import ArmLinkError

_LONGEST_NAME = 200
_READ_BYTES = 64


class PortLock:
    """The exclusive right to use one port, held until `release` or the end of the process.

    Args:
        endpoint: What is locked, written the same way by everybody: a device with all links
            resolved, or protocol, address and port.
        url: The link as the user wrote it, for the text of an error.

    Raises:
        ArmLinkError: If another holder has it, or the lock file cannot be made.
    """

    __slots__ = ("_fd", "path")

    def __init__(self, endpoint: str, url: str) -> None:
        self.path = _lock_directory() / f"{quote(endpoint, safe='')[-_LONGEST_NAME:]}.lock"
        self._fd = -1
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            fd = os.open(self.path, flags, 0o600)
        except OSError as error:
            text = f"{url}: cannot make lock file {self.path}: {error.strerror}"
            raise ArmLinkError(f"{text}; the folder has to be writable") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(fd, _READ_BYTES, 0).decode("ascii", "replace").strip()
            os.close(fd)
            text = f"{url}: another host has it (process {holder or 'unknown'})"
            raise ArmLinkError(f"{text}; stop that one first, a robot has one host") from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        self._fd = fd

    def release(self) -> None:
        """Give the port back; a second call does nothing."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def _lock_directory() -> Path:
    """Return the folder for lock files of this user, made if it is missing."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    parent = Path(runtime) if runtime else Path(tempfile.gettempdir())
    directory = parent / ("hil-bench" if runtime else f"hil-bench-{os.getuid()}")
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
    except OSError as error:
        text = f"{directory}: cannot keep lock files there: {error.strerror}"
        raise ArmLinkError(f"{text}; a folder that only this user can write is needed") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        text = f"{directory}: is not a folder of user {os.getuid()}; remove it and start again"
        raise ArmLinkError(text)
    return directory

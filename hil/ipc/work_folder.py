"""A folder for a process' own work, which does not outlive it for long.

A process that is killed takes nothing away. So each folder is locked by its maker, which the
kernel undoes with the process; the next one that makes such a folder removes those without a lock.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self


class WorkFolder:
    """An empty folder of this user's alone, in the system's folder for such; a context.

    Args:
        prefix: beginning of its name, which says whose work it is: ``hil-fmu-``.

    Raises:
        OSError: if it cannot be made.
    """

    def __init__(self, prefix: str) -> None:
        _sweep(prefix)
        while True:
            path = Path(tempfile.mkdtemp(prefix=prefix))  # mode 0700
            with suppress(FileNotFoundError):  # swept by another one before it was locked
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                if _lock(descriptor) and path.exists():
                    break
                os.close(descriptor)
        self.path: Path = path
        self._descriptor = descriptor

    def remove(self) -> None:
        """Remove it with all that is in it; harmless when repeated."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def _sweep(prefix: str) -> None:
    """Remove what processes of this user have left that are gone."""
    if os.name != "posix":
        return
    with suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if entry.name.startswith(prefix) and entry.is_dir(follow_symlinks=False):
                _remove_left(entry.path)


def _remove_left(path: str) -> None:
    with suppress(OSError):
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_DIRECTORY
        descriptor = os.open(path, flags)
        try:
            found = os.fstat(descriptor)
            own = found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
            if own and _lock(descriptor):
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Whether nobody else has the lock of a folder; it is held until the descriptor is closed."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover  # no Linux: of what is left nothing is known
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

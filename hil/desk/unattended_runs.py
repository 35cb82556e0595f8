"""Runs in real time that no panel leads: each says by a locked file that it goes on.

They have no desk, so no socket; a window without a bench would take them for nothing at all. The
kernel undoes the lock with the process, so a run that was killed is known to be over.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from hil.desk.endpoints import PlaceError, folder, listed, opened, socket_name

_SUFFIX: Final = ".unled"
_FILE: Final = re.compile(r"(?P<name>[A-Za-z0-9_.+-]{1,60})-[0-9]{1,10}\.unled", re.ASCII)
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def announced(name: str, place: Path | None = None) -> Iterator[None]:
    """While it is open, panels know that a run without operator goes on.

    Nothing depends on it: where the folder cannot be used, the run goes on unannounced.

    Args:
        name: of the run.
        place: the folder; that of the benches if left out.
    """
    with ExitStack() as stack:
        with suppress(PlaceError, OSError):
            fd = stack.enter_context(opened(folder() if place is None else place, make=True))
            file = socket_name(name, os.getpid()).removesuffix(".sock") + _SUFFIX
            draft = f".{file}-{secrets.token_hex(4)}"  # nobody takes it for one of a killed run
            lock = os.open(draft, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=fd)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rename(draft, file, src_dir_fd=fd, dst_dir_fd=fd)
            stack.callback(_remove, file, fd)
        yield


def list_unattended_runs(place: Path | None = None) -> list[str]:
    """Names of the runs without operator that go on; files of those that were killed are removed.

    Raises:
        PlaceError: if the folder is there and cannot be trusted.
    """
    with listed(place) as (fd, names):
        found = [match for file in names if (match := _FILE.fullmatch(file))]
        return [match["name"] for match in found if _goes_on(match[0], fd)]


def _goes_on(file: str, folder_fd: int) -> bool:
    """Whether a process holds the lock of a file; one that nobody holds is removed."""
    try:
        probe = os.open(file, _FLAGS, dir_fd=folder_fd)
    except OSError:  # it has ended meanwhile
        return False
    try:
        fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        _remove(file, folder_fd)
        return False
    finally:
        os.close(probe)


def _remove(file: str, folder_fd: int) -> None:
    with suppress(OSError):
        os.unlink(file, dir_fd=folder_fd)

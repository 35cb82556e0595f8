"""The place where benches are found: a folder of this user alone, a socket per run, one token.

Nobody else may enter the folder, so nobody else can put a socket or a token there or wait at one.
It is opened once, checked on the open descriptor, and everything in it is named through that
descriptor: a link put in its place in between leads nowhere, and no path is too long for a socket.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TOKEN_NAME: Final = "token"  # noqa: S105 the file's name
TOKEN_BYTES: Final = 32
NAME_MAX: Final = 60
"""Characters of a run's name in its socket's name, so that it fits into an address."""
_SOCKET: Final = re.compile(r"(?P<name>[A-Za-z0-9_.+-]{1,60})-(?P<pid>[0-9]{1,10})\.sock", re.ASCII)
_TOKEN: Final = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}", re.ASCII)


class PlaceError(Exception):
    """A place that cannot be used or trusted; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A bench that answers."""

    path: Path
    """Its socket."""
    name: str
    """Name of the run."""
    pid: int
    """Number of the process that runs it."""


def folder() -> Path:
    """The folder of this user's benches; it need not exist."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return Path(runtime) / "hil-bench"
    return Path(f"/tmp/hil-bench-{os.geteuid()}")  # noqa: S108 its owner and mode are checked


@contextmanager
def opened(path: Path, *, make: bool = False) -> Iterator[int]:
    """Open the folder, and be sure that it is this user's alone.

    Yields:
        Its descriptor.

    Raises:
        PlaceError: if it is not there, is a link or no folder, or lets others in.
    """
    try:
        if make:
            with suppress(FileExistsError):
                path.mkdir(mode=0o700)
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise PlaceError(f"{path}: {error.strerror}; need a folder of your own, no link") from error
    try:
        state = os.fstat(fd)
        if state.st_uid != os.geteuid():
            raise PlaceError(f"{path}: belongs to user {state.st_uid}; need {os.geteuid()} (you)")
        if (mode := stat.S_IMODE(state.st_mode)) != 0o700:
            raise PlaceError(f"{path}: mode {mode:04o}; need 0700: chmod 700 {path}")
        yield fd
    finally:
        os.close(fd)


@contextmanager
def listed(path: Path | None = None) -> Iterator[tuple[int, list[str]]]:
    """Open the folder of the benches to see what is in it; of one that is not there, nothing.

    Args:
        path: the folder; `folder()` if left out.

    Yields:
        Its descriptor, -1 if it is not there, and the names in it, sorted.

    Raises:
        PlaceError: if it is there and cannot be trusted.
    """
    path = folder() if path is None else path
    if not os.path.lexists(path):
        yield -1, []
        return
    with opened(path) as fd:
        yield fd, sorted(os.listdir(fd))


def through(fd: int, name: str) -> str:
    """A path to a name in an open folder, short enough for a socket's address (unix(7))."""
    return f"/proc/self/fd/{fd}/{name}"


def token(place: Path | None = None, *, make: bool = False) -> str:
    """The secret that shows that a client is this user's.

    Args:
        place: the folder; `folder()` if left out.

    Raises:
        PlaceError: if it is not there, may be read by others, or is none.
    """
    place = folder() if place is None else place
    path = place / TOKEN_NAME
    with opened(place, make=make) as fd:
        if make:
            _make_token(fd)
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            file = os.open(TOKEN_NAME, flags, dir_fd=fd)
        except OSError as error:
            raise PlaceError(f"{path}: {error.strerror}; a bench makes it when it runs") from error
        try:
            state = os.fstat(file)
            mode = stat.S_IMODE(state.st_mode)
            mine = stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()
            if not mine or mode != 0o600:
                raise PlaceError(
                    f"{path}: mode {mode:04o}, user {state.st_uid}; need a file of yours with "
                    f"mode 0600: remove it, the next bench makes a new one"
                )
            text = os.read(file, 2 * TOKEN_BYTES + 1).decode("ascii", "replace")
        finally:
            os.close(file)
    if not _TOKEN.fullmatch(text):
        raise PlaceError(
            f"{path}: {len(text)} characters; need {2 * TOKEN_BYTES} hexadecimal digits: "
            "remove it, the next bench makes a new one"
        )
    return text


def _make_token(fd: int) -> None:
    """Put a token into the folder unless there is one; whole or not at all."""
    draft = f".token-{os.getpid()}-{secrets.token_hex(4)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(draft, flags, 0o600, dir_fd=fd), "wb") as stream:
        stream.write(secrets.token_hex(TOKEN_BYTES).encode("ascii"))
    try:
        os.link(draft, TOKEN_NAME, src_dir_fd=fd, dst_dir_fd=fd)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft, dir_fd=fd)


def socket_name(name: str, pid: int) -> str:
    """The file name of a run's socket; characters that a name should not have become ``_``."""
    return f"{re.sub(r'[^A-Za-z0-9_.+-]', '_', name)[:NAME_MAX] or 'bench'}-{pid}.sock"


def place_of(path: Path) -> Endpoint | None:
    """Endpoint of a bench by the file name of its socket; None if it is no such name."""
    match = _SOCKET.fullmatch(path.name)
    return None if match is None else Endpoint(path, match["name"], int(match["pid"]))


def benches(place: Path | None = None) -> list[Endpoint]:
    """The benches of this user that answer, by name.

    Raises:
        PlaceError: if the folder is there and cannot be trusted.
    """
    place = folder() if place is None else place
    with listed(place) as (fd, names):
        return [found for found in _named(names, place) if _answers(fd, found.path.name)]


def sweep(place: Path, wanted: str = "") -> None:
    """Remove the sockets that benches which were killed have left behind.

    Args:
        wanted: file name of a socket that is about to be made. One of that name goes if nobody
            answers, whoever has its process number: a container gives the same number again, and
            a second desk of a run follows the first.

    Raises:
        PlaceError: if the folder cannot be trusted.
    """
    with opened(place) as fd:
        for found in _named(sorted(os.listdir(fd)), place):
            name = found.path.name
            # Between bind and listen a living bench does not answer yet; its process shows it.
            free = name == wanted or not Path(f"/proc/{found.pid}").exists()
            if free and not _answers(fd, name):
                with suppress(OSError):
                    os.unlink(name, dir_fd=fd)


def _named(names: list[str], place: Path) -> Iterator[Endpoint]:
    for name in names:
        if (found := place_of(place / name)) is not None:
            yield found


def _answers(fd: int, name: str) -> bool:
    """Whether somebody listens; asking leaves nothing behind."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        probe.setblocking(False)
        try:
            probe.connect(through(fd, name))
        except BlockingIOError:
            return True  # its queue is full: somebody is there
        except OSError:
            return False
    return True

"""A socket that only this machine can reach, for one who writes velocities, and his token.

Nothing here waits. A UNIX socket has mode 0600; one that a dead process left behind is replaced,
one that somebody listens on is not.
"""

import contextlib
import os
import re
import socket
import stat
from pathlib import Path

from hil.config.file_search import path_beside
from hil.desk.velocity.source import SourceUnavailableError

_TCP = re.compile(r"(127\.0\.0\.1|localhost):([0-9]{1,5})", re.ASCII)
_ANY_HOST = re.compile(r"[^/]*:[0-9]+\Z")
TOKEN_MIN, TOKEN_MAX = 16, 256
"""Characters of a token."""
RECEIVE_BUFFER_BYTES = 65_536
"""Asked of the kernel, so that a stalled reader finds little that is old."""

BACKLOG = 64
"""Connections that the kernel keeps between two looks."""


class Listener:
    """A listening socket.

    Args:
        path: the file of a UNIX socket, removed when this is closed.
    """

    def __init__(self, bound: socket.socket, path: Path | None) -> None:
        self._socket = bound
        self._path = path
        self._inode = path.stat().st_ino if path else None
        bound.setblocking(False)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        bound.listen(BACKLOG)

    @property
    def port(self) -> int | None:
        """The TCP port; None for a UNIX socket."""
        return None if self._path else int(self._socket.getsockname()[1])

    def accept(self) -> socket.socket | None:
        """Return the next connection, not blocking; None if nobody waits."""
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return None
        connection.setblocking(False)
        return connection

    def close(self) -> None:
        """Close the socket, and remove its file if it is still this one's."""
        self._socket.close()
        path, self._path = self._path, None
        if path is not None:
            with contextlib.suppress(OSError):
                if path.lstat().st_ino == self._inode:
                    path.unlink()


def listen(address: str) -> Listener:
    """Listen on an address of this machine.

    Args:
        address: path of a UNIX socket to make, or "127.0.0.1:port" (0 for any free port).

    Raises:
        SourceUnavailableError: another machine's address, one in use, or one that cannot be made.
    """
    match = _TCP.fullmatch(address)
    if match is None and _ANY_HOST.match(address):
        raise SourceUnavailableError(
            f"remote: {address} can be reached from other machines: "
            "need 127.0.0.1:port, or the path of a UNIX socket"
        )
    kind = socket.AF_INET if match else socket.AF_UNIX
    bound = socket.socket(kind, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        if match:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(("127.0.0.1", int(match[2])))
            return Listener(bound, None)
        path = Path(address)
        _clear(path)
        bound.bind(address)
        path.chmod(0o600)  # nobody is let in before listen
        return Listener(bound, path)
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceUnavailableError(f"remote: cannot listen on {address}: {reason}") from error
    except BaseException:
        bound.close()
        raise


def _clear(path: Path) -> None:
    """Remove a socket that nobody listens on any more."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise SourceUnavailableError(
                f"remote: {path} is there and no socket: name another path"
            )
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(os.fspath(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except BlockingIOError:
            pass  # its queue is full: somebody is there
    raise SourceUnavailableError(f"remote: somebody listens on {path} already: end that first")


def own_places(address: str, token_file: str, document: Path) -> tuple[str, str]:
    """Where a document has its run listen, and the token there; both lie in its folder.

    Args:
        address: path of a UNIX socket, or an address with a port.

    Raises:
        ConfigError: if one is elsewhere, and no person named it.
        SourceUnavailableError: as `read_token`.
    """
    if ":" not in address:
        address = str(path_beside(address, beside=document, key="listen"))
    return address, read_token(path_beside(token_file, beside=document, key="token_file"))


def read_token(path: Path) -> str:
    """The token of a file that only its owner may read.

    Raises:
        SourceUnavailableError: it is not there, belongs to somebody else, may be read by others,
            or holds no token; with the remedy.
    """
    make = f"make one: (umask 077; openssl rand -hex 32 > {path})"
    try:
        # One open file for the check and the reading; a link in its place is not followed.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SourceUnavailableError(f"token file {path}: {error.strerror}: {make}") from error
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise SourceUnavailableError(f"token file {path}: is not a file: {make}")
        if state.st_uid != os.geteuid():
            raise SourceUnavailableError(f"token file {path}: belongs to another user: {make}")
        if (mode := stat.S_IMODE(state.st_mode)) != 0o600:
            raise SourceUnavailableError(
                f"token file {path}: mode {mode:04o}; need 0600: chmod 600 {path}"
            )
        content = file.read(TOKEN_MAX + 2)
    token = content.decode("ascii", "replace").strip()
    if not (TOKEN_MIN <= len(token) <= TOKEN_MAX and token.isascii() and token.isprintable()):
        raise SourceUnavailableError(
            f"token file {path}: need {TOKEN_MIN} to {TOKEN_MAX} printable ASCII characters: {make}"
        )
    return token

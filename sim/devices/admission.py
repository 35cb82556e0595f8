"""Whose programs may use an emulated device: those of the user who runs it, unless told otherwise.

A TCP port of this machine can be reached by all its users. The kernel tells whose socket the other
end is: `/proc/net/tcp` (proc(5)) has a row for each, with addresses, state, user and inode. Only an
established one counts: one that its owner has closed is shown as root's.

Not modelled: a real drive takes anybody who has the wire.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

_TABLES: Final = ("tcp", "tcp6")
_MAPPED: Final = "0000000000000000FFFF0000"
"""Begin of an IPv4 address in the table of IPv6, in the kernel's byte order (RFC 4291, 2.5.5.2)."""
_ESTABLISHED: Final = "01"
_LOCAL, _REMOTE, _STATE, _UID, _INODE = 1, 2, 3, 7, 9  # columns
_TOLD_MAX: Final = 16
"""Users that are told of; a flood of them says no more."""


def tcp_peer_uid(
    connection: socket.socket | Any, tables: Path = Path("/proc/self/net")
) -> int | None:
    """The user at the other end of a connection within this machine.

    Args:
        connection: accepted, of IPv4.
        tables: where the kernel shows its sockets; another folder only in tests.

    Returns:
        None if it cannot be told: another machine's, one that has gone, or a kernel without tables.
    """
    with suppress(OSError):
        mine, peer = _hex(connection.getsockname()), _hex(connection.getpeername())
        for row in _rows(tables):
            ends = (row[_LOCAL].removeprefix(_MAPPED), row[_REMOTE].removeprefix(_MAPPED))
            if ends == (peer, mine) and row[_STATE] == _ESTABLISHED and row[_INODE] != "0":
                return int(row[_UID])
    return None


def _rows(tables: Path) -> Iterator[list[str]]:
    for name in _TABLES:
        with suppress(FileNotFoundError), (tables / name).open(encoding="ascii") as table:
            next(table, "")  # names of the columns
            for line in table:
                yield line.split()


def _hex(address: tuple[str, int]) -> str:
    """An address as the kernel writes it: the word of four bytes in the machine's order, port."""
    word = int.from_bytes(socket.inet_aton(address[0]), "little")
    return f"{word:08X}:{address[1]:04X}"


class Admission:
    """Decides who is let in.

    Args:
        any_user: let everyone in who can reach the port.
        say: gets a line about each user who was not let in.
    """

    def __init__(self, *, any_user: bool = False, say: Callable[[str], None] | None = None) -> None:
        self._any_user, self._say = any_user, say
        self._refused_users: set[int | None] = set()

    def lets_in(self, connection: socket.socket | Any) -> bool:
        """Whether a connection that was accepted may stay."""
        if self._any_user:
            return True
        uid, own = tcp_peer_uid(connection), os.geteuid()
        if uid == own:
            return True
        if (
            self._say is not None
            and uid not in self._refused_users
            and len(self._refused_users) < _TOLD_MAX
        ):
            self._refused_users.add(uid)
            who = "somebody whom the kernel does not name" if uid is None else f"user {uid}"
            self._say(
                f"closed a connection of {who}; this device is user {own}'s, and lets others in "
                "with --any-user"
            )
        return False

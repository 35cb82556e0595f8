"""Whether a UDP socket of a port was closed since the last look, reported by the kernel.

A list of sockets (`socket_owner`) shows who has a port, and not who had it between two lists. The
kernel reports each socket that is closed to those that joined `sock_diag`'s groups of closed ones
(SKNLGRP_INET_UDP_DESTROY, linux/sock_diag.h), without a privilege, some 0.1 ms after it was.
"""

from __future__ import annotations

import ctypes
import errno
import socket
import struct
from contextlib import suppress
from typing import Final

_SOCK_DIAG: Final = 4
_CLOSED_UDP: Final = (2, 4)  # SKNLGRP_INET_UDP_DESTROY, SKNLGRP_INET6_UDP_DESTROY
_NETLINK, _JOIN = 270, 1  # SOL_NETLINK, NETLINK_ADD_MEMBERSHIP
_SO_ATTACH_FILTER: Final = 26
_PORT_AT: Final = 20
"""Offset of the port in a report: after nlmsghdr (16) and four bytes of inet_diag_msg."""
_STEP: Final = struct.Struct("=HBBI")  # struct sock_filter: code, jump if true, if false, value
_PROGRAM: Final = struct.Struct("@HP")  # struct sock_fprog
_NO_PORT: Final = 1 << 16
_MOST: Final = 64
"""Reports are read in one look at most."""


class ClosedSockets:
    """Sockets of one port that are closed; of a kernel that reports none, none are."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        if not hasattr(socket, "AF_NETLINK"):
            return
        kind = socket.SOCK_RAW | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
        made = None
        try:
            made = socket.socket(socket.AF_NETLINK, kind, _SOCK_DIAG)
            made.bind((0, 0))
            _keep(made, _NO_PORT)
            for group in _CLOSED_UDP:
                made.setsockopt(_NETLINK, _JOIN, group)
        except OSError:
            if made is not None:
                made.close()
        else:
            self._socket = made

    def watch(self, port: int) -> None:
        """Look at the sockets of a port from now on, and of no other."""
        if self._socket is not None:
            _keep(self._socket, port)
            self.any()  # those of the port before

    def any(self) -> bool:
        """Whether one was closed since the last look; it never waits."""
        found = False
        if self._socket is not None:
            with suppress(BlockingIOError):
                for _ in range(_MOST):
                    found = _is_report(self._socket) or found
        return found

    def close(self) -> None:
        """Look no more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _is_report(reports: socket.socket) -> bool:
    """Whether the kernel has reported a closed socket, or more than it could keep."""
    try:
        _, (process, _) = reports.recvfrom(4096)
    except BlockingIOError:
        raise
    except OSError as error:
        return error.errno == errno.ENOBUFS
    return process == 0


def _keep(reports: socket.socket, port: int) -> None:
    """Let the kernel drop the reports of other ports: they cost nothing here."""
    steps = _STEP.pack(0x28, 0, 0, _PORT_AT)  # load the half word there, big-endian
    steps += _STEP.pack(0x15, 0, 1, port)  # one more step on unless it is the port
    steps += _STEP.pack(0x06, 0, 0, 0xFFFFFFFF) + _STEP.pack(0x06, 0, 0, 0)  # take it; drop it
    code = ctypes.create_string_buffer(steps)
    program = _PROGRAM.pack(len(steps) // _STEP.size, ctypes.addressof(code))
    reports.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)

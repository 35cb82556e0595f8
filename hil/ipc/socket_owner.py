"""Users that own the UDP sockets of this machine which can send from an address, by the kernel.

A port of loopback can be reached by every user of the machine, and a datagram bears no name. The
kernel's list of sockets does: `sock_diag` (sock_diag(7), linux/inet_diag.h) lists those of a port,
in a time that grows with the sockets of the machine, whatever is asked for (0.1 ms; 20 ms where
there are 20 000), so never in a cycle; a kernel without it has the tables of proc(5).

Every socket of the port counts, whatever address it is bound to: by IP_PKTINFO (ip(7)) it sends
from any address of the machine, without a privilege. Two users may own a port together, each on an
address of its own, or on one (SO_REUSEADDR on both, socket(7)).
"""

from __future__ import annotations

import ipaddress
import os
import socket
import struct
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

Address = tuple[str, int]
"""Host and port."""

_SOCK_DIAG, _BY_FAMILY, _DUMP = 4, 20, 0x301  # protocol; message; NLM_F_REQUEST | NLM_F_DUMP
_ERROR, _DONE = 2, 3  # NLMSG_ERROR, NLMSG_DONE
_V6ONLY: Final = 11  # INET_DIAG_SKV6ONLY
_HEAD: Final = struct.Struct("=IHHII")
_REQUEST: Final = struct.Struct("=BBBBI2s2s16s16sIII")  # inet_diag_req_v2
_FOUND: Final = struct.Struct("=4x2s2x16s16x12x12xII")  # inet_diag_msg: port, address, user, inode
_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)


class _Owned(NamedTuple):
    """One socket of the port."""

    host: bytes
    """Address that it is bound to, 4 or 16 bytes."""
    uid: int
    only_v6: bool = False


def udp_uids(sender: Address, tables: Path | None = None) -> frozenset[int]:
    """Return the users whose UDP sockets can send from an address of this machine.

    Args:
        sender: host, numeric, and port that a datagram came from.
        tables: folder with the kernel's tables, in place of `sock_diag`; only in tests.

    Returns:
        Empty if nobody has such a socket (any more), or the kernel does not say. Of very many
        sockets not all are read once one of another user was.
    """
    try:
        return _users(
            _by_diag(sender[1]) if tables is None else _by_table(sender[1], tables), sender
        )
    except (OSError, struct.error):
        return _users(_by_table(sender[1], Path("/proc/self/net")), sender)


def is_own(uids: frozenset[int]) -> bool:
    """Whether sockets belong to this process's user or the superuser, and to nobody else."""
    return bool(uids) and uids <= {0, os.geteuid()}


def is_of_this_machine(host: str) -> bool:
    """Whether an address is one of this machine's: a socket can be bound to those alone."""
    address = _plain(host)
    if address.is_loopback:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.bind((str(address), 0))  # receives nothing: it is closed at once
    except OSError:
        return False
    return True


def _plain(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address, that of IPv4 where it is one within IPv6 (RFC 4291, 2.5.5.2)."""
    address = ipaddress.ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if address.version == 6 else None
    return mapped or address


def _users(found: Iterator[Collection[_Owned]], sender: Address) -> frozenset[int]:
    """The users of sockets that come in parts, to the first part with another user's."""
    host, uids = _plain(sender[0]).packed, frozenset[int]()
    for part in found:
        uids |= {one.uid for one in part if _can_send(one, host)}
        if uids and not is_own(uids):
            break
    return uids


def _can_send(owned: _Owned, host: bytes) -> bool:
    """Whether a socket of the port can send from an address: its family has it."""
    return len(host) == len(owned.host) or (len(host) == 4 and not owned.only_v6)


def _kernel() -> socket.socket:
    if not hasattr(socket, "AF_NETLINK"):
        raise OSError("this kernel has no list of sockets")
    kind = socket.SOCK_RAW | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
    return socket.socket(socket.AF_NETLINK, kind, _SOCK_DIAG)


def _by_diag(port: int) -> Iterator[list[_Owned]]:
    """All sockets of a port, in parts; raises OSError where the kernel does not answer."""
    with _kernel() as kernel:
        for family in _FAMILIES:
            wanted = _REQUEST.pack(
                family, socket.IPPROTO_UDP, 0, 0, 0xFFFFFFFF, port.to_bytes(2, "big"), b"",
                b"", b"", 0, 0, 0,
            )  # fmt: skip
            kernel.sendto(
                _HEAD.pack(_HEAD.size + len(wanted), _BY_FAMILY, _DUMP, 1, 0) + wanted, (0, 0)
            )
            yield from _answer(kernel, 4 if family == socket.AF_INET else 16)


def _answer(kernel: socket.socket, length: int) -> Iterator[list[_Owned]]:
    """The sockets of one family, to the end of the kernel's answer."""
    while True:
        data, (process, _) = kernel.recvfrom(1 << 16)
        if process:
            continue  # not of the kernel
        at, part = 0, list[_Owned]()
        while at < len(data):
            size, kind, _, _, _ = _HEAD.unpack_from(data, at)
            if kind == _DONE:
                yield part
                return
            if kind == _ERROR or size < _HEAD.size:
                raise OSError("the kernel does not list sockets of UDP")
            body = data[at + _HEAD.size : at + size]
            _, host, uid, inode = _FOUND.unpack_from(body)
            if inode:  # else its owner has closed it
                part.append(_Owned(host[:length], uid, _only_v6(body[_FOUND.size :])))
            at += (size + 3) & ~3
        yield part


def _only_v6(attributes: bytes) -> bool:
    """Whether a socket of IPv6 sends no IPv4."""
    at = 0
    while at + 4 < len(attributes):
        size, kind = struct.unpack_from("=HH", attributes, at)
        if kind == _V6ONLY:
            return bool(attributes[at + 4])
        at += max(4, (size + 3) & ~3)
    return False


def _by_table(port: int, tables: Path) -> Iterator[list[_Owned]]:
    """All sockets of a port by the tables of proc(5), in words of the machine's byte order."""
    wanted = f"{port:04X}"
    for name in ("udp", "udp6"):
        part = list[_Owned]()
        with (
            suppress(FileNotFoundError, PermissionError),
            (tables / name).open(encoding="ascii") as lines,
        ):
            for row in (line.split() for line in lines if f":{wanted} " in line):
                host, _, number = row[1].partition(":")
                if number == wanted and row[9] != "0":
                    words = [int(host[k : k + 8], 16) for k in range(0, len(host), 8)]
                    part.append(_Owned(struct.pack(f"={len(words)}I", *words), int(row[7])))
        yield part

"""Descriptors of memory that can be given away: to be read, by nobody to be changed."""

from __future__ import annotations

import fcntl
import os


def read_only(fd: int) -> int:
    """A second descriptor of a memory file, without the right to write."""
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)


def header_file(header: bytes) -> int:
    """A memory file with the run's header, which nobody can change; its read-only descriptor."""
    fd = os.memfd_create("hil-header", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with os.fdopen(os.dup(fd), "wb") as stream:
            stream.write(header)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
        return read_only(fd)
    finally:
        os.close(fd)

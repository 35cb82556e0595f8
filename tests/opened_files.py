"""Which files of a folder any process opens, as the kernel reports it (Linux' inotify)."""

import ctypes
import os
import struct
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

IN_OPEN = 0x20
IN_CLOSE = 0x18
"""Asked for as well: the kernel merges reports that are alike and follow one another."""
IN_Q_OVERFLOW = 0x4000
EVENT = struct.Struct("iIII")


@contextmanager
def opened_files(folder: Path):
    """A count, at the end, of how often each file of a folder was opened meanwhile, by name."""
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert watch >= 0, os.strerror(ctypes.get_errno())
    names = Counter()
    try:
        if libc.inotify_add_watch(watch, os.fsencode(folder), IN_OPEN | IN_CLOSE) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))
        yield names
        while events := _read(watch):
            at = 0
            while at < len(events):
                _, mask, _, length = EVENT.unpack_from(events, at)
                assert not mask & IN_Q_OVERFLOW
                at += EVENT.size + length
                names[events[at - length : at].rstrip(b"\0").decode()] += bool(mask & IN_OPEN)
    finally:
        os.close(watch)
    del names[""]  # the folder itself


def _read(watch: int) -> bytes:
    try:
        return os.read(watch, 1 << 16)
    except BlockingIOError:
        return b""

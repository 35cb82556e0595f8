"""A process of another user of this machine that sends datagrams from a port of loopback."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

NOBODY = 65534
needs_root = pytest.mark.skipif(
    os.getuid() != 0, reason="only the superuser can start a process of another user"
)
_PROGRAM = """\
import os, socket, sys
os.setgroups([]); os.setgid({user}); os.setuid({user})
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "bind":
        out.close()
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(rest[1]))
        out.bind(("127.0.0.1", int(rest[0])))
    elif word == "send":
        out.sendto(bytes.fromhex(rest[1]), ("127.0.0.1", int(rest[0])))
    elif word == "close":
        out.close()
    print(out.getsockname()[1] if out.fileno() >= 0 else 0, flush=True)
"""


class OtherUser:
    """Obeys at once, and answers when it is done."""

    def __init__(self, process):
        self._process = process
        self.port = self.bind()

    def bind(self, port=0, reuse=False):
        """Have a port, that of somebody else too where both reuse it; gives its number."""
        self.port = self._do(f"bind {port} {int(reuse)}")
        return self.port

    def send(self, data, address):
        """Send a datagram to a port of loopback."""
        self._do(f"send {address[1]} {data.hex()}")

    def close(self):
        """Give the port back."""
        self._do("close")

    def _do(self, line):
        self._process.stdin.write(f"{line}\n".encode())
        answer = self._process.stdout.readline()
        assert answer, f"{line!r}: the other user's process has died"
        return int(answer)


@contextmanager
def other_user(uid=NOBODY):
    """One that lives as long as the block."""
    program = [sys.executable, "-S", "-c", _PROGRAM.format(user=uid)]
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    try:
        yield OtherUser(process)
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(10.0)

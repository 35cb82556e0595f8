"""A process of another user of this machine that sends datagrams, under any address of its own."""

import os
import subprocess
import sys
from concurrent.futures import Executor, Future
from contextlib import closing, contextmanager

import pytest

from hil.ipc import udp_senders
from hil.ipc.closed_sockets import ClosedSockets

NOBODY = 65534
needs_root = pytest.mark.skipif(
    os.getuid() != 0, reason="only the superuser can start a process of another user"
)
_PROGRAM = """\
import os, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (4000, 4000))
os.setgroups([]); os.setgid({user}); os.setuid({user})
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "bind":
        out.close()
        family = socket.AF_INET6 if ":" in rest[2] else socket.AF_INET
        out = socket.socket(family, socket.SOCK_DGRAM)
        out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(rest[1]))
        out.bind((rest[2], int(rest[0])))
    elif word == "forge":  # in_pktinfo of ip(7): no interface, the address to send from
        source = bytes(4) + socket.inet_aton("127.0.0.1") + bytes(4)
        told = [(socket.IPPROTO_IP, 8, source)]
        for _ in range(int(rest[2])):
            out.sendmsg([bytes.fromhex(rest[1])], told, 0, ("127.0.0.1", int(rest[0])))
    elif word == "send":
        out.sendto(bytes.fromhex(rest[1]), ("127.0.0.1", int(rest[0])))
    elif word == "fill":
        more = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(int(rest[1]))]
        for number, one in enumerate(more):
            one.bind((f"127.9.{{number // 250}}.{{1 + number % 250}}", int(rest[0])))
    elif word == "close":
        out.close()
    print(out.getsockname()[1] if out.fileno() >= 0 else 0, flush=True)
"""


class OtherUser:
    """Obeys at once, and answers when it is done."""

    def __init__(self, process):
        self._process = process
        self.port = self.bind()

    def bind(self, port=0, reuse=False, host="127.0.0.1"):
        """Have a port, that of somebody else too where both reuse it; gives its number."""
        self.port = self._do(f"bind {port} {int(reuse)} {host}")
        return self.port

    def send(self, data, address):
        """Send a datagram to a port of loopback."""
        self._do(f"send {address[1]} {data.hex()}")

    def forge(self, data, address, times=1):
        """Send a datagram as if from 127.0.0.1, wherever its socket is bound."""
        self._do(f"forge {address[1]} {data.hex()} {times}")

    def fill(self, port, number):
        """Have a port on so many other addresses of loopback."""
        self._do(f"fill {port} {number}")

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


@contextmanager
def closing_reported(port):
    """Go on when the kernel has reported a socket of a port that is closed in the block."""
    with closing(ClosedSockets()) as reports:
        reports.watch(port)
        yield
        while not reports.any():
            os.sched_yield()


class AtOnce(Executor):
    """Does what is submitted at once, in place of a thread."""

    def submit(self, fn, /, *args, **kwargs):
        done = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def answer_at_once(monkeypatch):
    """Let the kernel's answer be there as soon as it is asked."""
    monkeypatch.setattr(udp_senders, "ThreadPoolExecutor", lambda *_: AtOnce())


def know_at_once(monkeypatch):
    """Let whose a sender is be known with its first datagram: for a clock of the test's own."""
    answer_at_once(monkeypatch)
    emptied = property(lambda _: True, lambda _, value: None)
    monkeypatch.setattr(udp_senders.Senders, "_emptied", emptied, raising=False)

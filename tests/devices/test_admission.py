"""Emulated devices let in the programs of their own user only, unless they are told otherwise."""

import os
import selectors
import socket
import subprocess
import sys
import threading

import pytest

from sim.devices.admission import Admission, tcp_peer_uid
from sim.devices.wires import TcpWire

STRANGER = 65534
HEADER = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  inode\n"
)
AS_STRANGER = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
needs_kernel = pytest.mark.skipif(
    not os.path.exists("/proc/self/net/tcp"), reason="this kernel tells nothing of its sockets"
)


class Ends:
    """A connection, as far as its addresses go."""

    def getsockname(self):
        return ("127.0.0.1", 8080)

    def getpeername(self):
        return ("127.0.0.1", 50000)


def row(local, remote, state="01", uid=1234, inode=77):
    queues = "00000000:00000000 00:00000000 00000000"
    return f"   0: {local} {remote} {state} {queues} {uid:5} 0 {inode} 1\n"


MINE, PEER = "0100007F:1F90", "0100007F:C350"
MAPPED = "0000000000000000FFFF0000"


@pytest.mark.parametrize(
    ("tcp", "tcp6", "uid"),
    [
        (row(MINE, PEER, uid=0) + row(PEER, MINE), "", 1234),
        (row(MINE, PEER, uid=0), row(MAPPED + PEER, MAPPED + MINE), 1234),
        (row(PEER, MINE, state="06", uid=0, inode=0), "", None),  # closed by both ends
        (row(PEER, MINE, state="05", uid=0, inode=0), "", None),
        (row(PEER, MINE, inode=0), "", None),  # nobody has it open any more
        (row(MINE, PEER), "", None),
        (row("0200007F:C350", MINE), "", None),
        ("", "", None),
        (None, None, None),
    ],
)
def test_the_row_of_the_other_end_tells_its_user(tmp_path, tcp, tcp6, uid):
    for name, rows in (("tcp", tcp), ("tcp6", tcp6)):
        if rows is not None:
            (tmp_path / name).write_text(HEADER + rows)
    assert tcp_peer_uid(Ends(), tmp_path) == uid


def connected(family=socket.AF_INET):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = "127.0.0.1" if family == socket.AF_INET else "::ffff:127.0.0.1"
        client = socket.socket(family)
        client.connect((host, listener.getsockname()[1]))
        return client, listener.accept()[0]


@needs_kernel
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_the_kernel_names_this_user_while_the_other_end_is_open(family):
    if family == socket.AF_INET6 and not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    client, accepted = connected(family)
    with accepted:
        with client:
            assert tcp_peer_uid(accepted) == os.geteuid()
        assert tcp_peer_uid(accepted) is None


@needs_kernel
def test_who_is_not_let_in_is_told_of_once(monkeypatch):
    told = []
    client, accepted = connected()
    with client, accepted:
        own = os.geteuid()
        assert Admission(say=told.append).lets_in(accepted)
        assert told == []
        monkeypatch.setattr(os, "geteuid", lambda: own + 1)
        admission = Admission(say=told.append)
        assert not admission.lets_in(accepted)
        assert not admission.lets_in(accepted)
        assert not Admission().lets_in(accepted)
        assert len(told) == 1
        for words in (f"user {own};", f"user {own + 1}'s", "--any-user"):
            assert words in told[0]
        assert Admission(any_user=True).lets_in(accepted)


class Wire:
    """A wire, and the loop around it, in a thread."""

    def __init__(self, admission):
        self.heard, self._over = bytearray(), False
        self._selector = selectors.DefaultSelector()
        self.wire = TcpWire(self._selector, self._hear, lambda: None, admission=admission)
        self.port = int(self.wire.address.rpartition(":")[2])
        self._thread = threading.Thread(target=self._turn, daemon=True)
        self._thread.start()

    def _hear(self, data, _now_s):
        self.heard += data
        self.wire.write(b"heard")

    def _turn(self):
        while not self._over:
            for key, _ in self._selector.select(0.02):
                key.data(0.0)

    def close(self):
        self._over = True
        self._thread.join()
        self.wire.close()
        self._selector.close()


ASK = """
import os, socket, sys
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
with socket.socket() as wire:
    wire.settimeout(10.0)
    wire.connect(("127.0.0.1", int(sys.argv[1])))
    try:
        wire.sendall(b"V\\r")
        print(wire.recv(10).decode())
    except ConnectionError:
        print("")
"""


@needs_kernel
@AS_STRANGER
@pytest.mark.parametrize("any_user", [False, True])
def test_another_user_is_heard_only_if_all_are(any_user):
    wire = Wire(Admission(any_user=any_user))
    try:
        asked = [sys.executable, "-I", "-S", "-c", ASK, str(wire.port), str(STRANGER)]
        done = subprocess.run(asked, capture_output=True, text=True)
        assert done.stderr == ""
        assert (done.stdout.strip(), bytes(wire.heard)) == (
            ("heard", b"V\r") if any_user else ("", b"")
        )
        with socket.create_connection(("127.0.0.1", wire.port), timeout=10.0) as own:
            own.sendall(b"F\r")
            assert own.recv(10) == b"heard"
        assert wire.heard.endswith(b"F\r")
    finally:
        wire.close()

"""No socket of the bench or its emulators can be reached by strangers: each one is found and tried.

An address that everybody can send to needs a key; one that other machines reach, a key or a list.
"""

import ast
import re
import socket
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.desk.velocity.listener import listen
from hil.desk.velocity.source import SourceUnavailableError
from hil.hosts.link import HostLink, Listening
from hil.stations.simulator.sources.host import KIND, HostSettings
from hil.stations.world.sources.frame_stream import FrameStream, bound
from hil.timing.clock import VirtualClock
from sim.hosts.emulated_host import emulated_host
from sim.hosts.feeds import feed_of
from sim.hosts.host_program import Sender

ROOT = Path(__file__).parents[1]
PACKAGES = ("hil", "sim", "drives", "arm_driver", "safety", "platform6dof", "hil_common")
LISTENS = {
    "bind", "create_server", "start_server", "create_datagram_endpoint", "create_unix_server",
    "start_unix_server", "serve_forever", "ModbusTcpServer", "ModbusUdpServer", "TCPServer",
    "UDPServer", "HTTPServer", "ThreadingHTTPServer", "run_server", "SimpleXMLRPCServer",
}  # fmt: skip
OF_NO_NETWORK = {
    "hil/panel/scene/gl_offscreen.py": "frame buffers",
    "sim/devices/can/pdo_settings.py": "objects of a PDO",
    "hil/desk/service.py": "a UNIX socket of mode 0600",
    "hil/ipc/socket_owner.py": "closed at once, nothing is read",
    "hil/ipc/closed_sockets.py": "of the kernel",
    "hil_common/port_lock.py": "an abstract UNIX socket, and a trial that is closed at once",
}
OF_LOOPBACK = {
    "sim/devices/wires.py": '("127.0.0.1", port)',
    "sim/devices/modbus/program.py": "LOOPBACK",
}
TRIED = {
    "hil/hosts/link.py", "hil/stations/world/sources/frame_stream.py", "sim/hosts/host_program.py",
    "hil/desk/velocity/listener.py",
}  # fmt: skip
"""Whose addresses come from a person: the tests below."""
EVERYBODY = (
    "0.0.0.0", "::", "[::]", "", "0", "00.0.0.0", "0x0", "*", "::ffff:0.0.0.0",
    "[::ffff:0.0.0.0]", "0.0.0.0%eth0", " 0.0.0.0", "::0", "0::0",
)  # fmt: skip
WRITTEN = ("0.0.0.0", "::", "[::]", b"0.0.0.0")
ELSEWHERE = ("192.0.2.7", "224.0.0.1", "255.255.255.255", "2001:db8::7", "[2001:db8::7]",
             "169.254.1.1", "ff02::1", "::ffff:192.0.2.7")  # fmt: skip


WORTH_READING = re.compile(rf"""\b(?:{"|".join(LISTENS)})\b|["'](?:0\.|\[?::)""")
"""What a file must have anywhere, to have a call or an address of these."""


@cache
def listeners_and_addresses():
    """Files with a call that may make a socket listen, and those that write everybody's address."""
    listeners, addresses = set(), set()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not WORTH_READING.search(text := path.read_text(encoding="utf-8")):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    if getattr(node.func, "attr", getattr(node.func, "id", "")) in LISTENS:
                        listeners.add(path.relative_to(ROOT).as_posix())
                elif isinstance(node, ast.Constant) and node.value in WRITTEN:
                    addresses.add(path.relative_to(ROOT).as_posix())
    return listeners, addresses


def test_every_listening_socket_is_known():
    assert listeners_and_addresses()[0] == {*OF_NO_NETWORK, *OF_LOOPBACK, *TRIED}


def test_what_is_of_loopback_says_so_in_its_own_file():
    for path, words in OF_LOOPBACK.items():
        assert words in (ROOT / path).read_text(encoding="utf-8")
    assert 'LOOPBACK: Final = "127.0.0.1"' in (ROOT / "sim/devices/modbus/server.py").read_text(
        encoding="utf-8"
    )


def test_no_address_of_everybody_is_written_anywhere():
    assert listeners_and_addresses()[1] == set()


def of_everybody(made):
    """Whether a socket that was made listens on every address."""
    with closing(made):
        host = made.getsockname()[0]
    return host in ("0.0.0.0", "::", "::ffff:0.0.0.0")


@pytest.mark.parametrize("address", [*EVERYBODY, *ELSEWHERE])
def test_a_host_is_listened_to_by_strangers_nowhere(address):
    with pytest.raises(ConfigError):
        Listening(address=address)
    if address in EVERYBODY:
        with pytest.raises(ConfigError):
            Listening(address=address, allow=("192.0.2.7",))
    table = {"kind": "host", "map": "hcu1", "address": address}
    with pytest.raises(ConfigError):
        KIND.lasts_s(HostSettings.build(table, "ride.toml"), Path("ride.toml"))


@pytest.mark.parametrize("verb", ["listen", "check", "record"])
@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", "192.0.2.7"])
def test_a_verb_that_listens_takes_no_such_address(verb, address, tmp_path):
    more = ["-o", str(tmp_path / "ride.csv")] if verb == "record" else []
    asked = ["host", verb, "hcu1", "--seconds", "0.1", "--port", "0", *more]
    told = CliRunner().invoke(app, [*asked, "--address", address])
    assert told.exit_code not in (0, None)
    assert "address" in told.output
    assert "Traceback" not in told.output


@pytest.mark.parametrize("address", [*EVERYBODY, *ELSEWHERE])
def test_frames_are_taken_of_strangers_nowhere(address):
    with pytest.raises(RefusedError, match=r"motion\.listen"):
        FrameStream(f"{address}:0", 2, 0.1, VirtualClock().now_s)
    if address in EVERYBODY:
        with pytest.raises(RefusedError, match=r"motion\.listen"):
            FrameStream(f"{address}:0", 2, 0.1, VirtualClock().now_s, ("192.0.2.7",))


def test_frames_of_a_list_are_taken_on_an_address_of_this_machine():
    with pytest.raises(RefusedError, match="not-an-address"):
        bound("127.0.0.1:0", ("not-an-address",))
    assert not of_everybody(bound("127.0.0.1:0", ("127.0.0.1",)))
    assert not of_everybody(bound("127.0.0.2:0"))
    with pytest.raises(RefusedError, match="assign"):  # what is listed may be, where there is one
        bound("192.0.2.7:0", ("192.0.2.8",))


@pytest.mark.parametrize("address", [*EVERYBODY, *ELSEWHERE])
def test_handles_are_taken_of_this_machine_alone(address):
    with pytest.raises(SourceUnavailableError):
        listen(f"{address}:9000")


@pytest.mark.parametrize("to", ["127.0.0.1", "localhost", "127.0.0.2", "0.0.0.0"])
def test_an_emulated_simulator_has_one_address(to):
    host = emulated_host("hcu1", feed=feed_of("flight"))
    with closing(Sender(host, (to, 9))) as sender:
        assert sender.address[0].startswith("127.")


def test_an_emulated_simulator_that_sends_elsewhere_has_one_address_too():
    host = emulated_host("hcu1", feed=feed_of("flight"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.7", 9))
        except OSError:
            pytest.skip("this machine reaches no other one")
        own = probe.getsockname()[0]
    with closing(Sender(host, ("192.0.2.7", 9))) as sender:
        assert sender.address[0] == own != "0.0.0.0"


def test_a_signed_host_may_listen_everywhere():
    where = Listening(address="0.0.0.0", signed=True)
    with closing(HostLink(where, VirtualClock().now_s)) as link:
        assert link.address[0] == "0.0.0.0"

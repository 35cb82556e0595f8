"""`hil host` beside an emulated host on loopback, and what a newcomer gets wrong."""

import json
import re
import subprocess
from socket import AF_INET, SOCK_DGRAM, socket

import pytest
from host_verbs import free_port, hil, sent

from hil.hosts.kind import Packet, Received
from hil.stations.simulator.listening.host_figures import HostFigures
from hil.stations.simulator.listening.host_lookup import find_host
from hil.stations.simulator.listening.host_receiver import ListenChoice, listen, listening
from hil.stations.simulator.listening.listen import why_not
from hil.stations.simulator.listening.ride_writer import RideWriter
from hil.stations.simulator.plan.ride_file import read_ride
from hil.timing.realtime import RealClock
from platform6dof.cueing.vehicle import VehicleState
from sim.hosts.flight import scripted_drive

DRIVE = scripted_drive(rest_s=0.0)


def run(*arguments):
    return subprocess.run(hil(*arguments), capture_output=True, text=True, timeout=120)


@pytest.mark.real_time
def test_a_host_is_heard_checked_and_recorded(tmp_path):
    file = tmp_path / "ride.csv"
    port = free_port()
    at = ("hcu1", "--port", str(port), "--json")
    with sent("hcu1", DRIVE, port, loss=0.1, seed=3):
        told = json.loads(run("host", "listen", *at, "--seconds", "3").stdout)
        written = json.loads(run("host", "record", *at, "--seconds", "16", "-o", str(file)).stdout)
        again = run("host", "record", *at, "--seconds", "1", "-o", str(file))
    assert told["ok"]
    assert told["rate_hz"] == pytest.approx(54.0, rel=0.15)
    assert told["loss"] == pytest.approx(0.1, abs=0.06)
    assert told["values"]["f_m_s2"][2] == pytest.approx(-9.8, abs=1.0)
    assert written["ok"]
    assert written["rows"] > 600
    assert again.returncode == 2
    assert "never overwritten" in again.stderr
    assert len(file.read_text().splitlines()) == written["rows"] + 1
    ride = read_ride(file)
    assert ride.duration_s == pytest.approx(written["seconds"], abs=0.1)
    names, *lines = (line.split(",") for line in file.read_text().splitlines())
    for line in lines[::50]:
        row = dict(zip(names, line, strict=True))
        was = DRIVE.at(float(row["host_stamp_s"]) - 100.0)
        assert float(row["r_rad_s"]) == pytest.approx(was.omega_rad_s[2], abs=1e-5)
        assert float(row["f_x_m_s2"]) == pytest.approx(was.f_m_s2[0], abs=1e-4)


@pytest.mark.real_time
def test_a_wrong_sign_is_refused_with_its_axis():
    port = free_port()
    with sent("hcu1", DRIVE, port):
        good = run("host", "check", "hcu1", "--port", str(port), "--seconds", "9")
        wrong = run("host", "check", "hcu1", "--port", str(port), "--seconds", "9",
                    "--set", 'force_axes=["-x", "y", "z"]')  # fmt: skip
    assert good.returncode == 0, good.stdout + good.stderr
    assert wrong.returncode == 1, wrong.stdout + wrong.stderr
    assert "f_x: slope -" in wrong.stdout
    assert "wrong sign" in wrong.stdout


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("forza", b"\0" * 324, "324 bytes: .*; needed: 311 bytes \\(length in its map\\)"),
        ("hcu1", b'{"seq": 1, "t": 2.5}', '20 bytes: \'{"seq": 1, "t": 2.5}\'; needed: 112 bytes'),
        (
            "simtools",
            b"2048.0,1,1,1,1,1X",
            "17 bytes: '2048.0.*; needed: '<Axis1a>,.* with 12 bits",
        ),
        ("flightgear_binary", b"\1\2\3\xff", "4 bytes: 010203ff; needed: [0-9]+ bytes of"),
        ("beamng", b"hello", "5 bytes: 'hello'$"),
    ],
)
def test_a_packet_that_is_none_is_shown_with_what_is_needed(name, data, says):
    choice = ListenChoice(host=find_host(name), port=0)
    with socket(AF_INET, SOCK_DGRAM) as sender, listening(choice, RealClock()) as ears:
        sender.bind(("127.0.0.1", 0))

        def send(now_s, heard):
            sender.sendto(data, ears.address)

        listen(ears, RealClock(), 5.0, lambda: bool(ears.unheard), send)
        assert re.search(says, ears.unheard), ears.unheard


@pytest.mark.parametrize(
    ("scale", "says"), [(1.0, ""), (1e3, "on by 1e\\+03 s"), (1e-3, "on by 0.001 s"), (0.0, "")]
)
def test_a_time_of_another_unit_is_told(scale, says):
    """Stamps in ms that a map takes for seconds, and the reverse, on a clock of the test's own."""
    figures = HostFigures()
    for k in range(150):
        now_s, state = 100.0 + k / 60.0, DRIVE.at(k / 60.0)
        told = VehicleState(1.77e9 + scale * k / 60.0, state.f_m_s2, state.omega_rad_s)
        figures.step(now_s, [Received(Packet(told), now_s, now_s)])
    assert re.search(says, figures.odd_pace) if says else not figures.odd_pace, figures.odd_pace
    assert bool(why_not(figures)) == bool(says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("listen", "plane"), "KIND = 'plane': no such host; there are kinds beamng"),
        (("listen", "xplane_data"), "version is left out"),
        (("listen", "hcu1", "--seconds", "0"), "--seconds: 0.0 s: a time above 0 s is needed"),
        (("listen", "beamng", "--address", "0.0.0.0"), "it needs a key_file"),
        (("listen", "hcu1", "--set", "sign=1"), "sign"),
        (("listen", "xplane_rref", "--host", "127.0.0.1:no"), "ADDRESS or ADDRESS:PORT is needed"),
        (("emulate", "hcu1", "--fault", "crash@2"), "there is no fault 'crash'"),
        (("emulate", "hcu1", "--feed", "nothing"), "feed 'nothing': no such file"),
        (("emulate", "hcu1", "--rate", "0"), "rate_hz = 0.0 Hz: 1 to 2000 Hz is needed"),
        (("emulate", "hcu1", "--version", "3"), "version '3' of hcu1: binary, json"),
    ],
)
def test_what_is_wrong_is_told(arguments, says, capsys):
    from hil.cli.main import app

    with pytest.raises(SystemExit) as end:
        app(["host", *arguments])
    assert end.value.code == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_a_ride_is_written_row_by_row(tmp_path):
    from hil.hosts.kind import Packet, Received
    from platform6dof.cueing.vehicle import REST, VehicleState

    path = tmp_path / "ride.csv"
    with RideWriter(path) as writer:
        for k in range(240):
            stamp_s = 5.0 + k / 60 if k != 100 else 2.0  # once its clock is wrong
            state = VehicleState(stamp_s, REST.f_m_s2, REST.omega_rad_s, attitude=REST.attitude)
            writer.take(Received(Packet(state), 70.0 + k / 60, 70.0 + k / 60))
            assert len(path.read_text().splitlines()) == k + 2, "a row is there at once"
        less = VehicleState(9.1, REST.f_m_s2, REST.omega_rad_s)
        writer.take(Received(Packet(less), 75.0, 75.0))
    assert (writer.rows, writer.left_out) == (240, 1)
    assert writer.lasts_s == pytest.approx(239 / 60, abs=0.02)
    assert read_ride(path).duration_s == pytest.approx(239 / 60, abs=0.05)

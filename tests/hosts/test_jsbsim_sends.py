"""JSBSim's own outputs, FlightGear's packet and lines of text: what they say is its property tree.

Its sender is a process of its own, with JSBSim's sockets; nothing of it is emulated.
"""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hil.config.file_search import configs_dir
from hil.hosts.kind import Packet, Received, Refused
from hil.hosts.link import Datagram
from hil.hosts.maps import load_map, map_of
from hil.hosts.watch.states import HostState
from hil.stations.simulator.listening.ride_writer import RideWriter
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host_source import HostSource

pytest.importorskip("jsbsim")

HOSTS = configs_dir() / "hosts"
SENDER = (Path(__file__).parent / "jsbsim_sender.py").read_text()
FLIGHTGEAR = (
    '<?xml version="1.0"?><output name="127.0.0.1" type="FLIGHTGEAR" protocol="UDP" rate="60" '
    'port="PORT"/>'
)
SHIPPED = (HOSTS / "hil_jsbsim.xml").read_text().replace('port="1138"', 'port="PORT"')
FLOAT32 = 2.0**-24
"""Half of the last place of a float32, as a share of the number [1]."""
FOOT_M = 0.3048


def sent(folder, directive, steps=240):
    """What JSBSim sent, and its property tree at the same moments."""
    done = subprocess.run(
        [sys.executable, "-c", SENDER, directive, str(folder), str(steps)], capture_output=True,
        text=True, timeout=100, check=True, cwd=folder,
    )  # fmt: skip
    told = json.loads(done.stdout.splitlines()[-1])
    rows = [(one["t_s"], bytes.fromhex(one["datagram"]), one["tree"]) for one in told["rows"]]
    assert len(rows) == steps // 2
    return [bytes.fromhex(one) for one in told["begun"]], rows


def codec_of(path):
    kind, settings = load_map(path)
    return kind.codec(settings)


def state_of(codec, datagram):
    """What a datagram tells of the vehicle."""
    told = codec.decode(datagram)
    assert isinstance(told, Packet), told
    return told.state


def quaternion(tree):
    """Attitude of JSBSim's angles (Diebel 2006, equation 125)."""
    half = [0.5 * tree[f"attitude/{axis}-rad"] for axis in ("phi", "theta", "psi")]
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in half)
    return (cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy)  # fmt: skip


def vector(tree, name, axes, unit=1.0):
    return [unit * tree[name.format(axis)] for axis in axes]


def force_of(tree):
    return vector(tree, "accelerations/a-pilot-{}-ft_sec2", "xyz", FOOT_M)


def near(wanted):
    """Equal to float32."""
    return pytest.approx(wanted, rel=FLOAT32, abs=1e-15)


def test_its_flightgear_packets_say_what_its_property_tree_says(tmp_path):
    _, rows = sent(tmp_path, FLIGHTGEAR)
    codec = codec_of(HOSTS / "flightgear.toml")
    for _, datagram, tree in rows:
        state = state_of(codec, datagram)
        assert state.f_m_s2 == pytest.approx(force_of(tree), rel=3e-7, abs=1e-6)
        rates = vector(tree, "velocities/{}-rad_sec", "pqr")
        assert state.omega_rad_s == pytest.approx(rates, abs=1e-6)
        speed = vector(tree, "velocities/{}-fps", "uvw", FOOT_M)
        assert state.v_m_s == pytest.approx(speed, abs=2e-2)  # of a turning earth
        assert state.attitude == pytest.approx(quaternion(tree), abs=2e-7)


def test_its_lines_of_text_say_what_its_property_tree_says(tmp_path):
    begun, rows = sent(tmp_path, SHIPPED)
    codec = codec_of(HOSTS / "jsbsim.toml")
    assert begun[0].startswith(b"<LABELS> ,Time,a-pilot-x-ft sec2,")
    assert codec.decode(begun[0]) is Refused.NO_MOTION
    first = None
    for t_s, datagram, tree in rows:
        state = state_of(codec, datagram)
        assert state.t_s == pytest.approx(t_s, abs=1e-9)
        assert state.f_m_s2 == near(force_of(tree))
        assert state.omega_rad_s == near(vector(tree, "velocities/{}-rad_sec", "pqr"))
        assert state.domega_rad_s2 == near(vector(tree, "accelerations/{}dot-rad_sec2", "pqr"))
        assert state.v_m_s == near(vector(tree, "velocities/{}-fps", "uvw", FOOT_M))
        assert state.attitude == pytest.approx(quaternion(tree), rel=FLOAT32, abs=1e-11)
        first = first or tree
        down_m = FOOT_M * (first["position/h-sl-ft"] - tree["position/h-sl-ft"])
        assert state.position_m[2] - down_m == pytest.approx(0.0, abs=1e-6)
        north_m = 6.39e6 * (tree["position/lat-geod-rad"] - first["position/lat-geod-rad"])
        assert state.position_m[0] == pytest.approx(north_m, rel=5e-3, abs=1e-5)


@pytest.mark.parametrize(("digits", "least", "most"), [("", 1e-7, 5.1e-7), ("9", 0.0, FLOAT32)])
def test_nine_digits_keep_a_float32_and_those_of_its_own_accord_do_not(
    tmp_path, digits, least, most
):
    precision = f'precision="{digits}"' if digits else ""
    directive = SHIPPED.replace('precision="12"', precision)
    _, rows = sent(tmp_path, directive)
    codec = codec_of(HOSTS / "jsbsim.toml")
    off = [
        abs(told / was - 1.0)
        for _, datagram, tree in rows
        for told, was in zip(state_of(codec, datagram).f_m_s2, force_of(tree), strict=True)
    ]
    assert least <= max(off) <= most


def test_gravities_and_a_property_that_the_aeroplane_lacks(tmp_path):
    """Its own n-pilot is a-pilot in units of standard gravity; a property left out is no line."""
    asked = SHIPPED.replace("a-pilot-x-ft_sec2", "n-pilot-x-norm").replace(
        "a-pilot-y-ft_sec2", "n-pilot-y-norm"
    )
    (tmp_path / "own.xml").write_text(asked.replace("a-pilot-z-ft_sec2", "n-pilot-z-norm"))
    settings = {"kind": "jsbsim", "directive": str(tmp_path / "own.xml")}
    kind, map_ = map_of(settings, "own.toml")
    codec = kind.codec(map_)
    _, rows = sent(tmp_path, (tmp_path / "own.xml").read_text())
    for _, datagram, tree in rows:
        assert state_of(codec, datagram).f_m_s2 == pytest.approx(force_of(tree), rel=1e-6)
    lacking = SHIPPED.replace("gear/wow", "gear/unit[7]/WOW")
    (tmp_path / "own.xml").write_text(lacking)
    codec = kind.codec(map_)
    begun, rows = sent(tmp_path, lacking)
    assert codec.decode(rows[0][1]) is Refused.TEXT
    assert codec.decode(begun[0]) is Refused.VERSION
    assert codec.decode(rows[0][1]) is Refused.VERSION


class Sent:
    """JSBSim's datagrams as a wire: each is there 2 ms after its moment."""

    foreign = 0
    other = ""
    ended_s = math.inf

    def __init__(self, rows):
        self.rows = [
            Datagram(data, t_s + 0.002, t_s + 0.002, ("127.0.0.1", 1)) for t_s, data, _ in rows
        ]

    def begin(self, now_s):
        pass

    def own(self, datagram):
        pass

    def transfer(self, now_s, requests):
        came = [one for one in self.rows if one.kernel_s <= now_s]
        self.rows = self.rows[len(came) :]
        return came


def test_its_lines_drive_a_ride_and_its_record_is_the_property_tree_to_float32(tmp_path):
    _, rows = sent(tmp_path, SHIPPED, steps=720)
    kind, map_ = load_map(HOSTS / "jsbsim.toml")
    now = [0.0]
    source = HostSource(
        kind, map_, Sent(rows), Surroundings(Path("ride.toml"), 0.002, True, 1, lambda: now[0])
    )
    times_s = [one[0] for one in rows]
    force = np.array([force_of(tree) for _, _, tree in rows])
    followed, worst = 0, 0.0
    source.begin(0.0)
    for cycle in range(2950):
        now[0] = 0.002 * cycle
        heard = source.poll(now[0])
        if now[0] > 2.2 and heard.state is not None:
            assert heard.host is HostState.LIVE
            followed += 1
            wanted = [np.interp(now[0] - 0.002, times_s, force[:, axis]) for axis in range(3)]
            worst = max(worst, np.abs(np.subtract(heard.state.f_m_s2, wanted)).max())
    assert followed > 1800
    assert worst < 0.05, "what is followed between packets is what JSBSim does then"

    codec = kind.codec(map_)
    with RideWriter(tmp_path / "ride.csv") as writer:
        for t_s, datagram, _ in rows:
            writer.take(Received(Packet(state_of(codec, datagram)), t_s, t_s))
    with (tmp_path / "ride.csv").open() as file:
        recorded = list(csv.DictReader(file))
    assert len(recorded) == len(rows)
    for row, (_, _, tree) in zip(recorded, rows, strict=True):
        told = [float(row[f"f_{axis}_m_s2"]) for axis in "xyz"]
        assert told == near(force_of(tree))
        turn = [float(row[f"q{axis}"]) for axis in "wxyz"]
        assert turn == pytest.approx(quaternion(tree), rel=FLOAT32, abs=1e-9)

"""Feeds of emulated simulators: recorded rides, and JSBSim's aeroplane."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from hil.stations.simulator.sources.ride_feed import ride_feed
from sim.hosts.emulated_host import emulated_host
from sim.hosts.feeds import feed_of
from sim.hosts.flight import scripted_flight
from sim.hosts.motion_table import COLUMNS, Sampled
from sim.hosts.vehicle_motion import AT_REST, GRAVITY_M_S2, VehicleMotion, from_euler, to_euler

HEADER = ",".join(["t_s", *(name for names in COLUMNS.values() for name in names)])
FLIGHT = scripted_flight()


def row(motion, t_s):
    parts = (motion.f_m_s2, motion.omega_rad_s, motion.attitude, motion.v_m_s, motion.position_m)
    return ",".join(repr(float(value)) for value in (t_s, *(v for part in parts for v in part)))


def test_a_recorded_ride_is_sent_as_it_was(tmp_path):
    file = tmp_path / "ride.csv"
    times_s = [20.0 + k / 60 for k in range(300)]
    lines = [HEADER, *(row(FLIGHT.at(t_s), t_s) for t_s in times_s)]
    file.write_text("\n".join(lines) + "\n")
    feed = feed_of(str(file), ride_feed)
    assert feed.lasts_s == pytest.approx(299 / 60)
    for k in (0, 7, 150, 299):
        got, was = feed.at(k / 60), FLIGHT.at(times_s[k])
        for name in ("f_m_s2", "omega_rad_s", "v_m_s", "attitude", "position_m"):
            np.testing.assert_allclose(getattr(got, name), getattr(was, name), atol=1e-5)
    host = emulated_host("hcu1", feed=feed)
    sent = host.due(20.0)
    assert len(sent) == 300
    assert [data[5] & 8 for _, data in sent].count(8) == 1, "its end is told"
    assert sent[-1][1][5] & 8


def test_between_rows_attitudes_turn_the_shortest_way():
    ends = [from_euler(3.0, 0.4, -2.9), from_euler(-3.0, 0.2, 2.8)]
    rows = [VehicleMotion((0, 0, k), (0, 0, 0), (0, 0, 0), q, (0, 0, 0), (0, 0, 0))
            for k, q in enumerate(ends)]  # fmt: skip
    one, (w, x, y, z) = (0.0, 0.0, 1.0), ends[1]
    rows[1] = VehicleMotion(one, one, one, (-w, -x, -y, -z), one, one)
    feed = Sampled([0.0, 2.0], rows)
    turned = Slerp([0.0, 2.0], Rotation.from_quat([[*q[1:], q[0]] for q in ends]))
    for t_s in (0.0, 0.3, 1.0, 1.9):
        w, x, y, z = feed.at(t_s).attitude
        apart = Rotation.from_quat([x, y, z, w]) * turned(t_s).inv()
        assert apart.magnitude() < 1e-9
        assert feed.at(t_s).f_m_s2[2] == pytest.approx(t_s / 2)


def test_without_attitude_the_rates_are_integrated(tmp_path):
    file = tmp_path / "ride.csv"
    lines = ["t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2,p_rad_s,q_rad_s,r_rad_s"]
    lines += [f"{k / 100},0,0,-9.8,0.2,0,0.1" for k in range(501)]
    file.write_text("\n".join(lines))
    feed = feed_of(str(file), ride_feed)
    w, x, y, z = feed.at(5.0).attitude
    expected = Rotation.from_rotvec([1.0, 0.0, 0.5])
    assert (Rotation.from_quat([x, y, z, w]) * expected.inv()).magnitude() < 1e-9
    assert feed.at(3.0).v_m_s == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t_s,f_x_m_s2\n0,1\n", "no column f_y_m_s2"),
        (HEADER + "\n", "holds a header and no rows"),
        (HEADER + "\n" + "\n".join([row(AT_REST, 1.0), row(AT_REST, 1.0)]), "times must rise"),
        (
            HEADER + "\n" + row(AT_REST, 0.0) + "\n1,2,x" + ",0" * 14,
            "line 3, .*'f_y_m_s2': holds 'x'",
        ),
        (
            HEADER + "\n" + row(AT_REST, 0.0) + "\n1,nan" + ",0" * 15,
            "'f_x_m_s2': holds 'nan'",
        ),
        (HEADER.replace(",qz", "") + "\n", "column qw without"),
        ("", "is empty"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(tmp_path, text, says):
    file = tmp_path / "ride.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=says):
        feed_of(str(file), ride_feed)


def test_an_unknown_feed_names_those_there_are(tmp_path):
    with pytest.raises(ValueError, match="none of auto, jsbsim, flight, loop, drive"):
        feed_of("plane")
    file = tmp_path / "bytes.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="feed"):
        feed_of(str(file), ride_feed)
    assert feed_of("drive").lasts_s < 80.0 < feed_of("flight").lasts_s < feed_of("loop").lasts_s


def test_jsbsims_flight_fits_itself_and_is_the_same_each_time(tmp_path, monkeypatch):
    pytest.importorskip("jsbsim")
    monkeypatch.chdir(tmp_path)
    feed = feed_of("jsbsim")
    again = feed_of("jsbsim")
    times_s = np.arange(0.0, 60.0, 1 / 120)
    flown = [feed.at(t_s) for t_s in times_s]
    assert flown == [again.at(t_s) for t_s in times_s]
    rolls = np.degrees([to_euler(one.attitude)[0] for one in flown])
    assert rolls.min() < -14.0
    assert rolls.max() > 25.0
    turned = Rotation.from_quat([[*one.attitude[1:], one.attitude[0]] for one in flown])
    omega = np.array([one.omega_rad_s for one in flown])
    spun = (turned[:-2].inv() * turned[2:]).as_rotvec() * 60.0
    assert np.abs(spun - omega[1:-1]).max() < 4e-3  # the earth turns, and is round
    v = np.array([one.v_m_s for one in flown])
    dv = (v[2:] - v[:-2]) * 60.0
    fall = turned.inv().apply([0.0, 0.0, GRAVITY_M_S2])
    force = dv + np.cross(omega, v)[1:-1] - fall[1:-1]
    told = np.array([one.f_m_s2 for one in flown])[1:-1]
    # the pilot sits off the centre of mass, and the altitude takes 0.004 m/s2 of gravity
    assert np.sqrt(np.mean((told - force) ** 2)) < 0.12
    assert np.corrcoef(told[:, 2], force[:, 2])[0, 1] > 0.99
    went = np.diff([one.position_m for one in flown], axis=0) * 120.0
    over_ground = turned.apply(v)
    assert np.abs(went - 0.5 * (over_ground[1:] + over_ground[:-1])).max() < 0.02
    assert max(abs(b - a) for a, b in pairwise(told[:, 2])) < 2.0
    assert math.isclose(feed.lasts_s, 60.0)
    assert not list(tmp_path.iterdir()), "the aeroplane's own output is no file"

"""Emulated games against packets laid out from their documents, and through the bench's codec."""

import math
import struct

import layout_samples as samples
import numpy as np
import pytest
from layout_samples import Moving
from test_emulated_by_codecs import DRIVE, FLIGHT, heard, reaction, watched

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.hosts.kind import Received
from hil.hosts.maps import load_map
from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import Cause, HostState
from hil.hosts.watch.watchdogs import HostWatch
from hil.stations.simulator.listening.emulation import EmulateChoice, build_host
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.run.bench import open_ride_source
from sim.hosts.kinds import wire_of
from sim.hosts.telemetry import Telemetry

G = 9.80665
GAMES = ("codemasters", "f1_23", "forza", "outsim")
"""Those that tell a vehicle."""
MOMENTS = [(FLIGHT, t_s) for t_s in (3.0, 22.0, 40.0, 51.0)] + [(DRIVE, t_s) for t_s in (7.0, 31.0)]


def angles_of(motion):
    """Roll, pitch, heading of a quaternion (Diebel 2006, equation 290)."""
    w, x, y, z = motion.attitude
    return (
        math.atan2(2 * (y * z + w * x), w * w - x * x - y * y + z * z),
        -math.asin(2 * (x * z - w * y)),
        math.atan2(2 * (x * y + w * z), w * w + x * x - y * y - z * z),
    )


def moving(motion, t_s):
    """The same vehicle as the samples have it."""
    at = Moving(t_s, *angles_of(motion), (0.0,) * 3, tuple(motion.position_m))
    north, east, down = at.axes @ np.array(motion.v_m_s)
    return Moving(t_s, at.roll, at.pitch, at.heading, (north, east, down), at.p_m)


def sent(game, motion, t_s, **more):
    (packet,) = wire_of("layout", game, 60.0, **more).pack(Telemetry(motion, t_s, 7))
    return packet.data


def near(wanted):
    return pytest.approx(wanted, rel=1e-6, abs=2e-5)


@pytest.mark.parametrize(("feed", "t_s"), MOMENTS)
def test_the_bytes_are_those_of_the_documents(feed, t_s):
    motion = feed.at(t_s)
    at = moving(motion, 100.0 + t_s)

    form = struct.Struct("<66f")
    mine, others = (form.unpack(one) for one in (
        sent("codemasters", motion, at.t_s), samples.codemasters(at)))  # fmt: skip
    told = [0, *range(4, 17)]  # time, place, speed, velocity, right, forward
    assert [mine[k] for k in told] == near([others[k] for k in told])

    mine, others = sent("f1_23", motion, at.t_s), samples.f1_23(at, car=19)
    assert len(mine) == len(others) == 1349
    assert mine[:5] == others[:5]
    assert mine[6] == others[6] == 0
    assert struct.unpack_from("<f", mine, 15) == near(struct.unpack_from("<f", others, 15))
    assert mine[27:29] == others[27:29]
    car = struct.Struct("<6f6h")
    mine, others = (car.unpack_from(one, 29 + 19 * 60) for one in (mine, others))
    assert mine[:6] == near(others[:6])
    assert mine[6:] == pytest.approx(others[6:], abs=1)

    acceleration = np.array(motion.f_m_s2) + at.axes.T @ np.array([0.0, 0.0, G])
    for length in (232, 311, 324, 331):
        mine = sent("forza", motion, at.t_s, length=length)
        others = samples.forza(at, length, 1, acceleration, motion.omega_rad_s)
        assert len(mine) == len(others) == length
        form = struct.Struct("<iI3f15f")
        mine, others = (form.unpack_from(one)[:2] + form.unpack_from(one)[5:17]
                        for one in (mine, others))  # fmt: skip
        assert mine[:2] == others[:2]
        assert mine[2:5] == pytest.approx(others[2:5], rel=1e-6, abs=2.1e-3)  # its ways are rough
        assert mine[5:] == near(others[5:])

    form = struct.Struct("<I12f3i")
    mine, others = (form.unpack(one) for one in (
        sent("outsim", motion, at.t_s), samples.outsim(at)))  # fmt: skip
    assert mine[:1] + mine[4:7] + mine[10:13] == near(others[:1] + others[4:7] + others[10:13])
    assert mine[13:] == pytest.approx(others[13:], abs=1)

    x, y, z = motion.f_m_s2
    pose = (0.008 * y, 0.008 * (-z - G), -0.008 * x, 0.4 * motion.omega_rad_s[2], 0.4 * at.pitch,
            0.4 * at.roll)  # fmt: skip
    mine = struct.unpack("<6d", sent("opentrack", motion, at.t_s))
    assert mine == pytest.approx(struct.unpack("<6d", samples.opentrack(*pose)), abs=1e-9)


def test_a_paused_forza_says_that_no_race_is_on():
    wire = wire_of("layout", "forza", 60.0)
    shown = Telemetry(DRIVE.at(5.0), 5.0, 1, paused=True)
    assert struct.unpack_from("<i", wire.pack(shown)[0].data) == (0,)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("feed", [FLIGHT, DRIVE], ids=["flight", "drive"])
def test_the_codec_understands_it_and_it_is_followed(game, feed):
    packets = heard(game, feed, 30.0)
    assert len(packets) == 1800
    assert all(isinstance(one, Received) for one in packets)
    for one in packets[1::97]:
        state, motion = one.packet.state, feed.at(one.kernel_s - 0.001)
        inner = abs(np.dot(state.attitude, motion.attitude))
        assert inner == pytest.approx(1.0, abs=1e-7)
        np.testing.assert_allclose(state.v_m_s, motion.v_m_s, rtol=1e-4, atol=1e-3)
        if game != "forza":
            np.testing.assert_allclose(state.position_m, motion.position_m, rtol=1e-6, atol=1e-3)
        assert state.t_s == pytest.approx(100.0 + one.kernel_s - 0.001, abs=6e-4)
        if game == "forza":
            np.testing.assert_allclose(state.f_m_s2, motion.f_m_s2, rtol=1e-5, atol=2.1e-3)
            np.testing.assert_allclose(state.omega_rad_s, motion.omega_rad_s, rtol=1e-5, atol=1e-6)
    map_ = build_map(game)
    watch, why = HostWatch(map_.means.means(), Physics(map_)), ""
    states = []
    for one in packets:
        states.append(watch.step(one.kernel_s, [one]).state)
        why = why or watch.why
    assert why == ""
    began = states.index(HostState.LIVE)
    assert packets[began].kernel_s < 3.0
    assert set(states[began:]) == {HostState.LIVE}


def build_map(game):
    return load_map(configs_dir() / "hosts" / f"{game}.toml")[1]


@pytest.mark.parametrize("game", GAMES)
def test_a_ride_on_the_virtual_clock_emulates_the_game_of_its_map(game):
    """Its vehicle stands at first, so that nothing but the time changes."""
    scenario = configs_dir() / "scenarios" / "flight_live.toml"
    changes = [f'source.map="{game}"', 'clock="virtual"', 'source.emulated.feed="drive"']
    now, states = [0.0], []
    with open_ride_source(load_ride(scenario, changes), lambda: now[0]) as source:
        for index in range(300):
            now[0] = 0.01 * index
            states.append(source.poll(now[0]).host)
        assert source.why == ""
    assert states[-1] is HostState.LIVE


FAULTS = {
    "pause duration_s=1": ({Cause.PAUSED, Cause.STAMP_FROZEN}, 0.35),
    "menu duration_s=1": ({Cause.NO_PACKET}, 0.13),
    "teleport": ({Cause.POSITION_JUMP}, 0.05),
    "backward": ({Cause.TIME_BACKWARD}, 0.05),
    "frozen duration_s=1": ({Cause.VALUES_FROZEN}, 0.35),
    "truncated duration_s=1": ({Cause.NO_PACKET}, 0.13),
    "end": ({Cause.NO_PACKET}, 0.13),
}


@pytest.mark.parametrize(
    ("game", "fault"),
    [(game, fault) for game in GAMES for fault in FAULTS if (game, fault) != ("forza", "teleport")],
)
def test_a_fault_takes_the_motion_away_in_time_and_is_told(game, fault):
    causes, within_s = FAULTS[fault]
    name, _, rest = fault.partition(" ")
    seen = watched(game, f"{name} {rest} at_s=4", 4.0, end_s=6.5)
    found = reaction(seen, 4.0)
    assert found is not None, "the motion was followed all along"
    after_s, cause = found
    assert cause in causes
    assert after_s <= within_s + 0.002
    gone = [weight for now_s, _, _, weight, _ in seen if now_s >= 4.0 + after_s + 0.3]
    assert gone[0] < 1e-6


def choice(name, version=""):
    return EmulateChoice(
        name=name, feed="drive", rate_hz=60.0, jitter_s=0.0, loss=0.0, order=0.0, version=version,
        seed=0, faults=(), rest_s=0.0,
    )  # fmt: skip


def test_the_verb_sends_a_shipped_layout_and_one_of_one_s_own_by_its_game(tmp_path):
    assert len(build_host(choice("f1_23")).due(0.1)[0][1]) == 1349
    shipped = build_map("forza").model_dump()
    own = tmp_path / "sled.toml"
    text = (configs_dir() / "hosts" / "forza.toml").read_text()
    assert shipped["length"] == 311
    own.write_text(text.replace("length = 311", "length = 232"))
    assert len(build_host(choice(str(own), "forza")).due(0.1)[0][1]) == 232
    with pytest.raises(ConfigError, match="version 'sled' of layout: codemasters, f1_23, forza"):
        build_host(choice(str(own)))
    own.write_text(text.replace("length = 311", "length = 300"))
    with pytest.raises(ConfigError, match="length = 300: packets of forza have 311, 232, 324, 331"):
        build_host(choice(str(own), "forza"))
    with pytest.raises(ConfigError, match="fields is left out"):
        build_host(choice("layout", "forza"))

"""Signs that nothing in a packet can contradict are asked for, by the fields' names and the key."""

import pytest

from hil.config.errors import ConfigError
from hil.config.file_search import configs_dir
from hil.config.settings import read_toml
from hil.hosts.kind import Packet, Received
from hil.hosts.maps import load_map, map_of
from hil.hosts.watch.states import HostState
from hil.hosts.wires.unverifiable_signs import fields_without_check
from hil.stations.simulator.listening.host_figures import HostFigures
from hil.stations.simulator.listening.listen import why_not
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.run.bench import open_ride_source
from platform6dof.cueing.vehicle import VehicleState

HOSTS = configs_dir() / "hosts"
FORCE = ("force_forward", "force_right", "force_down")
RATES = ("roll_rate", "pitch_rate", "yaw_rate")
ANGLES = ("roll", "pitch", "heading")
BODY = ("velocity_forward", "velocity_right", "velocity_down")
WORLD = ("world_velocity_north", "world_velocity_east", "world_velocity_down")
PLACE = ("position_north", "position_east", "position_down")
RIGHT = {"forza", "codemasters", "f1_23", "outsim", "opentrack", "simtools", "flypt"}
"""Shipped maps whose signs stand in the map itself."""


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        (FORCE + RATES + ANGLES + BODY, ()),
        (FORCE + RATES + ANGLES + WORLD + PLACE, ()),
        (FORCE + RATES + ANGLES, FORCE[:2]),
        (FORCE + RATES + BODY, RATES),
        (FORCE + RATES, FORCE[:2] + RATES),
        (FORCE + ANGLES + WORLD, ()),
        (FORCE + ANGLES, (*FORCE[:2], "heading")),
        (ANGLES + WORLD, ("roll", "heading", *WORLD, "pitch")),
        (ANGLES + WORLD + PLACE, ("roll", "heading", *WORLD, "pitch", *PLACE)),
        (ANGLES + PLACE, ("roll", "heading", *PLACE, "pitch")),
        (("force_right", "force_down", *RATES, *ANGLES, *BODY), BODY),
        (("acceleration_forward", "acceleration_right", "acceleration_down",
          *RATES, *ANGLES, *BODY), ("roll",)),
        (("pose_forward", "pose_right", "pose_down", *ANGLES),
         ("pose_forward", "pose_right", "pose_down", *ANGLES)),
    ],
)  # fmt: skip
def test_what_nothing_else_in_a_packet_says_is_asked_for(fields, asked):
    assert fields_without_check(set(fields)) == asked


def tables():
    return {path.stem: read_toml(path) for path in sorted(HOSTS.glob("*.toml"))}


@pytest.mark.parametrize("name", sorted(tables()))
def test_a_shipped_map_says_how_its_signs_are_known_or_needs_not(name):
    table = tables()[name]
    kind, map_ = load_map(HOSTS / f"{name}.toml")
    assert map_.unseen() == ""
    assert ("signs_seen" in table) == (name in RIGHT)
    if name in RIGHT:
        assert len(table["signs_seen"]) > 40
        _, bare = map_of(table | {"signs_seen": ""}, name)
        assert 'signs_seen = "' in bare.unseen()
        assert "`hil host listen`" in bare.unseen()
    del kind


def test_a_pose_that_nobody_looked_at_is_not_followed():
    kind, map_ = load_map(HOSTS / "simtools.toml", ['signs_seen=""'])
    told = kind.codec(map_).decode(b"2048,2048,2048,2048,2048,2048X")
    assert isinstance(told, Packet)
    figures = HostFigures(map_)
    for index in range(150):
        figures.step(0.02 * index, [Received(told, 0.02 * index, 0.02 * index)])
    assert figures.state is HostState.WAITING
    assert "axes and spans: surge, sway, heave, roll, pitch, yaw" in why_not(figures)


def test_a_run_is_refused_before_anything_is_heard(tmp_path):
    own = tmp_path / "own.toml"
    lines = (HOSTS / "outsim.toml").read_text().splitlines()
    own.write_text("\n".join(one for one in lines if not one.startswith("signs_seen")))
    scenario = tmp_path / "live.toml"
    flight = (configs_dir() / "scenarios" / "flight_live.toml").read_text()
    scenario.write_text(flight)
    changes = ['source.map="own.toml"', 'clock="virtual"', 'source.emulated.feed="drive"']
    with (
        pytest.raises(ConfigError, match=r"own\.toml: signs_seen is left out: .*roll, heading"),
        open_ride_source(load_ride(scenario, changes), lambda: 0.0),
    ):
        raise AssertionError


def test_the_force_that_a_ride_would_make_is_shown():
    """It speeds up by 2 m/s² to the east, level, and points east: forward 2, down -9.81."""
    figures = HostFigures()
    half = 0.5**0.5
    for index in range(120):
        t_s = 0.02 * index
        state = VehicleState(
            t_s, (float("nan"),) * 3, (float("nan"),) * 3, attitude=(half, 0.0, 0.0, half),
            v_m_s=(10.0 + 2.0 * t_s, 0.0, 0.0),
        )  # fmt: skip
        figures.step(t_s, [Received(Packet(state), t_s, t_s)])
    assert figures.force_m_s2 == pytest.approx((2.0, 0.0, -9.80665), abs=0.01)

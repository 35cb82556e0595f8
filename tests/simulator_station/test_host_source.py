"""A live host as a source of a ride: settings, the virtual clock, and UDP of a process."""

import math
from pathlib import Path

import campaign
import pytest

from hil.config.errors import ConfigError
from hil.hosts.watch.states import Cause, HostState
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host import KIND, HostSettings
from hil.timing.realtime import RealClock
from sim.hosts.flight import scripted_flight

PERIOD_S = 1.0 / campaign.rate_hz()
pytestmark = pytest.mark.campaign  # at the full rate


def settings(map_="xplane_rref", emulated=(), **keys):
    table = {"kind": "host", "map": map_} | keys
    if emulated is not None:
        table["emulated"] = {"feed": "flight"} | dict(emulated)
    return HostSettings.build(table, "ride.toml")


def around(now, virtual=True, seed=3):
    return Surroundings(Path("ride.toml"), PERIOD_S, virtual, seed, now, (0.0, 0.0, 0.0))


def ridden(one, seconds, begin_s=3.0, seed=3):
    """What a source says in every cycle."""
    now, said = [50.0], []
    with KIND.open(one, around(lambda: now[0], seed=seed)) as source:
        for cycle in range(int(seconds / PERIOD_S)):
            now[0] = 50.0 + cycle * PERIOD_S
            if cycle == int(begin_s / PERIOD_S):
                source.begin(now[0])
            said.append((now[0], source.poll(now[0])))
    return said


@pytest.mark.parametrize(
    ("map_", "version"),
    [
        ("hcu1", ""), ("hcu1", "json"), ("flightgear", ""), ("flightgear_binary", ""),
        ("flightgear_ascii", ""), ("xplane_rref", "11"), ("xplane11_data", ""),
        ("xplane12_data", ""), ("beamng", ""), ("jsbsim", ""),
    ],
)  # fmt: skip
def test_every_wire_says_what_the_vehicle_does(map_, version):
    network = {"jitter_s": 0.004, "loss": 0.01, "version": version}
    said = ridden(settings(map_, network), 16.0)
    assert {one.host for t_s, one in said if t_s > 54.1} == {HostState.LIVE}
    feed, stamped = scripted_flight(), map_ not in ("beamng", "flightgear")
    worst = 0.0
    for t_s, one in said:
        if t_s < 55.0:
            continue
        wanted = feed.at(t_s - 53.0)
        worst = max(
            worst, max(abs(a - b) for a, b in zip(one.state.f_m_s2, wanted.f_m_s2, strict=True))
        )
        assert math.isfinite(sum(one.state.domega_rad_s2) + sum(one.state.omega_rad_s))
    assert worst < (0.25 if stamped else 0.6)


def test_two_runs_of_one_seed_are_the_same_and_another_seed_is_not():
    one = settings("hcu1", {"jitter_s": 0.008, "loss": 0.05, "order": 0.05})
    first, again = ridden(one, 6.0), ridden(one, 6.0)
    assert repr(first) == repr(again)
    assert repr(first) != repr(ridden(one, 6.0, seed=4))


def test_a_pause_fades_and_is_told_and_the_vehicle_begins_with_the_ride():
    one = settings("hcu1", {"faults": ("pause at_s=4 duration_s=1",)})
    said = ridden(one, 13.0)
    began_s = next(t_s for t_s, told in said if told.host is HostState.FADING_OUT)
    assert began_s == pytest.approx(57.0, abs=0.02)
    assert {told.cause for t_s, told in said if 57.1 < t_s < 58.0} == {Cause.PAUSED}
    assert said[-1][1].host is HostState.LIVE
    assert said[int(2.9 / PERIOD_S)][1].state.f_m_s2 == pytest.approx((0, 0, -9.80665), abs=0.003)


def test_used_packets_bear_the_stamps_of_the_latency_trail():
    said = ridden(settings("hcu1", {"jitter_s": 0.004}), 4.0)
    used = [(t_s, told) for t_s, told in said if math.isfinite(told.kernel_s)]
    assert len(used) > 200
    for t_s, told in used:
        assert told.taken_s == t_s
        assert 0.0 <= t_s - told.kernel_s <= PERIOD_S + 1e-9
        assert math.isfinite(told.host_s)


@pytest.mark.real_time
def test_a_process_sends_over_udp_in_real_time():
    clock = RealClock()
    one = settings("hcu1", {"rate_hz": 100.0}, port=0)
    with KIND.open(one, around(clock.now_s, virtual=False)) as source:
        source.begin(clock.now_s())
        end_s, told = clock.now_s() + 8.0, source.poll(clock.now_s())
        while clock.now_s() < end_s and told.host is not HostState.LIVE:
            told = source.poll(clock.now_s())
        assert told.host is HostState.LIVE
        assert told.packets > 100
        assert source.ended_s < math.inf


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"map_": "xplane"}, "source.map = 'xplane': no such file"),
        ({"emulated": None}, "on the virtual clock no real host can be heard"),
        ({"map_": "flightgear", "key_file": "k"}, "packets of flightgear bear no signature"),
        ({"map_": "hcu1", "key_file": "no_key"}, "source.key_file = 'no_key': no such file"),
        ({"emulated": {"feed": "nowhere.csv"}}, "source.emulated.feed = 'nowhere.csv'"),
        ({"emulated": {"faults": ("pauze",)}}, "source.emulated.faults: "),
        ({"map_": "hcu1", "emulated": {"version": "7"}}, "version '7' of hcu1"),
        ({"emulated": {"rate_hz": 5.0}}, "emulated.rate_hz = 5.0"),
    ],
)
def test_what_cannot_be_is_refused_by_its_key(keys, words):
    with pytest.raises(ConfigError) as caught:
        opened_and_closed(keys)
    assert words in str(caught.value)


def opened_and_closed(keys):
    with KIND.open(settings(**keys), around(lambda: 0.0)):
        pass


def test_a_key_signs_and_judges_the_emulated_host_too(tmp_path):
    (tmp_path / "key").write_bytes(b"0123456789abcdef-and-more\n")
    said = ridden(settings("hcu1", {}, key_file=str(tmp_path / "key")), 3.0)
    assert said[-1][1].host is HostState.LIVE
    (tmp_path / "short").write_bytes(b"0123")
    with pytest.raises(ConfigError, match="a key of 4 bytes; at least 16"):
        opened_and_closed({"map_": "hcu1", "key_file": str(tmp_path / "short")})


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"address": "0.0.0.0"}, "address = 0.0.0.0 hears everybody"),
        ({"address": "10.1.2.3"}, "it needs a key_file, or in allow"),
    ],
)
def test_strangers_are_refused_before_anything_moves(keys, words):
    with pytest.raises(ConfigError, match=words):
        KIND.lasts_s(settings(**keys), Path("ride.toml"))


def test_it_lasts_as_long_as_its_emulated_vehicle_or_nobody_knows():
    assert KIND.lasts_s(settings(), Path("ride.toml")) == scripted_flight().lasts_s
    assert KIND.lasts_s(settings(emulated=None), Path("ride.toml")) == math.inf

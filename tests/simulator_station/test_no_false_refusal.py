"""No shipped ride and no real record is refused by physics: it is judged before any gain."""

import sys
import tomllib
from pathlib import Path

import pytest
from campaign import share_of

from hil.config.file_search import configs_dir
from hil.hosts.watch.states import Cause, HostState
from hil.stations.simulator.plan.ride_file import read_ride_file
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.run.bench import open_ride_source

sys.path.append(str(Path(__file__).parents[1] / "motion"))
from motion_checks import recording

SCENARIOS = configs_dir() / "scenarios"
RIDES = sorted(
    path.stem
    for path in SCENARIOS.glob("*.toml")
    if tomllib.loads(path.read_text()).get("station") == "simulator"
    and tomllib.loads(path.read_text())["source"]["kind"] != "fmu"
)
CASES = [(name, feed, gain) for gain in (0.25, 3.0, 1.0) for name in RIDES
         for feed in ("flight", "drive", "loop", "")]  # fmt: skip
DATA = {
    "car_dresden": "car_dresden_city.csv", "car_dresden_forces": "car_dresden_city.csv",
    "rocket_jackpot": "rocket_jackpot1_flight.csv",
    "quake_coalinga": "quake_coalinga1983_3axis.csv",
}  # fmt: skip
PHYSICAL = (Cause.FORCE, Cause.SLOPE, Cause.POSE, Cause.SIGNS)


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "feed", "gain"), share_of(CASES, least=4))
def test_a_shipped_ride_is_followed_to_its_end(name, feed, gain):
    changes = ['clock="virtual"', "rate_hz=100", f"cueing.gain={gain}"]
    live = "emulated" in tomllib.loads((SCENARIOS / f"{name}.toml").read_text())["source"]
    if feed and not live:
        return
    if feed:
        changes.append(f'source.emulated.feed="{feed}"')
    plan = load_ride(SCENARIOS / f"{name}.toml", changes)
    now, seen = [0.0], set()
    with open_ride_source(plan, lambda: now[0]) as source:
        source.begin(0.0)
        for index in range(60 * 100):
            now[0] = 0.01 * index
            if source.ended_s <= now[0] + 0.5:
                break
            heard = source.poll(now[0])
            assert heard.cause not in PHYSICAL, source.why
            seen.add(heard.host)
    assert HostState.LIVE in seen


@pytest.mark.parametrize("name", DATA)
def test_a_real_record_is_read(name):
    ride = read_ride_file(recording(DATA[name]), name)
    assert ride.ride().duration_s > 10.0
    assert not [one for one in ride.agreements() if one.judgement.wrong]

"""Recorded rides far beyond a platform, through the whole station: lagging cylinders and the gate.

The cylinders' position loop has its corner at 20 to 25 Hz, so what shakes faster than some 10 Hz
comes late by more than the gate permits lengths to age; the maps of such records leave it out.
"""

import math
from pathlib import Path

import pytest
from campaign import long_only

from hil.config.file_search import configs_dir
from hil.machines.cueing.ride_map import read_ride_map
from hil.stations.simulator.cue.score import CueRequest, plan_of, run_cue
from hil.stations.simulator.run.rehearsal import rehearse

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ROCKET = ("rocket_jackpot1_flight.csv", "rocket_jackpot", 1.0)
CAR = ("car_dresden_city.csv", "car_dresden", 3.0)
QUAKE = ("quake_coalinga1983_3axis.csv", "quake_coalinga", 1.0)
RIGS = ("training_simulator", "paper")
BEGINNING_S = 12.0
"""Of a ride: the board shakes the rocket from its boost on."""
long = (long_only, pytest.mark.campaign, pytest.mark.timeout(1200))
rides = pytest.mark.parametrize(
    ("ride", "lasts_s"),
    [
        pytest.param(ROCKET, BEGINNING_S, id="rocket"),
        *(
            pytest.param(ride, math.inf, id=f"whole-{name}", marks=long)
            for name, ride in (("rocket", ROCKET), ("car", CAR), ("quake", QUAKE))
        ),
    ],
)
rigs = pytest.mark.parametrize("rig", RIGS)


def ridden(folder, ride, rig, lasts_s, *, governor=True, map_name=None):
    """Run a ride, or its beginning, on a rig."""
    file, name, gain = ride
    if not (DATA / file).is_file():
        pytest.skip(f"no recorded data: {DATA / file} is not there")
    plan = plan_of(
        CueRequest(
            record=DATA / file, rig=rig, preset="base", map_name=map_name or name, gain=gain,
            governor=governor,
        )
    )  # fmt: skip
    if math.isfinite(lasts_s):
        scenario = plan.scenario.model_copy(update={"duration_s": lasts_s})
        plan = plan.model_copy(update={"scenario": scenario})
    return run_cue(plan, folder)


@rigs
@rides
def test_a_ride_is_never_stopped_and_keeps_every_margin(tmp_path, ride, lasts_s, rig):
    found = ridden(tmp_path, ride, rig, lasts_s)
    print(f"{ride[0]} on {rig}: {found.figures}")
    assert found.run.ok, found.run.reason
    assert found.figures.gate_stops == 0
    assert found.figures.margin_min >= 0.0
    if ride is not QUAKE:
        assert found.figures.governed_share > 0.05  # it does ask too much


@rigs
def test_without_its_governor_the_gate_stops_the_rocket(tmp_path, rig):
    found = ridden(tmp_path, ROCKET, rig, math.inf, governor=False)
    assert not found.run.ok
    assert found.figures.gate_stops == 1
    assert "lags" not in found.run.reason


def test_what_shakes_the_board_of_the_rocket_does_not_make_the_feedback_seem_old(tmp_path):
    """It is faster than any leg follows, and frames of what a servo leaves are not old ones."""
    shaken = tmp_path / "shaken.toml"
    lines = (configs_dir() / "rides" / "rocket_jackpot.toml").read_text().splitlines()
    shaken.write_text("\n".join(one for one in lines if not one.startswith("lowpass_hz")))
    assert read_ride_map("rocket_jackpot").lowpass_hz == 10.0
    assert read_ride_map(str(shaken)).lowpass_hz is None
    rig = "training_simulator"
    found = ridden(tmp_path, ROCKET, rig, BEGINNING_S, map_name=str(shaken))
    assert found.run.ok, found.run.reason


def test_from_the_corner_of_its_box_it_comes_home():
    """Cut off in its boost, the rocket leaves the platform fast and in a corner."""
    file, name, gain = ROCKET
    if not (DATA / file).is_file():
        pytest.skip(f"no recorded data: {DATA / file} is not there")
    plan = plan_of(
        CueRequest(
            record=DATA / file, rig="training_simulator", preset="base", map_name=name, gain=gain
        )
    )
    ride = rehearse(plan, most_s=8.0)
    assert not ride.rows[-1][1:].any()
    assert len(ride.rows) * plan.scenario.period_s < 8.0 + 30.0

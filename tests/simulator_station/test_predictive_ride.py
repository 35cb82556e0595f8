"""Rides on plans: repeatable, better for knowing ahead, home whatever becomes of the planner."""

import os
import re
import signal

import numpy as np
import pytest
from rack_bench import CHANCE, repeated
from ride_bench import RATE_HZ, in_mode, plan_of, ridden

from hil.config.errors import ConfigError
from hil.recording.reader import Recording
from hil.stations.platform.bench.bench import run
from hil.stations.simulator.chain.plan_wire import RENEWALS_MOST
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.run.rehearsal import rehearse
from platform6dof.cueing.predictive import InlinePlanning

pytestmark = [pytest.mark.usefixtures("scripted"), pytest.mark.campaign]
MPC = {"preset": "mpc"}
RIDE = {"surge_m_s2": 3.0, "lasts_s": 6.0}
LATE = re.compile(r"(?:a|(\d+)) plans? (?:was|were) late")


def messages(result):
    return [event.message for event in result.events]


def test_the_same_scenario_gives_the_same_recording(tmp_path):
    one, recording = ridden(tmp_path, RIDE | {"known": True}, MPC)
    two, _ = ridden(tmp_path, RIDE | {"known": True}, MPC)
    unknown, _ = ridden(tmp_path, RIDE, MPC)
    assert one.outcome.value == "completed"
    assert not one.violations
    assert one.recorder.sha256 == two.recorder.sha256 != unknown.recorder.sha256
    plans = recording.column("plans")[in_mode(recording, "ENGAGED")]
    assert plans[-1] > 100
    assert not recording.column("plans_late").any()
    assert not recording.column("plans_failed").any()
    assert not any("plan" in one for one in messages(one))


def test_what_is_known_ahead_makes_it_better():
    errors = {}
    for known in (True, False):
        ride = rehearse(plan_of(RIDE | {"known": known, "roll_rad_s": 0.0}, MPC))
        on = ride.weight == 1.0
        error = 0.3 * ride.wanted[on, 0] - ride.felt[on, 0]
        errors[known] = np.sqrt(np.mean(error**2)) / np.std(0.3 * ride.wanted[on, 0])
    assert errors[True] < 0.8 * errors[False]
    assert errors[True] < 0.5


def test_a_preview_in_the_scenario_takes_the_place_of_the_presets_own():
    source = RIDE | {"known": True}
    rows = [rehearse(plan_of(source, MPC | more)).rows for more in ({}, {"preview_s": 0.0})]
    live = rehearse(plan_of(RIDE, MPC)).rows
    assert rows[1].tobytes() == live.tobytes() != rows[0].tobytes()


@pytest.mark.parametrize("known", [True, False])
def test_a_gain_is_that_of_the_vehicle_in_the_preview_too(known):
    source = {"surge_m_s2": 1.5, "lasts_s": 3.0, "roll_rad_s": 0.0, "known": known}
    one = rehearse(plan_of(source | {"surge_m_s2": 0.75}, MPC | {"gain": 2.0}))
    other = rehearse(plan_of(source, MPC | {"gain": 1.0}))
    count = min(len(one.rows), len(other.rows))
    assert np.abs(one.rows[:count] - other.rows[:count]).max() < 1e-6


def test_a_planner_that_ends_is_told_and_the_ride_comes_home(tmp_path, monkeypatch):
    ask = InlinePlanning.ask

    def dead_from(planning, request):
        if request.start_s < 2.0:
            ask(planning, request)

    monkeypatch.setattr(InlinePlanning, "ask", dead_from)
    monkeypatch.setattr(InlinePlanning, "alive", property(lambda planning: True))
    result, recording = ridden(tmp_path, RIDE | {"lasts_s": 6.0}, MPC)
    assert result.outcome.value == "completed"
    assert not result.violations
    late = recording.column("plans_late")
    told = [int(one.group(1) or 1) for one in map(LATE.match, messages(result)) if one]
    assert late[-1] > 50
    assert told == [1, late[-1] - 1], "the first at once, all others as one sum"
    assert sum("the platform rests where it is" in one for one in messages(result)) == 1
    ride = np.flatnonzero(in_mode(recording, "ENGAGED"))
    still = ride[round(4.6 * RATE_HZ) : round(5.8 * RATE_HZ)]
    assert np.abs(recording.column("asked_speed_m_s")[still]).max() < 1e-9
    assert recording.column("plans")[-1] < 45


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"preview_s": -1.0}, "cueing.preview_s"),
        ({"preview_s": float("nan")}, "cueing.preview_s"),
        ({"head_m": (0.0, 0.0, 15.0)}, None),
    ],
)
def test_what_cannot_be_is_refused_or_planned_for(change, said):
    if said is None:
        ride_of(plan_of(RIDE, MPC | change))
        return
    with pytest.raises(ConfigError, match=said):
        plan_of(RIDE, MPC | change)


def test_a_source_that_knows_nothing_ahead_cannot_be_looked_ahead_at():
    with pytest.raises(ConfigError, match=r"preview_s: 2 s: source 'scripted' does not know"):
        rehearse(plan_of(RIDE, MPC | {"preview_s": 2.0}))


def test_a_rate_that_plans_do_not_fit_is_refused_by_name():
    with pytest.raises(ConfigError, match=r"mpc.*period_s: 0\.05 s.*loop's period"):
        ride_of(plan_of(RIDE, MPC, rate_hz=333.0))


def in_real_time(folder, kills):
    """A ride at 100 Hz whose planner, a process, is killed so often from 2 s on."""
    ride = ride_of(plan_of(RIDE, MPC, clock="real", rate_hz=100.0))
    (process,) = ride.parts.predictive._processes
    look_ahead, first, killed = ride.parts.predictive.look_ahead, [], []

    def kill(source, now_s, gain):
        first.append(now_s)
        heard = process.renewals == len(killed)
        if now_s > first[0] + 2.0 and heard and len(killed) < kills:
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
        look_ahead(source, now_s, gain)

    ride.parts.predictive.look_ahead = kill
    prepared = ride.prepared
    result = run(ride.plan, folder, motion=prepared.motion, extension=prepared.extension)
    return result, Recording.open(result.recorder.path)


@pytest.mark.real_time
@pytest.mark.parametrize("kills", [0, 1, 4])
def test_in_real_time_a_killed_planner_stops_nothing(tmp_path, kills):
    result, recording = repeated(
        lambda: in_real_time(tmp_path, kills),
        lambda found: CHANCE.search(found[0].reason or ""),
    )
    assert result.outcome.value == "completed", result.reason
    assert not result.violations
    gone, anew = (
        [one for one in messages(result) if words in one]
        for words in ("process is gone", "its copy makes the plans")
    )
    dead = kills > RENEWALS_MOST
    assert len(gone) == dead
    assert len(anew) == min(kills, RENEWALS_MOST)
    plans, late = (recording.column(name)[-1] for name in ("plans", "plans_late"))
    assert (late > 40) == dead
    assert (plans > 80) == (not dead)
    told = [int(one.group(1) or 1) for one in map(LATE.match, messages(result)) if one]
    assert dead or sum(told) == late
    assert len(told) <= 4

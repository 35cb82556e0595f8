"""Each fault of an emulated simulator on each wire: seen in time, no kick at the legs, home."""

import math

import campaign
import numpy as np
import pytest
from fault_table import FAULTS, shown
from host_rides import MAPS, PERIOD_S, Bench, begins_s, clean, faulty, ideal_loop, rig, vehicle_of

from hil.config.file_search import configs_dir
from hil.hosts.maps import load_map
from hil.hosts.watch.states import Cause, HostState
from hil.stations.simulator.chain.motion import RidePhase

pytestmark = pytest.mark.campaign  # at the full rate
SEEDS = range(20)
CASES = [
    (fault, MAPS[at % len(MAPS)], (seed + at % len(MAPS)) % len(SEEDS))
    for seed in SEEDS
    for turn in range(len(MAPS))
    for at, fault in enumerate(FAULTS, turn)
]
"""Every fault on every wire of every seed: the first cases have all faults, and all wires and
vehicles in a few rides, whose beginnings are shared."""
LOOP_S = 12.0
LASTS_S = dict.fromkeys(FAULTS, 3.4) | {"end": 6.5, "loop": LOOP_S + 0.5}
"""How long a ride goes on after its fault began: until it is back, or at home [s]."""
BACK_S = 3.3
"""Whatever comes back is followed fully by then [s]."""
HOME_S = 6.0
"""Whatever does not has let the platform come home and rest by then [s]."""


def fields_for(name):
    return load_map(configs_dir() / "hosts" / f"{name}.toml")[0].fields


def with_fault(name, seed, fault, watched=True):
    return faulty(name, seed, FAULTS[fault], LASTS_S[fault], watched)


def bound(ride):
    """Largest acceleration of a leg that a fault may make of a ride [m/s²]."""
    return max(1.1 * ride.peak_m_s2, ride.peak_m_s2 + 0.2)


def seen_wrongly(fault, name, seed, ride):
    """What of the watchdogs' reaction is not as it is said."""
    wanted, at_s = shown(fault, fields_for(name)), begins_s(seed)
    seen_s = ride.first(HostState.FADING_OUT)
    if wanted.causes == (Cause.NONE,):
        return [] if seen_s == math.inf else [f"seen after {seen_s - at_s:.3f} s"]
    if not wanted.causes:
        return []
    if not at_s - 0.01 <= seen_s <= at_s + wanted.within_s:
        return [f"seen after {seen_s - at_s:.3f} s, not {wanted.within_s:.2f} s"]
    found = []
    at = int(np.searchsorted(ride.t_s, seen_s))
    if ride.causes[at] not in wanted.causes:
        found.append(f"taken for {ride.causes[at].name}")
    if ride.first(HostState.AWAY, seen_s) - seen_s > 0.3 + 1.5 * PERIOD_S:
        found.append("not away in 0.3 s")
    elif ride.weights[ride.t_s > seen_s + 0.3 + 1.5 * PERIOD_S][0] != 0.0:
        found.append("something is wanted after 0.3 s")
    if fault == "end":
        rests_s = ride.first(RidePhase.OVER)
        if not rests_s - seen_s <= HOME_S:
            found.append(f"at home after {rests_s - seen_s:.2f} s, not {HOME_S:g} s")
        elif np.ptp(ride.rows[ride.t_s >= rests_s], axis=0).max() != 0.0:
            found.append("it does not rest at home")
    elif ride.hosts[-1] is not HostState.LIVE:
        found.append(f"{ride.hosts[-1].name} after {BACK_S:g} s")
    return found


def kicks(fault, name, seed, ride):
    """What moves as it would not without the fault."""
    usual, found = clean(name, seed), []
    most = bound(usual)
    if not shown(fault, fields_for(name)).causes:
        return []  # it is the governor that limits it
    if fault == "loop":
        ideal = ideal_loop(name, seed, LOOP_S, begins_s(seed) + LASTS_S["loop"])
        most = max(1.1 * ideal, ideal + 0.2)
    if ride.peak_m_s2 > most:
        found.append(f"peak {ride.peak_m_s2:.3f} m/s2, not {most:.3f} m/s2")
    if ride.torn > 1e-3:
        found.append(f"poses and speeds differ by {ride.torn:.2g}")
    if fault != "loop":
        allowed = np.maximum(1.1 * usual.accelerations, usual.accelerations + 0.6)
        for at in np.flatnonzero(ride.accelerations > allowed):
            found.append(f"coordinate {at}: {ride.accelerations[at]:.3f}, not {allowed[at]:.3f}")
    return found


def wrong(fault, name, seed):
    """All that is wrong of a case."""
    ride = with_fault(name, seed, fault)
    found = seen_wrongly(fault, name, seed, ride) + kicks(fault, name, seed, ride)
    return [f"{fault} on {name}, seed {seed}, {vehicle_of(name, seed)}: {one}" for one in found]


@pytest.mark.timeout(1800)
def test_each_fault_is_seen_in_time_and_kicks_nobody():
    assert len(set(CASES)) == len(SEEDS) * len(FAULTS) * len(MAPS)
    cases = campaign.share_of(CASES, least=24)
    found = []
    for fault, name, seed in sorted(cases, key=lambda one: one[1:]):  # they share their beginnings
        found += wrong(fault, name, seed)
    print(f"{len(cases)} cases of {len(CASES)}")
    assert found == []


@pytest.mark.parametrize(
    ("fault", "name", "seed"),
    [("pause", "flightgear", 7), ("frozen", "jsbsim", 7), ("menu", "hcu1", 4),
     ("menu", "simtools", 11)],
)  # fmt: skip
def test_what_stands_still_or_jumps_in_time_is_not_taken_for_wrong_axes(fault, name, seed):
    """Turning with a picture that stands, uneven samples, a tool that is anywhere after a menu."""
    assert wrong(fault, name, seed) == []


@pytest.mark.parametrize(("fault", "name"), [("spike", "hcu1"), ("spike", "beamng")])
def test_without_watchdogs_the_same_fault_kicks(fault, name):
    most = bound(clean(name, 3))
    assert with_fault(name, 3, fault, watched=False).peak_m_s2 > 2.0 * most
    assert with_fault(name, 3, fault).peak_m_s2 <= most


def test_what_comes_back_within_two_seconds_fades_in_and_what_does_not_is_lost():
    at_s = begins_s(2)
    back = faulty("hcu1", 2, "pause duration_s=1.2", 3.0)
    assert back.hosts[-1] is HostState.LIVE
    lost = faulty("hcu1", 2, "menu duration_s=3", 4.0)
    fault_s = lost.first(HostState.FADING_OUT)
    assert fault_s - at_s < 0.16
    assert lost.first(HostState.LOST) == pytest.approx(fault_s + 2.0, abs=0.01)
    assert lost.hosts[-1] is HostState.LOST
    assert not lost.weights[lost.t_s >= fault_s + 0.31].any()


@pytest.mark.parametrize("name", ["hcu1", "simtools"])
def test_once_at_home_nothing_moves_until_somebody_engages(name):
    bench = Bench(name, 1).until(3.0).fault("menu duration_s=4").until(16.0)
    parked = bench.ridden()
    rests_s = parked.first(RidePhase.OVER)
    assert rests_s < 3.0 + HOME_S
    still = parked.rows[parked.t_s >= rests_s]
    assert np.ptp(still, axis=0).max() == 0.0  # though the host is back at 7 s
    bench.engage()
    again = bench.until(25.0).ridden()
    assert np.ptp(again.rows[again.t_s > 16.0], axis=0)[0].max() > 0.005
    assert again.peak_m_s2 <= bound(clean(name, 1))


@pytest.mark.parametrize("fault", ["nan", "replay", "reset", "loop"])
def test_what_a_pose_does_not_show_is_limited_by_the_governor(fault):
    bench = Bench("simtools", 0, governed=True).until(3.0).fault_here(FAULTS[fault])
    margins = [bench.until(3.0 + PERIOD_S * k).margin for k in range(1, 800)]
    assert min(margins) >= 0.0
    assert bench.ridden().peak_m_s2 <= min(rig().limits.acceleration_max_m_s2)


def test_a_second_sender_is_counted():
    ride = with_fault("hcu1", 4, "second")
    assert ride.dropped[-1] - np.min(ride.dropped) >= 100
    assert ride.first(HostState.FADING_OUT) == math.inf

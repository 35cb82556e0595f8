"""Each fault of an emulated simulator on each wire: seen in time, and no kick at the legs."""

import math
import random

import campaign
import numpy as np
import pytest
from fault_table import FAULTS, shown
from host_rides import LASTS_S, MAPS, ideal_loop, ridden

from hil.config.shipped import configs_dir
from hil.hosts.maps import load_map
from hil.hosts.states import Cause, HostState

SEEDS = range(20)
CASES = [(fault, name, seed) for seed in SEEDS for fault in FAULTS for name in MAPS]
random.Random(17).shuffle(CASES)


def tells_of(name):
    return load_map(configs_dir() / "hosts" / f"{name}.toml")[0].tells


def begins_s(seed):
    """When the fault begins, from the beginning of the ride on [s]."""
    return round(2.3 + 1.2 * random.Random(seed).random(), 3)


def with_fault(name, seed, fault, watched=True):
    return ridden(name, seed, (f"{FAULTS[fault]}@{begins_s(seed)}",), watched)


@pytest.mark.campaign
def test_each_fault_is_seen_in_time_and_kicks_nobody():
    for fault, name, seed in campaign.share_of(CASES, least=24):
        clean, ride = ridden(name, seed), with_fault(name, seed, fault)
        case = f"{fault} on {name}, seed {seed}"
        assert clean.first(HostState.FADING_OUT) == math.inf, case
        wanted, at_s = shown(fault, tells_of(name)), begins_s(seed)
        seen_s = ride.first(HostState.FADING_OUT)
        if not wanted.causes or wanted.causes == (Cause.NONE,):
            if wanted.causes:
                assert seen_s == math.inf, case
        else:
            assert at_s - 0.01 <= seen_s <= at_s + wanted.within_s, (case, seen_s - at_s)
            cause = ride.causes[int(np.searchsorted(ride.t_s, seen_s))]
            assert cause in wanted.causes, (case, cause)
            away_s = ride.first(HostState.AWAY, seen_s)
            assert away_s - seen_s <= 0.3 + 0.005, case
        if fault == "loop":
            continue  # it is a motion of its own, judged below
        assert ride.peak_m_s2 <= max(1.1 * clean.peak_m_s2, clean.peak_m_s2 + 0.2), (
            case, clean.peak_m_s2, ride.peak_m_s2,
        )  # fmt: skip


@pytest.mark.parametrize(("fault", "name"), [("spike", "hcu1"), ("spike", "beamng")])
def test_without_watchdogs_the_same_fault_kicks(fault, name):
    clean, blind = ridden(name, 3), with_fault(name, 3, fault, watched=False)
    assert blind.peak_m_s2 > 2.0 * clean.peak_m_s2
    assert with_fault(name, 3, fault).peak_m_s2 <= max(1.1 * clean.peak_m_s2, clean.peak_m_s2 + 0.2)


@pytest.mark.parametrize("name", ["hcu1", "flightgear", "beamng"])
def test_a_loop_through_the_vertical_makes_no_peak(name):
    ride, ideal_m_s2 = with_fault(name, 1, "loop"), ideal_loop(begins_s(1), 12.0)
    assert ride.first(HostState.FADING_OUT) == math.inf
    assert ride.peak_m_s2 <= max(1.1 * ideal_m_s2, ideal_m_s2 + 0.2)


def test_what_comes_back_within_two_seconds_fades_in_and_what_does_not_is_lost():
    back = ridden("hcu1", 2, ("pause duration_s=1.2@2.5",))
    assert back.hosts[-1] is HostState.LIVE
    lost = ridden("hcu1", 2, ("menu duration_s=3@2.5",))
    fault_s = lost.first(HostState.FADING_OUT)
    assert lost.first(HostState.LOST) == pytest.approx(fault_s + 2.0, abs=0.01)
    assert lost.hosts[-1] is HostState.LOST
    after = lost.t_s >= fault_s + 0.31
    assert not lost.weights[after].any()
    assert lost.t_s[-1] < LASTS_S


def test_a_second_sender_is_counted():
    ride = with_fault("hcu1", 4, "second")
    assert ride.dropped[-1] - np.min(ride.dropped) >= 100
    assert ride.first(HostState.FADING_OUT) == math.inf

"""Faults, jitter, loss and order of emulated simulators are in the bytes and their arrivals."""

import copy
import math
from functools import cache

import numpy as np
import pytest
from remembered import remembered_flight
from wire_readers import WIRES, ask_xplane

from sim.devices.fault_text import FaultError
from sim.hosts.emulated_host import emulated_host
from sim.hosts.faults import KINDS, HostFault, parse_fault

FEED = remembered_flight()
STAMPED = {"flightgear_binary", "flightgear_ascii", "xplane_rref_12", "xplane_rref_11",
           "xplane_data_12", "xplane_data_11", "hcu1", "hcu1_json", "jsbsim"}  # fmt: skip
FLAGGED = {"flightgear_binary", "flightgear_ascii", "xplane_rref_12", "xplane_rref_11", "hcu1",
           "hcu1_json"}  # fmt: skip
SPEEDY = FLAGGED - {"hcu1", "hcu1_json"}
OWN = {"hcu1", "hcu1_json"}
POSES = {"pose_text", "pose_binary"}
PLACED = set(WIRES) - POSES


@cache
def under_way(wire):
    """A host after 10 s, all of which is alike for each fault; nobody goes on with it."""
    return opened(wire, begin_s=10.0)


def opened(wire, begin_s, **more):
    kind, version, _ = WIRES[wire]
    host = emulated_host(kind, feed=FEED, version=version, **more)
    ask_xplane(host)
    host.due(begin_s)
    return host


def ride(wire, *faults, begin_s=10.0, end_s=14.0, **more):
    """Arrivals [s] and what is told, from 10 to 14 s, in full take-off run."""
    alike = begin_s == 10.0 and not more
    host = copy.deepcopy(under_way(wire)) if alike else opened(wire, begin_s, **more)
    for fault in faults:
        host.fault(fault, 0.0)
    read = WIRES[wire][2]
    told = [(one.arrival_s, read(one.data)) for one in host.sent(end_s)]
    told = [(arrival_s, one) for arrival_s, one in told if one is not None]
    return [arrival_s for arrival_s, _ in told], [one for _, one in told]


def within(times_s, told, begin_s, end_s):
    return [one for t_s, one in zip(times_s, told, strict=True) if begin_s < t_s <= end_s]


@pytest.mark.parametrize("wire", WIRES)
def test_pause(wire):
    times_s, told = ride(wire, "pause duration_s=1@11")
    still = within(times_s, told, 11.05, 12.0)
    assert len(still) >= 55
    for name in ("f", "north", "stamp", "axes"):
        assert all(one.get(name) == still[0].get(name) for one in still)
    if wire in FLAGGED:
        assert all(one["paused"] for one in still)
        assert not any(one["paused"] for one in within(times_s, told, 12.05, 14.0))
    if "north" in told[-1]:
        moved_m = told[-1]["north"] - FEED.at(times_s[-1] - 0.001 - 1.0).position_m[0]
        assert abs(moved_m) < 1.0, "it goes on from where it stood"


@pytest.mark.parametrize("wire", WIRES)
def test_menu(wire):
    times_s, _ = ride(wire, "menu duration_s=1@11")
    assert not [t_s for t_s in times_s if 11.05 < t_s < 12.0]
    assert [t_s for t_s in times_s if t_s > 12.05]


@pytest.mark.parametrize("wire", sorted(PLACED))
def test_replay(wire):
    times_s, told = ride(wire, "replay value=4 duration_s=1@11")
    again = within(times_s, told, 11.05, 12.0)
    assert again[0]["north"] < 100.0 < within(times_s, told, 10.9, 11.0)[-1]["north"]
    if wire in FLAGGED:
        assert all(one["replay"] for one in again)
    after = within(times_s, told, 12.02, 12.1)[0]
    assert after["north"] > 120.0
    if wire in STAMPED:
        stamps = [one["stamp"] for one in told]
        assert np.diff(stamps).min() > 0.0


@pytest.mark.parametrize("wire", sorted(PLACED))
def test_reset_and_restart(wire):
    for fault in ("reset", "restart"):
        times_s, told = ride(wire, f"{fault}@11")
        before, after = within(times_s, told, 10.9, 11.0)[-1], within(times_s, told, 11.0, 11.1)
        if fault == "restart" and wire.startswith("xplane_rref"):
            assert after == [], "who had asked is forgotten"
            continue
        assert abs(after[0]["north"]) < 1.0 < before["north"] - 50.0
        if wire in OWN:
            assert after[0]["reset"] is (fault == "reset")
            assert after[0]["sequence"] == (0 if fault == "restart" else before["sequence"] + 1)
        if wire in STAMPED:
            backward = after[0]["stamp"] < before["stamp"]
            assert backward is (fault == "restart")
    assert not any(one.get("reset") for one in told[:30])


@pytest.mark.parametrize("wire", sorted(PLACED))
def test_teleport(wire):
    times_s, told = ride(wire, "teleport value=500@11")
    places = [one["north"] for one in told]
    jump = np.diff(places)
    assert (jump > 490.0).sum() == 1
    assert times_s[int(np.argmax(jump)) + 1] == pytest.approx(11.0, abs=0.03)


@pytest.mark.parametrize("wire", sorted(STAMPED))
def test_time_backward(wire):
    _, told = ride(wire, "backward value=2@11")
    steps = np.diff([one["stamp"] for one in told])
    assert (steps < 0.0).sum() == 1
    assert steps.min() == pytest.approx(1 / 60 - 2.0, abs=1e-3)


@pytest.mark.parametrize("wire", sorted(STAMPED))
def test_slow_motion(wire):
    times_s, told = ride(wire, "slow value=0.25 duration_s=2@11")
    slow = within(times_s, told, 11.1, 12.9)
    assert np.diff([one["stamp"] for one in slow]) == pytest.approx(0.25 / 60, abs=1e-4)
    if wire in SPEEDY:
        assert {one["factor"] for one in slow} == {0.25}
        assert told[-1]["factor"] == 1.0


@pytest.mark.parametrize("wire", WIRES)
def test_stall_and_burst(wire):
    times_s, told = ride(wire, "stall duration_s=0.5@11")
    gaps = np.diff(times_s)
    assert gaps.max() == pytest.approx(0.5, abs=0.04)
    burst = np.diff(times_s) == 0.0
    assert burst.sum() >= 29
    if "stamp" in told[0]:
        assert np.diff([one["stamp"] for one in told]).min() > 0.0, "none is lost"


@pytest.mark.parametrize("wire", WIRES)
def test_frozen_values(wire):
    times_s, told = ride(wire, "frozen duration_s=1@11")
    frozen = within(times_s, told, 11.05, 12.0)
    for name in ("f", "north", "omega", "axes", "acceleration"):
        assert all(one.get(name) == frozen[0].get(name) for one in frozen)
    if "stamp" in told[0]:
        assert np.diff([one["stamp"] for one in frozen]).min() > 0.0
    if "sequence" in told[0]:
        assert set(np.diff([one["sequence"] for one in frozen])) == {1}


@pytest.mark.parametrize("wire", sorted(PLACED))
def test_no_numbers(wire):
    times_s, told = ride(wire, "nan duration_s=0.5@11")
    name = "acceleration" if wire == "beamng" else "f"
    bad = within(times_s, told, 11.05, 11.5)
    assert all(math.isnan(one[name][0]) for one in bad)
    assert not any(math.isnan(one[name][0]) for one in within(times_s, told, 11.6, 14.0))


@pytest.mark.parametrize("wire", WIRES)
def test_spike(wire):
    def first(told):
        return np.array(
            [(one.get("f") or one.get("acceleration") or one["axes"])[0] for one in told]
        )

    plain, spiked = (
        first(ride(wire, *faults, end_s=11.5)[1]) for faults in ((), ("spike value=60@11",))
    )
    differs = np.flatnonzero(np.abs(spiked - plain) > 1e-6)
    assert len(differs) == 1
    assert times_near(differs[0], 11.0)
    if wire not in POSES:
        assert spiked[differs[0]] - plain[differs[0]] == pytest.approx(60.0, abs=1e-3)


def times_near(index, t_s):
    return abs(10.0 + index / 60 - t_s) < 0.05


@pytest.mark.parametrize("wire", sorted(PLACED))
def test_a_loop_through_90_degrees(wire):
    _, told = ride(wire, "loop value=20@11", end_s=32.0)
    pitch = np.array([one["theta"] for one in told])
    assert pitch.max() > math.radians(88.0)
    assert pitch.min() < math.radians(-88.0)
    assert np.abs(np.diff(pitch)).max() < 0.02
    if "phi" in told[0]:
        roll = np.array([one["phi"] for one in told])
        assert np.abs(np.diff(roll)).max() > 3.0, "roll jumps by half a turn"


@pytest.mark.parametrize("wire", WIRES)
def test_truncated(wire):
    kind, version, _ = WIRES[wire]
    host = emulated_host(kind, feed=FEED, version=version, faults=["truncated value=0.5@1"])
    ask_xplane(host)
    lengths = [len(data) for _, data in host.due(2.0)]
    per_moment = 2 if wire == "beamng" else 1
    whole, cut = lengths[per_moment * 5], lengths[-per_moment]
    if wire in ("flightgear_ascii", "hcu1_json", "jsbsim", "pose_text"):
        assert cut < 0.8 * whole
    else:
        assert cut == whole // 2


@pytest.mark.parametrize("wire", WIRES)
def test_another_sender(wire):
    read = WIRES[wire][2]
    host = opened(wire, 10.0, faults=["second duration_s=1@11"])
    sent = [(one.arrival_s, one.sender, read(one.data)) for one in host.sent(13.0)]
    others = [(t_s, told) for t_s, sender, told in sent if sender == 1 and told is not None]
    assert 59 <= len(others) <= 62
    assert all(10.99 < t_s < 12.03 for t_s, _ in others)
    if wire in PLACED:
        own = [told for _, sender, told in sent if sender == 0 and told is not None]
        assert others[0][1]["north"] - own[60]["north"] > 500.0
        if wire in OWN:
            assert set(np.diff([one["sequence"] for one in own])) == {1}


@pytest.mark.parametrize("wire", WIRES)
def test_the_simulator_leaves(wire):
    times_s, told = ride(wire, "end@11")
    assert times_s[-1] == pytest.approx(11.0, abs=0.03)
    if wire in OWN:
        assert [one["end"] for one in told].count(True) == 1
        assert told[-1]["end"]


def test_every_fault_is_seen_somewhere():
    seen = {"pause", "menu", "replay", "reset", "restart", "teleport", "backward", "slow", "stall",
            "frozen", "nan", "spike", "loop", "truncated", "second", "end"}  # fmt: skip
    assert set(KINDS) == seen


def test_jitter_keeps_the_order_and_is_evenly_spread():
    times_s, told = ride("hcu1", begin_s=0.0, end_s=60.0, jitter_s=0.01)
    sequence = np.array([one["sequence"] for one in told])
    late_s = np.array(times_s) - sequence / 60.0 - 0.001
    assert late_s.min() >= -1e-12
    assert late_s.max() <= 0.01 + 1e-12
    assert late_s.mean() == pytest.approx(0.005, abs=4e-4)
    assert (np.diff(sequence) == 1).all()
    assert (np.diff(times_s) >= 0.0).all()


def test_loss_and_order_are_the_shares_asked_for():
    _, told = ride("hcu1", begin_s=0.0, end_s=100.0, loss=0.1)
    sequence = [one["sequence"] for one in told]
    assert 1 - len(sequence) / 6001 == pytest.approx(0.1, abs=0.015)
    assert sequence == sorted(set(sequence))
    _, told = ride("hcu1", begin_s=0.0, end_s=100.0, order=0.05)
    sequence = np.array([one["sequence"] for one in told])
    assert len(set(sequence)) >= 5999
    overtaken = (np.diff(sequence) < 0).sum()
    assert overtaken / 6001 == pytest.approx(0.05, abs=0.012)


def test_a_seed_gives_the_same_bytes_however_often_it_is_asked():
    def all_of(seed, step_s):
        host = emulated_host(
            "hcu1", feed=FEED, seed=seed, jitter_s=0.02, loss=0.05, order=0.05,
            faults=["stall duration_s=0.3@2", "spike@3", "second duration_s=1@3"],
        )  # fmt: skip
        asked = np.append(np.arange(0.0, 5.0, step_s), 5.0)
        return [one for t_s in asked for one in host.sent(t_s)]

    fine = all_of(7, 0.002)
    assert fine == all_of(7, 0.037)
    assert fine == all_of(7, 5.0)
    assert fine != all_of(8, 0.002)


def test_a_vehicle_may_stand_at_first():
    _, told = ride("hcu1", begin_s=0.0, rest_s=12.0)
    assert all(one["v"] == (0.0, 0.0, 0.0) for one in told[:720])
    assert told[-1]["v"][0] > 0.0


def test_faults_given_later_begin_from_then_and_are_cleared():
    host = emulated_host("hcu1", feed=FEED)
    read = WIRES["hcu1"][2]
    host.due(1.0)
    host.fault("pause at_s=0.5")
    host.fault("replay at_s=50")
    assert "on:" not in host.simulation.faults.text(1.0)
    assert not read(host.due(1.4)[-1][1])["paused"]
    assert read(host.due(2.0)[-1][1])["paused"]
    assert (
        host.simulation.faults.text(2.0)
        == "on: pause at_s=0.5\nin 49.000 s: replay value=5 at_s=50"
    )
    assert host.clear("pause") == 1
    assert not read(host.due(3.0)[-1][1])["paused"]
    assert host.clear() == 1
    assert host.simulation.faults.text(3.0) == "no faults"


def test_lines_are_read_back_as_written():
    for line in ("pause", "spike value=30 at_s=5", "slow value=0.5 at_s=1 duration_s=2"):
        assert parse_fault(line) == parse_fault(parse_fault(line).line)
    assert parse_fault("spike value=30@5") == HostFault("spike", 30.0, 5.0)
    for line, says in (
        ("", "is needed"), ("fly@1", "'fly'"), ("pause value=1", "it has none"),
        ("spike duration_s=1", "happens once"), ("slow value=0", "0.01 to 16"),
        ("pause@soon", "a number is needed"), ("pause now", "write key=value"),
    ):  # fmt: skip
        with pytest.raises(FaultError, match=says):
            parse_fault(line)

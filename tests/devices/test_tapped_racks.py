"""Six emulated drives on the wire move a body in the engine: judged by statics and foreign masters.

What the drives tell is read by `canopen` and `pymodbus` on the same wire; what is true is read off
the rods. Both racks run in virtual time.
"""

import math
from contextlib import contextmanager

import campaign
import numpy as np
import pytest
from tapped_racks import ERROR, FORCE, INPUTS, PERIOD_S, POSITION, RIG, WIRES, tapped, whole_run

from hil.config.errors import ConfigError
from hil.machines.rig.machine import geometry_of
from hil.stations.platform.cycle import world as world_module
from hil.stations.platform.cycle import world_load
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.cycle.world import WorldSettings, settled, world_of
from hil_common.legs import LegTarget
from safety.verdict import Check

GEOMETRY = geometry_of(RIG)
CLOSED_M = np.array(RIG.cylinders.closed_length_m)
REFERENCE_M = np.array(RIG.cylinders.reference_length_m)
NEUTRAL_M = (0.0, 0.0, 0.935)
STATIC_N = 617.30
"""Sheet: 300 kg at z = 0.935 m, 526.12 + 73.17 + 18.01."""
RISE_S = 1.5
SWING_S = 2.0


def lengths_m(x, y, z):
    """|p + b - a| of the level platform."""
    at = np.array((x, y, z)) + GEOMETRY.platform_joints_m - GEOMETRY.base_joints_m
    return np.linalg.norm(at, axis=1)


@contextmanager
def opened(wire, payload_kg=None, scene=""):
    world = None
    if payload_kg is not None:
        world = settled(WorldSettings(payload_kg=payload_kg), RIG)
    if scene:
        world = world_of(scene, RIG, key="world")
    one = tapped(wire, world)
    try:
        yield one
    finally:
        one.bank.close()


def lead(one, wire, way_of, duration_s):
    """Command a way of the legs; the greatest distance of a leg from the command before [m]."""
    period_s, worst_m, before = PERIOD_S[wire], 0.0, None
    for cycle in range(1, round(duration_s / period_s) + 1):
        now, after = (np.asarray(way_of(k * period_s)) for k in (cycle, cycle + 1e-3))
        speeds = (after - now) / (1e-3 * period_s)
        feedback = one.bank.exchange(LegTarget(tuple(now.tolist()), tuple(speeds.tolist())))
        assert feedback.fault_code == (0,) * 6
        if before is not None:
            worst_m = max(worst_m, float(np.abs(np.array(feedback.length_m) - before).max()))
        before = now
    return worst_m


def rise(one, wire, feedback):
    """From where homing ended to the neutral pose, as smooth as can be; then stand."""
    start, end = np.array(feedback.length_m), lengths_m(*NEUTRAL_M)

    def way(t_s):
        s = min(t_s / RISE_S, 1.0)
        return start + (end - start) * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)

    lead(one, wire, way, RISE_S + 0.5)


def swing(axis, size_m=0.03):
    """1 Hz, faded in and out."""

    def way(t_s):
        at, fade = list(NEUTRAL_M), math.sin(math.pi * min(t_s / SWING_S, 1.0))
        at[axis] += size_m * fade * math.sin(2.0 * math.pi * t_s)
        return lengths_m(*at)

    return way


def swung(wire, payload_kg):
    with opened(wire, payload_kg) as one:
        rise(one, wire, one.enable())
        return [lead(one, wire, swing(axis), SWING_S) for axis in range(3)]


@pytest.mark.campaign
@pytest.mark.parametrize("wire", WIRES)
def test_a_load_adds_little_to_the_following_error_in_heave_surge_and_sway(wire):
    alone = swung(wire, None)
    for payload_kg, adds_max_mm in campaign.share_of([(300.0, 0.3), (600.0, 1.0)]):
        loaded = swung(wire, payload_kg)
        adds_mm = 1e3 * (np.array(loaded) - alone)
        told = ", ".join(f"{value:.3f}" for value in adds_mm)
        print(f"{wire}, {payload_kg:g} kg: adds {told} mm to {1e3 * max(alone):.3f} mm")
        assert (adds_mm <= adds_max_mm).all()
        assert np.abs(adds_mm).max() > 1e-3  # there is a load


@pytest.mark.parametrize("wire", WIRES)
def test_a_foreign_master_reads_force_place_and_switches_of_the_coupled_body(wire):
    with opened(wire, 300.0) as one:
        feedback = one.enable()
        rise(one, wire, feedback)
        lead(one, wire, lambda _: lengths_m(*NEUTRAL_M), 1.0)
        rods_n = [rod.force_n for rod in one.rods]
        np.testing.assert_allclose(rods_n, STATIC_N, rtol=1e-3)
        np.testing.assert_allclose(one.read(FORCE), STATIC_N / 4.0, atol=0.6)  # of 4000 N, in ‰
        true_m = np.array([rod.x_m for rod in one.rods]) + CLOSED_M
        np.testing.assert_allclose(true_m, lengths_m(*NEUTRAL_M), atol=5e-5)
        counts = np.array(one.read(POSITION)) * 1e-6
        np.testing.assert_allclose(counts, true_m - REFERENCE_M, atol=3e-6)  # homed there
        assert [word & 0b111 for word in one.read(INPUTS)] == [0] * 6
        low, start = REFERENCE_M - 0.004, lengths_m(*NEUTRAL_M)
        lead(one, wire, lambda t: start + (low - start) * min(t / 3.0, 1.0), 3.5)
        assert [word & 0b111 for word in one.read(INPUTS)] == [0b100] * 6  # below the home switch
        assert one.read(ERROR) == [0] * 6


@pytest.mark.parametrize("wire", WIRES)
def test_sto_in_motion_brakes_and_holds_the_coupled_body(wire):
    with opened(wire, 300.0) as one:
        rise(one, wire, one.enable())
        lead(one, wire, swing(2), 0.2 * SWING_S)
        assert max(abs(rod.v_m_s) for rod in one.rods) > 0.05
        one.open_sto()
        one.pass_time(0.3)
        stopped = np.array([rod.x_m for rod in one.rods])
        assert [rod.v_m_s for rod in one.rods] == [0.0] * 6
        assert one.read(FORCE) == [0] * 6
        one.pass_time(10.0)
        np.testing.assert_allclose([rod.x_m for rod in one.rods], stopped, atol=50e-6)


@pytest.mark.campaign
@pytest.mark.parametrize("wire", WIRES)
def test_supply_lost_at_rest_sags_less_than_50_um_in_a_minute(wire):
    with opened(wire, 600.0) as one:
        rise(one, wire, one.enable())
        before = np.array([rod.x_m for rod in one.rods])
        assert all(rod.powered for rod in one.rods)
        one.lose_supply()
        one.pass_time(campaign.count(60, least=10))
        assert not any(rod.powered for rod in one.rods)
        sag_m = before - [rod.x_m for rod in one.rods]
        print(f"{wire}: {1e6 * np.abs(sag_m).max():.1f} um")
        assert 0.0 < np.abs(sag_m).max() < 50e-6


def under_the_beam(wire, rig, frequency_hz, tmp_path, monkeypatch):
    """A heave of 120 mm where 90 mm are free."""
    one = tapped(wire, world_of("beam_over_platform", rig, key="world"), rig)
    term = {"axis": "z", "amplitude_m": 0.12, "frequency_hz": frequency_hz}
    motion = {"kind": "multi_sine", "duration_s": 10.0, "terms": [term]}
    result = whole_run(one, wire, rig, motion, tmp_path, monkeypatch)
    assert result.outcome is Outcome.TRIPPED
    ((between, _, _, forces_n),) = one.plant.touches()
    assert between == "beam on rig/platform"
    assert max(forces_n) > 3000.0
    return one, result


@pytest.mark.parametrize("wire", WIRES)
def test_under_a_beam_the_gate_stops_all_six_and_names_its_two_legs(wire, tmp_path, monkeypatch):
    one, result = under_the_beam(wire, RIG, 0.2, tmp_path, monkeypatch)
    assert {found.leg for _, found in result.violations} == {1, 6}
    checks = {found.check for _, found in result.violations}
    assert checks <= {Check.LAG, Check.FOLLOWING, Check.FORCE}
    assert "leg 1" in result.reason or "leg 6" in result.reason
    assert [rod.v_m_s for rod in one.rods] == [0.0] * 6


@pytest.mark.parametrize("wire", WIRES)
def test_without_a_gate_a_foreign_master_reads_8611h_of_the_beams_two_drives(wire):
    with opened(wire, scene="beam_over_platform") as one:
        rise(one, wire, one.enable())
        for cycle in range(1, round(1.0 / PERIOD_S[wire])):
            up_m = lengths_m(0.0, 0.0, NEUTRAL_M[2] + 0.2 * cycle * PERIOD_S[wire])
            feedback = one.bank.exchange(LegTarget(tuple(up_m.tolist()), (0.19,) * 6))
            if any(feedback.fault_code):
                break
        assert one.read(ERROR) == [0x8611, 0, 0, 0, 0, 0x8611]
        # 90 mm are free; the two are 20 mm behind then, in length, and it has to last 20 ms.
        assert 0.09 + 0.02 < 0.2 * cycle * PERIOD_S[wire] < 0.09 + 0.03 + 0.2 * 0.04


@pytest.mark.parametrize("wire", WIRES)
def test_with_a_wide_window_of_the_gate_the_drives_report_8611h(wire, tmp_path, monkeypatch):
    wide = {"following_base_m": 0.05, "feedback_lag_max_s": 0.1, "feedback_lag_growth_s": 0.1,
            "force_max_n": RIG.cylinders.force_max_n, "force_time_s": 1.0}  # fmt: skip
    watch = RIG.supervision.model_copy(update=wide)
    # The gate keeps its window off the soft limits: rods must be further out before they move.
    cylinders = RIG.cylinders.model_copy(update={"reference_length_m": (0.72,) * 6})
    rig = RIG.model_copy(update={"supervision": watch, "cylinders": cylinders})
    # Fast enough to be 20 mm behind before its command is 0.1 s ahead, which the gate may not bear.
    _, result = under_the_beam(wire, rig, 0.6, tmp_path, monkeypatch)
    drives = [found for _, found in result.violations if found.check is Check.DRIVE]
    assert {found.leg for found in drives} == {1, 6}
    assert any("reports fault 0x8611" in str(found) for found in drives)


def test_1800_kg_are_refused_before_power_with_mode_and_largest_payload():
    heavy = settled(WorldSettings(payload_kg=1800.0), RIG)
    with pytest.raises(ConfigError, match=r"payload of 1800 kg: s\w+ has a modal .* at most (\d+)"):
        tapped("canopen", heavy)


@pytest.mark.parametrize("wire", WIRES)
def test_unchecked_1800_kg_end_in_a_stop_that_names_legs_and_cause(wire, tmp_path, monkeypatch):
    monkeypatch.setattr(world_module, "check_modes", lambda *_: ())
    monkeypatch.setattr(world_load, "check_load", lambda *_: None)
    heavy = settled(WorldSettings(payload_kg=1800.0), RIG)
    one = tapped(wire, heavy)
    motion = {"kind": "hold", "duration_s": 1.0}
    result = whole_run(one, wire, RIG, motion, tmp_path, monkeypatch)
    assert result.outcome is Outcome.TRIPPED, result.reason
    print(wire, result.reason)
    named = [found for _, found in result.violations if found.leg]
    assert named
    assert "leg" in result.reason
    assert not any(rod.powered for rod in one.rods)

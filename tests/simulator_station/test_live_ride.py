"""Emulated simulators drive the platform on the virtual clock: repeatable, watched, limited."""

import numpy as np
import pytest
from ride_bench import PERIOD_S, RATE_HZ, coded, in_mode, ridden

from hil.config.file_search import configs_dir
from hil.config.named_files import GIVEN
from hil.stations.platform.bench.bench import run
from hil.stations.simulator.figures.latency import SHARES, latency_trail
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.run.bench import ride_of

pytestmark = pytest.mark.campaign  # at the full rate


def ride(folder, *faults, seconds=5.0, feed="drive", seed=0, rate_hz=RATE_HZ, **emulated):
    told = {"feed": feed, "faults": faults} | emulated
    source = {"kind": "host", "map": "hcu1", "emulated": told}
    GIVEN.take(source)  # as on the command line
    return ridden(folder, source, duration_s=seconds, seed=seed, rate_hz=rate_hz)


def test_the_same_scenario_with_its_emulated_host_gives_the_same_recording(tmp_path):
    hashes = []
    for seed in (3, 3, 4):
        result, _ = ride(tmp_path, seconds=1.5, feed="flight", seed=seed, jitter_s=0.01, loss=0.01)
        assert result.ok
        hashes.append(result.recorder.sha256)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("fault", "at_s", "cause"),
    [
        ("pause", 1.4, "PAUSED"),
        ("teleport", 1.4, "POSITION_JUMP"),
        ("nan", 1.4, "STEP"),
        ("stall", 1.4, "NO_PACKET"),
        ("frozen", 3.0, "VALUES_FROZEN"),  # by then the vehicle is under way
    ],
)
def test_a_fault_fades_the_motion_out_and_its_end_brings_it_back(tmp_path, fault, at_s, cause):
    lasts = "" if fault == "teleport" else " duration_s=1"
    result, recording = ride(tmp_path, f"{fault} at_s={at_s}{lasts}", seconds=at_s + 3.4)
    assert result.outcome.value == "completed"
    states, causes = coded(recording, "host"), coded(recording, "cause")
    begins = recording.column("t_s")[in_mode(recording, "ENGAGED")][0]
    left = np.flatnonzero(states == "FADING_OUT")
    assert causes[left[0]] == cause
    assert -0.1 < recording.column("t_s")[left[0]] - begins - at_s < 0.6
    again = states[left[-1] :]
    assert "FADING_IN" in again
    assert "LIVE" in again
    quiet = recording.column("weight")[states == "AWAY"]
    assert quiet.max() == 0.0


def test_a_host_that_is_gone_for_two_seconds_parks_the_platform(tmp_path):
    result, recording = ride(tmp_path, "stall at_s=1.4 duration_s=30", seconds=10.0)
    assert result.outcome.value == "tripped"
    assert result.reason.startswith("the live source was lost: no fresh packet for 2 s")
    parks = recording.column("t_s")[in_mode(recording, "PARKING")]
    lost = recording.column("t_s")[coded(recording, "host") == "LOST"][0]
    assert 0.0 < parks[0] - lost < 4.0
    at = np.flatnonzero(in_mode(recording, "PARKING"))[-1]
    sent = recording.column("sent_length_m")[at + 1 :]
    sent = sent[np.isfinite(sent).all(axis=1)]
    assert len(sent) == 0 or np.ptp(sent, axis=0).max() < 1e-9  # nothing moves after PARK


def test_the_end_of_what_its_vehicle_does_is_told_as_that_and_not_as_a_fault(tmp_path):
    lines = ["t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2,p_rad_s,q_rad_s,r_rad_s,v_x_m_s,north_m"]
    lines[0] += ",v_y_m_s,v_z_m_s,east_m,down_m,qw,qx,qy,qz"
    for k in range(151):
        force = 0.3 * np.sin(4.0 * k / 60.0)
        lines.append(f"{k / 60},{force},0,-9.80665,0,0,0,20,{20 * k / 60},0,0,0,0,1,0,0,0")
    (tmp_path / "fast.csv").write_text("\n".join(lines) + "\n")
    result, recording = ride(tmp_path, feed=str(tmp_path / "fast.csv"), seconds=None)
    assert (result.outcome.value, result.reason) == ("completed", "")
    away = np.isin(coded(recording, "host"), ("FADING_OUT", "AWAY", "LOST"))
    assert set(coded(recording, "cause")[away]) == {"END"}
    told = [event.message for event in result.events if "source fading out" in event.message]
    assert told == ["source fading out: it said that it leaves"]


def test_every_row_of_a_new_packet_has_its_way(tmp_path):
    result, recording = ride(tmp_path, jitter_s=0.004, seconds=2.0)
    assert result.ok
    trail = latency_trail(recording)
    used = np.isfinite(recording.column("taken_stamp_s"))
    assert used.sum() == recording.column("packets")[-1]
    shares = dict(zip(SHARES, trail.shares_s.T, strict=True))
    assert shares["host_to_kernel"].min() >= 0.0
    assert shares["host_to_kernel"].max() == pytest.approx(0.004, abs=2e-4)
    assert shares["kernel_to_loop"].min() >= 0.0
    assert shares["kernel_to_loop"].max() <= PERIOD_S + 1e-9  # a cycle, at most
    assert np.all(trail.kernel_to_wire_s <= PERIOD_S + 1e-9)


@pytest.mark.parametrize("name", ["live_demo", "flight_live", "drive_live"])
def test_shipped_rides_engage_and_park_without_a_stop(tmp_path, name):
    path = configs_dir() / "scenarios" / f"{name}.toml"
    changes = ['clock="virtual"', "duration_s=1.5", 'source.emulated.feed="flight"']
    ride = ride_of(load_ride(path, changes)).prepared
    result = run(ride.plan, tmp_path, motion=ride.motion, extension=ride.extension)
    assert result.outcome.value == "completed"
    assert not result.violations

"""A ride of a rig with bodies is judged and recorded with its forces, as any other motion is."""

import json

import numpy as np
import pytest
from ride_bench import in_mode, ridden
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.named_files import GIVEN
from hil.stations.simulator.signals import SIGNALS

LOADS = {"force_n", "hold_n", "stop_force_n", "stop_beyond_m", "motor_nm", "power_w", "energy_j"}


def said(*words):
    result = CliRunner().invoke(app, [*words, "--json"])
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def ride(tmp_path_factory):
    source = {"kind": "host", "map": "hcu1", "emulated": {"feed": "drive"}}
    GIVEN.take(source)  # as on the command line
    folder = tmp_path_factory.mktemp("ride")
    result, recording = ridden(folder, source, rig="paper_cabin", duration_s=3.0)
    assert result.ok, result.end.losses
    return recording


def test_rows_of_a_ride_end_with_the_force_that_its_setpoint_needs(ride):
    names = [signal.name for signal in ride.signals.fields]
    assert names == [*(signal.name for signal in SIGNALS.fields), "expected_force_n"]
    force_n = ride.column("expected_force_n")
    assert np.isfinite(force_n[in_mode(ride, "ENGAGED")]).all()
    assert np.ptp(force_n[in_mode(ride, "ENGAGED")], axis=0).min() > 1.0
    wanted = ride.column("wanted_pose")
    neutral = [0.0, 0.0, 0.935, 0.0, 0.0, 0.0]
    there = np.flatnonzero((np.abs(wanted - neutral) < 1e-12).all(axis=1))
    holds = said("platform", "forces", "paper_cabin")["force_n"]
    np.testing.assert_allclose(force_n[there[-1]], holds, rtol=1e-9)


def test_a_check_of_a_known_ride_says_the_loads():
    known = said("check", "live_demo", "--set", "rig=paper_cabin", "--set", "duration_s=3.0")
    assert known.keys() > LOADS
    assert known["force_n"]["max"] > known["hold_n"]["max"]
    assert not LOADS & said("check", "live_demo", "--set", "duration_s=3.0").keys()

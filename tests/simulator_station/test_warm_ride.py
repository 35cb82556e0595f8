"""Nothing is compiled within a ride, nor loaded from the cache: that takes tens of ms."""

import json
import subprocess
import sys

import pytest

RIDES_IN_TURN = """
import gc, json, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from hil.run.file_kinds import find_kind
from hil.stations.platform.bench.bench import run
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.plan.scenario import load_ride
from hil.stations.simulator.station import SCENARIO
from hil.stations.simulator.run.warm import warm_ride

folder, rides = sys.argv[1], json.loads(sys.argv[2])
warm_ride(quiet=True)


def compiled():
    kernels = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
    return {(k.py_func.__module__, k.__name__, s) for k in kernels for s in k.signatures}


found = {}
for name, changes in rides.items():
    scenario = name if "_" in name else "recorded_ride"
    path, _ = find_kind(scenario, SCENARIO, key="SCENARIO")
    plan = load_ride(path, ['clock="virtual"', 'devices.drives="sim:"', *changes])
    prepared = ride_of(plan).prepared
    before = compiled()
    assert len(before) > 30, before
    result = run(plan, Path(folder, name), motion=prepared.motion, extension=prepared.extension)
    assert result.ok, result.reason
    found[name] = sorted(f"{module}.{kernel}" for module, kernel, _ in compiled() - before)
print(json.dumps(found))
"""
RIDES = {
    "live_demo": ("duration_s=3",),
    "flight_live": ("duration_s=3",),
    "drive_live": ("duration_s=3",),
    "recorded_ride": ("duration_s=3",),
    "adaptive": ("duration_s=3", 'cueing.algorithm="adaptive"'),
    "optimal": ("duration_s=3", 'cueing.algorithm="optimal"'),
}


@pytest.fixture(scope="module")
def compiled_within(tmp_path_factory):
    """Of each ride, one after another in a process that was warmed once."""
    folder = tmp_path_factory.mktemp("rides")
    command = [sys.executable, "-c", RIDES_IN_TURN, str(folder), json.dumps(RIDES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", RIDES)
def test_no_kernel_is_compiled_within_a_ride(compiled_within, name):
    assert compiled_within[name] == []

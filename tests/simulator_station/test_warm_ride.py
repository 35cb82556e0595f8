"""Nothing is compiled within a ride, nor loaded from the cache: that takes tens of ms."""

import subprocess
import sys

import pytest

RIDE = """
import gc, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from hil.run.file_kinds import find_kind
from hil.stations.platform.bench import run
from hil.stations.simulator.bench import ride_of
from hil.stations.simulator.scenario import load_ride
from hil.stations.simulator.station import SCENARIO
from hil.stations.simulator.warm import warm_ride

name, folder, *changes = sys.argv[1:]
path, _ = find_kind(name, SCENARIO, key="SCENARIO")
plan = load_ride(path, ['clock="virtual"', 'devices.drives="sim:"', *changes])
warm_ride(quiet=True)
added = ride_of(plan).added


def compiled():
    kernels = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
    return {(k.py_func.__module__, k.__name__, s) for k in kernels for s in k.signatures}


before = compiled()
assert len(before) > 30, before
result = run(plan, Path(folder), motion=added.motion, extension=added.extension)
assert result.ok, result.reason
print(sorted(f"{module}.{kernel}" for module, kernel, _ in compiled() - before))
"""
RIDES = {
    "live_demo": ("duration_s=3",),
    "flight_live": ("duration_s=3",),
    "drive_live": ("duration_s=3",),
    "recorded_ride": ("duration_s=3",),
    "adaptive": ("duration_s=3", 'cueing.algorithm="adaptive"'),
    "optimal": ("duration_s=3", 'cueing.algorithm="optimal"'),
}


@pytest.mark.parametrize("name", RIDES)
def test_no_kernel_is_compiled_within_a_ride(name, tmp_path):
    scenario = name if "_" in name else "recorded_ride"
    command = [sys.executable, "-c", RIDE, scenario, str(tmp_path), *RIDES[name]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"

"""No kernel is compiled within a run, nor loaded from the cache: that takes tens of ms."""

import subprocess
import sys

import pytest

RUN = """
import gc, sys
from numba.core.dispatcher import Dispatcher
from hil.run.file_kinds import find_kind
from hil.run.run import play
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import signals_of
from hil.stations.world.station import SCENARIO
from hil.timing.clock import VirtualClock

path, _ = find_kind(sys.argv[1], SCENARIO, key="SCENARIO")
bench = open_bench(load_world_plan(path, ['clock="virtual"', *sys.argv[2:]]))


def compiled():
    kernels = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
    return {(k.py_func.__module__, k.__name__, s) for k in kernels for s in k.signatures}


before = compiled()
assert len(before) > 5, before
run = WorldRun(bench, VirtualClock(), None, signals_of(bench))
play(run)
assert run.figures.steps > 100
print(sorted(f"{module}.{kernel}" for module, kernel, _ in compiled() - before))
"""


@pytest.mark.parametrize("name", ["press", "peg", "jog_by_script"])
def test_no_kernel_is_compiled_within_a_run(name):
    command = [sys.executable, "-c", RUN, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"

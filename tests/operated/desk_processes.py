"""The desk of a run that is a process of its own: where it answers, and which process it is."""

import os
import subprocess

from hil.desk.endpoints import benches
from hil.timing.realtime import RealClock

NOW_S = RealClock().now_s


def desk_path(process, folder, within_s=60.0):
    """Socket of the first desk in a folder, once it is there; the run must not end before."""
    end_s = NOW_S() + within_s
    while not (found := benches(folder)):
        assert NOW_S() < end_s
        assert process.poll() is None, process.communicate()
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    return found[0].path


def desk_number(pid):
    """Number of the desk's process: the child of the keeper, which is one of the run's."""
    for keeper in children(pid):
        with open(f"/proc/{keeper}/cmdline", "rb") as stream:
            if b"hil.desk.respawner" in stream.read():
                return children(keeper)[0]
    raise AssertionError("no keeper")


def children(pid):
    """Numbers of the processes that a process has begun."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as stream:
            found += map(int, stream.read().split())
    return found

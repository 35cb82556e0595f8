"""Options of the tests: the banks' contract can be tried on a real machine.

tests/properties.py says how often a property is tried.

Each worker has a folder of its own for locks and sockets, so that workers shut nobody out, and a
screen of its own.
"""

import ctypes
import gc
import linecache
import os
import signal
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

# Before numpy is loaded: a worker is a process for each processor already, and threads that wait
# for small matrices by turning round take the processors of the others.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from machine_watch import MachineWatch
from own_screen import own_screen

from hil.timing import realtime_setup

pytest_plugins = [
    "pytester",
    "cpu_per_file",
    "format_judge",
    "properties",
    "pure_build",
    "shared_fixtures",
]  # pytester: for tests of plugins

# Tests of one folder are built with the helpers of these.
HELPERS = (
    "drives", "gate", "desk", "operated", "panel", "space_arm", "world",
    "cueing", "hosts", "fmu", "simulator_station", "diagram", "foreign", "tools",
    "safety", "task_station",
)  # fmt: skip
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in HELPERS]


def pytest_addoption(parser):
    group = parser.getgroup("hardware", "real drives (tests/contract only)")
    group.addoption(
        "--hardware",
        metavar="URL",
        help="Drives on which the contract of the banks is tried as well. THEIR LEGS MOVE, "
        "at 0.05 m/s at most and up to 20 mm out from their reference.",
    )
    group.addoption("--rig", metavar="RIG", default="paper", help="Rig file of those drives.")
    group.addoption(
        "--hardware-rate",
        metavar="HZ",
        type=float,
        default=250.0,
        help="Cycles per second with those drives; less for Modbus on a serial line.",
    )


def pytest_configure(config):
    # Who begins the tests in the background of a script hands down a Ctrl-C that is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(MachineWatch(), "machine-watch")
    place = tempfile.TemporaryDirectory(prefix="hil-")  # short: names of sockets have a limit
    config.add_cleanup(place.cleanup)
    os.environ["XDG_RUNTIME_DIR"] = place.name
    if hasattr(config, "workerinput") and (screen := own_screen()) is not None:
        config.add_cleanup(screen.wait)
        config.add_cleanup(screen.terminate)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Only what is judged in real time locks the pages of its worker.

    All that is mapped becomes resident by that, stacks of threads that are hardly used among it:
    0.4 GB that stay.
    """
    if item.get_closest_marker("real_time") is not None:
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(realtime_setup, "_may_lock_everything", lambda: False)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """While thousands of tests are read and made, nothing of them can be garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@cache
def names_real_time(path):
    """Whether a file is one of those that `make test-realtime` finds and reads."""
    return "real_time" in path.read_text(encoding="utf-8")


def pytest_itemcollected(item):
    """Say which tests stay on one worker.

    What is judged in real time runs one at a time, whoever asks for it; the tests of a file stay
    together, so that what its fixtures make is made once.
    """
    if item.get_closest_marker("real_time") is not None:
        item.add_marker(pytest.mark.xdist_group("real time"))
        if not names_real_time(item.path):
            where = f"{item.nodeid}: marked real_time, and its file does not name the mark"
            raise pytest.UsageError(f"{where}: `make test-realtime` would not read it")
    elif item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_collectreport(report):
    """Forget what reading a file has left: the lines of its source can be read again.

    What is collected stays as it is, so the garbage collector need not visit it a second time.
    """
    if report.nodeid.endswith(".py"):
        linecache.clearcache()
        gc.collect()
        gc.freeze()


def pytest_collection_finish():
    """Thousands of collected tests stay as they are: the garbage collector need not visit them."""
    gc.collect()
    gc.freeze()
    give_back()


def give_back():
    """Give free memory back to the system, where its C library can (glibc)."""
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)


@pytest.fixture(autouse=True, scope="module")
def memory_of_a_file():
    """What the tests of a file took is given back after it: a worker stays as large as it must.

    What was left open and is found only here, perhaps of a file before, is told in the summary.
    """
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("always", ResourceWarning)
        gc.collect()
    give_back()

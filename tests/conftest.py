"""Options of the tests: the banks' contract can be tried on a real machine.

How many examples a property is tried with, where its test does not say: HYPOTHESIS_PROFILE=suite is
for every day, thorough is for a night.

Each worker has a folder of its own for locks and sockets, so that workers shut nobody out, and a
screen of its own.
"""

import gc
import os
import sys
import tempfile
from pathlib import Path

from hypothesis import settings
from machine_watch import MachineWatch
from own_screen import own_screen

settings.register_profile("suite", max_examples=50)
settings.register_profile("thorough", max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

pytest_plugins = ["pytester"]  # for the tests of the suite's own plugin

# The emulated banks of other folders are built with the helpers of tests/drives.
sys.path.insert(0, str(Path(__file__).parent / "drives"))


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
    config.pluginmanager.register(MachineWatch(), "machine-watch")
    place = tempfile.TemporaryDirectory(prefix="hil-")  # short: names of sockets have a limit
    config.add_cleanup(place.cleanup)
    os.environ["XDG_RUNTIME_DIR"] = place.name
    if "PYTEST_XDIST_WORKER" in os.environ and (screen := own_screen()) is not None:
        config.add_cleanup(screen.wait)
        config.add_cleanup(screen.terminate)


def pytest_collection_modifyitems(items):
    """Begin with those that run one at a time, so that other workers have work beside them.

    Those in real time take longest, mostly waiting: they come first of all.
    """

    def turn(item):
        if item.get_closest_marker("real_time") is not None:
            return 0
        return 1 if item.get_closest_marker("xdist_group") is not None else 2

    items.sort(key=turn)


def pytest_collection_finish():
    """Thousands of collected tests stay as they are: the garbage collector need not visit them."""
    gc.collect()
    gc.freeze()

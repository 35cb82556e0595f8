"""What a gate's process on CANopen has in memory: the link's libraries and nothing heavy."""

import json
import subprocess
import sys

LISTING = """
import json, sys
import hil.stations.platform.gate.process
import drives.canopen.bank, drives.canopen.settings, drives.links
import drives.can.slcan_bus, drives.can.socketcand_bus, drives.can.library_bus
json.dump(sorted({name.split(".")[0] for name in sys.modules}), sys.stdout)
"""
HEAVY = {"numpy", "numba", "scipy", "pydantic", "typer", "rich", "orjson", "pymodbus", "mujoco"}


def test_a_gate_on_canopen_loads_its_link_and_nothing_heavy():
    """`canopen` and `python-can` bring none of these; a bank that did would make waking up late."""
    out = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, check=True).stdout
    loaded = set(json.loads(out))
    assert {"canopen", "can"} <= loaded
    assert not loaded & HEAVY

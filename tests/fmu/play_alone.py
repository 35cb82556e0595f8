"""Plays an FMU by FMPy in an interpreter that has neither numba nor the project on its path.

``python -I -S play_alone.py SITE`` with orders in JSON on standard input, one a line; SITE is where
FMPy is. Each is played in a process of its own, and the line that is said begins with ``SAID``.
"""

import builtins
import importlib.abc
import json
import math
import os
import sys
import tempfile
import traceback


class Barred(importlib.abc.MetaPathFinder):
    """Nothing of these can be imported, wherever it lies."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in (
            "numba",
            "llvmlite",
            "hil",
            "platform6dof",
            "drives",
            "scipy",
        ):
            raise ImportError(f"{name} is barred")


sys.meta_path.insert(0, Barred())
sys.path.append(sys.argv[1])

import fmpy  # noqa: E402
from fmpy.fmi2 import FMU2Slave  # noqa: E402
from fmpy.fmi3 import FMU3Slave  # noqa: E402


def play(slave, three, references, order, shift=0.0, told=None):
    """Initialise and step; the outputs at the beginning and after each step."""
    told = [] if told is None else told
    get = slave.getFloat64 if three else slave.getReal
    put = slave.setFloat64 if three else slave.setReal
    inputs = [references[name] for name in order["inputs"]]
    outputs = [references[name] for name in order["outputs"]]
    if three:
        slave.enterInitializationMode(startTime=0.0)
    else:
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
    slave.exitInitializationMode()
    told.append(get(outputs))
    h = order["step_s"]
    at, poison = order.get("poison", [None, "0"])
    for k, row in enumerate(order["rows"]):
        row = [value + shift for value in row]
        if k == at:
            row[0] = float(poison)
        put(inputs, row)
        slave.doStep(k * h, h)
        told.append(get(outputs))
        yield
    assert math.isfinite(told[-1][0])


def answer(order, folder):
    model = fmpy.read_model_description(order["path"])
    three = model.fmiVersion.startswith("3")
    fmpy.extract(order["path"], folder)
    references = {one.name: one.valueReference for one in model.modelVariables}

    def made():
        slave = (FMU3Slave if three else FMU2Slave)(
            guid=model.guid or model.instantiationToken, unzipDirectory=str(folder),
            modelIdentifier=model.coSimulation.modelIdentifier, instanceName="alone",
        )  # fmt: skip
        slave.instantiate()
        return slave

    said = {"told": []}
    one = made()
    try:
        ways = [play(one, three, references, order, told=said["told"])]
        if order.get("twice"):
            said["beside"] = []
            ways.append(play(made(), three, references, order, 0.01, said["beside"]))
        while ways:  # turn by turn
            ways = [way for way in ways if next(way, ways) is not ways]
        if order.get("twice"):
            one.reset()
            said["again"] = []
            for _ in play(one, three, references, order, told=said["again"]):
                pass
    except Exception as error:
        said["failed"] = str(error)
    assert not [name for name in sys.modules if name.startswith(("numba", "hil", "platform6dof"))]
    return said


def main():
    """Nothing of one order is left for the next."""
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            try:
                with tempfile.TemporaryDirectory() as unpacked:
                    said = answer(json.loads(line), unpacked)
            except BaseException:
                said = {"broken": traceback.format_exc()}
            builtins.print("\nSAID", json.dumps(said), flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            builtins.print("\nSAID", json.dumps({"broken": f"status {status}"}), flush=True)


main()

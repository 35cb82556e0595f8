"""Time of an FMU's step through its process, beside FMPy in this one, and of our exported twin.

python -m benchmarks.bench_fmu [--json FILE]. One input is set, one step done, six outputs read; the
vehicle is the tests' in C (needs gcc). Rounds of the ways are made in turn.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.fmu.description import read_description
from hil.fmu.process import ModelProcess
from hil.fmu.wire import ModelOrder

sys.path.append(str(Path(__file__).parents[1] / "tests" / "fmu"))
from fmu_vehicles import OUTPUTS, c_vehicle  # pyright: ignore[reportMissingImports]

STEP_S = 0.002
STEPS, ROUNDS = 2000, 7


def in_process(path: Path) -> Any:
    """What does a step by FMPy, in this process."""
    model = fmpy.read_model_description(str(path))
    three = model.fmiVersion.startswith("3")  # pyright: ignore[reportOptionalMemberAccess]
    slave: Any = (FMU3Slave if three else FMU2Slave)(
        guid=model.guid or model.instantiationToken,
        unzipDirectory=str(fmpy.extract(str(path))),
        modelIdentifier=model.coSimulation.modelIdentifier,  # pyright: ignore[reportOptionalMemberAccess]
        instanceName="bench",
    )
    slave.instantiate()
    if not three:
        slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    at = {one.name: one.valueReference for one in model.modelVariables}
    outputs = [at[name] for name in OUTPUTS]
    put, get = (slave.setFloat64, slave.getFloat64) if three else (slave.setReal, slave.getReal)

    def step(index: int) -> object:
        put([at["steer"]], [0.1])
        slave.doStep((index - 1) * STEP_S, STEP_S)
        return get(outputs)

    return step


def through_process(process: ModelProcess) -> Any:
    """What does a step through the process, and waits for its answer."""

    def step(index: int) -> object:
        process.ask(index, (0.1,))
        return process.wait(5.0)

    return step


def timed(step: Any, first: int) -> np.ndarray:
    """Times of some steps [µs]."""
    times = np.empty(STEPS)
    for k in range(STEPS):
        start = time.perf_counter()
        step(first + k)
        times[k] = 1e6 * (time.perf_counter() - start)
    return times


def run() -> dict[str, Any]:
    """Measure both standards, and show."""
    result: dict[str, Any] = {}
    table = Table("FMI", "way", "median us", "p99 us", title="One step of an FMU")
    with tempfile.TemporaryDirectory() as folder:
        for fmi in (2, 3):
            path = c_vehicle(folder, fmi)
            order = ModelOrder(
                path=str(path), sha256=read_description(path).sha256, step_s=STEP_S, substeps=1,
                outputs=OUTPUTS, inputs=("steer",),
            )  # fmt: skip
            with ModelProcess(order) as process:
                ways = {"fmpy": in_process(path), "process": through_process(process)}
                found: dict[str, list[np.ndarray]] = {name: [] for name in ways}
                for turn in range(ROUNDS):
                    for name, step in ways.items():
                        found[name].append(timed(step, 1 + turn * STEPS))
            medians = {n: float(np.median([np.median(one) for one in f])) for n, f in found.items()}
            tails = {n: float(np.percentile(np.concatenate(f), 99.0)) for n, f in found.items()}
            for name in ways:
                table.add_row(str(fmi), name, f"{medians[name]:.1f}", f"{tails[name]:.1f}")
            result[f"fmi{fmi}"] = {
                "fmpy_us": medians["fmpy"],
                "process_us": medians["process"],
                "over_us": medians["process"] - medians["fmpy"],
                "fmpy_p99_us": tails["fmpy"],
                "process_p99_us": tails["process"],
            }
    Console().print(table)
    for fmi in (2, 3):
        print(f"FMI {fmi}: {result[f'fmi{fmi}']['over_us']:.1f} us over FMPy (at most 100)")
    return result


if __name__ == "__main__":
    main(run, __doc__)

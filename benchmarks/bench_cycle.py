"""One whole cycle of the bench, and how much faster than real time a dry run is.

The cycle is the loop's own (`Loop.cycle`): source, inverse, gate, simulated bank, forward, ring. A
dry run is that plus writing the recording, in one thread. Both builds take turns where
`make compiled` has made the compiled one; beside them one inverse call of the same process.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from hil.config.file_search import configs_dir
from hil.machines.rig.machine import gate_limits
from hil.recording.recorder import RecorderRing
from hil.stations.platform.bench.bench import bank_of, machine_of
from hil.stations.platform.bench.bench import run as run_plan
from hil.stations.platform.cycle.control import PlatformStation
from hil.stations.platform.cycle.gated_bank import GatedBank
from hil.stations.platform.cycle.journal import PlatformJournal
from hil.stations.platform.cycle.kernel_warmup import warm
from hil.stations.platform.cycle.loop import Loop
from hil.stations.platform.cycle.supervisor import Supervisor
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import load_plan
from hil.timing.clock import VirtualClock
from platform6dof.inverse import leg_setpoint
from safety.gate import Gate
from safety.modes import Mode

TARGETS = {"by_inverse": 10.0, "speed_up": 90.0}
ROUNDS = 7
TOP = Path(__file__).parents[1]
COMPILED = TOP / "build" / "compiled" / "venv" / "bin" / "python"
"""Interpreter of the environment of `make compiled`."""
_ROUND = f"import sys; sys.path.append({str(TOP)!r}); from benchmarks import bench_cycle as b; "
_ROUND += "b.print_round()"


class _EmptySink:
    """A recorder that forgets: the ring is emptied, nothing is written."""

    def __init__(self) -> None:
        self.ring = RecorderRing.local()

    def service(self) -> str:
        if self.ring.pending > self.ring.capacity // 2:
            for _ in self.ring.pop_all():
                pass
        return ""

    def finish(self) -> None:
        return None


class _NoStop:
    asked = None


def cycle_times_us(scenario: str = "demo") -> np.ndarray:
    """Times of the cycles of the motion itself [us]."""
    plan = load_plan(configs_dir() / "scenarios" / f"{scenario}.toml")
    period_s = plan.scenario.period_s
    gated = GatedBank(Gate(gate_limits(plan.rig, period_s)), bank_of(plan))
    supervisor = Supervisor(100_000)
    station = PlatformStation(machine_of(plan), motion_of(plan), supervisor, period_s)
    loop = Loop(
        VirtualClock(),
        period_s,
        station,
        supervisor,
        gated,
        PlatformJournal(_EmptySink()),
        _NoStop(),
    )
    gated.open()
    times: list[int] = []
    for tick in VirtualClock().ticks(period_s):
        start = time.perf_counter_ns()
        exchange = loop.cycle(tick)
        spent = time.perf_counter_ns() - start
        if exchange.verdict.mode is Mode.ENGAGED:
            times.append(spent)
        if supervisor.done:
            break
    gated.close()
    return np.array(times) / 1e3


def dry_run_speed_up(scenario: str = "demo") -> tuple[float, float]:
    """Simulated seconds per second of a whole dry run with its recording; and its length [s]."""
    plan = load_plan(configs_dir() / "scenarios" / f"{scenario}.toml")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        result = run_plan(plan, Path(folder))
        spent_s = time.perf_counter() - start
    simulated_s = result.cycles * plan.scenario.period_s
    return simulated_s / spent_s, simulated_s


def inverse_us() -> float:
    """Time of one public inverse call at a moment of the demonstration [us]."""
    plan = load_plan(configs_dir() / "scenarios" / "demo.toml")
    geometry, setpoint = machine_of(plan).geometry, motion_of(plan).sample(5.0)
    times = timeit.repeat(lambda: leg_setpoint(geometry, setpoint), number=2000, repeat=9)
    return statistics.median(times) / 2000 * 1e6


def print_round() -> None:
    """Measure one round in this process, and print it as JSON."""
    warm()
    cycle_times_us()  # once for caches and allocator
    times, (speed_up, simulated_s) = cycle_times_us(), dry_run_speed_up()
    print(json.dumps({
        "cycles": len(times), "simulated_s": simulated_s, "speed_up": speed_up,
        "cycle_us": float(np.median(times)), "cycle_p99_us": float(np.percentile(times, 99)),
        "inverse_us": inverse_us(),
    }))  # fmt: skip


def round_of(python: str) -> dict[str, float]:
    """Measure one round by an interpreter, whose build of the program is used."""
    command = [python, "-P", "-c", _ROUND]
    said = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout
    return json.loads(said.splitlines()[-1])


def run() -> dict[str, dict[str, float]]:
    """Measure both builds in turns, print a table, return the figures."""
    pythons = {"pure": sys.executable} | ({"compiled": str(COMPILED)} if COMPILED.exists() else {})
    rounds: dict[str, list[dict[str, float]]] = {build: [] for build in pythons}
    for _ in range(ROUNDS):
        for build, python in pythons.items():
            rounds[build].append(round_of(python))
    result: dict[str, dict[str, float]] = {}
    table = Table("demo at 500 Hz", "cycle", "99 %", "by one inverse call", "dry run by real time")
    for build, measured in rounds.items():
        one = {key: statistics.median(each[key] for each in measured) for key in measured[0]}
        one["by_inverse"] = statistics.median(e["cycle_us"] / e["inverse_us"] for e in measured)
        result[build] = one
        cells = (
            f"{one[key]:.1f}" for key in ("cycle_us", "cycle_p99_us", "by_inverse", "speed_up")
        )
        table.add_row(build, *cells)
    Console().print(table)
    return result


if __name__ == "__main__":
    run()

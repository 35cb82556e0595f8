"""One whole cycle of the bench, and how much faster than real time a dry run is.

The cycle is the loop's own (`Loop.cycle`): source, inverse, gate, simulated bank, forward, ring. A
dry run is that plus writing the recording, in one thread.
"""

import tempfile
import time
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
from safety.gate import Gate
from safety.modes import Mode

TARGETS = {"cycle_median_us": 60.0, "cycle_p99_us": 150.0, "dry_run_speed_up": 20.0}


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


def run() -> dict[str, float]:
    """Measure, print a table, return the figures."""
    warm()
    cycle_times_us()  # once for caches and allocator
    times = cycle_times_us()
    speed_up, simulated_s = max(dry_run_speed_up() for _ in range(3))
    result = {
        "cycles": float(len(times)),
        "cycle_median_us": float(np.median(times)),
        "cycle_p99_us": float(np.percentile(times, 99)),
        "dry_run_simulated_s": simulated_s,
        "dry_run_speed_up": speed_up,
    }
    table = Table("whole cycle at 500 Hz (demo)", "measured", "target")
    table.add_row("median", f"{result['cycle_median_us']:.1f} us", "≤ 60 us")
    table.add_row("p99", f"{result['cycle_p99_us']:.1f} us", "≤ 150 us")
    table.add_row("dry run, times real time", f"{speed_up:.1f}", "≥ 20")
    Console().print(table)
    return result


if __name__ == "__main__":
    run()

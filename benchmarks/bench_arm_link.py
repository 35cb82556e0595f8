"""The arm station's line: waypoints without a miss, and the time from a request to its answer.

The same motion, there and back again and again, in virtual time against the emulated robot in this
process, and in real time against one in a process of its own on a pseudo-terminal.

    python -m benchmarks.bench_arm_link [--waypoints 10000] [--seconds 600]
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hil.arm_bench import ArmRunResult, prepare_plan, run_arm
from hil.arm_runner import emulated_robot, moved_to
from hil.arm_scenario import ArmPlan, arm_plan_from_table
from hil.warm import warm_arm
from sim.world.space_arm.simulator import TICK_S

P99_MS = 2.0
LEG_S = 7.0


def plan_of(duration_s: float, clock: str) -> ArmPlan:
    """A motion up and down and across that lasts about so long."""
    there = {"duration_s": LEG_S, "velocity_m_s": [0.0, 0.02, 0.035]}
    back = {"duration_s": LEG_S, "velocity_m_s": [0.0, -0.02, -0.035]}
    table = {
        "station": "arm",
        "name": "bench",
        "clock": clock,
        "longest_s": min(3600.0, duration_s + 60.0),
        "space_arm": {"model": "b"},
        "source": {
            "kind": "profile",
            "frame": "base",
            "segment": [there, back] * max(1, math.ceil(duration_s / (2.0 * LEG_S))),
        },
    }
    return arm_plan_from_table(table, Path("bench"))


def figures(result: ArmRunResult, wall_s: float) -> dict[str, Any]:
    counts, latency = result.end.report.counts, result.end.report.latency
    return {
        "result": result.end.result.value if result.end.result else "not begun",
        "reason": result.end.reason,
        "waypoints": result.end.waypoints,
        "missed": counts.empty_slot,
        "late": counts.late_answers,
        "repeats": counts.repeats,
        "p50_ms": 1e3 * latency.p50_s,
        "p99_ms": 1e3 * latency.p99_s,
        "longest_ms": 1e3 * latency.longest_s,
        "wall_s": wall_s,
    }


def measure(duration_s: float, clock: str) -> dict[str, Any]:
    """Run the motion once; the recording goes with its folder."""
    prepared = prepare_plan(plan_of(duration_s, clock))
    with tempfile.TemporaryDirectory() as folder:
        if clock == "virtual":
            started_s = time.monotonic()
            result = run_arm(prepared, Path(folder))
        else:
            with emulated_robot(prepared) as url:
                started_s = time.monotonic()
                result = run_arm(moved_to(prepared, url), Path(folder))
        return figures(result, time.monotonic() - started_s)


def run(
    waypoints: int = 10_000, duration_s: float = 600.0, console: Console | None = None
) -> dict[str, Any]:
    """Measure both and print the table."""
    console = console or Console(width=120)
    warm_arm()
    results = {
        "virtual": measure(waypoints * TICK_S, "virtual"),
        "real": measure(duration_s, "real"),
    }
    columns = ("waypoints", "missed", "late", "repeats", "p50 ms", "p99 ms", "longest ms", "wall s")
    table = Table("clock", "ended", *columns, title="the arm's line", box=None)
    for clock, case in results.items():
        table.add_row(
            clock, case["result"], str(case["waypoints"]), str(case["missed"]),
            str(case["late"]), str(case["repeats"]), f"{case['p50_ms']:.2f}",
            f"{case['p99_ms']:.2f}", f"{case['longest_ms']:.2f}", f"{case['wall_s']:.1f}",
        )  # fmt: skip
        if case["reason"]:
            console.print(f"{clock}: {case['reason']}", markup=False, soft_wrap=True)
    console.print(table)
    return results | {"target_p99_ms": P99_MS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waypoints", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    arguments = parser.parse_args()
    run(arguments.waypoints, arguments.seconds)


if __name__ == "__main__":
    main()

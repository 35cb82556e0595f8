"""The arm station's line: waypoints without a miss, and the time from a request to its answer.

The same motion, there and back again and again, in virtual time against the emulated robot in this
process, and in real time against one in a process of its own on a pseudo-terminal. Then the answer
as the robot sees it: a robot that only asks and looks at its watch, with `hil run` and its recorder
at the other end, beside a plain pyserial loop that answers the same line each time, which is what
the machine itself costs; quiet, and with a program on every processor that never stops computing.

    python -m benchmarks.bench_arm_link [--waypoints 10000] [--seconds 600] [--port-seconds 60]
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from arm_driver.contour.place import location_of
from arm_driver.link import PERIOD_S
from benchmarks.arm_line import (
    Line,
    Timings,
    constant_peer,
    play_constant,
    play_robot,
)
from benchmarks.busy import ALWAYS, beside
from benchmarks.frame import main
from hil.stations.arm.plan.scenario import ArmPlan, arm_plan_from_table
from hil.stations.arm.run.bench import ArmRunResult, declared_path, prepare_plan, run_arm, warm_arm
from hil.stations.arm.run.runner import with_robot_at
from hil.stations.arm.run.wire import emulated_robot
from hil.timing.realtime_setup import RealtimePolicy, RealtimeSetup
from sim.world.space_arm.simulator import TICK_S

P99_MS = 2.0
LEG_S = 7.0
ROBOT_PRIORITY = 95
"""Of the robot that asks: a controller has a processor of its own."""


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
                result = run_arm(with_robot_at(prepared, url), Path(folder))
        return figures(result, time.monotonic() - started_s)


def written(plan: ArmPlan, folder: Path) -> Path:
    """The plan as a file, for another process."""
    source = plan.scenario.source
    lines = ['station = "arm"', 'name = "bench"', f"longest_s = {plan.scenario.longest_s}"]
    lines += ["[space_arm]", 'model = "b"', "[source]", 'kind = "profile"', 'frame = "base"']
    for segment in source.segment if source.kind == "profile" else ():
        lines += ["[[source.segment]]", f"duration_s = {segment.duration_s}"]
        lines += [f"velocity_m_s = {list(segment.velocity_m_s)}"]
    path = folder / "bench.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def measure_port(duration_s: float, busy: int) -> dict[str, dict[str, Any]]:
    """The answer as the robot sees it: of the station and of the plain peer, one after the other.

    Args:
        duration_s: of each [s].
        busy: programs beside it that never stop computing.
    """
    answers = max(2, round(duration_s / PERIOD_S))
    plan = plan_of(duration_s + 2.0 * LEG_S, "virtual")
    prepared = prepare_plan(plan)
    start = location_of(declared_path(prepared).start, plan.robot.oat_convention())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for _ in range(busy):
            stack.enter_context(beside("-c", ALWAYS))
        scenario = str(written(plan, folder))

        def station(line: Line) -> tuple[str, ...]:
            program = ("-m", "hil.cli", "run", scenario, "--json", "--out", str(folder))
            return (*program, "--arm-link", line.url)

        def asked(line: Line) -> Timings:
            return play_robot(line, start, answers)

        return {
            "station": _timed(station, asked),
            "plain peer": _timed(constant_peer, lambda line: play_constant(line, answers)),
        }


def _timed(
    program: Callable[[Line], tuple[str, ...]], play: Callable[[Line], Timings]
) -> dict[str, Any]:
    line = Line()
    try:
        policy = RealtimePolicy(priority=ROBOT_PRIORITY, lock_memory=False)
        with beside(*program(line)), RealtimeSetup(policy):
            return play(line).figures()
    finally:
        line.close()


def show_port(console: Console, cases: dict[str, dict[str, dict[str, Any]]]) -> None:
    columns = ("answers", "missed", "p50 ms", "p99 ms", "longest ms")
    title = "request to the whole answer, as the robot sees it"
    table = Table("beside it", "who answers", *columns, title=title, box=None)
    for load, case in cases.items():
        for who, each in case.items():
            table.add_row(
                load, who, str(each["answers"]), str(each["missed"]), f"{each['p50_ms']:.2f}",
                f"{each['p99_ms']:.2f}", f"{each['longest_ms']:.2f}",
            )  # fmt: skip
    console.print(table)


def run(
    waypoints: int = 10_000,
    seconds: float = 600.0,
    port_seconds: float = 60.0,
    console: Console | None = None,
) -> dict[str, Any]:
    """Measure all of it and print the tables.

    Args:
        waypoints: of the run in virtual time.
        seconds: of the run in real time [s].
        port_seconds: of each of the four measurements of the answer [s].
        console: where the tables go.
    """
    console = console or Console(width=120)
    warm_arm(fine=True)
    results = {
        "virtual": measure(waypoints * TICK_S, "virtual"),
        "real": measure(seconds, "real"),
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
    port = {
        "nothing": measure_port(port_seconds, 0),
        f"{os.cpu_count()} busy programs": measure_port(port_seconds, os.cpu_count() or 1),
    }
    show_port(console, port)
    return results | {"port": port, "target_p99_ms": P99_MS}


if __name__ == "__main__":
    main(run, __doc__)

"""Speed of tasks: python -m benchmarks.bench_tasks [--rounds 3].

A cycle is a whole turn of the loop: sensors, diagram, gate, judge, row, and a step of the engine;
processor time is counted, turn by turn. The same commands are then given to bare steps of the same
model, which have to end at the same place. Campaigns of runs are in `bench_campaign`.
"""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.campaign.execution import request_of, station_of
from hil.campaign.job import Job
from hil.diagram.run.changer import DiagramChanger
from hil.run.file_kinds import TOGETHER, find_kind, scenario_kinds
from hil.stations.task.plan.task_plan import TaskPlan
from hil.stations.task.run.runner import extension_of
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.extension import WorldExtension
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.plan.scenario import WorldPlan
from hil.stations.world.run.judged_end import observer_of
from hil.stations.world.run.session import law_changes, signals_of
from hil.timing.clock import VirtualClock
from sim.world.engine.library import engine

mujoco: Any = engine()

SCENARIO = "container"
SEED = 7
CYCLE_MEAN_MS = 0.25
CYCLE_P99_MS = 1.0
PHYSICS_TIMES = 2.0
REAL_TIME_FACTOR = 20.0


class Played(NamedTuple):
    """A run that was played to its end."""

    turns_us: np.ndarray
    """Processor time of each turn [us]."""
    commands: np.ndarray
    """What the drives were given in each step; empty if it was not kept."""
    positions: np.ndarray
    """Where all was at the end."""
    step_s: float
    ended: str


def plan_of(scenario: str) -> tuple[WorldPlan, WorldExtension | None]:
    """Plan of a scenario of the virtual environment, and what a task adds to it."""
    path = scenario_path(scenario)
    station = station_of(path)
    job = Job(0, str(path), SEED, (), (), "runs")
    if station.load is None:
        raise ValueError(f"{scenario}: a scenario of the virtual environment is needed")
    plan = station.load(request_of(job, station))
    if isinstance(plan, TaskPlan):
        return plan.world, extension_of(plan)
    if not isinstance(plan, WorldPlan):
        raise ValueError(f"{scenario}: a scenario of the virtual environment is needed")
    return plan, None


def scenario_path(scenario: str) -> Path:
    kinds = [kind for kind in scenario_kinds() if kind is not TOGETHER]
    return find_kind(scenario, *kinds, key="SCENARIO")[0]


# -- a run and its bare steps --------------------


def play(plan: WorldPlan, extension: WorldExtension | None, *, keep: bool = False) -> Played:
    """Play a run to its end, without recording.

    Args:
        keep: whether commands are kept, which takes time.
    """
    bench = open_bench(plan)
    signals = signals_of(bench, extension)
    between = []
    if plan.changes and bench.law == "diagram":
        between.append(law_changes(DiagramChanger(plan.changes, plan.scenario.step_s)))
    observer = observer_of(bench, signals, extension)
    run = WorldRun(bench, VirtualClock(), None, signals, between=between, observer=observer)
    turns_us, commands = list[float](), list[np.ndarray]()
    controls = bench.world._data.ctrl  # noqa: SLF001  # of the engine, for the bare steps
    last_ns = time.process_time_ns()
    for tick in run.clock.ticks(run.period_s):
        over = run.turn(tick)
        now_ns = time.process_time_ns()
        turns_us.append((now_ns - last_ns) / 1e3)
        last_ns = now_ns
        if over:
            break
        if keep:
            commands.append(controls.copy())
    positions = bench.world.positions
    run.close()
    ended = f"{run.figures.ended} {run.figures.reason}"
    return Played(np.array(turns_us), np.array(commands), positions, run.period_s, ended)


def bare_us(plan: WorldPlan, played: Played) -> float:
    """Processor time of a bare step under the same commands [us].

    Raises:
        RuntimeError: if the bare steps went elsewhere.
    """
    bench = open_bench(plan)
    world = bench.world
    model, data, step = world._model, world._data, mujoco.mj_step  # noqa: SLF001
    controls = data.ctrl
    began_ns = time.process_time_ns()
    for command in played.commands:
        controls[:] = command
        step(model, data)
    passed_us = (time.process_time_ns() - began_ns) / 1e3
    gap = float(np.abs(world.positions - played.positions).max())
    bench.close()
    if gap > 1e-9:
        raise RuntimeError(f"{plan.name}: the bare steps went elsewhere, by {gap:.3g}")
    return passed_us / len(played.commands)


def measure(scenario: str, rounds: int) -> dict[str, Any]:
    """Measure the cycle, its bare steps, and the real-time factor on one core."""
    plan, extension = plan_of(scenario)
    kept = play(plan, extension, keep=True)
    gc.collect()
    pairs = [(play(plan, extension), bare_us(plan, kept)) for _ in range(rounds)]
    means_us = [float(one.turns_us[1:].mean()) for one, _ in pairs]
    p99_us = np.median([np.percentile(one.turns_us[1:], 99) for one, _ in pairs])
    mean_us = float(np.median(means_us))
    ratios = [one / bare for one, (_, bare) in zip(means_us, pairs, strict=True)]
    return {
        "scenario": scenario, "ended": kept.ended.strip(),
        "simulated_s": kept.step_s * len(kept.turns_us),
        "mean_ms": mean_us / 1e3, "p99_ms": float(p99_us) / 1e3,
        "most_ms": max(float(one.turns_us[1:].max()) for one, _ in pairs) / 1e3,
        "bare_ms": float(np.median([bare for _, bare in pairs])) / 1e3,
        "by_bare": float(np.median(ratios)), "real_time_factor": kept.step_s * 1e6 / mean_us,
    }  # fmt: skip


def run(
    rounds: int = 3, console: Console | None = None, scenario: str = SCENARIO
) -> dict[str, Any]:
    """Measure all, print the table, return the figures.

    Args:
        rounds: number of repeats, of which medians are taken.
        scenario: any of the virtual environment.
    """
    figures = measure(scenario, rounds)
    table = Table("work", "value", "asked", title=f"{scenario}, {figures['ended']}", box=None)
    for work, key, asked in (
        ("cycle, mean", "mean_ms", f"≤ {CYCLE_MEAN_MS:g} ms"),
        ("cycle, p99", "p99_ms", f"≤ {CYCLE_P99_MS:g} ms"),
        ("bare step", "bare_ms", ""), ("run / its bare steps", "by_bare", f"≤ {PHYSICS_TIMES:g}"),
        ("real-time factor, one core", "real_time_factor", f"≥ {REAL_TIME_FACTOR:g}"),
    ):  # fmt: skip
        table.add_row(work, f"{figures[key]:.3g}", asked)
    (console or Console(width=140)).print(table)
    return figures


if __name__ == "__main__":
    main(run, __doc__)

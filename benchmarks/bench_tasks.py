"""Speed of tasks and of campaigns: python -m benchmarks.bench_tasks [--runs 8] [--rounds 3].

A cycle is a whole turn of the loop: sensors, diagram, gate, judge, row, and a step of the engine;
processor time is counted, turn by turn. The same commands are then given to bare steps of the same
model, which have to end at the same place. Campaigns are timed on the clock from their first job to
their last row, beside a pool of the standard library that makes the same runs by the same function;
both have started their workers, and made a run each, before.
"""

from __future__ import annotations

import gc
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.campaign.conduct import Conductor
from hil.campaign.execution import execute, request_of, station_of
from hil.campaign.folder import CampaignFolder
from hil.campaign.job import Job, Keep
from hil.campaign.local import LocalExecutor
from hil.campaign.plan import Campaign
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
SPEED_UP = 1.8
OF_POOL = 0.95
OVERHEAD_MS = 50.0


class Row(NamedTuple):
    """One figure."""

    work: str
    value: float
    unit: str
    asked: str
    note: str = ""


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
    told = bench.world._data.ctrl  # noqa: SLF001  # of the engine, for the bare steps
    last_ns = time.process_time_ns()
    for tick in run.clock.ticks(run.period_s):
        over = run.turn(tick)
        now_ns = time.process_time_ns()
        turns_us.append((now_ns - last_ns) / 1e3)
        last_ns = now_ns
        if over:
            break
        if keep:
            commands.append(told.copy())
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
    told = data.ctrl
    began_ns = time.process_time_ns()
    for command in played.commands:
        told[:] = command
        step(model, data)
    passed_us = (time.process_time_ns() - began_ns) / 1e3
    gap = float(np.abs(world.positions - played.positions).max())
    bench.close()
    if gap > 1e-9:
        raise RuntimeError(f"{plan.name}: the bare steps went elsewhere, by {gap:.3g}")
    return passed_us / len(played.commands)


def runs_of_one_core(scenario: str, rounds: int) -> Iterator[Row]:
    """Cycle, bare steps, and real-time factor."""
    plan, extension = plan_of(scenario)
    kept = play(plan, extension, keep=True)
    gc.collect()
    pairs = [(play(plan, extension), bare_us(plan, kept)) for _ in range(rounds)]
    means = [float(one.turns_us[1:].mean()) for one, _ in pairs]
    p99 = float(np.median([np.percentile(one.turns_us[1:], 99) for one, _ in pairs]))
    most = max(float(one.turns_us[1:].max()) for one, _ in pairs)
    mean, bare = float(np.median(means)), float(np.median([us for _, us in pairs]))
    ratio = float(np.median([one / us for one, (_, us) in zip(means, pairs, strict=True)]))
    simulated_s = kept.step_s * len(kept.turns_us)
    about = f"{simulated_s:.1f} s simulated; {kept.ended}".strip()
    name = f"{scenario}: "
    yield Row(name + "cycle, mean", mean / 1e3, "ms", f"≤ {CYCLE_MEAN_MS:g}", about)
    yield Row(name + "cycle, p99", p99 / 1e3, "ms", f"≤ {CYCLE_P99_MS:g}", f"most {most / 1e3:.2f}")
    yield Row(name + "run / its bare steps", ratio, "", f"≤ {PHYSICS_TIMES:g}",
              f"bare step {bare:.1f} us")  # fmt: skip
    yield Row(name + "real-time factor, one core", kept.step_s * 1e6 / mean, "",
              f"≥ {REAL_TIME_FACTOR:g}")  # fmt: skip


# -- campaigns --------------------


def jobs_of(path: Path, runs: int, folder: Path) -> tuple[Campaign, list[Job]]:
    campaign = Campaign(path, tuple(range(runs)), keep=Keep.ALL)
    return campaign, list(campaign.jobs(folder))


@contextmanager
def warmed(workers: int, job: Job) -> Iterator[LocalExecutor]:
    """A campaign's workers that have made a run each."""
    executor = LocalExecutor(workers)
    try:
        for _ in range(workers):
            executor.submit(job)
        for _ in range(workers):
            while executor.next(1.0) is None:
                pass
        yield executor
    finally:
        executor.close()


@contextmanager
def warmed_pool(workers: int, job: Job) -> Iterator[Pool]:
    """A pool of the standard library whose workers have made a run each."""
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.map(execute, [job] * workers, chunksize=1)
        yield pool


def passed_s(work: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    work()
    return time.perf_counter() - began_s


def campaign_s(path: Path, runs: int, workers: int) -> tuple[float, float]:
    """Time of a campaign, and of a pool that makes the same runs [s]."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        campaign, jobs = jobs_of(path, runs, place / "pool")
        first = replace(jobs[0], folder=str(place / "first"))
        folder = CampaignFolder.create(place / "campaign", campaign)
        with warmed(workers, first) as executor, folder.locked():
            conductor = Conductor(folder, executor, lambda *_: None)
            folder.write_state()
            ours_s = passed_s(conductor.run)
        with warmed_pool(workers, first) as pool:
            theirs_s = passed_s(lambda: pool.map(execute, jobs, chunksize=1))
    return ours_s, theirs_s


def campaigns(scenario: str, runs: int, rounds: int) -> Iterator[Row]:
    """One worker and two, beside a pool."""
    path = scenario_path(scenario)
    station_of(path).warm(True)
    times = np.array([[campaign_s(path, runs, workers) for workers in (1, 2)]
                      for _ in range(rounds)])  # fmt: skip
    (one_s, pool_1_s), (two_s, pool_2_s) = np.median(times, axis=0)
    speed_up = float(np.median(times[:, 0, 0] / times[:, 1, 0]))
    of_pool = float(np.median(times[:, 1, 1] / times[:, 1, 0]))
    overhead_ms = float(np.median(times[:, 0, 0] - times[:, 0, 1])) / runs * 1e3
    name = f"campaign of {scenario}, {runs} runs: "
    yield Row(name + "two workers by one", speed_up, "", f"≥ {SPEED_UP:g}",
              f"{one_s:.2f} s, {two_s:.2f} s")  # fmt: skip
    yield Row(name + "speed by a pool's, two workers", of_pool, "", f"≥ {OF_POOL:g}",
              f"pool {pool_1_s:.2f} s, {pool_2_s:.2f} s")  # fmt: skip
    yield Row(name + "more than a pool, per run", overhead_ms, "ms", f"≤ {OVERHEAD_MS:g}")


def run(
    runs: int = 8, rounds: int = 3, console: Console | None = None, scenario: str = SCENARIO
) -> dict[str, Any]:
    """Measure all, print the table, return the figures.

    Args:
        runs: number of a campaign's runs.
        rounds: number of repeats, of which medians are taken.
        scenario: any of the virtual environment.
    """
    console = console or Console(width=140)
    rows = [*runs_of_one_core(scenario, rounds), *campaigns(scenario, runs, rounds)]
    table = Table("work", "value", "unit", "asked", "", title="tasks", box=None)
    for row in rows:
        table.add_row(row.work, f"{row.value:.3g}", row.unit, row.asked, row.note)
    console.print(table)
    return {row.work: {"value": row.value, "unit": row.unit, "asked": row.asked} for row in rows}


if __name__ == "__main__":
    main(run, __doc__)

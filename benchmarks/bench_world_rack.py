"""What a world costs an emulated rack and a dry run.

The rack is that of `benchmarks.bench_emulator`: six drives of the paper's rig that move, asked over
a wire by prepared bytes, all in one thread and on a virtual clock; with the paper's cabin on its
rods in the physics engine, and without. Rounds of both are interleaved, so that they meet the same
machine; processor time is counted, and medians are told.

A dry run is `hil run heave --world paper_cabin`, from the plan to the finished recording; the
program's start is not part of it.

    python -m benchmarks.bench_world_rack [--rounds 9]
"""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.bench_emulator import Master
from benchmarks.frame import case_in_words, main
from hil.config.file_search import configs_dir, find_file
from hil.machines.rig.machine import load_rig
from hil.run.station import Request
from hil.stations.platform.bench.bench import run as run_plan
from hil.stations.platform.cycle.kernel_warmup import warm
from hil.stations.platform.cycle.world import platform_plant, world_of
from hil.stations.platform.drives.rack_setup import rack_settings, with_servo
from hil.stations.platform.plan.command_line import plan_of

RIG_FILE = configs_dir() / "rigs" / "paper.toml"
WORLD = "paper_cabin"
RATIO_MAX = 1.8
"""Of a rack's time with a world to that without."""
FASTER_MIN = 5.0
"""Than real time, a dry run with a world."""
CASES = ((250.0, 1_000_000, 1), (500.0, 1_000_000, 2), (500.0, None, 1), (1000.0, None, 1))
"""Rate [Hz], bit rate [bit/s], buses; the first one is what `hil drives rack` has."""
ROUND_S = 1.0
"""Emulated time of a round [s]."""


def masters(case: tuple[float, int | None, int]) -> tuple[Master, Master]:
    """A rack without a world and one with it, both moving."""
    rig = load_rig(RIG_FILE)
    drives, world = rack_settings(rig), world_of(WORLD, rig, key="world")
    bare = Master(*case, drives=drives)
    tapped = Master(*case, drives=with_servo(drives, world.servo), plant=platform_plant(rig, world))
    for master in (bare, tapped):
        master.engage()
    return bare, tapped


def round_us(master: Master) -> float:
    """Processor time of a rack for 1 ms of its drives [us]."""
    cycles = round(ROUND_S / master.period_s)
    spent_s = sum(sum(master.cycle()[1:]) for _ in range(cycles))
    moved = [node.drive.state.name for node in master.rack.nodes]
    if moved != ["OPERATION_ENABLED"] * 6:
        raise RuntimeError(f"the drives do not move: {moved}")
    return spent_s / ROUND_S * 1e3


def measure_rack(case: tuple[float, int | None, int], rounds: int) -> dict[str, Any]:
    """One case; medians of the rounds, and of the ratio of each pair of them."""
    bare, tapped = masters(case)
    round_us(bare), round_us(tapped)
    gc.collect()
    pairs = np.array([(round_us(bare), round_us(tapped)) for _ in range(rounds)])
    without_us, with_us = np.median(pairs, axis=0).tolist()
    rate_hz, bitrate, buses = case
    return {
        "case": case_in_words(rate_hz, buses, f"{bitrate / 1e6:g} Mbit/s" if bitrate else ""),
        "rate_hz": rate_hz,
        "bitrate": bitrate,
        "buses": buses,
        "without_us": without_us,
        "with_us": with_us,
        "ratio": float(np.median(pairs[:, 1] / pairs[:, 0])),
    }


def measure_run(rounds: int) -> dict[str, Any]:
    """How much faster than real time a dry run with a world is."""
    scenario = find_file("heave", folder="scenarios", key="SCENARIO")
    plan = plan_of(Request(scenario=scenario, options={"--world": WORLD}))
    warm()
    faster: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            began_s = time.process_time()
            result = run_plan(plan, Path(folder))
            spent_s = time.process_time() - began_s
            if not result.ok:
                raise RuntimeError(f"the run ended: {result.reason}")
            faster.append(result.cycles * plan.scenario.period_s / spent_s)
    return {"run_s": result.cycles * plan.scenario.period_s, "faster": float(np.median(faster))}  # pyright: ignore[reportPossiblyUnboundVariable]


def run(rounds: int = 9, console: Console | None = None) -> dict[str, Any]:
    """Measure all cases and the dry run, print the table, return the figures."""
    console = console or Console(width=120)
    columns = ("Hz", "bit/s", "buses", "without us", "with us", "ratio", "asked")
    table = Table(*columns, title=f"six-drive rack per 1 ms, {WORLD} on its rods", box=None)
    results = [measure_rack(case, rounds) for case in CASES]
    for case in results:
        paced = "unpaced" if case["bitrate"] is None else str(case["bitrate"])
        figures = (f"{case[key]:.1f}" for key in ("without_us", "with_us"))
        told = (f"{case['ratio']:.2f}", f"<= {RATIO_MAX:g}")
        table.add_row(f"{case['rate_hz']:g}", paced, str(case["buses"]), *figures, *told)
    console.print(table)
    dry = measure_run(rounds)
    text = f"hil run heave --world {WORLD}: {dry['faster']:.1f} x real time"
    console.print(f"{text} (asked >= {FASTER_MIN:g})")
    return {"racks": results, "dry_run": dry, "ratio_max": RATIO_MAX, "faster_min": FASTER_MIN}


if __name__ == "__main__":
    main(run, __doc__)

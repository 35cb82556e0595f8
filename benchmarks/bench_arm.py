"""Speed of the arm's kinematics: python -m benchmarks.bench_arm [--json FILE].

Single calls are timed one by one through the public functions; the kernel by itself and the batch
are the best of several passes over poses that were made before. Beside wall time, the batch is
given per second of processor time too: on a machine that others use, only that one repeats.
"""

import math
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.kernels import puma as kernel
from arm_driver.kinematics.puma import batch_solutions, forward, nearest, solutions
from arm_driver.kinematics.reference import best_reference
from arm_driver.kinematics.workspace import check_path
from arm_driver.warm import warm
from benchmarks.frame import main
from hil_common.arrays.pose import Pose, packed_poses

CALLS = 5000
BATCH = 20000
PASSES = 40
PERIOD_S = 0.35


def each_call(function: Callable[[int], object]) -> dict[str, float]:
    """Median and 99th percentile of single calls [us], after a first round."""
    durations = np.empty(CALLS)
    for _ in range(2):
        for n in range(CALLS):
            start = time.perf_counter_ns()
            function(n)
            durations[n] = time.perf_counter_ns() - start
    return {
        "median_us": float(np.median(durations)) / 1e3,
        "p99_us": float(np.percentile(durations, 99)) / 1e3,
    }


def best_of(function: Callable[[], object], passes: int) -> tuple[float, float]:
    """Least wall time and least processor time of several passes [s]."""
    wall = processor = math.inf
    for _ in range(passes):
        start, start_processor = time.perf_counter_ns(), time.process_time_ns()
        function()
        wall = min(wall, time.perf_counter_ns() - start)
        processor = min(processor, time.process_time_ns() - start_processor)
    return wall / 1e9, processor / 1e9


def planned_motion() -> list[Pose]:
    """Three minutes of a gripper on its way there and back, as it would be planned."""
    t = np.linspace(0.0, 1.0, 515)
    out = 0.3 * np.sin(math.pi * t) ** 2
    return [Pose([x, 0.1 * s, 0.2 * s], np.eye(3)) for x, s in zip(out, t, strict=True)]  # pyright: ignore[reportArgumentType]


def measure() -> dict[str, Any]:
    geometry = PumaGeometry(tool_m=0.13)
    generator = np.random.default_rng(1)
    low, high = geometry.position_min_rad, geometry.position_max_rad
    q = generator.uniform(low, high, (BATCH, 6))
    poses = [forward(geometry, one) for one in q[:CALLS]]
    packed = packed_poses([forward(geometry, one) for one in q])
    found = batch_solutions(geometry, packed, q)
    if (found.reach != 0).any():
        raise RuntimeError("a pose of the benchmark is out of reach")
    near, rows = np.zeros(6), np.empty((8, 8))
    out = (np.empty((BATCH, 8, 6)), np.empty((BATCH, 8), np.int64))
    out = (*out, np.empty(BATCH, np.int64), np.empty(BATCH))
    wall, processor = best_of(lambda: kernel.solve_batch(geometry.table, packed, q, *out), PASSES)
    public_wall, _ = best_of(lambda: batch_solutions(geometry, packed, q), 10)
    path = planned_motion()
    reference = best_reference(geometry, path, PERIOD_S)
    robot = [reference.mapping.robot_pose(one) for one in path]
    start = reference.start.q_rad
    return {
        "forward": each_call(lambda n: forward(geometry, q[n])),
        "solutions": each_call(lambda n: solutions(geometry, poses[n], near)),
        "nearest": each_call(lambda n: nearest(geometry, poses[n], near)),
        "kernel_from_python": each_call(
            lambda n: kernel.solve(geometry.table, poses[n].packed, near, rows)
        ),
        "kernel_us": 1e6 * processor / BATCH,
        "batch_mposes_s": BATCH / wall / 1e6,
        "batch_mposes_per_processor_s": BATCH / processor / 1e6,
        "batch_public_mposes_s": BATCH / public_wall / 1e6,
        "check_path_ms": 1e3 * best_of(lambda: check_path(geometry, robot, PERIOD_S, start), 5)[0],
        "best_reference_s": best_of(lambda: best_reference(geometry, path, PERIOD_S), 2)[0],
        "best_reference_margin": reference.margin,
        "path_points": len(path),
    }


def table_of(result: dict[str, Any]) -> Table:
    table = Table(title=f"Arm kinematics, Python {platform.python_version()}")
    for heading in ("what", "measured", "asked"):
        table.add_column(heading)
    for name, asked in (
        ("forward", ""),
        ("solutions", "<= 10 us"),
        ("nearest", "<= 10 us"),
        ("kernel_from_python", ""),
    ):
        one = result[name]
        text = f"median {one['median_us']:.2f} us, p99 {one['p99_us']:.2f} us"
        table.add_row(f"{name}, one call", text, asked)
    table.add_row("eight solutions in the kernel", f"{result['kernel_us']:.2f} us", "<= 1 us")
    for key, name in (
        ("batch_mposes_s", "batch, wall time"),
        ("batch_mposes_per_processor_s", "batch, processor time"),
        ("batch_public_mposes_s", "batch_solutions, wall time"),
    ):
        table.add_row(name, f"{result[key]:.2f} Mposes/s", ">= 1 Mposes/s")
    points = result["path_points"]
    table.add_row(f"check_path, {points} points", f"{result['check_path_ms']:.1f} ms", "")
    table.add_row(f"best_reference, {points} points", f"{result['best_reference_s']:.2f} s", "")
    return table


def run() -> dict[str, Any]:
    """Measure everything, print a table, return the figures."""
    warm()
    result = measure()
    Console().print(table_of(result))
    return result


if __name__ == "__main__":
    main(run, __doc__)

"""Time of a governed cycle: python -m benchmarks.bench_governor [--json FILE].

Both shipped rigs at 500 Hz, one call after the other through the public `Governor.step`: a motion
with nothing near, one twelve times as large within the rig's box, and leaps to random targets in a
box that leaves everything to the envelope. Rounds of the three are made in turn. Beside them the
envelope's own check of a set-point, and the program of an active cycle solved by SciPy's SLSQP.
"""

import time
from typing import Any, cast
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.optimize import LinearConstraint, minimize

from benchmarks.frame import main
from hil.config.file_search import configs_dir
from hil.machines.rig.governor import governor_of
from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from platform6dof.cueing.governor import Governor, warm
from platform6dof.cueing.governor_solver import SLACK_COST, NearestAccelerations
from platform6dof.pose import PlatformSetpoint
from platform6dof.workspace import PoseBox

PERIOD_S = 0.002
CYCLES, ROUNDS, SOLVED = 1500, 5, 60
AMPLITUDE = np.array([0.02, 0.02, 0.02, 0.03, 0.03, 0.03])
OMEGA = 2.0 * np.pi * np.array([0.5, 0.7, 0.9, 0.6, 0.8, 0.4])
WIDE = np.array([0.8, 0.8, 0.8, 1.0, 1.0, 1.0])


def sines(q: np.ndarray, scale: float) -> np.ndarray:
    """Rows of a sum of sines that swells within a second, shape (N, 3, 6)."""
    t = np.arange(CYCLES)[:, None] * PERIOD_S
    x = np.minimum(t, 1.0)
    f, df = x**3 * (10 - 15 * x + 6 * x**2), 30 * (x * (1 - x)) ** 2
    ddf = 60 * x - 180 * x**2 + 120 * x**3
    s, c, a = np.sin(OMEGA * t), np.cos(OMEGA * t) * OMEGA, scale * AMPLITUDE
    second = a * (ddf * s + 2 * df * c - f * s * OMEGA**2)
    return np.stack([q + a * f * s, a * (df * s + f * c), second], axis=1)


def leaps(q: np.ndarray) -> np.ndarray:
    """Rows of a new random target every 0.12 s, shape (N, 3, 6)."""
    generator = np.random.Generator(np.random.PCG64(1))
    targets = q + WIDE * generator.uniform(-1.0, 1.0, (CYCLES // 60 + 1, 6))
    rows = np.zeros((CYCLES, 3, 6))
    rows[:, 0] = np.repeat(targets, 60, axis=0)[:CYCLES]
    return rows


def timed(governor: Governor, q: np.ndarray, rows: np.ndarray) -> tuple[list[float], list[float]]:
    """Times of untouched and of governed cycles [µs]."""
    governor.reset(q)
    times: tuple[list[float], list[float]] = ([], [])
    for one in rows:
        start = time.perf_counter()
        out = governor.step(one)
        times[out.active].append(1e6 * (time.perf_counter() - start))
    return times


def programs(governor: Governor, q: np.ndarray, rows: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Some programs of governed cycles: desired accelerations, rows, their bounds."""
    kept: list[tuple[np.ndarray, ...]] = []
    solve = NearestAccelerations.solve

    def keeping(self: NearestAccelerations, *given: np.ndarray) -> object:
        kept.append(tuple(one.copy() for one in given))
        return solve(self, *given)

    governor.reset(q)
    with patch.object(NearestAccelerations, "solve", keeping):
        for one in rows:
            governor.step(one)
    return kept[:: max(1, len(kept) // SOLVED)]


def slsqp(scale_m: float, given: list[tuple[np.ndarray, ...]]) -> float:
    """Median time of SciPy's solver for programs of governed cycles [µs]."""
    weights = np.array([1.0, 1.0, 1.0, *[scale_m**2] * 3, SLACK_COST])
    times = []
    for desired, matrix, low, high in given:
        goal, ends = np.r_[desired, 0.0], cast("Any", (low, high))
        bounds = LinearConstraint(matrix, *ends)
        start = time.perf_counter()
        minimize(
            lambda u, w=goal: 0.5 * weights @ (u - w) ** 2, np.zeros(7),
            jac=lambda u, w=goal: weights * (u - w), method="SLSQP", constraints=bounds,
        )  # fmt: skip
        times.append(1e6 * (time.perf_counter() - start))
    return float(np.median(times))


def checked(rows: np.ndarray, name: str) -> float:
    """Median time of the envelope's check of one set-point [µs]."""
    rig = load_rig(configs_dir() / "rigs" / f"{name}.toml")
    envelope = envelope_of(rig, geometry_of(rig))
    times = []
    for one in rows:
        start = time.perf_counter()
        envelope.check(PlatformSetpoint.from_rows(one))
        times.append(1e6 * (time.perf_counter() - start))
    return float(np.median(times))


def run() -> dict[str, object]:
    """Measure, print a table, return the figures."""
    warm()
    console, results = Console(), dict[str, object]()
    table = Table("rig", "motion", "cycles", "median µs", "p99 µs", title="governor, a cycle")
    for name in ("paper", "training_simulator"):
        rig = load_rig(configs_dir() / "rigs" / f"{name}.toml")
        q, inner = rig.neutral.coordinates(), governor_of(rig, PERIOD_S)
        given = inner.tables
        box = PoseBox(q - WIDE, q + WIDE)
        outer = Governor(given.geometry, given.envelope, box, given.stop, PERIOD_S)
        kinds = {
            "untouched": (inner, sines(q, 1.0), 0),
            "governed, in the box": (inner, sines(q, 12.0), 1),
            "governed, in the envelope": (outer, leaps(q), 1),
        }
        seen: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
        for _ in range(ROUNDS):
            for kind, (governor, rows, which) in kinds.items():
                seen[kind].append(timed(governor, q, rows)[which])
        figures: dict[str, float] = {}
        for kind, rounds in seen.items():
            median = float(np.median([np.median(one) for one in rounds]))
            high = float(np.median([np.quantile(one, 0.99) for one in rounds]))
            figures[kind], figures[f"{kind}, p99"] = median, high
            cycles = sum(map(len, rounds))
            table.add_row(name, kind, str(cycles), f"{median:.1f}", f"{high:.1f}")
        figures["envelope's check"] = checked(kinds["untouched"][1], name)
        some = programs(inner, q, kinds["governed, in the box"][1])
        figures["program by SLSQP"] = slsqp(given.geometry.length_scale_m, some)
        for peer in ("envelope's check", "program by SLSQP"):
            table.add_row(name, peer, "", f"{figures[peer]:.1f}", "")
        results[name] = figures
    console.print(table)
    return results


if __name__ == "__main__":
    main(run, __doc__)

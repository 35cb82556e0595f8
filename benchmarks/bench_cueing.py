"""Time of a cueing cycle: python -m benchmarks.bench_cueing [--json FILE].

The classical filter, six axes, base set, one `Classical.step` a cycle as the loop calls it: scales,
limits, frames, limiter and products of rotations with first and second derivatives. Beside it, in
turn: the same eight linear channels as one `scipy.signal.sosfilt` call each, with its state, and as
a pathsim diagram stepped by its own solver, both without anything else and without derivatives. All
three are given the same forces and rates, and their displacements are compared first. The other
filters of one cycle stand below.
"""

import importlib.util
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import signal

from benchmarks.frame import main
from hil.machines.cueing.preset import filter_of, read_preset
from platform6dof.cueing import kernels
from platform6dof.cueing.classical import Classical
from platform6dof.cueing.parameters import ClassicalParameters, Rotation, Scale, Tilt, Translation
from platform6dof.cueing.vehicle import GRAVITY_M_S2, REST, VehicleFlags

PERIOD_S = 0.002
CYCLES, SLOW_CYCLES, ROUNDS = 2000, 150, 9
OTHERS = ("adaptive", "optimal", "direct")
SAME_M = 1e-3
"""Peers must move as the filter does, to this [m]."""


def inputs() -> np.ndarray:
    """Forces forward, right, down less rest, and rates, shape (N, 6)."""
    t = np.arange(CYCLES)[:, None] * PERIOD_S
    amplitude = np.array([0.5, 0.4, 0.6, 0.0, 0.0, 0.02])
    return amplitude * np.sin(2.0 * math.pi * np.array([0.5, 0.7, 0.9, 0.6, 0.8, 0.4]) * t)


def channels() -> list[tuple[int, list[float], list[float]]]:
    """Which input each of the eight channels takes, its numerator and its denominator."""
    made = []
    for axis, w in enumerate((2.5, 2.5, 4.0)):
        den = np.polymul((1.0, 2.0 * w, w * w), (1.0, 0.2))
        made.append((axis, [1.0, 0.0], den.tolist()))
    made += [(axis, [25.0 / GRAVITY_M_S2], [1.0, 10.0, 25.0]) for axis in (0, 1)]
    return made + [(axis, [1.0], [1.0, 1.0]) for axis in (3, 4, 5)]


def own() -> Callable[[int], float]:
    """The filter; returns the surge of a cycle."""
    one = Scale(1.0, 10.0)
    rate, turn = Scale(1.0, math.radians(40.0)), Rotation(1.0)
    forward, down = (Translation(wn, wb_rad_s=0.2) for wn in (2.5, 4.0))
    parameters = ClassicalParameters(
        (one, one, one), (rate, rate, rate), (forward, forward, down), Tilt(5.0), (turn, turn, turn)
    )
    filter_ = Classical(parameters, PERIOD_S)
    rows = inputs()
    states = [
        replace(
            REST,
            f_m_s2=(float(r[0]), float(r[1]), float(r[2]) - GRAVITY_M_S2),
            omega_rad_s=(float(r[3]), float(r[4]), float(r[5])),
        )
        for r in rows
    ]
    return lambda n: float(filter_.step(states[n])[0, 0])


def by_sosfilt() -> Callable[[int], float]:
    """The channels as calls of SciPy's filter for one sample each."""
    sections = []
    for axis, num, den in channels():
        sos = signal.tf2sos(*signal.bilinear(num, den, 1.0 / PERIOD_S))
        sections.append((axis, sos, np.zeros((len(sos), 2))))
    rows = inputs()

    def cycle(n: int) -> float:
        out = []
        for k, (axis, sos, zi) in enumerate(sections):
            y, zi = signal.sosfilt(sos, rows[n, axis : axis + 1], zi=zi)
            sections[k] = (axis, sos, zi)
            out.append(y[0])
        return float(out[0])

    return cycle


def by_pathsim() -> Callable[[int], float] | None:
    """The channels as a diagram of pathsim; None where it is not installed."""
    if importlib.util.find_spec("pathsim") is None:
        return None
    from pathsim import Connection, Simulation  # pyright: ignore[reportMissingImports]
    from pathsim.blocks import (  # pyright: ignore[reportMissingImports]
        Source,
        TransferFunctionNumDen,
    )

    rows = inputs()

    def told(axis: int) -> Any:
        return Source(lambda t: rows[min(int(t / PERIOD_S + 0.5), CYCLES - 1), axis])

    sources = [told(axis) for axis in range(6)]
    blocks = [(axis, TransferFunctionNumDen(num, den)) for axis, num, den in channels()]
    simulation = Simulation(
        [*sources, *(block for _, block in blocks)],
        [Connection(sources[axis], block) for axis, block in blocks],
        dt=PERIOD_S, log=False,
    )  # fmt: skip

    def cycle(n: int) -> float:
        simulation.timestep(PERIOD_S)
        return float(blocks[0][1].outputs[0])

    return cycle


def times_us(cycle: Callable[[int], float], count: int) -> list[float]:
    """Each cycle by itself [µs]."""
    made = []
    for n in range(count):
        start = time.perf_counter_ns()
        cycle(n)
        made.append((time.perf_counter_ns() - start) / 1e3)
    return made


def others() -> dict[str, float]:
    """Median of a cycle of the other filters [µs]."""
    f = (0.4, 0.2, -GRAVITY_M_S2)
    state = replace(REST, f_m_s2=f, omega_rad_s=(0.01, 0.0, 0.02), flags=VehicleFlags.POSE)
    made = {}
    for name in OTHERS:
        filter_ = filter_of(read_preset(name), PERIOD_S)

        def cycle(_: int, step: Any = filter_.step) -> float:
            return float(step(state)[0, 0])

        times_us(cycle, 100)
        made[name] = float(np.median(times_us(cycle, CYCLES)))
    return made


def run() -> dict[str, Any]:
    """Measure everything, print a table, return the figures."""
    kernels.warm()
    makers = {"classical": own, "sosfilt": by_sosfilt, "pathsim": by_pathsim}
    made = {name: maker() for name, maker in makers.items()}
    cycles = {name: one for name, one in made.items() if one is not None}
    moved = {name: [one(n) for n in range(SLOW_CYCLES)] for name, one in cycles.items()}
    apart = {
        name: float(np.abs(np.array(way) - np.array(moved["classical"])).max())
        for name, way in moved.items()
    }
    if max(apart.values()) > SAME_M:
        raise RuntimeError(f"the peers do not move as the filter does: {apart} m")
    medians: dict[str, list[float]] = {name: [] for name in cycles}
    for _ in range(ROUNDS):  # in turns, so that all meet the same disturbance of the machine
        for name, cycle in cycles.items():
            count = CYCLES if name == "classical" else SLOW_CYCLES
            medians[name].append(float(np.median(times_us(cycle, count))))
    result: dict[str, Any] = {f"{name}_us": float(np.median(one)) for name, one in medians.items()}
    for name in ("sosfilt", "pathsim"):
        result[f"{name}_ratio"] = (
            result[f"{name}_us"] / result["classical_us"] if name in cycles else None
        )
    result |= {"apart_m": apart, "others_us": others()}
    Console().print(table_of(result))
    return result


def table_of(result: dict[str, Any]) -> Table:
    """The figures beside what is asked of them."""
    table = Table(title="A cycle of cueing, six axes")
    for heading in ("what", "median us", "asked"):
        table.add_column(heading)
    table.add_row("classical filter, whole", f"{result['classical_us']:.2f}", "")
    for name in ("sosfilt", "pathsim"):
        if result[f"{name}_ratio"] is None:
            table.add_row(name, "not installed", "")
            continue
        ratio = result[f"{name}_ratio"]
        text = f"{result[f'{name}_us']:.1f}, {ratio:.0f} times as long"
        table.add_row(f"its linear channels, {name}", text, ">= 20 times")
    for name, one in result["others_us"].items():
        table.add_row(f"{name} filter", f"{one:.2f}", "")
    return table


if __name__ == "__main__":
    main(run, __doc__)

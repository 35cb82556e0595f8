"""Predictive plans: python -m benchmarks.bench_plan [--seconds S] [--json FILE].

First the time of a plan: both shipped rigs on a smooth drive that is known two seconds ahead, and
on leaps beyond all that a vehicle does; beside it the same program solved by SciPy's SLSQP.

Then what planning costs a loop of real time: at 500 Hz it plays plans that a process of its own
makes at 20 Hz, and in turns with that, the same loop beside a process that only burns the same
processor time in the same rhythm; the rule is that of `benchmarks.busy`.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.optimize import LinearConstraint, minimize

from benchmarks.busy import BesideBusy, beside, cpu_s, in_rhythm
from benchmarks.frame import main
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import envelope_of, geometry_of, load_rig
from hil.stations.simulator.chain.plan_wire import PlannerSetup, request_to_bytes
from hil.stations.simulator.chain.planner_process import PlanningProcess
from hil.stations.simulator.chain.planning_program import NICENESS
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimeSetup
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.plan import Plan
from platform6dof.cueing.planner import PlanAnswer, Planner, PlanRequest
from platform6dof.cueing.predictive import PlanStatus, PredictiveFilter
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState

Array = NDArray[np.float64]

HEAD_M: Final = (0.1, 0.0, 0.8)
PERIOD_S: Final = 0.002
PLANS, ROUNDS, SOLVED, PAIRS = 200, 3, 3, 7
LEAST_S: Final = 7.0
"""Of the part in real time."""


def setup_of(name: str) -> PlannerSetup:
    """What is planned for."""
    rig = load_rig(configs_dir() / "rigs" / f"{name}.toml")
    envelope = envelope_of(rig, geometry_of(rig))
    parameters = MpcParameters(preview_s=2.0)
    return PlannerSetup(parameters, envelope, rig.neutral.pose(), HEAD_M)


def drive(t_s: Array) -> Array:
    """Force and rates of a smooth drive, scaled, shape (N, 6)."""
    omega = np.array([0.9, 1.3, 5.0, 1.1, 0.8, 0.5])
    return np.array([1.2, 1.0, 0.5, 0.05, 0.04, 0.1]) * np.sin(np.outer(t_s, omega) + np.arange(6))


def leaps(t_s: Array) -> Array:
    """Another random force and rate every 0.4 s, far beyond a vehicle's, shape (N, 6)."""
    values = np.random.Generator(np.random.PCG64(4)).normal(size=(64, 6))
    return (values * [8, 8, 8, 1, 1, 1])[(t_s / 0.4).astype(int) % 64]


def planned(planner: Planner, wanted: Any) -> tuple[list[float], list[PlanRequest], list[str]]:
    """Times of plans one after another [ms], their requests, their outcomes."""
    playing, period_s = Plan.at_rest(), planner.parameters.period_s
    times, asked, outcomes = list[float](), list[PlanRequest](), list[str]()
    for k in range(PLANS):
        ahead = wanted(k * period_s + planner.horizon.times_s)
        request = PlanRequest(k + 1, k * period_s, playing, np.zeros((6, 3)), ahead)
        start = time.perf_counter()
        answer: PlanAnswer = planner.plan(request)
        times.append(1e3 * (time.perf_counter() - start))
        asked.append(request)
        outcomes.append(answer.outcome.name)
        playing = answer.plan or playing
    return times, asked, outcomes


def slsqp(planner: Planner, requests: list[PlanRequest]) -> float:
    """Median time of SciPy's solver for programs of such requests [ms]."""
    times: list[float] = []
    for request in requests[:: len(requests) // SOLVED][:SOLVED]:
        program = planner.program(request, planner.kept(request), request.playing)
        P, c, G = program.hessian, program.gradient, program.matrix.copy()
        constraints = [
            LinearConstraint(G, program.lower, program.upper),  # pyright: ignore[reportArgumentType]
            LinearConstraint(program.ends, program.end_values, program.end_values),  # pyright: ignore[reportArgumentType]
        ]
        start = time.perf_counter()
        minimize(
            lambda x, P=P, c=c: 0.5 * x @ P @ x + c @ x, np.zeros(len(c)),
            jac=lambda x, P=P, c=c: P @ x + c, method="SLSQP", constraints=constraints,
            bounds=list(zip(program.least, program.most, strict=True)), options={"maxiter": 20},
        )  # fmt: skip
        times.append(1e3 * (time.perf_counter() - start))
    return float(np.median(times))


def plan_times(console: Console) -> dict[str, Any]:
    """Measure plans, print a table."""
    title = f"a plan, {PLANS} in a row, {ROUNDS} rounds"
    table = Table("rig", "wanted", "outcomes", "median ms", "p99 ms", title=title)
    results: dict[str, Any] = {}
    for name in ("paper", "training_simulator"):
        planner = setup_of(name).planner()
        planner.warm()
        for kind, wanted in (("drive", drive), ("leaps", leaps)):
            rounds = [planned(planner, wanted) for _ in range(ROUNDS)]
            median, high = (
                float(np.median([np.quantile(one[0], share) for one in rounds]))
                for share in (0.5, 0.99)
            )
            outcomes = {one: rounds[0][2].count(one) for one in sorted(set(rounds[0][2]))}
            results[f"{name}, {kind}"] = {"p50_ms": median, "p99_ms": high, "outcomes": outcomes}
            told = ", ".join(f"{count} {one.lower()}" for one, count in outcomes.items())
            table.add_row(name, kind, told, f"{median:.2f}", f"{high:.2f}")
            if kind == "drive":
                peer = slsqp(planner, rounds[0][1])
                results[f"{name}, SLSQP"] = {"p50_ms": peer}
                table.add_row(name, "the same by SLSQP, 20 steps at most", "", f"{peer:.0f}", "")
    console.print(table)
    return results


class NoPlanning:
    """In place of a process: everything of the loop's own work, and no plan."""

    alive = True

    def ask(self, request: PlanRequest) -> None:
        """Write the request."""
        request_to_bytes(request)

    def answer(self) -> None:
        """None ever comes."""


def state(wanted: Array) -> VehicleState:
    """A vehicle that does three times what is wanted of the scaled drive."""
    x, y, z, p, q, r = (wanted / 0.3).tolist()
    return VehicleState(0.0, (x, -y, -z - GRAVITY_M_S2), (p, -q, -r))


def looped(planning: Any, seconds: float) -> tuple[Array, PredictiveFilter]:
    """Lateness of a loop's ticks [s] while it plays plans."""
    cue = PredictiveFilter(MpcParameters(preview_s=2.0), planning, PERIOD_S)
    cycles = round(seconds / PERIOD_S)
    states = [
        state(one)
        for one in drive(np.arange(cycles + 1500, dtype=np.float64) * np.float64(PERIOD_S))
    ]
    late_s = np.zeros(cycles)
    for tick in islice(RealClock().ticks(PERIOD_S), cycles):
        late_s[tick.index] = tick.late_s
        if cue.due:
            cue.foresee(states[tick.index : tick.index + 1025 : 25])
        cue.step(states[tick.index])
    return late_s, cue


def planned_loop(planning: PlanningProcess, seconds: float) -> tuple[float, float, PlanStatus]:
    """The loop beside its planner: 99 % of its lateness [s], share of a processor, its plans."""
    before_s, begun_s = cpu_s(planning.pid), time.monotonic()
    late_s, cue = looped(planning, seconds)
    share = (cpu_s(planning.pid) - before_s) / (time.monotonic() - begun_s)
    return float(np.quantile(late_s, 0.99)), share, cue.status


def real_time(seconds: float, console: Console) -> dict[str, Any]:
    """The loop beside its planner and beside a busy process, in turns."""
    slice_s, every_s = seconds / (2 * PAIRS), MpcParameters().period_s
    pairs, told, untold = list[tuple[float, float]](), {"asked": 0, "late": 0, "failed": 0}, 0
    with RealtimeSetup(), PlanningProcess(setup_of("paper")) as planning:
        for _ in range(PAIRS):
            ours_s, share, status = planned_loop(planning, slice_s)
            for name in told:
                told[name] += getattr(status, name)
            # All that were asked for took over, or were told; the last may still be under way.
            untold += status.asked - status.played - status.late - status.failed - 1
            with beside(*in_rhythm(every_s, share * every_s, NICENESS)):
                late_s, _ = looped(NoPlanning(), slice_s)
            pairs.append((ours_s, float(np.quantile(late_s, 0.99))))
    found = BesideBusy.of_pairs(pairs)
    ours_us, busy_us, bound_us = (1e6 * one for one in (found.ours_s, found.busy_s, found.bound_s))
    pairs_us = [(1e6 * ours, 1e6 * busy) for ours, busy in pairs]
    table = Table("beside", "p99 lateness µs, median of pairs", "pairs", title="a loop of 500 Hz")
    for at, (name, value) in enumerate((("planner", ours_us), ("busy process", busy_us))):
        table.add_row(name, f"{value:.0f}", " ".join(f"{one[at]:.0f}" for one in pairs_us))
    console.print(table)
    console.print(f"bound {bound_us:.0f} µs; plans: {told}, untold {untold}")
    return {
        "slice_s": slice_s, "p99_us": ours_us, "busy_p99_us": busy_us, "bound_us": bound_us,
        "pairs_us": pairs_us, **told, "untold": untold, "ok": found.holds and untold == 0,
    }  # fmt: skip


def run(seconds: float = 60.0) -> dict[str, Any]:
    """Measure both, print tables, return the figures; the part in real time takes so long."""
    if not seconds >= LEAST_S:
        raise SystemExit(f"seconds is {seconds:g}: at least {LEAST_S:g} s are needed")
    console = Console()
    return {"plans": plan_times(console), "real_time": real_time(seconds, console)}


if __name__ == "__main__":
    main(run, __doc__)

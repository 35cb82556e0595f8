"""Speed of the space arm: python -m benchmarks.bench_space_arm [--json FILE].

Mass matrix and bias, and the torques of the inverse dynamics, are timed inside a compiled loop and
called from Python, beside pinocchio called from Python. Ticks of 0.35 s are timed one by one
through `SpaceArm.advance`, snapshots included, over the slow motions of `hil arm table`, alone and
beside a program that never stops computing; real-time factors are of the integration alone and of
whole ticks. The processor time of the fine simulation is told for 10 ms of the arm's time.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from hil_arm_study.compare import SimulatedCase, least_times
from hil_arm_study.motions import StudyMotion, motions
from numba import njit
from rich.console import Console
from rich.table import Table

from benchmarks.busy import ALWAYS, beside
from benchmarks.frame import main
from hil.config.file_search import configs_dir
from hil.machines.space_arm.settings import ArmSettings
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Sdirk2, Sdirk4
from sim.world.space_arm.kernels.dynamics import inverse_torque, make_scratch, mass_and_bias
from sim.world.space_arm.simulator import SpaceArm, levers_m

LOOP = 200_000
CALLS = 5000
PASSES = 7
MOTIONS = 4
REPEATS = 5
TARGETS_RTF = {"a": 5000, "b": 5000, "c": 1000, "d": 1000, "e": 1000, "f": 5000}


def bkm() -> ArmSettings:
    return ArmSettings.load(configs_dir() / "arms" / "bkm.toml")


@njit(cache=True, error_model="numpy")
def dynamics_loop(arm, q, v, scratch, mass, bias, count):
    """D and h at `count` states; the sum keeps the compiler from leaving anything out."""
    total = 0.0
    for n in range(count):
        k = n % len(q)
        mass_and_bias(arm, q[k], v[k], scratch, mass, bias)
        total += mass[0, 5] + bias[3]
    return total


@njit(cache=True, error_model="numpy")
def inverse_loop(arm, q, v, a, scratch, torque, count):
    """Torques at `count` states, summed."""
    total = 0.0
    for n in range(count):
        k = n % len(q)
        inverse_torque(arm, q[k], v[k], a[k], scratch, torque)
        total += torque[0] + torque[5]
    return total


def best_us(function: Callable[[], object], calls: int) -> float:
    """Least time of a call over several passes [us]."""
    least = math.inf
    for _ in range(PASSES):
        start = time.perf_counter_ns()
        function()
        least = min(least, time.perf_counter_ns() - start)
    return least / calls / 1e3


def pinocchio_model(arm: Arm) -> tuple[Any, Any, Any] | None:
    """The same arm for pinocchio: the module, model and data; None where it is not installed."""
    try:
        import pinocchio  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    model = pinocchio.Model()
    parent = 0
    for link in arm.links:
        place = pinocchio.SE3(np.array(link.rotation), np.array(link.offset_m))
        joint = pinocchio.JointModelRevoluteUnaligned(np.array(link.axis))
        parent = model.addJoint(parent, joint, place, link.name)
        inertia = pinocchio.Inertia(
            link.mass_kg, np.array(link.com_m), np.array(link.inertia_kg_m2)
        )
        model.appendBodyToJoint(parent, inertia, pinocchio.SE3.Identity())
    model.gravity.linear = np.array(arm.gravity_m_s2)
    return pinocchio, model, model.createData()


def dynamics() -> dict[str, Any]:
    """Mass matrix and bias, checked against pinocchio and timed beside it."""
    arm, rng = bkm().arm(), np.random.default_rng(4)
    arrays, scratch = arm.arrays(), make_scratch()
    q, v = rng.uniform(-1.5, 1.5, (1000, 6)), rng.uniform(-0.05, 0.05, (1000, 6))
    mass, bias = np.zeros((6, 6)), np.zeros(6)
    dynamics_loop(arrays, q, v, scratch, mass, bias, 10)

    def loop() -> None:
        dynamics_loop(arrays, q, v, scratch, mass, bias, LOOP)

    def from_python() -> None:
        for n in range(CALLS):
            mass_and_bias(arrays, q[n % 1000], v[n % 1000], scratch, mass, bias)

    result = {"loop_us": best_us(loop, LOOP), "python_us": best_us(from_python, CALLS)}
    other = pinocchio_model(arm)
    if other is None:
        return {**result, "pinocchio_us": None}
    pinocchio, model, data = other

    def by_pinocchio() -> None:
        for n in range(CALLS):
            pinocchio.crba(model, data, q[n % 1000])
            pinocchio.nonLinearEffects(model, data, q[n % 1000], v[n % 1000])

    mass_and_bias(arrays, q[0], v[0], scratch, mass, bias)
    gap = np.abs(np.triu(pinocchio.crba(model, data, q[0]) - mass)).max() / np.abs(mass).max()
    if gap > 1e-12:
        raise RuntimeError(f"pinocchio's mass matrix differs by {gap:.3g}, 1e-12 at most")
    theirs = best_us(by_pinocchio, CALLS)
    return {
        **result,
        "pinocchio_us": theirs,
        "ratio_loop": theirs / result["loop_us"],
        "ratio_python": theirs / result["python_us"],
    }


def inverse() -> dict[str, Any]:
    """Inverse dynamics, checked against pinocchio's and timed beside it."""
    arm, rng = bkm().arm(), np.random.default_rng(5)
    arrays, scratch, torque = arm.arrays(), make_scratch(), np.zeros(6)
    q, v, a = (rng.uniform(-most, most, (1000, 6)) for most in (1.5, 0.05, 0.02))
    inverse_loop(arrays, q, v, a, scratch, torque, 10)

    def loop() -> None:
        inverse_loop(arrays, q, v, a, scratch, torque, LOOP)

    def from_python() -> None:
        for n in range(CALLS):
            inverse_torque(arrays, q[n % 1000], v[n % 1000], a[n % 1000], scratch, torque)

    result = {"loop_us": best_us(loop, LOOP), "python_us": best_us(from_python, CALLS)}
    other = pinocchio_model(arm)
    if other is None:
        return {**result, "pinocchio_us": None}
    pinocchio, model, data = other

    def by_pinocchio() -> None:
        for n in range(CALLS):
            pinocchio.rnea(model, data, q[n % 1000], v[n % 1000], a[n % 1000])

    inverse_torque(arrays, q[0], v[0], a[0], scratch, torque)
    gap = np.abs(pinocchio.rnea(model, data, q[0], v[0], a[0]) - torque).max()
    if gap > 1e-10 * np.abs(torque).max():
        raise RuntimeError(f"pinocchio's torques differ by {gap:.3g} N m")
    theirs = best_us(by_pinocchio, CALLS)
    return {**result, "pinocchio_us": theirs, "ratio_loop": theirs / result["loop_us"]}


def tick(settings: ArmSettings, model: DriveModel, body: Body | None) -> dict[str, float]:
    """Single ticks of all motions as a loop meets them, every one of them timed once."""
    took_us: list[float] = []
    for motion in motions(settings.arm(), settings.home_rad()):
        arm = SpaceArm(settings.arm(), model, motion.q_start_rad, payload=body)
        for command in motion.commands_rad_s:
            start = time.perf_counter_ns()
            arm.advance(command)
            took_us.append((time.perf_counter_ns() - start) / 1e3)
    return {
        "median_us": float(np.median(took_us)),
        "p99_us": float(np.percentile(took_us, 99)),
        "max_us": max(took_us),
        "ticks": len(took_us),
    }


def factors(
    settings: ArmSettings,
    slow: tuple[StudyMotion, ...],
    model: DriveModel,
    body: Body | None,
    method: type[Sdirk2] | type[Sdirk4] = Sdirk2,
) -> dict[str, float]:
    """Real-time factors over a few motions, each tick the best of several repeats."""
    arm, integration_s, tick_s = settings.arm(), 0.0, 0.0
    for motion in slow:
        case, integrator = SimulatedCase(arm, body, model, motion), method(levers_m(arm))
        run = least_times(case, integrator, time.perf_counter, REPEATS)
        integration_s += float(run.integration_s.sum())
        tick_s += float(run.tick_s.sum())
    simulated_s = sum(motion.duration_s for motion in slow)
    return {"rtf": simulated_s / integration_s, "rtf_tick": simulated_s / tick_s}


def table_of(result: dict[str, Any]) -> Table:
    """The figures beside what is asked of them."""
    table = Table(title="Space arm")
    for heading in ("what", "measured", "asked"):
        table.add_column(heading)
    one = result["dynamics"]
    table.add_row("D + h in a compiled loop", f"{one['loop_us']:.2f} us", "<= 0.45 us")
    table.add_row("D + h called from Python", f"{one['python_us']:.2f} us", "")
    if one["pinocchio_us"] is not None:
        ratios = f"{one['ratio_loop']:.1f} and {one['ratio_python']:.1f} times these"
        text = f"{one['pinocchio_us']:.2f} us, {ratios}"
        table.add_row("pinocchio called from Python", text, ">= 2 times the first")
    one = result["inverse"]
    table.add_row("inverse dynamics in a compiled loop", f"{one['loop_us']:.2f} us", "")
    table.add_row("inverse dynamics called from Python", f"{one['python_us']:.2f} us", "")
    if one["pinocchio_us"] is not None:
        text = f"{one['pinocchio_us']:.2f} us, {one['ratio_loop']:.1f} times the first"
        table.add_row("pinocchio's rnea from Python", text, ">= 5 times the first")
    for name, row in result["tick_e"].items():
        text = f"median {row['median_us']:.0f} us, p99 {row['p99_us']:.0f} us"
        table.add_row(f"a tick of model e, {name}", text, "p99 <= 2000 us")
    for name, rtf in result["fine_rtf"].items():
        text = f"{1e4 / rtf:.0f} us of 10 ms"
        table.add_row(f"fine simulation, {name}", text, "<= 350 us")
    for name, row in result["rtf"].items():
        text = f"{row['rtf']:.0f}; {row['rtf_tick']:.0f} with snapshots"
        table.add_row(f"real-time factor, {name}", text, f">= {TARGETS_RTF[name[0]]}")
    return table


def run() -> dict[str, Any]:
    """Measure everything, print a table, return the figures."""
    settings = bkm()
    loads: dict[str, Body | None] = {"none": None, **settings.payloads()}
    slow = motions(settings.arm(), settings.home_rad(), MOTIONS)
    rtf = {
        f"{model.value} {name}": factors(settings, slow, model, body)
        for model in DriveModel
        for name, body in loads.items()
    }
    ticks = {name: tick(settings, DriveModel.E, body) for name, body in loads.items()}
    with beside("-c", ALWAYS):
        for name, body in loads.items():
            ticks[f"{name}, beside a busy program"] = tick(settings, DriveModel.E, body)
    fine = {
        f"{model.value} light": factors(settings, slow, model, loads["light"], Sdirk4)["rtf"]
        for model in (DriveModel.D, DriveModel.E)
    }
    result = {
        "dynamics": dynamics(), "inverse": inverse(), "tick_e": ticks, "rtf": rtf, "fine_rtf": fine,
    }  # fmt: skip
    Console().print(table_of(result))
    return result


if __name__ == "__main__":
    main(run, __doc__)

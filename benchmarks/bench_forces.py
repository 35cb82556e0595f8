"""Speed of the machine's forces: python -m benchmarks.bench_forces [--json FILE].

Inverse dynamics of platform, bodies and six legs: a batch, and one setpoint as a cycle needs it.
Their peer is pinocchio's `rnea` of the chain that is opened under the platform (a free body and six
legs of two hinges and a slide, 24 freedoms), called from Python for each pose; it finds no forces
of the closed chain. A check of many rows, `check_plan`, is timed with bodies and without. Medians
of rounds, processor time.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from hil.config.file_search import find_file
from hil.machines.rig.machine import load_rig
from hil.machines.rig.masses import machine_in
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.proof.check import check_plan
from hil.stations.platform.proof.machine_check import check_machine
from platform6dof.dynamics.inverse_dynamics import expected_force_n, loads_of_setpoints
from platform6dof.dynamics.machine import Machine
from platform6dof.kernels import rotation
from platform6dof.pose import PlatformSetpoint

TARGETS = {"times_pinocchio": 3.0, "check_ratio": 1.3}
BATCH = 20_000
CALLS = 2_000
PERIOD_S = 0.002


def median_s(function: Callable[[], object], rounds: int) -> float:
    """Median processor time of a call [s]."""
    times: list[float] = []
    for _ in range(rounds):
        begin = time.process_time()
        function()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def setpoints(count: int) -> np.ndarray:
    """Random setpoints about the paper's neutral pose, shape (count, 24)."""
    rng = np.random.default_rng(5)
    q = np.tile([0.0, 0.0, 0.935, 0.0, 0.0, 0.0], (count, 1)) + rng.uniform(-0.1, 0.1, (count, 6))
    return rotation.setpoints_of_coordinates(
        q, rng.normal(0.0, 0.3, (count, 6)), rng.normal(0.0, 2.0, (count, 6))
    )


def opened_chain(machine: Machine) -> tuple[Any, Any, Any] | None:
    """Free platform and six open legs for pinocchio; None where it is not installed."""
    try:
        import pinocchio  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    model = pinocchio.Model()
    free = model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "platform")
    for body in machine.bodies:
        inertia = pinocchio.Inertia(body.mass_kg, body.centre_m, body.inertia_kg_m2)
        model.appendBodyToJoint(free, inertia, pinocchio.SE3.Identity())
    own = machine.legs
    for leg in range(6):
        place = pinocchio.SE3(np.eye(3), machine.geometry.base_joints_m[leg])
        first = model.addJoint(0, pinocchio.JointModelRX(), place, f"x{leg}")
        still = pinocchio.SE3.Identity()
        second = model.addJoint(first, pinocchio.JointModelRY(), still, f"y{leg}")
        slide = model.addJoint(second, pinocchio.JointModelPZ(), still, f"s{leg}")
        for joint, mass, across, height in (
            (second, own.tube_kg, own.tube_inertia_kg_m2, own.tube_centre_m),
            (slide, own.rod_kg, own.rod_inertia_kg_m2, 0.64 - own.rod_centre_m),
        ):
            tensor = np.diag([across, across, 0.5 * own.spin_inertia_kg_m2])
            inertia = pinocchio.Inertia(mass, np.array([0.0, 0.0, height]), tensor)
            model.appendBodyToJoint(joint, inertia, still)
    return pinocchio, model, model.createData()


def by_pinocchio(machine: Machine, rounds: int) -> float | None:
    """Time of one `rnea` called from Python [us]; None without pinocchio."""
    found = opened_chain(machine)
    if found is None:
        return None
    pinocchio, model, data = found
    rng = np.random.default_rng(6)
    q = [pinocchio.integrate(model, pinocchio.neutral(model), rng.uniform(-0.1, 0.1, model.nv))
         for _ in range(100)]  # fmt: skip
    v, a = rng.normal(0.0, 0.3, (100, model.nv)), rng.normal(0.0, 2.0, (100, model.nv))

    def call() -> None:
        for n in range(CALLS):
            pinocchio.rnea(model, data, q[n % 100], v[n % 100], a[n % 100])

    return median_s(call, rounds) / CALLS * 1e6


def checks(rows: int, rounds: int) -> dict[str, float]:
    """Time of a check by its rows, without bodies and with them [us a row]."""
    path = find_file("demo", folder="scenarios", key="scenario")
    wished = ["rig=paper_cabin", f"motion.duration_s={rows * PERIOD_S}"]
    plan = load_plan(path, wished)
    bare = plan.model_copy(update={"rig": plan.rig.model_copy(update={"body": ()})})
    motion = motion_of(plan)
    count = motion.duration_s / PERIOD_S
    without, loaded = (
        median_s(lambda one=one: check_plan(one, motion), rounds) / count * 1e6
        for one in (bare, plan)
    )
    added = median_s(lambda: check_machine(plan.rig, motion, PERIOD_S), rounds) / count * 1e6
    return {
        "rows": count, "without_us": without, "with_us": loaded, "added_us": added,
        "ratio": loaded / without,
    }  # fmt: skip


def run(rounds: int = 7, rows: int = 1_000_000) -> dict[str, Any]:
    """Measure all and show it."""
    rig = load_rig(find_file("paper_cabin", folder="rigs", key="rig"))
    machine = machine_in(rig)
    if machine is None:
        raise RuntimeError("the rig has no bodies")
    many, one = setpoints(BATCH), PlatformSetpoint.from_packed(setpoints(1)[0])
    loads_of_setpoints(machine, many[:2])

    def calls() -> None:
        for _ in range(CALLS):
            expected_force_n(machine, one)

    batch_us = median_s(lambda: loads_of_setpoints(machine, many), rounds) / BATCH * 1e6
    figures: dict[str, Any] = {
        "batch_us": batch_us,
        "one_us": median_s(calls, rounds) / CALLS * 1e6,
        "pinocchio_us": (peer := by_pinocchio(machine, rounds)),
        "ratio": None if peer is None else peer / batch_us,
        "check": checks(rows, max(1, rounds // 3)),
    }
    table = Table("work", "time", box=None)
    table.add_row("inverse dynamics, batch, a pose", f"{batch_us:.2f} us")
    table.add_row("one setpoint from Python", f"{figures['one_us']:.1f} us")
    if peer is not None:
        table.add_row("pinocchio rnea, opened chain, from Python", f"{peer:.2f} us")
    table.add_row("check of a row without bodies", f"{figures['check']['without_us']:.2f} us")
    table.add_row("with bodies and drives", f"{figures['check']['with_us']:.2f} us")
    table.add_row("added by bodies and drives", f"{figures['check']['added_us']:.2f} us")
    Console().print(table)
    return figures


if __name__ == "__main__":
    main(run, __doc__)

"""Cost of simulating an arm in operations: functions of the dynamics, and ticks of drive models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import FRICTION, DriveModel
from sim.world.space_arm.integrators import Accuracy
from sim.world.space_arm.kernels import dynamics, sdirk2
from sim.world.space_arm.kernels.vectors import copied
from sim.world.space_arm.operation_count import (
    OperationCounter,
    Operations,
    count,
    counting_arguments,
)
from sim.world.space_arm.simplified_arms import MassModel, historical, simplified
from sim.world.space_arm.simulator import TICK_S, SpaceArm, levers_m

Array = NDArray[np.float64]

ANY_Q_RAD = (0.3, -0.7, 1.1, 0.5, -0.9, 1.3, -0.4, 0.8)
"""A posture without symmetry, where no number is zero by chance."""
ANY_V_RAD_S = (0.03, -0.02, 0.04, 0.05, -0.01, 0.02, -0.05, 0.01)
RATE_SHARE = 0.25
"""Share of each joint's largest rate that is commanded before the tick that is counted."""
TICKS_BEFORE = 2
"""Ticks with these rates before the one that is counted."""
GENERAL_1993 = "4375 + 3406, BKM 3479 + 2503"


@dataclass(frozen=True, slots=True, eq=False)
class KernelCost:
    """Operations of a function of the dynamics."""

    what: str
    """Function, in words."""
    operations: Operations
    """Operations of any arm."""
    needed: Operations
    """Operations without those that change no number of this arm."""
    calls: tuple[Callable[[], Any], ...]
    """Calls of the compiled kernels that were counted, for a clock."""
    published_1993: str
    """Figures of the thesis for the like; empty if there are none."""


@dataclass(frozen=True, slots=True, eq=False)
class TickCost:
    """Operations of a tick with a drive model."""

    model: DriveModel
    """Drive model of the tick."""
    operations: Operations
    """Operations of the whole tick."""
    steps: int
    """Number of steps that were taken."""
    rejected: int
    """Number of steps that were repeated."""
    refreshed: int
    """Number of times that mass matrix and bias were computed."""
    iterations: int
    """Number of iterations of Newton's method."""
    hits: int
    """Number of blows in rigid gaps."""
    state: Array
    """State after the tick as the counting run has it, shape (6, n)."""
    call: Callable[[], Array]
    """Call of the compiled tick, which returns the state after it."""


def kernel_costs(arm: Arm, payload: Body | None = None) -> list[KernelCost]:
    """Count what the functions of the dynamics cost for an arm with its payload."""
    held = arm if payload is None else arm.with_payload(payload)
    return [
        _cost(held, "pose and Jacobian", ("gripper_pose", "gripper_jacobian")),
        _cost(held, "D", ("mass_matrix",)),
        _cost(held, "D and h", ("mass_and_bias",)),
        _cost(
            held, "D, h, pose, Jacobian", ("mass_and_bias", "gripper_pose", "gripper_jacobian"),
            GENERAL_1993,
        ),
        _cost(held, "inverse dynamics", ("inverse_torque",)),
    ]  # fmt: skip


def simplified_costs(arm: Arm, payloads: Mapping[str, Body]) -> list[KernelCost]:
    """Count the mass matrices of the simplified arms of 1993.

    The thesis quotes three numbers of operations for its simplified matrices; that they belong to
    an empty gripper, a payload up to three masses of the arm and one above is this project's
    reading of them.

    Args:
        payloads: those of the arm's file; the first of each kind is taken.
    """
    rows = [
        _cost(simplified(arm, None, MassModel.POINT_MASSES), "D, point masses, empty",
              ("mass_matrix",), "837"),
    ]  # fmt: skip
    quoted = {MassModel.POINT_MASSES: "1269", MassModel.MASSLESS_LINKS: "951"}
    for name, body in payloads.items():
        model = historical(arm, body)
        if model in quoted:
            one = simplified(arm, body, model)
            what = f"D, {model.value}, {name}"
            rows.append(_cost(one, what, ("mass_matrix",), quoted.pop(model)))
    return rows


def _cost(arm: Arm, what: str, kernels: tuple[str, ...], published_1993: str = "") -> KernelCost:
    n, arrays = arm.joints, arm.arrays()
    q, v = np.array(ANY_Q_RAD[:n]), np.array(ANY_V_RAD_S[:n])
    scratch, square, torque = dynamics.make_scratch(), np.empty((n, n)), np.empty(n)
    small, place = np.empty((3, 3)), np.empty(3)
    given: dict[str, tuple[Any, ...]] = {
        "gripper_pose": (q, scratch, small, place),
        "gripper_jacobian": (q, scratch, np.empty((6, n))),
        "mass_matrix": (q, scratch, square),
        "mass_and_bias": (q, v, scratch, square, torque),
        "inverse_torque": (q, v, v, scratch, torque),
    }
    joints_only = arrays._replace(lanes=n)
    counts = [count(getattr(dynamics, name), joints_only, *given[name]) for name in kernels]
    every, needed = counts[0]
    for one in counts[1:]:
        every, needed = every + one[0], needed + one[1]

    def call(name: str) -> Callable[[], Any]:
        function, arguments = getattr(dynamics, name), (arrays, *given[name])
        return lambda: function(*arguments)

    return KernelCost(what, every, needed, tuple(map(call, kernels)), published_1993)


def tick_cost(
    arm: Arm,
    q_rad: Array,
    model: DriveModel,
    payload: Body | None = None,
    accuracy: Accuracy | None = None,
) -> TickCost:
    """Count the tick in which an arm stops that has just begun to move.

    Every joint has reached a share of its largest rate when rest is commanded, so that gears with
    play change faces.

    Args:
        q_rad: joint angles at the start [rad], shape (n,).
        accuracy: of the tick that is counted; None for the usual one.
    """
    space = SpaceArm(arm, model, q_rad, payload=payload)
    command = RATE_SHARE * np.array([link.rate_max_rad_s for link in arm.links])
    for _ in range(TICKS_BEFORE):
        space.advance(command)
    command = np.zeros(arm.joints)
    drive = arm.drive_table(model.effects)
    control = (accuracy or Accuracy()).control(levers_m(arm))
    begun, dry, arrays = space.state, drive[FRICTION].copy(), space.arm.arrays()

    def call() -> Array:
        state = copied(begun)
        counts = np.zeros(sdirk2.COUNTERS, dtype=np.int64)
        work = sdirk2.make_span_work(arm.joints)
        sdirk2.advance(arrays, drive, control, state, command, dry, TICK_S, work, counts)
        return state

    counter = OperationCounter()
    counts = np.zeros(sdirk2.COUNTERS, dtype=np.int64)
    given = counting_arguments(
        counter,
        (arrays._replace(lanes=arm.joints), drive, control, begun, command, dry, TICK_S,
         sdirk2.make_span_work(arm.joints), counts),
    )  # fmt: skip
    counter.kernel(sdirk2.advance)(*given)
    steps, rejected, iterations, refreshed, hits = counts.tolist()
    state = np.array(given[3], dtype=np.float64)
    return TickCost(
        model, counter.operations, steps, rejected, refreshed, iterations, hits, state, call
    )

"""The cheapest simulation of a planned motion: the scenario's ``model = "auto"``.

The motion is played out by the space arm alone, as the proof and the run play it: joint rates
follow from where the simulated arm is, so each candidate is asked for its own.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.desk.velocity.source import VelocitySource
from hil.stations.arm.cycle.control import ArmStation, play_out
from hil.stations.arm.cycle.step import MotionPhase
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.proof.prepare import actions_of, rates_of, space_arm_of, steps_max
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Integrator
from sim.world.space_arm.model_choice import (
    CANDIDATES,
    Candidate,
    ModelChoice,
    NoModelError,
    choose_model,
)
from sim.world.space_arm.reference_integrators import reference_pair

Array = NDArray[np.float64]


def with_cheapest_model(
    plan: ArmPlan, make_source: Callable[[], VelocitySource]
) -> tuple[ArmPlan, ModelChoice]:
    """Replace ``auto`` in a plan by the cheapest simulation within the scenario's bound.

    Args:
        make_source: makes the source anew, which ends by itself and says the same each time.

    Raises:
        RefusedError: if no model keeps the bound, or the whole model has no solution.
    """
    chosen = plan.scenario.space_arm
    reference = DriveModel(chosen.reference)
    whole = _with_model(plan, Candidate(reference))
    arm = plan.space_arm.arm()
    best, other = (
        _path_m(whole, make_source(), one) for one in reference_pair(arm, reference.effects)
    )
    if best is None or other is None:
        raise RefusedError(f"the motion was refused: model {reference.value} does not do it")
    fine = chosen.accuracy == "fine"
    try:
        choice = choose_model(
            lambda candidate: _path_m(_with_model(plan, candidate), make_source()),
            (best, other), reference, chosen.error_bound(),
            [one for one in CANDIDATES if not (fine and one.model is DriveModel.C)],
        )  # fmt: skip
    except NoModelError as error:
        raise RefusedError(f"space_arm.bound: {error}") from None
    except ValueError as error:
        raise RefusedError(f"space_arm.bound = {chosen.bound!r}: {error}") from None
    return _with_model(plan, choice.taken.candidate), choice


def _with_model(plan: ArmPlan, candidate: Candidate) -> ArmPlan:
    """Return a plan that is simulated so."""
    omit = tuple(sorted(one.value for one in candidate.omitted))
    chosen = plan.scenario.space_arm
    accuracy = "usual" if chosen.accuracy == "auto" else chosen.accuracy  # cheap is what is asked
    changes = {"model": candidate.model.value, "omit": omit, "bound": None, "accuracy": accuracy}
    chosen = chosen.model_copy(update=changes)
    scenario = plan.scenario.model_copy(update={"space_arm": chosen})
    return plan.model_copy(update={"scenario": scenario})


def _path_m(
    plan: ArmPlan, source: VelocitySource, integrator: Integrator | None = None
) -> Array | None:
    """Play a motion out: places of the gripper at the waypoints [m], (N, 3); None if refused."""
    space = space_arm_of(plan, integrator)
    station = ArmStation(space, rates_of(plan), source, actions=actions_of(plan))
    try:
        steps = play_out(station, steps_max(plan))
    except ValueError as error:
        raise RefusedError(f"the motion was refused, nothing has been sent: {error}") from None
    if not steps:
        raise RefusedError("the motion was refused: it has no waypoint")
    if steps[-1].course is MotionPhase.REFUSED:
        return None
    return np.array([step.snapshot.position_BG_m for step in steps])

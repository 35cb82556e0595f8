"""Actions of a motion on its space arm, as the proof plays them, and their state at its end."""

from collections.abc import Sequence

from hil.config.errors import RefusedError
from hil.stations.arm.cycle.step import ArmStep
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.sources.actions import (
    ActionQueue,
    buttons_of,
    free_joints,
    timed_actions,
)
from sim.world.space_arm.actions import TimedAction

FREE_RATE_MAX_RAD_S = 1e-3
"""Largest rate at the end of a motion of a joint that its actions have left without a drive."""


def planned_actions(plan: ArmPlan) -> list[TimedAction]:
    """Return the actions of a motion at their times, presses of the scenario among them."""
    source = plan.scenario.source
    placed = timed_actions(source.actions, source.press)
    return [TimedAction(one.at_s, one.action) for one in placed]


def actions_of(plan: ArmPlan) -> ActionQueue:
    """Return the actions of a motion; nobody presses a button while a planned one moves."""
    source = plan.scenario.source
    buttons = {} if source.planned else buttons_of(source.actions)
    return ActionQueue(planned_actions(plan), buttons)


def actions_of_proof(plan: ArmPlan, steps: Sequence[ArmStep]) -> list[TimedAction]:
    """Return the actions that a proof has played; of a live motion those that are planned."""
    if not steps:
        return planned_actions(plan)
    return [one for step in steps for one in step.actions]


def check_end(plan: ArmPlan, last: ArmStep) -> None:
    """Refuse a motion whose actions come after its end, or leave a joint drifting there.

    Raises:
        RefusedError: with the action or the joint; nothing has been sent.
    """
    source = plan.scenario.source
    placed = timed_actions(source.actions, source.press)
    for one in placed:
        if one.at_s >= last.t_s:
            raise RefusedError(
                f"the motion was refused, nothing has been sent: source.{one.key}: {one.action} at "
                f"{one.at_s:g} s, after the end of the motion at {last.t_s:g} s"
            )
    for joint in free_joints(placed):
        rate = abs(float(last.snapshot.v_rad_s[joint - 1]))
        unit = plan.space_arm.arm().links[joint - 1].unit
        if rate > FREE_RATE_MAX_RAD_S:
            raise RefusedError(
                f"the motion was refused, nothing has been sent: nothing stops joint {joint}, and "
                f"at the end, {last.t_s:g} s, it moves at {rate:.3g} {unit}/s, more than "
                f"{FREE_RATE_MAX_RAD_S:g} {unit}/s: close its brake, or give it power again"
            )

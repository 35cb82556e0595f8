"""Plan of a scenario with the changes of the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hil.config.errors import ConfigError
from hil.diagram.run.changer import TimedChange, changes_of
from hil.diagram.run.options import TRUST
from hil.run.edit_texts import edits_of
from hil.run.station import Request
from hil.stations.world.options import ROBOT
from hil.stations.world.plan.scenario import WorldPlan
from hil.stations.world.plan.scenario_reader import scenario_table, world_plan_from_table
from hil.stations.world.plan.target_motion import TargetMotion
from hil.stations.world.signals import STATION


def plan_of(request: Request) -> WorldPlan:
    """Plan of a scenario with the changes of the command line.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    changes = request.changes((ROBOT,))
    plan = world_plan_from_table(scenario_table(request.file), request.file, changes)
    plan = replace(plan, trusted=bool(request.options.get(TRUST.flag)))
    if (recording := request.options.get("--edits")) is not None:
        from hil.recording.reader import Recording

        before = Recording.open(Path(recording))
        if before.signals.station != STATION:
            problem = f"--edits: is of station {before.signals.station}; {STATION} is needed"
            raise ConfigError(str(before.path), [problem])
        plan = replace(plan, edits=edits_of(before), changes=changes_of(before))
    plan = operated_plan(plan, request)
    if request.options.get("--edit") and plan.scenario.clock != "real":
        problem = "on the virtual clock a run is over at once; --clock real lets it last"
        raise ConfigError(str(request.file), [f"--edit: {problem}"])
    if request.options.get("--edit") and isinstance(plan.scenario.motion, TargetMotion):
        problem = "a robot that goes to a target by what is measured of it cannot be edited"
        raise ConfigError(str(request.file), [f"--edit: {problem}"])
    return plan


def operated_plan(plan: WorldPlan, request: Request) -> WorldPlan:
    """Plan with the presses and slides of the command line in its diagram."""
    given = [tuple(request.options.get(flag) or ()) for flag in ("--press", "--slide")]
    if not any(given):
        return plan
    if plan.diagram is None:
        problem = "no diagram moves the robot, so there is nothing to press or slide"
        raise ConfigError(str(request.scenario), [problem])
    from hil.diagram.run.operator_actions import operated

    acts = operated(plan.diagram.file, *given)
    step_s = plan.scenario.step_s
    changes = tuple(TimedChange(round(at_s / step_s), change) for at_s, change in acts)
    return replace(plan, changes=plan.changes + changes)

"""What is wrong with a scenario of the virtual environment, once its robot is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import ConfigError, Wrong, about
from hil.config.shipped import find_file
from hil.stations.world.led_settings import CopyMotion, JogMotion
from hil.stations.world.planned_settings import JointsMotion, LineMotion

if TYPE_CHECKING:
    from hil.stations.world.scenario import WorldPlan


def check_plan(plan: WorldPlan, source: str) -> None:
    """Look at all that settings alone cannot tell.

    Raises:
        ConfigError: with a line for each fault.
    """
    from hil.stations.world.sources.copy_map import copy_map, jog_faults
    from sim.world.robots.model import JointType

    scenario, wrong = plan.scenario, list[Wrong]()
    kinds = {joint.number: joint.type for joint in plan.robot.joints}
    driven = {drive.joint: kinds[drive.joint] for drive in plan.robot.drives}
    if not driven:
        text = f"robot = {scenario.robot!r} has no drive: nothing can move it"
        wrong.append(about("robot", text))
    seen: set[int] = set()
    motion = scenario.motion
    if isinstance(motion, CopyMotion):
        wrong += copy_map(motion, plan.robot)[1]
        if motion.source == "recording":
            find_file(motion.file, beside=Path(source), folder="motions", key="motion.file")
    if isinstance(motion, JogMotion):
        wrong += jog_faults(motion, plan.robot)
    goals = motion.goal if isinstance(motion, JointsMotion | LineMotion) else ()
    for index, goal in enumerate(goals):
        key = f"motion.goal.{index}"
        if goal.joint not in driven or goal.joint in seen:
            there = ", ".join(map(str, driven)) or "none"
            told = "is given twice" if goal.joint in seen else f"is not driven; there are {there}"
            wrong.append(about(key, f"{key}: joint {goal.joint} {told}"))
            continue
        seen.add(goal.joint)
        slides = driven[goal.joint] is JointType.SLIDE
        if slides != (goal.by_m is not None or goal.to_m is not None):
            right = "by_m or to_m: it slides" if slides else "by_deg or to_deg: it turns"
            wrong.append(about(key, f"{key}: joint {goal.joint} needs {right}"))
    if plan.live and scenario.clock != "real":
        text = f'clock = {scenario.clock!r}: who leads it lives in real time; "real" is needed'
        wrong.append(about("clock", text))
    if (scenario.law == "diagram") != (scenario.diagram is not None):
        wrong.append(about("diagram", 'diagram and law = "diagram" go together'))
    if scenario.diagram is not None:
        told = ", ".join(map(str, driven)) or "none"
        wrong += [
            about("diagram.joints", f"diagram.joints: joint {one} is not driven; there are {told}")
            for one in scenario.diagram.joints
            if one not in driven
        ]
    if scenario.diagram is not None and scenario.edit:
        wrong.append(about("edit", "edit: a robot that a diagram moves cannot be edited"))
    if scenario.gains is not None:
        for name in ("kp", "ki", "kd"):
            count = len(getattr(scenario.gains, name))
            if count != len(driven):
                text = f"gains.{name}: {count} values; one for each of {len(driven)} drives"
                wrong.append(about(f"gains.{name}", text))
    if scenario.scene is None:
        for key in ("mount", "may_touch"):
            if getattr(scenario, key):
                wrong.append(about(key, f"{key} means nothing without scene"))
    if wrong:
        raise ConfigError(source, wrong)

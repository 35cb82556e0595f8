"""Reader of a scenario of the virtual environment with its robot, scene, edits and diagram."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.errors import ConfigError, Wrong, about
from hil.config.file_search import find_file
from hil.config.inputs import SCENARIO, name_input
from hil.config.settings import Change, apply_overrides, read_toml, scenario_toml
from hil.stations.world.plan.diagram_groups import group_faults
from hil.stations.world.plan.operator_motions import CopyMotion, JogMotion
from hil.stations.world.plan.planned_motions import FreeMotion, JointsMotion, JointStart, LineMotion
from hil.stations.world.plan.robot_facts import robot_facts
from hil.stations.world.plan.scenario import WorldPlan, WorldScenario
from hil.stations.world.plan.scene_placement import PlacedScene, placed_scene
from hil.stations.world.plan.sensor_fault import fault_faults
from hil.stations.world.plan.target_motion import TargetMotion

if TYPE_CHECKING:
    from hil.machines.world.robot_documents import RobotDocument
    from hil.machines.world.scene_documents import FurnishedScene
    from hil.stations.world.plan.scenario import WorldPlan
    from sim.world.robots.model import JointType, Robot


def check_plan(plan: WorldPlan, source: str) -> None:
    """Check a plan for faults that settings alone do not show.

    Raises:
        ConfigError: with a line for each fault.
    """
    from hil.stations.world.plan.copy_map import copy_map, jog_faults

    scenario, wrong = plan.scenario, list[Wrong]()
    kinds = {joint.number: joint.type for joint in plan.robot.joints}
    driven = {drive.joint: kinds[drive.joint] for drive in plan.robot.drives}
    if not driven:
        text = f"robot = {scenario.robot!r} has no drive: nothing can move it"
        wrong.append(about("robot", text))
    motion = scenario.motion
    if isinstance(motion, CopyMotion):
        wrong += copy_map(motion, plan.robot)[1]
        if motion.source == "recording":
            find_file(motion.file, beside=Path(source), folder="motions", key="motion.file")
    if isinstance(motion, JogMotion):
        wrong += jog_faults(motion, plan.robot)
    if isinstance(motion, JointsMotion | LineMotion):
        wrong += _goal_faults(motion, driven)
    if plan.live and scenario.clock != "real":
        text = f'clock = {scenario.clock!r}: who leads it lives in real time; "real" is needed'
        wrong.append(about("clock", text))
    if isinstance(motion, TargetMotion) and scenario.edit:
        text = "edit: a robot that goes to a target by what is measured of it cannot be edited"
        wrong.append(about("edit", text))
    wrong += _diagram_faults(scenario, driven)
    wrong += fault_faults(scenario.sensor_fault, plan.robot, scenario.diagram)
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


def _goal_faults(
    motion: JointsMotion | LineMotion, driven: Mapping[int, JointType]
) -> Iterator[Wrong]:
    """Faults of goals: joints without a drive, with two goals, or with one in the wrong unit."""
    from sim.world.robots.model import JointType

    seen: set[int] = set()
    for index, goal in enumerate(motion.goal):
        key = f"motion.goal.{index}"
        if goal.joint not in driven or goal.joint in seen:
            there = ", ".join(map(str, driven)) or "none"
            fault = "is given twice" if goal.joint in seen else f"is not driven; there are {there}"
            yield about(key, f"{key}: joint {goal.joint} {fault}")
            continue
        seen.add(goal.joint)
        slides = driven[goal.joint] is JointType.SLIDE
        if slides != (goal.by_m is not None or goal.to_m is not None):
            right = "by_m or to_m: it slides" if slides else "by_deg or to_deg: it turns"
            yield about(key, f"{key}: joint {goal.joint} needs {right}")


def _diagram_faults(scenario: WorldScenario, driven: Mapping[int, JointType]) -> Iterator[Wrong]:
    """Faults of a diagram: without its law or the other way round, of other joints, with edits."""
    if (scenario.law == "diagram") != (scenario.diagram is not None):
        yield about("diagram", 'diagram and law = "diagram" go together')
    if isinstance(scenario.motion, FreeMotion) and scenario.law != "diagram":
        text = f"motion.kind = 'free': law = {scenario.law!r} follows setpoints, and a free motion "
        text += 'has none; law = "diagram" moves by what it measures, or kind = "hold" holds'
        yield about("motion.kind", text)
    if scenario.diagram is None:
        return
    yield from group_faults(scenario.diagram, driven)
    if scenario.edit:
        yield about("edit", "edit: a robot that a diagram moves cannot be edited")


def load_world_plan(path: Path, overrides: Iterable[Change] = ()) -> WorldPlan:
    """Read a scenario and its robot.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    return world_plan_from_table(scenario_toml(path), path, overrides)


def scenario_table(path: Path) -> dict[str, Any]:
    """Table of a scenario; for a robot's document, one in which the robot holds where it starts."""
    table = {} if path.suffix.lower() != ".toml" else read_toml(path)
    if table and ("station" in table or "link" not in table):
        name_input(path, str(path), SCENARIO)
        return table
    name = re.sub("[^a-z0-9_]+", "_", path.stem.lower())[:60] or "robot"
    return {"station": "world", "name": name, "robot": str(path), "motion": {"kind": "hold"}}


def world_plan_from_table(
    table: Mapping[str, Any], path: Path, overrides: Iterable[Change] = ()
) -> WorldPlan:
    """Plan of a scenario that is already a table; raises as `load_world_plan`."""
    from hil.machines.world.robot_documents import document_of
    from hil.machines.world.scene_documents import scene_of

    scenario = WorldScenario.build(apply_overrides(dict(table), overrides), str(path))
    document = document_of(scenario.robot, key="robot", beside=path)
    found = None
    if scenario.scene is not None:
        found = scene_of(scenario.scene, key="scene", beside=path)
    return plan_of_documents(scenario, document, found, path)


def plan_of_documents(
    scenario: WorldScenario, document: RobotDocument, found: FurnishedScene | None, path: Path
) -> WorldPlan:
    """Plan of a scenario whose robot and scene are read; raises as `load_world_plan`.

    Args:
        found: scene of the scenario; None if it has none.
        path: file of the scenario.
    """
    from hil.diagram.run.changer import TimedChange
    from hil.diagram.run.diagram_use import changes_at, read_used_diagram
    from hil.stations.world.plan.document_texts import edits_at
    from sim.world.robots.driven_universals import with_hinges
    from sim.world.robots.robot_toml_writer import write_toml

    robot, file = with_hinges(document.robot), document.path
    robot = _started(robot, scenario.start, str(path))
    drives = tuple(replace(drive, control=scenario.control) for drive in robot.drives)
    driven, scene = replace(robot, drives=drives), None
    if found is not None:
        scenario, scene = _placed(scenario, found, robot, file)
        scene = scene.with_robot(driven)
    elif robot.gravity_m_s2 is not None and "gravity_m_s2" not in scenario.model_fields_set:
        scenario = scenario.model_copy(update={"gravity_m_s2": robot.gravity_m_s2})
    edits = edits_at(scenario.edit, scenario.step_s, path)
    whole = write_toml(robot, whole=True)
    lost = _losses(scenario, document, scene)
    plan = WorldPlan(scenario, driven, whole, str(file), str(path), scene, edits, losses=lost)
    check_plan(plan, str(path))
    if scenario.diagram is None:
        return plan
    used = read_used_diagram(scenario.diagram, path, "diagram", robot_facts(plan, scenario.diagram))
    changes = tuple(
        TimedChange(round(at_s / scenario.step_s), change)
        for at_s, change in changes_at(scenario.diagram, path, "diagram")
    )
    return replace(plan, diagram=used, changes=changes)


def _losses(
    scenario: WorldScenario, document: RobotDocument, scene: PlacedScene | None
) -> tuple[str, ...]:
    """Contents of the documents that have no effect: gravities first, then what is not read."""
    from hil.machines.world.documents import is_machine
    from sim.world.robots.losses import gravity_losses

    whose = "gravity_m_s2 of the " + ("scenario" if scene is None else "scene or scenario")
    robots = {document.robot.name or scenario.robot: document.robot}
    if scene is not None:
        others = {name: one for name, one in scene.robots.items() if name != scene.moved}
        robots = {scenario.robot: document.robot, **others}
    found = [str(one) for one in gravity_losses(robots, scenario.gravity_m_s2, whose)]
    found += [] if is_machine(scenario.robot) else document.lost
    return tuple(dict.fromkeys([*found, *(() if scene is None else scene.lost)]))


def _started(robot: Robot, starts: Iterable[JointStart], source: str) -> Robot:
    """Robot whose joints start where a scenario says."""
    from sim.world.robots.model import JointType

    found, wrong = {joint.number: joint for joint in robot.joints}, list[Wrong]()
    for index, one in enumerate(starts):
        key = f"start.{index}"
        kind = JointType.HINGE if one.deg is not None else JointType.SLIDE
        joint = found.get(one.joint)
        if joint is None or joint.type is not kind or joint.mimic is not None:
            there = ", ".join(str(own.number) for own in robot.joints if own.type is kind)
            phrase = f"is no {kind.value} of its own; there are {there or 'none'}"
            wrong.append(about(key, f"{key}: joint {one.joint} {phrase}"))
            continue
        at = math.radians(one.deg) if one.deg is not None else one.m or 0.0
        least, greatest = joint.limits[0] if joint.limits else (-math.inf, math.inf)
        if not least <= at <= greatest:
            text = f"{key}: joint {one.joint} at {at:g}: its limits are {least:g} to {greatest:g}"
            wrong.append(about(key, text))
        found[one.joint] = replace(joint, start=(at,))
    if wrong:
        raise ConfigError(source, wrong)
    return replace(robot, joints=tuple(found.values()))


def _placed(
    scenario: WorldScenario, found: FurnishedScene, robot: Robot, file: Path
) -> tuple[WorldScenario, PlacedScene]:
    """Scene of a scenario with its robot in it, and the scenario with the scene's stepping."""
    stepping = found.scene.stepping
    own = {key: getattr(stepping, key) for key in ("step_s", "integrator", "gravity_m_s2")}
    left = {key: value for key, value in own.items() if key not in scenario.model_fields_set}
    placed = placed_scene(found, robot, scenario.robot, scenario.mount, str(file))
    return scenario.model_copy(update=left), placed

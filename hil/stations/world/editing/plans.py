"""Plans out of what a recording, or another process, keeps of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from hil.config.named_files import EmbeddedPath
from hil.diagram.run.diagram_use import diagram_of_text
from hil.stations.world.plan.recorded_plan import RecordedPlan
from hil.stations.world.plan.robot_facts import robot_facts
from hil.stations.world.plan.scenario import WorldPlan, WorldScenario
from sim.world.robots.robot_toml_reader import read_toml


def plan_from_header(document: Mapping[str, Any]) -> WorldPlan:
    """Plan out of `WorldPlan.to_table`, without the documents that it takes while it runs.

    Raises:
        ConfigError: if it, or its scenario, is not valid.
        RobotDocumentError: if one of its documents is not valid.
    """
    from hil.stations.world.plan.scene_placement import placed_of

    kept = RecordedPlan.of(document)
    file = Path(kept.robot_file)
    scenario = WorldScenario.build(kept.scenario, kept.scenario_file)
    robot = read_toml(kept.robot, str(file))
    drives = tuple(replace(one, control=scenario.control) for one in robot.drives)
    driven = replace(robot, drives=drives)
    scene = None if kept.scene is None else placed_of(kept.scene).with_robot(driven)
    plan = WorldPlan(scenario, driven, kept.robot, str(file), kept.scenario_file, scene,
                     losses=kept.losses)  # fmt: skip
    if scenario.diagram is None:
        return plan
    path, facts = EmbeddedPath(kept.diagram_file), robot_facts(plan, scenario.diagram)
    used = diagram_of_text(scenario.diagram, kept.diagram, path, facts)
    return replace(plan, diagram=used)

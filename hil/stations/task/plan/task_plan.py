"""Plan of a task's run: its drawn world as a plan of the world station, and its diagram."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError, about
from hil.config.settings import Change, Settings, apply_overrides, scenario_toml
from hil.config.similar_names import nearest
from hil.stations.task.plan.scenario import TaskScenario
from hil.stations.task.plan.task import DiagramChoice, DrawnTask, Task
from hil.stations.task.plan.task_registry import task_named
from hil.stations.world.plan.scenario import WorldPlan, WorldScenario
from hil.stations.world.plan.scenario_reader import plan_of_documents

SPARE_S: Final = 1.0
"""Time that the motion lasts beyond the time limit, which the judge keeps [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskPlan:
    """Task with its drawn world and the diagram that does it."""

    scenario: TaskScenario
    """Scenario as written, with the changes of the command line."""
    task: Task
    """Task that is done."""
    drawn: DrawnTask
    """World of this seed."""
    world: WorldPlan
    """Plan of the run in this world."""

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.scenario.name

    @property
    def clock(self) -> str:
        """Clock of the run, ``"virtual"`` or ``"real"``."""
        return self.scenario.clock

    @property
    def settings(self) -> Settings:
        """Settings of the task."""
        return self.scenario.task

    @property
    def is_led(self) -> bool:
        """Whether a person drives the robot."""
        return self.scenario.navigator in self.task.led and not self.scenario.diagram.file

    def to_table(self) -> dict[str, Any]:
        """Data of the task in a recording's header."""
        return {"task": {"scenario": self.scenario.model_dump(mode="json"),
                         "drawn": dict(self.drawn.values)}}  # fmt: skip


def load_task_plan(path: Path, overrides: Iterable[Change] = ()) -> TaskPlan:
    """Read the scenario of a task, and draw its world.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    return task_plan_from_table(scenario_toml(path), path, overrides)


def task_plan_from_table(
    table: Mapping[str, Any], path: Path, overrides: Iterable[Change] = ()
) -> TaskPlan:
    """Plan of a scenario that is already a table; raises as `load_task_plan`."""
    from hil.machines.world.robot_documents import document_of

    scenario = TaskScenario.build(apply_overrides(dict(table), overrides), str(path))
    task = task_named(getattr(scenario.task, "kind", ""))
    choice = _choice(scenario, task, path)
    name = scenario.robot or task.robot
    document = document_of(name, key="robot", beside=path)
    try:
        drawn = task.draw(scenario.task, document.robot, scenario.seed)
    except ConfigError as error:
        raise ConfigError(str(path), error.problems) from None
    world_scenario = _world_scenario(scenario, task, drawn, name, choice, path)
    document = replace(document, robot=drawn.robot)
    plan = plan_of_documents(world_scenario, document, drawn.scene, path)
    return TaskPlan(scenario, task, drawn, plan)


def _choice(scenario: TaskScenario, task: Task, path: Path) -> DiagramChoice:
    """Diagram of a scenario: its own, or that of its navigator.

    Raises:
        ConfigError: if there is no such navigator.
    """
    if scenario.diagram.file:
        return DiagramChoice(scenario.diagram.file)
    found = task.navigators.get(scenario.navigator)
    if found is None:
        there = ", ".join(map(repr, task.navigators)) or "none"
        hint = nearest(scenario.navigator, task.navigators)
        text = f"navigator = {scenario.navigator!r}: there are {there}{hint}"
        raise ConfigError(str(path), [about("navigator", text)])
    return found


def _world_scenario(
    scenario: TaskScenario, task: Task, drawn: DrawnTask, robot: str, choice: DiagramChoice,
    path: Path,
) -> WorldScenario:  # fmt: skip
    """Scenario of the world station that the drawn world is run by."""
    text = _diagram_text(choice, path)
    _require_ports(task, text, path, choice.file)
    given = {one.parameter for one in scenario.diagram.set}
    own = [
        {"parameter": key, "value": value} for key, value in choice.set.items() if key not in given
    ]
    wanted = [one.model_dump() for one in scenario.diagram.set]
    inputs = _ports(text)[0]
    x, y, z = drawn.start_m
    table: dict[str, Any] = {
        "station": "world", "name": scenario.name, "description": scenario.description,
        "robot": robot, "scene": drawn.scene.scene.name, "control": "voltage", "law": "diagram",
        "mount": {"position_m": (x, y, z),
                  "turn_deg": (0.0, 0.0, math.degrees(drawn.start_heading_rad))},
        "may_touch": drawn.may_touch, "clock": scenario.clock, "seed": scenario.seed,
        "motion": {"kind": "free", "duration_s": task.time_limit_s(scenario.task) + SPARE_S},
        "settle_s": 0.0, "recording": scenario.recording.model_dump(),
        "sensor_fault": [one.model_dump() for one in scenario.sensor_fault],
        "diagram": {
            "file": choice.file, "library": {**choice.library, **scenario.diagram.library},
            "set": [*own, *wanted], "too_slow": scenario.diagram.too_slow,
            "change": [one.model_dump() for one in scenario.diagram.change],
            "feed": [{"input": key, "value": value} for key, value in drawn.reported.items()
                     if key in inputs],
            **task.diagram(drawn.robot),
        },
    }  # fmt: skip
    return WorldScenario.build(table, str(path))


def _diagram_text(choice: DiagramChoice, path: Path) -> Any:
    """File of the diagram, read."""
    from hil.config.file_search import find_file
    from hil.config.settings import settings_text
    from hil.diagram.file.read import read_text

    found = find_file(choice.file, beside=path, folder="diagrams", key="diagram.file")
    return read_text(settings_text(found), found)


def _ports(file: Any) -> tuple[set[str], set[str]]:
    """Names of the inputs and outputs of a diagram's file."""
    blocks = file.top.blocks
    return tuple({name for name, one in blocks.items() if one.kind == kind}
                 for kind in ("In", "Out"))  # type: ignore[return-value]  # fmt: skip


def _require_ports(task: Task, file: Any, path: Path, name: str) -> None:
    """Check that a diagram has the ports of a task.

    Raises:
        ConfigError: with each that is missing.
    """
    inputs, outputs = _ports(file)
    missing = [f"input {one}" for one in task.inputs if one not in inputs]
    missing += [f"output {one}" for one in task.outputs if one not in outputs]
    if missing:
        text = (
            f"diagram.file = {name!r} lacks ports of the task {task.name}: {', '.join(missing)}; "
            "blocks In and Out of these names are needed"
        )
        raise ConfigError(str(path), [about("diagram.file", text)])

"""The page about tasks names every key, reason and port, and its examples are accepted."""

import re
import tomllib
from pathlib import Path

import pytest

from hil.config.file_search import configs_dir
from hil.diagram.file.read import read
from hil.diagram.run.state_names import state_names
from hil.stations.task.container.container_task import TASK
from hil.stations.task.container.settings import ContainerSettings, Obstacle
from hil.stations.task.plan.reasons import REASONS
from hil.stations.task.plan.scenario import TaskDiagram, TaskScenario
from hil.stations.task.valve.settings import ValveSettings
from hil.stations.task.valve.valve_figures import ValveFigures
from hil.stations.task.valve.valve_task import TASK as VALVE_TASK
from hil.stations.world.plan.goal import Goal, JointsGoal, PathGoal, PlaceGoal, SignalGoal

PAGE = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text()
WORDS = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", PAGE))))
VALVE = (Path(__file__).parents[2] / "docs" / "valve.md").read_text()
EXAMPLES = [tomllib.loads(one) for one in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize(
    "model",
    [TaskScenario, TaskDiagram, ContainerSettings, Obstacle, Goal, SignalGoal, PlaceGoal,
     JointsGoal, PathGoal],
)  # fmt: skip
def test_every_key_is_named(model):
    told = WORDS | set(re.findall(r"(\w+) = ", PAGE))
    assert set(model.model_fields) - told == set()


def test_every_reason_port_and_navigator_is_named():
    assert {*REASONS, *TASK.inputs, *TASK.outputs, *TASK.navigators} - WORDS == set()


def test_the_page_of_the_valve_names_keys_phases_and_figures():
    words = WORDS | set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", VALVE))))
    phases = state_names(read(configs_dir() / "diagrams" / "valve.toml"), "phase")
    assert phases
    keys = {*ValveSettings.model_fields, *VALVE_TASK.navigators}
    wanted = {*keys, *phases, *ValveFigures.__annotations__}
    assert wanted - {"kind"} - words == set()


def test_examples_are_accepted():
    scenario, goal = EXAMPLES
    assert TaskScenario.build(scenario, "tasks.md").task.gap_m == (0.9, 1.2)
    assert Goal.build(goal["goal"], "tasks.md").place[0].miss == "jammed"

"""The page about tasks names every key, reason and port, and its examples are accepted."""

import re
import tomllib
from pathlib import Path

import pytest

from hil.stations.task.container.container_task import TASK
from hil.stations.task.container.settings import ContainerSettings, Obstacle
from hil.stations.task.plan.reasons import REASONS
from hil.stations.task.plan.scenario import TaskDiagram, TaskScenario
from hil.stations.world.plan.goal import Goal, JointsGoal, PathGoal, PlaceGoal, SignalGoal

PAGE = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text()
WORDS = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", PAGE))))
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


def test_examples_are_accepted():
    scenario, goal = EXAMPLES
    assert TaskScenario.build(scenario, "tasks.md").task.gap_m == (0.9, 1.2)
    assert Goal.build(goal["goal"], "tasks.md").place[0].miss == "jammed"

"""Figures of tasks: any task brings its own, and the frame knows no task by name."""

import math
import re
from pathlib import Path

import pytest
from test_task_runs import Quiet

from hil.stations.task.container.container_task import TASK as CONTAINER
from hil.stations.task.report.summaries import TaskSummary
from hil.stations.task.run.judgement import task_values
from hil.stations.task.run.observer import TaskObserver
from hil.stations.task.valve.valve_figures import ValveFigures
from hil.stations.task.valve.valve_task import TASK as VALVE
from hil.stations.world.cycle.figures import WorldFigures

FRAME = Path(__file__).parents[2] / "hil" / "stations" / "task"
FOLDERS = ("run", "plan", "lead", "report", "judge")
COURSE = {"slip_mm": 1.5, "path_m": 9.0, "turns": 0.5, "least_distance_m": math.inf,
          "jerk_m_s3": 4.0}  # fmt: skip
TURNED = {"angle_error_deg": -0.25, "force_error_n": 3.0, "moment_error_nm": 0.5,
          "saturated_s": 0.01, "slip_deg": 1.0, "grasps": 2.0}  # fmt: skip


class Measured(Quiet):
    """Judge who has measured definite values."""

    def __init__(self, measured):
        self.measured = measured

    def measures(self):
        return {"contacts": 1.0, **self.measured}


class Foreign:
    """Figures of somebody else's task."""

    def values(self, measures):
        return {"weight_kg": 2 * measures["half_kg"]}

    def line(self, values):
        return f"{values['weight_kg']} kg"


def summed_up(values, figures):
    observer = TaskObserver(Measured(values), lambda name: math.nan, 1.0)
    observer.conclude(WorldFigures())
    return task_values({"mass_kg": 1.0}, observer, WorldFigures(), figures)


@pytest.mark.parametrize(("values", "figures", "added"), [
    (COURSE, CONTAINER.figures, {**COURSE, "least_distance_m": None}),
    (TURNED, VALVE.figures, TURNED), ({"half_kg": 3.0}, Foreign(), {"weight_kg": 6.0}),
])  # fmt: skip
def test_a_summary_has_the_figures_of_its_task_and_no_others(values, figures, added):
    found = summed_up(values, figures)
    assert {key: found[key] for key in added} == added
    assert found.keys() == TaskSummary.__annotations__.keys() | added.keys()
    assert found["contacts"] == 1
    assert figures.line(found)


def test_the_keys_of_the_valve_are_those_of_its_form():
    assert VALVE.figures.values(TURNED).keys() == ValveFigures.__annotations__.keys()


@pytest.mark.parametrize("path", sorted(one for folder in FOLDERS
                                        for one in (FRAME / folder).glob("*.py")),
                         ids=lambda path: path.name)  # fmt: skip
def test_the_frame_imports_no_task(path):
    assert re.findall(r"hil\.stations\.task\.(valve|container)", path.read_text()) == []

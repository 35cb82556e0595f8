"""A person who turns the valve by his slider alone, and is judged as every run is."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from test_person_who_drives import KEYS, twist

from hil.config.file_search import find_file
from hil.recording.reader import Recording
from hil.stations.task.lead.driver import Driver
from hil.stations.task.plan.task_plan import load_task_plan
from hil.stations.task.run.runner import extension_of, started
from hil.stations.world.run.session import run_world

SCENARIO = find_file("valve", folder="scenarios", key="test")
PRESSED_S = 15.0
"""Time from which he turns to the left."""
LET_GO_S = (16.0, 17.0)
"""Time for which the desk is not held."""


class Person(Driver):
    """Driver by keys that are held at known times of the run."""

    def __init__(self, blocks):
        self.t_s = 0.0
        super().__init__(blocks, self, lambda: not LET_GO_S[0] <= self.t_s < LET_GO_S[1],
                         lambda: self.t_s)  # fmt: skip

    def sample(self, t_s):
        return twist(aside=1.0) if t_s >= PRESSED_S else twist()

    def act(self, run, tick):
        self.t_s = tick.t_s
        super().act(run, tick)


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """Observer and recording of a run that he led."""
    changes = [("navigator", "manual"), KEYS, ("task.angle_deg", -30), ("seed", 2),
               ("task.period_ms", [10, 10])]  # fmt: skip
    plan = started(load_task_plan(SCENARIO, changes))
    assert plan.is_led

    @contextmanager
    def opened(means, at_desk):
        yield Person(plan.task.led["manual"])

    extension = replace(extension_of(plan), driver=opened)
    result = run_world(plan.world, tmp_path_factory.mktemp("runs"), extension=extension)
    return result.observer, Recording.open(result.recorder.path.parent)


def angle_deg(recording, t_s):
    return np.degrees(recording.column("turned_rad")[np.searchsorted(recording.t_s, t_s)])


def test_he_turns_it_to_the_angle_and_the_judge_of_all_runs_accepts_it(turned):
    observer, recording = turned
    assert observer.reason is None
    assert observer.measures()["grasps"] == 1.0
    assert abs(np.degrees(recording.column("turned_rad")[-1]) + 30.0) <= 0.5


def test_the_wheel_stands_until_he_turns_and_while_he_lets_go(turned):
    _, recording = turned
    phase = recording.column("phase")[np.searchsorted(recording.t_s, PRESSED_S)]
    assert phase == 6.0
    assert abs(angle_deg(recording, PRESSED_S)) < 0.05
    assert angle_deg(recording, LET_GO_S[0]) < -3.0
    stood = angle_deg(recording, LET_GO_S[1]) - angle_deg(recording, LET_GO_S[0] + 0.7)
    assert abs(stood) < 0.1
    assert angle_deg(recording, LET_GO_S[1] + 0.5) < angle_deg(recording, LET_GO_S[1]) - 2.0

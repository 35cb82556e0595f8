"""A short motion, its emulated robot, and an ear at the robot's end of the line."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.run.bench import prepare_plan, run_arm
from sim.devices.arm.controller import ArmController
from sim.devices.arm.faults import parse_arm_words

PERIOD_S = 0.35
TABLE = {
    "station": "arm",
    "name": "rows",
    "space_arm": {"model": "b"},
    "mapping": {
        "start": {"position_m": [0.683, 0.075, 0.945], "oat_deg": [101.0, -29.0, 11.0]},
        "start_joints_deg": [20.0, 65.0, -175.0, 10.0, 50.0, 0.0],
    },
    "source": {
        "kind": "profile",
        "frame": "base",
        "segment": [{"duration_s": 5.0, "velocity_m_s": [0.0, 0.02, 0.03]}],
    },
}


@pytest.fixture(scope="module")
def prepared():
    return prepare_plan(arm_plan_from_table(json.loads(json.dumps(TABLE)), Path("rows.toml"), ()))


@dataclass
class Line:
    """What was heard at the robot's end: answers with their times, and the gripper's places."""

    answers: list[tuple[float, bytes]] = field(default_factory=list)
    places: list[tuple[float, np.ndarray]] = field(default_factory=list)
    robot: ArmController | None = None

    def clear(self):
        """Begin with another stream."""
        self.answers.clear()
        self.places.clear()

    @property
    def waypoints(self):
        """Different waypoints, in the order of their coming."""
        return list(dict.fromkeys(one for _, one in self.answers if not one.startswith(b"-1,")))

    def after(self, time_s):
        return [one for at_s, one in self.answers if at_s > time_s]

    @property
    def at_rest(self):
        """The gripper has not moved for the last second that was looked at."""
        last = [place for at_s, place in self.places if at_s > self.places[-1][0] - 1.0]
        return max(float(np.linalg.norm(place - last[-1])) for place in last) < 2e-5


@pytest.fixture
def line(monkeypatch):
    kept = Line()
    receive, advance = ArmController.receive, ArmController.advance

    def listen(self, data, now_s):
        kept.answers.append((now_s, data))
        return receive(self, data, now_s)

    def look(self, now_s):
        found = advance(self, now_s)
        kept.robot = self
        kept.places.append((now_s, self.gripper[0]))
        return found

    monkeypatch.setattr(ArmController, "receive", listen)
    monkeypatch.setattr(ArmController, "advance", look)
    return kept


def play(prepared, line, tmp_path, *faults):
    """The run, and then five seconds more of the robot alone."""
    found = run_arm(prepared, tmp_path, faults=tuple(parse_arm_words(f.split()) for f in faults))
    now_s = line.places[-1][0]
    for step in range(1, 501):
        line.robot.advance(now_s + 0.01 * step)
    return found

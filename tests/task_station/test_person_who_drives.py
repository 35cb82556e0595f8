"""A person who drives: what is set in the diagram, what is recorded; his scores."""

import math
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import find_file
from hil.desk.velocity.source import Twist
from hil.diagram.run.changer import changes_of
from hil.recording.reader import Recording
from hil.run.station import Request
from hil.stations.task.lead.driver import SHARES, Driver, shares_of
from hil.stations.task.lead.handles import handles
from hil.stations.task.lead.scores import (
    FILE_NAME,
    SCORES_MOST,
    DrivingScore,
    add_score,
    checked_name,
    read_scores,
    summarize_scores,
)
from hil.stations.task.plan.task_plan import load_task_plan
from hil.stations.task.run.runner import extension_of, plan_of, started
from hil.stations.world.run.session import run_world
from hil.stations.world.sources.jog_operators import SCREEN_M_S, SCREEN_RAD_S

SCENARIO = find_file("container", folder="scenarios", key="test")
KEYS = ("driver", {"kind": "keyboard"})


def twist(ahead=0.0, aside=0.0, about=0.0):
    linear, angular = np.array([ahead, aside, 0.0]), np.array([0.0, 0.0, about])
    return Twist(SCREEN_M_S * linear, SCREEN_RAD_S * angular, "gripper")


@given(*[st.floats(-1e6, 1e6)] * 3)
def test_shares_are_steps_within_their_limits_and_the_greater_turn_counts(ahead, aside, about):
    found = shares_of(twist(ahead, aside, about))
    assert all(abs(one) <= 1.0 and (SHARES * one).is_integer() for one in found)
    greater = aside if abs(aside) >= abs(about) else about
    assert abs(found[1] - min(max(greater, -1.0), 1.0)) <= 0.5 / SHARES + 1e-9
    assert shares_of(None) == (0.0, 0.0)


@dataclass
class Hands:
    """Keys that are held at some times, and a desk that is held at others."""

    run: object = None
    held_s: tuple = (0.5, 2.0)
    desk_s: tuple = (0.0, 1.5)
    end_s: float = math.inf
    speeds: dict = field(default_factory=dict)

    def now_s(self):
        return 0.0 if self.run is None else self.run.bench.world.time_s

    def sample(self, t_s):
        if t_s >= self.end_s:
            return None
        return twist(1.0) if self.held_s[0] <= t_s < self.held_s[1] else twist()

    def held(self):
        return self.desk_s[0] <= self.now_s() < self.desk_s[1]


class Watched(Driver):
    """A driver that notes the speed of the robot."""

    def __init__(self, hands, blocks):
        super().__init__(blocks, hands, hands.held, hands.now_s)
        self.hands = hands

    def act(self, run, tick):
        self.hands.run = run
        x, y = run.bench.world.robots[0].pose(0)[:2, 3]
        self.hands.speeds[tick.index] = (x, y)
        super().act(run, tick)


def driven(tmp_path, hands, time_s=3.0):
    changes = [("navigator", "manual"), KEYS, ("task.time_limit_s", time_s)]
    plan = started(load_task_plan(SCENARIO, changes))

    @contextmanager
    def opened(means, at_desk):
        yield Watched(hands, plan.task.led["manual"])

    extension = replace(extension_of(plan), driver=opened)
    return run_world(plan.world, tmp_path / "runs", extension=extension)


def way(hands, from_s, to_s):
    first, last = (hands.speeds[round(t_s / 0.002)] for t_s in (from_s, to_s))
    return math.dist(first, last)


def test_it_moves_while_keys_and_desk_are_held_and_all_of_it_is_recorded(tmp_path):
    hands = Hands()
    result = driven(tmp_path, hands)
    assert way(hands, 0.2, 0.5) < 5e-3
    assert way(hands, 0.8, 1.4) > 0.15
    assert way(hands, 2.3, 2.9) < 5e-3  # the desk was let go at 1.5 s, before the keys
    changes = changes_of(Recording.open(result.recorder.path))
    told = [(one.step, dict(one.change.set)) for one in changes if one.change.source == "driver"]
    ahead, pause = "navigator/drive/ahead.value", "pause.on"
    assert told == [(250, {ahead: 1.0}), (750, {pause: True, ahead: 0.0})]


def test_one_whose_device_ends_stops_the_task(tmp_path):
    result = driven(tmp_path, Hands(end_s=1.0, desk_s=(0.0, 9.0)))
    assert result.figures.ended == "failed"
    assert 1.0 <= result.observer.measures()["time_s"] < 2.9


def test_handles_are_taken_where_a_person_drives_and_nowhere_else():
    table = {"task": {"kind": "container"}, "navigator": "manual"}
    place = handles().place(table)
    assert place is not None
    assert place.override.startswith("driver={")
    place.remove()
    assert handles().place({**table, "navigator": "robust"}) is None
    assert handles().place({"task": {"kind": "container"}}) is None
    assert handles().place({**table, "diagram": {"file": "my.toml"}}) is None


def score(**more):
    values = {"name": "Anna", "run": "x", "scenario": "container", "seed": 7, "succeeded": True,
              "reason": "", "time_s": 60.0, "path_m": 9.0, "contacts": 0,
              "jerk_m_s3": 4.0}  # fmt: skip
    return DrivingScore(**{**values, **more})


def test_scores_of_a_person_in_a_world_are_summed_up_and_the_file_is_bounded(tmp_path):
    add_score(tmp_path, score(time_s=70.0))
    add_score(tmp_path, score(name="Bob", time_s=10.0))
    add_score(tmp_path, score(seed=8, time_s=20.0))
    add_score(tmp_path, score(succeeded=False, reason="collision", time_s=5.0))
    found = summarize_scores(add_score(tmp_path, score()))
    assert found == {"name": "Anna", "runs": 3, "succeeded": 2, "best_time_s": 60.0}
    path = tmp_path / FILE_NAME
    path.write_text(path.read_text() * (SCORES_MOST // 5 + 1))
    add_score(tmp_path, score(run="last"))
    kept = read_scores(path)
    assert len(kept) == SCORES_MOST
    assert kept[-1].run == "last"


@pytest.mark.parametrize("line", ["{}", "nothing", "[1]", '{"name": "Anna"}'])
def test_a_line_that_is_no_score_is_named_and_the_file_stays(tmp_path, line):
    path = tmp_path / FILE_NAME
    path.write_text(line + "\n")
    with pytest.raises(RefusedError, match="line 1: no score"):
        add_score(tmp_path, score())
    assert path.read_text() == line + "\n"


@pytest.mark.parametrize(
    "name",
    ["", "..", "../x", "a/b", "a\\b", ".x", "x.", " x", "a\nb", "a" * 41, "a:b", "~", "\x1b"],
)
def test_a_name_with_signs_of_paths_is_refused(name):
    with pytest.raises(ConfigError, match="--trainee"):
        checked_name(name)


def test_names_of_people_are_taken():
    for name in ("Anna", "Jean-Luc", "O'Neill", "Анна К", "Z", "team 2"):
        assert checked_name(name) == name


def test_a_score_needs_somebody_who_drives():
    request = Request(scenario=SCENARIO, options={"--trainee": "Anna"})
    with pytest.raises(ConfigError, match="nobody drives with navigator = 'robust'"):
        plan_of(request)
    led = {"--trainee": "Anna", "--navigator": "manual"}
    assert plan_of(replace(request, options=led)).is_led

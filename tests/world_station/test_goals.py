"""Goals of scenarios: judged by rows, the same live, in a proof and from the recording."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.recording.reader import Recording
from hil.recording.rows import dtype_of
from hil.recording.signals import Signal, Signals
from hil.stations.world.plan.goal import Goal
from hil.stations.world.report.goal_judge import GoalJudge
from hil.stations.world.report.goal_table import recorded_findings
from hil.stations.world.signals import HEAD, PLACE

FORCE = Signal("wrist_force_n", "f8", 3, "N", parts=("x", "y", "z"))
SIGNALS = Signals("world", (
    *HEAD, Signal("wanted_rad", "f8", 2, "rad", parts=("joint1", "joint2")),
    Signal("position_rad", "f8", 2, "rad", parts=("joint1", "joint2")), *PLACE, FORCE,
))  # fmt: skip


def hil(*words, status):
    told = CliRunner().invoke(app, [str(one) for one in (*words, "--json")])
    assert told.exit_code == status, (told.stdout, told.stderr, told.exception)
    return json.loads(told.stdout)


def rows(times_s, force_n=(0.0, 0.0, 20.0), tool_m=(0.0, 0.0, 0.0), off_rad=0.0):
    """Rows with these values, an array or one for all."""
    found = np.zeros(len(times_s), dtype_of(SIGNALS))
    found["t_s"] = times_s
    found["wrist_force_n"] = force_n
    found["tool_pose"][:, :3] = tool_m
    found["position_rad"] = off_rad
    return found


def judged(goal, *pieces):
    judge = GoalJudge(Goal.build(goal, "test"), SIGNALS)
    for piece in pieces:
        judge.take(piece)
    return judge.findings()


@given(st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=40), st.floats(-30.0, 30.0),
       st.floats(0.0, 20.0), st.integers(1, 7))  # fmt: skip
def test_a_band_is_met_if_all_values_are_within_however_rows_come(values, least, width, size):
    goal = {"signal": ({"signal": "wrist_force_n", "part": "z", "least": least,
                        "most": least + width},)}  # fmt: skip
    force = np.zeros((len(values), 3))
    force[:, 2] = values
    all_rows = rows(np.arange(len(values), dtype=float), force)
    pieces = [all_rows[at : at + size] for at in range(0, len(values), size)]
    (found,) = judged(goal, *pieces)
    assert found.met == all(least <= one <= least + width for one in values)
    if not found.met:
        outside = max(max(least - one, one - least - width) for one in values)
        assert max(least - found.value, found.value - least - width) == pytest.approx(outside)
        assert values[int(found.at_s)] == found.value


def test_the_length_is_judged_without_a_part_and_only_in_its_time():
    goal = {"signal": ({"signal": "wrist_force_n", "most": 5.5, "from_s": 1.0, "to_s": 2.0},)}
    early = rows([0.0, 3.0], (30.0, 40.0, 0.0))
    (found,) = judged(goal, rows([1.5], (3.0, 4.0, 0.0)), early)
    assert (found.met, found.value) == (True, 5.0)
    (found,) = judged(goal, early)
    assert not found.met


def test_a_number_that_is_none_is_outside():
    goal = {"signal": ({"signal": "wrist_force_n", "part": "z", "most": 5.0},)}
    assert not judged(goal, rows([0.0], (0.0, 0.0, float("nan"))))[0].met


def test_the_place_is_that_of_the_last_row_in_the_given_axes():
    goal = {"place": ({"of": "tool", "z_m": 0.5, "within_mm": 2.0, "miss": "jammed"},)}
    at_end = rows([0.0, 1.0], tool_m=[(0.0, 0.0, 9.0), (7.0, 7.0, 0.5015)])
    (found,) = judged(goal, at_end)
    assert (found.met, found.value) == (True, pytest.approx(1.5))
    (found,) = judged(goal, rows([0.0], tool_m=(0.0, 0.0, 0.54)))
    assert str(found) == "jammed: z of tool, off by 40 mm at t = 0.000 s, wanted within 2 mm"


def test_joints_and_path():
    goal = {"joints": {"within_deg": 1.0}, "path": {"within_mm": 5.0}}
    bent = rows([0.0, 1.0, 2.0], tool_m=[(0, 0, 0), (0.5, 0.004, 0), (1, 0, 0)], off_rad=0.01)
    joints, path = judged(goal, bent[:2], bent[2:])
    assert (joints.met, joints.value) == (True, pytest.approx(np.degrees(0.01)))
    assert (path.met, path.value) == (True, pytest.approx(4.0))
    joints, path = judged(goal, rows([0.0, 1.0, 2.0], off_rad=0.02,
                                     tool_m=[(0, 0, 0), (0.5, 0.006, 0), (1, 0, 0)]))  # fmt: skip
    assert not joints.met
    assert not path.met


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        ({"signal": ({"signal": "f"},)}, "least or most is needed"),
        ({"signal": ({"signal": "f", "least": 2.0, "most": 1.0},)}, "least, 2, is above most, 1"),
        ({"place": ({"within_mm": 1.0},)}, "one of x_m, y_m, z_m is needed"),
    ],
)
def test_what_is_no_goal_is_refused(goal, why):
    with pytest.raises(ConfigError, match=why):
        Goal.build(goal, "test")


def test_joint_move_meets_its_goal_and_its_recording_shows_it(tmp_path):
    found = hil("run", "joint_move", "--out", tmp_path, status=0)
    assert [one["met"] for one in found["goal"]] == [True, True]
    again = recorded_findings(Recording.open(tmp_path / found["recording"]))
    assert [(one.name, one.met, one.value) for one in again] == [
        (one["name"], one["met"], one["value"]) for one in found["goal"]
    ]


def test_a_peg_that_jams_says_so_and_exits_with_1(tmp_path):
    """With its first joint 0.64 deg further the peg stands on the block beside the hole."""
    shift = ("--set", "start.0.deg=-34.5")
    found = hil("run", "peg", *shift, "--out", tmp_path, status=1)
    assert (found["ended"], found["ok"]) == ("failed", False)
    assert found["reason"].startswith("goal jammed: z of tool, off by 44.8 mm at t = 7.000 s")
    place = next(one for one in found["goal"] if one["miss"] == "jammed")
    assert not place["met"]
    again = recorded_findings(Recording.open(tmp_path / found["recording"]))
    assert [(one.met, one.value) for one in again] == [
        (one["met"], one["value"]) for one in found["goal"]
    ]
    checked = hil("check", "peg", *shift, status=1)
    assert checked["reason"] == found["reason"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ('goal.signal=[{signal="wrist_forse_n", most=1.0}]', "goal.signal.0.signal = 'wrist_forse"),
        ('goal.place=[{of="ball", z_m=0.0, within_mm=1.0}]', "goal.place.0.of = 'ball': neither"),
        ('goal.signal=[{signal="effort_n_m", part="q", most=1.0}]', "goal.signal.0.part = 'q'"),
    ],
)
def test_a_goal_about_what_is_not_there_is_refused_before_anything_moves(change, why):
    told = CliRunner().invoke(app, ["check", "joint_move", "--set", change])
    assert told.exit_code in (1, 2)
    assert why in told.stderr

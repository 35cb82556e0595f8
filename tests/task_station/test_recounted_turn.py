"""Force and moment of a turn: those of the judge, and those that other code makes of its rows."""

import math
from pathlib import Path

import numpy as np
import pytest
from recounted_turns import moment_of_wheel, turn_of
from task_runs import told

from hil.recording.reader import Recording
from hil.report.recorded_run import RecordedRun
from hil.stations.task.report.turn_figure import arm_drives, stretches, turn
from hil.stations.task.report.turn_frames import frame_rows

COLUMNS = {"axis_force_n": 0.01, "axis_moment_n_m": 0.002, "force_error_n": 0.01,
           "moment_error_n_m": 0.002}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What a short turn without noise printed, and its recording."""
    found = told(
        "run", "valve", "--seed", "2", "--set", "task.angle_deg=-30", "--set",
        "task.period_ms=[10,10]", "--set", "task.force_noise_n=0", "--set",
        "task.moment_noise_nm=0", "--out", tmp_path_factory.mktemp("turn"), status=0,
    )  # fmt: skip
    return found, Recording.open(Path(found["recording"]).parent)


@pytest.fixture(scope="module")
def recounted(run):
    return turn_of(run[1])


def differences(recording, recounted, planted=None):
    """Greatest difference of each column in judged rows; values may be planted into one."""
    rows, found = recounted["judged"], {}
    for name in COLUMNS:
        column = np.array(recording.column(name)[: len(recounted[name])])
        if planted and planted[0] == name:
            column[rows[len(rows) // 2]] += planted[1]
        found[name] = np.abs(column - recounted[name])[rows].max()
    return found


def test_the_rows_of_the_judge_are_those_of_other_code(run, recounted):
    found = differences(run[1], recounted)
    assert {name: one <= COLUMNS[name] for name, one in found.items()} == dict.fromkeys(
        COLUMNS, True
    )


@pytest.mark.parametrize("name", COLUMNS)
def test_a_planted_value_is_seen(run, recounted, name):
    found = differences(run[1], recounted, (name, 3 * COLUMNS[name]))
    assert found[name] > COLUMNS[name]


def test_the_figures_are_those_of_other_code(run, recounted):
    summary, _ = run
    rows = recounted["judged"]
    assert summary["grasps"] == 1
    force_n, moment_nm = (recounted[name][rows].max() for name in ("force_error_n",
                                                                   "moment_error_n_m"))  # fmt: skip
    assert summary["force_error_n"] == pytest.approx(force_n, abs=0.01)
    assert summary["moment_error_nm"] == pytest.approx(moment_nm, abs=0.002)
    assert min(force_n, moment_nm) > 0.1


def test_the_moment_is_what_friction_and_damping_of_the_wheel_need(run):
    rows, needed = moment_of_wheel(run[1])
    assert len(rows) > 500
    off = np.abs(run[1].column("axis_moment_n_m")[rows] - needed)
    assert np.median(off) < 0.02
    assert np.quantile(off, 0.95) < 0.2


def test_a_recorded_turn_is_drawn_with_its_grasp(run):
    recording = run[1]
    page = RecordedRun(recording=recording, times=recording.t_s, phases=(), verdict=None, notes=())
    assert turn(page).png.startswith(b"\x89PNG")
    assert arm_drives(page) == [*range(7)]
    ((begin_s, end_s),) = stretches(recording.t_s, recording.column("grasp") == 2.0)
    assert 1.0 < end_s - begin_s < 10.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_frames_are_at_equal_steps_of_the_angle(side):
    turned = np.concatenate([np.zeros(50), np.linspace(0.0, 2.0, 401), np.full(50, 2.0)]) * side
    held = np.arange(len(turned)) >= 20
    rows = frame_rows(turned, held)
    assert rows[0] == 20
    assert turned[rows] == pytest.approx(side * np.linspace(0.0, 2.0, 8), abs=0.01)


@pytest.mark.parametrize("turned", [np.zeros(9), np.full(9, math.nan)])
def test_a_wheel_that_did_not_turn_has_no_frames(turned):
    assert len(frame_rows(turned, np.ones(9, bool))) < 2
    assert len(frame_rows(turned, np.zeros(9, bool))) == 0

"""A whole turn of the valve by its diagram, judged; the run is short, and shared."""

import pytest
from task_runs import told

FIGURES = ("angle_error_deg", "force_error_n", "moment_error_nm", "saturated_s", "slip_deg")


@pytest.fixture(scope="module", params=["tuned", "joint"])
def turn(request):
    words = ("check", "valve", "--seed", "2", "--set", "task.angle_deg=-30", "--navigator",
             request.param)  # fmt: skip
    return told(*words, "--set", "task.period_ms=[10,10]", status=0)


def test_the_valve_is_turned_in_one_grasp_and_let_go(turn):
    assert turn["succeeded"]
    assert turn["grasps"] == 1
    assert list(turn["phases"]) == ["wait", "reach", "touch", "back_off", "close", "turn",
                                    "settle", "release", "retreat", "done"]  # fmt: skip


def test_its_figures_keep_their_limits(turn):
    limits = dict(zip(FIGURES, (0.5, 20.0, 4.0, 0.2, 5.0), strict=True))
    assert {key: abs(turn[key]) <= most for key, most in limits.items()} == dict.fromkeys(
        FIGURES, True
    )
    assert turn["force_error_n"] > 0.0
    assert turn["contacts"] == 0

"""The slow test move: a sound machine passes, each way of wiring it wrongly is told."""

import dataclasses
import math
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import hil.bench
from drives.bank import BankReport
from hil.bench import run
from hil.commissioning import (
    FIRST_WAY_M,
    HOME_SWITCH,
    STEP_M,
    certificate_key,
    has_certificate,
    is_slow,
    judge_test_move,
    leg_test_motion,
    write_certificate,
)
from hil.machine import load_rig
from hil.recording.reader import Recording
from hil.scenario import plan_from_table
from hil.shipped import configs_dir

RIG_FILE = configs_dir() / "rigs" / "paper.toml"
RIG = load_rig(RIG_FILE)
UNHEARD = nullcontext(SimpleNamespace(asked=None))


def leg_test_plan(**motion):
    table = {
        "name": "leg_test",
        "rig": str(RIG_FILE),
        "rate_hz": 100.0,
        "motion": leg_test_motion(RIG) | motion,
    }
    return plan_from_table(table, Path("test"))


@pytest.fixture(scope="module")
def passed(tmp_path_factory) -> Recording:
    result = run(leg_test_plan(), tmp_path_factory.mktemp("runs"), stop=UNHEARD)
    assert result.ok
    return Recording.open(result.recorder.path)


def changed(recording: Recording, **columns) -> Recording:
    return dataclasses.replace(recording, columns={**recording.columns, **columns})


def faults_of(recording: Recording) -> dict[int, str]:
    return {t.leg: "; ".join(t.faults) for t in judge_test_move(recording) if t.faults}


def test_a_sound_machine_passes_with_a_way_of_its_own_for_each_leg(passed):
    tests = judge_test_move(passed)
    assert [test.leg for test in tests] == [1, 2, 3, 4, 5, 6]
    for test in tests:
        assert test.asked_m == pytest.approx(FIRST_WAY_M + (test.leg - 1) * STEP_M)
        assert test.measured_m == pytest.approx(test.asked_m, abs=1e-4)
        assert test.others_m < 1e-4
        assert test.switch_left is None  # the simulated bank reads no switches
        assert test.faults == ()


def test_two_legs_whose_feedback_is_swapped_are_told(passed):
    measured = passed.column("measured_length_m").copy()
    measured[:, [1, 4]] = measured[:, [4, 1]]
    told = faults_of(changed(passed, measured_length_m=measured))
    assert set(told) == {2, 5}
    assert "moved 0.00 mm instead of 6.00 mm" in told[2]
    assert "leg 5 stirred by 6.00 mm" in told[2]


@pytest.mark.parametrize("factor", [-1.0, 0.001, 1000.0, 1.2])
def test_a_wrong_sign_or_scale_is_told_for_that_leg_alone(passed, factor):
    measured = passed.column("measured_length_m").copy()
    reference = RIG.cylinders.reference_length_m[2]
    measured[:, 2] = reference + factor * (measured[:, 2] - reference)
    told = faults_of(changed(passed, measured_length_m=measured))
    assert set(told) == {3}
    assert "instead of 7.00 mm" in told[3]


def test_a_leg_that_stays_on_its_home_switch_went_the_wrong_way(passed):
    inputs = np.zeros_like(passed.column("measured_length_m"))
    assert faults_of(changed(passed, measured_inputs_bits=inputs)) == {}
    inputs[:, 3] = HOME_SWITCH
    told = faults_of(changed(passed, measured_inputs_bits=inputs))
    assert set(told) == {4}
    assert "still on its home switch" in told[4]


def test_a_platform_that_is_elsewhere_is_told(passed):
    pose = passed.column("reached_pose").copy()
    pose[:, 0] += 0.005
    told = faults_of(changed(passed, reached_pose=pose))
    assert set(told) == {1, 2, 3, 4, 5, 6}
    assert "5.0 mm" in told[1]


def test_measured_values_that_are_no_numbers_do_not_pass(passed):
    nothing = np.full_like(passed.column("measured_length_m"), math.nan)
    assert set(faults_of(changed(passed, measured_length_m=nothing))) == {1, 2, 3, 4, 5, 6}
    pose = np.full_like(passed.column("reached_pose"), math.nan)
    assert set(faults_of(changed(passed, reached_pose=pose))) == {1, 2, 3, 4, 5, 6}


def test_a_leg_without_room_outside_goes_inside():
    cylinders = RIG.cylinders.model_copy(update={"reference_length_m": (0.67,) * 5 + (1.37,)})
    rig = RIG.model_copy(update={"cylinders": cylinders})
    way = leg_test_motion(rig, (6,))["to"][0]["offsets_m"]
    assert way[5] < 0.0
    assert way[:5] == [0.0] * 5


REPORT = BankReport("drives", "slcan:x", False, ("axis",) * 6, tuple("abcdef"))


def test_a_certificate_holds_for_this_rig_and_these_drives_alone(passed, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert not has_certificate(RIG, REPORT)
    path = write_certificate(RIG, REPORT, judge_test_move(passed), witnessed=True, stamp="now")
    assert path.is_relative_to(tmp_path)
    assert has_certificate(RIG, REPORT)
    other_drives = dataclasses.replace(REPORT, identities=tuple("abcdeX"))
    assert not has_certificate(RIG, other_drives)
    turned = RIG.drives.model_copy(update={"sign": (1, 1, 1, 1, 1, -1)})
    assert not has_certificate(RIG.model_copy(update={"drives": turned}), REPORT)
    swapped = RIG.drives.canopen.model_copy(update={"node_ids": (2, 1, 3, 4, 5, 6)})
    rewired = RIG.drives.model_copy(update={"canopen": swapped})
    key = certificate_key(RIG.model_copy(update={"drives": rewired}), REPORT)
    assert key != certificate_key(RIG, REPORT)


@pytest.mark.parametrize("spoil", ["", "{}", '{"tests": []}'])
def test_a_certificate_that_proves_nothing_is_none(passed, tmp_path, monkeypatch, spoil):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    tests = judge_test_move(passed)
    path = write_certificate(RIG, REPORT, tests, witnessed=True, stamp="now")
    path.write_text(spoil)
    assert not has_certificate(RIG, REPORT)
    write_certificate(RIG, REPORT, tests, witnessed=False, stamp="now")
    assert not has_certificate(RIG, REPORT)
    bad = (dataclasses.replace(tests[0], faults=("moved",)), *tests[1:])
    write_certificate(RIG, REPORT, bad, witnessed=True, stamp="now")
    assert not has_certificate(RIG, REPORT)
    nobody = dataclasses.replace(REPORT, identities=("",) * 6)
    write_certificate(RIG, nobody, tests, witnessed=True, stamp="now")
    assert not has_certificate(RIG, nobody)


def test_what_is_slow_is_so_in_metres_per_second_too():
    plan = leg_test_plan()
    fast = plan.rig.slow_moves.model_copy(update={"speed_m_s": 1.0})
    rig = plan.rig.model_copy(update={"slow_moves": fast})
    assert not is_slow(plan.model_copy(update={"rig": rig}))


def test_legs_that_are_led_slowly_are_parked_as_slowly():
    share = leg_test_plan().scenario.motion.speed
    slow = hil.bench.machine_of(leg_test_plan()).slow_moves
    assert slow.speed_m_s == pytest.approx(RIG.slow_moves.speed_m_s * share)


def test_only_slow_leg_moves_may_go_without_a_certificate():
    assert is_slow(leg_test_plan())
    assert not is_slow(leg_test_plan(speed=0.5))

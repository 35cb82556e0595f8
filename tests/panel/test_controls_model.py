"""What the controls say to the desk, and when."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from hil.desk import messages as m
from hil.panel.models.controls import PROVED_WITHIN_S, ControlsModel
from hil.scenario import load_plan

CONFIGS = Path(__file__).parents[2] / "configs"
PLAN = load_plan(CONFIGS / "scenarios" / "demo.toml")


def controls(plan=PLAN):
    return ControlsModel(plan, itertools.count(1).__next__)


def kinds(messages):
    return [message.type for message in messages]


def test_at_first_nothing_is_said():
    model = controls()
    assert model.messages(0.0) == []
    assert model.target == pytest.approx(PLAN.rig.neutral.coordinates())


def test_a_drawn_slider_becomes_one_target_the_newest():
    model = controls()
    for value in (0.01, 0.02, 0.03):
        model.set_coordinate(0, value)
    (target,) = model.messages(0.0)
    assert isinstance(target, m.Target)
    assert target.pose == pytest.approx(model.target)
    assert target.pose[0] == 0.03
    assert model.messages(0.1) == []


def test_coordinates_end_at_the_limits_of_the_moment():
    model = controls()
    model.set_coordinate(2, 50.0)
    assert model.limits[2, 1] - 0.001 < model.target[2] <= model.limits[2, 1] < 2.0
    model.set_coordinate(2, -50.0)
    assert model.limits[2, 0] + 0.001 > model.target[2] >= model.limits[2, 0] > 0.0
    before = model.limits
    model.neutral()
    assert not np.array_equal(model.limits, before)


def test_keys_step_finely_and_coarsely():
    model = controls()
    begun = model.target
    model.step(0, 1)
    model.step(4, -1, coarse=True)
    moved = model.target - begun
    assert moved == pytest.approx([1e-3, 0, 0, 0, -np.radians(1.0), 0])


def test_the_tempo_stays_between_nothing_and_full():
    model = controls()
    model.set_override(1.0)
    assert model.messages(0.0) == []
    model.set_override(-3.0)
    model.set_override(7.0)
    model.set_override(0.4)
    (told,) = model.messages(0.0)
    assert (told.type, told.value) == ("override", 0.4)


def test_pose_is_pressed_only_when_the_target_shown_is_proved():
    model = controls()
    model.set_coordinate(0, 0.02)
    model.pose(0.0)
    (target,) = model.messages(0.0)
    assert target.type == "target"
    assert model.waiting_for_proof
    assert model.answered(m.Answer(id=target.id, ok=True)) == "target"
    assert kinds(model.messages(0.1)) == ["press"]
    model.pose(0.2)  # proved already
    (press,) = model.messages(0.2)
    assert (press.type, press.button) == ("press", "pose")


def test_pose_without_a_moved_slider_sends_its_target_too():
    model = controls()
    model.pose(0.0)
    assert kinds(model.messages(0.0)) == ["target"]


def test_a_refused_target_presses_nothing_and_says_why():
    model = controls()
    model.set_coordinate(0, 0.02)
    model.pose(0.0)
    (target,) = model.messages(0.0)
    model.answered(m.Answer(id=target.id, ok=False, error="target: leg 3: 1.4 m outside"))
    assert model.messages(0.1) == []
    assert model.error_of("target") == "target: leg 3: 1.4 m outside"
    assert not model.waiting_for_proof


def test_the_proof_of_an_older_target_is_no_proof_of_the_newer_one():
    model = controls()
    model.set_coordinate(0, 0.02)
    model.pose(0.0)
    (first,) = model.messages(0.0)
    model.set_coordinate(0, 0.03)
    model.answered(m.Answer(id=first.id, ok=True))
    (second,) = model.messages(0.03)
    assert second.type == "target"
    assert model.answered(m.Answer(id=first.id, ok=True)) is None
    model.answered(m.Answer(id=second.id, ok=True))
    assert kinds(model.messages(0.06)) == ["press"]


def test_a_press_that_waited_too_long_or_lost_its_hold_is_forgotten():
    model = controls()
    model.pose(0.0)
    (target,) = model.messages(0.0)
    assert model.messages(PROVED_WITHIN_S + 0.01) == []
    assert "not proved" in model.error_of("pose")
    model.answered(m.Answer(id=target.id, ok=True))
    assert model.messages(2.0) == []
    model.set_coordinate(1, 0.01)
    model.pose(3.0)
    (target,) = model.messages(3.0)
    model.play()
    model.forget_presses()
    model.answered(m.Answer(id=target.id, ok=True))
    assert model.messages(3.1) == []


def test_play_takes_the_place_of_a_pose_that_waits():
    model = controls()
    model.pose(0.0)
    (target,) = model.messages(0.0)
    model.play()
    (press,) = model.messages(0.1)
    assert press.button == "play"
    model.answered(m.Answer(id=target.id, ok=True))
    assert model.messages(0.2) == []


def test_a_motion_goes_as_one_change_and_its_answer_is_shown():
    model = controls()
    model.motion.edit(("motion", "terms", 0, "amplitude_m"), "0.02")
    model.motion.edit(("motion", "terms", 4, "frequency_hz"), "0.9")
    assert model.apply_motion()
    (motion,) = model.messages(0.0)
    assert isinstance(motion, m.Motion)
    assert motion.table["terms"][0]["amplitude_m"] == 0.02
    assert motion.table["terms"][4]["frequency_hz"] == 0.9
    assert m.from_client(motion.to_bytes()) == motion
    assert model.motion_pending
    model.answered(m.Answer(id=motion.id, ok=False, error="motion: leg 1 too fast"))
    assert (model.error_of("motion"), model.motion_pending) == ("motion: leg 1 too fast", False)
    assert model.motion.changed
    assert model.apply_motion()
    (motion,) = model.messages(0.1)
    model.answered(m.Answer(id=motion.id, ok=True))
    assert model.error_of("motion") == ""
    assert not model.motion.changed


def test_edits_after_the_wish_are_not_in_force():
    model = controls()
    model.motion.edit(("motion", "terms", 0, "amplitude_m"), "0.02")
    model.apply_motion()
    (motion,) = model.messages(0.0)
    model.motion.edit(("motion", "terms", 0, "amplitude_m"), "0.03")
    model.answered(m.Answer(id=motion.id, ok=True))
    assert model.motion.changed


def test_a_wrong_motion_is_not_sent_and_its_problem_is_at_its_field():
    model = controls()
    model.motion.edit(("motion", "terms", 2, "frequency_hz"), "-1")
    assert not model.apply_motion()
    assert model.messages(0.0) == []
    (problem,) = model.motion_problems()
    assert problem.place == ("motion", "terms", 2, "frequency_hz")


def test_only_sums_of_sines_change_while_they_run():
    model = controls(load_plan(CONFIGS / "scenarios" / "cabin_tour.toml"))
    assert not model.motion_live
    assert not model.apply_motion()


def test_answers_to_others_are_not_taken():
    model = controls()
    assert model.answered(m.Answer(id=77, ok=False, error="x")) is None

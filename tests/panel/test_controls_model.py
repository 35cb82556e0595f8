"""What the controls say to the desk, and when."""

import json
from pathlib import Path

import numpy as np
import pytest
from control_samples import controls_of

from hil.desk import messages as m
from hil.desk.operation import Operation, Refusal
from hil.panel.lead.models.controls import PROVED_WITHIN_S
from hil.panel.live.models.in_force import InForce
from hil.stations.platform.plan.scenario import MultiSineSettings, load_plan

CONFIGS = Path(__file__).parents[2] / "configs"
PLAN = load_plan(CONFIGS / "scenarios" / "demo.toml")


def controls(plan=PLAN, in_force=None):
    return controls_of(plan, in_force or InForce())


def answer(model, wish, error=""):
    """Say what a desk says of a wish: what is in force now, if it is done, and the answer."""
    if not error:
        heard = model.in_force
        match wish:
            case m.Target():
                heard.take_message(m.Wanted(override=heard.override, pose=wish.pose))
            case m.Override():
                heard.take_message(m.Wanted(override=wish.value, pose=heard.pose))
            case m.Motion():
                heard.take_message(m.NewMotion(serial=heard.newest + 1, table=in_full(wish.table)))
    return model.answered(m.Answer(id=wish.id, ok=not error, error=error))


def in_full(table):
    """A table as a proof gives it back, by way of a packet."""
    return json.loads(MultiSineSettings.build(table, "motion").model_dump_json())


def play(model, serial, **more):
    """Tell what control tells while it plays a motion."""
    model.in_force.take(Operation(motion_serial=serial, **more))
    model.messages(0.0)


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
    assert answer(model, target) == "target"
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
    answer(model, second)
    assert kinds(model.messages(0.06)) == ["press"]


def test_a_press_that_waited_too_long_or_lost_its_hold_is_forgotten():
    model = controls()
    model.pose(0.0)
    (target,) = model.messages(0.0)
    assert model.messages(PROVED_WITHIN_S + 0.01) == []
    assert "not proved" in model.error_of("pose")
    answer(model, target)
    assert model.messages(2.0) == []
    model.set_coordinate(1, 0.01)
    model.pose(3.0)
    (target,) = model.messages(3.0)
    model.play()
    model.disowned()
    answer(model, target)
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
    answer(model, motion)
    assert model.error_of("motion") == ""
    assert not model.motion.changed


def test_edits_after_the_wish_are_not_in_force():
    model = controls()
    model.motion.edit(("motion", "terms", 0, "amplitude_m"), "0.02")
    model.apply_motion()
    (motion,) = model.messages(0.0)
    model.motion.edit(("motion", "terms", 0, "amplitude_m"), "0.03")
    answer(model, motion)
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


# --- what is shown is what is in force ---------------------------------------------------------


def wanted(override=1.0, pose=None):
    return m.Wanted(override=override, pose=pose)


def test_a_new_owners_first_step_is_one_from_the_tempo_in_force():
    model = controls()
    model.in_force.take_message(wanted(0.3))
    assert (model.override, model.messages(0.0)) == (0.3, [])
    model.set_override(model.override - 0.05)
    (told,) = model.messages(0.0)
    assert told.value == pytest.approx(0.25)


def test_a_tempo_is_the_operators_until_the_desk_has_answered():
    model = controls()
    model.set_override(0.4)
    (first,) = model.messages(0.0)
    assert model.override == 0.4
    model.set_override(0.5)
    answer(model, first)
    assert model.override == 0.5
    (second,) = model.messages(0.0)
    answer(model, second, "you do not own the motion")
    assert (model.override, model.error_of("override")) == (0.4, "you do not own the motion")
    model.in_force.take_message(wanted(0.7))
    assert model.override == 0.7


def test_a_pose_that_was_ordered_is_shown_and_the_first_step_is_one_from_there():
    model = controls()
    ordered = tuple(float(x) for x in model.target + 0.01)
    model.in_force.take_message(wanted(pose=ordered))
    assert model.target == pytest.approx(ordered)
    model.step(0, 1)
    (target,) = model.messages(0.0)
    moved = np.array(target.pose) - ordered
    assert moved == pytest.approx([1e-3, 0, 0, 0, 0, 0])


def test_without_an_order_the_sliders_show_where_the_platform_rests():
    model = controls()
    stood = model.target + np.array([0.02, 0.0, -0.03, 0.0, 0.0, 0.05])
    model.take_rest_pose(stood)
    assert model.target == pytest.approx(stood)
    low, high = model.limits[2]
    assert low < stood[2] < high
    assert model.messages(0.0) == []
    model.take_rest_pose(np.full(6, np.nan))
    assert model.target == pytest.approx(stood)


def test_a_moved_slider_stays_where_it_was_moved_to():
    model = controls()
    model.step(0, 5)
    moved = model.target
    model.in_force.take_message(wanted(pose=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
    model.take_rest_pose(np.zeros(6))
    assert np.array_equal(model.target, moved)


def test_who_loses_the_motion_sees_what_is_in_force_and_wants_nothing():
    model = controls()
    model.in_force.take_message(wanted(0.3))
    model.set_override(0.8)
    model.step(0, 5)
    model.motion.edit(("motion", "duration_s"), "20")
    model.apply_motion()
    model.disowned()
    assert model.messages(0.0) == []
    assert (model.override, model.target[0]) == (0.3, 0.0)
    assert not model.motion_pending
    assert model.motion.changed  # what was typed is not lost


def test_a_pose_proved_for_a_desk_that_died_is_asked_for_anew():
    model = controls()
    model.step(0, 5)
    (target,) = model.messages(0.0)
    answer(model, target)
    model.disowned()
    model.in_force.take_message(wanted())  # the next desk
    model.step(0, 5)
    model.pose(1.0)
    assert kinds(model.messages(1.0)) == ["target"]


def test_the_form_says_nothing_of_force_until_it_was_told():
    model = controls()
    assert model.motion_in_force == "untold"
    play(model, 0)
    assert model.motion_in_force == "same"


def test_a_motion_is_in_force_once_control_plays_it():
    model = controls()
    play(model, 0)
    model.motion.edit(("motion", "duration_s"), "20")
    assert model.motion_in_force == "changed"
    model.apply_motion()
    (motion,) = model.messages(0.0)
    form = model.motion
    answer(model, motion)
    play(model, 0)
    assert model.motion_in_force == "proved"
    play(model, 0, refused=Refusal("the passage to it is not free: leg 2", serial=1))
    assert model.in_force.refused == "motion 1: the passage to it is not free: leg 2"
    play(model, 1)
    assert (model.motion_in_force, model.motion) == ("same", form)


def test_a_form_that_nobody_edited_follows_the_motion_in_force():
    model = controls()
    table = in_full(PLAN.scenario.motion.model_dump(exclude_unset=True) | {"duration_s": 7.0})
    model.in_force.take_message(m.NewMotion(serial=3, table=table))
    play(model, 3)
    assert model.motion_in_force == "same"
    assert model.motion.table["motion"]["duration_s"] == 7.0
    assert not model.motion.changed
    assert model.motion_problems() == ()


def test_an_edited_form_stays_and_never_says_that_it_is_in_force():
    model = controls()
    play(model, 0)
    model.motion.edit(("motion", "duration_s"), "20")
    table = in_full(PLAN.scenario.motion.model_dump(exclude_unset=True) | {"duration_s": 7.0})
    model.in_force.take_message(m.NewMotion(serial=1, table=table))
    play(model, 1)
    assert (model.motion.table["motion"]["duration_s"], model.motion_in_force) == (20, "changed")
    model.motion.undo()
    play(model, 1)
    assert (model.motion.table["motion"]["duration_s"], model.motion_in_force) == (7.0, "same")


def test_terms_that_this_panel_was_never_told_are_not_called_in_force():
    model = controls()
    model.in_force.take_message(m.NewMotion(serial=2, table=in_full(model.motion.table["motion"])))
    play(model, 1)
    assert model.motion_in_force == "unknown"

"""Sliders and buttons of the controls, and what they say."""

import pytest

pytest.importorskip("PySide6")

from control_samples import controls_of
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest

from hil.config.file_search import configs_dir
from hil.desk import messages as m
from hil.desk.operation import Operation, Refusal
from hil.panel.lead.controls_view import NOTCHES, ControlsView
from hil.panel.live.models.in_force import InForce
from hil.stations.platform.plan.scenario import load_plan

PLAN = load_plan(configs_dir() / "scenarios" / "demo.toml")


@pytest.fixture
def view(app):
    model = controls_of(PLAN, InForce())
    made = ControlsView(model, lambda: 0.0)
    made.resize(460, 640)
    made.show()
    made.set_owner(True)
    made.refresh()
    yield made
    made.form.close_checks()
    made.deleteLater()


def test_a_slider_spans_the_limits_of_the_moment(view):
    low, high = view._model.limits[0]
    view.sliders[0].setValue(NOTCHES * 3 // 4)
    assert view._model.target[0] == pytest.approx(low + 0.75 * (high - low))
    (target,) = view._model.messages(0.0)
    assert target.pose[0] == pytest.approx(view._model.target[0])


def test_keys_step_and_showing_moves_nothing(view):
    QTest.keyClick(view.sliders[1], Qt.Key.Key_Right)
    assert view._model.target[1] == pytest.approx(1e-3)
    QTest.keyClick(view.sliders[1], Qt.Key.Key_PageDown)
    assert view._model.target[1] == pytest.approx(-9e-3)
    view._model.messages(0.0)
    for _ in range(3):
        view.refresh()
    assert view._model.messages(0.0) == []


def test_tempo_by_keys(view):
    QTest.keyClick(view.tempo, Qt.Key.Key_Left)
    assert view._model.override == pytest.approx(0.95)


def test_space_presses_no_button(view):
    for button in view.buttons.values():
        assert button.focusPolicy() is Qt.FocusPolicy.NoFocus


def test_only_the_owner_can_press(view):
    view.set_owner(False)
    view.refresh()
    assert not any(one.isEnabled() for one in (*view.sliders, view.tempo, *view.buttons.values()))
    QTest.mouseClick(view.buttons["play"], Qt.MouseButton.LeftButton)
    assert view._model.messages(0.0) == []


def test_a_changed_motion_is_applied_as_one(view):
    view.form.tree.select(("motion", "duration_s"))
    view.form._edit(("motion", "duration_s"), "20", None)
    view.refresh()
    QTest.mouseClick(view.buttons["apply"], Qt.MouseButton.LeftButton)
    (motion,) = view._model.messages(0.0)
    assert motion.table["duration_s"] == 20


# --- what is shown is what is in force ---------------------------------------------------------


def operation(view, **more):
    view._model.in_force.take(Operation(**more))
    view._model.messages(0.0)
    view.refresh()


def test_a_tempo_that_was_told_is_shown_and_a_key_is_a_step_from_there(view):
    view._model.in_force.take_message(m.Wanted(override=0.3, pose=None))
    operation(view, override=0.64, playing="play")
    assert (view.tempo.value(), view._percent.text()) == (0.3 * NOTCHES, "30 %")
    assert view._now.text() == "now 64 %"
    operation(view, override=0.3, playing="play")
    assert view._now.text() == ""
    QTest.keyClick(view.tempo, Qt.Key.Key_Left)
    (told,) = view._model.messages(0.0)
    assert told.value == pytest.approx(0.25)


def test_a_wheel_turned_over_a_slider_moves_nothing(view, app):
    for slider in (view.tempo, view.sliders[0]):
        before = slider.value()
        middle = QPointF(slider.rect().center())
        turn = QWheelEvent(
            middle, slider.mapToGlobal(middle), QPoint(), QPoint(0, -120),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        app.sendEvent(slider, turn)
        assert slider.value() == before
    assert view._model.messages(0.0) == []


def test_the_form_says_how_it_stands_to_the_motion_in_force(view):
    def words():
        return view._motion_note.text()

    view.refresh()
    assert "not known yet" in words()
    operation(view)
    assert words() == "As in force"
    assert not view.buttons["apply"].isEnabled()
    view.form._edit(("motion", "duration_s"), "20", None)
    view.refresh()
    assert words() == "Changed, not in force"
    assert view.buttons["apply"].isEnabled()
    QTest.mouseClick(view.buttons["apply"], Qt.MouseButton.LeftButton)
    (motion,) = view._model.messages(0.0)
    view._model.in_force.take_message(m.NewMotion(serial=1, table=dict(motion.table)))
    view._model.answered(m.Answer(id=motion.id, ok=True))
    operation(view, refused=Refusal("the passage to it is not free: leg 2", serial=1))
    assert words().splitlines() == [
        "motion 1: the passage to it is not free: leg 2",
        "Proved as motion 1; in force is still motion 0",
    ]
    operation(view, motion_serial=1)
    assert words() == "As in force"
    operation(view, motion_serial=7)
    assert "Motion 7 is in force" in words()


def test_a_form_that_nobody_edited_shows_another_panels_motion(view):
    table = view._model.motion.table["motion"] | {"duration_s": 7.0}
    view._model.in_force.take_message(m.NewMotion(serial=1, table=table))
    operation(view, motion_serial=1)
    item = view.form.tree.items()["motion", "duration_s"]
    assert item.text(1) == "7.0"
    assert view._motion_note.text() == "As in force"


def test_what_control_refuses_is_said_beside_the_buttons(view):
    operation(view, refused=Refusal("leg 3: length 1.4 m, limit 1.375 m", "pose"))
    assert view._error.text() == "POSE: leg 3: length 1.4 m, limit 1.375 m"
    operation(view, refused=Refusal("not now", "home"))
    assert view._error.text() == ""

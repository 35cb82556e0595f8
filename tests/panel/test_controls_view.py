"""Sliders and buttons of the controls, and what they say."""

import itertools

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from hil.panel.controls_view import NOTCHES, ControlsView
from hil.panel.models.controls import ControlsModel
from hil.panel.models.in_force import InForce
from hil.scenario import load_plan
from hil.shipped import configs_dir

PLAN = load_plan(configs_dir() / "scenarios" / "demo.toml")


@pytest.fixture
def view(app):
    model = ControlsModel(PLAN, itertools.count(1).__next__, InForce())
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

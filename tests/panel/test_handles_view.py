"""Handles: pressed moves, let go stops, and so does whatever takes the keyboard away."""

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from hil.desk.velocity.gamepad import HandleShape
from hil.panel.lead.handles_view import HandlesView
from hil.panel.lead.models.handles import HandlesModel
from hil.run.lead import Handles
from hil.stations.arm.lead import handles as lead

SHAPE = HandleShape(0.05, 0.2)
HANDLES = Handles(
    velocity=lambda deflections: SHAPE.twist(deflections, "gripper"),
    gamepad=lead.handles().gamepad,
    place=lambda scenario: None,
)


class Listener:
    connected = True

    def __init__(self):
        self.heard = []

    def send(self, twist):
        self.heard.append(twist)
        return True


@pytest.fixture
def view(app):
    made = HandlesView(HandlesModel(HANDLES), Listener(), lambda: 0.0)
    made.resize(460, 360)
    made.show()
    yield made
    made.deleteLater()


def wanted(view):
    view.refresh()
    return view.writer.heard[-1]


def test_a_key_moves_while_it_is_pressed(view):
    QTest.keyPress(view, Qt.Key.Key_W)
    assert wanted(view).linear_m_s[0] == pytest.approx(0.05)
    QTest.keyRelease(view, Qt.Key.Key_W)
    assert wanted(view).at_rest


DOWN, UP = QEvent.Type.KeyPress, QEvent.Type.KeyRelease
W_PLACE, Q_PLACE, L_PLACE = 25, 24, 46
"""Of the keys that bear these letters on an English keyboard, as X11 counts them."""
TSE = 0x426
"""Of the Russian letter on the same key as W."""


def key(view, kind, name, character="", place=0):
    plain = Qt.KeyboardModifier.NoModifier
    event = QKeyEvent(kind, name, plain, place, 0, 0, character)
    QApplication.sendEvent(view, event)
    return event.isAccepted()


@pytest.mark.parametrize("place", [W_PLACE, 0], ids=["place known", "place not known"])
def test_a_key_that_comes_up_under_another_layout_is_let_go(view, place):
    key(view, DOWN, Qt.Key.Key_W, "w", place)
    assert wanted(view).linear_m_s[0] == pytest.approx(0.05)
    key(view, UP, TSE, "ц", place)
    assert wanted(view).at_rest


def test_the_other_keys_stay_down_when_one_comes_up_under_another_layout(view):
    key(view, DOWN, Qt.Key.Key_W, "w", W_PLACE)
    key(view, DOWN, Qt.Key.Key_L, "l", L_PLACE)
    key(view, UP, TSE, "ц", W_PLACE)
    assert not wanted(view).linear_m_s.any()
    assert wanted(view).angular_rad_s == pytest.approx([0, 0, -0.2])


def test_keys_move_under_a_russian_layout_by_their_places(view):
    assert key(view, DOWN, TSE, "ц", W_PLACE)
    assert wanted(view).linear_m_s == pytest.approx([0.05, 0, 0])
    key(view, UP, Qt.Key.Key_W, "w", W_PLACE)
    assert wanted(view).at_rest


def test_under_a_french_layout_the_key_with_the_letter_counts_not_its_place(view):
    assert key(view, DOWN, Qt.Key.Key_A, "a", Q_PLACE)
    assert wanted(view).linear_m_s == pytest.approx([0, 0.05, 0])
    key(view, UP, Qt.Key.Key_A, "a", Q_PLACE)
    assert not key(view, DOWN, Qt.Key.Key_Z, "z", W_PLACE)
    assert wanted(view).at_rest


def test_a_release_of_something_unknown_lets_go_of_all_keys(view):
    key(view, DOWN, Qt.Key.Key_W, "w", W_PLACE)
    key(view, UP, Qt.Key.Key_F9, "", 75)
    assert wanted(view).at_rest


@pytest.mark.parametrize("modifier", ["ControlModifier", "AltModifier", "MetaModifier"])
def test_a_letter_of_a_shortcut_moves_nothing_and_shift_is_none(view, modifier):
    QTest.keyPress(view, Qt.Key.Key_S, Qt.KeyboardModifier[modifier])
    assert wanted(view).at_rest
    QTest.keyRelease(view, Qt.Key.Key_S, Qt.KeyboardModifier[modifier])
    QTest.keyPress(view, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    assert not wanted(view).at_rest


def test_repeats_of_a_held_key_change_nothing(view):
    key(view, DOWN, Qt.Key.Key_W, "w", W_PLACE)
    for kind in (UP, DOWN):
        repeat = QKeyEvent(
            kind, Qt.Key.Key_W, Qt.KeyboardModifier.NoModifier, W_PLACE, 0, 0, "w", True
        )
        QApplication.sendEvent(view, repeat)
        assert not wanted(view).at_rest


def test_a_pad_moves_while_it_is_drawn(view):
    pad = view.pads[0]
    side = int(pad._square())
    QTest.mousePress(pad, Qt.MouseButton.LeftButton, pos=QPoint(side // 2, 2))
    assert wanted(view).linear_m_s[0] > 0.04
    QTest.mouseRelease(pad, Qt.MouseButton.LeftButton, pos=QPoint(side // 2, 2))
    assert wanted(view).at_rest


def draw(pad, kind, at):
    left = Qt.MouseButton.LeftButton
    plain = Qt.KeyboardModifier.NoModifier
    there = QPointF(*at)
    QApplication.sendEvent(pad, QMouseEvent(kind, there, pad.mapToGlobal(there), left, left, plain))


def test_a_pad_that_was_let_go_of_under_the_mouse_is_drawn_only_by_a_new_press(view):
    pad, side = view.pads[0], int(view.pads[0]._square())
    press, move = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove
    draw(pad, press, (side // 2, 2))
    draw(pad, move, (side // 2, 4))
    assert not wanted(view).at_rest
    view.focusOutEvent(QFocusEvent(QFocusEvent.Type.FocusOut))
    draw(pad, move, (side // 2, 2))
    assert wanted(view).at_rest
    draw(pad, press, (side // 2, 2))
    assert not wanted(view).at_rest


@pytest.mark.parametrize("how", ["focus", "hide"])
def test_without_keyboard_or_window_everything_is_let_go(view, how):
    QTest.keyPress(view, Qt.Key.Key_W)
    view._model.pad(4, 1.0)
    assert not wanted(view).at_rest
    if how == "hide":
        view.hide()
    else:
        view.focusOutEvent(QFocusEvent(QFocusEvent.Type.FocusOut))
    assert wanted(view).at_rest


def test_hidden_it_still_says_zero(view):
    view.hide()
    before = len(view.writer.heard)
    view.refresh()
    assert len(view.writer.heard) == before + 1

"""Handles: pressed moves, let go stops, and so does whatever takes the keyboard away."""

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest

from hil.arm_sources.gamepad import HandleShape
from hil.panel.handles_view import HandlesView
from hil.panel.models.handles import HandlesModel


class Listener:
    connected = True

    def __init__(self):
        self.heard = []

    def send(self, twist):
        self.heard.append(twist)
        return True


@pytest.fixture
def view(app):
    made = HandlesView(HandlesModel(HandleShape(0.05, 0.2)), Listener(), lambda: 0.0)
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


def test_a_pad_moves_while_it_is_drawn(view):
    pad = view.pads[0]
    side = int(pad._square())
    QTest.mousePress(pad, Qt.MouseButton.LeftButton, pos=QPoint(side // 2, 2))
    assert wanted(view).linear_m_s[0] > 0.04
    QTest.mouseRelease(pad, Qt.MouseButton.LeftButton, pos=QPoint(side // 2, 2))
    assert wanted(view).at_rest


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

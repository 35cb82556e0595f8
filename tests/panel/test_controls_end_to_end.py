"""A person leads a real bench by its controls: sliders, buttons and form, by mouse and keys."""

import sys

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionSlider
from window_bench import NOW_S, TAKE, Operator, makers, scenario_text

from hil.panel.lead.controls_view import NOTCHES
from hil.panel.live.models.feed import column

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="the real clock is for Linux"),
]
LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
HEAVING = {
    "duration_s": 20.0,
    "fade_s": 0.5,
    "terms": [{"axis": "z", "amplitude_m": 0.02, "frequency_hz": 0.8}],
}
AMPLITUDE = ("motion", "terms", 0, "amplitude_m")


@pytest.fixture
def begin(app, tmp_path):
    """Begin a bench and windows; whatever was begun is ended."""
    with makers(app, tmp_path, Hand, seen=("controls",)) as made:
        yield made


def handle_of(slider):
    """Where the handle of a slider is."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part, style = QStyle.SubControl.SC_SliderHandle, QStyle.ComplexControl.CC_Slider
    return slider.style().subControlRect(style, option, part, slider)


def place_in(slider, share):
    """Where the middle of the handle is at a share of its way."""
    handle = handle_of(slider)
    x = handle.width() / 2 + share * (slider.width() - handle.width())
    return QPoint(round(x), handle.center().y())


class Hand(Operator):
    """An operator at the controls, who sees where control wants the platform."""

    def watch(self, path, **more):
        """Connect, and keep the poses of all frames from now on."""
        super().watch(path, **more)
        self.poses, taken = [], self.dock.take
        wanted = column(self.window.session.facts.signals, "wanted_pose")

        def take(turn):
            self.poses += list(turn.batch.rows[:, wanted])
            taken(turn)

        self.dock.take = take

    @property
    def dock(self):
        """The controls' dock."""
        return self.window.views["controls"]

    @property
    def view(self):
        """Sliders, buttons and form."""
        assert self.dock.view is not None, self.dock._none.text()
        return self.dock.view

    @property
    def target(self):
        """What the sliders show [m, rad]."""
        return self.dock.model.target

    @property
    def in_force(self):
        """What the bench was told."""
        return self.window.session.in_force

    def click(self, button):
        """Click a button, once it can be clicked."""
        self.until(self.view.buttons[button].isEnabled)
        QTest.mouseClick(self.view.buttons[button], LEFT)

    def tap(self, slider, key):
        """Press a key with a slider in focus."""
        slider.setFocus()
        QTest.keyClick(slider, key)

    def drag(self, slider, share):
        """Drag a slider's handle to a share of its way; again if it moved with its window."""
        self.until(lambda: slider.isEnabled() and slider.isVisible())
        for _ in range(5):
            handle = handle_of(slider)
            QTest.mousePress(slider, LEFT, pos=handle.center())
            for part in np.linspace(slider.value() / NOTCHES, share, 6):
                QTest.mouseMove(slider, place_in(slider, part))
                self.turn()
            QTest.mouseRelease(slider, LEFT, pos=place_in(slider, share))
            self.turn()
            if abs(slider.value() / NOTCHES - share) < 0.02:
                return
        raise AssertionError(f"{slider.value()} of {NOTCHES}; {slider.geometry()}")

    def type_in(self, place, words):
        """Type a value into a line of the form."""
        tree = self.view.form.tree
        item = tree.items()[place]
        tree.scrollToItem(item)
        middle = tree.visualItemRect(item).center()
        spot = QPoint(tree.columnViewportPosition(1) + 20, middle.y())
        QTest.mouseClick(tree.viewport(), LEFT, pos=spot)
        self.until(lambda: tree.findChild(QLineEdit) is not None)
        line = tree.findChild(QLineEdit)
        line.selectAll()
        QTest.keyClicks(line, words)
        QTest.keyClick(line, KEY.Key_Return)
        self.until(lambda: tree.findChild(QLineEdit) is None)

    def apply(self, words):
        """Type another amplitude, click Apply, and await the words that are said of it."""
        self.type_in(AMPLITUDE, words)
        self.click("apply")
        self.until(lambda: not self.dock.model.motion_pending)
        self.window.docks.show("controls")
        self.view.refresh()
        return self.view._motion_note.text()

    def rests_at(self, pose):
        """Whether control wants the platform there, and nothing else."""
        return bool(self.poses) and np.allclose(self.poses[-1], pose, atol=1e-6)

    def come_to_rest(self):
        """Engage, until the platform rests where the sliders are."""
        while not (self.model.mode == "ENGAGED" and self.rests_at(self.target)):
            self.engage()
            end_s = NOW_S() + 3.0
            self.until(lambda: self.rests_at(self.target) or NOW_S() > end_s)  # noqa: B023

    def go(self):
        """Click Go to pose, again where a stall of the machine has let go, until it is there."""
        while not self.rests_at(self.target):
            self.engage()
            self.click("pose")
            end_s = NOW_S() + 3.0
            self.until(lambda: self.rests_at(self.target) or NOW_S() > end_s)  # noqa: B023
        assert self.model.operation.playing == "pose"

    def play_by_click(self):
        """Click Play motion, again where a stall of the machine has let go, until it is played."""
        while self.model.operation.motion_t_s <= 0.2:
            self.engage()
            self.click("play")
            end_s = NOW_S() + 3.0
            self.until(lambda: self.model.operation.motion_t_s > 0.2 or NOW_S() > end_s)  # noqa: B023


def test_every_control_does_what_it_says(begin):
    make_bench, make_operator = begin
    bench, operator = make_bench(scenario_text(HEAVING)), make_operator()
    operator.watch(bench.socket, take=True)
    operator.until(lambda: operator.model.you_own and operator.model.mode is not None)
    view = operator.view

    operator.drag(view.tempo, 0.5)
    operator.until(lambda: abs(operator.in_force.override - 0.5) < 0.02)
    tempo = operator.in_force.override
    operator.until(lambda: view._percent.text() == f"{100 * tempo:.0f} %")

    operator.come_to_rest()
    rested = operator.target
    operator.tap(view.sliders[0], KEY.Key_PageUp)
    operator.tap(view.sliders[0], KEY.Key_Right)
    assert operator.target - rested == pytest.approx([0.011, 0, 0, 0, 0, 0])
    assert not operator.model.target_given
    operator.go()
    assert operator.model.target_given
    operator.drag(view.sliders[2], 0.45)  # a pose that is gone to is followed
    assert abs(operator.target[2] - rested[2]) > 0.005
    operator.go()

    operator.play_by_click()
    operator.until(lambda: operator.in_force.tempo == tempo or operator.model.mode != "ENGAGED")
    assert "leg" in operator.apply("0.9")
    assert operator.in_force.newest == 0
    operator.apply("0.05")
    operator.until(lambda: operator.in_force.serial == 1)
    operator.until(lambda: view._motion_note.text() == "As in force")
    steps = np.abs(np.diff(np.array(operator.poses), axis=0))
    assert np.nanmax(steps[:, :3]) < 0.01

    hand_over(operator, make_operator("next"), bench)


def hand_over(operator, other, bench):
    """Another panel sees what is in force, and its first step is one from there."""
    tempo = operator.in_force.override
    other.watch(bench.socket)
    other.until(lambda: other.in_force.serial == 1 and other.model.mode is not None)
    assert other.in_force.override == tempo
    other.view.refresh()
    assert other.dock.model.motion.node(AMPLITUDE).value == 0.05
    assert other.view._motion_note.text() == "As in force"
    operator.window.shut()
    other.until(lambda: other.model.may_take)
    other.press(TAKE)
    other.until(other.view.tempo.isEnabled)
    other.tap(other.view.tempo, KEY.Key_Left)
    other.until(lambda: other.in_force.override != tempo)
    assert other.in_force.override == pytest.approx(tempo - 0.05)
    bench.process.kill()  # how a run ends is not looked at here, and takes its time
    bench.process.communicate()

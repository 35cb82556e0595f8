"""The window by keys, mouse and events, before a desk without a bench behind it."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

pytest.importorskip("PySide6.QtWidgets")

from bench_plans import plan
from PySide6.QtCore import QEvent, QPoint, QSettings, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTabBar
from row_samples import PLATFORM, CycleFrame

from hil.config.file_search import find_file
from hil.desk import messages as m
from hil.desk.client import DeskClient, DeskRefusedError
from hil.desk.operation import OPERATION_KIND, Operation
from hil.desk.order import DEAD_MAN_S, Button
from hil.desk.process import DeskProcess
from hil.desk.run_end import EndCause, EndStep, RunEnd
from hil.panel.lead.models.handles import KEYS
from hil.panel.live.models.bench_link import Link
from hil.panel.live.models.bench_stop import SILENT_S
from hil.panel.shell.models.start_view import StartView
from hil.panel.shell.shortcuts import SHORTCUTS, Where, help_html
from hil.panel.shell.window import MainWindow
from hil.recording.events import ROWS
from hil.recording.header import RunHeader
from hil.timing.realtime import RealClock
from safety.modes import Mode

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.skipif(sys.platform != "linux", reason="desks are Linux's"),
]
NOW_S = RealClock().now_s
Key = Qt.Key
HEADER = RunHeader(
    PLATFORM,
    {"scenario": "test", "drives": "SIMULATED paper (sim:)"},
    plan().model_dump(mode="json"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("desk") / "hil-bench"


@pytest.fixture(scope="module")
def desk(place):
    """One for all tests that leave it as it was; those that end theirs have their own."""
    with DeskProcess(HEADER, 0.01, station="platform", place=place) as process:
        yield process


@pytest.fixture
def make(app, tmp_path):
    """Windows; all are shut at the end."""
    made = []

    def window(name="panel", settings=None):
        settings = settings or QSettings(str(tmp_path / f"{name}.ini"), QSettings.Format.IniFormat)
        made.append(MainWindow(settings, NOW_S, name))
        made[-1].resize(QSize(1366, 768))
        made[-1].show()
        return made[-1]

    yield window
    for one in made:
        one.shut()
        one.deleteLater()
    app.processEvents()


@pytest.fixture
def until(app):
    """Let Qt work until a condition holds."""

    def waiting(condition, time_s=10.0):
        end_s = NOW_S() + time_s
        while not condition():
            assert NOW_S() < end_s
            app.processEvents()
            app.thread().msleep(1)

    return waiting


class Slot:
    """What control reads, and what was pressed since."""

    def __init__(self, desk):
        self._slot = desk.slot
        self._last = None
        self._before = self.order.presses

    @property
    def order(self):
        self._last = self._slot.read() or self._last
        return self._last

    def pressed(self, button):
        return self.order.pressed(button) - self._before[tuple(Button).index(button)]


@pytest.fixture
def owned(desk, make, until):
    """A window that owns the desk's motion, and what control reads."""
    window = make()
    assert window.connect_to(desk.path, take=True)
    until(lambda: window.session.owns)
    return window, Slot(desk)


def tell(desk, mode=Mode.IDLE, t_s=1.0):
    """A frame as control pushes it."""
    frame = CycleFrame(100, t_s, 0.01, 0.0, 0.0, tuple(Mode).index(mode), 0)
    desk.telemetry.push(ROWS, frame.to_bytes())


def hold_twice(window, until, slot):
    """Press the space bar; on a machine that stalled, again."""
    for _ in range(5):
        QTest.keyPress(window, Key.Key_Space)
        end_s = NOW_S() + 0.5
        until(lambda: slot.order.held or NOW_S() > end_s)  # noqa: B023
        if slot.order.held:
            return
        QTest.keyRelease(window, Key.Key_Space)
        end_s = NOW_S() + 0.1
        until(lambda: NOW_S() > end_s)  # noqa: B023
    raise AssertionError("never held")


def test_a_panel_that_was_too_busy_says_why_hold_to_run_was_let_go(app, owned, until):
    window, slot = owned
    hold_twice(window, until, slot)
    app.thread().msleep(round(1.5e3 * DEAD_MAN_S))  # as long as a picture may take somewhere
    until(lambda: "sign of life was late" in window.statusBar().currentMessage())
    until(lambda: not slot.order.held)
    QTest.keyRelease(window, Key.Key_Space)


def test_no_two_keys_collide_and_all_are_explained():
    heard = {where: [] for where in Where}
    for entry in SHORTCUTS:
        assert entry.what
        for sequence in entry.sequences:
            assert not sequence.isEmpty(), entry.keys
            heard[entry.where].append(sequence.toString())
    for where, keys in heard.items():
        assert len(set(keys)) == len(keys), where
        if where is not Where.EVERYWHERE:
            # What is heard everywhere is heard first; only Space is handed on by who owns nothing.
            assert set(keys) & set(heard[Where.EVERYWHERE]) <= {"Space"}
    assert set(KEYS) == set(heard[Where.HANDLES])
    page = help_html()
    assert all(entry.what in page for entry in SHORTCUTS)


@pytest.mark.parametrize("spoil", ["text", "bytes", "file", "old"])
def test_a_spoilt_layout_is_left_alone(make, tmp_path, spoil, until):
    file = tmp_path / "spoilt.ini"
    if spoil == "file":
        file.write_bytes(bytes(range(256)) * 20)
    settings = QSettings(str(file), QSettings.Format.IniFormat)
    if spoil != "file":
        value = {"text": "rubbish", "bytes": b"\x00\x01rubbish", "old": 17}[spoil]
        for key in ("geometry", "docks", "theme"):
            settings.setValue(f"window/{key}", value)
    window = make(settings=settings)
    until(lambda: window.docks.visible("scene") and window.docks.visible("scope"))
    assert all(not dock.isFloating() for dock in window.docks.of.values())


def test_a_layout_is_found_again_and_can_be_put_back(make, tmp_path, until):
    settings = QSettings(str(tmp_path / "kept.ini"), QSettings.Format.IniFormat)
    first = make(settings=settings)
    first.docks.of["scope"].setFloating(True)
    first.docks.of["margins"].hide()
    first.appearance.use("dark")
    first.shut()
    second = make(settings=settings)
    until(lambda: second.docks.of["scope"].isFloating())
    assert second.docks.of["margins"].isHidden()
    assert second.theme.name == "dark"
    second.docks.reset()
    assert not second.docks.of["scope"].isFloating()
    assert not second.docks.of["margins"].isHidden()


def test_every_tab_is_there_once_and_all_fits_a_small_screen(make, desk, until):
    window = make()
    window.connect_to(desk.path)
    until(lambda: window.views.complete)
    for _ in range(3):
        window.docks.reset()
        QApplication.processEvents()
        bars = [bar for bar in window.findChildren(QTabBar) if bar.parent() is window]
        tabs = [bar.tabText(n) for bar in bars if bar.isVisible() for n in range(bar.count())]
        assert len(set(tabs)) == len(tabs) > 5
    assert window.minimumSizeHint().width() <= 1366
    assert window.minimumSizeHint().height() <= 768
    for dock in window.docks.of.values():
        dock.raise_()
        QApplication.processEvents()
        assert window.height() <= 768
        assert window.width() <= 1366


def test_space_is_heard_before_any_widget_and_only_while_it_is_down(owned, until):
    window, slot = owned
    hold_twice(window, until, slot)
    repeat = QKeyEvent(
        QEvent.Type.KeyRelease, Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ", True
    )
    QApplication.sendEvent(window, repeat)
    for _ in range(5):
        QApplication.processEvents()
    assert window.session.bench.held
    QTest.keyRelease(window, Key.Key_Space)
    until(lambda: not slot.order.held)
    button = window.strip.state.buttons[Button.HOME]
    button.setFocus()
    QTest.keyClick(button, Key.Key_Space)
    assert slot.pressed(Button.HOME) == 0


@pytest.mark.parametrize("how", ["left", "minimised", "locked"])
def test_a_window_that_is_left_lets_go(owned, until, how):
    window, slot = owned
    hold_twice(window, until, slot)
    match how:
        case "left":
            QApplication.sendEvent(window, QEvent(QEvent.Type.WindowDeactivate))
        case "minimised":
            window.showMinimized()
        case _:
            window.screen_lock.active_changed(False)
            assert window.session.bench.held
            window.screen_lock.active_changed(True)
    until(lambda: not slot.order.held)
    assert not window.session.bench.held


def test_escape_stops_from_any_field_and_from_one_who_only_watches(owned, make, desk, until):
    window, slot = owned
    QTest.keyClick(window, Key.Key_Escape)
    until(lambda: slot.pressed(Button.HOLD) == 1)
    watcher = make("watcher")
    watcher.connect_to(desk.path)
    field = QLineEdit(watcher)
    field.show()
    field.setFocus()
    window.hide()
    QTest.keyClick(field, Key.Key_Escape)
    until(lambda: slot.pressed(Button.HOLD) >= 2)


def test_signs_of_life_come_from_the_turn_that_draws(owned, until):
    window, slot = owned
    first_s = slot.order.stamp_s
    until(lambda: slot.order.stamp_s > first_s)
    window.turns.timer.stop()
    QApplication.processEvents()
    end_s = NOW_S() + 0.1
    until(lambda: NOW_S() > end_s)
    last_s = slot.order.stamp_s
    end_s = NOW_S() + 0.2
    until(lambda: NOW_S() > end_s)
    assert slot.order.stamp_s == last_s
    window.turns.timer.start()
    until(lambda: slot.order.stamp_s > last_s)


def test_a_fault_of_its_own_lets_go_stops_and_is_told(owned, until, monkeypatch):
    window, slot = owned
    hold_twice(window, until, slot)

    def broken():
        raise ZeroDivisionError("a view")

    monkeypatch.setattr(window.views["scope"], "refresh", broken)
    with pytest.raises(ZeroDivisionError):
        window.turns.turn()
    monkeypatch.undo()
    until(lambda: slot.pressed(Button.HOLD) == 1 and not window.session.owns)
    assert not window.session.bench.held
    assert "ZeroDivisionError: a view" in window.statusBar().currentMessage()
    assert window.strip.fault_words.isVisible()


def test_a_fault_that_lasts_stops_once_and_another_panel_can_lead(
    owned, desk, until, monkeypatch, capsys
):
    window, slot = owned
    until(lambda: window.views.complete)
    monkeypatch.setattr(sys, "excepthook", lambda *fault: window.fail(fault[1]))
    faults = []

    def broken():
        faults.append(1)
        raise ZeroDivisionError("a view")

    monkeypatch.setattr(window.views["timeline"], "tick", broken)
    until(lambda: not window.session.owns)
    other = DeskClient.connect(desk.path, "other")
    other.send(m.Take(id=other.next_id()))
    until(lambda: slot.order.owner == "other")
    seen = len(faults)
    until(lambda: len(faults) > seen + 10)
    assert slot.order.owner == "other"
    assert slot.pressed(Button.HOLD) == 1, "its own motion once, that of others never"
    monkeypatch.undo()
    other.close()


def test_views_are_made_one_by_one_and_all_before_the_motion_is_taken(make, desk, until):
    window = make()
    assert not window.views.made
    assert window.connect_to(desk.path)
    tell(desk, Mode.IDLE, 1.0)
    until(lambda: "scene" in window.views.made)
    assert not window.views.complete
    assert not window.session.owns
    assert window.send(window.session.bench.toggle_ownership())
    until(lambda: window.views.complete or window.session.owns)
    assert not window.session.owns
    until(lambda: window.session.owns)
    late = window.views["compare"].widget
    assert window.docks.of["compare"].widget().widget() is late


def test_a_view_that_is_made_late_has_missed_nothing(make, desk, app):
    window = make()
    window.turns.timer.stop()
    assert window.connect_to(desk.path)
    tell(desk, Mode.IDLE, 1.0)
    tell(desk, Mode.IDLE, 1.5)
    window.turns.turn()
    assert window.session.bench.mode == "IDLE"
    assert set(window.views.made) <= {"scene"}
    tell(desk, Mode.STANDBY, 2.0)
    window.turns.turn()
    while not window.views.complete:
        window.turns.turn()
    spans = window.views["timeline"].model.spans
    assert [(span.name, span.start_s) for span in spans] == [("IDLE", 1.0), ("STANDBY", 2.0)]
    window.turns.timer.start()


def test_two_panels_have_one_owner(owned, make, desk, until):
    window, _ = owned
    other = make("other")
    other.connect_to(desk.path)
    until(lambda: other.views.complete)
    window.send(m.Take(id=window.next_id()))  # both are one process: making views may have lost it
    until(lambda: window.session.owns)
    other.send(m.Take(id=other.next_id()))
    until(lambda: other.turns.answers)
    assert not other.turns.answers[-1].ok
    assert "panel owns the motion" in other.turns.answers[-1].error
    assert not other.session.owns
    window.send(m.Release(id=window.next_id()))
    until(lambda: not window.session.owns)
    other.send(m.Take(id=other.next_id()))
    until(lambda: other.session.owns)


def test_one_who_cannot_read_the_token_is_refused(make, desk, place, monkeypatch):
    token = place / "token"
    secret = token.read_text()
    token.write_text("0" * len(secret))
    try:
        with pytest.raises(DeskRefusedError, match="proof does not match"):
            DeskClient.connect(desk.path, "stranger")
        window = make()
        assert not window.connect_to(desk.path)
        assert "proof does not match" in window.statusBar().currentMessage()
        assert window.session is None
    finally:
        token.write_text(secret)


def test_a_lost_bench_is_told_and_its_pictures_stay(make, tmp_path, until):
    window = make()
    with DeskProcess(HEADER, 0.01, station="platform", place=tmp_path / "own") as desk:
        window.connect_to(desk.path, take=True)
        until(lambda: window.session.owns)
        tell(desk)
        until(lambda: window.session.bench.mode == "IDLE")
    until(lambda: window.session.ended)
    assert window.session.bench.link(NOW_S()) is Link.ENDED
    assert "test has ended; its pictures stay" in window.statusBar().currentMessage()
    assert window.session.bench.mode == "IDLE"
    assert not window.session.owns
    assert not window.send(m.Press(button="home"))
    window.leave()
    assert window.session is None


def test_a_desk_that_dies_and_the_next_one_are_told_in_window_and_timeline(make, tmp_path, until):
    window = make()
    with DeskProcess(HEADER, 0.01, station="platform", place=tmp_path / "own") as desk:
        window.connect_to(desk.path, take=True)
        until(lambda: window.session.owns)
        tell(desk, Mode.HOLD, 1.0)
        until(lambda: window.session.bench.mode == "HOLD")
        slot = Slot(desk)
        hold_twice(window, until, slot)
        os.kill(desk.pid, signal.SIGKILL)
        until(lambda: window.session.bench.link(NOW_S()) is Link.LOST)
        assert window.statusBar().currentMessage() == (
            "The desk is gone without a word. Nothing can be asked of the bench, and "
            "its hold-to-run is released. This panel looks for the next desk of the run."
        )
        assert "NO DESK" in window.strip.state.link.text()
        tell(desk, Mode.CSTOP, 2.0)
        until(lambda: window.session.bench.mode == "CSTOP")
        until(lambda: window.session.bench.link(NOW_S()) is not Link.LOST, 20.0)
        assert window.statusBar().currentMessage() == (
            "Connected to the run's next desk. Nobody owns the motion: take it anew (F9)."
        )
        marks = [mark.message for mark in window.views["timeline"].model.marks]
        assert marks == [
            (
                "The desk is gone without a word. Nothing can be asked of the bench, "
                "and its hold-to-run is released. This panel looks for the next desk of "
                "the run."
            ),
            "Connected to the run's next desk. Nobody owns the motion: take it anew (F9).",
        ]
        until(lambda: window.session.bench.may_take)
        assert (window.session.owns, slot.order.held, slot.order.owner) == (False, False, "")
        QTest.keyRelease(window, Key.Key_Space)
        QTest.keyClick(window, Key.Key_F9)
        until(lambda: window.session.owns)
        assert not window.session.bench.held
        hold_twice(window, until, slot)


def test_a_bench_without_a_desk_is_shown_on_with_lit_lamps_and_how_else_to_stop_it(
    make, tmp_path, until
):
    window = make()
    with DeskProcess(HEADER, 0.01, station="platform", place=tmp_path / "own") as desk:
        window.connect_to(desk.path, take=True)
        until(lambda: window.session.owns)
        bench, strip = window.session.bench, window.strip
        with open(f"/proc/{desk.pid}/stat", "rb") as stream:
            keeper = int(stream.read().rsplit(b")", 1)[1].split()[1])
        os.kill(keeper, signal.SIGKILL)
        until(lambda: bench.link(NOW_S()) is Link.LOST)
        assert window.statusBar().currentMessage() == (
            "The desk has lost the bench, and no other desk comes. Its hold-to-run is "
            "released, but it may still move, and no panel can stop it: Ctrl-C at its "
            "terminal / emergency stop."
        )
        tell(desk, Mode.ENGAGED)
        until(lambda: bench.mode == "ENGAGED" and strip.stop_words.isVisible())
        assert strip.stop_words.text() == (
            "No panel can stop this bench any more, and it may still move: Ctrl-C at "
            "its terminal / emergency stop."
        )
        lit_at_s = NOW_S()
        tell(desk, Mode.ENGAGED)
        window.turns.turn()
        assert [lamp.role for lamp in bench.lamps_at(lit_at_s) if lamp.lit] == ["ok"]
        assert not window.session.ended
        QTest.keyClick(window, Key.Key_Escape)
        until(lambda: "use the emergency stop" in strip.state.refused.text())
        assert strip.stop_words.isVisible()


def test_a_stop_that_a_hanging_desk_does_not_answer_is_told_below_the_buttons(
    make, tmp_path, until
):
    window = make()
    with DeskProcess(HEADER, 0.01, station="platform", place=tmp_path / "own") as desk:
        window.connect_to(desk.path)
        tell(desk, Mode.ENGAGED)
        until(lambda: window.session.bench.mode == "ENGAGED" and window.views.complete)
        strip, slot = window.strip, Slot(desk)
        fixed = (strip.state.stop_button, strip.state.hold_button, *strip.state.buttons.values())
        places = [one.mapTo(window, QPoint(0, 0)) for one in fixed]
        os.kill(desk.pid, signal.SIGSTOP)
        try:
            QTest.keyClick(window, Key.Key_Escape)
            assert strip.stop_words.isHidden()
            until(strip.stop_words.isVisible, 2.0)
            first_s = unanswered_s(strip)
            assert SILENT_S <= first_s < 2.0
            until(lambda: unanswered_s(strip) >= first_s + 0.2, 2.0)
            assert [one.mapTo(window, QPoint(0, 0)) for one in fixed] == places
        finally:
            os.kill(desk.pid, signal.SIGCONT)
        until(lambda: strip.stop_words.isHidden())
        assert slot.pressed(Button.HOLD) == 1


def unanswered_s(strip):
    """For how long the stop is said to have no answer [s]."""
    said = re.match(r"No answer to the stop for (\d+\.\d) s: use the", strip.stop_words.text())
    assert said, strip.stop_words.text()
    return float(said[1])


def test_an_end_is_told_in_the_strip(make, desk, until):
    window = make()
    window.connect_to(desk.path)
    tell(desk, Mode.PARKING)
    end = RunEnd(EndCause.TERMINAL, EndStep.PARKING)
    desk.telemetry.push(OPERATION_KIND, Operation(end=end).to_bytes())
    until(lambda: window.strip.state.alarm.text())
    assert window.strip.state.alarm.isVisible()
    assert window.strip.state.alarm.text() == (
        "THE RUN IS ENDING: Ctrl-C at the terminal, or a signal; parking"
    )


def test_a_scenario_opens_ready_to_run_and_a_recording_that_is_none_is_told(make, tmp_path, until):
    window = make()
    path = find_file("heave", folder="scenarios", key="test")
    window.open(StartView("scenario", path))
    until(lambda: window.docks.visible("scenarios"))
    assert window.views["scenarios"].widget.picker.currentData() == path
    rubbish = tmp_path / "rubbish.mcap"
    rubbish.write_bytes(b"rubbish" * 100)
    window.replay(rubbish)
    until(lambda: not window.reading.busy)
    assert "not a recording" in window.statusBar().currentMessage()
    assert "rubbish.mcap" in window.statusBar().currentMessage()
    assert window.session is None


def test_colours_follow_the_system_unless_they_are_chosen(make):
    window = make()
    window.appearance.use("dark")
    assert QApplication.palette().window().color().lightness() < 80
    window.appearance.next()
    assert QApplication.palette().window().color().lightness() > 200
    window.appearance.use("system")
    assert window.appearance.name == "system"


_LOCKING = """
from PySide6.QtCore import QCoreApplication, QElapsedTimer
from PySide6.QtDBus import QDBusConnection, QDBusMessage
from hil.panel.lead.screen_lock import ScreenLock
app, heard = QCoreApplication([]), []
lock = ScreenLock()
lock.locked.connect(lambda: heard.append(1))
bus = QDBusConnection.sessionBus()
assert bus.registerService("org.freedesktop.ScreenSaver")
name = "org.freedesktop.ScreenSaver"
said = QDBusMessage.createSignal("/org/freedesktop/ScreenSaver", name, "ActiveChanged")
said.setArguments([True])
assert bus.send(said)
timer = QElapsedTimer()
timer.start()
while not heard and timer.elapsed() < 10_000:
    app.processEvents()
assert heard
"""


@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="no D-Bus here")
def test_a_screen_saver_on_the_bus_is_heard():
    command = ["dbus-run-session", sys.executable, "-c", _LOCKING]
    subprocess.run(command, check=True, timeout=60, stderr=subprocess.DEVNULL)

"""A run whose motion is owned here is left only by people, and only after a question."""

from pathlib import Path
from threading import Event

import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMessageBox
from test_replay_models import write
from test_session_stop import Desk

from hil.desk import messages as m
from hil.desk.endpoints import Endpoint
from hil.panel.live.session import LiveSession
from hil.panel.shell import app as panel_app
from hil.panel.shell import window_menus
from hil.panel.shell.window import MainWindow
from hil.panel.study.session import ReplaySession

BENCH = Endpoint(Path("/tmp/nowhere/led-17.sock"), "led", 17)
OTHER = Endpoint(Path("/tmp/nowhere/other-18.sock"), "other", 18)
YES, NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No


def state(*, own):
    """What the desk says of the owner."""
    return m.State(owner="panel" if own else "", you_own=own, clients=("panel",), bench=True)


class Window:
    """A window without turns of its own, connected to a desk that is none."""

    def __init__(self, settings):
        self.of = MainWindow(QSettings(settings, QSettings.Format.IniFormat), lambda: 0.0, "panel")
        self.of.turns.timer.stop()
        self.desk = Desk()
        self.desk.path = BENCH.path
        self.desk.close = lambda: setattr(self.desk, "open", False)
        self.session = LiveSession(self.desk, lambda: 0.0)
        self.of._take_on(self.session)

    def own(self, own=True):
        """The desk has it that the motion is owned here, or not."""
        self.desk.says.append(state(own=own))
        self.session.turn()
        assert self.session.owns == own

    def press(self, keys):
        """Press the keys of a menu's entry."""
        (action,) = [
            one for one in self.of.findChildren(QAction) if one.shortcut().toString() == keys
        ]
        action.trigger()

    def read(self):
        """Until a recording on its way is there."""
        for _ in range(5000):
            self.of.reading.poll()
            if not self.of.reading.busy:
                return
            Event().wait(0.002)
        raise AssertionError("it was never read")

    @property
    def said(self):
        """In the status bar."""
        return self.of.statusBar().currentMessage()


@pytest.fixture
def window(app, tmp_path):
    made = Window(str(tmp_path / "panel.ini"))
    yield made
    made.of.turns.timer.start()  # a window that was never begun has nothing to shut
    made.of.shut()
    made.of.deleteLater()


@pytest.fixture
def asked(monkeypatch):
    """Questions, and their answer; nobody is there to read them."""

    class Asked(list):
        answer = NO

    found = Asked()

    def question(_, title, words, __, default):
        found.append((title, words))
        assert default == NO, "a key that happens to be pressed changes nothing"
        return found.answer

    monkeypatch.setattr(QMessageBox, "question", staticmethod(question))
    return found


@pytest.fixture
def recording(tmp_path, monkeypatch):
    path = write(tmp_path / "recording.mcap", 20)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    return path


def benches_are(monkeypatch, *places):
    monkeypatch.setattr(window_menus, "benches", lambda: list(places))


def test_an_owned_motion_is_left_only_after_a_question(window, asked, recording, monkeypatch):
    benches_are(monkeypatch, OTHER)
    window.own()
    for number, keys in enumerate(("Ctrl+W", "Ctrl+O", "Ctrl+B", "Ctrl+Q"), 1):
        window.press(keys)
        assert len(asked) == number, keys
        assert window.of.session is window.session
        assert window.desk.open
        assert not window.of.reading.busy
    assert all("gives it back and stops it" in words for _, words in asked)
    assert asked[0] == (
        "Leave this run",
        "You own the motion. Leaving this run gives it back and stops it. Leave?",
    )


def test_an_owned_motion_is_left_if_people_want_it(window, asked, recording):
    window.own()
    asked.answer = YES
    window.press("Ctrl+O")
    window.read()
    assert len(asked) == 1, "once, not again when the recording is there"
    assert isinstance(window.of.session, ReplaySession)
    assert not window.desk.open
    window.press("Ctrl+W")
    assert window.of.session is None
    assert len(asked) == 1, "a recording is left without a question"


def test_a_motion_of_others_is_left_without_a_question(window, asked):
    window.press("Ctrl+W")
    assert window.of.session is None
    assert not window.desk.open
    assert asked == []


def test_what_gets_ready_by_itself_neither_asks_nor_leaves(window, asked, recording):
    window.of.replay(recording)
    window.own()  # while it is being read
    window.read()
    assert window.of.session is window.session
    assert window.said == (
        "{what} is ready, but you own the motion of {name}: this panel stays with it. "
        "Choose the other one when this may be left."
    ).format(what="demo", name="t")
    assert not window.of.connect_to(OTHER.path, take=True)
    assert window.of.session is window.session
    assert window.said == (
        "{what} is ready, but you own the motion of {name}: this panel stays with it. "
        "Choose the other one when this may be left."
    ).format(what=OTHER.path.name, name="t")
    assert asked == []
    window.own(False)
    assert not window.of.connect_to(OTHER.path, take=True)
    assert "No such file" in window.said, "tried, where nothing is owned"


def test_the_bench_that_is_shown_is_not_chosen_anew(window, asked, monkeypatch):
    benches_are(monkeypatch, BENCH)
    window.own()
    window.press("Ctrl+B")
    assert (window.of.session, asked, window.desk.open) == (window.session, [], True)
    assert window.said == "{name} is shown already, and no other bench was chosen".format(name="t")
    window.session.bench.over("the run is over")
    window.press("Ctrl+B")
    assert "No such file" in window.said, "another run may be there by now"


def test_a_fault_that_lasts_is_printed_once_and_told_in_words_that_stay(
    window, monkeypatch, capsys
):
    monkeypatch.setattr(panel_app.sys, "excepthook", None)
    panel_app._watch_faults(window.of)
    long = ZeroDivisionError("a view " + "x" * 300)
    for fault in (long, long, long, KeyError("another")):
        panel_app.sys.excepthook(type(fault), fault, None)
    printed = capsys.readouterr().err
    assert printed.count("ZeroDivisionError") == 1
    assert printed.count("KeyError") == 1
    window.of.show_message("something else")
    words = window.of.strip.fault_words
    assert not words.isHidden()
    assert "may be wrong" in words.text()
    assert words.text().endswith("KeyError: 'another'")
    window.of.leave()
    assert not words.isHidden()

"""A window that shows no bench finds one that begins later; known ones it only offers."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QSettings, QThread
from PySide6.QtGui import QAction
from window_bench import NOW_S, QUICK, scenario_text

from hil.desk.endpoints import Endpoint, PlaceError, benches
from hil.desk.unattended_runs import announced
from hil.panel.shell.models.bench_watch import POLL_EVERY_S, BenchWatch
from hil.panel.shell.models.start_view import StartView
from hil.panel.shell.window import MainWindow

A, B, C = (Endpoint(Path(f"/run/{name}-7.sock"), name, 7) for name in "abc")


class Place:
    """Benches that a test begins and ends, and a clock that it sets."""

    def __init__(self):
        self.running, self.unled, self.now_s, self.looks = (), (), 0.0, 0
        self.watch = BenchWatch(lambda: self.now_s, self._find, lambda: self.unled)

    def _find(self):
        self.looks += 1
        return list(self.running)

    def look(self, *running):
        """What the next look that is due finds."""
        self.running = running
        self.now_s += POLL_EVERY_S
        return self.watch.poll()


def test_a_bench_that_ran_at_the_first_look_has_not_begun():
    place = Place()
    first = place.look(A)
    assert (first.running, first.begun) == ((A,), ())
    assert place.look(A, B).begun == (B,)
    assert place.look(A, B).begun == ()
    assert place.look(B).begun == ()
    assert place.look(A, B).begun == (A,), "it began again"


def test_none_ran_when_the_window_opened():
    place = Place()
    place.watch.expect_all()
    assert place.look(A).begun == (A,)


def test_what_ran_beside_a_bench_that_was_left_has_not_begun():
    place = Place()
    place.look()
    place.watch.forget()
    assert place.look(A).begun == ()


def test_it_looks_once_a_second_and_at_once_after_it_was_left():
    place = Place()
    for _ in range(300):
        place.watch.poll()
        place.now_s += 0.033
    assert 9 <= place.looks <= 11
    before = place.looks
    place.watch.forget()
    assert place.watch.poll() is not None
    assert place.looks == before + 1


def test_a_folder_that_cannot_be_trusted_is_told_and_nothing_is_lost():
    place = Place()
    place.watch.expect_all()

    def refuse():
        raise PlaceError("/run/x: mode 0777; need 0700")

    watch = BenchWatch(lambda: place.now_s, refuse)
    assert watch.poll().problem == "/run/x: mode 0777; need 0700"
    assert place.look(A).begun == (A,)


@given(st.lists(st.sets(st.sampled_from([A, B, C])), max_size=12))
def test_whatever_begins_is_told_once(course):
    """Judge: the difference of two neighbouring looks."""
    place = Place()
    told = [set(place.look(*sorted(found, key=lambda one: one.name)).begun) for found in course]
    before = [course[0], *course] if course else []
    assert told == [now - then for then, now in zip(before, course, strict=False)]


# --- in a window ------------------------------------------------------------------------------


class Asked:
    """What a window was asked to connect to."""

    def __init__(self, window, monkeypatch, place):
        self.paths = []
        monkeypatch.setattr(window.turns.waiting, "watch", place.watch)
        monkeypatch.setattr(window, "connect_to", self.paths.append)


@pytest.fixture
def waiting(still_window, monkeypatch):
    place = Place()
    place.window, place.asked = still_window, Asked(still_window, monkeypatch, place)
    place.words = still_window.strip.waiting_words

    def turn(*running):
        place.running = running
        place.now_s += POLL_EVERY_S
        still_window.turns.turn()

    place.turn = turn
    return place


def test_the_only_bench_that_begins_is_shown(waiting):
    waiting.turn()
    assert "No bench runs" in waiting.words.text()
    assert not waiting.window.strip.show_bench.isVisible()
    assert waiting.asked.paths == []
    waiting.turn(A)
    assert waiting.asked.paths == [A.path]


def test_a_bench_that_ran_before_is_offered(waiting):
    waiting.turn(A)
    assert waiting.asked.paths == []
    assert waiting.words.text() == "a runs, and is not shown."
    assert waiting.window.strip.show_bench.isVisible()
    waiting.turn()
    assert not waiting.window.strip.show_bench.isVisible()


def test_a_run_without_operator_is_told_of_and_not_offered(waiting):
    waiting.unled = ("shaken",)
    waiting.turn()
    assert waiting.words.text().startswith("shaken runs without operator: no panel can show")
    assert not waiting.window.strip.show_bench.isVisible()
    waiting.unled = ("press", "shaken")
    waiting.turn()
    assert waiting.words.text().startswith("press and shaken run without operator")
    waiting.turn(A)
    assert waiting.asked.paths == [A.path], "one that can be led is shown beside it"
    waiting.unled = ()
    waiting.turn()
    assert "No bench runs" in waiting.words.text()


def test_asked_for_benches_the_window_tells_of_a_run_without_operator(
    still_window, tmp_path, monkeypatch
):
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    told = []
    monkeypatch.setattr(still_window, "show_message", told.append)
    still_window.menus.choose_bench()
    with announced("shaken"):
        still_window.menus.choose_bench()
    assert told[0] == "No bench runs with --operator at present."
    assert told[1].startswith("shaken runs without operator")


def test_nothing_can_be_left_while_nothing_is_shown(waiting):
    waiting.turn()
    (leave,) = [
        one for one in waiting.window.findChildren(QAction) if one.text() == "Leave this run"
    ]
    assert not leave.isEnabled()


def test_of_several_none_is_chosen_for_people(waiting):
    waiting.turn()
    waiting.turn(A, B)
    assert waiting.asked.paths == []
    assert waiting.words.text() == "2 benches run, and none is shown."
    waiting.turn(A, B, C)
    assert waiting.asked.paths == []


def test_a_recording_that_is_on_its_way_is_not_pushed_aside(waiting, monkeypatch):
    waiting.turn()
    monkeypatch.setattr(type(waiting.window.reading), "busy", True)
    waiting.turn(A)
    assert waiting.asked.paths == []


def test_every_empty_place_says_what_belongs_there(still_window):
    while not still_window.views.complete:
        still_window.turns.turn()
    for name in ("scene", "faults", "margins", "scope", "lateness", "timeline"):
        view = still_window.views[name]
        words = [
            label.text() for label in view.widget.findChildren(type(still_window.strip.stop_words))
        ]
        assert any("Ctrl+O" in text and "Scenarios" in text for text in words), name


@pytest.mark.real_time
def test_an_operators_bench_is_told_of_once_it_can_be_found_and_a_waiting_window_shows_it(
    app, tmp_path, monkeypatch
):
    """Judge: the bench's own line, and a connection to its socket at that very moment."""
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    settings = QSettings(str(tmp_path / "panel.ini"), QSettings.Format.IniFormat)
    window = MainWindow(settings, NOW_S, "panel")
    window.show()
    window.open(StartView("scenarios"))
    scenario = tmp_path / "led.toml"
    scenario.write_text(scenario_text())
    errors = (tmp_path / "errors").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator", "--out",
         str(tmp_path / "runs"), *QUICK],
        stdout=subprocess.DEVNULL, stderr=errors,
    )  # fmt: skip
    try:
        end_s, told = NOW_S() + 60.0, False
        while not told or window.session is None:
            assert NOW_S() < end_s
            assert process.poll() is None
            if not told and b"waits for an operator" in (tmp_path / "errors").read_bytes():
                told = True
                assert [one.name for one in benches()] == ["led"]
            app.processEvents()
            QThread.msleep(1)
        assert window.session.facts.name == "led"
        assert not window.session.owns
    finally:
        window.shut()
        process.terminate()
        process.wait(30)
        errors.close()

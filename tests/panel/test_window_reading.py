"""A recording that takes long to look through: the window goes on, and nothing is left open."""

from pathlib import Path
from threading import Event

import pytest

pytest.importorskip("PySide6.QtWidgets")

from bench_plans import plan
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStatusBar
from test_replay_models import write

from hil.panel.shell import window_reader as window_reading
from hil.panel.shell.window_reader import BackgroundReader
from hil.panel.shell.window_turns import READING_S
from hil.panel.widgets.background import CancelledError
from hil.recording.header import RecordingError


class Feed:
    """A recording that was opened."""


class Slow:
    """Looks through a recording until it is let go on, or given up."""

    def __init__(self):
        self.go_on, self.feed, self.heeds = Event(), Feed(), True
        self.ended: list[str] = []

    def __call__(self, path, now_s, watch):
        watch.at(0.25)
        while not self.go_on.wait(0.002):
            try:
                watch.at(0.25)
            except CancelledError:
                if self.heeds:
                    self.ended.append("given up")
                    raise
        self.ended.append("opened")
        return self.feed


@pytest.fixture
def slow(monkeypatch):
    made = Slow()
    monkeypatch.setattr(window_reading, "_open", made)
    yield made
    made.go_on.set()


@pytest.fixture
def reading(app):
    bar = QStatusBar()
    bar.show()
    heard: list[object] = []
    made = BackgroundReader(bar, lambda: 0.0, heard.append, heard.append)
    made.heard = heard
    yield made
    made.close()
    bar.deleteLater()


class Paints(QObject):
    """Counts how often a pane was painted with a figure in it."""

    def __init__(self, pane):
        super().__init__()
        self.count, self._figures = 0, 0
        self._show, pane.show_figure = pane.show_figure, self._shown
        pane.canvas.installEventFilter(self)

    def _shown(self, figure):
        self._figures += 1
        self._show(figure)

    def eventFilter(self, _, event):
        self.count += event.type() == QEvent.Type.Paint and self._figures > 0
        return False


def turn(reading, until):
    """Turns of the window until something is so; work in the background takes its own time."""
    for _ in range(5000):
        reading.poll()
        if until():
            return
        Event().wait(0.002)
    raise AssertionError("it did not come about")


def test_the_window_goes_on_while_a_recording_is_looked_through(reading, slow):
    reading.begin(Path("long"))
    turn(reading, lambda: reading.progress.value() == 250)
    assert reading.busy
    assert reading.progress.isVisible()
    assert reading.heard == []
    slow.go_on.set()
    turn(reading, lambda: reading.heard)
    assert reading.heard == [slow.feed]
    assert not reading.progress.isVisible()


def test_views_wait_for_a_recording_but_not_for_a_long_one(still_window, slow):
    window = still_window
    window.replay(Path("long"))
    for _ in range(10):
        window.turns.turn()
    assert set(window.views.made) == {"scene"}
    window.passed_s = READING_S
    for _ in range(50):
        window.turns.turn()
    assert window.views.complete
    assert window.reading.busy


def test_a_recording_is_painted_before_the_next_view_is_made(still_window, app, tmp_path):
    window = still_window
    window.replay(write(tmp_path / "recording.mcap", 100, scenario=plan().model_dump(mode="json")))
    paints = None
    for _ in range(5000):
        window.turns.turn()
        if len(window.views.made) > 1:
            break
        if window.session is not None and paints is None:
            paints = Paints(*window.views["scene"].widget.panes)
        app.processEvents()
        Event().wait(0.002)
    assert len(window.views.made) == 2
    assert paints is not None
    assert paints.count >= 1


def test_cancel_gives_it_up_and_says_so(reading, slow):
    reading.begin(Path("long"))
    reading.poll()
    QTest.mouseClick(reading.cancel, Qt.MouseButton.LeftButton)
    assert reading.heard == ["{path} was given up".format(path="long")]
    turn(reading, lambda: slow.ended == ["given up"])
    assert not reading.busy
    assert not reading.cancel.isVisible()


def test_one_that_was_opened_too_late_is_not_shown(reading, slow):
    slow.heeds = False
    reading.begin(Path("long"))
    reading.give_up()
    slow.go_on.set()
    turn(reading, lambda: not reading._given_up)
    assert reading.heard == []


def test_closing_waits_for_the_end(reading, slow):
    reading.begin(Path("long"))
    reading.close()
    assert slow.ended == ["given up"]
    assert not reading.busy


def test_a_real_one_is_opened_or_refused_in_words(reading, tmp_path):
    path = write(tmp_path / "recording.mcap", 100)
    reading.begin(path)
    turn(reading, lambda: reading.heard)
    (feed,) = reading.heard
    assert feed.facts.name == "demo"
    assert len(feed.table) == 100
    reading.heard.clear()
    reading.begin(tmp_path / "none.mcap")
    turn(reading, lambda: reading.heard)
    assert "none.mcap: cannot be read: No such file" in reading.heard[0]


def test_looking_through_a_recording_tells_how_far_it_is_and_can_be_given_up(tmp_path):
    from hil.panel.widgets.background import Watch
    from hil.recording.reader import Recording

    path = write(tmp_path / "recording.mcap", 1200)
    shares: list[float] = []
    Recording.open(path, report=shares.append)
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert 0.0 < shares[0] < 0.5 < shares[-1] <= 1.0
    watch = Watch()
    watch.cancel()
    with pytest.raises(CancelledError):
        window_reading._open(path, lambda: 0.0, watch)
    with pytest.raises(RecordingError):
        window_reading._open(tmp_path / "none", lambda: 0.0, Watch())

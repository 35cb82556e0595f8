"""The timeline: bars, marks, and keys that go from mark to mark."""

import numpy as np
import pytest
from feed_samples import batch, event, mode, platform_facts
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from view_samples import application, colours, gone, pump, shown

from hil.panel.live.models.timeline import TimelineModel
from hil.panel.live.timeline_view import TimelineView
from hil.panel.widgets.theme import DARK, LIGHT

FACTS = platform_facts()
Key = Qt.Key


@pytest.fixture
def view():
    application()
    made = shown(TimelineView(TimelineModel(FACTS), LIGHT), 800, 220)
    yield made
    gone(made)


def feed(view, *names, t_s=0.0, events=()):
    codes = np.array([mode(FACTS, name) for name in names], dtype=float)
    made = batch(FACTS, *events, count=len(codes), mode=codes)
    made.rows[:, 1] = t_s + np.arange(len(codes))
    view._model.take(made, 0.0)
    view.refresh()
    pump()


NOTES = tuple(event("note", f"note {k}", float(k)) for k in (1, 2, 4))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_bars_have_the_colours_of_the_modes(view, theme):
    view.set_theme(theme)
    feed(view, "STANDBY", "STANDBY", "STANDBY", "FAULT", "FAULT", "FAULT", "FAULT")
    found = colours(view.plot)
    assert found[theme.ok] == pytest.approx(found[theme.fault], rel=0.2)
    assert found[theme.ok] > 1000


def test_the_whole_run_is_seen_and_grows(view):
    feed(view, *["STANDBY"] * 10)
    low, high = view.plot.viewRange()[0]
    assert low <= 0.0 < 9.0 <= high
    feed(view, *["STANDBY"] * 10, t_s=10.0)
    assert view.plot.viewRange()[0][1] >= 19.0


def test_keys_go_from_mark_to_mark_and_tell_its_words_and_time(view):
    times = []
    view.chosen.connect(times.append)
    feed(view)
    assert "Nothing" in view.words.text()
    feed(view, "STANDBY", "ENGAGED", events=NOTES)
    assert "note 4" in view.words.text()
    view.setFocus()
    for key in (Key.Key_Left, Key.Key_Left, Key.Key_Left, Key.Key_Left, Key.Key_Right,
                Key.Key_End, Key.Key_Home):  # fmt: skip
        QTest.keyClick(view, key)
    assert times == [4.0, 2.0, 1.0, 1.0, 2.0, 4.0, 1.0]
    assert "1 of 3" in view.words.text()
    assert "note 1" in view.words.text()


def test_a_click_goes_to_the_nearest_mark(view):
    feed(view, *["STANDBY"] * 6, events=NOTES)
    box = view.plot.getPlotItem().getViewBox()
    scene = box.mapViewToScene(box.viewRect().center())
    at = view.plot.mapFromScene(scene)
    width = view.plot.viewRange()[0]
    x_s = 0.5 * (width[0] + width[1])
    QTest.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))
    pump()
    assert view.current == view._model.around(x_s) == 1


def test_what_people_zoomed_stays_until_they_ask_for_all(view):
    feed(view, *["STANDBY"] * 10)
    view._by_hand()
    view.plot.getPlotItem().setXRange(2.0, 3.0, padding=0.0)
    feed(view, "STANDBY", t_s=10.0)
    assert view.plot.viewRange()[0] == pytest.approx([2.0, 3.0])
    QTest.keyClick(view, Key.Key_A)
    assert view.plot.viewRange()[0][1] >= 10.0


def test_it_is_drawn_anew_only_when_a_pixel_of_it_changes(view, monkeypatch):
    feed(view, *["STANDBY"] * 601)
    drawn = []
    monkeypatch.setattr(view.bars, "show_spans", lambda spans, theme: drawn.append(spans[-1].end_s))
    feed(view, "STANDBY", t_s=600.1)
    feed(view, "STANDBY", t_s=600.5)
    assert drawn == []
    feed(view, "STANDBY", t_s=601.5)
    assert drawn == [601.5]
    feed(view, "FAULT", t_s=601.6)
    assert len(drawn) == 2


def test_a_seek_and_another_run_begin_anew(view):
    feed(view, "STANDBY", events=NOTES)
    view.go(2)
    view._model.take(batch(FACTS, restart=True, count=0), 0.0)
    view.refresh()
    assert "Nothing" in view.words.text()
    assert not view.here.isVisible()
    view.set_model(TimelineModel(FACTS))
    view.refresh()
    assert view.current is None


def test_nothing_is_done_while_hidden(view):
    feed(view)
    view.hide()
    feed(view, "STANDBY", events=NOTES)
    assert "Nothing" in view.words.text()

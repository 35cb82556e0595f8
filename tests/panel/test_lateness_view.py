"""The histogram of lateness: curves as the counts are, figures in words, few drawings."""

from dataclasses import replace

import numpy as np
import pytest
from feed_samples import batch, platform_facts
from view_samples import application, colours, gone, pump, shown

from hil.panel.live.lateness_view import HALF, LEAST_PX, REDRAW_EVERY, LatenessView
from hil.panel.live.models.lateness import LatenessModel
from hil.panel.widgets.theme import DARK, LIGHT

FACTS = platform_facts()


@pytest.fixture
def view():
    application()
    made = shown(LatenessView(LatenessModel(FACTS), LIGHT), 500, 300)
    yield made
    gone(made)


def feed(view, late_s, times=1):
    late_s = np.full(1000, late_s)
    view._model.take(batch(FACTS, count=1000, late_s=late_s, busy_s=3e-4), 0.0)
    for _ in range(times):
        view.refresh()
    pump()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_curves_and_words_tell_the_counts(view, theme):
    view.set_theme(theme)
    feed(view, 1.05e-4)
    for curve, name in zip(view._curves, view._model.names, strict=True):
        np.testing.assert_allclose(10.0 ** curve.getData()[1] - HALF, view._model.counts(name))
    assert (
        "late: median 105 µs, p99 105 µs, largest 105 µs (1000 cycles in the last 60 s)"
        in view.words.text()
    )
    assert "busy: median 300 µs" in view.words.text()
    assert colours(view.plot).get(theme.traces[0], 0) > 10
    low, high = view.plot.viewRange()[0]
    assert low < np.log10(1.05e-4) < np.log10(3e-4) < high


def test_it_is_drawn_a_few_times_a_second_only(view):
    feed(view, 1e-4)
    words = view.words.text()
    view._model.take(batch(FACTS, t_s=2.0, late_s=5e-3, busy_s=3e-4), 0.0)
    for _ in range(REDRAW_EVERY - 1):
        view.refresh()
    assert view.words.text() == words
    view.refresh()
    assert "largest 5.00 ms" in view.words.text()


def test_axes_are_written_as_times_and_counts(view):
    below, left = (view.plot.getPlotItem().getAxis(side) for side in ("bottom", "left"))
    assert below.tickStrings([-6.0, -4.0, -3.0, 0.0], 1.0, 1.0) == ["1 µs", "100 µs", "1 ms", "1 s"]
    assert left.tickStrings([0.0, 3.0], 1.0, 1.0) == ["1", "1000"]


def test_of_a_virtual_clock_nothing_is_told_as_measured(view):
    feed(view, 1e-4)
    header = replace(FACTS.header, metadata={**FACTS.header.metadata, "clock": "virtual"})
    model = LatenessModel(replace(FACTS, header=header))
    view.set_model(model)
    feed(view, 0.0, REDRAW_EVERY)
    assert view.words.text() == "Virtual clock: not measured"
    assert not view.plot.isVisible()
    assert model.spread("late").count == 0
    view.set_model(LatenessModel(FACTS))
    feed(view, 1e-4, REDRAW_EVERY)
    assert "(1000 cycles" in view.words.text()
    assert view.plot.isVisible()


def test_the_title_of_the_counts_has_room_on_a_small_screen(view):
    view.resize(1366, view.minimumSizeHint().height())
    pump()
    title = view.plot.getPlotItem().getAxis("left").label
    assert title.toPlainText().strip() == "Cycles"
    assert title.boundingRect().width() <= LEAST_PX <= view.plot.height()


def test_another_run_begins_empty_and_hidden_does_nothing(view):
    feed(view, 1e-4)
    view.set_model(LatenessModel(FACTS))
    view.refresh()
    assert view.words.text().count("Nothing measured") == 2
    view.hide()
    feed(view, 1e-4, times=REDRAW_EVERY)
    assert view.words.text().count("Nothing measured") == 2

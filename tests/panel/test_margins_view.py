"""Bars of margins: colour, length and words."""

import numpy as np
import pytest
from feed_samples import batch, platform_facts, soft_ranges
from view_samples import application, gone, pump, shown

from hil.panel.margins_view import MarginsView
from hil.panel.models.margins import MarginsModel
from hil.panel.theme import DARK, LIGHT

FACTS = platform_facts()
LOW, HIGH = soft_ranges().T


def lengths(share):
    return LOW + share * 0.5 * (HIGH - LOW)


@pytest.fixture
def view():
    application()
    made = shown(MarginsView(MarginsModel(FACTS), LIGHT), 420, 320)
    yield made
    gone(made)


def feed(view, values):
    view._model.take(batch(FACTS, measured_length_m=np.asarray(values)), 0.0)
    view.refresh()
    pump()


def filled(view, colour):
    """Share of the first bar that has a colour, by a line of pixels through its middle."""
    image = view.bars.grab().toImage()
    y = round(1.0 + (1.3 + 0.36) * view.bars._em())
    line = [image.pixelColor(x, y).name().upper() for x in range(7, image.width() - 7)]
    return line.count(colour) / len(line)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("share", "role"), [(0.8, "ok"), (0.1, "warn"), (0.04, "fault")])
def test_bars_have_the_colour_and_length_of_the_margin(view, theme, share, role):
    view.set_theme(theme)
    feed(view, lengths(share))
    assert filled(view, getattr(theme, role)) == pytest.approx(share, abs=0.012)
    for other in {"ok", "warn", "fault"} - {role}:
        assert filled(view, getattr(theme, other)) == 0.0


def test_a_leg_beyond_its_limit_still_shows_its_colour(view):
    feed(view, lengths(-0.1))
    assert 0.0 < filled(view, LIGHT.fault) < 0.03


def test_only_what_can_be_seen_is_drawn_anew(view):
    feed(view, lengths(0.5))
    drawn = view.bars._drawn
    feed(view, lengths(0.5) + 1e-9)
    assert view.bars._drawn is drawn
    feed(view, lengths(0.52))
    assert view.bars._drawn is not drawn


def test_nothing_is_done_while_hidden_and_another_run_begins_empty(view):
    feed(view, lengths(0.5))
    view.hide()
    rows = view.bars.rows
    feed(view, lengths(0.1))
    assert view.bars.rows is rows
    view.show()
    view.set_model(MarginsModel(FACTS))
    view.refresh()
    assert view.bars.rows == ()
    view.grab()

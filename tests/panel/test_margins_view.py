"""Bars of margins: colour, length and words."""

import numpy as np
import pytest
from feed_samples import arm_facts, batch, platform_facts, soft_ranges
from view_samples import application, gone, pump, shown

from hil.panel.live.margins_view import MarginsView
from hil.panel.live.models.margins import MarginsModel
from hil.panel.widgets.theme import DARK, LIGHT

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


def marks(view):
    """Where dark lines cross the first bar, as shares of its length."""
    image = view.bars.grab().toImage()
    y = round(1.0 + (1.3 + 0.36) * view.bars._em())
    light = np.array([image.pixelColor(x, y).lightnessF() for x in range(image.width())])
    dark = [x for x in range(9, len(light) - 9) if light[x] < 0.8 * light[[x - 3, x + 3]].min()]
    lines = [x for x in dark if x - 1 not in dark]
    return [(x - 6) / (len(light) - 12) for x in lines]


@pytest.mark.parametrize(("used", "role"), [(0.4, "ok"), (0.6, "warn")])
def test_a_window_has_its_own_mark_from_which_it_is_warned(view, used, role):
    facts = arm_facts()
    view.set_model(MarginsModel(facts))
    view._model.take(batch(facts, watched=np.array([used, 0.0, 0.0, 0.0, 0.0])), 0.0)
    view.refresh()
    pump()
    assert view.bars.rows[0].name == "Robot, off its path"
    assert filled(view, getattr(LIGHT, role)) == pytest.approx(1.0 - used, abs=0.012)
    assert marks(view) == pytest.approx([0.05, 0.5], abs=0.01)


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

"""Colours: readable in both themes (WCAG 2.1, 1.4.3 and 1.4.11), and taken on by windows."""

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from hil.panel.widgets.theme import DARK, LIGHT, THEMES, apply, palette

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def luminance(colour):
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@BOTH
def test_words_can_be_read(theme):
    for ground in (theme.window, theme.base):
        assert contrast(theme.text, ground) >= 10.0
        assert contrast(theme.dim, ground) >= 4.5
    for role in ("ok", "warn", "fault", "accent", "simulated"):
        assert contrast(theme.on_strong, getattr(theme, role)) >= 4.5, role


@BOTH
def test_traces_stand_out(theme):
    for colour in theme.traces:
        assert contrast(colour, theme.base) >= 2.9, colour


def test_themes_are_known_by_name():
    assert THEMES == {"light": LIGHT, "dark": DARK}
    assert luminance(LIGHT.window) > 0.5 > luminance(DARK.window)


@BOTH
def test_windows_take_the_colours_on(theme):
    app = QApplication.instance() or QApplication([])
    apply(app, theme)
    assert app.style().name().lower() == "fusion"
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(theme.window)
    made = palette(theme)
    assert made.color(QPalette.ColorRole.Text) == QColor(theme.text)
    off = QPalette.ColorGroup.Disabled
    assert made.color(off, QPalette.ColorRole.ButtonText) == QColor(theme.dim)

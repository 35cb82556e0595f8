"""Axes that cost little on a large screen: opaque lines, in the colour that shone through."""

import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtGui import QColor, QImage, QPainter

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.plots import ScopePlots
from hil.panel.widgets.plots import grid_axes, item_of, plot_of, take_theme
from hil.panel.widgets.theme import DARK, LIGHT


def specs(axis):
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    found = axis.generateDrawSpecs(painter)
    painter.end()
    return found


@pytest.fixture
def plot(app):
    made = plot_of(grid_axes())
    made.resize(500, 300)
    take_theme(made, LIGHT)
    item_of(made).showGrid(x=True, y=True, alpha=0.25)
    made.show()
    app.processEvents()
    yield made
    made.close()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("side", ["left", "bottom"])
def test_a_grid_is_opaque_and_as_wide_as_a_pixel_of_the_window(plot, theme, side):
    take_theme(plot, theme)
    line, ticks, words = specs(item_of(plot).getAxis(side))
    assert len(ticks) > 5
    assert words
    for pen in (line[0], *(tick[0] for tick in ticks)):
        assert pen.color().alpha() == 255
        assert not pen.isCosmetic()
        assert pen.widthF() == 1.0


def test_the_colour_of_a_tick_is_what_shone_through_it(plot):
    axis = item_of(plot).getAxis("left")
    axis.set_theme(LIGHT, "#000000")
    axis.setStyle(tickAlpha=64)
    ground = QColor(LIGHT.base)
    for pen, _, _ in specs(axis)[1]:
        wanted = [round(part * 191 / 255) for part in ground.getRgb()[:3]]
        assert pen.color().getRgb()[:3] == pytest.approx(wanted, abs=1)


def test_an_axis_that_has_nothing_to_draw_draws_nothing(plot, monkeypatch):
    monkeypatch.setattr("pyqtgraph.AxisItem.generateDrawSpecs", lambda *_: None)
    assert specs(item_of(plot).getAxis("left")) is None


def test_the_scope_has_such_axes(app):
    from scope_samples import LEG1, batch, facts, rows

    model = ScopeModel(facts())
    model.show(LEG1)
    model.take(batch(rows(400)))
    plots = ScopePlots(model, LIGHT)
    plots.resize(700, 300)
    plots.show()
    plots.draw()
    app.processEvents()
    for side in ("left", "bottom"):
        _, ticks, _ = specs(plots._plots[0].item.getAxis(side))
        assert ticks
        assert all(pen.color().alpha() == 255 and not pen.isCosmetic() for pen, _, _ in ticks)
        assert plots._plots[0].item.getAxis(side).zValue() < plots._plots[0].item.vb.zValue()
    plots.close()

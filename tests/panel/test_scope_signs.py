"""Traces are told apart without their colours: by signs on the line, which its title has, too."""

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QTransform
from scope_samples import batch, facts, rows

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.signs import FILLED, HOLLOW, SIGNS_ON_LINE, draw, places, sign_of
from hil.panel.scope.view import ScopeView
from hil.panel.widgets.theme import LIGHT

WIDE, HIGH = 320, 60
X = np.linspace(0.0, 10.0, 200)
BOUNDS = QRectF(0.0, -1.0, 10.0, 2.0)


def drawn(number, y=None):
    """Black signs of a trace on white, as an array of darkness, shape (HIGH, WIDE)."""
    image = QImage(WIDE, HIGH, QImage.Format.Format_Grayscale8)
    image.fill(QColor("#FFFFFF"))
    painter = QPainter(image)
    painter.setWorldTransform(QTransform(WIDE / 10.0, 0.0, 0.0, -HIGH / 2.0, 0.0, HIGH / 2.0))
    y = np.zeros_like(X) if y is None else y
    draw(painter, number, QPen(Qt.GlobalColor.black), X, y, BOUNDS)
    painter.end()
    ink = np.frombuffer(image.constBits(), np.uint8).reshape(HIGH, image.bytesPerLine())
    return ink[:, :WIDE] < 128


def shape_at(ink, share):
    column = round(share * WIDE)
    return ink[:, max(0, column - 8) : column + 8]


def test_the_signs_of_sixteen_traces_differ(app, monkeypatch):
    monkeypatch.setattr("hil.panel.scope.signs.places", lambda number: [0.5])
    assert len({drawn(number).tobytes() for number in range(16)}) == 16
    assert len({sign_of(number) for number in range(16)}) == 16
    assert sign_of(16) == sign_of(0) == FILLED[0]
    assert sign_of(8) == HOLLOW[0]


@pytest.mark.parametrize("number", range(8))
def test_signs_are_on_the_line_all_over_the_width_and_none_hides_another(app, number):
    ink = drawn(number)
    for share in places(number):
        assert shape_at(ink, share).any()
    rows, columns = np.nonzero(ink)
    assert abs(rows.mean() - HIGH / 2) < 1.5
    assert len({column // (WIDE // SIGNS_ON_LINE) for column in columns}) == SIGNS_ON_LINE
    for other in range(8):
        if other != number:
            assert min(abs(a - b) for a in places(number) for b in places(other)) >= 0.03


def test_where_nothing_was_measured_there_is_no_sign(app):
    y = np.where(X < 5.0, 0.5, np.nan)
    rows, columns = np.nonzero(drawn(0, y))
    assert columns.max() < WIDE / 2 + 5
    assert abs(rows.mean() - HIGH / 4) < 1.5
    assert not drawn(0, np.full_like(X, np.nan)).any()


def test_the_scope_has_the_same_signs_in_titles_and_on_lines(app, monkeypatch):
    asked = []
    monkeypatch.setattr("hil.panel.scope.signs.draw", lambda *given: asked.append(given[1]))
    model = ScopeModel(facts())
    shown = [channel.name for channel in model.channels if channel.plot == "m"][:6]
    for name in shown:
        model.show(name)
    model.take(batch(rows(100)))
    view = ScopeView(model, LIGHT)
    view.resize(1000, 300)
    view.show()
    view.refresh()
    app.processEvents()
    view.plots.grab()
    traces = [trace.name for trace in model.traces]
    assert set(asked) == set(range(len(traces)))
    title = "".join(plot.item.titleLabel.text for plot in view.plots._plots)
    assert all(sign_of(number) in title for number in range(len(traces)))
    view.close()
    view.deleteLater()


def test_signs_are_as_large_as_the_text(app):
    before, ink = app.font(), {}
    for size_pt in (9, 18):
        font = app.font()
        font.setPointSize(size_pt)
        app.setFont(font)
        ink[size_pt] = int(drawn(1).sum())
    app.setFont(before)
    assert ink[18] == pytest.approx(4 * ink[9], rel=0.35)

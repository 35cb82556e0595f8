"""What a small screen leaves room for: plots that can be read, and no empty stretch."""

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QScrollArea, QTextEdit
from scope_samples import batch, facts, rows
from test_replay_models import write

from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.view import ScopeView
from hil.panel.study.models.replay import FileFeed
from hil.panel.study.replay_view import ReplayView
from hil.panel.widgets.theme import LIGHT


@pytest.fixture
def replay(app):
    window = QMainWindow()
    window.setCentralWidget(QTextEdit())
    dock = QDockWidget("Replay")
    view = ReplayView(None, LIGHT)
    dock.setWidget(view)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(1366, 700)
    window.show()
    window.resizeDocks([dock], [400], Qt.Orientation.Vertical)
    app.processEvents()
    yield view
    window.close()
    window.deleteLater()


def test_a_replay_takes_the_room_of_its_controls_and_no_more(pump, replay, tmp_path):
    def compact():
        parts = (replay.play, replay.rate, replay.time)
        return replay.height() - max(part.geometry().bottom() for part in parts) <= 8

    assert not replay.note.isVisible()
    assert compact()
    feed = FileFeed.open(write(tmp_path / "recording.mcap"), lambda: 0.0)
    replay.set_feed(feed)
    pump(lambda: replay.height() == replay.sizeHint().height() and not compact())
    assert replay.note.isVisible()
    assert replay.note.text() == f"{3} entries are missing"
    assert replay.note.geometry().bottom() < replay.height()
    replay.set_feed(None)
    pump(compact)
    assert not replay.note.isVisible()


def test_plots_that_do_not_fit_above_each_other_scroll(app):
    model = ScopeModel(facts())
    wanted = {channel.plot: channel.name for channel in model.channels}
    for name in list(wanted.values())[:5]:
        model.show(name)
    model.take(batch(rows(100)))
    view = ScopeView(model, LIGHT)
    view.resize(1000, 220)
    view.show()
    view.refresh()
    app.processEvents()
    least_px = view.plots.least_px
    heights = [plot.item.height() for plot in view.plots._plots]
    assert len(heights) == 5
    assert min(heights) >= 0.8 * least_px
    area = view.findChild(QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    assert area.height() < 5 * least_px <= view.plots.height()
    assert np.isfinite(heights).all()
    for name in list(wanted.values())[1:5]:
        model.hide(name)
    view.refresh()
    app.processEvents()
    assert view.plots.minimumHeight() == least_px
    view.close()
    view.deleteLater()

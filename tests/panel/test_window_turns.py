"""What a turn draws it paints at once, and its time counts: in virtual time, moved by painting."""

from itertools import pairwise

import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QGraphicsView, QWidget

from hil.panel.live.dock_views import Plain
from hil.panel.shell.window_turns import TURN_MS

HEAVY_S = 0.200


@pytest.fixture
def window(app, still_window):
    """A window with all its views, whose turns and whose time are the test's."""
    while not still_window.views.complete:
        still_window.passed_s += 1e-3 * TURN_MS
        still_window.turns.turn()
    for _ in range(5):
        app.processEvents()
    return still_window


class Painted(QWidget):
    """A widget that takes long to paint."""

    def __init__(self, paints):
        super().__init__()
        self._paints = paints

    def change(self):
        self.update()

    def paintEvent(self, event):
        self._paints()


class Item(QGraphicsItem):
    """A thing in a picture that takes long to paint."""

    def __init__(self, paints):
        super().__init__()
        self._paints = paints

    def boundingRect(self):
        return QRectF(0.0, 0.0, 50.0, 50.0)

    def paint(self, *_):
        self._paints()


class Picture(QGraphicsView):
    """As the scope is made: the scene is told first, and tells the widget."""

    def __init__(self, paints):
        self._scene = QGraphicsScene()
        self._item = Item(paints)
        self._scene.addItem(self._item)
        super().__init__(self._scene)

    def change(self):
        self._item.update()


class Heavy(Plain):
    """A view whose drawing is nothing and whose painting is slow."""

    in_scenes = True

    def __init__(self, kind, window):
        self.painted = 0
        self._window = window
        self.widget = QWidget()
        self._content = kind(self._paint)
        self._content.setParent(self.widget)
        self._content.resize(200, 200)

    def _paint(self):
        self.painted += 1
        self._window.passed_s += HEAVY_S

    def refresh(self):
        self._content.change()

    def set_theme(self, theme):
        pass


@pytest.mark.parametrize("kind", [Painted, Picture])
def test_what_painting_takes_is_counted_and_the_turns_after_it_make_it_up(app, window, kind):
    view = Heavy(kind, window)
    window.views._made["margins"] = view
    window.docks.fill("margins", view.widget)
    window.docks.show("margins")
    for _ in range(20):
        app.processEvents()
    assert window.docks.visible("margins")

    view.painted, signs = 0, []
    for _ in range(60):
        begun_s = window.passed_s
        before = view.painted
        window.turns.turn()
        assert view.painted - before == (window.passed_s > begun_s)  # in the turn itself
        app.processEvents()
        assert view.painted - before <= 1, "nothing is left to Qt"
        window.passed_s = max(window.passed_s, begun_s + 1e-3 * TURN_MS)
        signs.append(window.passed_s - begun_s)
    assert window.turns._pace.cost_s["margins"] == pytest.approx(HEAVY_S)
    assert 4 <= view.painted <= 12
    late = [number for number, gap_s in enumerate(signs) if gap_s > 0.15]
    assert all(later - one >= 5 for one, later in pairwise(late[1:]))  # once is no measure
    words = "Drawn seldom, for want of time: {names}".format(names="Margins")
    assert words == window.menus._losses.text()

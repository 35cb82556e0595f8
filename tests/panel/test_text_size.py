"""The size of the text: chosen by menu and keys, kept, and room for all of it on small screens."""

import json
import os
import subprocess
import sys
from itertools import count, product

import pytest

pytest.importorskip("PySide6.QtWidgets")

from feed_samples import batch, mode, platform_facts
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QScrollArea,
    QTabBar,
    QTableWidget,
)
from view_samples import gone, pump, shown

from hil.desk import messages as m
from hil.desk.operation import Operation
from hil.panel.lead.state_view import StateView
from hil.panel.live.flow_row import FittedLabel
from hil.panel.live.models.bench import BenchModel
from hil.panel.live.models.bench_link import Source
from hil.panel.shell.dock_layout import DOCKS
from hil.panel.shell.window import MainWindow
from hil.panel.shell.window_appearance import TEXT_PT
from hil.panel.widgets.text_space import RowHeight
from hil.panel.widgets.theme import LIGHT

CONTROL = Qt.KeyboardModifier.ControlModifier
SMALL = [(1024, 600), (1366, 600)]
CAUSE = {
    "check": "position", "leg": 2, "value": 0.642, "low": 0.645, "limit": 1.375, "unit": "m",
    "message": "leg 2: position 0.642 m outside [0.645, 1.375] m (measured)",
}  # fmt: skip


@pytest.fixture
def make(app, tmp_path):
    """Windows with the same settings; text has its size again at the end."""
    before, made = QApplication.font(), []

    def window(width=1366, height=768):
        settings = QSettings(str(tmp_path / "panel.ini"), QSettings.Format.IniFormat)
        one = MainWindow(settings, lambda: 0.0, "panel")
        one.turns.timer.setInterval(1_000_000)
        one.setAnimated(False)
        one.resize(width, height)
        one.show()
        made.append(one)
        return one

    yield window
    for one in made:
        one.shut()
        one.deleteLater()
    QApplication.setFont(before)
    app.processEvents()


def action(window, words):
    found = [one for one in window.menus._main.findChildren(type(window.menus._larger))
             if one.text() == words]  # fmt: skip
    assert len(found) == 1, words
    return found[0]


def test_the_menu_has_every_size_and_all_text_takes_it_on(make):
    window = make()
    for size_pt in (20, 9, 14):
        action(window, f"{size_pt} pt").trigger()
        pump()
        assert window.appearance.text_pt == size_pt
        assert action(window, f"{size_pt} pt").isChecked()
        for widget in (window, window.menuBar(), window.statusBar(), *window.findChildren(QTabBar)):
            assert widget.font().pointSize() == size_pt, widget
    assert list(TEXT_PT) == list(range(9, 21))


def test_keys_make_it_larger_and_smaller_within_its_limits(make):
    window = make()
    window.appearance.use_text(18)
    window.activateWindow()
    pump(window.isActiveWindow)
    for key, wanted in ((Qt.Key.Key_Plus, 19), (Qt.Key.Key_Equal, 20), (Qt.Key.Key_Minus, 19)):
        QTest.keyClick(window, key, CONTROL)
        assert window.appearance.text_pt == wanted
    window.appearance.use_text(20)
    assert not window.menus._larger.isEnabled()
    window.appearance.resize_text(1)
    assert window.appearance.text_pt == 20
    window.appearance.use_text(9)
    assert not window.menus._smaller.isEnabled()
    window.appearance.resize_text(-1)
    assert window.appearance.text_pt == 9
    assert window.menus._larger.isEnabled()


def test_it_is_kept_between_starts(make):
    make().appearance.use_text(17)
    font = QApplication.font()
    font.setPointSize(11)
    QApplication.setFont(font)
    assert make().appearance.text_pt == 17


@pytest.mark.parametrize("kept", ["", "huge", "8", "21", "-3", "12.5"])
def test_what_is_no_size_is_left_alone(make, tmp_path, kept):
    settings = QSettings(str(tmp_path / "panel.ini"), QSettings.Format.IniFormat)
    settings.setValue("window/text_pt", kept)
    settings.sync()
    before = QApplication.font().pointSizeF()
    make()
    assert QApplication.font().pointSizeF() == before


def complete(window):
    for name in DOCKS:
        assert window.views[name]
    pump()


@pytest.fixture
def settled(request):
    """Wait for Qt, which lays docks out when it likes."""
    return request.getfixturevalue("pump")


def inside(window, dock):
    return window.rect().contains(dock.geometry())


@pytest.mark.parametrize(("width", "height"), SMALL)
@pytest.mark.parametrize("size_pt", [9, 20])
def test_a_window_can_be_600_pixels_high_with_all_its_docks(make, settled, width, height, size_pt):
    window = make(width, height)
    window.appearance.use_text(size_pt)
    complete(window)
    window.resize(width, height)
    pump()
    assert (window.width(), window.height()) == (width, height)
    assert window.minimumSizeHint().width() <= width
    assert window.minimumSizeHint().height() <= height
    for name, dock in window.docks.of.items():
        window.docks.show(name)
        settled(lambda dock=dock: inside(window, dock))
        content = window.views[name].widget
        assert dock.isVisible()
        if DOCKS[name].scrolls:
            area = dock.widget()
            assert isinstance(area, QScrollArea)
            reach = area.viewport().size() + Size(area)
            assert content.minimumSizeHint().width() <= reach.width(), name
            assert content.minimumSizeHint().height() <= reach.height(), name


def Size(area):
    """How far an area can be scrolled."""
    size = area.viewport().size()
    size.setWidth(area.horizontalScrollBar().maximum())
    size.setHeight(area.verticalScrollBar().maximum())
    return size


def test_tabs_of_docks_are_never_cut_short(make):
    window = make(1024, 600)
    window.appearance.use_text(20)
    complete(window)
    window.docks.tidy()
    bars = [bar for bar in window.findChildren(QTabBar) if bar.isVisible()]
    assert bars
    for bar in bars:
        assert bar.elideMode() is Qt.TextElideMode.ElideNone
        assert bar.usesScrollButtons()


def test_a_low_window_begins_with_one_row_of_docks(make):
    low = make(1366, 768)
    low.appearance.use_text(20)
    low.docks.reset()
    assert low.docks.of["scope"] in low.tabifiedDockWidgets(low.docks.of["controls"])
    low.appearance.use_text(9)
    low.docks.reset()
    assert low.docks.of["scope"] not in low.tabifiedDockWidgets(low.docks.of["controls"])


# --- the strip ---------------------------------------------------------------------------------


@pytest.fixture
def strip(app):
    """A strip of a bench in FAULT whose motion is owned here."""
    before, made = QApplication.font(), []

    def build(size_pt, width, in_mode="FAULT", source=Source.LIVE):
        font = QApplication.font()
        font.setPointSize(size_pt)
        QApplication.setFont(font)
        facts = platform_facts()
        model = BenchModel(facts, source, count(1).__next__)
        model.take_message(m.State(owner="desk", you_own=True, clients=("desk",), bench=True))
        told = Operation(cause=CAUSE if in_mode == "FAULT" else None, clear=False)
        model.take(batch(facts, operation=told, mode=mode(facts, in_mode)), 10.0)
        view = StateView(model, LIGHT)
        made.append(view)
        shown(view, width, 10)
        for _ in range(3):
            view.refresh(10.1)
            view.resize(width, view.sizeHint().height())
            pump()
        return view

    yield build
    for view in made:
        gone(view)
    QApplication.setFont(before)


@pytest.mark.parametrize(("size_pt", "width"), list(product([9, 14, 20], [1016, 1358, 3832])))
def test_nothing_of_the_strip_is_cut_off_at_any_size(strip, size_pt, width):
    view = strip(size_pt, width)
    assert view.width() == width >= view.minimumSizeHint().width()
    parts = [part for part in (*view.findChildren(QLabel), *view.findChildren(QAbstractButton))
             if part.isVisible()]  # fmt: skip
    assert {view.stop_button, view.hold_button, view.alarm, view.acts, *view.buttons.values()} <= {
        *parts
    }
    placed = []
    for part in parts:
        place = part.rect().translated(part.mapTo(view, part.rect().topLeft()))
        assert view.rect().contains(place), part.text()
        for text, other in placed:
            assert not place.intersects(other), (part.text(), text)
        placed.append((part.text(), place))
        if isinstance(part, QAbstractButton):
            metrics = QFontMetrics(part.font())
            lines = part.text().split("\n")
            assert max(map(metrics.horizontalAdvance, lines)) <= place.width(), part.text()
            assert len(lines) * metrics.height() <= place.height() + 1, part.text()
        elif isinstance(part, FittedLabel):
            assert part._fits(part.fitting(), part._text_area()), part.text()
        else:
            assert part.heightForWidth(place.width()) <= place.height() + 1, part.text()
    assert view.alarm.text() == f"FAULT: {CAUSE['message']}"
    assert view.acts.text().startswith("Next: ")
    assert view.acts.fitting().pointSizeF() >= 0.5 * size_pt


def test_at_1024_pixels_and_20_pt_the_strip_leaves_half_of_600_pixels(strip):
    assert strip(20, 1016).sizeHint().height() <= 300


def test_no_button_moves_when_the_cause_of_a_stop_comes(strip):
    for width in (1016, 1358):
        still = strip(20, width, "ENGAGED")
        places = [button.mapTo(still, button.rect().topLeft()) for button in still.buttons.values()]
        assert not still.alarm.isVisible()
        fault = strip(20, width)
        assert places == [
            button.mapTo(fault, button.rect().topLeft()) for button in fault.buttons.values()
        ]


def test_a_narrow_row_of_lamps_names_the_lit_one(strip):
    wide, narrow = strip(9, 1358), strip(20, 1016)
    assert not wide.lamps.narrow
    assert narrow.lamps.narrow
    assert narrow.lamps.height() < 0.7 * strip(20, 3832).lamps.height()
    assert narrow.lamps.accessibleName() == "mode: FAULT"


def test_a_narrow_strip_of_a_recording_leaves_out_what_nobody_can_press(strip):
    view = strip(20, 1016, "ENGAGED", Source.REPLAY)
    assert not any(button.isVisible() for button in view.buttons.values())
    assert view.stop_button.isVisible()
    assert strip(9, 1358, "ENGAGED", Source.REPLAY).buttons


def test_words_of_the_strip_follow_the_size_of_the_text(strip):
    view = strip(9, 3832)
    small = view.stop_button.font().pointSizeF()
    font = QApplication.font()
    font.setPointSize(18)
    QApplication.setFont(font)
    pump()
    assert view.stop_button.font().pointSizeF() > 1.4 * small
    assert view.owner.font().pointSize() == view.alarm.font().pointSize() == 18
    assert view._strut.height() > 1.5 * QFontMetrics(font).height()


# --- what Qt does not do by itself -------------------------------------------------------------


def test_titles_of_docks_are_as_large_as_all_other_text(make):
    window = make()
    high = {}
    for size_pt in (20, 10):
        window.appearance.use_text(size_pt)
        pump()
        assert {dock.font().pointSize() for dock in window.docks.of.values()} == {size_pt}
        image = window.docks.of["scene"].grab().toImage()
        rows = [y for y in range(round(2.4 * size_pt))
                if any(image.pixelColor(x, y).lightness() < 128 for x in range(4, 60))]  # fmt: skip
        high[size_pt] = rows[-1] - rows[0]
    assert high[20] == pytest.approx(2 * high[10], abs=2), "as they are drawn"


def test_a_message_that_is_too_long_is_written_smaller_and_its_hint_has_all_of_it(make):
    window = make(1024, 600)
    window.appearance.use_text(20)
    window.show_message("short")
    assert window.messages.font().pointSizeF() == 20.0
    words = "This panel was busy for 181 ms: its sign of life was late, and hold-to-run was let go"
    window.show_message(words)
    metrics = QFontMetrics(window.messages.font())
    assert 8.0 <= window.messages.font().pointSizeF() < 20.0
    assert metrics.horizontalAdvance(words) < window.messages.width()
    window.show_message(10 * words)
    assert window.messages.font().pointSizeF() == 8.0
    assert window.messages.toolTip() == 10 * words
    high = window.messages.height()
    window.show_message("short")
    pump()
    assert window.messages.height() == high, "no dock moves for a message"


def test_rows_of_tables_are_as_high_as_their_text(app):
    before, table = QApplication.font(), QTableWidget(3, 2)
    RowHeight(table)
    table.show()
    for size_pt in (9, 20):
        font = QApplication.font()
        font.setPointSize(size_pt)
        QApplication.setFont(font)
        pump()
        assert table.rowHeight(1) >= QFontMetrics(table.font()).height()
        assert table.font().pointSize() == size_pt
    table.close()
    table.deleteLater()
    QApplication.setFont(before)


# --- large screens -----------------------------------------------------------------------------

_LARGE = """
import json, sys
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
app = QApplication([])
from hil.panel.shell.dock_layout import DOCKS
from hil.panel.shell.models.far_display import CAPITAL_MM
from hil.panel.shell.window import MainWindow
from hil.panel.shell.window_distance import px_per_mm_of
from PySide6.QtGui import QFontMetricsF
window = MainWindow(QSettings(sys.argv[1], QSettings.Format.IniFormat), lambda: 0.0, "panel")
window.turns.timer.setInterval(1_000_000)
window.appearance.use_text(20)
window.show()
for name in DOCKS:
    window.views[name]
window.distance.toggle()
for _ in range(50):
    app.processEvents()
mode = window.distance.mode
print(json.dumps({
    "pixels": [round(side * window.devicePixelRatioF()) for side in window.size().toTuple()],
    "scale": window.devicePixelRatioF(),
    "least": window.minimumSizeHint().toTuple(),
    "inside": window.rect().contains(window.distance.geometry()),
    "capitals": QFontMetricsF(mode.font()).capHeight() / px_per_mm_of(mode.screen()) / CAPITAL_MM,
}))
window.shut()
"""


@pytest.mark.parametrize("scale", [1, 2])
def test_a_4k_screen_is_filled_at_either_scale(tmp_path, scale):
    """On a screen of Qt's own, by a process that draws so many pixels for one."""
    screen = {"screens": [{"name": "4K", "x": 0, "y": 0, "width": 3840, "height": 2160,
                           "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]}  # fmt: skip
    (tmp_path / "screen.json").write_text(json.dumps(screen))
    environment = os.environ | {
        "QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screen.json'}",
        "QT_SCALE_FACTOR": str(scale),
    }
    done = subprocess.run(
        [sys.executable, "-c", _LARGE, str(tmp_path / "panel.ini")],
        env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["pixels"] == [3840, 2160]
    assert told["scale"] == scale
    assert told["least"][0] * scale <= 3840
    assert told["least"][1] * scale <= 2160
    assert told["inside"]
    assert told["capitals"] >= 1.0

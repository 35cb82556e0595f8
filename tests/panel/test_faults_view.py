"""The table of faults: newest first, selectable, copied, dimmed once it is over."""

from html import unescape

import pytest
from feed_samples import batch, mode_event, platform_facts
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from test_faults_model import refusal, violation
from view_samples import application, gone, pump, shown

from hil.panel.live.faults_view import COLUMNS, FaultsView
from hil.panel.live.models.faults import FaultsModel
from hil.panel.widgets.theme import DARK, LIGHT
from safety.verdict import Check

FACTS = platform_facts()


@pytest.fixture
def view():
    application()
    made = shown(FaultsView(FaultsModel(FACTS), LIGHT), 700, 400)
    made.refresh()
    yield made
    gone(made)


def feed(view, *events):
    view._model.take(batch(FACTS, *events, count=0), 0.0)
    view.refresh()
    pump()


def cell(view, row, name, role=Qt.ItemDataRole.DisplayRole):
    return view.table_model.data(view.table_model.index(row, COLUMNS.index(name)), role)


def test_an_empty_table_says_that_all_is_well(view):
    assert "No faults" in view.count.text()
    assert view.table_model.rowCount() == 0


def test_lines_are_shown_newest_first_with_advice(view):
    feed(view, violation(1.0), refusal(2.0), violation(3.0, Check.FOLLOWING, 5, 0.01, 0.006))
    assert [cell(view, row, "t_s") for row in range(3)] == ["3.000 s", "2.000 s", "1.000 s"]
    assert cell(view, 0, "place") == "leg 5"
    assert cell(view, 2, "limit") == "520 mm … 830 mm"
    assert "2 standing" in view.count.text()
    assert (
        "The leg does not follow. Look for something in its way, overload, or a weak "
        "drive. Look at the machine before resetting."
    ) in view.advice.text()


def test_a_chosen_line_tells_its_own_advice_and_stays_chosen(view):
    feed(view, violation(1.0), violation(2.0, Check.SPEED, 1, 0.4, 0.3, "m/s"))
    view.table.selectRow(1)
    assert (
        "The motion leaves the leg's travel. Make it smaller or move its neutral pose; "
        "`hil check` prints what makes it fit. Reset, then home."
    ) in unescape(view.advice.text())
    feed(view, violation(3.0, Check.ESTOP, None))
    assert [one.row() for one in view.table.selectionModel().selectedRows()] == [2]
    assert (
        "The motion leaves the leg's travel. Make it smaller or move its neutral pose; "
        "`hil check` prints what makes it fit. Reset, then home."
    ) in unescape(view.advice.text())


def test_lines_are_copied_by_key_and_button(view):
    feed(view, violation(1.0), violation(2.0, Check.SPEED, 1, 0.4, 0.3, "m/s"), refusal(3.0))
    view.table.selectRow(1)
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.count("\n") == 0
    assert copied.startswith("2.000 s\tfault\tstanding\tleg 1\t")
    view.table.clearSelection()
    QTest.mouseClick(view.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().count("\n") == 2


def test_what_is_over_is_dim_marked_and_can_be_hidden(view):
    feed(view, violation(1.0))
    mark = cell(view, 0, "sort")
    assert cell(view, 0, "cause", Qt.ItemDataRole.FontRole).bold()
    feed(view, mode_event("IDLE", 2.0))
    assert cell(view, 0, "sort") != mark
    assert "over" in cell(view, 0, "sort")
    assert cell(view, 0, "cause", Qt.ItemDataRole.FontRole) is None
    dim = cell(view, 0, "cause", Qt.ItemDataRole.ForegroundRole).color().name().upper()
    assert dim == LIGHT.dim
    assert "No faults" in view.count.text()
    QTest.mouseClick(view.forget_button, Qt.MouseButton.LeftButton)
    assert view.table_model.rowCount() == 0


def test_another_theme_and_another_run(view):
    feed(view, violation(1.0))
    view.set_theme(DARK)
    view.refresh()
    assert DARK.fault in view.count.text()
    view.set_model(FaultsModel(FACTS))
    view.refresh()
    assert view.table_model.rowCount() == 0


def test_nothing_is_done_while_hidden(view):
    view.hide()
    feed(view, violation(1.0))
    assert view.table_model.rowCount() == 0
    view.show()
    view.refresh()
    assert view.table_model.rowCount() == 1


def test_words_with_markup_are_words(view):
    feed(view, refusal(1.0).__class__(1.0, 1, violation().kind, violation().level, "loop", "<i>&"))
    assert "&lt;i&gt;&amp;" in view.advice.text()

"""The form as a person uses it: keys and clicks, problems beside their fields, nothing sideways."""

import tomllib

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit

from hil.config.file_search import configs_dir
from hil.panel.scenarios.form_delegate import NAME, PROBLEM, VALUE
from hil.panel.scenarios.form_view import FormView
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_check import Problem, problems_of
from hil.run.file_kinds import kind_of

DEMO = configs_dir() / "scenarios" / "demo.toml"


@pytest.fixture
def view(app):
    table = tomllib.loads(DEMO.read_text())
    kind = kind_of(table, "demo")
    assert kind is not None
    form = FormView()
    form.resize(460, 500)
    form.set_model(FormModel(kind, table), lambda now: problems_of(kind, now, DEMO), DEMO)
    form.show()
    yield form
    form.close_checks()
    form.deleteLater()


def line(view, *place):
    return view.tree.items()[place]


def editor(view, kind):
    found = [one for one in view.tree.findChildren(kind) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def test_typing_counts_at_once_and_the_problem_appears_beside_it(view, pump):
    view.tree.select(("rate_hz",))
    QTest.keyClick(view.tree, Qt.Key.Key_Return)
    field = editor(view, QLineEdit)
    field.selectAll()
    QTest.keyClicks(field, "5000")
    assert view.model.table["rate_hz"] == 5000
    assert line(view, "rate_hz").text(VALUE) == "5000"
    view.checker.idle.timeout.emit()  # typing rests
    view.checker.pool.waitForDone()
    pump(lambda: view.model.problems)
    assert "less than or equal to 1000" in line(view, "rate_hz").text(PROBLEM)
    assert line(view, "motion").text(PROBLEM) == ""
    assert field.isVisible()
    QTest.keyClicks(field, "")
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert view.model.table["rate_hz"] == 500


def test_a_problem_inside_a_closed_line_is_shown_at_it(view):
    place = ("motion", "terms", 1, "frequency_hz")
    item = line(view, "motion", "terms", 1)
    item.setExpanded(False)
    view._take(view.model.revision, (Problem(place, "should be greater than 0"),))
    assert line(view, *place).text(PROBLEM) == "should be greater than 0"
    assert item.text(PROBLEM) == "should be greater than 0"
    item.setExpanded(True)
    assert line(view, *place).text(PROBLEM) == "should be greater than 0"
    assert item.text(PROBLEM) == ""
    item.setExpanded(False)
    assert item.text(PROBLEM) == "should be greater than 0"


def test_another_kind_brings_other_lines(view):
    view.tree.select(("motion", "kind"))
    QTest.keyClick(view.tree, Qt.Key.Key_Return)
    box = editor(view, QComboBox)
    row = box.findText("hold")
    box.setCurrentIndex(row)
    box.activated.emit(row)
    assert view.model.table["motion"]["kind"] == "hold"
    assert ("motion", "terms") not in view.tree.items()
    view.undo()
    assert len(view.model.table["motion"]["terms"]) == 8


def test_keys_add_remove_move_and_take_back(view, pump):
    view.activateWindow()
    view.tree.setFocus()
    pump(view.tree.hasFocus)
    view.tree.select(("motion", "terms", 7))
    QTest.keyClick(view.tree, Qt.Key.Key_Insert)
    assert len(view.model.table["motion"]["terms"]) == 9
    assert view.tree.current == ("motion", "terms", 8)
    QTest.keyClick(view.tree, Qt.Key.Key_Delete)
    assert len(view.model.table["motion"]["terms"]) == 8
    view.tree.select(("motion", "terms", 0))
    first = view.model.table["motion"]["terms"][0]
    QTest.keyClick(view.tree, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert view.model.table["motion"]["terms"][1] == first
    QTest.keyClick(view.tree, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert view.model.table["motion"]["terms"][0] == first


def test_a_tick_lets_a_setting_stand_in_the_file(view, pump):
    assert "devices" not in view.model.table
    line(view, "devices").setCheckState(0, Qt.CheckState.Checked)
    pump(lambda: "devices" in view.model.table)
    line(view, "devices").setCheckState(0, Qt.CheckState.Unchecked)
    pump(lambda: "devices" not in view.model.table)


def test_what_is_required_cannot_be_removed_and_says_so(view):
    view.tree.select(("motion",))
    view.remove()
    assert "required" in view._about.text()
    assert "motion" in view.model.table


def test_a_rig_is_picked_from_a_list_or_typed(view):
    view.tree.select(("rig",))
    QTest.keyClick(view.tree, Qt.Key.Key_Return)
    box = editor(view, QComboBox)
    offered = {box.itemText(row) for row in range(box.count())}
    assert offered == {"paper", "paper_cabin", "training_simulator"}
    assert box.currentText() == view.model.table["rig"] == "../rigs/paper.toml"
    box.setCurrentIndex(box.findText("training_simulator"))
    box.textActivated.emit("training_simulator")
    assert view.model.table["rig"] == "training_simulator"
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "p")
    assert view.model.table["rig"] == "p"  # as typed, not what begins with it


def test_labels_carry_the_unit_and_tool_tips_tell_bounds(view):
    item = line(view, "motion", "fade_s")
    assert item.text(NAME) == "fade [s]"
    assert "0 < …" in item.toolTip(NAME)
    assert view.model.node(("motion", "fade_s")).about in item.toolTip(VALUE)


def test_nothing_scrolls_sideways(view):
    assert view.tree.horizontalScrollBar().maximum() == 0
    assert view.minimumSizeHint().width() <= 460


def test_a_list_of_hundreds_opens_only_when_asked(view):
    table = tomllib.loads(DEMO.read_text())
    table["motion"]["terms"] = table["motion"]["terms"] * 75
    kind = view.model.kind
    view.set_model(FormModel(kind, table))
    assert ("motion", "terms", 0) not in view.tree.items()
    place = ("motion", "terms", 599)
    view._take(view.model.revision, (Problem(place, "not so"),))
    terms = line(view, "motion", "terms")
    assert terms.text(PROBLEM) == "not so"
    terms.setExpanded(True)
    assert ("motion", "terms", 599) in view.tree.items()
    assert line(view, *place).text(PROBLEM) == "not so"
    assert terms.text(PROBLEM) == line(view, "motion").text(PROBLEM) == ""
    assert ("motion", "terms", 599, "axis") not in view.tree.items()


@pytest.mark.parametrize(
    ("place", "acts"),
    [
        (None, set()),
        (("name",), set()),  # it is required
        (("description",), {"remove"}),
        (("station",), set()),  # it is left out
        (("motion", "terms"), {"add"}),  # it is required
        (("motion", "terms", 0), {"add", "remove", "down"}),
        (("motion", "terms", 3, "axis"), {"add", "up", "down"}),
        (("motion", "terms", 7), {"add", "remove", "up"}),
    ],
)
def test_only_the_buttons_that_would_change_something_are_on(view, place, acts):
    """Judge: each button's own act, which changes the table or does not."""
    view.tree.setCurrentItem(None)
    if place is not None:
        view.tree.select(place)
    on = {name for name, button in view.buttons.items() if button.isEnabled()}
    assert on == acts
    before = view.model.table
    for name, act in (
        ("add", view.add), ("remove", view.remove), ("up", lambda: view.shift(-1)),
        ("down", lambda: view.shift(1)), ("reshape", view.reshape),
    ):  # fmt: skip
        act()
        assert (view.model.table != before) is (name in acts), name
        if view.model.table != before:
            view.undo()
            if place is not None:
                view.tree.select(place)

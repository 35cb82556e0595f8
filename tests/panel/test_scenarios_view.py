"""Scenarios as a person uses them: pick, edit, take back, save, check, run."""

import tomllib

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from hil.config.file_search import configs_dir
from hil.panel.scenarios.form_delegate import PROBLEM
from hil.panel.scenarios.models import launch
from hil.panel.scenarios.models.launch import LaunchState
from hil.panel.scenarios.scenarios_view import ScenariosView

DEMO = configs_dir() / "scenarios" / "demo.toml"
LEAVES = configs_dir() / "scenarios" / "leaves_envelope.toml"
CHILD_S = 60.0


@pytest.fixture
def view(app, tmp_path):
    made = ScenariosView(lambda: 0.0, tmp_path / "runs", (tmp_path,))
    made.resize(460, 700)
    made.show()
    yield made
    made.close_all()
    made.deleteLater()


def pick(view, path):
    row = view._row_of(path.resolve())
    assert row >= 0
    view.picker.setCurrentIndex(row)
    view.picker.activated.emit(row)
    looked_at(view)


def looked_at(view):
    """Let the check of the settings come to its end."""
    view.form.checker.begin()
    view.form.checker.pool.waitForDone()


def typed(view, place, words):
    view.form.tree.select(place)
    QTest.keyClick(view.form.tree, Qt.Key.Key_Return)
    (field,) = [one for one in view.form.tree.findChildren(QLineEdit) if one.isVisible()]
    field.selectAll()
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)
    looked_at(view)


def click(view, name):
    assert view.buttons[name].isEnabled()
    QTest.mouseClick(view.buttons[name], Qt.MouseButton.LeftButton)


def child_ended(child):
    child._process.wait(CHILD_S)


def faked(monkeypatch, words):
    seen = []

    def arguments(path, out, *, several, override):
        seen.append((path, out, several, override))
        return ["-c", f"import sys, time; {words}"]

    monkeypatch.setattr(launch, "bench_arguments", arguments)
    return seen


def test_a_wrong_value_is_told_in_place_and_taken_back(view, pump):
    pick(view, DEMO)
    pump(lambda: view.buttons["run"].isEnabled())
    typed(view, ("rate_hz",), "5000")
    pump(lambda: view.form.model.problems)
    line = view.form.tree.items()["rate_hz",]
    assert "less than or equal to 1000" in line.text(PROBLEM)
    assert not any(view.buttons[name].isEnabled() for name in ("check", "dry", "run", "save"))
    assert view._status_label.text() == "Put right what is marked, then check or run it."
    while view.form.model.can_undo:
        view.form.buttons["undo"].click()
    looked_at(view)
    pump(lambda: not view.form.model.problems and view.buttons["run"].isEnabled())
    assert view.form.tree.items()["rate_hz",].text(PROBLEM) == ""


def test_what_was_changed_is_saved_as_another_file_before_it_is_run(view, pump, tmp_path):
    pick(view, DEMO)
    typed(view, ("rate_hz",), "250")
    pump(lambda: not view.form.model.problems)
    assert not view.buttons["run"].isEnabled()
    assert (
        view.buttons["run"].toolTip()
        == "Changed: save it under another name, then check or run it."
    )
    assert not view.save(DEMO)  # came with the program
    assert "demo.toml" in view._status_label.text()
    assert view.save(tmp_path / "mine")
    saved = tomllib.loads((tmp_path / "mine.toml").read_text())
    assert saved["rate_hz"] == 250
    assert view.picker.currentData() == (tmp_path / "mine.toml").resolve()
    looked_at(view)
    pump(lambda: view.buttons["run"].isEnabled())
    assert not view.form.model.changed


def test_a_real_check_lists_what_is_wrong(view, pump):
    pick(view, LEAVES)
    pump(lambda: view.buttons["check"].isEnabled())
    click(view, "check")
    assert view._status_label.text() == "Checking…"
    assert not view.buttons["check"].isEnabled()
    child_ended(view.work.check._child)
    view.refresh()
    assert view.findings.isVisible()
    assert "length 0.6349" in view.findings.item(0).text()
    assert "leaves_envelope would be refused" in view._status_label.text()
    assert view.buttons["check"].isEnabled()


def test_run_begins_a_bench_and_end_asks_it_to_stop(view, pump, monkeypatch, tmp_path):
    seen = faked(monkeypatch, "time.sleep(60)")
    pick(view, DEMO)
    pump(lambda: view.buttons["run"].isEnabled())
    click(view, "run")
    assert seen == [(DEMO.resolve(), tmp_path / "runs", False, "")]
    assert view._status_label.text() == "{name} starts…".format(name="demo")
    assert not view.buttons["run"].isEnabled()
    click(view, "stop")
    child_ended(view.work.bench._child)
    view.refresh()
    assert not view.work.running
    assert view.buttons["run"].isEnabled()


def test_a_bench_that_dies_at_once_is_told_in_its_own_words(view, pump, monkeypatch):
    faked(monkeypatch, "sys.exit('no such bus: can7')")
    pick(view, DEMO)
    pump(lambda: view.buttons["run"].isEnabled())
    click(view, "run")
    child_ended(view.work.bench._child)
    view.refresh()
    assert view.work.bench.state is LaunchState.FAILED
    assert "no such bus: can7" in view._status_label.text()


def test_a_file_that_cannot_be_read_says_why(view, tmp_path):
    (tmp_path / "broken.toml").write_text("name = \n")
    view.open_scenario(tmp_path / "broken.toml")
    assert view._description.text()
    assert view.form.model is None
    assert not any(button.isEnabled() for button in view.buttons.values())

"""The editor's window: placed, connected, refused, grouped, undone, redone, saved, recovered."""

import pytest
from diagram_samples import LEVEL

from hil.diagram.read import read
from hil.diagram.write import text_of
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.setting import SetParameter

pytest.importorskip("PySide6")


@pytest.fixture
def window(app, tmp_path, monkeypatch):
    from hil.panel.diagram.window import DiagramWindow

    faults = []  # of slots, which raise into Qt
    monkeypatch.setattr("sys.excepthook", lambda _, fault, __: faults.append(fault))
    path = tmp_path / "law.toml"
    path.write_text(LEVEL)
    made = DiagramWindow(Document(path))
    made.show()
    made.view.fit()
    app.processEvents()
    yield made
    made.hide()
    made.document.close()
    made.deleteLater()
    assert faults == []


def drag(window, begin, end):
    """Press at one point of the drawing, and let go at another."""
    from PySide6.QtCore import QPointF, Qt
    from PySide6.QtTest import QTest

    port = window.view.viewport()
    first, last = (window.view.mapFromScene(QPointF(*one)) for one in (begin, end))
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(port, left, pos=first)
    for part in range(1, 5):
        QTest.mouseMove(port, first + (last - first) * part / 4)
    QTest.mouseRelease(port, left, pos=last)


def port(window, name, *, output):
    block, _, port = name.partition(".")
    return window.scene.blocks[block].shape_of.port_at(port, output=output)


def place(window, typed):
    from PySide6.QtTest import QTest

    window.search.clear()
    QTest.keyClicks(window.search, typed)
    QTest.keyClick(window.search, "\r")
    (name,) = window.scene.chosen()
    return name


def test_a_law_is_drawn_grouped_undone_redone_saved_and_recovered(window):
    document = window.document
    first = text_of(document.file)
    scope = place(window, "Out")
    assert document.file.top.blocks[scope].kind == "Out"
    window.view.fit()
    drag(window, port(window, "error.y", output=True), port(window, f"{scope}.u", output=False))
    assert document.file.top.wires[f"{scope}.u"] == "error.y"

    newton = place(window, "Constant")
    cells = {window.parameters.item(row, 0).text(): row
             for row in range(window.parameters.rowCount())}  # fmt: skip
    window.parameters.item(cells["unit"], 1).setText("N")
    assert document.file.top.blocks[newton].parameters["unit"] == "N"
    gone = document.file
    window.scene.clearSelection()
    window.scene.wires["error.u1"].setSelected(True)
    window.delete()
    assert "error.u1" not in document.file.top.wires
    window.view.fit()
    drag(window, port(window, f"{newton}.y", output=True), port(window, "error.u1", output=False))
    assert "error.u1" not in document.file.top.wires
    assert "N into m" in window.statusBar().currentMessage()
    window.undo()
    assert document.file == gone

    window.group_as(["error", "pi"], "Law")
    assert "law" in window.scene.blocks
    last = text_of(document.file)
    while document.undo_words:
        window.undo()
    assert text_of(document.file) == first
    while document.redo_words:
        window.redo()
    assert text_of(document.file) == last
    assert window.save()
    assert text_of(read(document.path)) == last
    document.close()  # as if it had been killed: nothing of it is asked
    again = Document(document.path)
    assert text_of(again.file) == last
    again.close()


def test_blocks_are_moved_by_the_pointer_in_one_step(window):
    at = window.scene.blocks["pi"].shape_of.at
    drag(window, (at[0] + 30, at[1] + 12), (at[0] + 30, at[1] + 132))
    moved = window.document.file.top.places["pi"]
    assert moved[0] == pytest.approx(at[0], abs=2)
    assert moved[1] == pytest.approx(at[1] + 120, abs=3)
    window.undo()
    assert window.document.file.top.places["pi"] == at
    assert not window.document.undo_words


def test_what_is_wrong_is_listed_and_a_wrong_value_is_put_back(window):
    window.scene.choose(frozenset({"pi"}))
    rows = {window.parameters.item(row, 0).text(): row
            for row in range(window.parameters.rowCount())}  # fmt: skip
    window.parameters.item(rows["kp"], 1).setText("many")
    assert "kp = many" in window.statusBar().currentMessage().replace("'", "")
    assert window.parameters.item(rows["kp"], 1).text() == "2.0"
    window.parameters.item(rows["unit"], 1).setText("parsec")
    assert "not understood" in window.statusBar().currentMessage()
    assert window.parameters.item(rows["unit"], 1).text() == "V/m"
    window.scene.choose(frozenset({"wanted"}))
    window.delete()
    assert window.faults.item(0).text() == "error.u1: nothing is wired to this input"


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_edits_that_were_left_unsaved_are_offered_as_the_editor_opens(
    app, tmp_path, monkeypatch, answer
):
    from PySide6.QtWidgets import QApplication, QMessageBox

    from hil.panel.diagram.app import run_editor

    path = tmp_path / "law.toml"
    path.write_text(LEVEL)
    document = Document(path)
    document.do(SetParameter("", "pi", "kp", 3.0))
    document.close()
    asked = []

    def question(_, __, words):
        asked.append(words)
        return QMessageBox.StandardButton[answer]

    monkeypatch.setattr(QMessageBox, "question", question)
    monkeypatch.setattr(QApplication, "exec", lambda _: 7)
    again = Document(path)
    palette = app.palette()
    assert run_editor(again) == 7
    app.setPalette(palette)
    assert asked == ["1 step(s) were left unsaved. Go on with them?"]
    assert again.file.top.blocks["pi"].parameters["kp"] == (3.0 if answer == "Yes" else 2.0)
    assert path.read_text() == LEVEL
    again.close(discard=True)

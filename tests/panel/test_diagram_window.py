"""The editor's window: placed, connected, refused, grouped, undone, redone, saved, recovered."""

import pytest
from diagram_samples import LEVEL, editor_window

from hil.diagram.check.seam import DiagramEnds, Endpiece
from hil.diagram.file.read import read
from hil.diagram.file.write import text_of
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.line_edits import SetParameter

pytest.importorskip("PySide6")


@pytest.fixture
def window(app, tmp_path, monkeypatch):
    with editor_window(app, tmp_path, monkeypatch) as made:
        yield made


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

    window.questions.group_as(["error", "pi"], "Law")
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


def test_arrows_move_what_is_chosen_and_nothing_else(window):
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    before = dict(window.document.file.top.places)
    window.scene.choose(frozenset({"pi", "limit"}))
    window.view.setFocus()
    QTest.keyClick(window.view.viewport(), Qt.Key.Key_Right)
    QTest.keyClick(window.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    moved = {name: (x + 10, y + 100) for name, (x, y) in before.items() if name in ("pi", "limit")}
    assert dict(window.document.file.top.places) == before | moved
    assert window.scene.chosen() == ["limit", "pi"]


def test_what_nobody_placed_is_laid_out_and_what_somebody_placed_stays(window):
    from hil.panel.diagram.models.edits import PlaceBlock
    from hil.panel.diagram.models.place_edits import LayOut

    window.scene.do(PlaceBlock("", "Abs", (0, 0)))
    before = dict(window.document.file.top.places)
    file = window.document.file
    bare = {name: at for name, at in before.items() if name not in ("pi", "valve")}
    from dataclasses import replace

    made = LayOut("").on(replace(file, top=replace(file.top, places=bare)))
    assert {name: made.top.places[name] for name in bare} == bare
    assert made.top.places.keys() == before.keys()
    window.choose_all()
    window.lay_out()
    after = window.document.file.top.places
    order = [after[name][0] for name in ("level", "error", "pi", "limit", "valve")]
    assert order == sorted(order)
    assert len(set(after.values())) == len(after)
    window.undo()
    assert dict(window.document.file.top.places) == before


def test_blocks_are_put_on_one_line_by_any_edge(window):
    shapes = {name: item.shape_of for name, item in window.scene.blocks.items()}
    window.scene.choose(frozenset({"pi", "limit"}))
    for edge, ends in (("right", 0), ("bottom", 1)):
        window.align(edge)
        places = window.document.file.top.places
        sizes = {name: (shapes[name].width, shapes[name].height) for name in ("pi", "limit")}
        assert places["pi"][ends] + sizes["pi"][ends] == (
            places["limit"][ends] + sizes["limit"][ends]
        )


def answered(monkeypatch, text, *, fine=True):
    from PySide6.QtWidgets import QInputDialog

    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (text, fine))


def test_wires_are_typed_blocks_found_and_a_picture_written(window, monkeypatch, tmp_path):
    from PySide6.QtWidgets import QFileDialog

    gone = window.document.file.top.wires["pi.e"]
    window.scene.wires["pi.e"].setSelected(True)
    window.delete()
    answered(monkeypatch, "error.y -> pi.e", fine=False)
    window.actions_by_name["Connect…"].trigger()
    assert "pi.e" not in window.document.file.top.wires
    answered(monkeypatch, "error.y -> pi.e")
    window.actions_by_name["Connect…"].trigger()
    assert window.document.file.top.wires["pi.e"] == gone
    for text, why in (("error.y", "write it as"), ("limit.y -> error.u2", "drives it already")):
        answered(monkeypatch, text)
        window.actions_by_name["Connect…"].trigger()
        assert why in window.statusBar().currentMessage()
    answered(monkeypatch, "LIM")
    window.actions_by_name["Find a block…"].trigger()
    assert window.scene.chosen() == ["limit"]
    answered(monkeypatch, "nowhere")
    window.actions_by_name["Find a block…"].trigger()
    assert "no block here" in window.statusBar().currentMessage()
    answered(monkeypatch, "bound")
    window.actions_by_name["Rename…"].trigger()
    assert window.scene.chosen() == ["bound"]
    for name in (tmp_path / "law.svg", tmp_path / "no folder" / "law.svg"):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, n=name: (str(n), ""))
        window.actions_by_name["Picture…"].trigger()
    assert (tmp_path / "law.svg").read_text().startswith("<svg")
    assert "No such file" in window.statusBar().currentMessage()


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


def test_signals_and_setpoints_of_a_station_are_placed_as_what_they_are(app, tmp_path, monkeypatch):
    ends = DiagramEnds(
        (Endpiece("wrist_force_n", "N", (3,), "wrist"), Endpiece("speed_rad_s", "rad/s", (7,))),
        (Endpiece("voltage", "1", (7,)),),
    )
    with editor_window(app, tmp_path, monkeypatch, ends) as window:
        names = [place(window, typed) for typed in ("wrist", "speed_rad", "voltage")]
        blocks = window.document.file.top.blocks
        assert names == ["wrist_force_n", "speed_rad_s", "voltage"]
        assert [blocks[one].kind for one in names] == ["In", "In", "Out"]
        assert blocks["wrist_force_n"].parameters == {
            "unit": "N", "shape": (3,), "type": "real", "frame": "wrist"
        }  # fmt: skip
        assert blocks["voltage"].parameters == {"unit": "1", "shape": (7,), "type": "real"}
        drag(window, port(window, "wrist_force_n.y", output=True),
             port(window, "voltage.u", output=False))  # fmt: skip
        assert "voltage.u" not in window.document.file.top.wires  # N into 1
        window.search.setText("speed_rad")
        window.place()  # its name is taken: refused, and said
        assert list(window.document.file.top.blocks).count("speed_rad_s") == 1
        assert "speed_rad_s" in window.statusBar().currentMessage()


def test_the_field_is_empty_whenever_a_block_is_to_be_added(window):
    place(window, "Constant")
    assert window.search.text() == ""
    window.search.setText("Lim")
    window.actions_by_name["Add a block"].trigger()
    assert window.search.text() == ""
    assert window.offers.count() > 20


def test_a_block_is_dropped_where_it_was_let_go(window):
    from PySide6.QtCore import QMimeData, QPointF, Qt
    from PySide6.QtGui import QDropEvent

    window.search.setText("Constant")
    at = window.view.viewport().rect().center() / 2
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    assert window.offers.dragEnabled()
    before, there = set(window.document.file.top.blocks), window.view.mapToScene(at)
    window.view.dropEvent(QDropEvent(QPointF(at), copy, QMimeData(), left, none))
    (name,) = set(window.document.file.top.blocks) - before
    x, y = window.document.file.top.places[name]
    assert abs(x - there.x()) <= 10
    assert abs(y - there.y()) <= 10


def test_what_comes_from_elsewhere_is_not_dropped(window):
    from PySide6.QtCore import QMimeData, QPoint, Qt
    from PySide6.QtGui import QDragEnterEvent

    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(QPoint(5, 5), copy, QMimeData(), left, none)
    window.view.dragEnterEvent(event)
    assert not event.isAccepted()


def test_blocks_say_what_they_do_as_pictures_of_them_do(window):
    from html import escape

    from hil.diagram.show.draw import svg

    drawn = svg(window.document.file, window.document.file.top, "")
    for item in window.scene.blocks.values():
        one = item.shape_of
        assert one.kind in ("In", "Out") or f">{escape(one.shown)[:4]}" in drawn, one
    signs = window.scene.blocks["error"].shape_of.input_words
    assert sorted(signs) == ["+", "−"]


def test_a_wire_ends_in_a_head_at_its_port(window):
    for target, wire in window.scene.wires.items():
        x, y = port(window, target, output=False)
        tip = wire.head().boundingRect()
        assert x - 5 < tip.right() < x
        assert tip.top() < y < tip.bottom()


@pytest.mark.parametrize(("width", "height"), [(800, 600), (1024, 600), (1366, 768)])
def test_the_window_fits_a_small_screen(app, window, monkeypatch, width, height):
    """Frame and title, too; and the drawing has more of it than what stands beside."""
    from PySide6.QtCore import QSize
    from PySide6.QtGui import QGuiApplication

    screen = type("Screen", (), {"availableSize": lambda self: QSize(width, height)})()
    monkeypatch.setattr(QGuiApplication, "primaryScreen", lambda: screen)
    window.resize(1440, 900)
    window._fit_screen()
    app.processEvents()
    assert window.width() < width
    assert window.height() < height - 30
    assert window.view.width() > 0.5 * window.width()
    assert window.view.height() > 0.5 * window.height()


def test_a_refusal_stands_at_the_pointer(window, monkeypatch):
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QCursor
    from PySide6.QtWidgets import QToolTip

    told, at = [], window.geometry().center()
    monkeypatch.setattr(QToolTip, "showText", lambda *given: told.append(given[:2]))
    monkeypatch.setattr(QCursor, "pos", lambda: at)
    window._show_message("refused: no such port")
    assert told == [(at, "refused: no such port")]
    at = window.geometry().bottomRight() + QPoint(50, 50)  # the pointer is elsewhere
    window._show_message("refused: again")
    assert len(told) == 1


def test_inputs_outputs_and_sub_diagrams_are_told_apart_as_in_pictures(window):
    assert window.scene.blocks["level"].shape_of.is_face
    assert not window.scene.blocks["pi"].shape_of.is_face
    window.questions.group_as(["error", "pi"], "In2")
    assert window.scene.blocks["in2"].shape_of.is_sub

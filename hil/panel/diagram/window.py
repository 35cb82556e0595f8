"""The editor's window: palette, drawing, the chosen block's parameters, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QDockWidget,
    QFileDialog,
    QHeaderView,
    QInputDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hil.config.errors import RefusedError
from hil.config.toml_text import toml_value
from hil.diagram.kind import ParameterKind
from hil.diagram.registry import SUB, faces, kinds
from hil.panel.diagram.drawing_view import ZOOM_STEP, DiagramView
from hil.panel.diagram.models.clipboard import Paste, copied
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.edits import Delete, Disconnect, PlaceBlock, Rename
from hil.panel.diagram.models.grouping import Ungroup
from hil.panel.diagram.models.palette import BlockOffer, Palette
from hil.panel.diagram.models.placing import AlignBlocks
from hil.panel.diagram.models.setting import SetNote, SetParameter, SetTicks, typed
from hil.panel.diagram.scene import DiagramScene
from hil.panel.shell.theme import LIGHT, Theme


class DiagramWindow(QMainWindow):
    """One diagram that is edited.

    Args:
        document: What is edited.
        theme: Its colours.
    """

    def __init__(self, document: Document, theme: Theme = LIGHT) -> None:
        super().__init__()
        self.document = document
        self.scene = DiagramScene(document, theme)
        self.view = DiagramView(self.scene)
        self.setCentralWidget(self.view)
        self.search = QLineEdit(placeholderText="Type to find a block…")
        self.offers = QListWidget()
        self.parameters = QTableWidget(0, 3)
        self.parameters.setHorizontalHeaderLabels(["", "value", "unit"])
        self.parameters.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.parameters.verticalHeader().hide()
        self.faults = QListWidget()
        self._docks()
        self._actions()
        self.scene.refused.connect(self._tell)
        self.scene.edited.connect(self._changed)
        self.scene.entered.connect(self._changed)
        self.scene.selectionChanged.connect(self._show_block)
        self.search.textChanged.connect(self._show_offers)
        self.search.returnPressed.connect(self.place)
        self.offers.itemActivated.connect(lambda _: self.place())
        self.parameters.cellChanged.connect(self._set)
        self.resize(1280, 760)
        self._changed()
        self._show_offers("")
        if document.told:
            self._tell(document.told)

    def _docks(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.addWidget(self.search)
        column.addWidget(self.offers)
        areas = Qt.DockWidgetArea
        for title, widget, area in (
            ("Blocks", left, areas.LeftDockWidgetArea),
            ("Block", self.parameters, areas.RightDockWidgetArea),
            ("What is wrong", self.faults, areas.RightDockWidgetArea),
        ):
            dock = QDockWidget(title, self)
            dock.setObjectName(title)
            dock.setWidget(widget)
            self.addDockWidget(area, dock)

    def _actions(self) -> None:
        file, edit, view = (self.menuBar().addMenu(one) for one in ("&File", "&Edit", "&View"))
        keys = QKeySequence.StandardKey
        self.actions_by_name: dict[str, QAction] = {}
        for menu, words, key, act in (
            (file, "Save", keys.Save, self.save),
            (file, "Save as…", keys.SaveAs, self.save_as),
            (file, "Close", keys.Close, self.close),
            (edit, "Undo", keys.Undo, self.undo),
            (edit, "Redo", keys.Redo, self.redo),
            (edit, "Copy", keys.Copy, self.copy),
            (edit, "Paste", keys.Paste, self.paste),
            (edit, "Delete", keys.Delete, self.delete),
            (edit, "Add a block", "A", self.search.setFocus),
            (edit, "Rename…", "F2", self.rename),
            (edit, "Group…", "Ctrl+G", self.group),
            (edit, "Ungroup", "Ctrl+Shift+G", self.ungroup),
            (edit, "Align left", "Ctrl+L", lambda: self.align("left")),
            (edit, "Align at the top", "Ctrl+T", lambda: self.align("top")),
            (view, "Whole diagram", "F", self.view.fit),
            (view, "Larger", keys.ZoomIn, lambda: self.view.zoom(ZOOM_STEP)),
            (view, "Smaller", keys.ZoomOut, lambda: self.view.zoom(1 / ZOOM_STEP)),
            (view, "To the diagram around", "Backspace", lambda: self.scene.enter("")),
        ):
            action = QAction(words, self)
            action.setShortcut(QKeySequence(key))
            action.triggered.connect(_without_argument(act))
            menu.addAction(action)
            self.actions_by_name[words] = action

    # What is shown.

    def _tell(self, words: str) -> None:
        self.statusBar().showMessage(words)

    def _changed(self) -> None:
        document, where = self.document, self.scene.where
        mark = " *" if document.unsaved else ""
        self.setWindowTitle(f"{document.path.name}{f' / {where}' if where else ''}{mark}")
        for name, words in (("Undo", document.undo_words), ("Redo", document.redo_words)):
            self.actions_by_name[name].setText(f"{name} {words}".strip())
            self.actions_by_name[name].setEnabled(bool(words))
        self.faults.clear()
        self.faults.addItems(list(dict.fromkeys(one.words for one in document.faults.all)))
        self.statusBar().clearMessage()
        self._show_block()
        if document.told:
            self._tell(document.told)

    def _show_offers(self, words: str) -> None:
        self.offers.clear()
        for one in Palette(self.document.file).search(words):
            item = QListWidgetItem(f"{one.name}   {one.group}")
            item.setToolTip(f"{one.about}\n{one.equation}".strip())
            item.setData(Qt.ItemDataRole.UserRole, one)
            self.offers.addItem(item)
        self.offers.setCurrentRow(0)

    def _show_block(self) -> None:
        self.parameters.blockSignals(True)
        try:
            self.parameters.setRowCount(0)
            chosen = self.scene.chosen()
            if len(chosen) == 1:
                for row in self._rows(chosen[0]):
                    at = self.parameters.rowCount()
                    self.parameters.insertRow(at)
                    for column, text in enumerate(row):
                        item = QTableWidgetItem(text)
                        if column != 1:
                            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
                        self.parameters.setItem(at, column, item)
        finally:
            self.parameters.blockSignals(False)

    def _rows(self, name: str) -> list[tuple[str, str, str]]:
        block = self._diagram().blocks[name]
        rows = [("name", name, "")]
        for one in self._kinds(name):
            value = block.parameters.get(one.name, one.default)
            rows.append((one.name, _shown(value), one.unit))
        rows += [("rate", str(block.rate), "ticks"), ("offset", str(block.offset), "ticks")]
        return [*rows, ("note", block.note, "")]

    def _diagram(self) -> Any:
        file, where = self.document.file, self.scene.where
        return file.subs[where] if where else file.top

    def _kinds(self, name: str) -> list[ParameterKind]:
        block = self._diagram().blocks[name]
        if block.kind == SUB:
            inner = self.document.file.sub(block.of)
            known = inner.parameters.items() if inner else ()
            return [ParameterKind(key, "value", one.value, unit=one.unit) for key, one in known]
        kind = kinds().get(block.kind) or faces().get(block.kind)
        return list(kind.parameters) if kind else []

    # What is done.

    def _set(self, row: int, column: int) -> None:
        """A value was typed."""
        (name,) = self.scene.chosen()
        items = (self.parameters.item(row, one) for one in (0, 1))
        key, text = ("" if item is None else item.text() for item in items)
        where, block = self.scene.where, self._diagram().blocks[name]
        try:
            if key == "name":
                edit = Rename(where, name, text.strip())
            elif key == "note":
                edit = SetNote(where, name, text)
            elif key in ("rate", "offset"):
                both = {"rate": block.rate, "offset": block.offset, key: int(text)}
                edit = SetTicks(where, name, both["rate"], both["offset"])
            else:
                (kind,) = (one for one in self._kinds(name) if one.name == key)
                edit = SetParameter(where, name, key, typed(kind, text) if text.strip() else None)
        except (RefusedError, ValueError) as error:
            self._tell(str(error))
            self._show_block()
            return
        if not self.scene.do(edit):
            self._show_block()
        elif key == "name":
            self.scene.choose(frozenset({text.strip()}))

    def place(self) -> None:
        """Place what is chosen in the palette in the middle of what is seen."""
        item = self.offers.currentItem()
        if item is None:
            return
        offer: BlockOffer = item.data(Qt.ItemDataRole.UserRole)
        at: QPointF = self.view.mapToScene(self.view.viewport().rect().center())
        place = round(at.x() / 20) * 20, round(at.y() / 20) * 20
        taken = set(self._diagram().places.values())
        while place in taken:
            place = place[0] + 40, place[1] + 40
        before = set(self._diagram().blocks)
        if self.scene.do(PlaceBlock(self.scene.where, offer.kind, place, of=offer.of)):
            self.scene.choose(frozenset(set(self._diagram().blocks) - before))
            self.view.setFocus()

    def delete(self) -> None:
        """Take away what is chosen: blocks with their wires, else wires."""
        where = self.scene.where
        wires = [name for name, item in self.scene.wires.items() if item.isSelected()]
        if chosen := self.scene.chosen():
            self.scene.do(Delete(where, frozenset(chosen)))
        else:
            for one in wires:
                self.scene.do(Disconnect(where, one))

    def rename(self) -> None:
        """Ask for another name of the chosen block."""
        for name in self.scene.chosen()[:1]:
            text, fine = QInputDialog.getText(self, "Rename", "Name:", text=name)
            if fine and self.scene.do(Rename(self.scene.where, name, text.strip())):
                self.scene.choose(frozenset({text.strip()}))

    def group(self) -> None:
        """Make the chosen blocks a sub-diagram, and ask for its name."""
        if chosen := self.scene.chosen():
            name, fine = QInputDialog.getText(self, "Group", "Name of the sub-diagram:")
            if fine:
                self.group_as(chosen, name.strip())

    def group_as(self, names: list[str], name: str) -> None:
        """Make blocks a sub-diagram of this name."""
        self._try(lambda: self.document.group(self.scene.where, names, name))

    def ungroup(self) -> None:
        """Put the blocks of the chosen sub-diagram in its place."""
        for name in self.scene.chosen()[:1]:
            self.scene.do(Ungroup(self.scene.where, name))

    def align(self, edge: Any) -> None:
        """Put the chosen blocks on one line."""
        self.scene.do(AlignBlocks(self.scene.where, frozenset(self.scene.chosen()), edge))

    def copy(self) -> None:
        """Copy the chosen blocks as text."""
        if chosen := self.scene.chosen():
            text = copied(self.document.file, self.scene.where, chosen)
            QGuiApplication.clipboard().setText(text)

    def paste(self) -> None:
        """Paste blocks from the clipboard, and choose them."""
        paste = Paste(self.scene.where, QGuiApplication.clipboard().text())
        before = set(self._diagram().blocks)
        if self.scene.do(paste):
            self.scene.choose(frozenset(set(self._diagram().blocks) - before))

    def undo(self) -> None:
        """Take back the last step."""
        self._try(self.document.undo)

    def redo(self) -> None:
        """Do it again."""
        self._try(self.document.redo)

    def save(self) -> bool:
        """Write the file; whether it was written."""
        return self._try(self.document.save)

    def save_as(self) -> None:
        """Ask for another file and write that."""
        name, _ = QFileDialog.getSaveFileName(self, "Save as", str(self.document.path), "*.toml")
        if name:  # the dialogue has asked whether to overwrite
            self._try(lambda: self.document.save_as(Path(name), overwrite=True))

    def _try(self, act: Callable[[], Any]) -> bool:
        try:
            act()
        except RefusedError as error:
            self._tell(str(error))
            return False
        self.scene.rebuild()
        self._changed()
        return True

    def offer_recovery(self) -> None:
        """Ask what is to become of edits that a process left unsaved."""
        offered = self.document.offered
        if offered is not None:
            words = f"{len(offered.done)} step(s) were left unsaved. Go on with them?"
            answers = QMessageBox.StandardButton
            answer = QMessageBox.question(self, self.document.path.name, words)
            if answer == answers.Yes:
                self.document.recover()
            else:
                self.document.discard()
            self._try(lambda: None)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Ask before unsaved edits are left."""
        answers = QMessageBox.StandardButton
        discard = False
        if self.document.unsaved and self.isVisible():
            buttons = answers.Save | answers.Discard | answers.Cancel
            words = "There are edits that are not saved."
            answer = QMessageBox.question(self, self.document.path.name, words, buttons)
            discard = answer == answers.Discard
            if answer == answers.Cancel or (answer == answers.Save and not self.save()):
                event.ignore()
                return
        self.document.close(discard=discard)
        self.scene.blockSignals(True)  # its blocks go one by one
        event.accept()


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else toml_value(value)


def _without_argument(act: Callable[[], Any]) -> Callable[[bool], None]:
    return lambda _: act()

"""The editor's window: palette, drawing, the chosen block's parameters, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QCursor, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QDockWidget,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QMessageBox,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from hil.config.errors import RefusedError
from hil.diagram.check.seam import DiagramEnds
from hil.panel.diagram.drawing_view import ZOOM_STEP, DiagramView
from hil.panel.diagram.live_dock import LiveDock
from hil.panel.diagram.models.clipboard import Paste, copied
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.edits import Delete, Disconnect, PlaceBlock
from hil.panel.diagram.models.group_edits import Ungroup
from hil.panel.diagram.models.palette import BlockOffer, Palette
from hil.panel.diagram.models.place_edits import AlignBlocks, LayOut
from hil.panel.diagram.parameter_table import ParameterTable
from hil.panel.diagram.questions import Questions
from hil.panel.diagram.scene import DiagramScene
from hil.panel.widgets.theme import LIGHT, Theme

SIZE: Final = QSize(1440, 900)
"""Size of a window, where the screen is larger."""
FRAME: Final = QSize(8, 40)
"""Space for a window's frame and title."""
SIDES: Final = ((260, 0.2), (260, 0.22))
"""Widths of blocks and parameters at first: at most these pixels and this share of the window."""
LIVE_HEIGHT: Final = 260
LIVE_SHARE: Final = 0.33
"""Height of a running diagram's values at first: most pixels, and most share of the window."""


class DiagramWindow(QMainWindow):
    """One diagram that is edited.

    Args:
        document: What is edited.
        theme: Its colours.
        ends: Of the station that it is for; None if none is known.
        trusted: Whether the code of its FMUs may be loaded.
    """

    def __init__(
        self, document: Document, theme: Theme = LIGHT, ends: DiagramEnds | None = None, *,
        trusted: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.document, self._ends = document, ends
        self.scene = DiagramScene(document, theme)
        self.view = DiagramView(self.scene)
        self.setCentralWidget(self.view)
        self.search = QLineEdit(placeholderText="Type to find a block…")
        self.offers = QListWidget()
        self.offers.setDragEnabled(True)
        self.parameters = ParameterTable(self.scene)
        self.faults = QListWidget()
        self.live = LiveDock(self.scene, self.view, theme, trusted=trusted)
        self.questions = Questions(self, self.scene, self.view, self.attempt)
        self._docks()
        self._actions()
        self.scene.refused.connect(self._show_message)
        self.live.refused.connect(self._show_message)
        self.scene.edited.connect(self._changed)
        self.scene.entered.connect(self._changed)
        self.scene.selectionChanged.connect(self.parameters.show_block)
        self.search.textChanged.connect(self._show_offers)
        self.search.returnPressed.connect(lambda: self.place())
        self.view.dropped.connect(self.place)
        self.offers.itemActivated.connect(lambda _: self.place())
        self.parameters.refused.connect(self._show_message)
        self._fit_screen()
        self._changed()
        self._show_offers("")
        if document.notice:
            self._show_message(document.notice)

    def _fit_screen(self) -> None:
        """Take a size that the screen has room for, frame and all, and give most to the drawing."""
        available = QGuiApplication.primaryScreen().availableSize()
        self.resize(SIZE.boundedTo(available - FRAME))
        left, right, below = self._beside
        widths = [min(most, int(self.width() * share)) for most, share in SIDES]
        self.resizeDocks([left, right], widths, Qt.Orientation.Horizontal)
        height = min(LIVE_HEIGHT, int(self.height() * LIVE_SHARE))
        self.resizeDocks([below], [height], Qt.Orientation.Vertical)

    def _docks(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.addWidget(self.search)
        column.addWidget(self.offers)
        areas, docks = Qt.DockWidgetArea, list[QDockWidget]()
        for title, widget, area in (
            ("Blocks", left, areas.LeftDockWidgetArea),
            ("Block", self.parameters, areas.RightDockWidgetArea),
            ("What is wrong", self.faults, areas.RightDockWidgetArea),
            ("While it runs", self.live, areas.BottomDockWidgetArea),
        ):
            dock = QDockWidget(title, self)
            dock.setObjectName(title)
            dock.setWidget(widget)
            self.addDockWidget(area, dock)
            docks.append(dock)
        self._beside = docks[0], docks[1], docks[-1]

    def _actions(self) -> None:
        titles = ("&File", "&Edit", "&View", "&Run")
        file, edit, view, run = (self.menuBar().addMenu(one) for one in titles)
        run.addActions(list(self.live.actions_by_name.values()))
        keys = QKeySequence.StandardKey
        self.actions_by_name: dict[str, QAction] = {}
        for menu, words, key, act in (
            (file, "Save", keys.Save, self.save),
            (file, "Save as…", keys.SaveAs, self.questions.save_as),
            (file, "Picture…", keys.Print, self.questions.picture),
            (file, "Close", keys.Close, self.close),
            (edit, "Undo", keys.Undo, self.undo),
            (edit, "Redo", keys.Redo, self.redo),
            (edit, "Copy", keys.Copy, self.copy),
            (edit, "Paste", keys.Paste, self.paste),
            (edit, "Delete", keys.Delete, self.delete),
            (edit, "Add a block", "A", self.begin_adding),
            (edit, "Connect…", "C", self.questions.connect),
            (edit, "Find a block…", keys.Find, self.questions.find),
            (edit, "Rename…", "F2", self.questions.rename),
            (edit, "Choose all", keys.SelectAll, self.choose_all),
            (edit, "Group…", "Ctrl+G", self.questions.group),
            (edit, "Ungroup", "Ctrl+Shift+G", self.ungroup),
            (edit, "Align left", "Ctrl+L", lambda: self.align("left")),
            (edit, "Align right", "Ctrl+Shift+R", lambda: self.align("right")),
            (edit, "Align at the top", "Ctrl+T", lambda: self.align("top")),
            (edit, "Align at the bottom", "Ctrl+Shift+B", lambda: self.align("bottom")),
            (edit, "Lay out", "Ctrl+Shift+L", self.lay_out),
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

    def _show_message(self, words: str) -> None:
        """Say it below, and at the pointer where a person looks."""
        self.statusBar().showMessage(words)
        at = QCursor.pos()
        if self.isVisible() and self.geometry().contains(at):
            QToolTip.showText(at, words, self)

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
        self.parameters.show_block()
        self.live.edited()
        if document.notice:
            self._show_message(document.notice)

    def _show_offers(self, words: str) -> None:
        self.offers.clear()
        for one in Palette(self.document.file, self._ends).search(words):
            item = QListWidgetItem(f"{one.name}   {one.group}")
            item.setToolTip(f"{one.about}\n{one.equation}".strip())
            item.setData(Qt.ItemDataRole.UserRole, one)
            self.offers.addItem(item)
        self.offers.setCurrentRow(0)

    # What is done.

    def begin_adding(self) -> None:
        """Let a person type which block is wanted, from nothing."""
        self.search.clear()
        self.search.setFocus()

    def place(self, at: QPointF | None = None) -> None:
        """Place what is chosen in the palette, and empty the field.

        Args:
            at: where on the drawing; None: in the middle of what is seen.
        """
        item = self.offers.currentItem()
        if item is None:
            return
        offer: BlockOffer = item.data(Qt.ItemDataRole.UserRole)
        if at is None:
            at = self.view.mapToScene(self.view.viewport().rect().center())
        place = round(at.x() / 20) * 20, round(at.y() / 20) * 20
        taken = set(self.scene.diagram.places.values())
        while place in taken:
            place = place[0] + 40, place[1] + 40
        before = set(self.scene.diagram.blocks)
        placed = PlaceBlock(
            self.scene.where, offer.kind, place, offer.of, offer.block, offer.parameters
        )
        if self.scene.do(placed):
            self.scene.choose(frozenset(set(self.scene.diagram.blocks) - before))
            self.search.clear()
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

    def ungroup(self) -> None:
        """Put the blocks of the chosen sub-diagram in its place."""
        for name in self.scene.chosen()[:1]:
            self.scene.do(Ungroup(self.scene.where, name))

    def align(self, edge: Any) -> None:
        """Put the chosen blocks on one line."""
        scene = self.scene
        shapes = {name: item.shape_of for name, item in scene.blocks.items()}
        sizes = {name: (one.width, one.height) for name, one in shapes.items()}
        scene.do(AlignBlocks(scene.where, frozenset(scene.chosen()), edge, sizes))

    def lay_out(self) -> None:
        """Put the chosen blocks where there is room; if none is, those that nobody placed."""
        self.scene.do(LayOut(self.scene.where, frozenset(self.scene.chosen())))

    def choose_all(self) -> None:
        """Choose every block that is drawn."""
        self.scene.choose(frozenset(self.scene.blocks))

    def copy(self) -> None:
        """Copy the chosen blocks as text."""
        if chosen := self.scene.chosen():
            text = copied(self.document.file, self.scene.where, chosen)
            QGuiApplication.clipboard().setText(text)

    def paste(self) -> None:
        """Paste blocks from the clipboard, and choose them."""
        paste = Paste(self.scene.where, QGuiApplication.clipboard().text())
        before = set(self.scene.diagram.blocks)
        if self.scene.do(paste):
            self.scene.choose(frozenset(set(self.scene.diagram.blocks) - before))

    def undo(self) -> None:
        """Take back the last step."""
        self.attempt(self.document.undo)

    def redo(self) -> None:
        """Do it again."""
        self.attempt(self.document.redo)

    def save(self) -> bool:
        """Write the file; whether it was written."""
        return self.attempt(self.document.save)

    def attempt(self, act: Callable[[], Any]) -> bool:
        """Do something with the document and show it; whether it could be done."""
        try:
            act()
        except RefusedError as error:
            self._show_message(str(error))
            return False
        self.scene.rebuild()
        self._changed()
        return True

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
        self.live.end()
        self.document.close(discard=discard)
        self.scene.blockSignals(True)  # its blocks go one by one
        event.accept()


def _without_argument(act: Callable[[], Any]) -> Callable[[bool], None]:
    return lambda _: act()

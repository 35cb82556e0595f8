"""A form: a line for each setting, edited in place, with steps back and the problems beside it.

What is typed counts at once; the check comes when typing rests.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QTabWidget,
    QToolButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hil.panel.scenarios.form_checker import Check, Checker
from hil.panel.scenarios.form_delegate import NAME, PLACE, VALUE
from hil.panel.scenarios.form_grid import FormGrid
from hil.panel.scenarios.form_tree import FormTree
from hil.panel.scenarios.models.form import FormError, FormModel
from hil.panel.scenarios.models.form_acts import acts_at, item_around, list_around
from hil.panel.scenarios.models.form_files import offered
from hil.panel.scenarios.models.form_nodes import NodeKind, Place
from hil.panel.scenarios.workspace_view import WorkspacePage
from hil.panel.widgets.theme import LIGHT, Theme


class FormView(QWidget):
    """A form."""

    changed = Signal()
    """The settings, or what is known of their problems, changed."""

    def __init__(
        self, theme: Theme = LIGHT, parent: QWidget | None = None,
        workspace: WorkspacePage | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.workspace = workspace
        """Page about the workspace of the machine that is edited; None: there is no such page."""
        self._model: FormModel | None = None
        self._file: Path | None = None
        self._whole, self._theme = False, theme
        self._grid_keys: list[tuple[str, Callable[[], None]]] = []
        self.checker = Checker(self)
        self.checker.found.connect(self._take)
        self.tree = FormTree(theme, self._edit, self._offered, self)
        self.tree.itemChanged.connect(self._ticked)
        self.tree.currentItemChanged.connect(self._describe)
        self.grids: dict[str, FormGrid] = {}
        """Lists of tables that are shown as grids, by their keys."""
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.addTab(self.tree, self.tr("all settings"))
        self.pages.tabBar().hide()
        self.pages.currentChanged.connect(self._describe)
        if workspace is not None:
            workspace.titled.connect(self._title_workspace)
            self.changed.connect(workspace.follow)
        self.tree.itemActivated.connect(lambda item, _: self._begin_edit(item))
        self.tree.itemClicked.connect(
            lambda item, column: column == VALUE and self._begin_edit(item)
        )
        self.buttons = self._made_buttons()
        self._about = QLabel()
        self._about.setWordWrap(True)
        self._about.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        bar = QHBoxLayout()
        for button in self.buttons.values():
            bar.addWidget(button)
        bar.addStretch(1)
        layout.addLayout(bar)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self._about)
        self.setFocusProxy(self.tree)

    @property
    def model(self) -> FormModel | None:
        """The form that is edited; None while there is none."""
        return self._model

    def set_model(
        self, model: FormModel | None, check: Check | None = None, file: Path | None = None
    ) -> None:
        """Show another file.

        Args:
            check: what finds the problems of its table, in another thread.
            file: where it is, to offer what lies beside it; None if it is nowhere.
        """
        self._model, self._file = model, file
        self.tree.set_model(model)
        self._make_grids(() if model is None else model.kind.grids)
        self._show_workspace(model)
        for grid in self.grids.values():
            grid.set_model(model)
        self._enable()
        self.checker.set_work(model, check)

    def _make_grids(self, keys: Sequence[str]) -> None:
        """A page for each list of tables that the kind of file has as a grid, before all else."""
        if tuple(self.grids) == tuple(keys):
            return
        for grid in self.grids.values():
            self.pages.removeTab(self.pages.indexOf(grid))
            grid.deleteLater()
        self.grids = {
            key: FormGrid(key, self._theme, partial(self._edit, cell=True), self._offered, self)
            for key in keys
        }
        for index, (key, grid) in enumerate(self.grids.items()):
            self.pages.insertTab(index, grid, key)
            grid.currentCellChanged.connect(self._describe)
            for keys_typed, act in self._grid_keys:
                shortcut = QShortcut(QKeySequence(keys_typed), grid, act)
                shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.pages.setCurrentIndex(0)

    def _show_workspace(self, model: FormModel | None) -> None:
        """Show the page about the workspace, of a machine that has one."""
        page = self.workspace
        if page is not None:
            at = self.pages.indexOf(page)
            if page.set_model(model, self._file) and at < 0:
                self.pages.addTab(page, self.tr("workspace"))
            elif model is not None and page.work.model is None and at >= 0:
                self.pages.removeTab(at)
        self.pages.tabBar().setVisible(self.pages.count() > 1)

    def _title_workspace(self, title: str) -> None:
        if self.workspace is not None:
            self.pages.setTabText(self.pages.indexOf(self.workspace), title)

    @property
    def sheet(self) -> FormTree | FormGrid:
        """The page that is shown."""
        shown = self.pages.currentWidget()
        return shown if isinstance(shown, FormGrid) else self.tree

    def _fill(self, place: Place | None) -> None:
        for sheet in (self.tree, *self.grids.values()):
            sheet.fill(place)

    def _show_again(self, places: Sequence[Place] | None) -> None:
        for sheet in (self.tree, *self.grids.values()):
            sheet.show_again(places)

    def show_only(self, place: Place) -> None:
        """Show only the lines inside one line."""
        self.tree.set_model(self._model, place)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        for sheet in (self.tree, *self.grids.values()):
            sheet.set_theme(theme)
        if self.workspace is not None:
            self.workspace.set_theme(theme)

    def close_checks(self) -> None:
        """Wait for a check under way: the window closes."""
        self.checker.close()

    def _made_buttons(self) -> dict[str, QToolButton]:
        made: dict[str, QToolButton] = {}
        for name, words, tip, keys, act in (
            ("add", "Add", "Add an item to the list (Insert)", "Ins", self.add),
            ("remove", "Remove", "Remove the item, or leave the setting out (Delete)", "Del",
             self.remove),
            ("up", "Up", "Move the item up (Alt+Up)", "Alt+Up", lambda: self.shift(-1)),
            ("down", "Down", "Move the item down (Alt+Down)", "Alt+Down", lambda: self.shift(1)),
            ("reshape", "One / six", "One number for all legs, or one for each", "", self.reshape),
            ("undo", "Undo", "Take the last change back (Ctrl+Z)", "Ctrl+Z", self.undo),
            ("redo", "Redo", "Do it again (Ctrl+Shift+Z)", "Ctrl+Shift+Z", self.redo),
        ):  # fmt: skip
            button = QToolButton(self)
            button.setText(self.tr(words))
            button.setToolTip(self.tr(tip))
            button.clicked.connect(act)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            made[name] = button
            if keys:
                shortcut = QShortcut(QKeySequence(keys), self.tree, act)
                shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            if keys and name != "remove":  # in a grid that key empties a cell
                self._grid_keys.append((keys, act))
        return made

    def _enable(self) -> None:
        """Let the buttons be on that would change something now."""
        model = self._model
        hidden = model is None or self.pages.currentWidget() is self.workspace
        acts = frozenset[str]() if hidden or model is None else acts_at(model, self.sheet.current)
        for name, button in self.buttons.items():
            button.setEnabled(name in acts)
        self.buttons["undo"].setEnabled(model is not None and model.can_undo)
        self.buttons["redo"].setEnabled(model is not None and model.can_redo)

    def _describe(self, *_: object) -> None:
        self._enable()
        is_form = self.pages.currentWidget() is not self.workspace
        self._about.setVisible(is_form)
        if not is_form:
            return
        sheet = self.sheet
        place = sheet.current_cell if isinstance(sheet, FormGrid) else sheet.current
        node = None if place is None else sheet.node(place)
        parts = [] if node is None else [node.about, node.bounds]
        if isinstance(sheet, FormGrid) and self._model is not None and place is not None:
            parts = [one.message for one in self._model.problems_at(place)] + parts
        self._about.setText("   ".join(part for part in parts if part))

    def _offered(self, place: Place) -> tuple[str, ...]:
        if self._file is None or self.model is None:
            return ()
        return offered(self.model.kind, place, self._file)

    # --- edits ----------------------------------------------------------------------------------

    def _begin_edit(self, item: QTreeWidgetItem) -> None:
        node = self.tree.node(item.data(NAME, PLACE))
        if node is not None and not node.inner and not node.fixed:
            if self._model is not None:
                self._model.settle()
            self.tree.editItem(item, VALUE)

    def _edit(self, place: Place, typed: str | None, chosen: object, *, cell: bool = False) -> None:
        """Take what was typed (or chosen) in a line, or in a cell of a grid."""

        def act(model: FormModel) -> Place:
            before = model.node(place[:-1])
            if typed is None:
                model.put(place, chosen)
            elif cell:
                model.edit_cell(place, typed)
            else:
                model.edit(place, typed)
            self._whole = before is not None and before.tag == place[-1]
            return place

        self._whole = False
        self._do(act, lambda: self._whole)

    def _ticked(self, item: QTreeWidgetItem, column: int) -> None:
        if column != NAME:
            return
        place: Place = tuple(item.data(NAME, PLACE))
        given = item.checkState(NAME) is Qt.CheckState.Checked
        # Not from inside the item's own signal: its line is made anew.
        QTimer.singleShot(0, lambda: self._do(lambda model: model.include(place, given)))

    def type_in(self, place: Place, typed: str) -> None:
        """Give a cell of a grid what somebody would type."""
        self._edit(place, typed, None, cell=True)

    def add(self) -> None:
        """Add an item to the list that the current line is, or is in."""
        model = self._model
        place = None if model is None else list_around(model, self.sheet.current)
        if place is not None:
            self._do(lambda model: model.append(place))

    def remove(self) -> None:
        """Remove the current item, or leave the setting out."""
        if place := self.sheet.current:
            self._do(lambda model: model.remove(place))

    def shift(self, by: int) -> None:
        """Move the item that the current line is, or is in."""
        place = item_around(self.sheet.current)
        if place is not None:
            self._do(lambda model: model.move(place, by))

    def reshape(self) -> None:
        """Change between one number and six."""
        place = self.sheet.current
        node = None if place is None else self.tree.node(place)
        if place is not None and node is not None and "x-alternatives" in node.schema:
            self._do(lambda model: model.reshape(place, 1 - (node.kind is NodeKind.ROW)))

    def undo(self) -> None:
        """Take the last change back."""
        self._do(lambda model: model.undo())

    def redo(self) -> None:
        """Do it again."""
        self._do(lambda model: model.redo())

    def _do(
        self, act: Callable[[FormModel], object], whole: Callable[[], bool] = lambda: True
    ) -> None:
        model = self._model
        if model is None:
            return
        before, place = model.revision, self.sheet.current
        try:
            result = act(model)
        except FormError as error:
            self._about.setText(str(error))
            self._show_again(None)
            return
        if model.revision == before:
            return
        if whole():
            self._fill(result if isinstance(result, tuple) else place)
        else:
            self._show_again([result] if isinstance(result, tuple) else None)
        self._enable()
        self.checker.rest()
        self.changed.emit()

    # --- problems -------------------------------------------------------------------------------

    def _take(self, revision: int, problems: object) -> None:
        model = self._model
        if model is None or not isinstance(problems, tuple):
            return
        before = model.problems
        if model.take(revision, problems):
            self._show_again([one.place for one in (*before, *problems)])
            self._describe()
            self.changed.emit()

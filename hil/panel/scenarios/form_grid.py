"""A list of tables of a form as a grid: a line for each table, a cell for each of its values.

Lists of plain values, such as axes, are one cell: ``0, 0, 1``. An emptied cell is left out of the
file, if it may be.
"""

from collections.abc import Callable, Iterable
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from hil.panel.scenarios.form_delegate import PLACE, FormDelegate, Index
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_nodes import ABSENT, Node, NodeKind, Place
from hil.panel.scenarios.models.form_values import shown
from hil.panel.widgets.theme import Theme

WIDEST_CHARS: Final = 18
"""Widest column at first, in characters."""


class FormGrid(QTableWidget):
    """The lines of one list.

    Args:
        key: of the list, at the top of the table.
        edit: takes place, typed text or None, and the choice if nothing was typed.
        offered: names of files that a cell may be given.
    """

    def __init__(
        self,
        key: str,
        theme: Theme,
        edit: Callable[[Place, str | None, object], None],
        offered: Callable[[Place], tuple[str, ...]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._key, self._theme = key, theme
        self._model: FormModel | None = None
        self._columns: tuple[Place, ...] = ()
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self.setAlternatingRowColors(True)
        self.setAccessibleName(self.tr("{key}s of the file, one line each").format(key=key))
        self.setItemDelegate(_CellDelegate(self._found, edit, offered, self))

    def set_model(self, model: FormModel | None) -> None:
        """Show another form."""
        self._model = model
        self.fill()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.show_again()

    def fill(self, current: Place | None = None) -> None:
        """Make the lines anew."""
        column = self.currentColumn()
        with QSignalBlocker(self):
            self.setRowCount(0)
            nodes = () if self._model is None else self._model.columns((self._key,))
            columns = tuple(node.place[2:] for node in nodes)
            again = columns != self._columns
            self._columns = columns
            self.setColumnCount(len(nodes) + 1)
            for index, node in enumerate(nodes):
                self.setHorizontalHeaderItem(index, self._heading(node))
            wrong = QTableWidgetItem(self.tr("What is wrong"))
            self.setHorizontalHeaderItem(len(nodes), wrong)
            top = None if self._model is None else self._model.node((self._key,))
            count = len(top.value) if top is not None and isinstance(top.value, list | tuple) else 0
            self.setRowCount(count)
            for row in range(count):
                for index in range(len(nodes) + 1):
                    item = QTableWidgetItem()
                    item.setData(PLACE, self._place(row, index))
                    self.setItem(row, index, item)
        self.show_again()
        if again:
            self._fit()
        if current is not None:
            self.select(current, max(column, 0))

    def _fit(self) -> None:
        """Columns as wide as what is in them, but not too wide."""
        most = WIDEST_CHARS * self.fontMetrics().averageCharWidth()
        self.resizeColumnsToContents()
        for index in range(self.columnCount() - 1):
            self.setColumnWidth(index, min(self.columnWidth(index), most))
        self.horizontalHeader().setStretchLastSection(True)

    def _heading(self, node: Node) -> QTableWidgetItem:
        outer, inner = node.place[2:-1], node.label
        optional = bool(outer) and not self._is_needed(node.place[:-1])
        item = QTableWidgetItem(f"{outer[0]}: {inner}" if optional else inner)
        parts = (*map(str, outer), inner, node.about, node.bounds)
        item.setToolTip("\n".join(part for part in parts if part))
        return item

    def _is_needed(self, place: Place) -> bool:
        node = None if self._model is None else self._model.node(place)
        return node is None or node.required

    # --- cells ----------------------------------------------------------------------------------

    def show_again(self, places: Iterable[Place] | None = None) -> None:
        """Write lines anew: those of some places, or all."""
        if self._model is None:
            return
        rows = range(self.rowCount())
        if places is not None:
            named = {one[1] for one in places if len(one) > 1 and one[0] == self._key}
            rows = [row for row in rows if row in named]
        with QSignalBlocker(self):
            for row in rows:
                self._show(self._model, row)
        self.viewport().update()

    def _show(self, model: FormModel, row: int) -> None:
        for index in range(len(self._columns)):
            item, place = self.item(row, index), self._place(row, index)
            node = model.cell(place)
            if item is None:
                continue
            problems = model.problems_at(place)
            given = node is not None and node.given
            item.setText("" if node is None else _cell_text(node))
            colour = self._theme.fault if problems else self._theme.text
            item.setForeground(QColor(colour if given or problems else self._theme.dim))
            item.setToolTip("\n".join(one.message for one in problems) or item.text())
            if problems and not item.text():
                item.setText("?")
        wrong, last = model.problems_at((self._key, row)), self.item(row, len(self._columns))
        if last is not None:
            last.setText("; ".join(dict.fromkeys(one.message for one in wrong)))
            last.setToolTip(last.text())
            last.setForeground(QColor(self._theme.fault))
        head = QTableWidgetItem(f"{row + 1} !" if wrong else f"{row + 1}")
        head.setForeground(QColor(self._theme.fault if wrong else self._theme.text))
        head.setToolTip("" if last is None else last.text())
        self.setVerticalHeaderItem(row, head)

    def _place(self, row: int, column: int) -> Place:
        """Place of a cell's value; in the last cell that of the whole line."""
        inside = self._columns[column] if column < len(self._columns) else ()
        return (self._key, row, *inside)

    def cell_of(self, place: Place) -> tuple[int, int] | None:
        """Row and column of a place; None if it has no cell."""
        if len(place) < 3 or place[0] != self._key or place[2:] not in self._columns:
            return None
        row = place[1]
        return (row, self._columns.index(place[2:])) if isinstance(row, int) else None

    def _found(self, place: Place) -> tuple[FormModel, Node] | None:
        node = None if self._model is None else self._model.cell(place)
        return None if node is None or self._model is None else (self._model, node)

    # --- where one is ---------------------------------------------------------------------------

    @property
    def current(self) -> Place:
        """The current line, or the list if there is none."""
        row = self.currentRow()
        return (self._key, row) if 0 <= row < self.rowCount() else (self._key,)

    def select(self, place: Place, column: int = 0) -> None:
        """Make a line the current one."""
        if len(place) > 1 and place[0] == self._key and isinstance(place[1], int):
            self.setCurrentCell(min(place[1], self.rowCount() - 1), column)

    def node(self, place: Place) -> Node | None:
        """Node at a place."""
        return None if self._model is None else self._model.cell(place)

    @property
    def current_cell(self) -> Place:
        """The current cell."""
        return self._place(max(self.currentRow(), 0), max(self.currentColumn(), 0))


class _CellDelegate(FormDelegate):
    """Editors of cells; each cell knows its place."""

    def place_of(self, index: Index) -> Place:
        return tuple(index.data(PLACE) or ())

    def is_value(self, index: Index) -> bool:
        return len(self.place_of(index)) > 2


def _cell_text(node: Node) -> str:
    if node.kind is NodeKind.FOREIGN and node.value is not ABSENT:
        return str(node.value)
    return shown(node)

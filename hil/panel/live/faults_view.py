"""The table of what went wrong, newest first, and what to do about the chosen line."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from hil.panel.live.models.faults import SORTS, FaultEntry, FaultsModel, Sort
from hil.panel.widgets.text_space import RowHeight
from hil.panel.widgets.theme import LIGHT, Theme

_HEADS: Final = ("Time", "What", "Where", "Cause", "Value", "Limit")
COLUMNS: Final = ("t_s", "sort", "place", "cause", "value", "limit")
_ROLE: Final = {Sort.FAULT: "fault", Sort.REFUSAL: "accent", Sort.WARNING: "warn"}
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE: Final = QModelIndex()


class FaultsTable(QAbstractTableModel):
    """Entries as Qt's tables want them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.entries: tuple[FaultEntry, ...] = ()

    def show_entries(self, entries: tuple[FaultEntry, ...]) -> None:
        """Show these."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Number of entries."""
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.tr(_HEADS[section])
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text and look of a cell."""
        entry, name = self.entries[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(entry, name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{entry.cause}\n{entry.advice}"
        if role == Qt.ItemDataRole.ForegroundRole:
            if not entry.active and entry.sort is Sort.FAULT:
                return QBrush(QColor(self.theme.dim))
            if name == "sort":
                return QBrush(QColor(getattr(self.theme, _ROLE[entry.sort])))
        if role == Qt.ItemDataRole.FontRole and entry.active:
            font = QFont()
            font.setBold(True)
            return font
        return None

    def _words(self, entry: FaultEntry, name: str) -> str:
        if name == "t_s":
            return f"{entry.t_s:.3f} s"
        if name == "sort":
            mark = "■" if entry.active else "□" if entry.sort is Sort.FAULT else "○"
            words = f"{mark} {self.tr(SORTS[entry.sort.value])}"
            over = entry.sort is Sort.FAULT and not entry.active
            return f"{words}, {self.tr('over')}" if over else words
        return str(getattr(entry, name))


class FaultsView(QWidget):
    """The table, and below it what to do."""

    def __init__(
        self, model: FaultsModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._serial = -1
        self._theme = theme
        self.count = QLabel(self)
        self.table_model = FaultsTable(theme)
        self.table = _made_table(self)
        self.table.setModel(self.table_model)
        self.table.selectionModel().selectionChanged.connect(self._choose)
        header = self.table.horizontalHeader()
        for number, name in enumerate(COLUMNS):
            mode = QHeaderView.ResizeMode
            header.setSectionResizeMode(
                number, mode.Stretch if name == "cause" else mode.ResizeToContents
            )
        header.setMinimumSectionSize(30)
        self.advice = QLabel(self)
        self.advice.setWordWrap(True)
        self.advice.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.advice.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.copy_button = QPushButton(self.tr("Copy"), self)
        self.copy_button.clicked.connect(self.copy)
        self.forget_button = QPushButton(self.tr("Hide what is over"), self)
        self.forget_button.clicked.connect(self._forget)
        above, outer = QHBoxLayout(), QVBoxLayout(self)
        above.addWidget(self.count, 1)
        above.addWidget(self.copy_button)
        above.addWidget(self.forget_button)
        outer.setContentsMargins(4, 4, 4, 4)
        outer.addLayout(above)
        outer.addWidget(self.table, 1)
        outer.addWidget(self.advice)
        self.advice.setMinimumHeight(3 * self.fontMetrics().lineSpacing())

    def set_model(self, model: FaultsModel) -> None:
        """Show another run."""
        self._model, self._serial = model, -1

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = self.table_model.theme = theme
        self._serial = -1

    def refresh(self) -> None:
        """Show the entries if they have changed; does nothing while hidden."""
        if not self.isVisible() or self._model.serial == self._serial:
            return
        self._serial = self._model.serial
        chosen = self._chosen()
        self.table_model.show_entries(self._model.entries)
        self._choose_again(chosen)
        active = self._model.active
        words = self.tr("{count} standing").format(count=active) if active else self.tr("No faults")
        role = "fault" if active else "ok"
        self.count.setText(
            f'<b><span style="color:{getattr(self._theme, role)}">'
            f"{'■' if active else '●'}</span> {escape(words)}</b>"
        )
        self.copy_button.setEnabled(bool(self.table_model.entries))
        self.forget_button.setEnabled(bool(self.table_model.entries))
        self._choose()

    def copy(self) -> None:
        """Put the chosen lines, or all if none is chosen, on the clipboard."""
        lines = self._chosen() or self.table_model.entries
        QGuiApplication.clipboard().setText("\n".join(entry.line() for entry in lines))

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Ctrl+C copies."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)

    def _forget(self) -> None:
        self._model.forget()
        self.refresh()

    def _chosen(self) -> list[FaultEntry]:
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.table_model.entries[row] for row in rows]

    def _choose_again(self, entries: Sequence[FaultEntry]) -> None:
        """Lines stay chosen although new ones came above them."""
        wanted = {(entry.t_s, entry.cause) for entry in entries}
        first = True
        for row, entry in enumerate(self.table_model.entries if wanted else ()):
            if (entry.t_s, entry.cause) in wanted:
                index = self.table_model.index(row, 0)
                flags = self.table.selectionModel().SelectionFlag
                how = flags.ClearAndSelect if first else flags.Select
                self.table.selectionModel().select(index, how | flags.Rows)
                first = False

    def _choose(self, *_: object) -> None:
        """Show what to do about the chosen line, or about the newest fault that holds."""
        entries = self._chosen() or [e for e in self.table_model.entries if e.active]
        entries = entries or list(self.table_model.entries[:1])
        if not entries:
            self.advice.setText("")
            return
        entry = entries[0]
        self.advice.setText(
            f"{escape(entry.cause)}<br><b>{escape(self.tr('What to do'))}:</b> "
            f"{escape(entry.advice)}"
        )


def _made_table(parent: "FaultsView") -> QTableView:
    table = _Table(parent)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    table.verticalHeader().hide()
    table.setWordWrap(False)
    table.setTextElideMode(Qt.TextElideMode.ElideRight)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setAccessibleName("What went wrong")
    RowHeight(table)
    return table


class _Table(QTableView):
    """Hands Ctrl+C to its view, which copies whole lines instead of one cell."""

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Copying is the view's affair."""
        if event.matches(QKeySequence.StandardKey.Copy):
            event.ignore()
            return
        super().keyPressEvent(event)

"""The tables of a comparison: how far apart every signal is, and which settings differ."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from hil.panel.scope.readout import number
from hil.panel.shell.text_room import RowHeight
from hil.panel.study.models.compare import DifferenceFigures
from hil.panel.study.models.compare_settings import Setting

_FIGURES: Final = ("Signal", "Largest", "at [s]", "RMS", "Mean", "Unit")


class _Table(QTableWidget):
    """A table to be read, whose first column takes the room that is left."""

    def __init__(self, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(0, len(names), parent)
        self.setHorizontalHeaderLabels(list(names))
        self.verticalHeader().hide()
        RowHeight(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setWordWrap(False)
        self.horizontalHeader().setDefaultSectionSize(76)
        self.horizontalHeader().setMinimumSectionSize(50)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def write(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows of cells and no others."""
        self.setRowCount(len(rows))
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                item.setToolTip(cell)
                self.setItem(row, column, item)


class FiguresTable(_Table):
    """How far apart every signal is."""

    picked = Signal(str)
    """Name of the signal whose row was clicked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_FIGURES, parent)
        self.cellClicked.connect(self._pick)

    def show_figures(self, rows: Sequence[DifferenceFigures]) -> None:
        """Show the figures of these signals."""
        self.write(
            [
                (
                    one.channel.name,
                    *(number(value) for value in (one.largest, one.at_s, one.rms, one.mean)),
                    one.channel.unit,
                )
                for one in rows
            ]
        )

    def _pick(self, row: int, _: int) -> None:
        item = self.item(row, 0)
        if item is not None:
            self.picked.emit(item.text())


class SettingsTable(_Table):
    """What differs between the runs' settings."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(["Setting", "1", "2"], parent)

    def show_settings(self, rows: Sequence[Setting]) -> None:
        """Show these settings."""
        absent = self.tr("—")
        self.write([(one.name, one.first or absent, one.second or absent) for one in rows])

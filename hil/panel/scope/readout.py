"""Values of the traces at the cursors, as a table."""

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hil.panel.scope.models.cursors import CursorReading, Cursors
from hil.panel.widgets.text_space import RowHeight
from hil.panel.widgets.theme import Theme

_WIDTH_PX: Final = 320


class Readout(QWidget):
    """Values at two cursors, and their differences."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        heads = ("Signal", "A", "B", "B − A")
        self.table = QTableWidget(0, len(heads), self)
        self.table.setHorizontalHeaderLabels([self.tr(head) for head in heads])
        self.table.verticalHeader().hide()
        RowHeight(self.table)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setWordWrap(False)
        self.rate = QLabel(self)
        self.setMinimumWidth(_WIDTH_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        column.addWidget(self.rate)

    def set_theme(self, theme: Theme) -> None:
        """Take other colours on."""
        self._theme = theme

    def show_readings(
        self, cursors: Cursors, readings: Sequence[CursorReading], origin_s: float
    ) -> None:
        """Write the table.

        Args:
            origin_s: time that the plots' axis calls 0 [s].
        """
        self.table.setRowCount(len(readings) + 1)
        times = (cursors.a_s - origin_s, cursors.b_s - origin_s, cursors.dt_s)
        self._write(0, self.tr("t [s]"), times, self._theme.text)
        for row, reading in enumerate(readings, start=1):
            colour = self._theme.traces[(row - 1) % len(self._theme.traces)]
            values = (reading.a, reading.b, reading.difference)
            self._write(row, reading.channel.name, values, colour)
        self.rate.setText(self.tr("1/Δt = {value:.6g} Hz").format(value=cursors.rate_hz))

    def _write(self, row: int, name: str, values: Sequence[float], colour: str) -> None:
        words = [name, *(number(value) for value in values)]
        for column, cell in enumerate(words):
            item = self.table.item(row, column)
            if item is None:
                item = QTableWidgetItem()
                self.table.setItem(row, column, item)
            if item.text() != cell:
                item.setText(cell)
            item.setForeground(QColor(colour if column == 0 else self._theme.text))
            item.setToolTip(name)


def number(value: float) -> str:
    """Six digits, or a dash for what is not there."""
    return "—" if math.isnan(value) else f"{value:.6g}"

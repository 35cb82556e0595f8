"""What a diagram that runs in the editor gets: its inputs, sliders, switches and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QPushButton, QTableWidget, QTableWidgetItem

from hil.config.errors import ConfigError, RefusedError
from hil.config.toml_text import toml_value
from hil.diagram.run.operator_actions import PRESSED
from hil.panel.diagram.models.live_run import LiveRun, numbers_text
from hil.panel.diagram.models.live_values import NO_UNIT


class InputTable(QTableWidget):
    """A row for each, with its value to be typed over or its button."""

    refused = Signal(str)
    """Why a value is not taken."""
    changed = Signal()
    """Something was set."""

    def __init__(self) -> None:
        super().__init__(0, 3)
        self._run: LiveRun | None = None
        self._paths: list[str] = []
        self.setHorizontalHeaderLabels(["input", "value", "unit"])
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(24)
        self.setWordWrap(False)
        self.cellChanged.connect(self._set)

    def show_run(self, run: LiveRun | None) -> None:
        """Show what a diagram gets now; nothing of none."""
        self._run = run
        self.blockSignals(True)
        try:
            self.setRowCount(0)
            self._paths.clear()
            if run is not None:
                self._fill(run)
        finally:
            self.blockSignals(False)

    def _fill(self, run: LiveRun) -> None:
        for name, (type_, values) in run.inputs().items():
            self._row(name, numbers_text(values, type_), type_.unit)
        for block in run.panel_blocks():
            pressed = block.kind == PRESSED
            row = self._row(block.path, "" if pressed else toml_value(block.value), block.unit)
            if pressed:
                button = QPushButton(f"press ({block.value})")
                button.clicked.connect(lambda _, path=block.path: self._operate(path, "true"))
                self.setCellWidget(row, 1, button)

    def _row(self, name: str, value: str, unit: str) -> int:
        row = self.rowCount()
        self.insertRow(row)
        self._paths.append(name)
        for column, text in enumerate((name, value, "" if unit in NO_UNIT else unit)):
            item = QTableWidgetItem(text)
            if column != 1:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
            self.setItem(row, column, item)
        return row

    def _set(self, row: int, _: int) -> None:
        item = self.item(row, 1)
        if item is not None:
            self._operate(self._paths[row], item.text())

    def _operate(self, path: str, text: str) -> None:
        """A value was typed, or a button pressed."""
        run = self._run
        if run is None:
            return
        try:
            run.set(path, text)
        except RefusedError as error:
            self.refused.emit(str(error))
        except ConfigError as error:
            self.refused.emit(error.problems[0])
        else:
            self.changed.emit()
        self.show_run(run)

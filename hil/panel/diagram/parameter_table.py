"""The chosen block's line: its name, parameters, ticks and note, which are typed over."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

from hil.config.errors import RefusedError
from hil.config.toml_text import toml_value
from hil.diagram.file.model import SUB
from hil.diagram.library.kind import ParameterKind
from hil.diagram.library.registry import faces, kinds
from hil.panel.diagram.models.edits import Edit, Rename
from hil.panel.diagram.models.line_edits import SetNote, SetParameter, SetTicks, typed
from hil.panel.diagram.scene import DiagramScene


class ParameterTable(QTableWidget):
    """A row for everything of the one block that is chosen.

    Args:
        scene: Where it is chosen.
    """

    refused = Signal(str)
    """Why a value is not taken."""

    def __init__(self, scene: DiagramScene) -> None:
        super().__init__(0, 3)
        self._scene = scene
        self.setHorizontalHeaderLabels(["", "value", "unit"])
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(24)
        self.cellChanged.connect(self._set)

    def show_block(self) -> None:
        """Show what is chosen now."""
        self.blockSignals(True)
        try:
            self.setRowCount(0)
            chosen = self._scene.chosen()
            for row in self._rows(chosen[0]) if len(chosen) == 1 else ():
                at = self.rowCount()
                self.insertRow(at)
                for column, text in enumerate(row):
                    item = QTableWidgetItem(text)
                    if column != 1:
                        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
                    self.setItem(at, column, item)
        finally:
            self.blockSignals(False)

    def _rows(self, name: str) -> list[tuple[str, str, str]]:
        block = self._scene.diagram.blocks[name]
        rows = [("name", name, "")]
        for one in self._kinds(name):
            value = block.parameters.get(one.name, one.default)
            rows.append((one.name, _shown(value), one.unit))
        rows += [("rate", str(block.rate), "ticks"), ("offset", str(block.offset), "ticks")]
        return [*rows, ("note", block.note, "")]

    def _kinds(self, name: str) -> list[ParameterKind]:
        block = self._scene.diagram.blocks[name]
        if block.kind == SUB:
            inner = self._scene.document.file.sub(block.of)
            known = inner.parameters.items() if inner else ()
            return [ParameterKind(key, "value", one.value, unit=one.unit) for key, one in known]
        kind = kinds().get(block.kind) or faces().get(block.kind)
        return list(kind.parameters) if kind else []

    def _set(self, row: int, _: int) -> None:
        """A value was typed."""
        (name,) = self._scene.chosen()
        items = (self.item(row, one) for one in (0, 1))
        key, text = ("" if item is None else item.text() for item in items)
        try:
            edit = self._edit(name, key, text)
        except (RefusedError, ValueError) as error:
            self.refused.emit(str(error))
            self.show_block()
            return
        if not self._scene.do(edit):
            self.show_block()
        elif key == "name":
            self._scene.choose(frozenset({text.strip()}))

    def _edit(self, name: str, key: str, text: str) -> Edit:
        where, block = self._scene.where, self._scene.diagram.blocks[name]
        if key == "name":
            return Rename(where, name, text.strip())
        if key == "note":
            return SetNote(where, name, text)
        if key in ("rate", "offset"):
            both = {"rate": block.rate, "offset": block.offset, key: int(text)}
            return SetTicks(where, name, both["rate"], both["offset"])
        (kind,) = (one for one in self._kinds(name) if one.name == key)
        return SetParameter(where, name, key, typed(kind, text) if text.strip() else None)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else toml_value(value)

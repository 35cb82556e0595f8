"""The tree in which the signals of a scope are ticked."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hil.panel.scope.models.scope import MAX_TRACES, ScopeError, ScopeModel

_NAME = Qt.ItemDataRole.UserRole

_GROUPS: Final = {"allowed": "allowed by the gate", "space": "space arm"}
"""Names of groups that are not called as in the layout."""


class SignalTree(QWidget):
    """All signals of a run; those ticked are shown."""

    changed = Signal()
    """Another choice was made."""
    refused = Signal(str)
    """A signal cannot be shown: why."""

    def __init__(self, model: ScopeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a signal…"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setAccessibleName(self.tr("Choose the signals that are shown (S)"))
        self.tree.itemChanged.connect(self._ticked)
        self.none = QPushButton(self.tr("Show none"), self)
        self.none.clicked.connect(self._clear)
        self._count = QLabel(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for widget in (self.search, self.tree, self._count, self.none):
            column.addWidget(widget)
        self.set_model(model)

    def set_model(self, model: ScopeModel) -> None:
        """Show the signals of another run."""
        self._model = model
        self.tree.blockSignals(True)
        self.tree.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for branch in model.branches:
            if branch.group not in groups:
                groups[branch.group] = self._group(branch.group)
            parent = groups[branch.group]
            if len(branch.channels) > 1:
                parent = QTreeWidgetItem(parent, [branch.field])
                parent.setFlags(parent.flags() | Qt.ItemFlag.ItemIsAutoTristate)
            for channel in branch.channels:
                leaf = QTreeWidgetItem(parent, [channel.name])
                leaf.setData(0, _NAME, channel.name)
                leaf.setToolTip(0, f"{channel.name} [{channel.unit}]")
        self.tree.blockSignals(False)
        self.refresh()

    def refresh(self) -> None:
        """Tick what is shown."""
        shown = {channel.name for channel in self._model.traces}
        self.tree.blockSignals(True)
        for leaf in self._leaves():
            ticked = leaf.data(0, _NAME) in shown
            leaf.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.tree.blockSignals(False)
        self._count.setText(
            self.tr("{shown} of at most {most} shown").format(shown=len(shown), most=MAX_TRACES)
        )

    def leaf(self, name: str) -> QTreeWidgetItem:
        """The row of a signal.

        Raises:
            KeyError: if there is none.
        """
        for leaf in self._leaves():
            if leaf.data(0, _NAME) == name:
                return leaf
        raise KeyError(f"no signal {name!r} in the tree")

    def _group(self, name: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self.tree, [_GROUPS.get(name, name)])
        item.setExpanded(False)
        return item

    def _leaves(self) -> list[QTreeWidgetItem]:
        found: list[QTreeWidgetItem] = []
        waiting = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        while waiting:
            item = waiting.pop(0)
            if item is None:
                continue
            if item.data(0, _NAME) is not None:
                found.append(item)
            waiting[:0] = [item.child(row) for row in range(item.childCount())]
        return found

    def _ticked(self, item: QTreeWidgetItem, column: int) -> None:
        del column
        name = item.data(0, _NAME)
        if name is None:
            return  # a branch: its leaves tell of themselves
        try:
            if item.checkState(0) is Qt.CheckState.Checked:
                self._model.show(name)
            else:
                self._model.hide(name)
        except ScopeError as error:
            self.refused.emit(str(error))
        self.refresh()
        self.changed.emit()

    def _clear(self) -> None:
        for channel in self._model.traces:
            self._model.hide(channel.name)
        self.refresh()
        self.changed.emit()

    def _filter(self, words: str) -> None:
        """Show only signals with all the words in their names."""
        parts = words.lower().split()
        for leaf in self._leaves():
            leaf.setHidden(not all(part in leaf.text(0).lower() for part in parts))
        for row in range(self.tree.topLevelItemCount()):
            group = self.tree.topLevelItem(row)
            if group is not None:
                _hide_if_empty(group)
                group.setExpanded(bool(parts))


def _hide_if_empty(item: QTreeWidgetItem | None) -> bool:
    """Hide branches without a visible leaf; returns whether it is hidden."""
    if item is None:
        return True
    if item.data(0, _NAME) is not None:
        return item.isHidden()
    hidden = [_hide_if_empty(item.child(row)) for row in range(item.childCount())]
    item.setHidden(all(hidden))
    item.setExpanded(not all(hidden))
    return all(hidden)

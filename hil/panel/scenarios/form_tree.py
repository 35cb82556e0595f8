"""The lines of a form: a tree with a line for each setting, its problem beside it.

Items of long lists are made when they are opened. pyqtgraph's `parametertree` was measured in its
place: it makes a widget for each line, 9 s for the 419 lines of a robot's file against 0.4 s here,
and has no column for a problem.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from hil.panel.scenarios.form_delegate import NAME, PLACE, PROBLEM, VALUE, FormDelegate
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_nodes import Node, NodeKind, Place
from hil.panel.scenarios.models.form_values import shown
from hil.panel.widgets.theme import Theme

OPEN_ITEMS: Final = 12
"""Lists of at most so many items are open at first."""
_NAME_CHARS: Final = 30
"""Width of the first column at first, in characters."""


class FormTree(QTreeWidget):
    """The lines."""

    def __init__(
        self,
        theme: Theme,
        edit: Callable[[Place, str | None, object], None],
        offered: Callable[[Place], tuple[str, ...]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model: FormModel | None = None
        self._top: Place = ()
        self._lines: set[Place] = set()
        self.setColumnCount(3)
        self.setHeaderLabels([self.tr("Setting"), self.tr("Value"), self.tr("What is wrong")])
        self.setAccessibleName(self.tr("Settings of the file, one line each"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAlternatingRowColors(True)
        self.setUniformRowHeights(True)
        self.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        width = self.fontMetrics().averageCharWidth()
        self.header().resizeSection(NAME, _NAME_CHARS * width)
        for column in (VALUE, PROBLEM):  # share what is left
            self.header().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.setIndentation(2 * width)
        self.setItemDelegate(FormDelegate(self._found, edit, offered, self))
        self.itemExpanded.connect(self._open)
        self.itemCollapsed.connect(lambda item: self.show_again([item.data(NAME, PLACE)]))

    def set_model(self, model: FormModel | None, top: Place = ()) -> None:
        """Show another form, or only the lines inside one line."""
        self._model, self._top = model, top
        self.clear()
        self.fill()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.show_again()

    # --- building -------------------------------------------------------------------------------

    def fill(self, current: Place | None = None) -> None:
        """Make the lines anew, with the same ones open."""
        open_ones = {place for place, item in self.items().items() if item.isExpanded()}
        first = not self.topLevelItemCount()
        with QSignalBlocker(self):
            self.clear()
            top = None if self._model is None else self._model.node(self._top)
            if top is not None:
                self._add_lines(self.invisibleRootItem(), top)
            items = self.items()
            for place, node in self._nodes(items).items():
                if place in open_ones or (first and node.given and self._is_small(node)):
                    self._make_inside(items[place], node)
                    items[place].setExpanded(True)
        if current is not None:
            self.select(current)
        self.show_again()

    def _is_small(self, node: Node) -> bool:
        return self._model is not None and len(self._model.children(node)) <= OPEN_ITEMS

    def _add_lines(self, parent: QTreeWidgetItem, node: Node) -> None:
        if self._model is None:
            return
        children = self._model.children(node)
        eager = node.kind is NodeKind.TABLE or len(children) <= OPEN_ITEMS
        for one in children:
            item = QTreeWidgetItem(parent)
            item.setData(NAME, PLACE, one.place)
            item.setText(NAME, one.label)
            tip = "\n".join(part for part in (one.label, one.about, one.bounds) if part)
            item.setToolTip(NAME, tip)
            item.setToolTip(VALUE, tip)
            flags = item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(flags | Qt.ItemFlag.ItemIsEditable)
            if not one.required and one.kind is not NodeKind.FOREIGN:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            if inside := len(self._model.children(one)):
                policy = QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator
                item.setChildIndicatorPolicy(policy)
                if eager and (one.kind is NodeKind.TABLE or inside <= OPEN_ITEMS):
                    self._add_lines(item, one)
            self._show(item, one)

    def _make_inside(self, item: QTreeWidgetItem, node: Node) -> None:
        """Make what is inside a line, if that was not needed before."""
        if not item.childCount():
            with QSignalBlocker(self):
                self._add_lines(item, node)

    def _open(self, item: QTreeWidgetItem) -> None:
        """A line was opened: problems move from it, and what holds it, to those inside."""
        place: Place = tuple(item.data(NAME, PLACE))
        node = self.node(place)
        if node is not None:
            self._make_inside(item, node)
        self.show_again([place, *(one for one in self.items() if one[: len(place)] == place)])

    # --- lines ----------------------------------------------------------------------------------

    def _show(self, item: QTreeWidgetItem, node: Node) -> None:
        """Write a line's value, tick and problem."""
        model = self._model
        if model is None:
            return
        item.setText(VALUE, value_text(node))
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            tick = Qt.CheckState.Checked if node.given else Qt.CheckState.Unchecked
            item.setCheckState(NAME, tick)
        # A problem stands at its own line, or at the nearest one that is shown.
        inside = model.problems_at(node.place)
        own = [one for one in inside if one.place == node.place or one.place not in self._lines]
        closed = inside if not item.isExpanded() else tuple(own)
        item.setText(PROBLEM, "; ".join(dict.fromkeys(one.message for one in closed)))
        item.setToolTip(PROBLEM, item.text(PROBLEM))
        colour = QColor(self._theme.fault if inside else self._theme.text)
        dim = QColor(self._theme.text if node.given else self._theme.dim)
        item.setForeground(NAME, colour if inside else dim)
        item.setForeground(VALUE, colour if closed else dim)
        item.setForeground(PROBLEM, QColor(self._theme.fault))

    def show_again(self, places: Iterable[Place] | None = None) -> None:
        """Write lines anew: those on the way to some places, or all."""
        items = self.items()
        self._lines = set(items)
        prefixes = None if places is None else {p[:n] for p in places for n in range(1, len(p) + 1)}
        with QSignalBlocker(self):
            for place, node in self._nodes(items).items():
                if prefixes is None or place in prefixes:
                    self._show(items[place], node)
        self.viewport().update()

    def _nodes(self, items: Mapping[Place, QTreeWidgetItem]) -> dict[Place, Node]:
        """Nodes of the lines, from the top down: each table is taken apart once."""
        found: dict[Place, Node] = {}
        waiting = [self.node(self._top)]
        while waiting:
            holder = waiting.pop()
            if holder is None or self._model is None:
                continue
            for node in self._model.children(holder):
                if (item := items.get(node.place)) is not None:
                    found[node.place] = node
                    if item.childCount():
                        waiting.append(node)
        return found

    def items(self) -> dict[Place, QTreeWidgetItem]:
        """Every line that was made, by its place."""
        found: dict[Place, QTreeWidgetItem] = {}
        waiting = [self.topLevelItem(i) for i in range(self.topLevelItemCount())]
        while waiting:
            item = waiting.pop()
            if item is not None:
                found[tuple(item.data(NAME, PLACE))] = item
                waiting += [item.child(i) for i in range(item.childCount())]
        return found

    def node(self, place: Place) -> Node | None:
        """Node of a line; None if there is no such line."""
        return None if self._model is None else self._model.node(tuple(place))

    def _found(self, place: Place) -> tuple[FormModel, Node] | None:
        node = self.node(place)
        return None if node is None or self._model is None else (self._model, node)

    def select(self, place: Place) -> None:
        """Make a line the current one; opens what holds it."""
        for depth in range(len(self._top) + 1, len(place) + 1):
            item = self.items().get(place[:depth])
            if item is None:
                return
            if depth < len(place):
                item.setExpanded(True)
            else:
                self.setCurrentItem(item)

    @property
    def current(self) -> Place | None:
        """The current line."""
        item = self.currentItem()
        return None if item is None else tuple(item.data(NAME, PLACE))


def value_text(node: Node) -> str:
    """A line's value as it is read."""
    if node.kind is NodeKind.LIST:
        count = len(node.value) if isinstance(node.value, list | tuple) else 0
        return f"{count} items"
    if node.kind is NodeKind.SWITCH and isinstance(node.value, bool):
        return "yes" if node.value else "no"
    if node.kind is NodeKind.TABLE and node.tag and isinstance(node.value, dict):
        return str(node.value.get(node.tag, ""))
    text = shown(node)
    return text if text or node.given or node.inner else "left out"

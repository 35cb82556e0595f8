"""A form as a tree: a line for each setting, its problem beside it, edited in place.

Items of long lists are made when they are opened. What is typed counts at once; the check comes
when typing rests, in another thread.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from PySide6.QtCore import QObject, QRunnable, QSignalBlocker, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hil.panel.form_delegate import NAME, PLACE, PROBLEM, UNIT, VALUE, FormDelegate
from hil.panel.models.form import FormError, FormModel
from hil.panel.models.form_check import Problem
from hil.panel.models.form_nodes import Node, NodeKind, Place, unit_beside
from hil.panel.models.form_values import shown
from hil.panel.texts import text
from hil.panel.theme import LIGHT, Theme

IDLE_MS: Final = 150
"""Rest after the last key before the settings are checked [ms]."""
OPEN_ITEMS: Final = 12
"""Lists of at most so many items are open at first."""

Check = Callable[[dict[str, Any]], tuple[Problem, ...]]


class _Told(QObject):
    found = Signal(int, object)


class _Checking(QRunnable):
    """One check in another thread."""

    def __init__(self, check: Check, table: dict[str, Any], revision: int, told: _Told) -> None:
        super().__init__()
        self._check, self._table, self._revision, self._told = check, table, revision, told

    def run(self) -> None:
        """Check, and say what was found."""
        self._told.found.emit(self._revision, self._check(self._table))


class FormView(QWidget):
    """A form.

    Args:
        theme: colours.
        parent: widget that holds this one.
    """

    changed = Signal()
    """The settings, or what is known of their problems, changed."""

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model: FormModel | None = None
        self._check: Check | None = None
        self._lines: set[Place] = set()
        self._whole = False
        self._top: Place = ()
        self._told = _Told()
        self._told.found.connect(self._take)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(IDLE_MS)
        self._idle.timeout.connect(self._begin_check)
        self.tree = self._made_tree()
        self.buttons = self._made_buttons()
        self._about = QLabel()
        self._about.setWordWrap(True)
        self._about.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        room = QVBoxLayout(self)
        room.setContentsMargins(0, 0, 0, 0)
        bar = QHBoxLayout()
        for button in self.buttons.values():
            bar.addWidget(button)
        bar.addStretch(1)
        room.addLayout(bar)
        room.addWidget(self.tree, 1)
        room.addWidget(self._about)
        self.setFocusProxy(self.tree)

    @property
    def model(self) -> FormModel | None:
        """What is edited; None while there is nothing."""
        return self._model

    def set_model(self, model: FormModel | None, check: Check | None = None) -> None:
        """Show another file.

        Args:
            model: its form.
            check: what finds the problems of its table, in another thread.
        """
        self._model, self._check, self._top = model, check, ()
        self.tree.clear()
        self._fill()
        self._begin_check()

    def show_only(self, place: Place) -> None:
        """Show only the lines inside one line."""
        self._top = place
        self.tree.clear()
        self._fill()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._refresh_lines()

    def close_checks(self) -> None:
        """Wait for a check under way: the window closes."""
        self._idle.stop()
        self._pool.waitForDone()

    # --- building -------------------------------------------------------------------------------

    def _made_tree(self) -> QTreeWidget:
        tree = QTreeWidget(self)
        tree.setColumnCount(4)
        tree.setHeaderLabels(
            [text(f"form.{name}") for name in ("name", "value", "unit", "problem")]
        )
        tree.setAccessibleName(text("form.description"))
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.setAlternatingRowColors(True)
        tree.setUniformRowHeights(True)
        tree.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        header = tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(UNIT, QHeaderView.ResizeMode.ResizeToContents)
        width = self.fontMetrics().averageCharWidth()
        header.resizeSection(NAME, 24 * width)
        header.resizeSection(VALUE, 24 * width)
        delegate = FormDelegate(self._node_at, self._edit, tree)
        tree.setItemDelegate(delegate)
        tree.setIndentation(self.fontMetrics().averageCharWidth() * 2)
        tree.itemExpanded.connect(self._open)
        tree.itemCollapsed.connect(lambda item: self._refresh_lines([item.data(NAME, PLACE)]))
        tree.itemChanged.connect(self._ticked)
        tree.currentItemChanged.connect(self._describe)
        tree.itemActivated.connect(lambda item, _: self._begin_edit(item))
        tree.itemClicked.connect(lambda item, column: column == VALUE and self._begin_edit(item))
        return tree

    def _made_buttons(self) -> dict[str, QToolButton]:
        made: dict[str, QToolButton] = {}
        for name, keys, act in (
            ("add", "Ins", self.add), ("remove", "Del", self.remove),
            ("up", "Alt+Up", lambda: self.shift(-1)), ("down", "Alt+Down", lambda: self.shift(1)),
            ("reshape", "", self.reshape), ("undo", "Ctrl+Z", self.undo),
            ("redo", "Ctrl+Shift+Z", self.redo),
        ):  # fmt: skip
            button = QToolButton(self)
            button.setText(text(f"form.{name}"))
            button.setToolTip(text(f"form.{name}.tip"))
            button.clicked.connect(act)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            made[name] = button
            if keys:
                shortcut = QShortcut(QKeySequence(keys), self.tree, act)
                shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        return made

    def _fill(self, current: Place | None = None) -> None:
        """Make the lines anew, with the same ones open."""
        open_ones = {place for place, item in self._items().items() if item.isExpanded()}
        first = not self.tree.topLevelItemCount()
        with QSignalBlocker(self.tree):
            self.tree.clear()
            if self._model is not None:
                top = self._model.node(self._top)
                if top is not None:
                    self._add_lines(self.tree.invisibleRootItem(), top)
        for place, item in list(self._items().items()):
            node = self._node(place)
            small = node is not None and node.given and self._is_small(node)
            if place in open_ones or (first and small):
                item.setExpanded(True)
        if current is not None:
            self.select(current)
        self._refresh_lines()

    def _is_small(self, node: Node) -> bool:
        return self._model is not None and len(self._model.children(node)) <= OPEN_ITEMS

    def _add_lines(self, parent: QTreeWidgetItem, node: Node) -> None:
        if self._model is None:
            return
        eager = node.kind is NodeKind.TABLE or self._is_small(node)
        for one in self._model.children(node):
            item = QTreeWidgetItem(parent)
            item.setData(NAME, PLACE, one.place)
            item.setText(NAME, one.label)
            item.setText(UNIT, unit_beside(one))
            flags = item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(flags | Qt.ItemFlag.ItemIsEditable)
            if not one.required and one.kind is not NodeKind.FOREIGN:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            if one.inner and self._model.children(one):
                policy = QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator
                item.setChildIndicatorPolicy(policy)
                if eager and (one.kind is NodeKind.TABLE or self._is_small(one)):
                    self._add_lines(item, one)
            self._show(item, one)

    def _open(self, item: QTreeWidgetItem) -> None:
        node = self._node(item.data(NAME, PLACE))
        if node is not None and not item.childCount():
            with QSignalBlocker(self.tree):
                self._add_lines(item, node)
        self._refresh_lines()

    # --- lines ----------------------------------------------------------------------------------

    def _show(self, item: QTreeWidgetItem, node: Node) -> None:
        """Write a line's value, tick and problem."""
        model = self._model
        if model is None:
            return
        item.setText(VALUE, _value_text(node))
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            tick = Qt.CheckState.Checked if node.given else Qt.CheckState.Unchecked
            item.setCheckState(NAME, tick)
        # A problem stands at its own line, or at the nearest one that is shown.
        inside = model.problems_at(node.place)
        own = [one for one in inside if one.place == node.place or not self._has_line(one.place)]
        closed = inside if not item.isExpanded() else tuple(own)
        item.setText(PROBLEM, "; ".join(dict.fromkeys(one.message for one in closed)))
        item.setToolTip(PROBLEM, item.text(PROBLEM))
        colour = QColor(self._theme.fault if inside else self._theme.text)
        dim = QColor(self._theme.text if node.given else self._theme.dim)
        item.setForeground(NAME, colour if inside else dim)
        item.setForeground(VALUE, colour if closed else dim)
        item.setForeground(UNIT, QColor(self._theme.dim))
        item.setForeground(PROBLEM, QColor(self._theme.fault))

    def _refresh_lines(self, places: Iterable[Place] | None = None) -> None:
        """Write lines anew: those on the way to some places, or all."""
        items = self._items()
        self._lines = set(items)
        ways = None if places is None else {p[:n] for p in places for n in range(1, len(p) + 1)}
        with QSignalBlocker(self.tree):
            for place, item in items.items():
                node = self._node(place) if ways is None or place in ways else None
                if node is not None:
                    self._show(item, node)
        model = self._model
        self.buttons["undo"].setEnabled(model is not None and model.can_undo)
        self.buttons["redo"].setEnabled(model is not None and model.can_redo)

    def _has_line(self, place: Place) -> bool:
        return place in self._lines

    def _items(self) -> dict[Place, QTreeWidgetItem]:
        found: dict[Place, QTreeWidgetItem] = {}
        waiting = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        while waiting:
            item = waiting.pop()
            if item is not None:
                found[tuple(item.data(NAME, PLACE))] = item
                waiting += [item.child(i) for i in range(item.childCount())]
        return found

    def _node(self, place: Place) -> Node | None:
        return None if self._model is None else self._model.node(tuple(place))

    def _node_at(self, place: Place) -> tuple[FormModel, Node] | None:
        node = self._node(place)
        return None if node is None or self._model is None else (self._model, node)

    def select(self, place: Place) -> None:
        """Make a line the current one; opens what holds it."""
        for depth in range(len(self._top) + 1, len(place) + 1):
            item = self._items().get(place[:depth])
            if item is None:
                return
            if depth < len(place):
                item.setExpanded(True)
            else:
                self.tree.setCurrentItem(item)

    @property
    def current(self) -> Place | None:
        """The current line."""
        item = self.tree.currentItem()
        return None if item is None else tuple(item.data(NAME, PLACE))

    def _describe(self, *_: object) -> None:
        place = self.current
        node = None if place is None else self._node(place)
        parts = () if node is None else (node.about, node.bounds)
        self._about.setText("   ".join(part for part in parts if part))

    # --- edits ----------------------------------------------------------------------------------

    def _begin_edit(self, item: QTreeWidgetItem) -> None:
        node = self._node(item.data(NAME, PLACE))
        if node is not None and not node.inner and not node.fixed:
            if self._model is not None:
                self._model.settle()
            self.tree.editItem(item, VALUE)

    def _edit(self, place: Place, typed: str | None, chosen: object) -> None:
        """Take what was typed (or chosen) in a line."""

        def act(model: FormModel) -> Place:
            before = model.node(place[:-1])
            if typed is None:
                model.put(place, chosen)
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

    def add(self) -> None:
        """Add an item to the list that the current line is, or is in."""
        place = self.current
        while place:
            node = self._node(place)
            if node is not None and node.kind is NodeKind.LIST:
                self._do(lambda model, at=place: model.append(at))
                return
            place = place[:-1]

    def remove(self) -> None:
        """Remove the current item, or leave the setting out."""
        if place := self.current:
            self._do(lambda model: model.remove(place))

    def shift(self, by: int) -> None:
        """Move the item that the current line is, or is in."""
        place = self.current
        while place and not isinstance(place[-1], int):
            place = place[:-1]
        if place:
            self._do(lambda model: model.move(place, by))

    def reshape(self) -> None:
        """Change between one number and six."""
        place = self.current
        node = None if place is None else self._node(place)
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
        before, place = model.revision, self.current
        try:
            result = act(model)
        except FormError as error:
            self._about.setText(str(error))
            self._refresh_lines()
            return
        if model.revision == before:
            return
        if whole():
            self._fill(result if isinstance(result, tuple) else place)
        else:
            self._refresh_lines([result] if isinstance(result, tuple) else None)
        self._idle.start()
        self.changed.emit()

    # --- problems -------------------------------------------------------------------------------

    def _begin_check(self) -> None:
        if self._model is not None and self._check is not None:
            checking = _Checking(self._check, self._model.table, self._model.revision, self._told)
            self._pool.start(checking)

    def _take(self, revision: int, problems: object) -> None:
        model = self._model
        if model is None or not isinstance(problems, tuple):
            return
        before = model.problems
        if model.take(revision, problems):
            self._refresh_lines([one.place for one in (*before, *problems)])
            self.changed.emit()


def _value_text(node: Node) -> str:
    if node.kind is NodeKind.LIST:
        count = len(node.value) if isinstance(node.value, list | tuple) else 0
        return text("form.items", count=count)
    if node.kind is NodeKind.SWITCH and isinstance(node.value, bool):
        return text("form.yes" if node.value else "form.no")
    if node.kind is NodeKind.TABLE and node.tag and isinstance(node.value, dict):
        return str(node.value.get(node.tag, ""))
    told = shown(node)
    return told if told or node.given or node.inner else text("form.left_out")

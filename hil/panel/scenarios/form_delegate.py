"""The editor of one line of a form: a field for text, a list to choose from."""

from collections.abc import Callable
from typing import Any, Final, cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_nodes import ABSENT, Node, NodeKind, Place
from hil.panel.scenarios.models.form_values import shown

NAME, VALUE, PROBLEM = range(3)
"""Columns."""
PLACE: Final = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex


class FormDelegate(QStyledItemDelegate):
    """Editors of values.

    Args:
        find: gives a line's form and node.
        edit: takes place, typed text or None, and the choice if nothing was typed.
        offered: names of files that a line may be given; typing others is possible.
    """

    def __init__(
        self,
        find: Callable[[Place], tuple[FormModel, Node] | None],
        edit: Callable[[Place, str | None, object], None],
        offered: Callable[[Place], tuple[str, ...]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._find, self._edit, self._offered = find, edit, offered

    def place_of(self, index: Index) -> Place:
        """The place in the table that a cell shows."""
        return tuple(index.sibling(index.row(), NAME).data(PLACE) or ())

    def is_value(self, index: Index) -> bool:
        """Whether a cell can be edited, and not only be read."""
        return index.column() == VALUE

    def createEditor(  # noqa: N802 - Qt's name
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> Any:
        """A field or a list for the value of a line; nothing for the other columns."""
        place = self.place_of(index)
        found = self._find(place)
        if not self.is_value(index) or found is None or found[1].inner or found[1].fixed:
            return None
        node = found[1]
        if node.kind in (NodeKind.CHOICE, NodeKind.SWITCH):
            box = QComboBox(parent)
            for choice in _choices(node):
                box.addItem(_choice_text(choice), choice)
            box.setCurrentIndex(_position(node))
            box.activated.connect(lambda _: self._edit(place, None, box.currentData()))
            return box
        if node.kind is NodeKind.FOREIGN:
            return None
        names = self._offered(place)
        if names:
            return self._names_box(parent, node, names)
        field = QLineEdit(parent)
        field.setText(shown(node))
        field.textEdited.connect(lambda typed: self._edit(place, typed, None))
        return field

    def _names_box(self, parent: QWidget, node: Node, names: tuple[str, ...]) -> QComboBox:
        """A list of names in which another one can be typed."""
        box = QComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setCompleter(cast(Any, None))  # a name that was begun is not another one
        box.addItems(names)
        box.setCurrentIndex(box.findText(shown(node)))
        box.setEditText(shown(node))
        place = node.place
        box.textActivated.connect(lambda name: self._edit(place, name, None))
        field = box.lineEdit()
        if field is not None:
            field.textEdited.connect(lambda typed: self._edit(place, typed, None))
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:  # noqa: N802
        """The editor was filled when it was made, and is not overwritten while one types."""

    def setModelData(self, editor: QWidget, model: Any, index: Index) -> None:  # noqa: N802
        """Take nothing more: what is typed counts at once."""


def _choices(node: Node) -> tuple[Any, ...]:
    return (True, False) if node.kind is NodeKind.SWITCH else node.options


def _position(node: Node) -> int:
    choices = _choices(node)
    return choices.index(node.value) if node.value is not ABSENT and node.value in choices else -1


def _choice_text(choice: Any) -> str:
    if isinstance(choice, bool):
        return "yes" if choice else "no"
    return str(choice)

"""The keys of the scope: every tool has one, and the arrows move the time or a cursor."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from hil.panel.shell.key_codes import key_of


class ScopeKeys(QObject):
    """Keys of a scope; as an event filter, those of its plots.

    Args:
        arrow: takes -1 for left or 1 for right, and whether it is to be further.
    """

    def __init__(
        self, scope: QObject, actions: Mapping[Qt.Key, Callable[[], object]],
        arrow: Callable[[int, bool], object],
    ) -> None:  # fmt: skip
        super().__init__(scope)
        self._actions, self._arrow = actions, arrow

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keys of what is watched are the scope's."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self.press(event)
        return super().eventFilter(watched, event)

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key stands for; whether it stands for something."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shift = modifiers == Qt.KeyboardModifier.ShiftModifier
        if modifiers and not shift:
            return False
        key = key_of(event)
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._arrow(-1 if key is Qt.Key.Key_Left else 1, shift)
            return True
        action = self._actions.get(key)
        if action is None:
            return False
        action()
        return True

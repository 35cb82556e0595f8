"""The keys of the scope: every tool has one, and the arrows move the time or a cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from hil.panel.shell.key_codes import key_of

if TYPE_CHECKING:
    from hil.panel.scope.view import ScopeView

_ZOOM: Final = 1.5
_MOVE: Final = 0.1
_NUDGE_PX: Final = 2
_NUDGE_MORE: Final = 10


class ScopeKeys(QObject):
    """Keys of a scope; as an event filter, those of its plots.

    Args:
        scope: whose they are.
    """

    def __init__(self, scope: ScopeView) -> None:
        super().__init__(scope)
        self._scope = scope
        key, tools = Qt.Key, scope.tools
        self._actions: dict[Qt.Key, Callable[[], object]] = {
            key.Key_P: tools.pause.click,
            key.Key_T: scope.trigger_bar.arm.click,
            key.Key_G: tools.trigger.click,
            key.Key_S: tools.choose.click,
            key.Key_C: tools.cursors.click,
            key.Key_X: scope.other_cursor,
            key.Key_A: tools.fit.click,
            key.Key_E: tools.export.click,
            key.Key_Plus: lambda: scope.zoom(_ZOOM),
            key.Key_Equal: lambda: scope.zoom(_ZOOM),
            key.Key_Minus: lambda: scope.zoom(1.0 / _ZOOM),
            key.Key_Home: lambda: scope.shift_time(-1e9),
            key.Key_End: lambda: scope.shift_time(1e9),
        }

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
            self._arrow(-1 if key is Qt.Key.Key_Left else 1, more=shift)
            return True
        action = self._actions.get(key)
        if action is None:
            return False
        action()
        return True

    def _arrow(self, sign: int, *, more: bool) -> None:
        """Move the active cursor by pixels, never less than a sample; without cursors, the time."""
        scope, model = self._scope, self._scope.model
        cursors = model.cursors
        if cursors is None:
            scope.shift_time(sign * _MOVE * (5.0 if more else 1.0))
            return
        width_px = max(50, scope.plots.width())
        step_s = max(
            model.span_s * _NUDGE_PX / width_px * (_NUDGE_MORE if more else 1),
            model.facts.period_s,
        )
        scope.put_cursor(cursors.active, cursors.at(cursors.active) + sign * step_s)

"""Keys that work wherever the focus is: stop, hold-to-run, and the bench's buttons.

An event filter of the application sees a key before any widget does, so no focused table or plot
can eat a stop. One filter serves the view that it is given, and only while that can be seen; a
stop goes out even from a dialog.
"""

from typing import Final, Protocol, cast

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from hil.desk.order import Button
from hil.panel.live.models.bench_alarm import BUTTONS
from hil.panel.widgets.key_codes import place_of

_Key = Qt.Key
STOP_KEYS: Final = (_Key.Key_Escape, _Key.Key_F12)
HOLD_KEY: Final = _Key.Key_Space
TAKE_KEY: Final = _Key.Key_F9
BUTTON_KEYS: Final[dict[Button, tuple[_Key, Qt.KeyboardModifier]]] = {
    Button.HOME: (_Key.Key_F2, Qt.KeyboardModifier.NoModifier),
    Button.ENGAGE: (_Key.Key_F3, Qt.KeyboardModifier.NoModifier),
    Button.PLAY: (_Key.Key_F4, Qt.KeyboardModifier.NoModifier),
    Button.POSE: (_Key.Key_F5, Qt.KeyboardModifier.NoModifier),
    Button.PARK: (_Key.Key_F6, Qt.KeyboardModifier.NoModifier),
    Button.RESET: (_Key.Key_F7, Qt.KeyboardModifier.NoModifier),
    Button.HOLD: (_Key.Key_F8, Qt.KeyboardModifier.NoModifier),
    Button.SHUT_DOWN: (_Key.Key_F10, Qt.KeyboardModifier.ControlModifier),
}
SHORTCUTS: Final[dict[str, tuple[str, ...]]] = {
    "STOP": ("Esc", "F12"),
    "HOLD TO RUN": ("Space",),
    "Take the motion": ("F9",),
    **{
        BUTTONS[button.value]: (QKeySequence(QKeyCombination(held, key)).toString(),)
        for button, (key, held) in BUTTON_KEYS.items()
    },
}
"""What keys do → what to press, for the list of all shortcuts."""
_WRITTEN_IN: Final = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)


class KeyTarget(Protocol):
    """Target of the keys."""

    def stop(self) -> None:
        """Ask for a stop."""
        ...

    def hold_key(self, *, pressed: bool) -> bool:
        """Press hold-to-run or let it go; False if the key is not for it now."""
        ...

    def press(self, button: Button) -> None:
        """Press a button."""
        ...

    def toggle_ownership(self) -> None:
        """Take the motion, or give it back."""
        ...


class StateKeys(QObject):
    """The filter."""

    def __init__(self, view: QWidget, steered: KeyTarget) -> None:
        super().__init__(view)
        self._view = view
        self._steered = steered
        self._holding = False
        self._place = 0
        app = cast(QApplication, QApplication.instance())
        app.installEventFilter(self)
        app.applicationStateChanged.connect(self._application_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Take keys of the bench; let go when the window is not the one that people look at."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._view.isVisible() and self._pressed(event)
        if kind == QEvent.Type.KeyRelease and isinstance(event, QKeyEvent):
            return self._released(event)
        if kind == QEvent.Type.WindowDeactivate and watched is self._view.window():
            self.let_go()
        return False

    def let_go(self) -> None:
        """Hold-to-run is not held any more, whatever the key's release is going to be."""
        self._holding = False
        self._steered.hold_key(pressed=False)

    def _pressed(self, event: QKeyEvent) -> bool:
        key, modifiers = event.key(), event.modifiers()
        dialog = QApplication.activeModalWidget() or QApplication.activePopupWidget()
        if key in STOP_KEYS:
            if not event.isAutoRepeat():
                self._steered.stop()
            return dialog is None
        if dialog is not None:
            return False
        if key == HOLD_KEY and not modifiers:
            return self._hold(event)
        if key == TAKE_KEY and not modifiers:
            if not event.isAutoRepeat():
                self._steered.toggle_ownership()
            return True
        for button, chord in BUTTON_KEYS.items():
            if (key, modifiers) == chord:
                if not event.isAutoRepeat():
                    self._steered.press(button)
                return True
        return False

    def _hold(self, event: QKeyEvent) -> bool:
        if event.isAutoRepeat():
            return self._holding
        if isinstance(QApplication.focusWidget(), _WRITTEN_IN):
            return False  # there it is a space between words
        self._holding = self._steered.hold_key(pressed=True)
        self._place = place_of(event)
        return self._holding

    def _released(self, event: QKeyEvent) -> bool:
        """Whether our key is released, by its place: Shift may change the space bar's character."""
        if place_of(event) != self._place or not self._holding:
            return False
        if not event.isAutoRepeat():
            self.let_go()
        return True

    def _application_changed(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive:
            self.let_go()

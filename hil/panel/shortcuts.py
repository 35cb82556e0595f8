"""All keys of the panel in one table, and the filter through which the two that matter go first.

Hold-to-run and stop are heard before any widget that has the focus, so that a text field, a list
or a button under the focus can never eat them. All others are Qt's own shortcuts.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence

from hil.panel.texts import text


class Where(Enum):
    """Where a key means what it says; the value names its heading in the help."""

    EVERYWHERE = "shortcuts.everywhere"
    SCENE = "shortcuts.scene"
    SCOPE = "shortcuts.scope"
    REPLAY = "shortcuts.replay"
    HANDLES = "shortcuts.handles"


@dataclass(frozen=True, slots=True)
class Shortcut:
    """One key.

    Args:
        keys: as `QKeySequence` reads them; several that do the same are separated by a blank.
        what: key of the text that says what it does.
        where: it is heard.
    """

    keys: str
    what: str
    where: Where = Where.EVERYWHERE

    @property
    def sequences(self) -> tuple[QKeySequence, ...]:
        """The keys as Qt knows them."""
        return tuple(QKeySequence(key) for key in self.keys.split())


HOLD_KEY: Final = Qt.Key.Key_Space
STOP_KEYS: Final = (Qt.Key.Key_Escape, Qt.Key.Key_F12)

SHORTCUTS: Final[dict[str, Shortcut]] = {
    "hold": Shortcut("Space", "shortcuts.hold"),
    "stop": Shortcut("Esc F12", "shortcuts.stop"),
    "take": Shortcut("Ctrl+T", "window.take"),
    "release": Shortcut("Ctrl+Shift+T", "window.release"),
    "open": Shortcut("Ctrl+O", "window.open"),
    "benches": Shortcut("Ctrl+B", "window.benches"),
    "leave": Shortcut("Ctrl+W", "window.leave"),
    "theme": Shortcut("Ctrl+D", "window.theme.next"),
    "full": Shortcut("F11", "window.full"),
    "help": Shortcut("F1", "window.shortcuts"),
    "quit": Shortcut("Ctrl+Q", "window.quit"),
    "scene": Shortcut("Ctrl+1", "window.dock.scene"),
}
"""Name → key. Tests see to it that no two collide."""


class OperatorKeys(QObject):
    """Hears hold-to-run and stop before every widget of the application.

    A press of hold-to-run counts while `armed`, that is while this panel owns a motion; otherwise
    the key is a plain Space. Whatever takes the keyboard away lets go: another window, a minimised
    one, a lost application. Repeats of a key that is held down say nothing new and are swallowed.

    Args:
        app: the application.
    """

    held_changed = Signal(bool)
    stop_pressed = Signal()

    def __init__(self, app: QGuiApplication) -> None:
        super().__init__(app)
        self._held = False
        self._armed = False
        app.installEventFilter(self)
        app.focusWindowChanged.connect(self.let_go)
        app.applicationStateChanged.connect(self._application_state)

    @property
    def held(self) -> bool:
        """Whether hold-to-run is pressed now."""
        return self._held

    @property
    def armed(self) -> bool:
        """Whether Space is hold-to-run now."""
        return self._armed

    def arm(self, armed: bool) -> None:
        """Say whether this panel owns a motion; a hold does not outlive it."""
        self._armed = armed
        if not armed:
            self.let_go()

    def let_go(self, *_: object) -> None:
        """Count as released from now on, until the key is pressed anew."""
        self._set(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Hear the two keys; say whether nobody else is to hear this event."""
        kind = event.type()
        if kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride):
            if isinstance(event, QKeyEvent):
                return self._key(kind, event)
        elif kind == QEvent.Type.WindowStateChange:
            self.let_go()
        return False

    def _key(self, kind: QEvent.Type, event: QKeyEvent) -> bool:
        key = event.key()
        if key in STOP_KEYS and kind == QEvent.Type.KeyPress and not event.isAutoRepeat():
            # A key event goes from widget to widget until one takes it: only the first counts.
            if _first_of(event, self._last):
                self._last = event.timestamp()
                self.let_go()
                self.stop_pressed.emit()
            return False  # Esc closes a menu or dialog as well
        if key != HOLD_KEY or not self._armed:
            return False
        if kind == QEvent.Type.ShortcutOverride:
            event.accept()  # no shortcut may be made of it
            return True
        if not event.isAutoRepeat():
            self._set(kind == QEvent.Type.KeyPress)
        return True

    _last = -1

    def _application_state(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive:
            self.let_go()

    def _set(self, held: bool) -> None:
        if held != self._held:
            self._held = held
            self.held_changed.emit(held)


def _first_of(event: QKeyEvent, last: int) -> bool:
    return event.timestamp() == 0 or event.timestamp() != last


def help_html() -> str:
    """All keys as a table for the help window."""
    parts: list[str] = []
    for where in Where:
        rows = [entry for entry in SHORTCUTS.values() if entry.where is where]
        if rows:
            parts.append(f"<h3>{text(where.value)}</h3><table cellspacing=0 cellpadding=3>")
            parts += [
                f"<tr><td><b>{_native(entry)}</b>&nbsp;&nbsp;</td><td>{text(entry.what)}</td></tr>"
                for entry in rows
            ]
            parts.append("</table>")
    return "".join(parts)


def _native(entry: Shortcut) -> str:
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(sequence.toString(form) for sequence in entry.sequences)

"""All keys of the panel in one table, from which the menus and the help are made.

Hold-to-run, stop and the bench's buttons are heard by `hil.panel.lead.state_keys` before any widget
that has the focus. The others are either Qt's shortcuts of the window, or keys of one view while
it has the focus.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from PySide6.QtGui import QKeySequence

from hil.panel.lead import state_keys
from hil.panel.shell.texts import text


class Where(Enum):
    """Where a key means what it says; the value names its heading in the help."""

    EVERYWHERE = "shortcuts.everywhere"
    SCENE = "shortcuts.scene"
    SCOPE = "shortcuts.scope"
    REPLAY = "shortcuts.replay"
    HANDLES = "shortcuts.handles"
    CONTROLS = "shortcuts.controls"
    FORM = "shortcuts.form"
    FAULTS = "shortcuts.faults"


@dataclass(frozen=True, slots=True)
class Shortcut:
    """One thing that keys do.

    Args:
        keys: as `QKeySequence` reads them; any of them does it.
        what: key of the text that says what it does.
        where: they are heard.
    """

    keys: tuple[str, ...]
    what: str
    where: Where = Where.EVERYWHERE

    @property
    def sequences(self) -> tuple[QKeySequence, ...]:
        """The keys as Qt knows them."""
        return tuple(QKeySequence(key) for key in self.keys)


ACTIONS: Final[dict[str, Shortcut]] = {
    "open": Shortcut(("Ctrl+O",), "window.open"),
    "benches": Shortcut(("Ctrl+B",), "window.benches"),
    "leave": Shortcut(("Ctrl+W",), "window.leave"),
    "theme": Shortcut(("Ctrl+D",), "window.theme.next"),
    "full": Shortcut(("F11",), "window.full"),
    "help": Shortcut(("F1",), "window.shortcuts"),
    "quit": Shortcut(("Ctrl+Q",), "window.quit"),
    "scene": Shortcut(("Ctrl+1",), "window.dock.scene"),
    "controls": Shortcut(("Ctrl+2",), "window.dock.controls"),
    "faults": Shortcut(("Ctrl+3",), "window.dock.faults"),
    "margins": Shortcut(("Ctrl+4",), "window.dock.margins"),
    "scenarios": Shortcut(("Ctrl+5",), "window.dock.scenarios"),
    "scope": Shortcut(("Ctrl+6",), "window.dock.scope"),
    "lateness": Shortcut(("Ctrl+7",), "window.dock.lateness"),
    "timeline": Shortcut(("Ctrl+8",), "window.dock.timeline"),
    "replay": Shortcut(("Ctrl+9",), "window.dock.replay"),
    "compare": Shortcut(("Ctrl+0",), "window.dock.compare"),
    "handles": Shortcut(("Ctrl+H",), "window.dock.handles"),
}
"""Keys of the window's own actions."""

_LOCAL: Final = (
    Shortcut(("Left", "Right", "Up", "Down"), "shortcuts.scene.turn", Where.SCENE),
    Shortcut(
        ("Ctrl+Left", "Ctrl+Right", "Ctrl+Up", "Ctrl+Down"), "shortcuts.scene.shift", Where.SCENE
    ),
    Shortcut(("+", "-"), "shortcuts.scene.zoom", Where.SCENE),
    Shortcut(("F",), "shortcuts.scene.front", Where.SCENE),
    Shortcut(("S",), "shortcuts.scene.side", Where.SCENE),
    Shortcut(("T",), "shortcuts.scene.top", Where.SCENE),
    Shortcut(("R",), "shortcuts.scene.reset", Where.SCENE),
    Shortcut(("P",), "shortcuts.scope.pause", Where.SCOPE),
    Shortcut(("T",), "shortcuts.scope.arm", Where.SCOPE),
    Shortcut(("G",), "shortcuts.scope.trigger", Where.SCOPE),
    Shortcut(("S",), "shortcuts.scope.signals", Where.SCOPE),
    Shortcut(("C",), "shortcuts.scope.cursors", Where.SCOPE),
    Shortcut(("X",), "shortcuts.scope.other", Where.SCOPE),
    Shortcut(("A",), "shortcuts.scope.fit", Where.SCOPE),
    Shortcut(("E",), "shortcuts.scope.save", Where.SCOPE),
    Shortcut(("Left", "Right"), "shortcuts.scope.move", Where.SCOPE),
    Shortcut(("+", "-"), "shortcuts.scope.zoom", Where.SCOPE),
    Shortcut(("Home", "End"), "shortcuts.scope.ends", Where.SCOPE),
    Shortcut(("Space",), "shortcuts.replay.play", Where.REPLAY),
    Shortcut(("Left", "Right"), "shortcuts.replay.step", Where.REPLAY),
    Shortcut(("Shift+Left", "Shift+Right"), "shortcuts.replay.second", Where.REPLAY),
    Shortcut(("PgUp", "PgDown"), "shortcuts.replay.far", Where.REPLAY),
    Shortcut(("Home", "End"), "shortcuts.replay.ends", Where.REPLAY),
    Shortcut(("[", "]"), "shortcuts.replay.rate", Where.REPLAY),
    Shortcut(("B", "N"), "shortcuts.replay.event", Where.REPLAY),
    Shortcut(("W", "S", "A", "D", "Q", "E"), "shortcuts.handles.move", Where.HANDLES),
    Shortcut(("U", "O", "I", "K", "J", "L"), "shortcuts.handles.turn", Where.HANDLES),
    Shortcut(("Left", "Right", "Up", "Down"), "shortcuts.controls.step", Where.CONTROLS),
    Shortcut(("PgUp", "PgDown"), "shortcuts.controls.far", Where.CONTROLS),
    Shortcut(("Ins", "Del"), "shortcuts.form.rows", Where.FORM),
    Shortcut(("Alt+Up", "Alt+Down"), "shortcuts.form.move", Where.FORM),
    Shortcut(("Ctrl+Z", "Ctrl+Shift+Z"), "shortcuts.form.undo", Where.FORM),
    Shortcut(("Ctrl+C",), "shortcuts.faults.copy", Where.FAULTS),
)

SHORTCUTS: Final[tuple[Shortcut, ...]] = (
    *(Shortcut(keys, what) for what, keys in state_keys.SHORTCUTS.items()),
    *ACTIONS.values(),
    *_LOCAL,
)
"""All of them. Tests see to it that no two collide."""


def help_html() -> str:
    """All keys as a table for the help window."""
    parts: list[str] = []
    for where in Where:
        rows = [entry for entry in SHORTCUTS if entry.where is where]
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

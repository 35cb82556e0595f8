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
from hil.panel.shell.dock_layout import DOCKS


class Where(Enum):
    """Place where a key is valid; the value is its heading in the help."""

    EVERYWHERE = "Everywhere"
    SCENE = "In the picture of the machine"
    SCOPE = "In the scope"
    REPLAY = "In the replay"
    HANDLES = "On the handles"
    CONTROLS = "On a slider of the controls"
    FORM = "In the form of a scenario"
    FAULTS = "In lists of faults and events"


@dataclass(frozen=True, slots=True)
class Shortcut:
    """One thing that keys do."""

    keys: tuple[str, ...]
    """Keys as `QKeySequence` reads them; any of them does it."""
    what: str
    """Action of the keys."""
    where: Where = Where.EVERYWHERE
    """Place where they are valid."""

    @property
    def sequences(self) -> tuple[QKeySequence, ...]:
        """The keys as Qt knows them."""
        return tuple(QKeySequence(key) for key in self.keys)


ACTIONS: Final[dict[str, Shortcut]] = {
    "open": Shortcut(("Ctrl+O",), "Open a recording …"),
    "benches": Shortcut(("Ctrl+B",), "Benches that run …"),
    "leave": Shortcut(("Ctrl+W",), "Leave this run"),
    "theme": Shortcut(("Ctrl+D",), "Next colours"),
    "full": Shortcut(("F11",), "Full screen"),
    "distance": Shortcut(("Ctrl+F11",), "Distance mode: to be read from 3 m"),
    "larger": Shortcut(("Ctrl++", "Ctrl+="), "Larger text"),
    "smaller": Shortcut(("Ctrl+-",), "Smaller text"),
    "help": Shortcut(("F1",), "Keys"),
    "quit": Shortcut(("Ctrl+Q",), "Quit"),
    **{name: Shortcut((dock.key,), dock.title) for name, dock in DOCKS.items()},
}
"""Keys of the window's own actions."""

_LOCAL: Final = (
    Shortcut(("Left", "Right", "Up", "Down"), "Turn the picture", Where.SCENE),
    Shortcut(("Ctrl+Left", "Ctrl+Right", "Ctrl+Up", "Ctrl+Down"), "Shift the picture", Where.SCENE),
    Shortcut(("+", "-"), "Nearer, farther", Where.SCENE),
    Shortcut(("F",), "From the front", Where.SCENE),
    Shortcut(("S",), "From the side", Where.SCENE),
    Shortcut(("T",), "From above", Where.SCENE),
    Shortcut(("R",), "As at first", Where.SCENE),
    Shortcut(("P",), "Pause", Where.SCOPE),
    Shortcut(("T",), "Arm the trigger", Where.SCOPE),
    Shortcut(("G",), "Settings of the trigger", Where.SCOPE),
    Shortcut(("S",), "Choose signals", Where.SCOPE),
    Shortcut(("C",), "Cursors", Where.SCOPE),
    Shortcut(("X",), "The other cursor", Where.SCOPE),
    Shortcut(("A",), "Fit the height", Where.SCOPE),
    Shortcut(("E",), "Save what is seen", Where.SCOPE),
    Shortcut(("Left", "Right"), "Move the time, or the cursor; with Shift further", Where.SCOPE),
    Shortcut(("+", "-"), "Shorter, longer", Where.SCOPE),
    Shortcut(("Home", "End"), "Beginning, end", Where.SCOPE),
    Shortcut(("Space",), "Play, pause", Where.REPLAY),
    Shortcut(("Left", "Right"), "One frame back, on", Where.REPLAY),
    Shortcut(("Shift+Left", "Shift+Right"), "One second back, on", Where.REPLAY),
    Shortcut(("PgUp", "PgDown"), "Ten seconds back, on", Where.REPLAY),
    Shortcut(("Home", "End"), "Beginning, end", Where.REPLAY),
    Shortcut(("[", "]"), "Slower, faster", Where.REPLAY),
    Shortcut(("B", "N"), "To the event before, to the next one", Where.REPLAY),
    Shortcut(("W", "S", "A", "D", "Q", "E"), "Move: along x, y, z and back", Where.HANDLES),
    Shortcut(("U", "O", "I", "K", "J", "L"), "Turn: about x, y, z and back", Where.HANDLES),
    Shortcut(("Left", "Right", "Up", "Down"), "A small step", Where.CONTROLS),
    Shortcut(("PgUp", "PgDown"), "A large step", Where.CONTROLS),
    Shortcut(("Ins", "Del"), "Add a row, remove it", Where.FORM),
    Shortcut(("Alt+Up", "Alt+Down"), "Move a row up, down", Where.FORM),
    Shortcut(("Ctrl+Z", "Ctrl+Shift+Z"), "Take back, do again", Where.FORM),
    Shortcut(("Ctrl+C",), "Copy what is chosen", Where.FAULTS),
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
            parts.append(f"<h3>{where.value}</h3><table cellspacing=0 cellpadding=3>")
            parts += [
                f"<tr><td><b>{_native(entry)}</b>&nbsp;&nbsp;</td><td>{entry.what}</td></tr>"
                for entry in rows
            ]
            parts.append("</table>")
    return "".join(parts)


def _native(entry: Shortcut) -> str:
    form = QKeySequence.SequenceFormat.NativeText
    return ", ".join(sequence.toString(form) for sequence in entry.sequences)

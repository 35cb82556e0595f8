"""Places of the docks: where they are at first, and how a window restores its layout."""

from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QWidget,
)

from hil.panel.widgets.text_space import Scrolled

ANOTHER_PT: Final = 0.01
"""Makes a font another one, to be seen by nobody [pt]."""
LAID_OUT_MS: Final = 50
"""Time until Qt has laid out a dock that comes back; before that it takes no sizes [ms]."""
LOW_EM: Final = 30.0
"""A window is low if less than so many lines of its text go into its height."""
LAYOUT_VERSION: Final = 1
"""Version of the docks' layout; one that was stored by another version is left alone."""

_MARK: Final = "\u200b"
"""Seen by nobody."""


class DockGroup(Enum):
    """Docks that are tabs of one group at first."""

    LEFT = "left"
    RIGHT = "right"
    BOTTOM = "bottom"
    FOOT = "foot"


@dataclass(frozen=True, slots=True)
class Dock:
    """A dock: what it is called, where it is at first, and what brings it to the front."""

    title: str
    group: DockGroup
    key: str
    scrolls: bool = True
    """Whether its content has a least size, and is scrolled where there is less room."""
    belongs: str = ""
    """Content of the dock in words, for a window without a run; empty if it needs no run."""


DOCKS: Final = {
    "scene": Dock(
        "Machine", DockGroup.LEFT, "Ctrl+1", scrolls=False, belongs="The machine in space"
    ),
    "controls": Dock("Controls", DockGroup.RIGHT, "Ctrl+2"),
    "page": Dock(
        "Page",
        DockGroup.RIGHT,
        "Ctrl+G",
        belongs="What the kind of bench shows of its own, and what it lets be asked",
    ),
    "handles": Dock("Handles", DockGroup.RIGHT, "Ctrl+H"),
    "faults": Dock(
        "Faults",
        DockGroup.RIGHT,
        "Ctrl+3",
        belongs="What stopped the bench first: place, value, limit, and what to do",
    ),
    "margins": Dock(
        "Margins",
        DockGroup.RIGHT,
        "Ctrl+4",
        belongs="What is left of the travel of each leg or joint, worst first",
    ),
    "scenarios": Dock("Scenarios", DockGroup.RIGHT, "Ctrl+5"),
    "scope": Dock("Scope", DockGroup.BOTTOM, "Ctrl+6", belongs="Any recorded signal against time"),
    "lateness": Dock(
        "Lateness",
        DockGroup.BOTTOM,
        "Ctrl+7",
        belongs="How late the cycles of the last minute were, and how long they worked",
    ),
    "timeline": Dock(
        "Timeline", DockGroup.BOTTOM, "Ctrl+8", belongs="Modes and events, as they happened"
    ),
    "compare": Dock("Compare", DockGroup.BOTTOM, "Ctrl+0"),
    "replay": Dock("Replay", DockGroup.FOOT, "Ctrl+9"),
}
"""Name → dock; tabs are in the order of the table."""
NOTHING_VISIBLE: Final = (
    "{belongs}: of a bench that runs (Ctrl+B), of one begun under Scenarios (Ctrl+5), or of a "
    "recording (Ctrl+O)."
)
"""Text of a dock while no run is shown."""


class Docks:
    """The docks of a window; each is empty until it is filled."""

    def __init__(self, window: QMainWindow, settings: QSettings) -> None:
        self._window = window
        self._settings = settings
        self.of: dict[str, QDockWidget] = {}
        """Name → dock."""
        self.covered = False
        """Whether something is over the docks that are in the window."""
        self.placed = False
        """Whether a layout was remembered."""
        self._seen: set[str] = set()
        window.setDockNestingEnabled(True)
        window.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        for name, place in DOCKS.items():
            self.of[name] = self._dock(name, place.title)
        self.reset()

    def _dock(self, name: str, title: str) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(f"dock.{name}")
        dock.setWidget(QWidget())
        dock.visibilityChanged.connect(lambda seen: self._see(name, seen))
        return dock

    def fill(self, name: str, content: QWidget) -> None:
        """Put a content that was just made into its dock."""
        dock = self.of[name]
        empty = dock.widget()
        dock.setWidget(Scrolled(content) if DOCKS[name].scrolls else content)
        if empty is not None:
            empty.deleteLater()

    def _see(self, name: str, seen: bool) -> None:
        (self._seen.add if seen else self._seen.discard)(name)
        if seen:
            QTimer.singleShot(0, self._window, self._keep_inside)

    def _keep_inside(self) -> None:
        """Qt may lay a dock that comes back beyond the window's edge: divide the room anew then."""
        whole = self._window.rect()
        places = [
            dock.geometry()
            for name, dock in self.of.items()
            if self.visible(name) and not dock.isFloating()
        ]
        if any(p.bottom() > whole.bottom() or p.right() > whole.right() for p in places):
            QTimer.singleShot(LAID_OUT_MS, self._window, self.settle)

    def reset(self) -> None:
        """Put every dock where it is at first: two columns above one row, each a group of tabs.

        A low window has the tabs of the row behind those of the right column.
        """
        low = self._window.height() < LOW_EM * QFontMetrics(QApplication.font()).height()
        groups: dict[DockGroup, QDockWidget] = {}
        for name, dock in self.of.items():
            dock.setFloating(False)
            dock.show()
            groups.setdefault(DOCKS[name].group, dock)
        first = groups[DockGroup.LEFT]
        self._window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, first)
        for group, direction in (
            (DockGroup.FOOT, Qt.Orientation.Vertical),
            (DockGroup.BOTTOM, Qt.Orientation.Vertical),
            (DockGroup.RIGHT, Qt.Orientation.Horizontal),
        ):
            if not (low and group is DockGroup.BOTTOM):
                self._window.splitDockWidget(first, groups[group], direction)
        for name, dock in self.of.items():
            group = DOCKS[name].group
            if low and group is DockGroup.BOTTOM:
                group = DockGroup.RIGHT
            if dock is not groups[group]:
                self._window.tabifyDockWidget(groups[group], dock)
        for dock in groups.values():
            dock.raise_()
        self.settle()
        QTimer.singleShot(0, self._window, self.tidy)  # bars come back when docks are laid out

    def arrange(self, *, run: bool, anew: bool = False) -> None:
        """Divide the room, unless that was remembered and nothing calls for it anew."""
        if self.placed and not anew:
            self.tidy()
        else:
            self.settle(run=run)

    def settle(self, *, run: bool = True) -> None:
        """Divide the room of a window that is shown.

        The machine has a little less than half of the width, the scope two fifths of the height.
        """
        self.tidy()
        width, height = self._window.width(), self._window.height()
        left, right, bottom, foot = (self._front(group) for group in DockGroup)
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        if left and right:
            self._window.resizeDocks([left, right], [45 * width // 100, 55 * width // 100], across)
        if bottom and (above := left or right):
            rows, part = [above, bottom], (4 if run else 2) * height // 10
            sizes = [height - part, part]
            if foot:  # all at once: whoever is left out would give its room to the last
                rows.append(foot)
                sizes = [height - part, part, foot.sizeHint().height()]
            self._window.resizeDocks(rows, sizes, down)

    def _front(self, group: DockGroup) -> QDockWidget | None:
        """The dock of a group that is seen, else any that is shown in the window."""
        docks = [dock for name, dock in self.of.items() if DOCKS[name].group is group]
        inside = [dock for dock in docks if not dock.isFloating() and not dock.isHidden()]
        seen = [dock for dock in inside if dock.objectName().removeprefix("dock.") in self._seen]
        return next(iter(seen + inside), None)

    def tidy(self) -> None:
        """Take away bars of tabs that Qt has left behind.

        Qt 6.11 makes a bar for each dock that is put into a group and forgets the bars before it,
        which then stay in the picture. The bar in use is the one that takes on a dock's new title.
        """
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        used: set[QTabBar] = set()
        for dock in self.of.values():
            title = dock.windowTitle()
            dock.setWindowTitle(title + _MARK)
            used |= {
                bar for bar in bars if any(_MARK in bar.tabText(tab) for tab in range(bar.count()))
            }
            dock.setWindowTitle(title)
        for bar in bars:
            bar.setElideMode(Qt.TextElideMode.ElideNone)  # what has no room is scrolled to
            bar.setUsesScrollButtons(True)
            if bar not in used:
                bar.hide()

    def show(self, name: str) -> None:
        """Bring a dock to the front, if there is one of that name."""
        dock = self.of.get(name)
        if dock is not None:
            dock.show()
            dock.raise_()

    def write(self) -> None:
        """Write titles in the size of all other text.

        Qt 6.11 draws the title of a dock that has the application's own font as it was at first.
        """
        font = QApplication.font()
        font.setPointSizeF(font.pointSizeF() + ANOTHER_PT)
        for dock in self.of.values():
            dock.setFont(font)

    def set_shown(self, name: str, shown: bool) -> bool:
        """Show a dock where it is, or hide it, if there is one of that name.

        Returns:
            Whether that has changed anything in the window.
        """
        dock = self.of.get(name)
        if dock is None or dock.isHidden() is not shown:
            return False
        dock.setVisible(shown)
        return not dock.isFloating()

    def visible(self, name: str) -> bool:
        """Whether a dock can be seen: shown, not behind another tab, its window not minimised."""
        dock = self.of[name]
        hidden = dock.window().isMinimized() or (self.covered and not dock.isFloating())
        return name in self._seen and not hidden

    def save(self) -> None:
        """Remember the layout and the window's place."""
        self._settings.setValue("window/geometry", self._window.saveGeometry())
        self._settings.setValue("window/docks", self._window.saveState(LAYOUT_VERSION))
        self._settings.sync()

    def restore(self) -> None:
        """Find the remembered layout again; one that is spoilt or too old is left alone."""
        geometry = _bytes(self._settings.value("window/geometry"))
        docks = _bytes(self._settings.value("window/docks"))
        if geometry is not None:
            self._window.restoreGeometry(geometry)
        self.placed = docks is not None and self._window.restoreState(docks, LAYOUT_VERSION)
        if docks is not None and not self.placed:
            self.reset()


def _bytes(value: Any) -> QByteArray | None:
    with suppress(TypeError):
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
    return None

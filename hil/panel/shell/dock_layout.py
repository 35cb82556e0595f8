"""Where the docks are: their places at first, and how a window finds its layout again."""

from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QFrame, QMainWindow, QScrollArea, QTabBar, QWidget

LAYOUT_VERSION: Final = 1
"""Of the docks; a layout that was stored by another version is left alone."""

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
    tall: bool = False
    """Whether its content may be taller than there is room for; it scrolls then."""


DOCKS: Final = {
    "scene": Dock("Machine", DockGroup.LEFT, "Ctrl+1"),
    "controls": Dock("Controls", DockGroup.RIGHT, "Ctrl+2", tall=True),
    "handles": Dock("Handles", DockGroup.RIGHT, "Ctrl+H", tall=True),
    "faults": Dock("Faults", DockGroup.RIGHT, "Ctrl+3"),
    "margins": Dock("Margins", DockGroup.RIGHT, "Ctrl+4"),
    "scenarios": Dock("Scenarios", DockGroup.RIGHT, "Ctrl+5", tall=True),
    "scope": Dock("Scope", DockGroup.BOTTOM, "Ctrl+6"),
    "lateness": Dock("Lateness", DockGroup.BOTTOM, "Ctrl+7"),
    "timeline": Dock("Timeline", DockGroup.BOTTOM, "Ctrl+8"),
    "compare": Dock("Compare", DockGroup.BOTTOM, "Ctrl+0", tall=True),
    "replay": Dock("Replay", DockGroup.FOOT, "Ctrl+9"),
}
"""Name → dock; tabs are in the order of the table."""


class Docks:
    """The docks of a window; each is empty until it is filled."""

    def __init__(self, window: QMainWindow, settings: QSettings) -> None:
        self._window = window
        self._settings = settings
        self.of: dict[str, QDockWidget] = {}
        """Name → dock."""
        self._seen: set[str] = set()
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
        dock.setWidget(_scrolled(content) if DOCKS[name].tall else content)
        if empty is not None:
            empty.deleteLater()

    def _see(self, name: str, seen: bool) -> None:
        (self._seen.add if seen else self._seen.discard)(name)

    def reset(self) -> None:
        """Put every dock where it is at first: two columns above one row, each a group of tabs."""
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
            self._window.splitDockWidget(first, groups[group], direction)
        for name, dock in self.of.items():
            if dock is not groups[DOCKS[name].group]:
                self._window.tabifyDockWidget(groups[DOCKS[name].group], dock)
        for dock in groups.values():
            dock.raise_()
        self.settle()
        QTimer.singleShot(0, self._window, self.tidy)  # bars come back when docks are laid out

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
                sizes = [height - part, part, foot.minimumSizeHint().height()]
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
            if bar not in used:
                bar.hide()

    def show(self, name: str) -> None:
        """Bring a dock to the front, if there is one of that name."""
        dock = self.of.get(name)
        if dock is not None:
            dock.show()
            dock.raise_()

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
        return name in self._seen and not self.of[name].window().isMinimized()

    def save(self) -> None:
        """Remember the layout and the window's place."""
        self._settings.setValue("window/geometry", self._window.saveGeometry())
        self._settings.setValue("window/docks", self._window.saveState(LAYOUT_VERSION))
        self._settings.sync()

    def restore(self) -> bool:
        """Find the remembered layout again; one that is spoilt or too old is left alone.

        Returns:
            Whether there was one.
        """
        geometry = _bytes(self._settings.value("window/geometry"))
        docks = _bytes(self._settings.value("window/docks"))
        if geometry is not None:
            self._window.restoreGeometry(geometry)
        if docks is None or not self._window.restoreState(docks, LAYOUT_VERSION):
            if docks is not None:
                self.reset()
            return False
        return True


def _scrolled(content: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(content)
    return area


def _bytes(value: Any) -> QByteArray | None:
    with suppress(TypeError):
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
    return None

"""Where the docks are: their places at first, and how a window finds its layout again."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from hil.panel.texts import text

LAYOUT_VERSION: Final = 1
"""Of the docks; a layout that was stored by another version is left alone."""

LEFT: Final = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT: Final = Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM: Final = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class Place:
    """Where a dock is at first.

    Args:
        name: of the dock.
        area: of the window; docks of one area are tabs of one group, in the order of the table.
    """

    name: str
    area: Qt.DockWidgetArea


PLACES: Final = (
    Place("scene", LEFT),
    Place("controls", RIGHT),
    Place("handles", RIGHT),
    Place("faults", RIGHT),
    Place("margins", RIGHT),
    Place("scenarios", RIGHT),
    Place("scope", BOTTOM),
    Place("lateness", BOTTOM),
    Place("timeline", BOTTOM),
    Place("replay", BOTTOM),
    Place("compare", BOTTOM),
)


class Docks:
    """The docks of a window.

    Args:
        window: that holds them.
        widgets: name of a dock of `PLACES` → its content; docks without content are left out.
        settings: where the layout is remembered.
    """

    def __init__(
        self, window: QMainWindow, widgets: dict[str, QWidget], settings: QSettings
    ) -> None:
        self._window = window
        self._settings = settings
        self.of: dict[str, QDockWidget] = {}
        """Name → dock."""
        self._seen: set[str] = set()
        for place in PLACES:
            if place.name in widgets:
                self.of[place.name] = self._dock(place.name, widgets[place.name])
        self.reset()

    def _dock(self, name: str, content: QWidget) -> QDockWidget:
        dock = QDockWidget(text(f"window.dock.{name}"), self._window)
        dock.setObjectName(f"dock.{name}")
        dock.setWidget(content)
        dock.visibilityChanged.connect(lambda seen: self._see(name, seen))
        return dock

    def _see(self, name: str, seen: bool) -> None:
        (self._seen.add if seen else self._seen.discard)(name)

    def reset(self) -> None:
        """Put every dock where it is at first."""
        groups: dict[Qt.DockWidgetArea, QDockWidget] = {}
        for place in PLACES:
            dock = self.of.get(place.name)
            if dock is None:
                continue
            dock.setFloating(False)
            self._window.addDockWidget(place.area, dock)
            if place.area in groups:
                self._window.tabifyDockWidget(groups[place.area], dock)
            groups.setdefault(place.area, dock)
            dock.show()
        for first in groups.values():
            first.raise_()
        self._share(groups)

    def _share(self, groups: dict[Qt.DockWidgetArea, QDockWidget]) -> None:
        """Divide the window: the machine half of the width, the scope two fifths of the height."""
        width, height = self._window.width(), self._window.height()
        sides = [groups[area] for area in (LEFT, RIGHT) if area in groups]
        shares = [45 * width // 100, 55 * width // 100][: len(sides)]
        self._window.resizeDocks(sides, shares, Qt.Orientation.Horizontal)
        if BOTTOM in groups:
            self._window.resizeDocks(
                [groups[BOTTOM]], [40 * height // 100], Qt.Orientation.Vertical
            )

    def show(self, name: str) -> None:
        """Bring a dock to the front, if there is one of that name."""
        dock = self.of.get(name)
        if dock is not None:
            dock.show()
            dock.raise_()

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


def _bytes(value: Any) -> QByteArray | None:
    with suppress(TypeError):
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None
    return None

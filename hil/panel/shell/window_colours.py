"""The colours of the window: chosen for good, or as the system has them."""

from typing import Final

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from hil.panel.shell import theme as themes

_KEY: Final = "window/theme"


class Colours:
    """Which theme is wanted."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings
        self.theme = self._wanted()
        """The theme that is in use."""

    @property
    def name(self) -> str:
        """What was chosen: ``"light"``, ``"dark"``, or ``"system"``."""
        name = self._settings.value(_KEY, "system")
        return name if name in ("light", "dark") else "system"

    @property
    def other(self) -> str:
        """The other one of light and dark."""
        return "light" if self.theme.name == "dark" else "dark"

    def choose(self, name: str) -> None:
        """Take on ``"light"``, ``"dark"``, or ``"system"`` for good, in the whole application."""
        self._settings.setValue(_KEY, name)
        self.theme = self._wanted()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            themes.apply(app, self.theme)

    def _wanted(self) -> themes.Theme:
        name = self.name
        if name == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if dark else "light"
        return themes.THEMES[name]

"""Appearance of the window: its colours and the size of its text, both remembered."""

from typing import Final

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from hil.panel.live.dock_views import View
from hil.panel.shell.host import Host
from hil.panel.widgets import theme as themes

TEXT_PT: Final = range(9, 21)
"""Sizes of text that can be chosen [pt]."""
_THEME: Final = "window/theme"
_TEXT: Final = "window/text_pt"


class Appearance:
    """Chosen theme and text size, and the window that is given them."""

    def __init__(self, window: Host, settings: QSettings) -> None:
        self._window, self._settings = window, settings
        self.theme = self._wanted()
        """The theme that is in use."""
        chosen = settings.value(_TEXT)
        if isinstance(chosen, str | int) and str(chosen).isdecimal() and int(chosen) in TEXT_PT:
            self._set_font(int(chosen))
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda _: self.use(self.name))

    # --- colours --------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Chosen colours: ``"light"``, ``"dark"``, or ``"system"``."""
        name = self._settings.value(_THEME, "system")
        return name if name in ("light", "dark") else "system"

    def use(self, name: str) -> None:
        """Take on colours for good: ``"light"``, ``"dark"``, or ``"system"``."""
        self._settings.setValue(_THEME, name)
        self.theme = self._wanted()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            themes.apply(app, self.theme)
        self._window.show_appearance()

    def next(self) -> None:
        """Change from light to dark and back."""
        self.use("light" if self.theme.name == "dark" else "dark")

    def colour(self, view: View) -> None:
        """Give a view its colours; none that says anything of a run that is over."""
        session = self._window.session
        over = view.of_run and session is not None and session.ended
        view.set_theme(self.theme.over if over else self.theme)

    def _wanted(self) -> themes.Theme:
        name = self.name
        if name == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if dark else "light"
        return themes.THEMES[name]

    # --- text -----------------------------------------------------------------------------------

    @property
    def text_pt(self) -> int:
        """The size of the text, as near as there is one to be chosen [pt]."""
        now = round(QApplication.font().pointSizeF())
        return min(max(now, TEXT_PT[0]), TEXT_PT[-1])

    def use_text(self, size_pt: int) -> None:
        """Write everything in a size for good; the nearest that can be chosen [pt]."""
        size_pt = min(max(size_pt, TEXT_PT[0]), TEXT_PT[-1])
        self._settings.setValue(_TEXT, size_pt)
        self._set_font(size_pt)
        self._window.show_appearance()

    def resize_text(self, steps_pt: int) -> None:
        """Write larger, or smaller, by so many points, as far as that goes."""
        self.use_text(self.text_pt + steps_pt)

    def _set_font(self, size_pt: int) -> None:
        font = QApplication.font()
        font.setPointSize(size_pt)
        QApplication.setFont(font)

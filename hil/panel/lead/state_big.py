"""Hold-to-run and stop: two buttons that a hand finds without looking for them."""

from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QWidget

from hil.panel.widgets.theme import Theme

LARGER: Final = 1.35
"""Their words, times all other text."""
LARGEST_PT: Final = 20.0
"""They need not be larger than this where all other text is not."""


class BigButton(QPushButton):
    """A large button in a colour of its own."""

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(words, parent)
        self._narrow = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._grow()

    def _grow(self) -> None:
        font = QApplication.font()
        font.setPointSizeF(max(font.pointSizeF(), min(LARGER * font.pointSizeF(), LARGEST_PT)))
        font.setBold(True)
        self.setFont(font)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Wide enough for its words, and never small."""
        metrics = QFontMetricsF(self.font())
        widest = max(metrics.horizontalAdvance(line) for line in self.text().split("\n"))
        em = metrics.height()
        least, beside = (4.5, 1.0) if self._narrow else (6.0, 1.6)
        lines = 1 + self.text().count("\n")
        return QSize(round(max(least * em, widest + beside * em)), round((lines + 0.8) * em))

    def fit(self, *, narrow: bool) -> None:
        """Take the size of all other text on, and less of a narrow strip."""
        self._narrow = narrow
        self._grow()
        self.updateGeometry()

    def fill(self, ground: str, ink: str, edge: str) -> None:
        """Take colours on."""
        style = (
            f"QPushButton {{ background: {ground}; color: {ink}; border: 3px solid {edge}; "
            "border-radius: 8px; padding: 2px; } "
            f"QPushButton:focus {{ border: 4px double {ink}; }} "
            "QPushButton:pressed { padding-top: 6px; }"
        )
        if self.styleSheet() != style:
            self.setStyleSheet(style)


class HoldButton(BigButton):
    """Hold-to-run."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("HOLD TO RUN\nSpace", parent)
        self.setToolTip(self.tr("The platform moves only while this, or Space, is held down"))

    def fit(self, *, narrow: bool) -> None:
        """Write in three lines on a narrow strip."""
        self.setText("HOLD\nTO RUN\nSpace" if narrow else "HOLD TO RUN\nSpace")
        super().fit(narrow=narrow)

    def paint(self, theme: Theme, *, held: bool, owned: bool) -> None:
        """Green while it is held; with a green edge where it can be."""
        if held:
            self.fill(theme.ok, theme.on_strong, theme.text)
        elif owned:
            self.fill(theme.base, theme.text, theme.ok)
        else:
            self.fill(theme.window, theme.dim, theme.line)


class StopButton(BigButton):
    """Stop."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("STOP\nEsc", parent)

    def paint(self, theme: Theme, *, nothing: str) -> None:
        """Red where it stops something; else it says why there is nothing, and is grey.

        Args:
            nothing: why nothing can be stopped; empty if something can.
        """
        live = not nothing
        self.setText(f"{self.tr('STOP')}\nEsc" if live else f"{self.tr('no stop:')}\n{nothing}")
        self.setToolTip(
            self.tr("Stops smoothly and holds. Everyone may press it, at any time. Esc or F12")
            if live
            else self.tr("There is nothing that could be stopped")
        )
        self.setEnabled(live)
        if live:
            self.fill(theme.fault, theme.on_strong, theme.text)
        else:
            self.fill(theme.window, theme.dim, theme.line)

"""Bars of what is left of travels and windows, worst first."""

from typing import Any, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from hil.panel.live.models.margins import MarginRow, MarginsModel
from hil.panel.widgets.theme import LIGHT, Theme
from hil.scene.margins import FAULT_SHARE

ROW_EM: Final = 2.35
_ROLE: Final = {"ok": "ok", "warn": "warn", "fault": "fault", "unknown": "dim"}


_ROLES: Final = {
    "ok": "has room",
    "warn": "NEAR",
    "fault": "AT LIMIT",
    "unknown": "?",
}


class MarginsView(QWidget):
    """The bars, in a field that scrolls if they do not all fit."""

    def __init__(
        self, model: MarginsModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self.bars = Bars(theme, self)
        area = QScrollArea(self)
        area.setWidget(self.bars)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)

    def set_model(self, model: MarginsModel) -> None:
        """Show another run."""
        self._model = model

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self.bars.set_theme(theme)

    def refresh(self) -> None:
        """Show the newest frame's margins; does nothing while hidden."""
        if self.isVisible():
            self.bars.show_rows(self._model.rows, self._model.problem)


class Bars(QWidget):
    """Bars below each other: name, bar with the thresholds' places, words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: tuple[MarginRow, ...] = ()
        self._problem = ""
        self._drawn: tuple[object, ...] = ()
        self.setAccessibleName(self.tr("What is left, worst first"))

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def show_rows(self, rows: tuple[MarginRow, ...], problem: str = "") -> None:
        """Show these; draws only if something that can be seen has changed."""
        drawn = (problem, *((row.name, row.words, round(row.share, 3)) for row in rows))
        if drawn == self._drawn:
            return
        self._drawn = drawn
        if len(rows) != len(self.rows):
            self.setMinimumHeight(round(ROW_EM * self._em() * len(rows)))
        self.rows, self._problem = rows, problem
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """All rows."""
        em = self._em()
        return QSize(round(24 * em), round(ROW_EM * em * max(6, len(self.rows))))

    def paintEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Draw what can be seen of them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.rows:
            painter.setPen(QColor(self._theme.dim))
            area = QRectF(self.rect()).adjusted(8.0, 8.0, -8.0, -8.0)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self._problem or self.tr("Nothing measured"))
        high = ROW_EM * self._em()
        for number, row in enumerate(self.rows):
            area = QRectF(0.0, number * high, float(self.width()), high)
            if area.intersects(QRectF(event.rect())):
                self._draw(painter, row, area.adjusted(6.0, 1.0, -6.0, -1.0))
        painter.end()

    def _draw(self, painter: QPainter, row: MarginRow, area: QRectF) -> None:
        theme, em = self._theme, self._em()
        colour = QColor(getattr(theme, _ROLE[row.role]))
        lines = QRectF(area.left(), area.top(), area.width(), 1.25 * em)
        urgent = row.role in ("warn", "fault")
        painter.setFont(self._font(bold=urgent))
        painter.setPen(QColor(theme.text))
        painter.drawText(
            lines, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, row.name
        )
        painter.setPen(colour if urgent else QColor(theme.text))
        words = f"{self.tr(_ROLES[row.role])}   {row.words}" if urgent else row.words
        painter.drawText(lines, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        bar = QRectF(area.left(), area.top() + 1.3 * em, area.width(), 0.72 * em)
        painter.setPen(QPen(QColor(theme.line), 1.0))
        painter.setBrush(QColor(theme.base))
        painter.drawRect(bar)
        share = row.share
        if share == share:
            filled = QRectF(bar)
            # A bar at its limit still shows a sliver of its colour.
            filled.setWidth(bar.width() * min(1.0, max(0.012, share)))
            painter.fillRect(filled, colour)
        painter.setPen(QPen(QColor(theme.text), 1.0))
        for place in (FAULT_SHARE, row.warn_share):
            x = bar.left() + place * bar.width()
            painter.drawLine(round(x), round(bar.top()), round(x), round(bar.bottom()))

    def _font(self, *, bold: bool) -> QFont:
        font = QFont(self.font())
        font.setBold(bold)
        return font

    def _em(self) -> float:
        return QFontMetricsF(self.font()).height()

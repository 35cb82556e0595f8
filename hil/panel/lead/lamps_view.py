"""The row of lamps: one a mode, the present one lit, told apart by colour, shape and weight."""

import math
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from hil.panel.live.models.lamps import Lamp, Shape
from hil.panel.shell.theme import LIGHT, Theme

GAP_EM = 0.3


class LampsRow(QWidget):
    """Lamps side by side, each with its mode's name below it."""

    def __init__(self, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lamps: tuple[Lamp, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def show_lamps(self, lamps: tuple[Lamp, ...]) -> None:
        """Show these; draws only if they are others than before."""
        if lamps == self._lamps:
            return
        if len(lamps) != len(self._lamps):
            self.updateGeometry()
        self._lamps = lamps
        lit = next((lamp.name for lamp in lamps if lamp.lit), None)
        name = (
            self.tr("mode: not known") if lit is None else self.tr("mode: {name}").format(name=lit)
        )
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Wide enough for the names at their size."""
        em = QFontMetricsF(self.font()).height()
        wide = sum(QFontMetricsF(self._small(bold=True)).horizontalAdvance(lamp.name) + GAP_EM * em
                   for lamp in self._lamps)  # fmt: skip
        return QSize(math.ceil(wide), math.ceil(2.9 * em))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The same height, however narrow: names are then drawn smaller."""
        return QSize(20 * max(1, len(self._lamps)), self.sizeHint().height())

    def paintEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Draw them."""
        if not self._lamps:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = self.width() / len(self._lamps)
        for number, lamp in enumerate(self._lamps):
            self._draw(painter, lamp, QRectF(number * wide, 0.0, wide, float(self.height())))
        painter.end()

    def _draw(self, painter: QPainter, lamp: Lamp, room: QRectF) -> None:
        theme, em = self._theme, QFontMetricsF(self.font()).height()
        colour = QColor(getattr(theme, lamp.role))
        if lamp.lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(room.adjusted(1.0, 1.0, -1.0, -1.0), 0.3 * em, 0.3 * em)
        ink = QColor(theme.on_strong) if lamp.lit else QColor(theme.dim)
        if lamp.lit and lamp.role == "dim":
            ink = QColor(theme.window)
        size = (0.62 if lamp.lit else 0.5) * em
        painter.setPen(QPen(ink, 0.12 * em))
        painter.setBrush(ink if lamp.lit else Qt.BrushStyle.NoBrush)
        outline = _outline(lamp.shape, QPointF(room.center().x(), 0.95 * em), size)
        painter.drawPolygon(outline)
        if lamp.shape is Shape.FAULT:
            painter.setPen(QPen(colour if lamp.lit else ink, 0.14 * em))
            middle, arm = QPointF(room.center().x(), 0.95 * em), 0.4 * size
            for sign in (-1.0, 1.0):
                painter.drawLine(middle + QPointF(-arm, -sign * arm),
                                 middle + QPointF(arm, sign * arm))  # fmt: skip
        painter.setPen(ink)
        painter.setFont(self._fitting(lamp, room.width() - 2.0))
        below = QRectF(room.left(), 1.7 * em, room.width(), 1.1 * em)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, lamp.name)

    def _small(self, *, bold: bool) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(0.82 * font.pointSizeF() if font.pointSizeF() > 0 else 8.0)
        font.setBold(bold)
        return font

    def _fitting(self, lamp: Lamp, width: float) -> QFont:
        """The small font, smaller if the name would not fit."""
        font = self._small(bold=lamp.lit)
        wanted = QFontMetricsF(font).horizontalAdvance(lamp.name)
        if wanted > width > 0.0:
            font.setPointSizeF(max(4.0, font.pointSizeF() * width / wanted))
        return font


def _outline(shape: Shape, middle: QPointF, size: float) -> QPolygonF:
    """Corners of a lamp about its middle."""
    corners, first = {
        Shape.REST: (24, 0.0),
        Shape.MOVES: (3, 0.0),
        Shape.STOPS: (4, math.pi / 4.0),
        Shape.FAULT: (8, math.pi / 8.0),
    }[shape]
    angles = (first + 2.0 * math.pi * k / corners for k in range(corners))
    return QPolygonF(
        [middle + QPointF(size * math.cos(angle), size * math.sin(angle)) for angle in angles]
    )

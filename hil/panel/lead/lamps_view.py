"""The row of lamps: one a mode, the present one lit, distinct by colour, shape and weight."""

import math
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from hil.panel.live.models.lamps import Lamp, Shape
from hil.panel.widgets.theme import LIGHT, Theme

GAP_EM = 0.3
NAMED = 0.8
"""Share of the width that all names need, below which only the lit lamp has its name."""
NARROW_EM = 1.2
"""Width of a lamp without its name."""


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

    @property
    def narrow(self) -> bool:
        """Whether there is room for the name of the lit lamp only, beside its shape."""
        return self.width() < NAMED * self._wide()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Wide enough for the names at their size."""
        return QSize(math.ceil(self._wide()), self._high())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The shapes and the longest name."""
        names = [self._advance(lamp.name) for lamp in self._lamps]
        least = NARROW_EM * self._em() * len(names) + max(names, default=0.0)
        return QSize(math.ceil(least), self._high())

    def resizeEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """One line is high enough for a narrow row."""
        super().resizeEvent(event)
        if self.height() != self._high():
            self.updateGeometry()

    def _em(self) -> float:
        return QFontMetricsF(self.font()).height()

    def _high(self) -> int:
        return math.ceil((1.3 if self.narrow else 2.9) * self._em())

    def _advance(self, name: str) -> float:
        return QFontMetricsF(self._small(bold=True)).horizontalAdvance(name)

    def _wide(self) -> float:
        return sum(self._advance(lamp.name) + GAP_EM * self._em() for lamp in self._lamps)

    def paintEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Draw them."""
        if not self._lamps:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, narrow = 0.0, self.narrow
        shape_px = NARROW_EM * self._em()
        for lamp in self._lamps:
            wide = self.width() / len(self._lamps)
            if narrow:
                name_px = self.width() - shape_px * len(self._lamps)
                wide = shape_px + (name_px if lamp.lit else 0.0)
            area = QRectF(left, 0.0, wide, float(self.height()))
            (self._draw_narrow if narrow else self._draw)(painter, lamp, area)
            left += wide
        painter.end()

    def _draw_narrow(self, painter: QPainter, lamp: Lamp, area: QRectF) -> None:
        """Shape and, if it is lit, its name beside it."""
        ink = self._ground(painter, lamp, area)
        em = self._em()
        self._draw_shape(painter, lamp, QPointF(area.left() + 0.55 * NARROW_EM * em,
                                                area.center().y()), ink)  # fmt: skip
        if lamp.lit:
            painter.setPen(ink)
            painter.setFont(self._small(bold=True))
            beside = area.adjusted(NARROW_EM * em, 0.0, 0.0, 0.0)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, lamp.name)

    def _draw(self, painter: QPainter, lamp: Lamp, area: QRectF) -> None:
        """Shape, and the name below it."""
        ink, em = self._ground(painter, lamp, area), self._em()
        self._draw_shape(painter, lamp, QPointF(area.center().x(), 0.95 * em), ink)
        painter.setPen(ink)
        painter.setFont(self._fitting(lamp, area.width() - 2.0))
        below = QRectF(area.left(), 1.7 * em, area.width(), 1.1 * em)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, lamp.name)

    def _ground(self, painter: QPainter, lamp: Lamp, area: QRectF) -> QColor:
        """Paint the ground of a lamp that is lit; return the colour of what is on it."""
        theme, em = self._theme, self._em()
        if lamp.lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(theme, lamp.role)))
            painter.drawRoundedRect(area.adjusted(1.0, 1.0, -1.0, -1.0), 0.3 * em, 0.3 * em)
        ink = QColor(theme.on_strong) if lamp.lit else QColor(theme.dim)
        if lamp.lit and lamp.role == "dim":
            ink = QColor(theme.window)
        return ink

    def _draw_shape(self, painter: QPainter, lamp: Lamp, middle: QPointF, ink: QColor) -> None:
        em = self._em()
        size = (0.42 if self.narrow else 0.62 if lamp.lit else 0.5) * em
        painter.setPen(QPen(ink, 0.12 * em))
        painter.setBrush(ink if lamp.lit else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(_outline(lamp.shape, middle, size))
        if lamp.shape is Shape.FAULT:
            cross = QColor(getattr(self._theme, lamp.role)) if lamp.lit else ink
            painter.setPen(QPen(cross, 0.14 * em))
            arm = 0.4 * size
            for sign in (-1.0, 1.0):
                painter.drawLine(middle + QPointF(-arm, -sign * arm),
                                 middle + QPointF(arm, sign * arm))  # fmt: skip

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

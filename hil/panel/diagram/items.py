"""Blocks and wires as they are drawn."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QStyleOptionGraphicsItem, QWidget

from hil.panel.diagram.models.shapes import BlockShape
from hil.panel.widgets.theme import Theme

REACH: Final = 8
"""Distance to a port within which the pointer takes it."""
PORT: Final = 3.5
"""Radius of a port."""
PORT_FONT_PX: Final = 9
"""Size of words at ports."""
CORNER: Final = 4.0
"""Radius of a box's corners; inputs and outputs of the diagram have round ends, as in pictures."""
AROUND: Final = 3.0
"""Distance of a sub-diagram's second line around its box."""
BAND: Final = 16
"""Height of name or symbol above or below words at ports, in pixels."""
SHORT: Final = 3
"""Letters of a symbol between words at ports."""
HEAD: Final = (9.0, 4.0)
"""Length and half width of a wire's head, in pixels."""


class BlockItem(QGraphicsItem):
    """A block."""

    def __init__(self, shape: BlockShape, theme: Theme, fault: str) -> None:
        super().__init__()
        self.shape_of = shape
        self._theme, self._fault = theme, fault
        self.state = ""
        """That it is in while it runs; empty if it has none."""
        self.stop = ""
        """Why it stopped what runs; empty if it did not."""
        self.setPos(*shape.at)
        self.setFlags(self.GraphicsItemFlag.ItemIsMovable | self.GraphicsItemFlag.ItemIsSelectable)
        self.setToolTip(fault or shape.kind)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """Bounds with the ports."""
        one = self.shape_of
        return QRectF(-REACH, -REACH, one.width + 2 * REACH, one.height + 2 * REACH)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem,
              widget: QWidget | None = None) -> None:  # fmt: skip
        """Box, name, symbol, ports; a thick red edge and `!` where something is wrong."""
        one, theme = self.shape_of, self._theme
        wrong = bool(self._fault or self.stop)
        edge = theme.accent if self.isSelected() else theme.fault if wrong else theme.dim
        painter.setPen(QPen(QColor(edge), 2.5 if self.isSelected() or wrong else 1.0))
        painter.setBrush(QColor(theme.base))
        box, corner = QRectF(0, 0, one.width, one.height), CORNER
        if one.is_face:
            corner = one.height / 2
        if one.is_sub:
            around = box.adjusted(-AROUND, -AROUND, AROUND, AROUND)
            painter.drawRoundedRect(around, corner, corner)
        painter.drawRoundedRect(box, corner, corner)
        painter.setPen(QColor(theme.text))
        centre, symbol = Qt.AlignmentFlag.AlignCenter, self.state or one.shown
        name_box, symbol_box = self._text_boxes(symbol)
        painter.drawText(name_box, centre, one.name)
        if self.state:
            painter.setPen(QColor(theme.accent))
        painter.drawText(symbol_box, centre, symbol)
        if wrong:
            painter.setPen(QColor(theme.fault))
            painter.drawText(box.adjusted(5, 1, 0, 0), Qt.AlignmentFlag.AlignLeft, "!")
        self._paint_ports(painter)

    def _text_boxes(self, symbol: str) -> tuple[QRectF, QRectF]:
        """Boxes of name and symbol: above and below words at ports, else half the block each."""
        one = self.shape_of
        box = QRectF(0, 0, one.width, one.height)
        if not any((*one.input_words, *one.output_words)):
            half = one.height / 2
            return box.adjusted(0, 0, 0, -half), box.adjusted(0, half, 0, 0)
        name_box = QRectF(0, 0, one.width, BAND)
        if len(symbol) <= SHORT:
            return name_box, box.adjusted(0, BAND / 2, 0, 0)
        return name_box, QRectF(0, one.height - BAND, one.width, BAND)

    def _paint_ports(self, painter: QPainter) -> None:
        """Ports with their words within the box: signs of a sum, names of several."""
        one, theme = self.shape_of, self._theme
        font = QFont(painter.font())
        font.setPixelSize(PORT_FONT_PX)
        painter.setFont(font)
        painter.setPen(QColor(theme.text))
        sides = Qt.AlignmentFlag
        for ports, words, output in (
            (one.inputs, one.input_words, False), (one.outputs, one.output_words, True),
        ):  # fmt: skip
            painter.setBrush(QColor(theme.text if output else theme.base))
            for name, word in zip_longest(ports, words, fillvalue=""):
                x, y = one.port_at(name, output=output)
                at = QPointF(x - one.at[0], y - one.at[1])
                painter.drawEllipse(at, PORT, PORT)
                area = QRectF(0, at.y() - PORT_FONT_PX, one.width, 2 * PORT_FONT_PX)
                side = sides.AlignRight if output else sides.AlignLeft
                box = area.adjusted(PORT + 3, 0, -PORT - 3, 0)
                painter.drawText(box, side | sides.AlignVCenter, word)

    def show_state(self, state: str) -> None:
        """Write a state in place of the symbol; empty: the symbol."""
        if state != self.state:
            self.state = state
            self.update()

    def show_stop(self, stop: str) -> None:
        """Say why it stopped the diagram; empty: it did not."""
        if stop != self.stop:
            self.stop = stop
            self.setToolTip(stop or self._fault or self.shape_of.kind)
            self.update()


class WireItem(QGraphicsPathItem):
    """A wire."""

    def __init__(self, target: str, path: QPainterPath, theme: Theme, fault: str) -> None:
        super().__init__(path)
        self.target = target
        self._theme, self._fault = theme, fault
        self.setFlag(self.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(-1)
        self.setToolTip(fault)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """Bounds with the head."""
        return super().boundingRect() | self.head().boundingRect()

    def shape(self) -> QPainterPath:
        """Wide enough to be hit."""
        stroker = QPainterPathStroker()
        stroker.setWidth(REACH)
        return stroker.createStroke(self.path())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem,
              widget: QWidget | None = None) -> None:  # fmt: skip
        """A line with a head; broken and red where it is wrong."""
        colour = self._theme.fault if self._fault else self._theme.text
        style = QPen(QColor(self._theme.accent if self.isSelected() else colour), 1.5)
        if self._fault:
            style.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(style)
        painter.drawPath(self.path())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color())
        painter.drawPolygon(self.head())

    def head(self) -> QPolygonF:
        """The arrow at its end, before the port; wires come to ports from the left."""
        end, (length, half) = self.path().currentPosition(), HEAD
        tip = QPointF(end.x() - PORT, end.y())
        back = tip.x() - length
        return QPolygonF([tip, QPointF(back, tip.y() - half), QPointF(back, tip.y() + half)])

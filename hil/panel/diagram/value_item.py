"""The value of an output of a running diagram, written beside it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from hil.panel.diagram.models.shapes import BlockShape
from hil.panel.widgets.theme import Theme

SIZE: Final = 8
"""Size of the letters, in points."""
ABOVE: Final = 3
"""Distance from the wire."""
BELOW: Final = 1
"""Distance from the block."""


class ValueItem(QGraphicsItem):
    """A few characters below a block with one output, else above the beginning of a wire.

    Below its own block a value has a column's width to itself, and hides nobody's name.

    Args:
        shape: The block.
        port: Its output.
    """

    def __init__(self, shape: BlockShape, port: str, theme: Theme) -> None:
        super().__init__()
        self.words = ""
        """What is written."""
        self._theme, self._font = theme, QFont()
        self._font.setPointSize(SIZE)
        self._metrics = QFontMetricsF(self._font)
        self._box = QRectF()
        self._letter_px = self._metrics.horizontalAdvance("0123456789") / 10.0
        if len(shape.outputs) == 1:
            below = shape.height + self._metrics.height() + BELOW
            self.setPos(QPointF(shape.at[0], shape.at[1] + below))
        else:
            at = shape.port_at(port, output=True)
            self.setPos(QPointF(at[0] + ABOVE + 3, at[1] - ABOVE))
        self.setZValue(1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def letters(self, width_px: int) -> int:
        """Number of letters that fit into a width [px]."""
        return int(width_px / self._letter_px)

    def write(self, words: str) -> None:
        """Show something else; it costs nothing if it is the same."""
        if words == self.words:
            return
        width, height = self._metrics.horizontalAdvance(words), self._metrics.height()
        box = QRectF(-1, -height, width + 2, height) if words else QRectF()
        if box != self._box:
            self.prepareGeometryChange()
            self._box = box
        self.words = words
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """Bounds of the letters."""
        return self._box

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem,
              widget: QWidget | None = None) -> None:  # fmt: skip
        """The letters, on a ground that hides a wire below."""
        if not self.words:
            return
        painter.fillRect(self._box, QColor(self._theme.window))
        painter.setFont(self._font)
        painter.setPen(QColor(self._theme.accent))
        painter.drawText(QPointF(0, -self._metrics.descent()), self.words)

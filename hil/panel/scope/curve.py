"""A line of a plot that costs little to draw: no smoothing, no bounds to compute, no hit test.

And the pens that lines are drawn with.
"""

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from hil.panel.scope import signs
from hil.panel.widgets.theme import Theme

Array = NDArray[np.float64]


class PlotLine(pg.GraphicsObject):
    """A line through points, in the coordinates of its plot."""

    def __init__(self) -> None:
        super().__init__()
        self._path = QPainterPath()
        self._bounds = QRectF()
        self._style = QPen()
        self._number: int | None = None
        self._x = self._y = np.empty(0)

    def set_style(self, style: QPen, number: int | None = None) -> None:
        """Draw in another colour.

        Args:
            style: cosmetic, its width in pixels.
            number: of the trace, from 0, whose signs the line has; None: it has none.
        """
        self._style, self._number = style, number
        self.update()

    def set_points(self, x: Array, y: Array, bounds: QRectF, *, pairs: bool = False) -> None:
        """Draw another line.

        Args:
            x: (n,), finite.
            y: (n,); NaN breaks the line.
            bounds: what of the plot is seen; nothing is drawn far beyond it.
            pairs: draw a stroke from each first point to each second one only.
        """
        connect = "pairs" if pairs else "all"
        broken = bool(np.isnan(y).any())
        if broken:
            connect = "finite"
        self._path = pg.arrayToQPath(x, y, connect=connect, finiteCheck=broken)
        self._x, self._y = x, y
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """Bounds of the visible part of the plot."""
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw the line."""
        del option, widget
        painter.setPen(self._style)
        painter.drawPath(self._path)
        if self._number is not None:
            signs.draw(painter, self._number, self._style, self._x, self._y, self._bounds)

    def dataBounds(self, *_: Any) -> tuple[None, None]:  # noqa: N802 - pyqtgraph's name
        """The plot's axes are set by the scope, never by the line."""
        return (None, None)


def trace_style(theme: Theme, number: int, width_px: float = 1.0) -> Any:
    """Pen of a trace; the second eight are dashed, so that colour is never the only sign."""
    colour = trace_colour(theme, number)
    solid = number < len(theme.traces)
    style = Qt.PenStyle.SolidLine if solid else Qt.PenStyle.DashLine
    return pg.mkPen(colour, width=width_px, style=style)


def trace_colour(theme: Theme, number: int) -> str:
    """Colour of the trace that was chosen as the number-th, from 0."""
    return theme.traces[number % len(theme.traces)]

"""Signs by which traces of a plot differ without their colours: on the line and in its title.

The first eight are filled, the second eight hollow.
"""

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF, QTransform

Array = NDArray[np.float64]

FILLED: Final = "●■▲▼◆✚◀▶"
HOLLOW: Final = "○□△▽◇✛◁▷"
SIGNS_ON_LINE: Final = 4
"""Signs on each trace, evenly over the width; those of other traces are not above them."""
_SIZE_EM: Final = 0.32
"""Distance from a sign's middle to a corner, as a share of the text's height."""
_PLUS: Final = (
    (1, 3), (1, 1), (3, 1), (3, -1), (1, -1), (1, -3),
    (-1, -3), (-1, -1), (-3, -1), (-3, 1), (-1, 1), (-1, 3),
)  # fmt: skip


def _ring(corners: int, first_deg: float) -> list[QPointF]:
    turns = (math.radians(first_deg) + 2.0 * math.pi * k / corners for k in range(corners))
    return [QPointF(math.cos(turn), math.sin(turn)) for turn in turns]


_OUTLINES: Final = tuple(
    QPolygonF(points)
    for points in (
        _ring(12, 0.0), _ring(4, 45.0), _ring(3, -90.0), _ring(3, 90.0), _ring(4, 0.0),
        [QPointF(x / 3.0, y / 3.0) for x, y in _PLUS],
        _ring(3, 180.0), _ring(3, 0.0),
    )
)  # fmt: skip
"""About the origin, as `FILLED` has them; y points down."""


def sign_of(number: int) -> str:
    """The sign of the trace that was chosen as the number-th, from 0, as a character."""
    return (FILLED + HOLLOW)[number % (2 * len(FILLED))]


def places(number: int) -> Iterable[float]:
    """Places of a trace's signs, as shares of the plot's width."""
    own = (number % len(FILLED) + 0.5) / len(FILLED)
    return ((k + own) / SIGNS_ON_LINE for k in range(SIGNS_ON_LINE))


def draw(painter: QPainter, number: int, style: QPen, x: Array, y: Array, bounds: QRectF) -> None:
    """Draw the signs of a trace at its points, upright and as large as the text, at any scale.

    Args:
        x: (n,), rising.
        y: (n,); where it is NaN there is no sign.
        bounds: what of the plot is seen.
    """
    size_px = _SIZE_EM * QFontMetricsF(painter.font()).height()
    outline = QTransform.fromScale(size_px, size_px).map(_OUTLINES[number % len(FILLED)])
    to_px = painter.worldTransform()
    hollow = number // len(FILLED) % 2
    painter.save()
    painter.resetTransform()
    painter.setPen(QPen(style.color(), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else style.color())
    for share in places(number):
        at = int(np.searchsorted(x, bounds.left() + share * bounds.width()))
        if at < len(x) and math.isfinite(y[at]):
            painter.drawPolygon(outline.translated(to_px.map(QPointF(x[at], y[at]))))
    painter.restore()

"""The same scene without OpenGL: outlines of all bodies, from the side and from above."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from hil.scene.colours import GHOST_ALPHA, SceneColours
from hil.scene.figure import Build, Figure, same_figure
from hil.scene.solids import hull

Array = NDArray[np.float64]

SIDE: Final = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
TOP: Final = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
"""Right, up and towards the eye as rows, in the scene's axes."""

FLAT_PX: Final = 0.4
"""A body thinner than this is seen from its edge and left to its neighbours."""


class FlatCanvas(QWidget):
    """Two orthographic views side by side, or one above the other where that is larger."""

    def __init__(self, build: Build, colours: SceneColours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = build
        self._colours = colours
        self._figure: Figure | None = None

    def set_colours(self, colours: SceneColours) -> None:
        """Draw in other colours from now on."""
        self._colours = colours
        self.update()

    def show_figure(self, figure: Figure) -> None:
        """Draw this figure from now on; the same as before costs nothing."""
        before = self._figure
        self._figure = figure
        if before is None or not same_figure(before, figure):
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw both views."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._colours.hex_of["background"]))
        if self._figure is None:
            return
        for area, axes, name in self._areas():
            painter.save()
            painter.setClipRect(area)
            self._draw_view(painter, self._figure, area, axes)
            painter.setPen(QColor(self._colours.hex_of["text"]))
            words = area.adjusted(8.0, 4.0, -8.0, -6.0)
            corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
            painter.drawText(words, corner, name)
            painter.restore()

    def _areas(self) -> list[tuple[QRectF, Array, str]]:
        width, height = float(self.width()), float(self.height())
        if width >= height:
            areas = (QRectF(0, 0, width / 2, height), QRectF(width / 2, 0, width / 2, height))
        else:
            areas = (QRectF(0, 0, width, height / 2), QRectF(0, height / 2, width, height / 2))
        return list(zip(areas, (SIDE, TOP), ("side", "top"), strict=True))

    def _draw_view(self, painter: QPainter, figure: Figure, area: QRectF, axes: Array) -> None:
        camera = self._scene.camera
        scale = min(area.width(), area.height()) / camera.size_m
        middle = np.asarray(camera.middle_m) @ axes.T
        centre = np.array([area.center().x(), area.center().y()])

        def on_screen(points: Array) -> Array:
            """Pixels right and down, and the distance towards the eye [m]; (N, 3)."""
            seen = points @ axes.T - middle
            flat = centre + seen[:, :2] * [scale, -scale]
            return np.column_stack([flat, seen[:, 2]])

        painter.setPen(QPen(QColor(self._colours.hex_of["grid"]), 1.0))
        floor = on_screen(self._scene.ground.lines_m)
        for start, end in floor[:, :2].reshape(-1, 2, 2):
            painter.drawLine(QPointF(*start), QPointF(*end))
        for polygon, colour in self._outlines(figure, on_screen):
            painter.setPen(QPen(colour.darker(150), 1.0))
            painter.setBrush(colour)
            painter.drawPolygon(polygon)
        if len(figure.trace_m) > 1:
            painter.setPen(QPen(QColor(self._colours.hex_of["trace"]), 2.0))
            trace = on_screen(figure.trace_m)[:, :2]
            painter.drawPolyline(QPolygonF([QPointF(*point) for point in trace]))

    def _outlines(
        self, figure: Figure, on_screen: Callable[[Array], Array]
    ) -> list[tuple[QPolygonF, QColor]]:
        """Outline of each body, the farthest first."""
        packed, parts = self._scene.packed, self._scene.parts
        found: list[tuple[float, QPolygonF, QColor]] = []
        for first, end, part, slot in packed.pieces.tolist():
            placed = figure.transforms[part]
            if placed[3, 3] == 0.0:
                continue
            corners = packed.corners[first:end, :3] @ placed[:3, :3].T + placed[:3, 3]
            seen = on_screen(corners)
            outline = _outline(seen[:, :2])
            if outline is None:
                continue
            colour = QColor(self._colours.hex_of[figure.roles[slot]])
            if parts[part].ghost:
                colour.setAlphaF(GHOST_ALPHA)
            polygon = QPolygonF([QPointF(x, y) for x, y in outline.tolist()])
            depth = np.inf if parts[part].ghost else float(seen[:, 2].mean())
            found.append((depth, polygon, colour))
        found.sort(key=lambda entry: entry[0])
        return [(polygon, colour) for _, polygon, colour in found]


def _outline(points_px: Array) -> Array | None:
    """Convex outline of points, (N, 2); None if they lie on one line."""
    if min(np.ptp(points_px, axis=0)) < FLAT_PX:
        return None
    try:
        return hull(points_px)
    except ValueError:
        return None

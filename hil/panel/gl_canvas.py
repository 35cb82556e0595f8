"""A scene seen through a free camera: the mouse or the keys turn it, shift it and bring it near."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pyqtgraph import Vector
from pyqtgraph.opengl.GLViewWidget import GLViewMixin
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMatrix4x4,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QVector4D,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from hil.panel.gl_drawing import Drawing
from hil.panel.gl_offscreen import GlError, Offscreen
from hil.panel.models.scene_colours import SceneColours
from hil.panel.models.scene_figure import Build, Figure, same_figure

Floats = NDArray[np.float32]

NARROW_FOV_DEG: Final = 32.0
"""Angle of view across the shorter side: small enough that upright things look upright."""

TURN_DEG: Final = 5.0
"""One press of an arrow key."""

ZOOM: Final = 1.12
"""One press of + or -, or one notch of the wheel."""

NOTCH: Final = 120.0
"""What a wheel tells for one notch."""

_VIEWS: Final = {Qt.Key.Key_F: (0.0, 8.0), Qt.Key.Key_S: (-90.0, 8.0), Qt.Key.Key_T: (-90.0, 90.0)}
"""Azimuth and elevation [deg] of the eye: in front of the machine, at its side, above it."""

_TURNS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class Canvas(GLViewMixin, QWidget):
    """Draws the figures of one scene.

    Args:
        build: what is drawn.
        colours: of the roles.
        parent: widget that holds this one.
    """

    failed = Signal(str)
    """OpenGL refused; the words say why. Nothing is drawn from then on."""

    def __init__(self, build: Build, colours: SceneColours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._scene = build
        self._colours = colours
        self._figure: Figure | None = None
        self._offscreen: Offscreen | None = None
        self._drawing: Drawing | None = None
        self._image: QImage | None = None
        self._broken = False
        self.reset_camera()

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

    def reset_camera(self) -> None:
        """Look from where one looked at first."""
        camera = self._scene.camera
        distance = 0.5 * camera.size_m / math.sin(math.radians(0.5 * NARROW_FOV_DEG))
        self._widen()
        self.setCameraPosition(
            Vector(*camera.middle_m), distance, camera.elevation_deg, camera.azimuth_deg
        )

    def update(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ask for a new picture."""
        self._image = None
        super().update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Show the picture, drawn anew if anything changed, and the words in it."""
        painter = QPainter(self)
        if self._image is None and not self._broken and self._figure is not None:
            try:
                self._image = self._picture(self._figure)
            except Exception as error:  # whatever a driver does, the panel must live on
                self._fail(error)
        if self._image is None:
            painter.fillRect(self.rect(), QColor(self._colours.hex_of["background"]))
            return
        painter.drawImage(0, 0, self._image)
        self._paint_words(painter)
        if self.hasFocus():
            painter.setPen(QColor(self._colours.hex_of["grid"]))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the machine as large as the shorter side allows."""
        super().resizeEvent(event)
        self._widen()
        self.update()

    def keyPressEvent(self, ev: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Arrows turn, with Ctrl they shift; + and - zoom; F, S, T, R choose a view."""
        key = Qt.Key(ev.key())
        if key in _TURNS:
            right, up = _TURNS[key]
            if ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.pan(-8.0 * TURN_DEG * right, 8.0 * TURN_DEG * up, 0, relative="view")
            else:
                self.orbit(TURN_DEG * right, TURN_DEG * up)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.0)
        elif key == Qt.Key.Key_Minus:
            self.zoom(-1.0)
        elif key in _VIEWS:
            azimuth, elevation = _VIEWS[key]
            self.setCameraPosition(azimuth=azimuth, elevation=elevation)
        elif key == Qt.Key.Key_R:
            self.reset_camera()
        else:
            ev.ignore()

    def keyReleaseEvent(self, ev: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Nothing ends with a key: each press is one step."""
        ev.ignore()

    def wheelEvent(self, ev: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Come nearer or go away."""
        self.zoom(ev.angleDelta().y() / NOTCH)
        ev.accept()

    def zoom(self, steps: float) -> None:
        """Come nearer by so many steps; a negative number goes away."""
        nearest, farthest = 0.1 * self._scene.camera.size_m, 20.0 * self._scene.camera.size_m
        distance = float(self.opts["distance"]) * ZOOM**-steps
        self.setCameraPosition(distance=min(max(distance, nearest), farthest))

    def _widen(self) -> None:
        """Angle of view across the width, which is what the camera counts with."""
        ratio = max(1.0, self.width() / max(1, self.height()))
        half = math.tan(math.radians(0.5 * NARROW_FOV_DEG)) * ratio
        fov_deg = math.degrees(2.0 * math.atan(half))
        self.opts["fov"] = fov_deg  # pyright: ignore[reportArgumentType]

    def _picture(self, figure: Figure) -> QImage:
        """Draw a figure.

        Raises:
            GlError: or what else OpenGL raises.
        """
        if self._offscreen is None:
            self._offscreen = Offscreen()
            self._offscreen.prepare(self._send)
        drawing = self._drawing
        if drawing is None:
            raise GlError("the scene could not be sent")
        scale = self.devicePixelRatioF()
        upside_down = QMatrix4x4()
        upside_down.scale(1.0, -1.0, 1.0)
        table = np.array((upside_down * self._view()).data(), np.float32)

        def draw() -> None:
            drawing.draw(figure, self._colours, table, self._lamp(), scale)

        width, height = (max(1, round(scale * side)) for side in (self.width(), self.height()))
        image = self._offscreen.picture(width, height, draw)
        image.setDevicePixelRatio(scale)
        return image

    def _send(self) -> None:
        if self._offscreen is not None:
            self._drawing = Drawing(self._scene, self._offscreen.version)

    def _view(self) -> QMatrix4x4:
        """From the scene to the screen, -1 to 1."""
        region = self.getViewport()
        return self.projectionMatrix(region, region) * self.viewMatrix()

    def on_screen(self, point_m: tuple[float, float, float]) -> QPointF | None:
        """Where a point of the scene [m] is seen, in pixels; None if it is behind the eye."""
        seen = self._view().map(QVector4D(*point_m, 1.0))
        if seen.w() <= 0.0:
            return None
        return QPointF(
            0.5 * (1.0 + seen.x() / seen.w()) * self.width(),
            0.5 * (1.0 - seen.y() / seen.w()) * self.height(),
        )

    def _paint_words(self, painter: QPainter) -> None:
        for label in self._scene.labels:
            place = self.on_screen(label.point_m)
            if place is not None:
                painter.setPen(QColor(self._colours.hex_of[label.role]))
                room = QRectF(place.x() - 40.0, place.y() - 12.0, 80.0, 24.0)
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter, label.words)

    def _lamp(self) -> Floats:
        """Over the left shoulder of who looks, as a direction in the scene, shape (3,)."""
        azimuth, elevation = (
            math.radians(float(self.opts[name]))  # pyright: ignore[reportArgumentType]
            for name in ("azimuth", "elevation")
        )
        level = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
        eye = math.cos(elevation) * level + [0.0, 0.0, math.sin(elevation)]
        right = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
        lamp = 0.75 * eye - 0.45 * right + 0.55 * np.cross(eye, right)
        return (lamp / np.linalg.norm(lamp)).astype(np.float32)

    def _fail(self, error: Exception) -> None:
        self._broken = True
        self._drawing = None
        self.failed.emit(f"{type(error).__name__}: {error}")

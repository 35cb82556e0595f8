"""A scene seen through a free camera: the mouse or the keys turn it, shift it and bring it near."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from hil.panel.scene.gl_calls import GlError
from hil.panel.scene.gl_drawing import Drawing
from hil.panel.scene.gl_offscreen import Offscreen
from hil.panel.widgets.key_codes import key_of
from hil.scene.camera import Eye
from hil.scene.colours import SceneColours
from hil.scene.figure import Build, Figure, same_figure

TURN_DEG: Final = 5.0
"""One press of an arrow key."""

SHIFT_PX: Final = 40.0
"""The same with Ctrl."""

ZOOM: Final = 1.12
"""One press of + or -, or one notch of the wheel."""

NOTCH: Final = 120.0
"""Angle that a wheel reports for one notch."""

_VIEWS: Final = {Qt.Key.Key_F: (0.0, 8.0), Qt.Key.Key_S: (-90.0, 8.0), Qt.Key.Key_T: (-90.0, 90.0)}
"""Azimuth and elevation [deg] of the eye: in front of the machine, at its side, above it."""

_TURNS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class Canvas(QWidget):
    """Draws the figures of one scene."""

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
        self._mouse: QPointF | None = None
        camera = build.camera
        self._first = Eye.of_size(
            camera.middle_m, camera.size_m, camera.azimuth_deg, camera.elevation_deg
        )
        self._eye = self._first

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

    @property
    def eye(self) -> Eye:
        """Position of the eye."""
        return self._eye

    def set_eye(self, eye: Eye) -> None:
        """Look from there."""
        self._eye = eye
        self.update()

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
        """Draw it in the new size."""
        super().resizeEvent(event)
        self.update()

    def keyPressEvent(self, ev: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Arrows turn, with Ctrl they shift; + and - zoom; F, S, T, R choose a view."""
        key = key_of(ev)
        if key in _TURNS:
            right, up = _TURNS[key]
            if ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._shift(SHIFT_PX * right, SHIFT_PX * up)
            else:
                self.set_eye(self._eye.turned(TURN_DEG * right, TURN_DEG * up))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.0)
        elif key == Qt.Key.Key_Minus:
            self.zoom(-1.0)
        elif key in _VIEWS:
            self.set_eye(self._eye.seen_from(*_VIEWS[key]))
        elif key == Qt.Key.Key_R:
            self.set_eye(self._first)
        else:
            ev.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Turn or shift from here."""
        self._mouse = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Left turns, with Ctrl it shifts; the middle button shifts over the floor or upwards."""
        before, self._mouse = self._mouse, event.position()
        if before is None:
            return
        right, down = self._mouse.x() - before.x(), self._mouse.y() - before.y()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.buttons() == Qt.MouseButton.LeftButton:
            if control:
                self._shift(-right, down)
            else:
                self.set_eye(self._eye.turned(-right, down))
        elif event.buttons() == Qt.MouseButton.MiddleButton:
            pixel_m = self._eye.pixel_m(self.width(), self.height())
            shift_m = (0.0, down * pixel_m) if control else (down * pixel_m, 0.0)
            self.set_eye(self._eye.shifted_level(-right * pixel_m, *shift_m))

    def wheelEvent(self, ev: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Come nearer or go away."""
        self.zoom(ev.angleDelta().y() / NOTCH)
        ev.accept()

    def zoom(self, steps: float) -> None:
        """Come nearer by so many steps; a negative number goes away."""
        nearest, farthest = 0.1 * self._scene.camera.size_m, 20.0 * self._scene.camera.size_m
        distance = self._eye.distance_m * ZOOM**-steps
        self.set_eye(self._eye.at(min(max(distance, nearest), farthest)))

    def _shift(self, right_px: float, up_px: float) -> None:
        """Look at a point so many pixels farther right and up."""
        pixel_m = self._eye.pixel_m(self.width(), self.height())
        self.set_eye(self._eye.shifted(right_px * pixel_m, up_px * pixel_m))

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
        view = self._view() * [[1.0], [-1.0], [1.0], [1.0]]  # upside down
        table = view.T.astype(np.float32).ravel()  # column by column
        lamp = self._eye.lamp.astype(np.float32)

        def draw() -> None:
            drawing.draw(figure, self._colours, table, lamp, scale)

        width, height = (max(1, round(scale * side)) for side in (self.width(), self.height()))
        image = self._offscreen.picture(width, height, draw)
        image.setDevicePixelRatio(scale)
        return image

    def _send(self) -> None:
        if self._offscreen is not None:
            off = self._offscreen
            self._drawing = Drawing(off.gl, self._scene, off.version)

    def _view(self) -> NDArray[np.float64]:
        """Projection from the scene to the screen, -1 to 1, shape (4, 4)."""
        return self._eye.view(self.width(), self.height())

    def on_screen(self, point_m: tuple[float, float, float]) -> QPointF | None:
        """Place on the screen of a scene's point [m], in pixels; None if it is behind the eye."""
        right, up, _, w = (self._view() @ [*point_m, 1.0]).tolist()
        if w <= 0.0:
            return None
        return QPointF(0.5 * (1.0 + right / w) * self.width(), 0.5 * (1.0 - up / w) * self.height())

    def _paint_words(self, painter: QPainter) -> None:
        for label in self._scene.labels:
            place = self.on_screen(label.point_m)
            if place is not None:
                painter.setPen(QColor(self._colours.hex_of[label.role]))
                area = QRectF(place.x() - 40.0, place.y() - 12.0, 80.0, 24.0)
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, label.words)

    def _fail(self, error: Exception) -> None:
        self._broken = True
        self._drawing = None
        self.failed.emit(f"{type(error).__name__}: {error}")

"""A scene seen through a free camera: the mouse or the keys turn it, shift it and bring it near."""

import math
from typing import Any, Final

import numpy as np
from pyqtgraph import Vector
from pyqtgraph.opengl import GLViewWidget
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMatrix4x4,
    QResizeEvent,
    QSurfaceFormat,
    QVector4D,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QWidget

from hil.panel.gl_drawing import Drawing
from hil.panel.models.scene_colours import SceneColours
from hil.panel.models.scene_figure import Build, Figure

NARROW_FOV_DEG: Final = 32.0
"""Angle of view across the shorter side: small enough that upright things look upright."""

TURN_DEG: Final = 5.0
"""One press of an arrow key."""

ZOOM: Final = 1.12
"""One press of + or -, or one notch of the wheel."""

NOTCH: Final = 120.0
"""What a wheel tells for one notch."""

SAMPLES: Final = 4
"""Of each pixel, for smooth edges."""

_VIEWS: Final = {Qt.Key.Key_F: (0.0, 8.0), Qt.Key.Key_S: (-90.0, 8.0), Qt.Key.Key_T: (-90.0, 90.0)}
"""Azimuth and elevation [deg] of the eye: in front of the machine, at its side, above it."""

_TURNS: Final = {
    Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)
}  # fmt: skip


class Canvas(GLViewWidget):
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
        wanted = QSurfaceFormat(self.format())
        wanted.setSamples(SAMPLES)
        self.setFormat(wanted)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._scene = build
        self._colours = colours
        self._figure: Figure | None = None
        self._drawing: Drawing | None = None
        self._broken = False
        self._labels = [_label(label.words, self) for label in build.labels]
        self.set_colours(colours)
        self.reset_camera()

    def set_colours(self, colours: SceneColours) -> None:
        """Draw in other colours from now on."""
        self._colours = colours
        for widget, label in zip(self._labels, self._scene.labels, strict=True):
            widget.setStyleSheet(f"color: {colours.hex_of[label.role]}; background: transparent;")
        self.update()

    def show_figure(self, figure: Figure) -> None:
        """Draw this figure from now on; the same as before costs nothing."""
        before = self._figure
        self._figure = figure
        if before is None or not _same(before, figure):
            self.update()

    def reset_camera(self) -> None:
        """Look from where one looked at first."""
        camera = self._scene.camera
        distance = 0.5 * camera.size_m / math.sin(math.radians(0.5 * NARROW_FOV_DEG))
        self._widen()
        self.setCameraPosition(
            Vector(*camera.middle_m), distance, camera.elevation_deg, camera.azimuth_deg
        )

    def initializeGL(self) -> None:  # noqa: N802 - Qt's name
        """Send the scene to a new context; Qt makes one anew when the window changes."""
        try:
            major, minor = self.context().format().version()
            super().initializeGL()
            self._drawing = Drawing(self._scene, (major, minor))
        except Exception as error:  # noqa: BLE001 - whatever a driver does, the panel must live on
            self._fail(error)

    def paintGL(self) -> None:  # noqa: N802 - Qt's name
        """Draw the newest figure."""
        if self._broken or self._drawing is None or self._figure is None:
            return
        region = self.getViewport()
        view = self.projectionMatrix(region, region) * self.viewMatrix()
        table = np.array(view.data(), np.float32)
        try:
            self._drawing.draw(
                self._figure, self._colours, table, self._lamp(), self.devicePixelRatioF()
            )
        except Exception as error:  # noqa: BLE001 - as above
            self._fail(error)

    def update(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ask for a picture, and bring the words to where their points are seen now."""
        super().update()
        if hasattr(self, "_labels"):
            self._place_labels()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the machine as large as the shorter side allows."""
        super().resizeEvent(event)
        self._widen()
        self._place_labels()

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
        self.opts["fov"] = math.degrees(2.0 * math.atan(half))

    def _lamp(self) -> np.ndarray:
        """Over the left shoulder of who looks, as a direction in the scene, shape (3,)."""
        azimuth, elevation = (math.radians(self.opts[name]) for name in ("azimuth", "elevation"))
        eye = np.array([math.cos(elevation) * math.cos(azimuth),
                        math.cos(elevation) * math.sin(azimuth), math.sin(elevation)])  # fmt: skip
        right = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
        lamp = 0.75 * eye - 0.45 * right + 0.55 * np.cross(eye, right)
        return (lamp / np.linalg.norm(lamp)).astype(np.float32)

    def _place_labels(self) -> None:
        region = self.getViewport()
        view: QMatrix4x4 = self.projectionMatrix(region, region) * self.viewMatrix()
        for widget, label in zip(self._labels, self._scene.labels, strict=True):
            seen = view.map(QVector4D(*label.point_m, 1.0))
            if seen.w() <= 0.0:
                widget.hide()
                continue
            x = 0.5 * (1.0 + seen.x() / seen.w()) * self.width()
            y = 0.5 * (1.0 - seen.y() / seen.w()) * self.height()
            middle = widget.rect().center()
            place = QPoint(round(x), round(y)) - middle
            if widget.pos() != place:
                widget.move(place)
            widget.show()

    def _fail(self, error: Exception) -> None:
        self._broken = True
        self._drawing = None
        self.failed.emit(f"{type(error).__name__}: {error}")


def _same(first: Figure, second: Figure) -> bool:
    return (
        first.trace_serial == second.trace_serial
        and first.roles == second.roles
        and np.array_equal(first.transforms, second.transforms)
    )


def _label(words: str, parent: QWidget) -> QLabel:
    widget = QLabel(words, parent)
    widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    widget.adjustSize()
    return widget


def camera_of(canvas: Canvas) -> dict[str, Any]:
    """Where the camera is: center, distance, fov, azimuth, elevation."""
    return canvas.cameraParams()

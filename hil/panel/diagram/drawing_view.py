"""The drawing of a diagram, larger and smaller."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QListWidget

from hil.panel.diagram.models.place_edits import Move
from hil.panel.diagram.scene import DiagramScene

ZOOM_STEP: Final = 1.2
STEP: Final = 10
"""By which an arrow moves."""
ARROWS: Final = {
    Qt.Key.Key_Left.value: (-1, 0), Qt.Key.Key_Right.value: (1, 0), Qt.Key.Key_Up.value: (0, -1),
    Qt.Key.Key_Down.value: (0, 1),
}  # fmt: skip
READABLE: Final = 0.4
"""Scale from which on words can be read."""
ZOOM_LEAST, ZOOM_MOST = 0.05, 5.0


class DiagramView(QGraphicsView):
    """The drawing; the wheel with Ctrl zooms, and what is dragged from a list is dropped."""

    dropped = Signal(QPointF)
    """Something of a list was dropped here, in the drawing's pixels."""

    def __init__(self, scene: DiagramScene) -> None:
        super().__init__(scene)
        self._drawing = scene
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setAcceptDrops(True)
        self.setDragMode(self.DragMode.RubberBandDrag)
        self.setTransformationAnchor(self.ViewportAnchor.AnchorUnderMouse)

    def zoom(self, factor: float) -> None:
        """Make everything larger, within limits."""
        if ZOOM_LEAST <= self.transform().m11() * factor <= ZOOM_MOST:
            self.scale(factor, factor)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Zoom at the pointer with Ctrl, else scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP if event.angleDelta().y() > 0 else 1 / ZOOM_STEP)
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Move what is chosen by a step with the arrows, by ten of them with Shift."""
        step = ARROWS.get(event.key())
        chosen = self._drawing.chosen()
        if step is None or not chosen:
            super().keyPressEvent(event)
            return
        far = STEP * (10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        shapes = {name: self._drawing.blocks[name].shape_of for name in chosen}
        to = {name: (one.at[0] + far * step[0], one.at[1] + far * step[1])
              for name, one in shapes.items()}  # fmt: skip
        self._drawing.do(Move(self._drawing.where, to))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        """Take what comes from a list of this window, and nothing else."""
        event.setAccepted(isinstance(event.source(), QListWidget))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802 - Qt's name
        """As it entered."""
        event.setAccepted(isinstance(event.source(), QListWidget))

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        """Say where it was let go."""
        self.dropped.emit(self.mapToScene(event.position().toPoint()))
        event.accept()

    def fit(self) -> None:
        """Show all of it."""
        box = self.scene().itemsBoundingRect().adjusted(-40, -40, 40, 40)
        self.fitInView(box, Qt.AspectRatioMode.KeepAspectRatio)
        if self.transform().m11() > 1.0:
            self.resetTransform()
            self.centerOn(box.center())

    def blocks_in_sight(self) -> set[str]:
        """Names of the blocks that are seen; none where they are too small to be read."""
        if self.transform().m11() < READABLE:
            return set()
        sight = self.mapToScene(self.viewport().rect()).boundingRect()
        return {name for name, item in self._drawing.blocks.items()
                if sight.intersects(item.sceneBoundingRect())}  # fmt: skip

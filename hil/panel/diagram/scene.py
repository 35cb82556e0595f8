"""A diagram as it is drawn: blocks that are moved, ports that are connected, wires."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QTransform
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QToolTip,
    QWidget,
)

from hil.config.errors import RefusedError
from hil.diagram.registry import SUB
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.edits import Connect, Edit
from hil.panel.diagram.models.placing import Move
from hil.panel.diagram.models.shapes import BlockShape, shapes_of, way_of
from hil.panel.shell.theme import LIGHT, Theme

REACH: Final = 8
"""How near a port the pointer takes it."""
PORT: Final = 3.5
"""Radius of a port."""


class BlockItem(QGraphicsItem):
    """A block."""

    def __init__(self, shape: BlockShape, theme: Theme, fault: str) -> None:
        super().__init__()
        self.shape_of = shape
        self._theme, self._fault = theme, fault
        self.setPos(*shape.at)
        self.setFlags(self.GraphicsItemFlag.ItemIsMovable | self.GraphicsItemFlag.ItemIsSelectable)
        self.setToolTip(fault)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """With its ports."""
        one = self.shape_of
        return QRectF(-REACH, -REACH, one.width + 2 * REACH, one.height + 2 * REACH)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem,
              widget: QWidget | None = None) -> None:  # fmt: skip
        """Box, name, kind, ports; a thick red edge and `!` where something is wrong."""
        one, theme = self.shape_of, self._theme
        edge = theme.accent if self.isSelected() else theme.fault if self._fault else theme.dim
        painter.setPen(QPen(QColor(edge), 2.5 if self.isSelected() or self._fault else 1.0))
        painter.setBrush(QColor(theme.base))
        box = QRectF(0, 0, one.width, one.height)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QColor(theme.text))
        centre = Qt.AlignmentFlag.AlignCenter
        painter.drawText(box.adjusted(0, 0, 0, -one.height / 2), centre, one.name)
        painter.setPen(QColor(theme.dim))
        painter.drawText(box.adjusted(0, one.height / 2, 0, 0), centre, one.kind)
        if self._fault:
            painter.setPen(QColor(theme.fault))
            painter.drawText(box.adjusted(5, 1, 0, 0), Qt.AlignmentFlag.AlignLeft, "!")
        painter.setPen(QColor(theme.text))
        for ports, output in ((one.inputs, False), (one.outputs, True)):
            painter.setBrush(QColor(theme.text if output else theme.base))
            for name in ports:
                x, y = one.port_at(name, output=output)
                painter.drawEllipse(QPointF(x - one.at[0], y - one.at[1]), PORT, PORT)


class WireItem(QGraphicsPathItem):
    """A wire."""

    def __init__(self, target: str, path: QPainterPath, theme: Theme, fault: str) -> None:
        super().__init__(path)
        self.target = target
        self._theme, self._fault = theme, fault
        self.setFlag(self.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(-1)
        self.setToolTip(fault)

    def shape(self) -> QPainterPath:
        """Wide enough to be hit."""
        stroker = QPainterPathStroker()
        stroker.setWidth(REACH)
        return stroker.createStroke(self.path())

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem,
              widget: QWidget | None = None) -> None:  # fmt: skip
        """A line; broken and red where it is wrong."""
        colour = self._theme.fault if self._fault else self._theme.text
        pen = QPen(QColor(self._theme.accent if self.isSelected() else colour), 1.5)
        if self._fault:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawPath(self.path())


class DiagramScene(QGraphicsScene):
    """One diagram of a document.

    Args:
        document: That is edited.
        theme: Its colours.
    """

    refused = Signal(str)
    """Why an edit could not be done."""
    edited = Signal()
    """The document is another version."""
    entered = Signal(str)
    """The sub-diagram that was opened."""

    def __init__(self, document: Document, theme: Theme = LIGHT) -> None:
        super().__init__()
        self.document, self.theme, self.where = document, theme, ""
        self.blocks: dict[str, BlockItem] = {}
        self.wires: dict[str, WireItem] = {}
        self._from: str | None = None
        """Output from which a wire is drawn."""
        self._rubber = QGraphicsPathItem()
        self.rebuild()

    def rebuild(self) -> None:
        """Draw what the document is now; what was chosen stays so."""
        chosen = self.chosen()
        if self.where and self.where not in self.document.file.subs:
            self.where = ""
        self.blocks, self.wires = {}, {}  # before those who hear of it ask what is chosen
        self.clear()
        self._from, file, faults = None, self.document.file, self.document.faults
        shapes = shapes_of(file, self.where)
        diagram = file.subs[self.where] if self.where else file.top
        for name, shape in shapes.items():
            told = faults.blocks.get((self.where, name), ())
            item = BlockItem(shape, self.theme, "\n".join(one.words for one in told))
            self.addItem(item)
            item.setSelected(name in chosen)
            self.blocks[name] = item
        for target, source in diagram.wires.items():
            told = faults.wires.get((self.where, target), ())
            path = _path([QPointF(*at) for at in way_of(shapes, source, target)])
            wire = WireItem(target, path, self.theme, "\n".join(one.words for one in told))
            self.addItem(wire)
            self.wires[target] = wire
        self._rubber = QGraphicsPathItem()
        self._rubber.setPen(QPen(QColor(self.theme.accent), 1.5, Qt.PenStyle.DotLine))
        self.addItem(self._rubber)
        self.setBackgroundBrush(QColor(self.theme.window))
        self.setSceneRect(self.itemsBoundingRect().adjusted(-400, -300, 400, 300))

    def chosen(self) -> list[str]:
        """Names of the blocks that are selected."""
        return sorted(name for name, item in self.blocks.items() if item.isSelected())

    def choose(self, names: frozenset[str]) -> None:
        """Select these blocks and nothing else."""
        self.clearSelection()
        for name in names & self.blocks.keys():
            self.blocks[name].setSelected(True)

    def enter(self, where: str) -> None:
        """Show a sub-diagram, or the top."""
        self.where = where
        self.blocks = {}
        self.rebuild()
        self.entered.emit(where)

    def do(self, edit: Edit) -> bool:
        """Do an edit; whether it could be done. If not, the reason is told."""
        try:
            self.document.do(edit)
        except RefusedError as error:
            self.refused.emit(str(error))
            return False
        self.rebuild()
        self.edited.emit()
        return True

    # The pointer.

    def port_near(self, at: QPointF, *, output: bool) -> str | None:
        """The output or input at a point, as ``block.port``."""
        for item in self.items(QRectF(at.x() - REACH, at.y() - REACH, 2 * REACH, 2 * REACH)):
            if isinstance(item, BlockItem):
                one = item.shape_of
                for name in one.outputs if output else one.inputs:
                    offset = QPointF(*one.port_at(name, output=output)) - at
                    if max(abs(offset.x()), abs(offset.y())) <= REACH:
                        return f"{one.name}.{name}"
        return None

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:  # noqa: N802 - Qt's name
        """At an output begin a wire."""
        self._from = self.port_near(event.scenePos(), output=True)
        if self._from is None:
            super().mousePressEvent(event)
        else:
            event.accept()

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the wire so far; over an input the reason why it cannot be is told at once."""
        if self._from is None:
            super().mouseMoveEvent(event)
            return
        block, _, port = self._from.partition(".")
        start = QPointF(*self.blocks[block].shape_of.port_at(port, output=True))
        end = event.scenePos()
        middle = (start.x() + end.x()) / 2
        self._rubber.setPath(
            _path([start, QPointF(middle, start.y()), QPointF(middle, end.y()), end])
        )
        target = self.port_near(end, output=False)
        reason = self.document.refusal(Connect(self.where, self._from, target)) if target else ""
        self._rubber.setPen(QPen(QColor(self.theme.fault if reason else self.theme.accent), 2.0))
        if reason:
            QToolTip.showText(event.screenPos(), reason)
        else:
            QToolTip.hideText()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Connect; or put blocks where they were moved to, as one step."""
        if self._from is not None:
            source, self._from = self._from, None
            self._rubber.setPath(QPainterPath())
            target = self.port_near(event.scenePos(), output=False)
            if target is not None:
                self.do(Connect(self.where, source, target))
            return
        super().mouseReleaseEvent(event)
        moved = {}
        for name, item in self.blocks.items():
            at = round(item.x()), round(item.y())
            if at != item.shape_of.at:
                moved[name] = at
        if moved:
            self.do(Move(self.where, moved))

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Open a sub-diagram."""
        item = self.itemAt(event.scenePos(), QTransform())
        if isinstance(item, BlockItem):
            file = self.document.file
            diagram = file.subs[self.where] if self.where else file.top
            block = diagram.blocks[item.shape_of.name]
            if block.kind == SUB and block.of in file.subs:
                self.enter(block.of)


def _path(points: list[QPointF]) -> QPainterPath:
    path = QPainterPath()
    if points:
        path.moveTo(points[0])
        for one in points[1:]:
            path.lineTo(one)
    return path

"""A diagram as it is drawn: blocks that are moved, ports that are connected, wires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import (
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
    QToolTip,
)

from hil.config.errors import RefusedError
from hil.diagram.file.model import SUB, Diagram
from hil.panel.diagram.items import REACH, BlockItem, WireItem
from hil.panel.diagram.models.document import Document
from hil.panel.diagram.models.edits import Connect, Edit
from hil.panel.diagram.models.live_values import path_into
from hil.panel.diagram.models.names import Place
from hil.panel.diagram.models.place_edits import Move
from hil.panel.diagram.models.shapes import rest_laid_out, shapes_of
from hil.panel.diagram.models.wire_routes import ROOM_MOST, WireRoutes
from hil.panel.diagram.value_item import ValueItem
from hil.panel.widgets.theme import LIGHT, Theme

JOINT: Final = 3.0
"""Radius of the dot where wires of one output part [px]."""
VALUE_HEIGHT: Final = 16
"""Height of what is written below a block [px]."""


class DiagramScene(QGraphicsScene):
    """One diagram of a document.

    Args:
        document: That is edited.
        theme: Its colours.
    """

    refused = Signal(str)
    """Reason why an edit could not be done."""
    edited = Signal()
    """The document is another version."""
    entered = Signal(str)
    """The sub-diagram that was opened."""

    def __init__(self, document: Document, theme: Theme = LIGHT) -> None:
        super().__init__()
        self.document, self.theme = document, theme
        self.where = ""
        """Name of the sub-diagram that is drawn; empty for the top."""
        self.around = ""
        """Path of the block that stands for it."""
        self.values: dict[tuple[str, str], ValueItem] = {}
        """By block and port; while it runs."""
        self.blocks: dict[str, BlockItem] = {}
        self.wires: dict[str, WireItem] = {}
        self._routes = WireRoutes({})
        self._free_widths: dict[str, int] = {}
        """Below blocks, for their values [px]; as far as it was asked for."""
        self._shown: dict[str, dict[str, Place]] = {}
        """Where blocks stand that nobody has placed, by diagram; they stay there."""
        self._from: str | None = None
        """Output from which a wire is drawn."""
        self._rubber = QGraphicsPathItem()
        self.rebuild()

    def rebuild(self) -> None:
        """Draw what the document is now; what was chosen stays so."""
        chosen = self.chosen()
        if self.where and self.where not in self.document.file.subs:
            self.where = self.around = ""
        self.values = {}
        self.blocks, self.wires = {}, {}  # before those who hear of it ask what is chosen
        self.clear()
        self._from, file, faults = None, self.document.file, self.document.faults
        shown = rest_laid_out(file, self.where, self._shown.get(self.where, {}))
        self._shown[self.where], diagram = shown, self.diagram
        shapes = shapes_of(file, self.where, shown)
        routes = WireRoutes(shapes, diagram.wires)
        for name, shape in shapes.items():
            found = faults.blocks.get((self.where, name), ())
            item = BlockItem(shape, self.theme, "\n".join(one.words for one in found))
            self.addItem(item)
            item.setSelected(name in chosen)
            self.blocks[name] = item
        for target, corners in routes.all(diagram.wires).items():
            found = faults.wires.get((self.where, target), ())
            path = _path([QPointF(*at) for at in corners])
            wire = WireItem(target, path, self.theme, "\n".join(one.words for one in found))
            self.addItem(wire)
            self.wires[target] = wire
        for x, y in routes.joints():
            dot = QRectF(x - JOINT, y - JOINT, 2 * JOINT, 2 * JOINT)
            item = self.addEllipse(dot, Qt.PenStyle.NoPen, QColor(self.theme.text))
            item.setZValue(-1)
            item.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._routes, self._free_widths = routes, {}
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

    @property
    def diagram(self) -> Diagram:
        """The diagram that is drawn."""
        file = self.document.file
        return file.subs[self.where] if self.where else file.top

    def enter(self, where: str, around: str | None = None) -> None:
        """Show a sub-diagram, or the top.

        Args:
            around: Path of the block that stands for it; the first that there is if left out.
        """
        if around is None:
            around = path_into(self.document.file, where) if where else ""
        self.where, self.around = where, around
        self.blocks = {}
        self.rebuild()
        self.entered.emit(where)

    def do(self, edit: Edit) -> bool:
        """Do an edit; return whether it could be done. If not, the reason is shown."""
        try:
            self.document.do(edit)
        except RefusedError as error:
            self.refused.emit(str(error))
            return False
        self.rebuild()
        self.edited.emit()
        return True

    def letters(self, block: str, port: str) -> int:
        """Number of letters for which there is space at an output."""
        if block not in self.blocks:
            return 0
        item, shape = self._value_item(block, port), self.blocks[block].shape_of
        if len(shape.outputs) != 1:
            return item.letters(ROOM_MOST)
        if block not in self._free_widths:
            below = shape.at[0], shape.at[1] + shape.height
            self._free_widths[block] = self._routes.free_width(below, VALUE_HEIGHT)
        return item.letters(self._free_widths[block])

    def _value_item(self, block: str, port: str) -> ValueItem:
        found = self.values.get((block, port))
        if found is None:
            found = self.values[block, port] = ValueItem(
                self.blocks[block].shape_of, port, self.theme
            )
            self.addItem(found)
        return found

    def write_values(self, words: Mapping[tuple[str, str], str]) -> None:
        """Write what outputs have, by block and port; nothing at the others."""
        for end, text in words.items():
            if end[0] in self.blocks and (text or end in self.values):
                self._value_item(*end).write(text)
        for end in self.values.keys() - words.keys():
            self.values[end].write("")

    def chosen_outputs(self) -> list[tuple[str, str]]:
        """Block and port of each wire that is selected, or of the outputs of selected blocks."""
        wires = [self.diagram.wires.get(name, "") for name, item in self.wires.items()
                 if item.isSelected()]  # fmt: skip
        ends = [(block, port) for block, _, port in (one.partition(".") for one in wires) if port]
        if not ends:
            ends = [(name, port) for name in self.chosen()
                    for port in self.blocks[name].shape_of.outputs]  # fmt: skip
        return list(dict.fromkeys(ends))

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
        """Begin a wire at an output."""
        self._from = self.port_near(event.scenePos(), output=True)
        if self._from is None:
            super().mousePressEvent(event)
        else:
            event.accept()

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the wire so far; over an input show at once the reason why it cannot be."""
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
            name = item.shape_of.name
            block = self.diagram.blocks[name]
            if block.kind == SUB and block.of in self.document.file.subs:
                self.enter(block.of, f"{self.around}/{name}" if self.around else name)


def _path(points: list[QPointF]) -> QPainterPath:
    path = QPainterPath()
    if points:
        path.moveTo(points[0])
        for one in points[1:]:
            path.lineTo(one)
    return path

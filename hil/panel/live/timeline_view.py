"""Modes as coloured bars and events as marks on the run's time; keys go from mark to mark."""

from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPicture
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from hil.panel.live.models.lamps import Role
from hil.panel.live.models.timeline import Span, TimelineModel
from hil.panel.widgets.key_codes import key_of
from hil.panel.widgets.plots import item_of, line_style, plot_of, take_theme
from hil.panel.widgets.theme import LIGHT, Theme

SYMBOLS: Final[dict[Role, str]] = {"accent": "o", "warn": "t1", "fault": "s"}
HEIGHTS: Final[dict[Role, float]] = {"accent": 1.35, "warn": 1.6, "fault": 1.85}
"""Marks of different weight stand at different heights: none is told by colour alone."""
LEAST_WIDTH_S: Final = 1.0


class TimelineView(QWidget):
    """The timeline."""

    chosen = Signal(float)
    """Time of the mark that people went to [s]; a replay can go there."""

    def __init__(
        self, model: TimelineModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme
        self._serial = -1
        self._end_s = -1.0
        self._all = True
        self.current: int | None = None
        """Number of the mark that is told of in words."""
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.plot = plot_of()
        item_of(self.plot).setYRange(-0.05, 2.1, padding=0.0)
        self.plot.setMouseEnabled(x=True, y=False)
        item_of(self.plot).hideAxis("left")
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        item_of(self.plot).scene().sigMouseClicked.connect(self._clicked)
        item_of(self.plot).getViewBox().sigRangeChangedManually.connect(self._by_hand)
        self.bars = SpanBars()
        self.marks = pg.ScatterPlotItem(pxMode=True, size=10)
        self.here = pg.InfiniteLine(angle=90, movable=False)
        for item in (self.bars, self.marks, self.here):
            self.plot.addItem(item)
        self.here.hide()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(
            self.tr("Left and right: event before and after. Home, End: first, last. A: all")
        )
        self.setAccessibleName(self.tr("What happened when"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(2)
        layout.addWidget(self.words)
        layout.addWidget(self.plot, 1)
        self.set_theme(theme)

    def set_model(self, model: TimelineModel) -> None:
        """Show another run."""
        self._model, self._serial, self._all, self.current = model, -1, True, None

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme, self._serial = theme, -1
        take_theme(self.plot, theme)
        self.plot.setLabel("bottom", self.tr("Time of the run"), units="s", color=theme.text)
        self.here.setPen(line_style(theme.text, 1.0))

    def refresh(self) -> None:
        """Show what is new; does nothing while hidden."""
        if not self.isVisible():
            return
        newest = self._model.newest
        if self._model.serial != self._serial:
            self._serial = self._model.serial
            self._show_marks()
        elif newest is None or abs(newest.end_s - self._end_s) < self._pixel_s():
            return
        self._end_s = -1.0 if newest is None else newest.end_s
        self.bars.show_spans(self._model.spans, self._theme)
        if self._all:
            self._fit()

    def go(self, number: int) -> None:
        """Emit a mark, by its number from 0; one outside becomes the nearest."""
        marks = self._model.marks
        if not marks:
            return
        self.current = min(max(number, 0), len(marks) - 1)
        mark = marks[self.current]
        self.here.setValue(mark.t_s)
        self.here.show()
        self._show_values()
        self.chosen.emit(mark.t_s)

    def keyPressEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        """Go from mark to mark by keys; A shows all."""
        last = len(self._model.marks) - 1
        at = last + 1 if self.current is None else self.current
        keys = {
            Qt.Key.Key_Left: at - 1,
            Qt.Key.Key_Right: at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        key = key_of(event)
        if key in keys:
            self.go(keys[key])
        elif key == Qt.Key.Key_A:
            self._all = True
            self._fit()
        else:
            super().keyPressEvent(event)

    def _pixel_s(self) -> float:
        """Time of a pixel of the plot [s]; a span that grew by less looks as before."""
        low, high = self.plot.viewRange()[0]
        return (high - low) / max(1, self.plot.width())

    def _show_marks(self) -> None:
        theme = self._theme
        marks = self._model.marks
        if self.current is not None and self.current >= len(marks):
            self.current = None
            self.here.hide()
        brushes = {role: pg.mkBrush(getattr(theme, role)) for role in SYMBOLS}
        roles: list[Role] = [mark.role for mark in marks]
        self.marks.setData(
            x=[mark.t_s for mark in marks],
            y=[HEIGHTS[role] for role in roles],
            symbol=[SYMBOLS[role] for role in roles],
            brush=[brushes[role] for role in roles],
            pen=line_style(theme.base),
        )
        self._show_values()

    def _show_values(self) -> None:
        """Words of the chosen mark, or of the newest."""
        marks = self._model.marks
        if not marks:
            self.words.setText(self.tr("Nothing has happened yet"))
            return
        number = len(marks) - 1 if self.current is None else self.current
        mark = marks[number]
        words = self.tr("{t_s} s   {number} of {total}   {message}").format(
            t_s=f"{mark.t_s:.3f}", number=number + 1, total=len(marks), message=mark.message
        )
        self.words.setText(words)
        self.words.setToolTip(words)

    def _fit(self) -> None:
        spans, marks = self._model.spans, self._model.marks
        starts = [row.start_s for row in spans[:1]] + [mark.t_s for mark in marks[:1]]
        ends = [row.end_s for row in spans[-1:]] + [mark.t_s for mark in marks[-1:]]
        if starts:
            start_s = min(starts)
            end_s = max(*ends, start_s + LEAST_WIDTH_S)
            item_of(self.plot).setXRange(start_s, end_s, padding=0.02)

    def _by_hand(self, *_: object) -> None:
        self._all = False

    def _clicked(self, event: Any) -> None:
        box = item_of(self.plot).getViewBox()
        self.setFocus()
        number = self._model.around(box.mapSceneToView(event.scenePos()).x())
        if number is not None:
            self.go(number)


class SpanBars(pg.GraphicsObject):
    """Bars of the spans with their names, painted at once."""

    def __init__(self) -> None:
        super().__init__()
        self._spans: tuple[Span, ...] = ()
        self._theme: Theme = LIGHT
        self._picture = QPicture()

    def show_spans(self, spans: tuple[Span, ...], theme: Theme) -> None:
        """Show these."""
        self.prepareGeometryChange()
        self._spans, self._theme = spans, theme
        self._picture = QPicture()
        painter = QPainter(self._picture)
        painter.setPen(Qt.PenStyle.NoPen)
        for span in spans:
            painter.setBrush(QColor(getattr(theme, span.role)))
            painter.drawRect(QRectF(span.start_s, 0.0, span.end_s - span.start_s, 1.0))
        painter.end()
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """Bounds of all spans."""
        if not self._spans:
            return QRectF()
        start_s, end_s = self._spans[0].start_s, self._spans[-1].end_s
        return QRectF(start_s, 0.0, max(end_s - start_s, 1e-9), 1.0)

    def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
        """Bars in the plot's units, names in pixels where they fit."""
        painter.drawPicture(QPointF(0.0, 0.0), self._picture)
        to_pixels = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setPen(QColor(self._theme.on_strong))
        metrics = QFontMetricsF(painter.font())
        for span in self._spans:
            area = to_pixels.mapRect(QRectF(span.start_s, 0.0, span.end_s - span.start_s, 1.0))
            if metrics.horizontalAdvance(span.name) + 6.0 <= area.width():
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, span.name)
        painter.restore()

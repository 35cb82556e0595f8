"""The plots of the scope: one per unit, above each other, on one axis of time.

Everything is drawn without smoothing, in lines one pixel wide, which is what a processor without a
graphics card draws fast. The view model decides what is seen; the plots have no mouse of their own.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QGraphicsItem, QToolTip, QWidget

from hil.panel.models.scope import ScopeModel, View
from hil.panel.models.scope_channels import Channel
from hil.panel.models.scope_envelope import Polyline
from hil.panel.models.scope_marks import near
from hil.panel.scope_curve import Curve
from hil.panel.scope_labels import MARK_ROLES, Labels
from hil.panel.texts import text
from hil.panel.theme import Theme
from hil.recording.frame import EventRecord
from hil.recording.header import code_name

_NEAR_PX: Final = 5.0
"""A mark this near to the mouse says what it is."""
_WHEEL_STEP: Final = 120.0
_AXIS_WIDTH_PX: Final = 62
_TITLE_HEIGHT_PX: Final = 18


class _Box(pg.ViewBox):
    """Where a plot's curves are; hands wheel and drag on."""

    def __init__(self, zoomed: Callable[[float], None], moved: Callable[[float], None]) -> None:
        super().__init__(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self._zoomed = zoomed
        self._moved = moved

    def wheelEvent(self, ev: Any, axis: Any = None) -> None:  # noqa: N802 - Qt's name
        """Zoom in time."""
        del axis
        self._zoomed(1.2 ** (ev.delta() / _WHEEL_STEP))
        ev.accept()

    def mouseDragEvent(self, ev: Any, axis: Any = None) -> None:  # noqa: N802 - Qt's name
        """Move in time, by the share of the width that was dragged."""
        del axis
        if ev.button() != Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        ev.accept()
        self._moved((ev.lastScenePos().x() - ev.scenePos().x()) / max(1.0, self.width()))


class _Plot:
    """One plot: its curves, marks, cursors and trigger lines."""

    def __init__(self, item: Any, channels: Sequence[Channel], codes: Sequence[str]) -> None:
        self.item = item
        self.channels = tuple(channels)
        self.curves: dict[str, Curve] = {}
        self._marks = {kind: Curve() for kind in MARK_ROLES}
        self.cursors = [pg.InfiniteLine(angle=90, movable=True) for _ in range(2)]
        self.edge = pg.InfiniteLine(angle=90)
        self.level = pg.InfiniteLine(angle=0)
        for line in (*self._marks.values(), *self.cursors, self.edge, self.level):
            item.addItem(line, ignoreBounds=True)
        self._codes = tuple(codes)
        self._low, self._high = 0.0, 0.0
        self._ranged = False

    def paint(self, theme: Theme, number_of: dict[str, int], width_px: float) -> None:
        """Take colours on."""
        for kind, role in MARK_ROLES.items():
            self._marks[kind].set_pen(pg.mkPen(getattr(theme, role), width=1))
        for channel in self.channels:
            curve = self.curves.get(channel.name)
            if curve is None:
                curve = self.curves[channel.name] = Curve()
                self.item.addItem(curve, ignoreBounds=True)
            curve.set_pen(trace_pen(theme, number_of[channel.name], width_px))
        for cursor in self.cursors:
            cursor.setPen(pg.mkPen(theme.text, width=1))
            cursor.setHoverPen(pg.mkPen(theme.accent, width=3))
        dashed = Qt.PenStyle.DashLine
        self.edge.setPen(pg.mkPen(theme.accent, width=1, style=dashed))
        self.level.setPen(pg.mkPen(theme.accent, width=1, style=dashed))
        for name in ("left", "bottom"):
            axis = self.item.getAxis(name)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.text))
            # The grid and its words change seldom and are the dearest part of a picture.
            axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        if self._codes:
            ticks = [[(code, name) for code, name in enumerate(self._codes)]]
            self.item.getAxis("left").setTicks(ticks)

    def draw(self, lines: dict[str, Polyline], view: View, *, fit: bool) -> None:
        """Set curves and, if they leave the axis or leave it empty, the axis."""
        known = [lines[channel.name].y for channel in self.channels if len(lines[channel.name].y)]
        low = min((float(np.fmin.reduce(y)) for y in known), default=math.nan)
        high = max((float(np.fmax.reduce(y)) for y in known), default=math.nan)
        if low <= high:
            self._fit(low, high, force=fit)
        bounds = self._bounds(view)
        for channel in self.channels:
            line = lines[channel.name]
            self.curves[channel.name].set_points(line.x - view.origin_s, line.y, bounds)

    def _bounds(self, view: View) -> QRectF:
        return QRectF(
            view.from_s - view.origin_s, self._low, view.to_s - view.from_s, self._high - self._low
        )

    def _fit(self, low: float, high: float, *, force: bool) -> None:
        """An axis that follows every sample cannot be read: it moves when it must."""
        room = max(self._high - self._low, 1e-300)
        fits = self._ranged and self._low <= low and high <= self._high
        if fits and not force and high - low >= 0.3 * room:
            return
        if fits and not force and room <= 2.0 * _least_room(low, high):
            return
        spread = max(high - low, _least_room(low, high))
        middle = 0.5 * (low + high)
        self._low, self._high = middle - 0.6 * spread, middle + 0.6 * spread
        self._ranged = True
        self.item.setYRange(self._low, self._high, padding=0.0)

    def draw_marks(self, marks: Sequence[EventRecord], view: View) -> None:
        """Lines at events, from bottom to top."""
        for kind, curve in self._marks.items():
            times = np.array([mark.t_s - view.origin_s for mark in marks if mark.kind is kind])
            curve.setVisible(len(times) > 0)
            if not len(times):
                continue
            heights = np.tile([self._low, self._high], len(times))
            curve.set_points(np.repeat(times, 2), heights, self._bounds(view), pairs=True)


def trace_pen(theme: Theme, number: int, width_px: float = 1.0) -> Any:
    """Pen of a trace; the second eight are dashed, so that colour is never the only sign."""
    colour = trace_colour(theme, number)
    solid = number < len(theme.traces)
    style = Qt.PenStyle.SolidLine if solid else Qt.PenStyle.DashLine
    return pg.mkPen(colour, width=width_px, style=style)


def trace_colour(theme: Theme, number: int) -> str:
    """Colour of the trace that was chosen as the number-th, from 0."""
    return theme.traces[number % len(theme.traces)]


def _least_room(low: float, high: float) -> float:
    """A constant signal is drawn in the middle, without blowing up its last digits."""
    return max(abs(low), abs(high), 1e-6) * 1e-3


class ScopePlots(pg.GraphicsLayoutWidget):
    """All plots of a scope.

    Args:
        model: what is shown.
        theme: colours.
        parent: widget that holds this one.
    """

    zoomed = Signal(float)
    """Show less time by this factor."""
    moved = Signal(float)
    """Look at another time, by this share of the width."""
    cursor_moved = Signal(int, float)
    """A cursor was dragged: which, and its time [s]."""

    def __init__(self, model: ScopeModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._plots: list[_Plot] = []
        self.labels: Labels | None = None
        self._traces: tuple[Channel, ...] = ()
        self._drawn: Any = None
        self._origin_s = 0.0
        self.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        cast(Any, self.ci).layout.setContentsMargins(2, 2, 6, 2)
        cast(Any, self.ci).layout.setSpacing(2)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(text("scope.name"))
        self.set_theme(theme)

    def set_model(self, model: ScopeModel) -> None:
        """Show another run."""
        self._model = model
        self._rebuild()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.setBackground(QColor(theme.base))
        self._rebuild()

    def draw(self, *, fit: bool = False) -> None:
        """Draw what the model shows now; nothing that is as it was is drawn again."""
        if self._model.traces != self._traces:
            self._rebuild()
        if not self._plots:
            return
        view = self._model.view()
        box = self._plots[0].item.getViewBox()
        width_px = max(50, int(box.width()))
        key = (view.from_s, view.to_s, view.window.epoch, view.window.end, view.live, width_px)
        marks = self._model.marks(view)
        key = (*key, len(marks), self._model.cursors, self._model.trigger)
        if key == self._drawn and not fit:
            return
        self._drawn = key
        self._origin_s = view.origin_s
        self._draw_plots(view, marks, width_px, fit=fit)
        if self.labels is not None:
            self.labels.draw(view, marks)

    def _draw_plots(
        self, view: View, marks: Sequence[EventRecord], width_px: int, *, fit: bool
    ) -> None:
        lines = self._model.lines(view, width_px)
        trigger = self._model.trigger
        for plot in self._plots:
            plot.item.setXRange(view.from_s - view.origin_s, view.to_s - view.origin_s, padding=0.0)
            plot.draw(lines, view, fit=fit)
            plot.draw_marks(marks, view)
            plot.edge.setVisible(bool(np.isfinite(view.edge_s)))
            plot.edge.setValue(0.0)
            names = {channel.name for channel in plot.channels}
            plot.level.setVisible(trigger.active and trigger.channel in names)
            plot.level.setValue(trigger.level)
            self._draw_cursors(plot)

    def _draw_cursors(self, plot: _Plot) -> None:
        cursors = self._model.cursors
        for which, line in enumerate(plot.cursors):
            line.setVisible(cursors is not None)
            if cursors is not None:
                line.blockSignals(True)
                line.setValue(cursors.at(which) - self._origin_s)
                line.blockSignals(False)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Tell what a mark near the mouse is; elsewhere, the keys."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.words_at(event.pos())
            if words:
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().viewportEvent(event)

    def words_at(self, place: QPoint) -> str:
        """Whole messages of the marks near a place of the widget; empty if there is none."""
        if not self._plots:
            return ""
        box = self._plots[0].item.getViewBox()
        view = self._model.view()
        s_per_px = (view.to_s - view.from_s) / max(1.0, float(box.width()))
        at_s = float(box.mapSceneToView(self.mapToScene(place)).x()) + view.origin_s
        found = near(self._model.marks(view), at_s, _NEAR_PX * s_per_px)
        return "\n".join(text("scope.mark", t_s=m.t_s, message=m.message) for m in found)

    def _rebuild(self) -> None:
        """Make the plots anew: other traces, other colours."""
        cast(Any, self.ci).clear()
        self._plots, self.labels, self._drawn = [], None, None
        self._traces = self._model.traces
        number_of = {channel.name: number for number, channel in enumerate(self._traces)}
        plots = self._model.plots()
        for row, (key, channels) in enumerate(plots):
            box = _Box(self.zoomed.emit, self.moved.emit)
            item = cast(Any, self.ci).addPlot(row=row, col=0, viewBox=box)
            self._set_up(item, key, channels, number_of, last=row == len(plots) - 1)
            plot = _Plot(item, channels, self._codes_of(channels[0]))
            plot.paint(self._theme, number_of, max(1.0, self.devicePixelRatioF()))
            for which, line in enumerate(plot.cursors):
                line.sigPositionChanged.connect(self._report(which))
            self._plots.append(plot)
        if self._plots:
            small = self.font()
            small.setPointSizeF(0.8 * small.pointSizeF())
            self.labels = Labels(self._plots[0].item, self._theme, small)

    def _report(self, which: int) -> Callable[[Any], None]:
        def moved(line: Any) -> None:
            self.cursor_moved.emit(which, float(line.value()) + self._origin_s)

        return moved

    def _set_up(
        self,
        item: Any,
        key: str,
        channels: Sequence[Channel],
        number_of: dict[str, int],
        *,
        last: bool,
    ) -> None:
        item.hideButtons()
        item.showGrid(x=True, y=True, alpha=0.25)
        left, bottom = item.getAxis("left"), item.getAxis("bottom")
        left.setWidth(_AXIS_WIDTH_PX)
        prefixed = key in ("m", "m/s", "N", "s", "N m", "rad", "rad/s")
        left.enableAutoSIPrefix(prefixed)
        if prefixed:
            left.setLabel(units=key)
        elif self._codes_of(channels[0]):
            small = self.font()
            small.setPointSizeF(0.75 * small.pointSizeF())
            left.setTickFont(small)  # words are wider than numbers
        else:
            left.setLabel(key)
        bottom.enableAutoSIPrefix(False)
        bottom.setStyle(showValues=last)
        bottom.setHeight(18 if last else 4)
        item.setTitle(self._title(channels, number_of), size="8pt", justify="left")
        item.titleLabel.setMaximumHeight(_TITLE_HEIGHT_PX)
        item.layout.setRowFixedHeight(0, _TITLE_HEIGHT_PX)

    def _title(self, channels: Sequence[Channel], number_of: dict[str, int]) -> str:
        """Fields in words, and behind each its signals with their colours."""
        fields: dict[str, list[str]] = {}
        for channel in channels:
            number = number_of[channel.name]
            sign = "■" if number < len(self._theme.traces) else "▤"
            fields.setdefault(channel.field, []).append(
                f'<span style="color:{trace_colour(self._theme, number)}">{sign}</span>'
                f'<span style="color:{self._theme.text}">{channel.short}</span>'
            )
        return " &nbsp; ".join(
            f'<span style="color:{self._theme.text}">{field}</span> {" ".join(signs)}'
            for field, signs in fields.items()
        )

    def _codes_of(self, channel: Channel) -> tuple[str, ...]:
        """Names of the codes of a signal; empty if its values are numbers."""
        codes = self._model.facts.layout.codes
        if channel.field not in codes:
            return ()
        header = self._model.facts.header
        names = (header.modes, header.actions)[codes.index(channel.field)]
        return tuple(code_name(names, code) for code in range(len(names)))

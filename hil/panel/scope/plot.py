"""One plot of the scope: its curves, marks, cursors and trigger lines, on an axis of its own."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt

from hil.panel.scope.curve import PlotLine, trace_style
from hil.panel.scope.labels import MARK_ROLES
from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.envelope import Polyline
from hil.panel.scope.models.time_window import View
from hil.panel.widgets.theme import Theme
from hil.recording.events import EventRecord

_WHEEL_STEP: Final = 120.0


class TimeBox(pg.ViewBox):
    """The area of a plot's curves; passes wheel and drag to the scope."""

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


class ScopePlot:
    """One plot: its curves, marks, cursors and trigger lines."""

    def __init__(self, item: Any, channels: Sequence[Channel], codes: Sequence[str]) -> None:
        self.item = item
        self.channels = tuple(channels)
        self.curves: dict[str, PlotLine] = {}
        self._marks = {kind: PlotLine() for kind in MARK_ROLES}
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
            self._marks[kind].set_style(pg.mkPen(getattr(theme, role), width=1))
        for channel in self.channels:
            curve = self.curves.get(channel.name)
            if curve is None:
                curve = self.curves[channel.name] = PlotLine()
                self.item.addItem(curve, ignoreBounds=True)
            number = number_of[channel.name]
            curve.set_style(trace_style(theme, number, width_px), number)
        for cursor in self.cursors:
            cursor.setPen(pg.mkPen(theme.text, width=1))
            cursor.setHoverPen(pg.mkPen(theme.accent, width=3))
        dashed = Qt.PenStyle.DashLine
        self.edge.setPen(pg.mkPen(theme.accent, width=1, style=dashed))
        self.level.setPen(pg.mkPen(theme.accent, width=1, style=dashed))
        for name in ("left", "bottom"):
            self.item.getAxis(name).set_theme(theme, theme.line)
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
        span = max(self._high - self._low, 1e-300)
        fits = self._ranged and self._low <= low and high <= self._high
        if fits and not force and high - low >= 0.3 * span:
            return
        if fits and not force and span <= 2.0 * _least_span(low, high):
            return
        spread = max(high - low, _least_span(low, high))
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


def _least_span(low: float, high: float) -> float:
    """A constant signal is drawn in the middle, without blowing up its last digits."""
    return max(abs(low), abs(high), 1e-6) * 1e-3

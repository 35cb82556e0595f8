"""The plots of the scope: one per unit, above each other, on one axis of time.

Everything is drawn without smoothing, in lines one pixel wide, which is what a processor without a
graphics card draws fast. The view model decides what is seen; the plots have no mouse of their own.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from hil.panel.scope.curve import trace_colour
from hil.panel.scope.labels import Labels
from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.marks import near
from hil.panel.scope.models.scope import ScopeModel
from hil.panel.scope.models.time_window import View
from hil.panel.scope.plot import ScopePlot, TimeBox
from hil.panel.scope.signs import sign_of
from hil.panel.widgets.plots import grid_axes
from hil.panel.widgets.theme import Theme
from hil.recording.events import EventRecord

_NEAR_PX: Final = 5.0
"""A mark this near to the mouse says what it is."""
LEAST_EM: Final = 5.0
"""A plot lower than this cannot be read; where there are too many they scroll."""
_AXIS_WIDTH_EM: Final = 4.2
_TITLE_HEIGHT_EM: Final = 1.2
_BARE_AXIS_PX: Final = 4
"""Height of an axis without numbers."""


class ScopePlots(pg.GraphicsLayoutWidget):
    """All plots of a scope."""

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
        self._plots: list[ScopePlot] = []
        self.labels: Labels | None = None
        self._traces: tuple[Channel, ...] = ()
        self._drawn: Any = None
        self._origin_s = 0.0
        self.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        cast(Any, self.ci).layout.setContentsMargins(2, 2, 6, 2)
        cast(Any, self.ci).layout.setSpacing(2)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Scope"))
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

    def _draw_cursors(self, plot: ScopePlot) -> None:
        cursors = self._model.cursors
        for which, line in enumerate(plot.cursors):
            line.setVisible(cursors is not None)
            if cursors is not None:
                line.blockSignals(True)
                line.setValue(cursors.at(which) - self._origin_s)
                line.blockSignals(False)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Show the words of a mark near the mouse; elsewhere, the keys."""
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
        return "\n".join(
            self.tr("{t_s:.3f} s: {message}").format(t_s=m.t_s, message=m.message) for m in found
        )

    def _rebuild(self) -> None:
        """Make the plots anew: other traces, other colours."""
        cast(Any, self.ci).clear()
        self._plots, self.labels, self._drawn = [], None, None
        self._traces = self._model.traces
        number_of = {channel.name: number for number, channel in enumerate(self._traces)}
        plots = self._model.plots()
        for row, (key, channels) in enumerate(plots):
            box = TimeBox(self.zoomed.emit, self.moved.emit)
            item = cast(Any, self.ci).addPlot(row=row, col=0, viewBox=box, axisItems=grid_axes())
            self._set_up(item, key, channels, number_of, last=row == len(plots) - 1)
            plot = ScopePlot(item, channels, self._codes_of(channels[0]))
            plot.paint(self._theme, number_of, max(1.0, self.devicePixelRatioF()))
            for which, line in enumerate(plot.cursors):
                line.sigPositionChanged.connect(self._report(which))
            self._plots.append(plot)
        self.setMinimumHeight(self.least_px * len(self._plots))
        if self._plots:
            small = self.font()
            small.setPointSizeF(0.8 * small.pointSizeF())
            self.labels = Labels(self._plots[0].item, self._theme, small)

    @property
    def least_px(self) -> int:
        """Height below which a plot cannot be read [px]."""
        return self._px(LEAST_EM)

    def _px(self, em: float) -> int:
        """Pixels of so many lines of text."""
        return round(em * QFontMetricsF(self.font()).height())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Another size of text takes another place."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_model"):
            self._rebuild()

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
        title_px = self._px(_TITLE_HEIGHT_EM)
        left.setWidth(self._px(_AXIS_WIDTH_EM))
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
        bottom.setHeight(title_px if last else _BARE_AXIS_PX)
        small_pt = 0.9 * self.font().pointSizeF()
        item.setTitle(self._title(channels, number_of), size=f"{small_pt:.1f}pt", justify="left")
        item.titleLabel.setMaximumHeight(title_px)
        item.layout.setRowFixedHeight(0, title_px)

    def _title(self, channels: Sequence[Channel], number_of: dict[str, int]) -> str:
        """Fields in words, and behind each its signals with their colours."""
        fields: dict[str, list[str]] = {}
        for channel in channels:
            number = number_of[channel.name]
            fields.setdefault(channel.field, []).append(
                f'<span style="color:{trace_colour(self._theme, number)}">{sign_of(number)}</span>'
                f'<span style="color:{self._theme.text}">{channel.short}</span>'
            )
        return " &nbsp; ".join(
            f'<span style="color:{self._theme.text}">{field}</span> {" ".join(signs)}'
            for field, signs in fields.items()
        )

    def _codes_of(self, channel: Channel) -> tuple[str, ...]:
        """Names of the codes of a signal; empty if its values are numbers."""
        return self._model.facts.signals[channel.field].codes

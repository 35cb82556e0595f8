"""Results of a comparison of two runs: plots of both and of their difference; tables of figures."""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from hil.panel.scope.curve import PlotLine, trace_style
from hil.panel.scope.models.envelope import Envelope, Polyline, bucket_size
from hil.panel.scope.models.ring import Window
from hil.panel.scope.readout import number
from hil.panel.study.models.compare import DifferenceFigures, Setting
from hil.panel.study.models.compare_work import SignalLines
from hil.panel.widgets.plots import grid_axes
from hil.panel.widgets.text_space import RowHeight
from hil.panel.widgets.theme import Theme

_ROOM: Final = 0.08
"""Share of a signal's range that is left free above and below."""
_AXIS_WIDTH_EM: Final = 4.3
_FIGURES: Final = ("Signal", "Largest", "at [s]", "RMS", "Mean", "Unit")


class ComparePlots(pg.GraphicsLayoutWidget):
    """The plots."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours from now on."""
        self._theme = theme
        self.setBackground(QColor(theme.base))

    def clear_runs(self) -> None:
        """Draw nothing."""
        cast(Any, self.ci).clear()

    def draw(self, found: SignalLines) -> None:
        """Draw a signal of both runs."""
        self.clear_runs()
        if not len(found.first.x):
            return
        ci = cast(Any, self.ci)
        upper = ci.addPlot(row=0, col=0, axisItems=grid_axes())
        lower = ci.addPlot(row=1, col=0, axisItems=grid_axes())
        lower.setXLink(upper)
        self._plot(upper, found.channel.unit, (found.first, found.second), (0, 1))
        self._plot(lower, found.channel.unit, (found.difference,), (6,))
        small = f"{0.9 * self.font().pointSizeF():.1f}pt"
        upper.setTitle(found.channel.name, size=small, color=self._theme.text)
        lower.setTitle(self.tr("second − first"), size=small, color=self._theme.text)
        lower.setLabel("bottom", self.tr("motion time [s]"), color=self._theme.text)

    def _plot(
        self, plot: Any, unit: str, traces: Sequence[Polyline], colours: Sequence[int]
    ) -> None:
        values = np.concatenate([trace.y for trace in traces])
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        # A difference that never changes needs an axis with words as well.
        margin = max((high - low) * _ROOM, 1e-3 * max(abs(low), abs(high)), 1e-9)
        low, high = low - margin, high + margin
        start_s, end_s = float(traces[0].x[0]), float(traces[0].x[-1])
        self._set_up(plot, unit)
        plot.setXRange(start_s, max(end_s, start_s + 1e-6), padding=0.0)
        plot.setYRange(low, high, padding=0.0)
        bounds = QRectF(start_s, low, end_s - start_s, high - low)
        for trace, colour in zip(traces, colours, strict=True):
            window = Window(0, 0, trace.x, trace.y[None])
            bucket = bucket_size(len(trace.x), 4 * max(200, self.width()))  # zoom has room
            (line,) = Envelope().lines(window, (0,), bucket)
            curve = PlotLine()
            curve.set_style(
                trace_style(self._theme, colour, max(1.0, self.devicePixelRatioF())), colour
            )
            curve.set_points(line.x, line.y, bounds)
            plot.addItem(curve, ignoreBounds=True)

    def _set_up(self, plot: Any, unit: str) -> None:
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.setMouseEnabled(x=True, y=False)
        plot.showGrid(x=True, y=True, alpha=0.25)
        plot.getAxis("left").setWidth(round(_AXIS_WIDTH_EM * self.fontMetrics().height()))
        plot.setLabel("left", units=unit)
        for name in ("left", "bottom"):
            plot.getAxis(name).set_theme(self._theme, self._theme.line)


class _Table(QTableWidget):
    """A table to be read, whose first column takes the room that is left."""

    def __init__(self, names: Sequence[str], parent: QWidget) -> None:
        super().__init__(0, len(names), parent)
        self.setHorizontalHeaderLabels(list(names))
        self.verticalHeader().hide()
        RowHeight(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setWordWrap(False)
        self.horizontalHeader().setDefaultSectionSize(76)
        self.horizontalHeader().setMinimumSectionSize(50)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def write(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows of cells and no others."""
        self.setRowCount(len(rows))
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                item = QTableWidgetItem(cell)
                item.setToolTip(cell)
                self.setItem(row, column, item)


class FiguresTable(_Table):
    """Table of the differences of every signal."""

    picked = Signal(str)
    """Name of the signal whose row was clicked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_FIGURES, parent)
        self.cellClicked.connect(self._pick)

    def show_figures(self, rows: Sequence[DifferenceFigures]) -> None:
        """Show the figures of these signals."""
        self.write(
            [
                (
                    one.channel.name,
                    *(number(value) for value in (one.largest, one.at_s, one.rms, one.mean)),
                    one.channel.unit,
                )
                for one in rows
            ]
        )

    def _pick(self, row: int, _: int) -> None:
        item = self.item(row, 0)
        if item is not None:
            self.picked.emit(item.text())


class SettingsTable(_Table):
    """Table of the settings that differ between the runs."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(["Setting", "1", "2"], parent)

    def show_settings(self, rows: Sequence[Setting]) -> None:
        """Show these settings."""
        absent = self.tr("—")
        self.write([(one.name, one.first or absent, one.second or absent) for one in rows])

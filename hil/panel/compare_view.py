"""Two runs over each other: one signal of both, its difference, figures of all, and settings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hil.panel.models.compare import (
    Align,
    CompareError,
    Difference,
    Run,
    comparable,
    difference,
    settings_that_differ,
    shift_between,
    table,
)
from hil.panel.models.replay import open_run
from hil.panel.models.scope_channels import Channel
from hil.panel.models.scope_envelope import Envelope, bucket_size
from hil.panel.models.scope_ring import Window
from hil.panel.scope_curve import Curve
from hil.panel.scope_plots import trace_pen
from hil.panel.scope_readout import number
from hil.panel.texts import text
from hil.panel.theme import Theme
from hil.recording.header import RecordingError

_ROOM: Final = 0.08
_FIGURES: Final = ("channel", "largest", "at", "rms", "mean", "unit")


class CompareView(QWidget):
    """Two recordings beside each other.

    Args:
        theme: colours.
        parent: widget that holds this one.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._runs: list[Run | None] = [None, None]
        self._channels: tuple[Channel, ...] = ()
        self._named = ""
        self.shift_s = 0.0
        """By which the second run is shifted now [s]."""
        self.open = [QPushButton(text(f"compare.{key}"), self) for key in ("first", "second")]
        self.channel = QComboBox(self)
        self.channel.setAccessibleName(text("compare.channel"))
        self.align = QComboBox(self)
        self.align.setAccessibleName(text("compare.align"))
        for align in Align:
            self.align.addItem(text(f"compare.align.{align.value}"), align)
        self.told = QLabel(text("compare.none"), self)
        self.told.setTextFormat(Qt.TextFormat.RichText)
        self.told.setWordWrap(True)
        self.plots = pg.GraphicsLayoutWidget(self)
        self.figures = _table(self, [text(f"compare.{key}") for key in _FIGURES])
        names = [text("compare.setting"), "1", "2"]
        self.settings = _table(self, names)
        self._arrange()
        self.set_theme(theme)
        for which, button in enumerate(self.open):
            button.clicked.connect(lambda _=False, which=which: self._ask(which))
        self.channel.currentIndexChanged.connect(self._changed)
        self.align.currentIndexChanged.connect(self._changed)
        self.figures.cellClicked.connect(self._picked)

    def set_run(self, which: int, run: Run) -> None:
        """Compare another run.

        Args:
            which: 0 the first, 1 the second.
            run: the run.
        """
        self._runs[which] = run
        chosen = self.channel.currentData()
        first, second = self._runs
        try:
            self._channels = ()
            if first is not None and second is not None:
                self._channels = comparable(first.facts, second.facts)
        except CompareError as error:
            self._clear()
            self._refuse(error)
            return
        self.channel.blockSignals(True)
        self.channel.clear()
        for channel in self._channels:
            self.channel.addItem(channel.name, channel.name)
        self.channel.setCurrentIndex(max(0, self.channel.findData(chosen)))
        if chosen is None and self._channels:
            self.channel.setCurrentIndex(max(0, self.channel.findText("measured_length_leg1_m")))
        self.channel.blockSignals(False)
        self._changed()

    def open_file(self, which: int, path: Path) -> bool:
        """Compare a recording; a message says why if it cannot be opened."""
        try:
            self.set_run(which, open_run(path))
        except RecordingError as error:
            self.told.setText(text("compare.cannot", why=str(error)))
            return False
        return True

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.plots.setBackground(QColor(theme.base))
        self._changed()

    def refresh(self) -> None:
        """Recordings do not change: there is nothing to do."""

    def _ask(self, which: int) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, text("replay.open.title"), "", text("replay.open.files")
        )
        if name:
            self.open_file(which, Path(name))

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        for part in (*self.open, self.channel, self.align):
            bar.addWidget(part)
        bar.addStretch(1)
        tables = QSplitter(Qt.Orientation.Horizontal, self)
        tables.addWidget(self.figures)
        tables.addWidget(self.settings)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.plots)
        split.addWidget(tables)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([360, 240])
        self.plots.setMinimumHeight(200)
        self.channel.setMinimumContentsLength(26)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(4, 4, 4, 4)
        whole.addLayout(bar)
        whole.addWidget(self.told)
        whole.addWidget(split, 1)

    def _clear(self) -> None:
        cast(Any, self.plots.ci).clear()
        self.figures.setRowCount(0)
        self.settings.setRowCount(0)

    def _refuse(self, error: CompareError) -> None:
        self.told.setText(text("compare.cannot", why=text(error.key, **error.values)))

    def _changed(self, *_: Any) -> None:
        """Work all out anew: another run, signal or alignment."""
        self._clear()
        first, second = self._runs
        if first is None or second is None or not self._channels:
            return
        channel = self._channels[max(0, self.channel.currentIndex())]
        self._write_settings(first, second)
        try:
            self.shift_s = shift_between(first, second, self.align.currentData(), channel)
        except CompareError as error:
            self._refuse(error)
            return
        self._write_figures(first, second)
        self._draw(difference(first, second, channel, self.shift_s))

    def _write_settings(self, first: Run, second: Run) -> None:
        rows = settings_that_differ(first.facts, second.facts)
        absent = text("compare.absent")
        self.settings.setRowCount(len(rows))
        for row, setting in enumerate(rows):
            cells = (setting.name, setting.first or absent, setting.second or absent)
            _write(self.settings, row, cells)
        same = text("compare.differ", count=len(rows)) if rows else text("compare.alike")
        names = " · ".join(
            f'<span style="color:{self._theme.traces[number]}">■</span> '
            + text(f"compare.run.{key}", name=run.facts.name)
            for number, (key, run) in enumerate((("first", first), ("second", second)))
        )
        self._named = f"{names} · {same}"
        self.told.setText(self._named)

    def _write_figures(self, first: Run, second: Run) -> None:
        rows = table(first, second, self._channels, self.shift_s)
        self.figures.setRowCount(len(rows))
        for row, found in enumerate(rows):
            values = (found.largest, found.at_s, found.rms, found.mean)
            cells = (found.channel.name, *(number(value) for value in values), found.channel.unit)
            _write(self.figures, row, cells)
        shift = text("compare.shift", value=self.shift_s)
        words = shift if rows else text("compare.no_overlap")
        self.told.setText(f"{self._named} · {words}")

    def _draw(self, found: Difference) -> None:
        """Both runs above, their difference below, on one axis of time."""
        if not len(found.t_s):
            return
        ci = cast(Any, self.plots.ci)
        upper = ci.addPlot(row=0, col=0)
        lower = ci.addPlot(row=1, col=0)
        lower.setXLink(upper)
        self._plot(upper, found, (found.first, found.second), (0, 1))
        self._plot(lower, found, (found.values,), (6,))
        upper.setTitle(found.channel.name, size="8pt", color=self._theme.text)
        lower.setTitle(text("compare.difference"), size="8pt", color=self._theme.text)
        lower.setLabel("bottom", text("scope.axis.run"), color=self._theme.text)

    def _plot(
        self, plot: Any, found: Difference, traces: Sequence[Any], colours: Sequence[int]
    ) -> None:
        values = np.vstack(traces)
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        # A difference that never changes needs an axis with words as well.
        room = max((high - low) * _ROOM, 1e-3 * max(abs(low), abs(high)), 1e-9)
        low, high = low - room, high + room
        start_s, end_s = float(found.t_s[0]), float(found.t_s[-1])
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.setMouseEnabled(x=True, y=False)
        plot.showGrid(x=True, y=True, alpha=0.25)
        plot.setXRange(start_s, max(end_s, start_s + 1e-6), padding=0.0)
        plot.setYRange(low, high, padding=0.0)
        plot.getAxis("left").setWidth(64)
        plot.setLabel("left", units=found.channel.unit)
        for name in ("left", "bottom"):
            plot.getAxis(name).setPen(pg.mkPen(self._theme.line))
            plot.getAxis(name).setTextPen(pg.mkPen(self._theme.text))
        window = Window(0, 0, found.t_s, values)
        bucket = bucket_size(len(found.t_s), 4 * max(200, self.plots.width()))  # zoom has room
        lines = Envelope().lines(window, range(len(values)), bucket)
        bounds = QRectF(start_s, low, end_s - start_s, high - low)
        for line, colour in zip(lines, colours, strict=True):
            curve = Curve()
            curve.set_pen(trace_pen(self._theme, colour))
            curve.set_points(line.x, line.y, bounds)
            plot.addItem(curve, ignoreBounds=True)

    def _picked(self, row: int, _: int) -> None:
        """A signal's row was clicked: show the signal."""
        item = self.figures.item(row, 0)
        if item is not None:
            self.channel.setCurrentIndex(self.channel.findData(item.text()))


def _table(parent: QWidget, names: Sequence[str]) -> QTableWidget:
    made = QTableWidget(0, len(names), parent)
    made.setHorizontalHeaderLabels(list(names))
    made.verticalHeader().hide()
    made.verticalHeader().setDefaultSectionSize(20)
    made.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    made.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    made.setWordWrap(False)
    made.horizontalHeader().setDefaultSectionSize(76)
    made.horizontalHeader().setMinimumSectionSize(50)
    made.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return made


def _write(into: QTableWidget, row: int, cells: Sequence[str]) -> None:
    for column, cell in enumerate(cells):
        item = QTableWidgetItem(cell)
        item.setToolTip(cell)
        into.setItem(row, column, item)
